// Command mips writes the ChaCha20-Poly1305 kernels (RFC 8439) for MIPS32 and MIPS64 of
// release 2 or later, big- and little-endian.
//
// # Algorithm
//
// ChaCha20. A block is in 16 registers. A step of a quarter round is ADDU, XOR and ROTR. The
// first double round begins with what does not depend on the counter, which is computed once
// per message.
//
// Poly1305. For each block m, h = (h + m + 2^128) r mod 2^130-5. MIPS32 has words of 32 bits,
// and the sums of products of one weight are made by MADDU in HI:LO:
//
//	t0 = h0 r0 + h1 s3 + h2 s2 + h3 s1                        s_i = r_i + r_i/4
//	t1 = h0 r1 + h1 r0 + h2 s3 + h3 s2 + h4 s1 + carry of t0
//	t2 = h0 r2 + h1 r1 + h2 r0 + h3 s3 + h4 s2 + carry of t1
//	t3 = h0 r3 + h1 r2 + h2 r1 + h3 r0 + h4 s3 + carry of t2
//	t4 = h4 r0 + carry of t3
//
// A carry, a word, is added as a product with 1: that takes one instruction instead of the
// two that write HI and LO. The bits above 2^130, in t4, are added to the next block.
// MIPS64 has words of 64 bits, but no sums of their products:
//
//	h0 r0 + h1 s,  h0 r1 + h1 r0 + h2 s,  h2 r0               s = r1 + r1/4
//
// # Registers
//
//	register      ChaCha20                  Poly1305
//	x             the words of the state
//	t             between instructions
//	h, r, s                                 of the formula
//	carry                                   of sums and products
//	one                                     1
//
// # Bound
//
// On the MIPS 24K, 34K and 1004K, one instruction starts in a cycle. A double round of ChaCha20
// has 96 instructions, so that ten take 15 cycles a byte, less 0.6 for what is computed once.
// State, text and loop add 1.2, and swapped bytes 0.5. Poly1305 takes 3.9 instructions a byte,
// 4.4 with swapped bytes. Each of four sums makes its reader wait four cycles: 1 cycle a byte.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/mips"
)

//go:generate go run . -goarch mips -out ../../../internal/chachapoly/internal/mips/chachapoly_mips.s -declarations ../../../internal/chachapoly/internal/mips/chachapoly_mips.go
//go:generate go run . -goarch mipsle -out ../../../internal/chachapoly/internal/mips/chachapoly_mipsle.s -declarations ../../../internal/chachapoly/internal/mips/chachapoly_mipsle.go
//go:generate go run . -goarch mips64 -out ../../../internal/chachapoly/internal/mips/chachapoly_mips64.s -declarations ../../../internal/chachapoly/internal/mips/chachapoly_mips64.go
//go:generate go run . -goarch mips64le -out ../../../internal/chachapoly/internal/mips/chachapoly_mips64le.s -declarations ../../../internal/chachapoly/internal/mips/chachapoly_mips64le.go

func main() {
	goarch := flag.String("goarch", "mips", "`architecture`, as in GOARCH")
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target(*goarch)}
	prepare(file)
	chacha(file)
	if file.Target.Pointer == 4 {
		poly32(file)
	} else {
		poly64(file)
	}
	file.Write(*out, *declarations)
}

// advance adds n to a pointer.
func advance(file *asm.File, n int, p asm.Reg) asm.Op {
	if file.Target.Pointer == 8 {
		return ADDIVU(n, p, p)
	}
	return ADDIU(n, p, p)
}

// little makes a word of memory little-endian.
func little(file *asm.File, x asm.Reg) (s asm.Stream) {
	if file.Target.BigEndian {
		s.Add(WSBH(x, x), ROTR(16, x, x))
	}
	return s
}
