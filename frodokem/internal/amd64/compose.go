//go:build amd64 && !purego

package amd64

import "unsafe"

// The functions in this file compose kernels.

// RowsAESNI is EightRowsAESNI for 16 rows of A.
func RowsAESNI(rows []uint16, m *Matrix, first, n int) {
	EightRowsAESNI(rows[:8*n], m, first, n)
	EightRowsAESNI(rows[8*n:], m, first+8, n)
}

// RowsSSSE3 is FourRowsSSSE3 for 16 rows of A.
func RowsSSSE3(rows []uint16, m *Matrix, first, n int) {
	for i := 0; i < 16; i += 4 {
		FourRowsSSSE3(rows[i*n:(i+4)*n], m, first+i, n)
	}
}

// RowsVAES256 is RowsAESNI with VAES.
func RowsVAES256(rows []uint16, m *Matrix, first, n int) {
	EightRowsVAES256(rows[:8*n], m, first, n)
	EightRowsVAES256(rows[8*n:], m, first+8, n)
}

// AddRowsAVX2 is AddEightRowsAVX2 for 16 rows of A.
func AddRowsAVX2(out, rows []uint16, p *Pairs, first int) {
	half := len(rows) / 2
	AddEightRowsAVX2(out, rows[:half], p, first)
	AddEightRowsAVX2(out, rows[half:], p, first+8)
}

// PackAVX2 writes the d lowest bits of every word, 15 or 16, the highest first. len(v)
// must be a multiple of 64 above 0.
func PackAVX2(d int, out []byte, v []uint16) {
	if d == 16 {
		SwapAVX2(out, bytesOf(v))
	} else {
		Pack15AVX2(out, v)
	}
}

// UnpackAVX2 is the inverse of PackAVX2; in may be longer.
func UnpackAVX2(d int, v []uint16, in []byte) {
	if d == 16 {
		SwapAVX2(bytesOf(v), in[:2*len(v)])
	} else {
		Unpack15AVX2(v, in)
	}
}

func bytesOf(v []uint16) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 2*len(v))
}
