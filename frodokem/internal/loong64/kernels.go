//go:build loong64 && !purego

// Package loong64 has the kernels of FrodoKEM's products for LSX and LASX.
package loong64

// maxN is the largest dimension of A.
const maxN = 1344

// stripe is the number of rows of A in a product.
const stripe = 16

// Columns are those of S', n x 8, with each entry twice in a word.
type Columns [maxN][8]uint32

// ColumnsLSX sets columns to those of S', 8 x n.
func ColumnsLSX(columns *Columns, s []uint16) {
	n := len(s) / 8
	for m := range 8 {
		for i, x := range s[m*n : (m+1)*n] {
			columns[i][m] = uint32(x) * 0x10001
		}
	}
}

// AddRowsLSX adds to out, 8 x n, the products of S' with 16 rows of A from row first on.
func AddRowsLSX(out, rows []uint16, columns *Columns, first int) {
	addRowsLSX(&out[0], &rows[0], &columns[first], len(out)/8)
}

// AddRowsLASX is AddRowsLSX with LASX.
func AddRowsLASX(out, rows []uint16, columns *Columns, first int) {
	addRowsLASX(&out[0], &rows[0], &columns[first], len(out)/8)
}

// DotsLSX adds to out, r x 8, the products of the r rows of x with the eight rows of st.
// All rows have the same number of entries.
func DotsLSX(out, x, st []uint16) { dotsLSX(&out[0], &x[0], &st[0], len(out)/8, len(st)/8) }

// DotsLASX is DotsLSX with LASX.
func DotsLASX(out, x, st []uint16) { dotsLASX(&out[0], &x[0], &st[0], len(out)/8, len(st)/8) }

// MulSBLSX adds S'B to v, where b is B, n x 8.
func MulSBLSX(v *[64]uint16, columns *Columns, b []uint16) {
	for i := 0; i < len(b)/8; i += stripe {
		addRowsLSX(&v[0], &b[8*i], &columns[i], 8)
	}
}
