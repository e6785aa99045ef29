//go:build loong64 && !purego

// Package loong64 has the ChaCha20 and Poly1305 kernels for LSX and LASX.
//
// No kernel has branches or memory addresses that depend on keys or data. Kernels process at
// most 64 KiB per call, because assembly cannot be preempted.
package loong64

import (
	"math/bits"
	"runtime"
)

const (
	blockSize = 64

	// maxPass is the largest number of bytes per call of a kernel.
	maxPass = 64 << 10
)

// XORLSX sets dst to src XOR the keystream from the initial state on, for at least one byte. The
// counter in the state wraps around at 32 bits; in the end the state is as before.
func XORLSX(dst, src []byte, state *[16]uint32) { xor(dst, src, state, false) }

// XORLASX is XORLSX with LASX.
func XORLASX(dst, src []byte, state *[16]uint32) { xor(dst, src, state, true) }

// chacha calls a kernel.
func chacha(dst, src []byte, n int, state *[16]uint32, lasx bool) {
	if lasx {
		chachaLASX(&dst[0], &src[0], n, state)
	} else {
		chachaLSX(&dst[0], &src[0], n, state)
	}
}

// xor processes whole groups of blocks in place: one with LSX, two with LASX. LASX leaves 7 blocks to a
// pass of eight, which is faster than four groups.
func xor(dst, src []byte, state *[16]uint32, lasx bool) {
	counter, group, pass := state[12], blockSize, 4*blockSize
	if lasx {
		group, pass = 2*blockSize, 8*blockSize
	}
	for len(src) >= group {
		n := min(len(src), maxPass) &^ (group - 1)
		if rest := len(src) % pass; lasx && rest > pass-group && len(src) <= maxPass {
			n = len(src) - rest
		}
		if n == 0 {
			break
		}
		chacha(dst, src, n, state, lasx)
		dst, src = dst[n:], src[n:]
	}
	if len(src) > 0 {
		var stream [8 * blockSize]byte
		if len(src) > group {
			group = pass
		}
		n := copy(stream[:], src)
		chacha(stream[:], stream[:], group, state, lasx)
		copy(dst, stream[:n])
		clear(stream[:group])
		runtime.KeepAlive(&stream)
	}
	state[12] = counter
}

// BlocksLSX continues Poly1305 over a multiple of 32 bytes: h = (h + m + 2^128) r mod 2^130-5.
// h[2] <= 4 before and after, and in powers, which are r, r^2, r^3 and r^4.
func BlocksLSX(h *[3]uint64, powers *[4][3]uint64, p []byte) { blocks(h, powers, p, 2, false) }

// BlocksLASX is BlocksLSX with LASX, for a multiple of 64 bytes.
func BlocksLASX(h *[3]uint64, powers *[4][3]uint64, p []byte) { blocks(h, powers, p, 4, true) }

func blocks(h *[3]uint64, powers *[4][3]uint64, p []byte, lanes int, lasx bool) {
	var s struct {
		powers [40]uint64
		l      [5]uint64
	}
	order := [4]int{1, 0, 0, 0}
	if lasx { // as lanes have the blocks
		order = [4]int{3, 1, 2, 0}
	}
	limbs(&s.l, &powers[lanes-1])
	for i := range s.l { // without a variable for limbs, which would stay on the stack
		for j := range lanes {
			s.powers[i*lanes+j] = s.l[i]
		}
	}
	for j := range lanes {
		limbs(&s.l, &powers[order[j]&3])
		for i := range s.l {
			s.powers[(5+i)*lanes+j] = s.l[i]
		}
	}
	limbs(&s.l, h)
	for len(p) > 0 {
		n := min(len(p), maxPass)
		if lasx {
			blocksLASX(&s.l, &s.powers, &p[0], n)
		} else {
			blocksLSX(&s.l, &s.powers, &p[0], n)
		}
		p = p[n:]
		// Limbs of the sum of lanes have 29 bits.
		for i := range 4 {
			s.l[i+1] += s.l[i] >> 26
			s.l[i] &= 1<<26 - 1
		}
		s.l[0] += s.l[4] >> 26 * 5
		s.l[4] &= 1<<26 - 1
	}
	joined(h, &s.l)
	clear(s.powers[:])
	clear(s.l[:])
	runtime.KeepAlive(&s)
}

// joined is the inverse of limbs.
//
//go:noinline
func joined(h *[3]uint64, l *[5]uint64) {
	var c uint64
	h[0], c = bits.Add64(l[0]+l[1]<<26, l[2]<<52, 0)
	h[1], c = bits.Add64(l[2]>>12+l[3]<<14, l[4]<<40, c)
	h[2] = l[4]>>24 + c
}

// limbs splits a number below 2^131 into limbs of 26 bits, the last one of 27. Inlined, it would
// leave some on the stack.
//
//go:noinline
func limbs(l *[5]uint64, h *[3]uint64) {
	const mask = 1<<26 - 1
	l[0] = h[0] & mask
	l[1] = h[0] >> 26 & mask
	l[2] = (h[0]>>52 | h[1]<<12) & mask
	l[3] = h[1] >> 14 & mask
	l[4] = h[1]>>40 | h[2]<<24
}
