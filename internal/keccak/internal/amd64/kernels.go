//go:build amd64 && !purego

// Package amd64 contains the kernels of Keccak for amd64.
package amd64

// AbsorbBMI2 adds one or more blocks of 17 or 21 words each to a state, and permutes
// it after each. It needs BMI1 and BMI2.
//
//go:noescape
//ct:secret a p
func AbsorbBMI2(a *[25]uint64, p *byte, words, blocks int)

// SqueezeBMI2 copies such blocks from a state, and permutes it after each.
//
//go:noescape
//ct:secret a p
func SqueezeBMI2(a *[25]uint64, p *byte, words, blocks int)

// PermuteAVX2 is Keccak-f[1600] on four states: a[4i+k] is lane i of state k.
// The second half of a is scratch space.
//
//go:noescape
//ct:secret a
func PermuteAVX2(a *[200]uint64)

// AbsorbWideAVX2 adds a block of 17 or 21 words to each of four states: word i at p[k]
// to a[4i+k].
//
//go:noescape
//ct:secret a p
func AbsorbWideAVX2(a *[200]uint64, p *[8]*byte, words int)

// SqueezeWideAVX2 copies 17 or 21 words of each of four states: a[4i+k] to word i at
// p[k].
//
//go:noescape
//ct:secret a p
func SqueezeWideAVX2(a *[200]uint64, p *[8]*byte, words int)

// PermuteAVX512 is Keccak-f[1600] on eight states: a[8i+k] is lane i of state k.
//
//go:noescape
//ct:secret a
func PermuteAVX512(a *[200]uint64)

// PermuteFourAVX512 is PermuteAVX512 on the first four states; it leaves the others
// unchanged.
//
//go:noescape
//ct:secret a
func PermuteFourAVX512(a *[200]uint64)

// PermuteWideAVX2 is PermuteAVX2, for any number of states up to four.
func PermuteWideAVX2(a *[200]uint64, states int) { PermuteAVX2(a) }

// PermuteWideAVX512 is PermuteAVX512, but may leave states after the given number
// unchanged.
func PermuteWideAVX512(a *[200]uint64, states int) {
	if states <= 4 {
		PermuteFourAVX512(a)
	} else {
		PermuteAVX512(a)
	}
}

// AbsorbWideAVX512 adds a block of 17 or 21 words to each of eight states: word i at
// p[k] to a[8i+k].
//
//go:noescape
//ct:secret a p
func AbsorbWideAVX512(a *[200]uint64, p *[8]*byte, words int)

// SqueezeWideAVX512 copies 17 or 21 words of each of eight states: a[8i+k] to word i at
// p[k].
//
//go:noescape
//ct:secret a p
func SqueezeWideAVX512(a *[200]uint64, p *[8]*byte, words int)
