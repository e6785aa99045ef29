//go:build !purego

package cpu

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// isar0 returns the register ID_AA64ISAR0_EL1. FreeBSD, and Linux if it reports the feature
// cpuid, emulate the instruction for user space.
//
//ct:public
func isar0() uint64

func detect() Set {
	var s Set
	for _, f := range []struct {
		has   bool
		means Set
	}{
		{cpu.ARM64.HasASIMD, NEON},
		{cpu.ARM64.HasAES, AES},
		{cpu.ARM64.HasPMULL, PMULL},
		{cpu.ARM64.HasSHA2, SHA2},
		{cpu.ARM64.HasSHA3, SHA3},
		{cpu.ARM64.HasSHA512, SHA512},
		// Windows does not report SM3, and x/sys/cpu sets the flag there on any
		// CPU with the unrelated LRCPC instructions.
		{cpu.ARM64.HasSM3 && runtime.GOOS != "windows", SM3},
		{cpu.ARM64.HasSM4, SM4},
		{cpu.ARM64.HasSVE, SVE},
		{cpu.ARM64.HasSVE2, SVE2},
		{cpu.ARM64.HasDIT, DIT},
	} {
		if f.has {
			s |= f.means
		}
	}
	s |= systemFeatures()
	return s.complete(NEON | SVE)
}

// isar0Features are the features that ID_AA64ISAR0_EL1 has.
const isar0Features = AES | PMULL | SHA2 | SHA512 | SHA3 | SM3 | SM4

// parseISAR0 returns the features in ID_AA64ISAR0_EL1, by the fields of Arm's manual.
func parseISAR0(register uint64) (s Set) {
	for _, f := range []struct {
		bit, min uint
		means    Set
	}{
		{4, 1, AES},
		{4, 2, PMULL},
		{12, 1, SHA2},
		{12, 2, SHA512},
		{32, 1, SHA3},
		{36, 1, SM3},
		{40, 1, SM4},
	} {
		if uint(register>>f.bit)&15 >= f.min {
			s |= f.means
		}
	}
	return s
}
