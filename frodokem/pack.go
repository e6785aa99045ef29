package frodokem

import "encoding/binary"

// This file converts between matrices, bytes and messages.

// packCiphertext adds the message mu to S'B + E”, which follows B' in the matrices, and
// writes both to ct, which has room for the salt behind them.
func packCiphertext(row uint8, p *params, ct []byte, matrices []uint16, mu []byte) {
	b, c := matrices[:nbar*p.n], (*[nbar * nbar]uint16)(matrices[nbar*p.n:])
	encode(p, c, mu)
	pack(row, p.d, ct, b)
	pack(row, p.d, ct[p.c1():], c[:])
}

// encode adds a message to an 8 x 8 matrix (Frodo.Encode): each group of b bits of
// mu, the lowest first, is added to the highest bits of an entry.
func encode(p *params, c *[nbar * nbar]uint16, mu []byte) {
	for i := range nbar {
		var bits uint64
		for j, m := range mu[i*p.b : (i+1)*p.b] {
			bits |= uint64(m) << (8 * j)
		}
		for j := range nbar {
			c[i*nbar+j] += uint16(bits&(1<<p.b-1)) << (p.d - p.b)
			bits >>= p.b
		}
	}
}

// decode is the inverse of encode: it rounds every entry (Frodo.Decode).
func decode(p *params, mu []byte, c *[nbar * nbar]uint16) {
	for i := range nbar {
		var bits uint64
		for j := range nbar {
			x := uint64(c[i*nbar+j]&p.q1()) + 1<<(p.d-p.b-1)
			bits |= x >> (p.d - p.b) & (1<<p.b - 1) << (p.b * j)
		}
		for j := range p.b {
			mu[i*p.b+j] = byte(bits >> (8 * j))
		}
	}
}

// difference returns 0 if x and y are equal in the bits of the mask. Their length must
// be a multiple of 64.
func difference(row uint8, mask uint16, x, y []uint16) uint16 {
	if row == generic {
		return differenceGeneric(mask, x, y)
	}
	d := differenceKernel(row, x, y)
	d |= d >> 32
	return uint16(d|d>>16) & mask
}

// packGeneric implements pack. len(v) may be any multiple of 8.
func packGeneric(d int, out []byte, v []uint16) {
	if d == 16 {
		for ; len(v) >= 4; v, out = v[4:], out[8:] {
			binary.BigEndian.PutUint64(out, uint64(v[0])<<48|uint64(v[1])<<32|uint64(v[2])<<16|uint64(v[3]))
		}
		return
	}
	for ; len(v) >= 8; v, out = v[8:], out[15:] {
		m := func(i int) uint64 { return uint64(v[i] & 0x7fff) }
		a := m(0)<<49 | m(1)<<34 | m(2)<<19 | m(3)<<4 | m(4)>>11
		b := m(4)<<53 | m(5)<<38 | m(6)<<23 | m(7)<<8
		binary.BigEndian.PutUint64(out, a)
		binary.BigEndian.PutUint32(out[8:], uint32(b>>32))
		out[12], out[13], out[14] = byte(b>>24), byte(b>>16), byte(b>>8)
	}
}

// unpackGeneric implements unpack.
func unpackGeneric(d int, v []uint16, in []byte) {
	if d == 16 {
		for ; len(v) >= 4; v, in = v[4:], in[8:] {
			x := binary.BigEndian.Uint64(in)
			v[0], v[1], v[2], v[3] = uint16(x>>48), uint16(x>>32), uint16(x>>16), uint16(x)
		}
		return
	}
	for ; len(v) >= 8; v, in = v[8:], in[15:] {
		a := binary.BigEndian.Uint64(in)
		b := binary.BigEndian.Uint64(in[7:])
		v[0], v[1], v[2], v[3] = uint16(a>>49), uint16(a>>34)&0x7fff, uint16(a>>19)&0x7fff, uint16(a>>4)&0x7fff
		v[4], v[5], v[6], v[7] = uint16(b>>45)&0x7fff, uint16(b>>30)&0x7fff, uint16(b>>15)&0x7fff, uint16(b)&0x7fff
	}
}

// differenceGeneric implements difference.
func differenceGeneric(mask uint16, x, y []uint16) uint16 {
	var d uint16
	for i, v := range x {
		d |= v ^ y[i]
	}
	return d & mask
}
