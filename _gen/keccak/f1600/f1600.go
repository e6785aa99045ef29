// Package f1600 has what generators need to know of Keccak-f[1600] (FIPS 202 section
// 3).
package f1600

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// Plane lists, for each plane of the result, the lanes that theta, rho and pi
// bring into it, and by how much they are rotated (FIPS 202 sections 3.2.1 to
// 3.2.3). Lane x+5y belongs to column x.
var Plane = [5][5]struct {
	Lane   int
	Rotate uint8
}{
	{{0, 0}, {6, 44}, {12, 43}, {18, 21}, {24, 14}},
	{{3, 28}, {9, 20}, {10, 3}, {16, 45}, {22, 61}},
	{{1, 1}, {7, 6}, {13, 25}, {19, 8}, {20, 18}},
	{{4, 27}, {5, 36}, {11, 10}, {17, 15}, {23, 56}},
	{{2, 62}, {8, 55}, {14, 39}, {15, 41}, {21, 2}},
}

// Constants are those of iota.
func Constants(name string) Mem {
	table := GLOBL(name, attr.RODATA|attr.NOPTR)
	state := byte(1) // the LFSR of section 3.2.5
	for round := range 24 {
		var c uint64
		for j := range 7 {
			if state&1 != 0 {
				c |= 1 << (1<<j - 1)
			}
			feedback := state >> 7
			state = state << 1
			if feedback != 0 {
				state ^= 0x71
			}
		}
		DATA(8*round, U64(c))
	}
	return table
}
