// Command bmi2avx512 writes the kernels for short messages of ChaCha20-Poly1305, and HChaCha20,
// on CPUs with AVX-512, BMI2 and vector instructions of one cycle. Package fused has the code.
//
// # Algorithm
//
// ChaCha20 (RFC 8439, section 2.1) in rows: a register has a row of the matrix of four blocks, and
// there are one or two such groups. Block 0, the key of Poly1305, is one of them. Then the
// integer units hash the ciphertext:
//
//	a += b; d = (d ^ a) <<< 16; c += d; b = (b ^ c) <<< 12
//	a += b; d = (d ^ a) <<< 8;  c += d; b = (b ^ c) <<< 7
//	h = (h + block + 2^128)·r mod 2^130-5
//
// # Registers
//
//	Z0 ... Z7             rows of two groups, then their blocks
//	Z24 ... Z27           rows of the initial matrix
//	Z28 ... Z31           temporary
//	K1, K2                bytes of the last block; all set when opening
//	R8 R9 R10             hash
//	BX CX DI BP, AX DX    products; data
//	SI, R15               blocks to hash, ciphertext on the stack
//
// # Bound
//
// Golden Cove executes two instructions with 512-bit registers in a cycle, each in one cycle. A
// double round is a chain of 24 instructions and two shuffles, and two groups have 60: 260 and
// 300 cycles for all rounds. A block of Poly1305 is a chain of 15 cycles: 195 for 192 bytes, 315
// for 320. For longer messages, wideAVX512 (../avx512/wide.go) makes block 0 in the integer
// units, which takes longer than all rounds of two groups, and then powers of r.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/chachapoly/fused"
	. "github.com/mmcloughlin/avo/build"
)

//go:generate go run . -out ../../../internal/chachapoly/internal/amd64/packet_bmi2avx512_amd64.s

func main() {
	flag.Parse()
	ConstraintExpr("!purego")
	k := fused.Kind{Suffix: "BMI2AVX512", Mulx: true}
	k.Packet()
	k.HChaCha()
	amd64.Generate()
}
