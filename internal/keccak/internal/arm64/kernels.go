//go:build arm64 && !purego

// Package arm64 has the kernels of Keccak for AArch64.
package arm64

// AbsorbARM64 adds one or more blocks of 17 or 21 words each to a state, and permutes it after
// each.
func AbsorbARM64(a *[25]uint64, p []byte, words int) {
	sponge(a, &p[0], words, len(p)/(8*words), 0)
}

// SqueezeARM64 copies such blocks from a state, and permutes it after each.
func SqueezeARM64(a *[25]uint64, p []byte, words int) {
	sponge(a, &p[0], words, len(p)/(8*words), 1)
}

// AbsorbWideNEON adds a block of 17 or 21 words to each of two states: word i at p[k] to
// a[2i+k].
func AbsorbWideNEON(a *[200]uint64, p *[8]*byte, words int) { absorbWideNEON(a, p, words) }

// SqueezeWideNEON copies such a block of each state: a[2i+k] to word i at p[k].
func SqueezeWideNEON(a *[200]uint64, p *[8]*byte, words int) { squeezeWideNEON(a, p, words) }

// PermuteWideNEON is Keccak-f[1600] of two states, also if the given number is one.
func PermuteWideNEON(a *[200]uint64, states int) { permuteWideNEON(a) }

// PermuteWideSHA3 is PermuteWideNEON with the SHA3 instructions.
func PermuteWideSHA3(a *[200]uint64, states int) { permuteWideSHA3(a) }
