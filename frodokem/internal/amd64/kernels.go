//go:build amd64 && !purego

// Package amd64 contains the FrodoKEM kernels for amd64.
package amd64

const maxN = 1344

// A Matrix represents A, which kernels generate from it: the round keys of AES-128, and the
// states after two rounds. The state of block j of row i is X[i] xor Y[j]. The family SSSE3 has
// a representation of its own.
type Matrix struct {
	X    [maxN][16]byte
	Y    [maxN / 8][16]byte
	Keys [11][16]byte
	_    [16]byte // aligns Pairs of a Work to a cache line, if X is aligned
}

// Pairs contains the entries of S' in the layout for multiplications, in pairs but for SSSE3.
// PairsSSSE3, PairsAVX2, PairsAVX512 and ColumnsAVX512 use different layouts.
type Pairs struct {
	Words   [maxN / 2][8]uint32
	Squares [8]uint32 // set by PairsAVX512 and ColumnsAVX512
}

// A Work contains the operands for multiplications by A. It is fastest if it is aligned
// to a cache line.
type Work struct {
	Matrix
	Pairs
}

// PrepareVAES512 fills X and Y for n rows from Keys.
//
//go:noescape
//ct:public m
//prove:frodo.prepare n=16,48
func PrepareVAES512(m *Matrix, n int)

// PairsAVX512 sets the Pairs from s, 8 x n, in the layout for the kernels that multiply
// S' with AVX-512.
//
//go:noescape
//ct:secret p s
//prove:frodo.pairs pairs=avx512 n=16,32
func PairsAVX512(p *Pairs, s []uint16)

// PairsAVX2 sets p to the pairs of entries of s, 8 x n.
//
//go:noescape
//ct:secret p s
//prove:frodo.pairs pairs=avx2 n=16,32
func PairsAVX2(p *Pairs, s []uint16)

// MulSASqueezeVAES512 adds S'A to out, 8 x n. In w, X and Y must be filled, and the pairs set
// by PairsAVX512. At the same time it squeezes a state of Keccak: it copies the given
// number of blocks, of 17 or 21 words each, to q, and permutes the state after each.
// There may be one block for every 12 parts of 16 x 32 entries of A, or of 16 x 16 at
// the end of a row. If there are no blocks, state and q are not accessed.
//
//go:noescape
//ct:secret out w state q
//ct:public w.X w.Y w.Keys
//ct:cases blocks=0|1..
//prove:frodo.sa words=17 n=16,32,48 blocks=0
//prove:frodo.sa words=17 n=80 blocks=1
//prove:frodo.sa words=21 n=96 blocks=1
//prove:frodo.sa words=17,21 n=112 blocks=2
func MulSASqueezeVAES512(out []uint16, w *Work, state *[25]uint64, q *byte, words, blocks int)

// ColumnsAVX512 sets the Pairs from st, 8 x n, in the layout for MulASSqueezeVAES512.
//
//go:noescape
//ct:secret p st
//prove:frodo.columns n=16,32
func ColumnsAVX512(p *Pairs, st []uint16)

// MulASSqueezeVAES512 adds A S to out, n x 8. In w, X and Y must be filled, and the pairs set by
// ColumnsAVX512. It can squeeze a state as MulSASqueezeVAES512 does, one block for every 12
// parts of 16 x 32 entries of A; a shorter part at the end of a row does not count. n is at
// least 32.
//
//go:noescape
//ct:secret out w state q
//ct:public w.X w.Y w.Keys
//ct:cases blocks=0|1..
//prove:frodo.as words=17 n=32,48 blocks=0
//prove:frodo.as words=21 n=96 blocks=1
//prove:frodo.as words=17 n=160 blocks=1
//prove:frodo.as words=17,21 n=128 blocks=2
func MulASSqueezeVAES512(out []uint16, w *Work, state *[25]uint64, q *byte, words, blocks int)

// SampleAVX512 turns random words into noise of a distribution.
//
//go:noescape
//ct:secret s
//ct:public cdf
//prove:frodo.sample n=64 entries=6,10,12
//prove:frodo.sample n=16,128,256,320,336 entries=1,2
func SampleAVX512(s, cdf []uint16)

