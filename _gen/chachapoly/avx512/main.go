// Command avx512 writes the ChaCha20-Poly1305 kernels of internal/chachapoly/internal/amd64
// for CPUs with AVX-512 and IFMA.
//
// # Algorithm
//
// ChaCha20 (RFC 8439, section 2.1) is in two arrangements. In rows, a register holds a row of
// the matrix of four blocks, and 1 to 6 such groups of four registers are in a pass: what a
// packet wants, up to 24 blocks within the latency of one. In words, a register holds a word of
// 16 blocks, and 32 blocks fill all registers: what long messages want. In both a quarter
// round is
//
//	a += b; d = (d ^ a) <<< 16; c += d; b = (b ^ c) <<< 12
//	a += b; d = (d ^ a) <<< 8;  c += d; b = (b ^ c) <<< 7
//
// Poly1305 has numbers in limbs of 44, 44 and 42 bits, of eight blocks in three registers.
// VPMADD52LUQ and VPMADD52HUQ add the lower and upper 52 bits of products of limbs:
//
//	h = (h + m)·r^8 mod 2^130-5     eight lanes; at the end lane i times r^(8-i), and their sum
//	r^2 ... r^8                     the ladder, beside the keystream
//
// rounds.go has ChaCha20, poly1305.go the hash, packet.go a whole message in one call, wide.go
// and long.go the same for Sapphire Rapids, many.go four messages side by side, scalar.go what
// integer units do meanwhile, keys.go single blocks, which need no vectors. Parts that run at the
// same time are programs, which amd64.Weave mixes.
//
// # Registers
//
//	Z0 ... Z23         rows of up to six groups; or Z0 ... Z31 words of 32 blocks by turns
//	Z24 ... Z27        rows of the initial matrix
//	Z28 ... Z31        blocks of a group
//	Z0 ... Z2          Poly1305: h
//	Z3 ... Z5          m
//	Z6 ... Z17         sums of products, two sets of low and high
//	Z18 ... Z22        a power of r and 20 times its upper limbs
//	Z23 ... Z27        temporary, masks, 2^128
//	DI, SI, DX, AX     dst, src, bytes, state
//	BX                 powers of r on the stack
//	K1 ... K5          bytes of the last register, lanes of the first and last blocks
//
// # Bound
//
// Rows: 20 rounds of 12 steps of up to two cycles on Zen 5, however many groups: 410 cycles for one
// group, 670 for six, which keep the four vector units busy. Words: a double round of 32 blocks
// has 192 operations, 48 cycles on Zen 5, 0.23 cycles per byte for ten; with the way from words to
// blocks it is 0.31. Eight blocks of
// Poly1305 take 18 multiplications; two begin in a cycle on Zen 5: 9 cycles for 128 bytes.
//
// Golden Cove (Sapphire Rapids) has two units for 512 bits, with one cycle, of which one rotates
// and the other one shuffles. There all vector instructions count: 96 for a double round of 16
// blocks in words, 30 for four blocks in rows, 26 for eight blocks of Poly1305, 20 for a carry.
// MULX needs one of these units, too, for its upper half: four for a block of Poly1305 are as
// many as in vectors. 1420 bytes take 1150 cycles at least, 16 KiB 0.64 cycles per byte; wide.go
// takes 1390 for 1420 bytes.
package main

import (
	"flag"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

//go:generate go run . -kernel xor -out ../../../internal/chachapoly/internal/amd64/xor_avx512_amd64.s
//go:generate go run . -kernel poly -out ../../../internal/chachapoly/internal/amd64/poly1305_avx512_amd64.s
//go:generate go run . -kernel key -out ../../../internal/chachapoly/internal/amd64/key_avx512_amd64.s
//go:generate go run . -kernel block -out ../../../internal/chachapoly/internal/amd64/block_x64_amd64.s
//go:generate go run . -kernel packet -out ../../../internal/chachapoly/internal/amd64/packet_avx512_amd64.s
//go:generate go run . -kernel wide -out ../../../internal/chachapoly/internal/amd64/wide_avx512_amd64.s
//go:generate go run . -kernel long -out ../../../internal/chachapoly/internal/amd64/long_avx512_amd64.s
//go:generate go run . -kernel many -out ../../../internal/chachapoly/internal/amd64/many_avx512_amd64.s

func main() {
	kernel := flag.String("kernel", "", "which `file` to write")
	flag.Parse()
	ConstraintExpr("!purego")
	switch *kernel {
	case "xor":
		for _, groups := range []int{1, 2, 3, 4, 6} {
			xorRows(groups)
		}
		xorWords()
	case "poly":
		blocks()
	case "key":
		keyOfPoly1305()
	case "block":
		xorBlock()
		hChaCha()
	case "many":
		many()
	case "packet":
		packets()
	case "wide":
		widePackets()
	case "long":
		longMessages()
	default:
		panic("unknown kernel")
	}
	amd64.Generate()
}

var zmm = amd64.ZMM

// vec is a ZMM register.
type vec = reg.VecPhysical

// function begins a function with its banner.
func function(name, signature string, flags attr.Attribute, banner ...string) {
	TEXT(name, flags, "func"+strings.ReplaceAll(signature, "*Job", "*byte"))
	Comment("func " + name + signature)
	Comment(strings.Split(strings.Join(banner, "\n"), "\n")...)
}

func finish() {
	VZEROUPPER()
	RET()
}

// at is the memory at a displacement from a register.
func at(base reg.Register, disp int) Mem { return Mem{Base: base, Disp: disp} }

// table writes a table of 64-bit constants.
func table(name string, words ...uint64) Mem {
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for i, w := range words {
		DATA(8*i, U64(w))
	}
	return m
}

// byteMask sets k to the first n of 64 bytes, 0 to 64. It changes RCX and R8.
func byteMask(n reg.GPPhysical, k reg.Register) {
	MOVL(U32(64), reg.ECX)
	SUBQ(n, reg.RCX)
	MOVQ(I32(-1), reg.R8)
	SHRXQ(reg.RCX, reg.R8, reg.R8)
	TESTQ(n, n)
	CMOVQEQ(n, reg.R8)
	KMOVQ(reg.R8, k)
}
