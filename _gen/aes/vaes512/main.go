// Command vaes512 writes the AES kernels of internal/aescore/internal/amd64 for CPUs with
// VAES, VPCLMULQDQ and AVX-512, and those that all CPUs with AES-NI share: the key schedule
// and encryption in CBC mode, which is serial.
//
// # Algorithm
//
// Kernels for many blocks apply the rounds to eight registers of four blocks:
//
//	x[i] = in[i] + k[0];  x[i] = VAESENC(x[i], k[r]);  out[i] = VAESENCLAST(x[i], k[rounds])
//
// Work is moved into the key of the last round, since VAESENCLAST ends with an addition:
//
//	CBC decryption   p[i] = VAESDECLAST(x[i], k[rounds] + c[i-1])
//	CTR              c[i] = VAESENCLAST(x[i], k[rounds] + p[i])           (short passes)
//	CBC encryption   x = AESENCLAST(x, k[rounds] + k[0] + p[i+1]), the next state after k[0]
//
// XTS multiplies all tweaks by x^32 in each pass: words rotate, and what falls out returns
// times x^7 + x^2 + x + 1. lanes.go encrypts 8 or 16 messages in CBC mode side by side.
// The end of the data goes through passes of 4 registers and of 1 to 4, the last one masked:
// the CPU overlaps them with what is before. rounds.go has all of this, the other files a mode
// each, expand.go the key schedule.
//
// # Registers
//
// Of the kernels for many blocks; the others have theirs in the banners.
//
//	Z0 ... Z7            blocks
//	Z8 ... Z15, Z31      of the mode: counters or last keys; XTS has registers of its own
//	Z16                  first round key, four times
//	Z17 ... Z20          those that only 12 and 14 rounds have
//	Z21 ... Z29, Z30     the last nine inner ones, the last one
//	K1, K2, K3           bytes of the last register; quadwords of a block (XTS)
//	AX, R11              keys, number of rounds
//	SI, DI, DX           src, dst, bytes left
//	R10, R8, CX          counter, tweak or IV; temporary
//
// # Bound
//
// The AES units: 80 instructions for 512 bytes with AES-128. Zen 5 begins two in a cycle, 40
// cycles or 0.078 cycles per byte; Zen 4 and Sapphire Rapids one of 512 bits, 0.156. CBC
// encryption is a chain of 10 instructions with a latency of 4 cycles for a block, 2.5 cycles per
// byte. Cycles per byte for 16 KiB, measured with AES-128:
//
//	         CBC decryption  CTR    XTS    CBC encryption  of 16 messages
//	Zen 5    0.08            0.08   0.11   2.57            0.19
//	Zen 4    0.16            0.16   0.20   2.50            0.29
//	SPR      0.16            0.16   0.17   1.88            0.23
//
// SPR is Sapphire Rapids. Zen's figures for XTS are from before the tweaks were computed between
// the rounds: since then the loop takes a sixth fewer cycles of llvm-mca's model of Zen 4.
package main

import (
	"flag"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

//go:generate go run . -kernel expand -out ../../../internal/aescore/internal/amd64/expand_aesni_amd64.s
//go:generate go run . -kernel cbcencrypt -out ../../../internal/aescore/internal/amd64/cbcencrypt_aesni_amd64.s
//go:generate go run . -kernel blocks -out ../../../internal/aescore/internal/amd64/blocks_vaes512_amd64.s
//go:generate go run . -kernel cbc -out ../../../internal/aescore/internal/amd64/cbc_vaes512_amd64.s
//go:generate go run . -kernel ctr -out ../../../internal/aescore/internal/amd64/ctr_vaes512_amd64.s
//go:generate go run . -kernel xts -out ../../../internal/aescore/internal/amd64/xts_vaes512_amd64.s
//go:generate go run . -kernel lanes -out ../../../internal/aescore/internal/amd64/lanes_vaes512_amd64.s

func main() {
	kernel := flag.String("kernel", "", "which `file` to write")
	flag.Parse()
	ConstraintExpr("!purego")
	switch *kernel {
	case "expand":
		expand()
	case "cbcencrypt":
		cbcEncrypt()
		cbcEncryptManyAESNI()
	case "blocks":
		blocks(encryption)
		blocks(decryption)
	case "cbc":
		cbcDecrypt()
	case "ctr":
		ctr()
	case "xts":
		xts()
	case "lanes":
		cbcEncryptMany()
	default:
		panic("unknown kernel")
	}
	amd64.Generate()
}

// function begins a function with its banner. The generator knows nothing of
// the types Keys and Lane, and to the assembler a pointer is a pointer.
func function(name, parameters string, flags attr.Attribute, banner ...string) {
	TEXT(name, flags, "func"+untyped.Replace(parameters))
	Comment("func " + name + parameters)
	Comment(strings.Split(strings.Join(banner, "\n"), "\n")...)
}

// table writes a table of 64-bit constants.
func table(name string, words ...uint64) Mem {
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for i, w := range words {
		DATA(8*i, U64(w))
	}
	return m
}
