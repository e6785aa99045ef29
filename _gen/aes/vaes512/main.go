// Command vaes512 writes the AES kernels of internal/aescore/internal/amd64 for CPUs with
// VAES, VPCLMULQDQ and AVX-512, and those that all CPUs with AES-NI share: the
// key schedule and encryption in CBC mode, which is serial.
//
// Kernels for many blocks hold all round keys in registers, broadcast, and work
// on 8 registers of 4 blocks: an AES instruction takes 4 cycles and two begin
// per cycle. What is left over goes through passes of 1 to 4 registers, the last
// one masked; the CPU overlaps them with what is before.
package main

import (
	"flag"
	"strings"

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
	Generate()
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
