//go:build arm64 && !purego

// Package arm64 has the kernels of Keccak for AArch64.
package arm64

// Absorb adds one or more blocks of 17 or 21 words each to a state, and permutes it after
// each.
func Absorb(a *[25]uint64, p []byte, words int) {
	sponge(a, &p[0], words, len(p)/(8*words), 0)
}

// Squeeze copies such blocks from a state, and permutes it after each.
func Squeeze(a *[25]uint64, p []byte, words int) {
	sponge(a, &p[0], words, len(p)/(8*words), 1)
}

// AbsorbPairNEON adds a block of 17 or 21 words to each of two states: word i at p[k] to
// a[2i+k].
func AbsorbPairNEON(a *[200]uint64, p *[8]*byte, words int) { absorbPairNEON(a, p, words) }

// SqueezePairNEON copies such a block of each state: a[2i+k] to word i at p[k].
func SqueezePairNEON(a *[200]uint64, p *[8]*byte, words int) { squeezePairNEON(a, p, words) }

// PermuteNEON is Keccak-f[1600] of two states.
func PermuteNEON(a *[200]uint64) { permuteNEON(a) }

// PermuteSHA3 is PermuteNEON with the SHA3 instructions.
func PermuteSHA3(a *[200]uint64) { permuteSHA3(a) }
