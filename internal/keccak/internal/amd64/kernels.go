//go:build amd64 && !purego

// Package amd64 has the kernels of Keccak for amd64.
package amd64

// AbsorbBMI2 adds blocks of so many words, 17 or 21, to a state, and permutes it
// after each. There is one at least. It needs BMI1 and BMI2.
//
//go:noescape
func AbsorbBMI2(a *[25]uint64, p *byte, words, blocks int)

// SqueezeBMI2 copies such blocks from a state, and permutes it after each.
//
//go:noescape
func SqueezeBMI2(a *[25]uint64, p *byte, words, blocks int)

// PermuteAVX2 is Keccak-f[1600] of four states: a[4i+k] is lane i of state k.
// The second half of a is where the kernel keeps what it has half done.
//
//go:noescape
func PermuteAVX2(a *[200]uint64)

// AbsorbAVX2 adds a block of so many words, 17 or 21, to each of four states:
// word i at p[k] to a[4i+k].
//
//go:noescape
func AbsorbAVX2(a *[200]uint64, p *[8]*byte, words int)

// SqueezeAVX2 copies so many words, 17 or 21, of each of four states: a[4i+k] to
// word i at p[k].
//
//go:noescape
func SqueezeAVX2(a *[200]uint64, p *[8]*byte, words int)

// PermuteAVX512 is Keccak-f[1600] of eight states: a[8i+k] is lane i of state k.
//
//go:noescape
func PermuteAVX512(a *[200]uint64)

// PermuteFourAVX512 is PermuteAVX512 of the first four states; it leaves the others
// alone.
//
//go:noescape
func PermuteFourAVX512(a *[200]uint64)

// AbsorbAVX512 adds a block of so many words, 17 or 21, to each of eight
// states: word i at p[k] to a[8i+k].
//
//go:noescape
func AbsorbAVX512(a *[200]uint64, p *[8]*byte, words int)

// SqueezeAVX512 copies so many words, 17 or 21, of each of eight states: a[8i+k]
// to word i at p[k].
//
//go:noescape
func SqueezeAVX512(a *[200]uint64, p *[8]*byte, words int)
