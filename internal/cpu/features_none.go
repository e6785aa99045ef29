//go:build purego || !(amd64 || arm64 || arm || (linux && (riscv64 || mips || mipsle || mips64 || mips64le)))

package cpu

func detect() Set { return 0 }
