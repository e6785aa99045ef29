//go:build !(386 || arm || mips || mipsle || wasm)

package chachapoly

import (
	"encoding/binary"
	"math/bits"
)

// blocksGeneric continues Poly1305 over whole blocks.
func blocksGeneric(h *[3]uint64, r *[2]uint64, p []byte) {
	h0, h1, h2 := h[0], h[1], h[2]
	r0, r1 := r[0], r[1]
	for len(p) >= 16 {
		var c uint64
		h0, c = bits.Add64(h0, binary.LittleEndian.Uint64(p), 0)
		h1, c = bits.Add64(h1, binary.LittleEndian.Uint64(p[8:]), c)
		h2 += c + 1
		p = p[16:]

		// Products have 64 + 60 bits: the sum of two fits into 128 bits, and h2 times
		// a word of r into 64.
		m0hi, t0 := bits.Mul64(h0, r0)
		ahi, alo := bits.Mul64(h1, r0)
		bhi, blo := bits.Mul64(h0, r1)
		m1lo, c := bits.Add64(alo, blo, 0)
		m1hi, _ := bits.Add64(ahi, bhi, c)
		chi, clo := bits.Mul64(h1, r1)
		m2lo, c := bits.Add64(clo, h2*r0, 0)
		m2hi := chi + c
		t1, c := bits.Add64(m1lo, m0hi, 0)
		t2, c := bits.Add64(m2lo, m1hi, c)
		t3 := h2*r1 + m2hi + c

		// 2^130 = 5: add the part above 2^130 at the bottom, first times 4, then times 1.
		h0, c = bits.Add64(t0, t2&^3, 0)
		h1, c = bits.Add64(t1, t3, c)
		h2 = t2&3 + c
		h0, c = bits.Add64(h0, t2>>2|t3<<62, 0)
		h1, c = bits.Add64(h1, t3>>2, c)
		h2 += c
	}
	h[0], h[1], h[2] = h0, h1, h2
}
