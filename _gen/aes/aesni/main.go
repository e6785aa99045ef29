// Command aesni writes the AES kernels of internal/aescore/internal/amd64 that keep up to
// eight registers of blocks in flight: XMM registers with AES-NI in the legacy
// encodings, or YMM registers with VAES. The two have the same generator;
// package simd chooses the encoding.
//
// A round takes 4 to 7 cycles, and one or two can start in a cycle: eight
// registers keep all but the widest machines busy. What is left at the end goes
// through four registers, one register, one block. These do not depend on one
// another, so that a machine which executes out of order works on all of them
// at once.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/simd"
	. "github.com/mmcloughlin/avo/build"
)

//go:generate go run . -family aesni -kernel blocks -out ../../../internal/aescore/internal/amd64/blocks_aesni_amd64.s
//go:generate go run . -family aesni -kernel cbcdecrypt -out ../../../internal/aescore/internal/amd64/cbcdecrypt_aesni_amd64.s
//go:generate go run . -family aesni -kernel ctr -out ../../../internal/aescore/internal/amd64/ctr_aesni_amd64.s
//go:generate go run . -family aesni -kernel xts -out ../../../internal/aescore/internal/amd64/xts_aesni_amd64.s
//go:generate go run . -family aesni -kernel gcm -out ../../../internal/aescore/internal/amd64/gcm_aesni_amd64.s
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
		suffix, v, blocks = "AESNI", x, 1
		simd.Legacy = true
	case "vaes256":
		suffix, v, blocks = "VAES256", y, 2
	default:
		panic("unknown family")
	}
	size = 16 * blocks
	prefix = *kernel + suffix
	switch *kernel {
	case "blocks":
		ecb(encrypt)
		ecb(decrypt)
	case "cbcdecrypt":
		cbcDecrypt()
	case "ctr":
		ctr()
	case "xts":
		xts(encrypt)
		xts(decrypt)
	case "gcm":
		for _, open := range []bool{false, true} {
			gcm(open)
			gcmTail(open)
		}
	default:
		panic("unknown kernel")
	}
	Generate()
}
