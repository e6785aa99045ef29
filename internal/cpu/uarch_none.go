//go:build purego || !(amd64 || arm64 || (linux && riscv64))

package cpu

func detectUarch() Uarch { return 0 }
