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
// Rotations by 8 and 16 are VPSHUFB, the others three instructions. A pass makes 8 blocks, stream
// 24 and one in the integer units. A small pass makes up to four blocks, with rows of two blocks in
// registers, and so does short, a whole message of up to 448 bytes in one call; in both, block 0,
// the key of Poly1305, is one of them. One hash goes on in a pass, with r and what is above 2^130
// in registers: a second one beside it would need a power of r, and the vectors take longer.
//
// # Registers
//
//	Y0 ... Y15            pass of 8 blocks: 14 words in Y0 ... Y13, two of row c in memory by turns
//	                      of stream: quarter rounds by turns, Y14, Y15 indices
//	R8 R9 R10, BP         the hash, and what is above 2^130, times 5
//	R11 R12 R13           r0, r1, r1·5/4
//	BX CX DI, AX DX       products
//	SI                    blocks to hash
//	AX ... R14            block of the integer units instead: 14 words, the others in memory
//	R14, R15, stack       context; words of the keystream, 64-byte aligned; counts
//
// # Bound
//
// A double round of 8 blocks has 128 vector operations, 48 of them shifts and shuffles, for which
// two of four units are there: 32 cycles on Zen 3. It takes 47, as units are not used in the best
// order, and with three blocks of Poly1305, which are a chain of 14 cycles each and 93
// instructions, no more if these come in runs. Ten of these and 60 cycles for the output are 1.04
// cycles per byte. Measured on Zen 3: Seal of 16 KiB 1.07, stream 0.87. A double round of a small
// pass takes 33 cycles (two blocks) or 38 (four). With all words of 16 blocks in memory, and two
// hashes in eight of ten double rounds, Seal took 1.39.
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
