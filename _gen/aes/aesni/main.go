// Command aesni writes the AES kernels of internal/aescore/internal/amd64 for AES-NI and
// for VAES without AVX-512. Both families come from the same code: package simd chooses
// between XMM registers in the legacy encodings and YMM registers in VEX encodings.
//
// # Algorithm
//
// All modes apply the rounds of FIPS 197 to eight registers at a time, of one block each
// (AES-NI) or two (VAES):
//
//	x[i] = in[i] + k[0]                                x[i] = AESENC(x[i], k[r])
//	out[i] = AESENCLAST(x[i], k[rounds])               for r = 1 ... rounds-1, i = 0 ... 7
//	CBC    p[i] = D(c[i]) + c[i-1]                     CTR   c[i] = p[i] + E(counter + i)
//	XTS    c[i] = E(p[i] + t·x^i) + t·x^i              in GF(2^128)
//	GCM    y = (y + c[0])·H^n + c[1]·H^(n-1) + ... + c[n-1]·H, for n blocks of ciphertext
//
// The rest at the end goes through four registers, one register, one block (rest). In GCM the
// products of the blocks before (seal) or of the same blocks (open) are pieces of code that
// spread puts evenly between the instructions of the rounds. registers.go has this and the
// rounds, modes.go, ccm.go and gcm.go the modes.
//
// # Registers
//
// V is X or Y, N the blocks of eight registers: 8 or 16.
//
//	V0 ... V7       blocks
//	V8              round key, loaded for each round
//	V9              CBC: ciphertext before the blocks; CTR: temporary
//	V9, V10, V11    GCM: low, middle, high product; XTS: temporary
//	V12, V13        GCM: blocks to hash, temporary
//	V14             CTR, GCM: next counter, as an integer; XTS: 0x87
//	V15             GCM: hash; XTS: first tweak
//	AX, R8, BX      first round key, last round key, number of rounds
//	DX, SI, DI      bytes left, src, dst
//	R9 ... R13, CX  depend on the mode: see the banners
//	stack           XTS: the next N tweaks and the N after them
//
// # Bound
//
// An AES instruction has a latency of four cycles and two begin in a cycle (Zen 4 and Zen 5,
// YMM too), so that eight registers fill both units. AES-128 takes 80 instructions for eight
// registers: 40 cycles, or 0.31 cycles per byte with XMM and 0.16 with YMM registers. GCM has
// 26 carry-less multiplications besides, one in two cycles: 52 cycles, 0.41 and 0.20.
// Cycles per byte for 16 KiB, measured with AES-128:
//
//	         CBC decryption  CTR    XTS    GCM
//	AES-NI   0.32            0.36   0.43   0.63   Zen 4
//	         0.33            0.35   0.37   0.61   Zen 5
//	VAES     0.16            0.18   0.22   0.33   Zen 4
//	         0.17            0.18   0.19   0.27   Zen 5
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/simd"
	. "github.com/mmcloughlin/avo/build"
)

//go:generate go run . -family aesni -kernel blocks -out ../../../internal/aescore/internal/amd64/blocks_aesni_amd64.s
//go:generate go run . -family aesni -kernel cbcdecrypt -out ../../../internal/aescore/internal/amd64/cbcdecrypt_aesni_amd64.s
//go:generate go run . -family aesni -kernel ctr -out ../../../internal/aescore/internal/amd64/ctr_aesni_amd64.s
//go:generate go run . -family aesni -kernel ccm -out ../../../internal/aescore/internal/amd64/ccm_aesni_amd64.s
//go:generate go run . -family aesni -kernel xts -out ../../../internal/aescore/internal/amd64/xts_aesni_amd64.s
//go:generate go run . -family aesni -kernel gcm -out ../../../internal/aescore/internal/amd64/gcm_aesni_amd64.s
//go:generate go run . -family aesni -kernel packet -out ../../../internal/aescore/internal/amd64/packet_aesni_amd64.s
//go:generate go run . -family vaes256 -kernel blocks -out ../../../internal/aescore/internal/amd64/blocks_vaes256_amd64.s
//go:generate go run . -family vaes256 -kernel cbcdecrypt -out ../../../internal/aescore/internal/amd64/cbcdecrypt_vaes256_amd64.s
//go:generate go run . -family vaes256 -kernel ctr -out ../../../internal/aescore/internal/amd64/ctr_vaes256_amd64.s
//go:generate go run . -family vaes256 -kernel xts -out ../../../internal/aescore/internal/amd64/xts_vaes256_amd64.s
//go:generate go run . -family vaes256 -kernel gcm -out ../../../internal/aescore/internal/amd64/gcm_vaes256_amd64.s

func main() {
	family := flag.String("family", "", "which `family`")
	kernel := flag.String("kernel", "", "which `file` to write")
	flag.Parse()
	ConstraintExpr("!purego")
	switch *family {
	case "aesni":
		familyName, full, perRegister = "AESNI", x, 1
		simd.Legacy = true
	case "vaes256":
		familyName, full, perRegister = "VAES256", y, 2
	default:
		panic("unknown family")
	}
	registerSize = 16 * perRegister
	constantPrefix = *kernel + familyName
	switch *kernel {
	case "blocks":
		ecb(encrypt)
		ecb(decrypt)
	case "cbcdecrypt":
		cbcDecrypt()
	case "ctr":
		ctr()
	case "ccm":
		ccm(false)
		ccm(true)
	case "xts":
		xts(encrypt)
		xts(decrypt)
	case "gcm":
		for _, open := range []bool{false, true} {
			gcm(open)
			gcmTail(open)
		}
	case "packet":
		packetConstants()
		packet(false)
		packet(true)
	default:
		panic("unknown kernel")
	}
	amd64.Generate()
}
