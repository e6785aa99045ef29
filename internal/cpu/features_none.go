//go:build purego || !(amd64 || arm || arm64 || (linux && loong64) || (linux && (mips || mipsle || mips64 || mips64le)) || (linux && riscv64))

package cpu

func detect() Set { return 0 }
