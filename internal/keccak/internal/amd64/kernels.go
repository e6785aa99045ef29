//go:build amd64 && !purego

// Package amd64 contains the kernels of Keccak for amd64.
package amd64

// AbsorbBMI2 adds one or more blocks of 17 or 21 words each to a state, and permutes
// it after each. It needs BMI1 and BMI2.
//
//go:noescape
//ct:secret a p
//prove:keccak.sponge words=17,21 blocks=1,2
func AbsorbBMI2(a *[25]uint64, p *byte, words, blocks int)

// SqueezeBMI2 copies such blocks from a state, and permutes it after each.
//
//go:noescape
//ct:secret a p
//prove:keccak.sponge words=17,21 blocks=1,2
func SqueezeBMI2(a *[25]uint64, p *byte, words, blocks int)

// PermuteAVX2 is Keccak-f[1600] on four states: a[4i+k] is lane i of state k.
// The second half of a is scratch space.
//
//go:noescape
//ct:secret a
//prove:keccak.permute states=4 lanes=4
func PermuteAVX2(a *[200]uint64)

// AbsorbWideAVX2 adds a block of 17 or 21 words to each of four states: word i at p[k]
// to a[4i+k].
//
//go:noescape
//ct:secret a p
//prove:keccak.absorb lanes=4 words=17,21
func AbsorbWideAVX2(a *[200]uint64, p *[8]*byte, words int)

// SqueezeWideAVX2 copies 17 or 21 words of each of four states: a[4i+k] to word i at
// p[k].
//
//go:noescape
//ct:secret a p
//prove:keccak.squeeze lanes=4 words=17,21
func SqueezeWideAVX2(a *[200]uint64, p *[8]*byte, words int)

// PermuteAVX512 is Keccak-f[1600] on eight states: a[8i+k] is lane i of state k.
//
//go:noescape
//ct:secret a
//prove:keccak.permute states=8 lanes=8
func PermuteAVX512(a *[200]uint64)

// PermuteFourAVX512 is PermuteAVX512 on the first four states; it leaves the others
// unchanged.
//
//go:noescape
//ct:secret a
//prove:keccak.permute states=4 lanes=8
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
//prove:keccak.absorb lanes=8 words=17,21
func AbsorbWideAVX512(a *[200]uint64, p *[8]*byte, words int)

// SqueezeWideAVX512 copies 17 or 21 words of each of eight states: a[8i+k] to word i at
// p[k].
//
//go:noescape
//ct:secret a p
//prove:keccak.squeeze lanes=8 words=17,21
func SqueezeWideAVX512(a *[200]uint64, p *[8]*byte, words int)