// AddAVX512 adds words to those of out. Their number must be a multiple of 32 above 0.
//
//go:noescape
//ct:secret out x
//prove:frodo.add n=32,96
func AddAVX512(out, x []uint16)

// AddRowsAVX512 adds to out, 8 x n, the products of S', whose pairs are p, with 16 rows
// of A from row first on; n is at least 32. The sum is right when all rows have been added.
//
//go:noescape
//ct:secret out rows p
//prove:frodo.rows pairs=avx512 rows=16 n=32,48,96 first=0,16
func AddRowsAVX512(out, rows []uint16, p *Pairs, first int)

// DotsAVX512 adds to out, r x 8, the products of the r rows of x with the eight
// rows of st. All rows have the same number of entries, a multiple of 16, at least 32; r is
// even.
//
//go:noescape
//ct:secret out x st
//prove:frodo.dots r=2,4 n=32,48,80,96
func DotsAVX512(out, x, st []uint16)

// MulSBAVX512 adds S'B to v, where b is B, n x 8, and p contains the pairs of S'.
//
//go:noescape
//ct:secret v p b
//prove:frodo.sb pairs=avx512 n=16,32
func MulSBAVX512(v *[64]uint16, p *Pairs, b []uint16)

// PrepareAESNI is PrepareVAES512 with AES-NI.
//
//go:noescape
//ct:public m
//prove:frodo.prepare n=16,32
func PrepareAESNI(m *Matrix, n int)

// MulSAAESNIAVX2 adds S'A to out, 8 x n, with AES-NI and AVX2, where p was set by
// PairsAVX2.
//
//go:noescape
//ct:secret out p
//ct:public m
//prove:frodo.sa pairs=avx2 stack=0,8,16,24 n=16,32
func MulSAAESNIAVX2(out []uint16, m *Matrix, p *Pairs)

// MulASAESNIAVX2 adds A S to out, n x 8, with AES-NI and AVX2, where st is S^T, 8 x n; n is at least 64.
//
//go:noescape
//ct:secret out st
//ct:public m
//prove:frodo.as stack=8,16,24 n=64
//prove:frodo.as stack=0 n=96,128
func MulASAESNIAVX2(out []uint16, m *Matrix, st []uint16)

// MulSAVAES256 is MulSAAESNIAVX2 with VAES.
//
//go:noescape
//ct:secret out p
//ct:public m
//prove:frodo.sa pairs=avx2 stack=0,8,16,24 n=16,32
func MulSAVAES256(out []uint16, m *Matrix, p *Pairs)

// MulASVAES256 is MulASAESNIAVX2 with VAES.
//
//go:noescape
//ct:secret out st
//ct:public m
//prove:frodo.as stack=8,16,24 n=64
//prove:frodo.as stack=0 n=96,128
func MulASVAES256(out []uint16, m *Matrix, st []uint16)

// EightRowsAESNI generates eight rows of A from row first on: rows has 8 x n words. X and Y
// of m must be filled.
//
//go:noescape
//ct:public rows m
//prove:frodo.generate rows=8 first=0,8 n=16,32
func EightRowsAESNI(rows []uint16, m *Matrix, first, n int)

// EightRowsVAES256 is EightRowsAESNI with VAES.
//
//go:noescape
//ct:public rows m
//prove:frodo.generate stack=0 rows=8 first=0,8 n=32
//prove:frodo.generate stack=8,16,24 rows=8 first=8 n=16
func EightRowsVAES256(rows []uint16, m *Matrix, first, n int)

// AddEightRowsAVX2 adds to out, 8 x n, the products of S', whose pairs are p, with eight rows
// of A from row first on.
//
//go:noescape
//ct:secret out rows p
//prove:frodo.rows pairs=avx2 rows=8 stack=0,8,16,24 n=16,48 first=0,8
func AddEightRowsAVX2(out, rows []uint16, p *Pairs, first int)

