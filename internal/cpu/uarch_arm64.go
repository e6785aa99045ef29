//go:build !purego

package cpu

import (
	"runtime"
	"slices"

	"golang.org/x/sys/cpu"
)

// midr returns the register MIDR_EL1. Linux emulates the instruction for user space if it
// reports the feature cpuid.
//
//ct:public
func midr() uint64

func detectUarch() Uarch {
	switch {
	case runtime.GOOS == "darwin" || runtime.GOOS == "ios":
		return Apple
	case cpu.ARM64.HasCPUID:
		return identify(midr())
	}
	return 0
}

// identify returns the microarchitecture with this register MIDR_EL1. If cores differ, it
// is that of one of them. The numbers are those of Linux's arch/arm64/include/asm/cputype.h.
func identify(midr uint64) Uarch {
	implementer, part := midr>>24&0xff, midr>>4&0xfff
	switch {
	case implementer == 0x61:
		return Apple
	case implementer == 0xc0 && (part == 0xac3 || part == 0xac4):
		return Ampere1
	case implementer == 0x41 && (part == 0xd07 || part == 0xd08):
		return CortexA72
	case implementer == 0x41 && slices.Contains([]uint64{0xd02, 0xd03, 0xd04, 0xd05, 0xd46, 0xd80}, part):
		return CortexA55
	}
	return 0
}
