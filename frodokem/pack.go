package frodokem

import (
	"crypto/subtle"
	"runtime"
)

// This file converts between matrices, bytes and messages.

// pack writes a ciphertext.
func (b *batch) pack(o *operation, ct []byte) {
	encode(b.params, o.c, o.mu)
	pack(b.row, b.d, ct, o.bc)
	copy(ct[len(ct)-b.salt:], o.random[b.shared:])
}

// unpack reads a ciphertext and decrypts mu. st is S^T.
func (b *batch) unpack(o *operation, ct []byte, st []uint16) {
	unpack(b.row, b.d, o.received[:len(o.bc)], ct)
	var m [nbar * nbar]uint16
	dots(b.row, m[:], o.received[:len(o.b)], st)
	for i, x := range o.received[len(o.b):len(o.bc)] {
		m[i] = x - m[i]
	}
	decode(b.params, o.mu, &m)
	clear(m[:])
	runtime.KeepAlive(&m)
}

// compare replaces k with the key for rejection unless mu leads to the ciphertext that was
// unpacked. It compares both matrices mod q, always completely.
func (b *batch) compare(o *operation, reject []byte) {
	encode(b.params, o.c, o.mu)
	d := difference(b.row, o.bc, o.received[:len(o.bc)])
	d |= d >> 32
	equal := subtle.ConstantTimeEq(int32(uint16(d|d>>16)&b.q1()), 0)
	subtle.ConstantTimeCopy(1-equal, o.k, reject)
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
	largest := uint16(len(p.cdf))
	var tooLarge uint32
	for _, x := range matrix {
		// The difference is negative unless x + largest is from 0 to 2 largest.
		tooLarge |= uint32(2*largest) - uint32((x+largest)&p.q1())
	}
	return int(1 - tooLarge>>31)
}
