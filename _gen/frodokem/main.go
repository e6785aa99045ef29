// Command frodokem writes the kernels of frodokem/internal/amd64.
//
// FrodoKEM (ISO/IEC 18033-2:2006/Amd 2; draft-longa-cfrg-frodokem) computes with matrices of
// words, modulo 2^15 or 2^16. A is n x n and public, n is 640, 976 or 1344; the others have
// eight rows or columns and are secret, but for B and B':
//
//	key generation   B  = A S + E
//	encapsulation    B' = S'A + E'      V = S'B + E''
//	decapsulation    M  = C - B'S       and B' again
//
// A is most of the work: it is made by AES-128 or SHAKE128 anew each time, and never stored
// as a whole. Files, by what they compute:
//
//	matrix.go           A with AES
//	winograd.go         S'A with AVX-512, and its formula; A in memory
//	mulsa.go mulas.go   S'A and A S with A made at once, and Keccak alongside
//	sponge.go           Keccak alongside
//	products_avx512.go  the other products, with AVX-512
//	products_avx2.go    all products with AVX2
//	noise.go pack.go    sampling; matrices as bytes
//
// S and S^T stand for any secret matrix on the left (8 x n) and the transposed one on the
// right. Memory, as in amd64.Matrix and amd64.Pairs:
//
//	X, Y       from what matrix.go makes A
//	Pairs      S' in the order in which products use it; PairsAVX2, PairsAVX512 and
//	           ColumnsAVX512 have different ones
//	Squares    where Winograd's sums begin, for each row of S'
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"
)

//go:generate go run . -kernel matrix512 -out ../../frodokem/internal/amd64/matrix_vaes512_amd64.s
//go:generate go run . -kernel rows512 -out ../../frodokem/internal/amd64/rows_avx512_amd64.s
//go:generate go run . -kernel noise512 -out ../../frodokem/internal/amd64/noise_avx512_amd64.s

//go:generate go run . -kernel aesni -out ../../frodokem/internal/amd64/matrix_aesni_amd64.s
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
		matrix256(aesni)
	case "vaes256":
		matrix256(vaes256)
	case "avx2":
		prepareAESNI()
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
	Generate()
}

func matrix256(u aesUnit) {
	mulSA256(u)
	mulAS256(u)
	rowsOfA(u)
}
