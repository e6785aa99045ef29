// Command amd64 writes the GHASH kernels of internal/ghash/internal/amd64, for PCLMULQDQ in
// registers of 128 bits, and for VPCLMULQDQ in registers of 256 and of 512 bits.
//
// # Algorithm
//
// Blocks are reversed by bytes, and powers of the hash key H are multiplied by x beforehand, so
// that no product has to be shifted (package ghash). With n = 8, 16 or 64 blocks c at a time,
//
//	y = (y + c[0])·H^n + c[1]·H^(n-1) + ... + c[n-1]·H
//
// Each product is three carry-less multiplications by Karatsuba's method:
//
//	low += lo(c)·lo(h)    high += hi(c)·hi(h)    middle += (lo(c) + hi(c))·(lo(h) + hi(h))
//
// The sums are reduced once. The lowest 64 bits, times the polynomial, cancel themselves; twice.
// The block that waits for y comes last. Fewer blocks, m of them, begin with H^m in the table.
// Init writes the table of powers; Extend makes H^17 ... H^64 of 16 powers when data are long.
//
// # Registers
//
// V is X, Y or Z for the three widths.
//
//	V0              hash, zeros above
//	V1, V2, V3      sums of products: low, middle, high
//	V4              blocks
//	V5, V6          order of bytes, polynomial
//	V7 (V8, V9)     temporary
//	Y8 ... Y11      256 bits: lo(h) + hi(h) of two powers each; 128 bits: in the table
//	Z16 ... Z23     512 bits: the same
//	K1, K2          512 bits: bytes and whole blocks of the last register
//	AX, BX, SI, DI  table of H^64 ... H^1, y, data, bytes left
//	DX, CX, R8      power for the next block, temporary
//
// # Bound
//
// The multiplier: Zen 4 and Zen 5 begin one carry-less multiplication in two cycles, whatever its
// width. Eight registers take 26 of them, 16 registers 50, with those of the reduction: 52 cycles
// for 128 or 256 bytes, 100 for 1024. On Zen 4 a register of 512 bits takes two passes through the
// other vector units.
// Cycles per byte for 8 KiB:
//
//	               128 bits  256 bits  512 bits
//	bound          0.406     0.203     0.098
//	Zen 5          0.418     0.210     0.101
//	Zen 4          0.419     0.207     0.142
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	. "github.com/mmcloughlin/avo/build"
)

//go:generate go run . -isa pclmulqdq -out ../../../internal/ghash/internal/amd64/ghash_pclmulqdq_amd64.s
//go:generate go run . -isa vpclmulqdq256 -out ../../../internal/ghash/internal/amd64/ghash_vpclmulqdq256_amd64.s
//go:generate go run . -isa vpclmulqdq512 -out ../../../internal/ghash/internal/amd64/ghash_vpclmulqdq512_amd64.s

func main() {
	isa := flag.String("isa", "", "instruction `set`")
	flag.Parse()
	ConstraintExpr("!purego")
	switch *isa {
	case "pclmulqdq":
		pclmulqdq()
	case "vpclmulqdq256":
		vpclmulqdq256()
	case "vpclmulqdq512":
		vpclmulqdq512()
	default:
		panic("unknown instruction set " + *isa)
	}
	amd64.Generate()
}
