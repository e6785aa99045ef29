package frodokem

import (
	"encoding/binary"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/keccak"
)

// This file has the portable driver, except for AES: first the products with A, then the
// operations for which other drivers have kernels.

// rows is the number of rows of A that the portable driver generates at a time.
const rows = keccak.MaxLanes

// rowsGeneric generates the rows i to i+7 of A.
func (b *batch) rowsGeneric(s *portableScratch, seed []byte, i int) []uint16 {
	a := s.a[:rows*b.n]
	if b.aes {
		for k := range rows {
			s.tables.row(a[k*b.n:(k+1)*b.n], i+k)
		}
		return a
	}
	keccak.Rows(hashRow[generic], uint16(i), seed, bytesOf(a))
	fromLittleEndian(a)
	return a
}

// offset makes noise non-negative, so that two entries fit into one word of 64
// bits and one multiplication serves both: |noise| <= 12, entries of A are below
// 2^16, and 1344 * 24 * 2^16 < 2^32.
const offset = 12

// mulSAGeneric implements mulSA. Each row of A is generated once, for all operations.
func (b *batch) mulSAGeneric(ops []*operation) {
	n := b.n
	s, seed := ops[0].portable, ops[0].seedA[:]
	columns := s.columns[:n] // to subtract the offset at the end
	clear(columns)
	for _, o := range ops {
		clear(o.portable.sums[:nbar/2*n])
	}
	if b.aes {
		s.tables.init(seed, n)
	}
	for i := 0; i < n; i += rows {
		a := b.rowsGeneric(s, seed, i)
		for k := 0; k < rows; k += 4 {
			four := a[k*n : (k+4)*n]
			addColumns(columns, four)
			for _, o := range ops {
				addRows(o.portable.sums[:nbar/2*n], four, o.s, i+k)
			}
		}
	}
	for _, o := range ops {
		sums := o.portable.sums[:nbar/2*n]
		for j := range n {
			added := offset * columns[j]
			for m := range nbar / 2 {
				o.b[2*m*n+j] += uint16(sums[nbar/2*j+m]) - added
				o.b[(2*m+1)*n+j] += uint16(sums[nbar/2*j+m]>>32) - added
			}
		}
	}
}

// addColumns adds four rows to columns.
func addColumns(columns, a []uint16) {
	n := len(columns)
	a0, a1, a2, a3 := a[:n], a[n:][:n], a[2*n:][:n], a[3*n:][:n]
	for j := range columns {
		columns[j] += a0[j] + a1[j] + a2[j] + a3[j]
	}
}

// addRows adds to sums the products of four columns of S', from i on, with the rows
// a of A.
func addRows(sums []uint64, a, s []uint16, i int) {
	n := len(a) / 4
	a0, a1, a2, a3 := a[:n], a[n:][:n], a[2*n:][:n], a[3*n:][:n]
	var w [4][nbar / 2]uint64
	for k := range w {
		for m := range nbar / 2 {
			w[k][m] = pair(s[2*m*n+i+k], s[(2*m+1)*n+i+k])
		}
	}
	for j := range a0 {
		x0, x1, x2, x3 := uint64(a0[j]), uint64(a1[j]), uint64(a2[j]), uint64(a3[j])
		t := (*[nbar / 2]uint64)(sums[nbar/2*j:])
		t[0] += w[0][0]*x0 + w[1][0]*x1 + w[2][0]*x2 + w[3][0]*x3
		t[1] += w[0][1]*x0 + w[1][1]*x1 + w[2][1]*x2 + w[3][1]*x3
		t[2] += w[0][2]*x0 + w[1][2]*x1 + w[2][2]*x2 + w[3][2]*x3
		t[3] += w[0][3]*x0 + w[1][3]*x1 + w[2][3]*x2 + w[3][3]*x3
	}
	clear(w[:])
	runtime.KeepAlive(&w)
}

func pair(x, y uint16) uint64 {
	return uint64(x+offset) | uint64(y+offset)<<32
}

