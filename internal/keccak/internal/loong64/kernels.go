//go:build loong64 && !purego

// Package loong64 has the kernels of Keccak for LSX and LASX.
package loong64

import "encoding/binary"

// AbsorbLSX adds one or more blocks of 17 or 21 words each to a state, and permutes it after
// each.
func AbsorbLSX(a *[25]uint64, p []byte, words int) {
	for ; len(p) > 0; p = p[8*words:] {
		for i := range words {
			a[i] ^= binary.LittleEndian.Uint64(p[8*i:])
		}
		permuteLSX(a)
	}
}

// SqueezeLSX copies such blocks from a state, and permutes it after each.
func SqueezeLSX(a *[25]uint64, p []byte, words int) {
	for ; len(p) > 0; p = p[8*words:] {
		for i := range words {
			binary.LittleEndian.PutUint64(p[8*i:], a[i])
		}
		permuteLSX(a)
	}
}

// AbsorbWideLSX adds a block of 17 or 21 words to each of two states: word i at p[k] to
// a[2i+k].
func AbsorbWideLSX(a *[200]uint64, p *[8]*byte, words int) { absorbWideLSX(a, p, words) }

// AbsorbWideLASX is AbsorbWideLSX for four states: word i at p[k] to a[4i+k].
func AbsorbWideLASX(a *[200]uint64, p *[8]*byte, words int) { absorbWideLASX(a, p, words) }

// SqueezeWideLSX copies such a block of each of two states.
func SqueezeWideLSX(a *[200]uint64, p *[8]*byte, words int) { squeezeWideLSX(a, p, words) }

// SqueezeWideLASX is SqueezeWideLSX for four states.
func SqueezeWideLASX(a *[200]uint64, p *[8]*byte, words int) { squeezeWideLASX(a, p, words) }

// PermuteWideLSX is Keccak-f[1600] of two states, also if the given number is one.
func PermuteWideLSX(a *[200]uint64, states int) { permuteWideLSX(a) }

// PermuteWideLASX is Keccak-f[1600] of four states, also if the given number is smaller.
func PermuteWideLASX(a *[200]uint64, states int) { permuteWideLASX(a) }
