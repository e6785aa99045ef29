//go:build riscv64 && !purego

// Package riscv64 has the kernels of Keccak for RISC-V.
package riscv64

import (
	"runtime"
	"unsafe"
)

// AbsorbZBB adds one or more blocks of 17 or 21 words each to a state, and permutes it after
// each. It needs Zbb.
func AbsorbZBB(a *[25]uint64, p []byte, words int) {
	if aligned(p) {
		absorbZBB(a, &p[0], words, len(p)/(8*words))
		return
	}
	var block [21]uint64
	b := bytes(&block)
	for ; len(p) > 0; p = p[8*words:] {
		copy(b[:8*words], p)
		absorbZBB(a, &b[0], words, 1)
	}
	clear(block[:])
	runtime.KeepAlive(&block)
}

// SqueezeZBB copies such blocks from a state, and permutes it after each.
func SqueezeZBB(a *[25]uint64, p []byte, words int) {
	if aligned(p) {
		squeezeZBB(a, &p[0], words, len(p)/(8*words))
		return
	}
	var block [21]uint64
	b := bytes(&block)
	for ; len(p) > 0; p = p[8*words:] {
		squeezeZBB(a, &b[0], words, 1)
		copy(p, b[:8*words])
	}
	clear(block[:])
	runtime.KeepAlive(&block)
}

// AbsorbWideRVV adds a block of 17 or 21 words to each of eight states: word i at p[k] to
// a[8i+k]. It needs V, and so do the others of this family.
func AbsorbWideRVV(a *[200]uint64, p *[8]*byte, words int) { absorbWideRVV(a, p, words) }

// SqueezeWideRVV copies such a block of each state: a[8i+k] to word i at p[k].
func SqueezeWideRVV(a *[200]uint64, p *[8]*byte, words int) { squeezeWideRVV(a, p, words) }

// PermuteWideRVV is Keccak-f[1600] of at least the given number of states, 1 to 8.
func PermuteWideRVV(a *[200]uint64, states int) { permuteWideRVV(a, states) }

// PermuteWideZVKB is PermuteWideRVV with Zvkb.
func PermuteWideZVKB(a *[200]uint64, states int) { permuteWideZVKB(a, states) }

// aligned reports whether p begins at a multiple of 8: some machines emulate other loads and
// stores.
func aligned(p []byte) bool { return uintptr(unsafe.Pointer(&p[0]))%8 == 0 }

func bytes(block *[21]uint64) *[8 * 21]byte { return (*[8 * 21]byte)(unsafe.Pointer(block)) }
