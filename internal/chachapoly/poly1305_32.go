//go:build 386 || arm || mips || mipsle || wasm

package chachapoly

import (
	"encoding/binary"
	"unsafe"
)

// blocksGeneric continues Poly1305 over whole blocks, in words of 32 bits.
func blocksGeneric(h *[3]uint64, r *[2]uint64, p []byte) {
	h0, h1, h2, h3, h4 := uint32(h[0]), uint32(h[0]>>32), uint32(h[1]), uint32(h[1]>>32), uint32(h[2])
	r0, r1, r2, r3 := uint32(r[0]), uint32(r[0]>>32), uint32(r[1]), uint32(r[1]>>32)
	// 2^130 = 5, so 2^128 r_i is 5/4 r_i. Clamping made r1, r2, r3 multiples of 4.
	s1, s2, s3 := r1+r1>>2, r2+r2>>2, r3+r3>>2
	words := !bigEndian && aligned(p)
	var copied [4]uint32
	for len(p) >= TagSize {
		m := &copied
		if words {
			m = (*[4]uint32)(unsafe.Pointer(&p[0]))
		} else {
			for i := range copied {
				copied[i] = binary.LittleEndian.Uint32(p[4*i:])
			}
		}
		p = p[TagSize:]
		d := uint64(h0) + uint64(m[0])
		h0 = uint32(d)
		d = d>>32 + uint64(h1) + uint64(m[1])
		h1 = uint32(d)
		d = d>>32 + uint64(h2) + uint64(m[2])
		h2 = uint32(d)
		d = d>>32 + uint64(h3) + uint64(m[3])
		h3 = uint32(d)
		h4 += uint32(d>>32) + 1

		// r_i < 2^28 and s_i < 5/4 2^28, so the sums stay below 2^63. h4 <= 6, so
		// its products stay below 2^32.
		d = uint64(h0)*uint64(r0) + uint64(h1)*uint64(s3) + uint64(h2)*uint64(s2) + uint64(h3)*uint64(s1)
		t0 := uint32(d)
		d = d>>32 + uint64(h0)*uint64(r1) + uint64(h1)*uint64(r0) + uint64(h2)*uint64(s3) + uint64(h3)*uint64(s2) + uint64(h4*s1)
		t1 := uint32(d)
		d = d>>32 + uint64(h0)*uint64(r2) + uint64(h1)*uint64(r1) + uint64(h2)*uint64(r0) + uint64(h3)*uint64(s3) + uint64(h4*s2)
		t2 := uint32(d)
		d = d>>32 + uint64(h0)*uint64(r3) + uint64(h1)*uint64(r2) + uint64(h2)*uint64(r1) + uint64(h3)*uint64(r0) + uint64(h4*s3)
		t3 := uint32(d)
		t4 := uint32(d>>32) + h4*r0 // < 10 2^28

		d = uint64(t0) + uint64(t4&^3+t4>>2)
		h0 = uint32(d)
		d = d>>32 + uint64(t1)
		h1 = uint32(d)
		d = d>>32 + uint64(t2)
		h2 = uint32(d)
		d = d>>32 + uint64(t3)
		h3 = uint32(d)
		h4 = t4&3 + uint32(d>>32)
	}
	h[0], h[1], h[2] = uint64(h1)<<32|uint64(h0), uint64(h3)<<32|uint64(h2), uint64(h4)
	clear(copied[:])
}
