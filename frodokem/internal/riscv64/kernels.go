//go:build riscv64 && !purego

// Package riscv64 contains the FrodoKEM kernels for RISC-V.
//
// The family RVV needs the extension V. It supports any register length, and queries it
// in every call because a goroutine may move to another core. The family Zvkned needs Zvkned,
// too.
//
// No kernel has branches or memory addresses that depend on secrets, and the instructions on
// secrets are those that the extension Zvkt lists. The matrix A is public.
package riscv64

import (
	"encoding/binary"
	"runtime"
	"unsafe"
)

const maxN = 1344

// A Matrix represents A, which kernels generate from it: the round keys of AES-128, and states
// after two rounds. The state of block j of row i is X[i] xor Y[j].
type Matrix struct {
	Keys
	X [maxN][16]byte
	Y [2 * maxN / 8][16]byte // for the family RVV twice: a pass goes on with the next row
}

// Keys are the round keys. For the family RVV they are in the basis of the tower (see
// _gen/aes/permute) but for the last one, and have the constant of the S-box but for the first
// one. The others are not used.
type Keys struct {
	Bytes [15][16]byte
	_     int

	// Half is for CPUs that need less than half the time for vectors of half a register.
	Half bool

	_ [7]byte
}

// PrepareRVV sets m to round keys, for n rows. half is for CPUs that need less than half the time
// for vectors of half a register.
func PrepareRVV(m *Matrix, keys *[11][16]byte, n int, half bool) {
	m.Half = half
	copy(m.Bytes[:], keys[:])
	for r := 1; r < 10; r++ {
		for i := range m.Bytes[r] {
			m.Bytes[r][i] ^= 0x63
		}
	}
	for i := range m.Bytes[10] {
		m.Bytes[10][i] ^= 0x63
	}
	basisRVV(&m.Bytes[0][0], &m.Bytes[0][0], 10*16)
	m.numbers(n)
	twoRVV(&m.Keys, &m.X[0][0], &m.X[0][0], n)
	twoRVV(&m.Keys, &m.Y[0][0], &m.Y[0][0], n/8)
	m.add(n, &m.Bytes[2])
	copy(m.Y[n/8:n/4], m.Y[:n/8])
}

// PrepareZvkned sets m to round keys, for n rows.
func PrepareZvkned(m *Matrix, keys *[11][16]byte, n int) {
	copy(m.Bytes[:], keys[:])
	m.numbers(n)
	twoZvkned(&m.Keys, &m.X[0], n)
	twoZvkned(&m.Keys, &m.Y[0], n/8)
	m.add(n, new([16]byte))
}

// numbers sets X and Y to the blocks of which they are the states.
func (m *Matrix) numbers(n int) {
	for i := range m.X[:n] {
		m.X[i] = [16]byte{byte(i), byte(i >> 8)}
	}
	for j := range m.Y[:n/8] {
		m.Y[j] = [16]byte{2: byte(8 * j), 3: byte(j >> 5)}
	}
}

// add adds the state after two rounds of the block 0, which X and Y have both, and a round key
// to Y.
func (m *Matrix) add(n int, key *[16]byte) {
	low := binary.LittleEndian.Uint64(m.X[0][:]) ^ binary.LittleEndian.Uint64(key[:])
	high := binary.LittleEndian.Uint64(m.X[0][8:]) ^ binary.LittleEndian.Uint64(key[8:])
	for j := range m.Y[:n/8] {
		y := &m.Y[j]
		binary.LittleEndian.PutUint64(y[:], binary.LittleEndian.Uint64(y[:])^low)
		binary.LittleEndian.PutUint64(y[8:], binary.LittleEndian.Uint64(y[8:])^high)
	}
}

// RowsRVV generates rows of A from row first on, each with n words. PrepareRVV must have been
// called.
func RowsRVV(rows []uint16, m *Matrix, first, n int) {
	rowsRVV(m, &rows[0], first, n/8, len(rows)/8)
}

// RowsZvkned is RowsRVV with Zvkned, after PrepareZvkned.
func RowsZvkned(rows []uint16, m *Matrix, first, n int) {
	rowsZvkned(m, &rows[0], first, n/8, len(rows)/n)
}

// Columns are those of S', n x 8.
type Columns [maxN][8]uint16

// ColumnsRVV sets columns to those of S', 8 x n.
func ColumnsRVV(columns *Columns, s []uint16) {
	columnsFromRVV(&columns[0][0], &s[0], len(s)/8)
}

// AddRowsRVV adds to out, 8 x n, the products of S' with 16 rows of A from row first on.
func AddRowsRVV(out, rows []uint16, columns *Columns, first int) {
	addRowsRVV(&out[0], &rows[0], &columns[first][0], len(out)/8)
}

// DotsRVV adds to out, r x 8, the products of the r rows of x with the eight rows of st.
// All rows have the same number of entries.
func DotsRVV(out, x, st []uint16) {
	dotsRVV(&out[0], &x[0], &st[0], len(out)/8, len(st)/8)
}

// MulSBRVV adds S'B to v, where b is B, n x 8, and s is S', 8 x n. t is memory for 8 x n words.
func MulSBRVV(v *[64]uint16, s, b, t []uint16) {
	rowsFromRVV(&t[0], &b[0], len(b)/8)
	dotsRVV(&v[0], &s[0], &t[0], 8, len(b)/8)
}

// SampleRVV turns random words into noise of a distribution.
func SampleRVV(s, cdf []uint16) {
	table := [12]uint16{}
	for i := copy(table[:], cdf); i < len(table); i++ {
		table[i] = 0x7fff
	}
	sampleRVV(&s[0], &table[0], len(s))
}

// PackRVV packs the d lowest bits of every word, 15 or 16, the highest first. len(v) must be a
// multiple of 8 above 0.
func PackRVV(d int, out []byte, v []uint16) {
	_ = out[d*len(v)/8-1]
	if d == 15 {
		pack15RVV(&out[0], &v[0], len(v)/8)
	} else {
		swapRVV(&out[0], bytes(v), len(v))
	}
}

// UnpackRVV is the inverse of PackRVV; in may be longer.
func UnpackRVV(d int, v []uint16, in []byte) {
	_ = in[d*len(v)/8-1]
	if d == 15 {
		unpack15RVV(&v[0], &in[0], len(v)/8)
	} else {
		swapRVV(bytes(v), &in[0], len(v))
	}
}

func bytes(v []uint16) *byte { return (*byte)(unsafe.Pointer(unsafe.SliceData(v))) }

// DifferenceRVV returns the bitwise or of all x[i] ^ y[i]. There must be at least one.
func DifferenceRVV(x, y []uint16) uint64 {
	var d [1]uint16
	differenceRVV(&d[0], &x[0], &y[0], len(x))
	r := uint64(d[0])
	clear(d[:])
	runtime.KeepAlive(&d)
	return r
}