// mulASGeneric implements mulAS.
func (b *batch) mulASGeneric(o *operation) {
	n, s, seed := b.n, o.portable, o.seedA[:]
	// Entry j of pairs holds the four pairs of the row j of S.
	pairs := s.sums[:nbar/2*n]
	for j := range n {
		for m := range nbar / 2 {
			pairs[nbar/2*j+m] = pair(o.s[2*m*n+j], o.s[(2*m+1)*n+j])
		}
	}
	if b.aes {
		s.tables.init(seed, n)
	}
	for i := 0; i < n; i += rows {
		a := b.rowsGeneric(s, seed, i)
		for k := range rows {
			var t0, t1, t2, t3 uint64 // an array would be in memory
			var sum uint16
			for j, x := range a[k*n : (k+1)*n] {
				v := (*[nbar / 2]uint64)(pairs[nbar/2*j:])
				t0 += v[0] * uint64(x)
				t1 += v[1] * uint64(x)
				t2 += v[2] * uint64(x)
				t3 += v[3] * uint64(x)
				sum += x
			}
			out := o.b[(i+k)*nbar : (i+k+1)*nbar]
			for m, x := range [...]uint64{t0, t1, t2, t3} {
				out[2*m] += uint16(x) - offset*sum
				out[2*m+1] += uint16(x>>32) - offset*sum
			}
		}
	}
}

func dotsPortable(row uint8, out, x, st []uint16) {
	mustExist(row)
	n := len(st) / nbar
	for ; len(x) > 0; out, x = out[nbar:], x[n:] {
		for j := range nbar {
			column := st[j*n : (j+1)*n]
			var t uint16
			for k, v := range x[:n] {
				t += v * column[k]
			}
			out[j] += t
		}
	}
}

func mulSBPortable(row uint8, v *[nbar * nbar]uint16, _ *kernelScratch, s, b []uint16) {
	mustExist(row)
	n := len(b) / nbar
	for k := range nbar {
		sum := v[k*nbar : (k+1)*nbar : (k+1)*nbar]
		for i, x := range s[k*n : (k+1)*n] {
			t := b[i*nbar : (i+1)*nbar : (i+1)*nbar]
			for j := range sum {
				sum[j] += x * t[j]
			}
		}
	}
}

// The lowest bit of a word is the sign of the sample, and the absolute value is the number of
// entries of the distribution that are below the other 15 bits. All entries are always compared.
// Four samples are processed together in a 64-bit word.
func samplePortable(row uint8, s, cdf []uint16) {
	mustExist(row)
	fromLittleEndian(s)
	const (
		low  = 0x0001000100010001
		rest = 0x7fff7fff7fff7fff
	)
	for len(s) >= 4 {
		r := uint64(s[0]) | uint64(s[1])<<16 | uint64(s[2])<<32 | uint64(s[3])<<48
		t := r >> 1 & rest
		e := uint64(0)
		for _, c := range cdf {
			e += (t + uint64(0x7fff-c)*low) >> 15 & low // t > c carries into bit 15
		}
		sign := r & low
		e ^= sign * 0xffff
		e = (e&rest + sign) ^ e&^rest // -e where the sign is set, with no carry between samples
		s[0], s[1], s[2], s[3] = uint16(e), uint16(e>>16), uint16(e>>32), uint16(e>>48)
		s = s[4:]
	}
}

// len(v) may be any multiple of 8.
func packPortable(row uint8, d int, out []byte, v []uint16) {
	mustExist(row)
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

func unpackPortable(row uint8, d int, v []uint16, in []byte) {
	mustExist(row)
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
		v[0], v[1] = uint16(a>>49), uint16(a>>34)&0x7fff
		v[2], v[3] = uint16(a>>19)&0x7fff, uint16(a>>4)&0x7fff
		v[4], v[5] = uint16(b>>45)&0x7fff, uint16(b>>30)&0x7fff
		v[6], v[7] = uint16(b>>15)&0x7fff, uint16(b)&0x7fff
	}
}

func differencePortable(row uint8, x, y []uint16) uint64 {
	mustExist(row)
	var d uint16
	for i, v := range x {
		d |= v ^ y[i]
	}
	return uint64(d)
}
