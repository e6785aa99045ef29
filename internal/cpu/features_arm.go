//go:build !purego

package cpu

import "golang.org/x/sys/cpu"

func detect() Set {
	var s Set
	for _, f := range []struct {
		has   bool
		means Set
	}{
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
