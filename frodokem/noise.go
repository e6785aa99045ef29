package frodokem

import "encoding/binary"

// sampleGeneric turns random words into noise in place (Frodo.Sample): the
// lowest bit is the sign, and the absolute value is the number of entries of the
// distribution that are below the other 15 bits. It always compares all entries.
// Four samples are processed together in a 64-bit word.
func sampleGeneric(p *params, s []uint16) {
	const (
		low  = 0x0001000100010001
		rest = 0x7fff7fff7fff7fff
	)
	for len(s) >= 4 {
		r := uint64(s[0]) | uint64(s[1])<<16 | uint64(s[2])<<32 | uint64(s[3])<<48
		t := r >> 1 & rest
		e := uint64(0)
		for _, c := range p.cdf {
			e += (t + uint64(0x7fff-c)*low) >> 15 & low // t > c carries into bit 15
		}
		sign := r & low
		e ^= sign * 0xffff
		e = (e&rest + sign) ^ e&^rest // -e where the sign is set, with no carry between samples
		s[0], s[1], s[2], s[3] = uint16(e), uint16(e>>16), uint16(e>>32), uint16(e>>48)
		s = s[4:]
	}
}

// packGeneric writes the d lowest bits of every entry, most significant bit
// first (Frodo.Pack). len(v) is a multiple of 8.
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

// unpackGeneric is the inverse of packGeneric.
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

// isNoise returns 1 if all entries of a matrix are, mod q, in the range of the noise,
// -len(cdf) to len(cdf). It always examines all entries.
func (p *params) isNoise(matrix []uint16) int {
	most := uint16(len(p.cdf))
	var tooLarge uint32
	for _, x := range matrix {
		// The difference is negative unless x + most is from 0 to 2 most.
		tooLarge |= uint32(2*most) - uint32((x+most)&p.q1())
	}
	return int(1 - tooLarge>>31)
}
