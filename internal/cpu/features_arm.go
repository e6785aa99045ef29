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
		{hasARMv6(), ARMV6},
		{cpu.ARM.HasNEON, NEON},
		{cpu.ARM.HasAES, AES},
		{cpu.ARM.HasPMULL, PMULL},
		{cpu.ARM.HasSHA2, SHA2},
	} {
		if f.has {
			s |= f.means
		}
	}
	return s.complete(NEON)
}

// hasARMv6 reports whether programs can use all of ARMv6, including unaligned words,
// which Linux allows and other systems may forbid. There is no hardware capability for
// ARMv6: a program built with GOARM=5 detects it by features of ARMv6K (the thread
// registers) and ARMv7.
func hasARMv6() bool {
	if runtime.GOOS != "linux" && runtime.GOOS != "android" {
		return false
	}
	return builtForARMv6 || cpu.ARM.HasTLS || cpu.ARM.HasVFPv3 || cpu.ARM.HasNEON
}
