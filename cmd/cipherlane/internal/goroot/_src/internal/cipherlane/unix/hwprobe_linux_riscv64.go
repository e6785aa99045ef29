package unix

import (
	"syscall"
	"unsafe"
)

// RISCVHWProbePairs is struct riscv_hwprobe of Linux.
type RISCVHWProbePairs struct {
	Key   int64
	Value uint64
}

// Constants of Linux: arch/riscv/include/uapi/asm/hwprobe.h.
const (
	RISCV_HWPROBE_KEY_MVENDORID = iota
	RISCV_HWPROBE_KEY_MARCHID
	RISCV_HWPROBE_KEY_MIMPID
	RISCV_HWPROBE_KEY_BASE_BEHAVIOR
	RISCV_HWPROBE_KEY_IMA_EXT_0
)

const (
	RISCV_HWPROBE_IMA_V      = 1 << 2
	RISCV_HWPROBE_EXT_ZBA    = 1 << 3
	RISCV_HWPROBE_EXT_ZBB    = 1 << 4
	RISCV_HWPROBE_EXT_ZBC    = 1 << 7
	RISCV_HWPROBE_EXT_ZBKB   = 1 << 8
	RISCV_HWPROBE_EXT_ZBKC   = 1 << 9
	RISCV_HWPROBE_EXT_ZKND   = 1 << 11
	RISCV_HWPROBE_EXT_ZKNE   = 1 << 12
	RISCV_HWPROBE_EXT_ZKSED  = 1 << 14
	RISCV_HWPROBE_EXT_ZKSH   = 1 << 15
	RISCV_HWPROBE_EXT_ZVBB   = 1 << 17
	RISCV_HWPROBE_EXT_ZVBC   = 1 << 18
	RISCV_HWPROBE_EXT_ZVKB   = 1 << 19
	RISCV_HWPROBE_EXT_ZVKG   = 1 << 20
	RISCV_HWPROBE_EXT_ZVKNED = 1 << 21
	RISCV_HWPROBE_EXT_ZVKNHA = 1 << 22
	RISCV_HWPROBE_EXT_ZVKNHB = 1 << 23
	RISCV_HWPROBE_EXT_ZVKSED = 1 << 24
	RISCV_HWPROBE_EXT_ZVKSH  = 1 << 25
	RISCV_HWPROBE_EXT_ZVKT   = 1 << 26
)

// RISCVHWProbe asks Linux what the CPUs have that this process may run on.
func RISCVHWProbe(pairs []RISCVHWProbePairs, _ *struct{}, flags uint) error {
	const number = 258
	if _, _, errno := syscall.RawSyscall6(number, uintptr(unsafe.Pointer(&pairs[0])), uintptr(len(pairs)), 0, 0, uintptr(flags), 0); errno != 0 {
		return errno
	}
	return nil
}
