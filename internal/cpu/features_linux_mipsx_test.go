//go:build linux && (mips || mipsle || mips64 || mips64le) && !purego

package cpu

import "testing"

// TestRelease2 has the line isa of an mt7621, of a CPU of release 1, and of a MIPS64 with
// release 6, which lacks HI and LO.
func TestRelease2(t *testing.T) {
	for info, want := range map[string]bool{
		"system type\t\t: MediaTek MT7621 ver:1 eco:3\nisa\t\t\t: mips1 mips2 mips32r1 mips32r2\n": true,
		"isa\t\t\t: mips1 mips2 mips32r1\n":                                              false,
		"isa\t\t\t: mips1 mips2 mips3 mips4 mips5 mips32r1 mips32r2 mips64r1 mips64r2\n": true,
		"isa\t\t\t: mips32r6 mips64r6\n":                                                 false,
		"isa:\n":                                                                         false,
		"":                                                                               false,
	} {
		if got := isRelease2(lastISA(info)); got != want {
			t.Errorf("%q: %v", info, got)
		}
	}
}
