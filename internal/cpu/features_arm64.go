//go:build !purego

package cpu

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

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
	return s.complete(NEON | SVE)
}
