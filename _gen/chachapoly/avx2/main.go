// Command avx2 writes the kernels of ChaCha20-Poly1305 for CPUs with AVX2 and BMI2. Package fused
// has the code.
//
// # Algorithm
//
// The vector units compute ChaCha20, with the same word of eight blocks in a register (a set: 16
// words), while the integer units compute Poly1305 or a block of keystream:
//
//	a += b; d = (d ^ a) <<< 16; c += d; b = (b ^ c) <<< 12          quarter round, RFC 8439
//	a += b; d = (d ^ a) <<< 8;  c += d; b = (b ^ c) <<< 7
//	h = (h + block + 2^128)·r mod 2^130-5                            r1·5/4 for what is above 2^130
//
// Rotations by 8 and 16 are VPSHUFB, the others three instructions. Two hashes are computed side
// by side, of the first and the second half of the data: h = first·r^n + second. One pass makes 8
// or 16 blocks, stream 24 and one in the integer units; short does a message of up to 768 bytes
// in one call, with rows of one or two blocks in registers; up to 448 bytes block 0, the key of
// Poly1305, is among them.
//
// # Registers
//
//	Y0 ... Y15            pass of 8 blocks: rows a, b, d in Y0 ... Y11, row c in memory
//	                      of 16 and stream: quarter rounds by turns, Y14, Y15 indices
//	R8 R9 R10             first hash
//	R11 R12 R13           second hash
//	BX CX DI BP, AX DX    products
//	SI, R14               blocks to hash, distance between the two
//	AX ... R14            block of the integer units instead: 14 words, the others in memory
//	R15, stack            words of the keystream, 64-byte aligned; counts, r, hashes
//
// # Bound
//
// A double round of 16 blocks has 338 instructions, 256 of them vector operations and 64 stores:
// 64 cycles on Zen 4, which has four vector units and stores 32 bytes in a cycle. With Poly1305,
// in eight of ten double rounds, there are 587 instructions. Zen 4 dispatches six in a cycle: 895
// cycles for ten, 0.87 cycles per byte of Seal before the keystream is added. For stream, with
// 618 instructions in a double round, the same count gives 0.64. With the way through memory
// llvm-mca gives more: 120 cycles for a double round with Poly1305, 96 without it, 144 in stream;
// that is 1.13 and 0.90 cycles per byte. Measured for 16 KiB: Seal 1.23 and the stream 0.97
// cycles per byte on Zen 4, 1.04 and 0.92 on Zen 5.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/chachapoly/fused"
	. "github.com/mmcloughlin/avo/build"
)

//go:generate go run . -out ../../../internal/chachapoly/internal/amd64/chachapoly_avx2_amd64.s

func main() {
	flag.Parse()
	ConstraintExpr("!purego")
	fused.Kind{Suffix: "AVX2", Mulx: true}.Kernels()
	amd64.Generate()
}
