// Package fips202 has the constants of Keccak-f[1600] (FIPS 202 section 3).
package fips202

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

// RoundConstants returns the constants of iota, from the LFSR of section 3.2.5.
func RoundConstants() (c [24]uint64) {
	state := byte(1)
	for round := range c {
		for j := range 7 {
			if state&1 != 0 {
				c[round] |= 1 << (1<<j - 1)
			}
			feedback := state >> 7
			state = state << 1
			if feedback != 0 {
				state ^= 0x71
			}
		}
	}
	return c
}
