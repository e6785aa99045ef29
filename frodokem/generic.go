package frodokem

import (
	"runtime"

	"github.com/cipherlane/cipherlane/internal/keccak"
)

// This file has the products in portable Go. Other portable code is with the operations
// that it implements, in expand.go, pack.go and aes.go.

// rows is the number of rows of A that the portable driver generates at a time.
const rows = keccak.MaxLanes

// rowsOfA generates the rows i to i+7 of A.
func (s *portableScratch) rowsOfA(p *params, seed []byte, i int) []uint16 {
	a := s.a[:rows*p.n]
	if p.aes {
		for k := range rows {
			s.tables.row(a[k*p.n:(k+1)*p.n], i+k)
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

// mulSAGeneric implements mulSA. Each row of A is generated once, for all products.
func mulSAGeneric(p *params, list []product, seed []byte) {
	n := p.n
	s := list[0].s.portable
	columns := s.columns[:n] // to subtract the offset again
	clear(columns)
	for _, x := range list {
		clear(x.s.portable.sums[:nbar/2*n])
	}
	if p.aes {
		s.tables.init(seed, n)
	}
	for i := 0; i < n; i += rows {
		a := s.rowsOfA(p, seed, i)
		for k := 0; k < rows; k += 4 {
			four := a[k*n : (k+4)*n]
			addColumns(columns, four)
			for _, x := range list {
				addRows(x.s.portable.sums[:nbar/2*n], four, x.left, i+k)
			}
		}
	}
	for _, x := range list {
		sums := x.s.portable.sums[:nbar/2*n]
		for j := range n {
			back := offset * columns[j]
			for m := range nbar / 2 {
				x.out[2*m*n+j] += uint16(sums[nbar/2*j+m]) - back
				x.out[(2*m+1)*n+j] += uint16(sums[nbar/2*j+m]>>32) - back
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
func addRows(sums []uint64, a, left []uint16, i int) {
	n := len(a) / 4
	a0, a1, a2, a3 := a[:n], a[n:][:n], a[2*n:][:n], a[3*n:][:n]
	var w [4][nbar / 2]uint64
	for k := range w {
		for m := range nbar / 2 {
			w[k][m] = pair(left[2*m*n+i+k], left[(2*m+1)*n+i+k])
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
func (s *portableScratch) mulASGeneric(p *params, out, right []uint16, seed []byte) {
	n := p.n
	// Entry j of pairs holds the four pairs of the row j of S.
	pairs := s.sums[:nbar/2*n]
	for j := range n {
		for m := range nbar / 2 {
			pairs[nbar/2*j+m] = pair(right[2*m*n+j], right[(2*m+1)*n+j])
		}
	}
	if p.aes {
		s.tables.init(seed, n)
	}
	for i := 0; i < n; i += rows {
		a := s.rowsOfA(p, seed, i)
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
			o := out[(i+k)*nbar : (i+k+1)*nbar]
			for m, x := range [...]uint64{t0, t1, t2, t3} {
				o[2*m] += uint16(x) - offset*sum
				o[2*m+1] += uint16(x>>32) - offset*sum
			}
		}
	}
}

// mulSBGeneric implements mulSB.
func mulSBGeneric(n int, v *[nbar * nbar]uint16, left, b []uint16) {
	for k := range nbar {
		row := v[k*nbar : (k+1)*nbar : (k+1)*nbar]
		for i, x := range left[k*n : (k+1)*n] {
			t := b[i*nbar : (i+1)*nbar : (i+1)*nbar]
			for j := range row {
				row[j] += x * t[j]
			}
		}
	}
}

// mulBSGeneric implements mulBS.
func mulBSGeneric(n int, w *[nbar * nbar]uint16, b, right []uint16) {
	for k := range nbar {
		for j := range nbar {
			var t uint16
			y := right[j*n : (j+1)*n]
			for i, x := range b[k*n : (k+1)*n] {
				t += x * y[i]
			}
			w[k*nbar+j] -= t
		}
	}
}
