// Command arm64 writes the ChaCha20-Poly1305 kernels (RFC 8439) for AArch64 with NEON.
//
// # Algorithm
//
// ChaCha20. A quarter round of the words a, b, c and d is
//
//	a += b; d = (d ^ a) <<< 16; c += d; b = (b ^ c) <<< 12
//	a += b; d = (d ^ a) <<< 8;  c += d; b = (b ^ c) <<< 7
//
// A double round is four of them on the columns of a block and four on its diagonals. Four
// blocks are processed at once: each register has the same word of all, so that diagonals
// are only other registers. They need half of the registers, so that two blocks more fit beside
// them in long messages, as rows: a register has four words of one block. Rotations by 16 and 8
// are one instruction (VREV32, VTBL), the others two (VSHL, VSRI).
//
// Poly1305. For each block m, h = (h + m + 2^128) r mod 2^130-5, in words of 64 bits. r1 is
// a multiple of 4, so 2^128 r1 = 2^130 r1/4 = 5 r1/4 = r1 + r1/4 = s, and the columns are
//
//	h0 r0 + h1 s,  h0 r1 + h1 r0 + h2 s,  h2 r0
//
// The bits above 2^130 are multiplied by 5 and added. h stays below 2^131: h2 <= 4, so that
// its products have no upper half.
//
// Poly1305 uses integer registers, and runs between the vector instructions of ChaCha20.
//
// # Registers
//
//	register    with four blocks        with two blocks
//	x           word i of all in x[i]   rows of one in x[0:4], of the other in x[4:8]
//	y                                   rows of two blocks beside four
//	row         the initial state, four words each; row[3] has the counter
//	t           temporaries; 128 bytes of data
//	h, r, s     words of h and r; r1 + r1/4
//	low, high   halves of products
//
// # Bound
//
// The bound is the chain of a quarter round: by llvm-mca's model of Cortex-A72 45 cycles,
// 180 for two double rounds. They take 184, with three blocks of Poly1305 and without. The
// two vector pipes are busy in 128 of them. On Neoverse N1 it is 128 cycles, both ways. With six
// blocks it is 204 and 184, when the pipes are busy nearly always.
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
	tables := file.Table("chachaTables", "Indices of TBL for a rotation by 8 of each word; {0, 1, 2, 3}; {1, 0, 0, 0}; {4, 0, 0, 0}.", words(
		0x02010003, 0x06050407, 0x0a09080b, 0x0e0d0c0f,
		0, 1, 2, 3,
		1, 0, 0, 0,
		4, 0, 0, 0))
	passes4(file, tables)
	passes6(file, tables)
	stream(file, tables)
	pair(file, tables)
	block(file)
	hChaCha(file)
	blocks(file)
	file.Write(*out, *declarations)
}

func words(list ...uint32) (data []byte) {
	for _, w := range list {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}
