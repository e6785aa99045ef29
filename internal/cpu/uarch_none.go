//go:build purego || !amd64

package cpu

func detectUarch() Uarch { return 0 }
