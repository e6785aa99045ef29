// Command arm64 writes the ChaCha20-Poly1305 kernels (RFC 8439) for AArch64 with NEON.
//
// ChaCha20: 16 words of state, ten double rounds of a += b; d = (d ^ a) <<< 16; c += d;
// b = (b ^ c) <<< 12; the same with 8 and 7. Four blocks at a time have word i of each in
// one register, so that rounds need no permutations. Rotations are REV32 (16), TBL (8), and
// SHL with SRI, which XOR three instructions for each of two halves otherwise.
//
// Poly1305: h = (h + block + 2^128) r mod 2^130-5, in words of 64 bits, with r = r0 +
// 2^64 r1. r is clamped, so r1 is a multiple of 4, and 2^128 r1 = 2^130 r1/4 = 5 r1/4
// mod p. With s = r1 + r1/4 and the columns of 64 bits
//
//	h0 r0 + h1 s,  h0 r1 + h1 r0 + h2 s,  h2 r0
//
// what is above 2^130 comes back as 5 times the number: its multiple of 4 and a quarter
// of that. h stays below 2^131, so that h2 <= 4 and its products have one word.
//
//	      | ChaCha20, four blocks      | two blocks
//	x     | word i of all in x[i]      | rows of one block in x[0:4], x[4:8]
//	row   | the initial state, 4 words each; row[3] has the counter
//	table | indices for TBL; {0, 1, 2, 3}; {1, 0, 0, 0}
//	t     | temporaries, and 128 bytes of data
//
// Both at once: the multiplications run in the integer units, which ChaCha20 leaves idle.
package main

import (
	"encoding/binary"
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

//go:generate go run . -out ../../../internal/chachapoly/internal/arm64/chachapoly_neon_arm64.s -declarations ../../../internal/chachapoly/internal/arm64/chachapoly_neon_arm64.go

func main() {
	out := flag.String("out", "", "assembly file to write")
	declarations := flag.String("declarations", "", "Go file to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	tables := file.Table("chachaTables", "Indices of TBL for a rotation by 8 of each word; {0, 1, 2, 3}; {1, 0, 0, 0}.", words(
		0x02010003, 0x06050407, 0x0a09080b, 0x0e0d0c0f,
		0, 1, 2, 3,
		1, 0, 0, 0))
	passes(file, tables)
	pair(file, tables)
	blocks(file)
	file.Write(*out, *declarations)
}

func words(list ...uint32) (data []byte) {
	for _, w := range list {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}