// DotsAVX2 is DotsAVX512 with AVX2; r may be odd, and rows have at least 64 entries.
//
//go:noescape
//ct:secret out x st
//prove:frodo.dots stack=0,8,16,24 r=1,3 n=64,80,160
func DotsAVX2(out, x, st []uint16)

// MulSBAVX2 is MulSBAVX512 with AVX2.
//
//go:noescape
//ct:secret v p b
//prove:frodo.sb pairs=avx2 n=16,32
func MulSBAVX2(v *[64]uint16, p *Pairs, b []uint16)

// SampleAVX2 is SampleAVX512 with AVX2; len(s) is a multiple of 16.
//
//go:noescape
//ct:secret s
//ct:public cdf
//prove:frodo.sample n=16 entries=6,10,12
//prove:frodo.sample n=32,64 entries=1,2
func SampleAVX2(s, cdf []uint16)

// SwapAVX2 copies 16-bit words with their bytes swapped. len(in) must be a multiple of
// 64 above 0, and out must be as long.
//
//go:noescape
//ct:secret out in
//prove:frodo.swap n=64,192
func SwapAVX2(out, in []byte)

// Pack15AVX2 packs the 15 lowest bits of every word, the highest first: 15 bytes for
// eight words. len(v) must be a multiple of 16 above 0, and out large enough.
//
//go:noescape
//ct:secret out v
//prove:frodo.pack n=16,48
func Pack15AVX2(out []byte, v []uint16)

// Unpack15AVX2 is the inverse of Pack15AVX2; in may be longer.
//
//go:noescape
//ct:secret v in
//prove:frodo.unpack n=16,48
func Unpack15AVX2(v []uint16, in []byte)

// DifferenceAVX2 returns the bitwise or of all x[i] ^ y[i], where each of the four words
// of the result covers every fourth i. The length must be a multiple of 16 above 0.
//
//go:noescape
//ct:secret x y d
//prove:frodo.difference n=16,32,48
func DifferenceAVX2(x, y []uint16) (d uint64)

// PrepareSSSE3 fills X and Y for n rows from Keys, and changes Keys to the representation of
// FourRowsSSSE3.
//
//go:noescape
//ct:public m
//prove:frodo.cipher n=16 first=0,12
func PrepareSSSE3(m *Matrix, n int)

// FourRowsSSSE3 generates four rows of A from row first on: rows has 4 x n words.
// PrepareSSSE3 must have been called.
//
//go:noescape
//ct:public rows m
//prove:frodo.cipher n=16 first=0,12
func FourRowsSSSE3(rows []uint16, m *Matrix, first, n int)

// PairsSSSE3 sets p to the columns of s, 8 x n.
//
//go:noescape
//ct:secret p s
//prove:frodo.pairs pairs=ssse3 n=16,32
func PairsSSSE3(p *Pairs, s []uint16)

// AddRowsSSSE3 adds to out, 8 x n, the products of S', whose columns are p, with 16 rows
// of A from row first on.
//
//go:noescape
//ct:secret out rows p
//prove:frodo.rows pairs=ssse3 rows=16 stack=0,8,16,24 n=16,48 first=0,16
func AddRowsSSSE3(out, rows []uint16, p *Pairs, first int)

// DotsSSSE3 is DotsAVX512 with SSSE3; r may be odd, and rows a multiple of 8 long.
//
//go:noescape
//ct:secret out x st
//prove:frodo.dots r=1,3 n=16,32
func DotsSSSE3(out, x, st []uint16)

// MulSBSSSE3 is MulSBAVX512 with SSSE3.
//
//go:noescape
//ct:secret v p b
//prove:frodo.sb pairs=ssse3 n=16,32
func MulSBSSSE3(v *[64]uint16, p *Pairs, b []uint16)

// SampleSSSE3 is SampleAVX512 with SSSE3; len(s) is a multiple of 32.
//
//go:noescape
//ct:secret s
//ct:public cdf
//prove:frodo.sample n=32 entries=6,10,12
//prove:frodo.sample n=64 entries=1,2
func SampleSSSE3(s, cdf []uint16)
