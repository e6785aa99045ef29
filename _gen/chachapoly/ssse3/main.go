// Command ssse3 writes the kernels of ChaCha20-Poly1305 for CPUs with SSSE3. Package fused has the
// code.
//
// # Algorithm
//
// As in _gen/chachapoly/avx2, with four blocks in a set and the legacy encodings of package simd:
// instructions with two operands, so that some need a move before. Products are of MULQ, since
// these CPUs have no MULX. A pass makes 4 or 8 blocks. Two hashes are computed side by side in it,
// of the first and the second half of the data: h = first·r^n + second.
//
// # Registers
//
//	X0 ... X15            pass of 4 blocks: rows a, b, d in X0 ... X11, row c in memory
//	                      of 8 and stream: quarter rounds by turns, X14, X15 indices
//	R8 R9 R10             first hash
//	R11 R12 R13           second hash
//	BX CX DI BP, AX DX    products
//	SI, R14               blocks to hash, distance between the two
//	AX ... R14            block of the integer units instead: 14 words, the others in memory
//	R15, stack            words of the keystream, 64-byte aligned; counts, r, hashes
//
// # Bound
//
// A double round of 8 blocks has 418 instructions, with Poly1305, in eight of ten, 567. Zen 4
// dispatches six in a cycle: 895 cycles for ten, 1.75 cycles per byte of Seal. For stream, which
// makes 13 blocks, 738 instructions in a double round, the same count gives 1.48. Measured for 16
// KiB: Seal 2.20 and the stream 1.79 cycles per byte on Zen 4, 2.10 and 1.87 on Zen 5.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/chachapoly/fused"
	. "github.com/mmcloughlin/avo/build"
)

//go:generate go run . -out ../../../internal/chachapoly/internal/amd64/chachapoly_ssse3_amd64.s

func main() {
	flag.Parse()
	ConstraintExpr("!purego")
	fused.Kind{Suffix: "SSSE3", Legacy: true}.Kernels()
	amd64.Generate()
}
