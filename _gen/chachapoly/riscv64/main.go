// Command riscv64 writes the ChaCha20-Poly1305 kernels (RFC 8439) for RISC-V: with Zba and
// Zbb, with vectors (V), and with vectors that rotate (Zvkb).
//
// # Algorithm
//
// ChaCha20. A quarter round of the words a, b, c and d is
//
//	a += b; d = (d ^ a) <<< 16; c += d; b = (b ^ c) <<< 12
//	a += b; d = (d ^ a) <<< 8;  c += d; b = (b ^ c) <<< 7
//
// A double round is four of them on the columns of a block and four on its diagonals. With
// Zbb a block is in integer registers. With vectors, register i has word i of as many blocks
// as it has words. Without Zvkb a rotation is x <<< n = (x >> 32-n) + x 2^n: the X60 adds a
// product in half the time of a shift.
//
// Poly1305. For each block m, h = (h + m + 2^128) r mod 2^130-5. In integer registers there
// are words of 64 bits, as on arm64:
//
//	h0 r0 + h1 s,  h0 r1 + h1 r0 + h2 s,  h2 r0    s = r1 + r1/4
//
// In vectors there are five limbs of 26 bits in words of 32, and the products p are twice as
// wide, without carries between them:
//
//	p_i = sum of h_j r_(i-j) for j <= i and of 5 h_j r_(5+i-j) for j > i
//
// Lane j of L has the blocks j, j+L, ..., and multiplies by r^L, at last by r^(L-j).
//
// # Registers
//
//	register    with vectors, ChaCha20                with vectors, Poly1305
//	x           word i of all blocks in x[i]
//	half        d and b between halves of a quarter
//	h, message                                        limbs
//	product                                           twice as wide, in pairs
//	power                                             r^L to r in the lanes
//	word        words of the initial state            words of the message
//	r, s                                              r^L and five times that, integers
//
// # Bound
//
// The vector unit of the X60 is the bound, by the model in package riscv64. A double round of
// ChaCha20 has 32 additions of 1 cycle, 32 XORs of 2, 24 rotations with a shift of 3, and 8
// with two products of 2: 184 cycles, and takes 199. With Zvkb it is 160, and takes 161.
// Poly1305 needs 115 cycles for a block of each lane, 25 of them for the load, and takes 118.
//
// In integer registers the X60 starts two instructions in a cycle. A double round has 96, and
// takes 48 cycles. Poly1305 is a chain: 163 cycles for four blocks, in 120 of which the
// multiplier is busy.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

//go:generate go run . -kernels zbb -out ../../../internal/chachapoly/internal/riscv64/chachapoly_zbb_riscv64.s -declarations ../../../internal/chachapoly/internal/riscv64/chachapoly_zbb_riscv64.go
//go:generate go run . -kernels rvv -out ../../../internal/chachapoly/internal/riscv64/chachapoly_rvv_riscv64.s -declarations ../../../internal/chachapoly/internal/riscv64/chachapoly_rvv_riscv64.go -older ../../../internal/chachapoly/internal/riscv64/chachapoly_rvv_older_riscv64.go

func main() {
	kernels := flag.String("kernels", "", "which file")
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	switch *kernels {
	case "zbb":
		scalar(file)
		prepare(file)
		zbb(file)
	case "rvv":
		poly(file)
		vectors(file, false)
		vectors(file, true)
		xor(file)
	default:
		panic("no such kernels: " + *kernels)
	}
	file.Write(*out, *declarations)
}
