// Command frodokem writes the kernels of frodokem/internal/amd64.
//
// # Algorithm
//
// FrodoKEM (ISO/IEC 18033-2:2006/Amd 2; draft-longa-cfrg-frodokem) computes with matrices of
// words of 16 bits, modulo 2^15 or 2^16. A is n x n and public, n is 640, 976 or 1344. The
// others have eight rows or columns and are secret, but for B and B':
//
//	key generation    B  = A S + E
//	encapsulation     B' = S'A + E'      V = S'B + E''
//	decapsulation     M  = C - B'S       and B' again
//
// A is most of the work: it is made anew each time with AES-128 or SHAKE128, and never stored
// as a whole. In names and comments, S or S' stands for the secret matrix on the left, 8 x n,
// and S^T for the one on the right, transposed. Each file begins with its algorithm:
//
//	matrix.go            A by AES, of which two of ten rounds are nearly free
//	winograd.go          S'A by Winograd's formula, for rows of A in memory (AVX-512)
//	mulsa.go, mulas.go   S'A and A S where A is made at the same time (AVX-512, VAES)
//	sponge.go            Keccak alongside these, in integer registers
//	products_avx512.go   B'S and S'B
//	products_avx2.go     all products with AVX2
//	products_ssse3.go    and with SSSE3
//	noise.go, pack.go    sampling; matrices as bytes
//
// # Registers
//
// Each function has a table of its registers, which goes to the comment in the assembly. The
// two large ones, with the words of winograd.go:
//
//	              MulSA                              MulAS
//	Z0-Z15        sums of a stripe, low and high     Z0-Z7 sums, Z9-Z12 X of 16 rows
//	Z16-Z17       aa                                 Z8
//	Z18-Z21       the next four rows of A            Z13-Z16 the next eight columns
//	Z22-Z25       even, odd                          Z17-Z20 eight columns
//	Z26-Z29       s0, s1 and two factors             Z21-Z24
//	Z30-Z31       a round key, Y                     Z25-Z31 round keys, one of them or Y
//	AX to R14     Keccak                             the same, but for R9
//
// and in memory:
//
//	Matrix.X, Y, Keys    from which A is made: rows, columns, round keys
//	Pairs.Words          S' or S^T in the order in which products use it; PairsSSSE3, PairsAVX2,
//	                     PairsAVX512 and ColumnsAVX512 have an order each
//	Pairs.Squares        where Winograd's sums begin, for each row of S' or S^T
//
// # Bound
//
// The two vector units that execute AES instructions and multiplications. In cycles on Zen 4
// for n = 640, where each takes two cycles for 512 bits (docs/benchmarks.md, FrodoKEM):
//
//	S'A    160,000 at least    179,000 measured; 185,000 with Keccak alongside
//	A S    160,000             175,000
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	. "github.com/mmcloughlin/avo/build"
)

//go:generate go run . -kernel matrix512 -out ../../frodokem/internal/amd64/matrix_vaes512_amd64.s
//go:generate go run . -kernel rows512 -out ../../frodokem/internal/amd64/rows_avx512_amd64.s
//go:generate go run . -kernel noise512 -out ../../frodokem/internal/amd64/noise_avx512_amd64.s

//go:generate go run . -kernel aesni -out ../../frodokem/internal/amd64/matrix_aesni_amd64.s
//go:generate go run . -kernel ssse3 -out ../../frodokem/internal/amd64/rows_ssse3_amd64.s

//go:generate go run . -kernel aesniavx2 -out ../../frodokem/internal/amd64/matrix_aesni_avx2_amd64.s
//go:generate go run . -kernel vaes256 -out ../../frodokem/internal/amd64/matrix_vaes256_amd64.s
//go:generate go run . -kernel avx2 -out ../../frodokem/internal/amd64/rows_avx2_amd64.s

func main() {
	kernel := flag.String("kernel", "", "which file")
	flag.Parse()
	ConstraintExpr("!purego")
	switch *kernel {
	case "matrix512":
		prepare512()
		pairs512()
		columns512()
		mulSA512()
		mulAS512()
	case "rows512":
		rowsSA512()
		dots512()
		mulSB512()
	case "noise512":
		sample512()
		add512()
	case "aesni":
		prepareAESNI()
		rowsOfA(aesni)
	case "ssse3":
		pairs128()
		rowsSA128()
		dots128()
		mulSB128()
		sample128()
	case "aesniavx2":
		mulSA256(aesni)
		mulAS256(aesni)
	case "vaes256":
		mulSA256(vaes256)
		mulAS256(vaes256)
		rowsOfA(vaes256)
	case "avx2":
		pairs256()
		rowsSA256()
		dots256()
		mulSB256()
		sample256()
		swap()
		pack15()
		unpack15()
		difference()
	default:
		panic("no such kernel: " + *kernel)
	}
	amd64.Generate()
}
