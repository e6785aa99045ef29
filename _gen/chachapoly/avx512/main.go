// Command avx512 writes the ChaCha20-Poly1305 kernels of
// internal/chachapoly/internal/amd64 for CPUs with AVX-512 and IFMA.
//
// # Algorithm
//
// ChaCha20 (RFC 8439) has a matrix of 16 words for each block, and 20 rounds of
//
//	a += b; d = (d ^ a) <<< 16; c += d; b = (b ^ c) <<< 12
//	a += b; d = (d ^ a) <<< 8;  c += d; b = (b ^ c) <<< 7
//
// It is in three arrangements. In rows (rounds.go), a register has a row of the matrices of four
// blocks, and 1 to 6 such groups of four registers are in a pass: up to 24 blocks of a packet
// within the latency of one. In words (rounds.go), a register has a word of 16 blocks, and 32 blocks
// fill all registers: long messages, or four packets (many.go). One block is in general
// registers (scalar.go): the key of Poly1305, woven with the rounds of a packet (packet.go).
//
// Poly1305 has numbers modulo 2^130-5 in limbs of 44, 44 and 42 bits, eight of them in three
// registers (poly1305.go). VPMADD52LUQ and VPMADD52HUQ add up the halves of products; a step takes
// four vectors of eight blocks, and carries once:
//
//	h = (h + m[0]) r^32 + m[1] r^24 + m[2] r^16 + m[3] r^8
//
// The powers of r are computed alongside the second half of the rounds of a packet (ladder).
// Streams are woven with asm.Weave, or written so many instructions apart (stagger).
//
// # Registers
//
//	            rows                words              Poly1305
//	Z0-Z23      a, b, c, d          Z0-Z15, Z16-Z31    Z0-Z2 h, Z3-Z5 m, Z6-Z17 sums
//	Z24-Z27     first matrices      of 16 blocks each  Z18-Z22 a power of r, Z25-Z27 masks
//	Z28-Z31     temporary; Z24-Z31 of ladder in packets
//	AX-DX, SI, DI, BP, R8-R15   the block in general registers
//	BX          the scratch, then the table of powers, in kernels with Poly1305
//	SI, DI, R12, R9-R11         data, vectors left, blocks missing in front, h
//
// # Bound
//
// The vector units. 2 KiB in words are 1920 instructions, 640 of them rotations: 480 cycles on
// Zen 5, with four units, and 960 on Zen 4, where each instruction takes two passes. Measured with
// transposition: 690 cycles on Zen 5; on Zen 4 0.60 cycles per byte, where 0.47 are the limit.
// In rows it is the chain, 12 steps a round: 410 cycles on Zen 5 for a group, 670 for six.
// A step of Poly1305, 512 bytes, has 72 multiplications and 22 shifts for two units: 47 cycles
// on Zen 5 (50 measured), 94 on Zen 4. Both together take 0.84 cycles per byte there.
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
//go:generate go run . -kernel packet -out ../../../internal/chachapoly/internal/amd64/packet_avx512_amd64.s
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
		hChaCha()
	case "many":
		many()
	case "packet":
		packets()
	default:
		panic("unknown kernel")
	}
	Generate()
}

var zmm = amd64.ZMM

// vec is a ZMM register.
type vec = amd64.Vec

func asX(z vec) vec { return amd64.X(z) }
func asY(z vec) vec { return amd64.Y(z) }

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
