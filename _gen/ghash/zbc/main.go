// Command zbc writes the GHASH kernels of internal/ghash/internal/riscv64 that use the scalar
// carry-less multiplication of RISC-V (Zbkc, a part of Zbc) and byte reversal (Zbb).
//
// # Algorithm
//
// A field element is kept byte-reversed in two words, and the powers of the hash key are
// multiplied by x beforehand, so that no product needs a shift: see package ghash. The product
// of (a1, a0) and (h1, h0) has three parts (Karatsuba):
//
//	lo = a0 h0    hi = a1 h1    mid = (a0 + a1) (h0 + h1) - lo - hi
//
// Four blocks are multiplied by H^4 to H, and their products are added before one reduction.
// It multiplies the lowest word by c2 2^56, the polynomial without its highest and lowest
// bits, and adds it to the next one, twice.
//
// # Registers
//
//	register       what
//	h              H^4 to H: words low and high
//	lo, mid, hi    sums of products
//	a              the words of a block, of two blocks in turn, and a0 + a1
//	t              products
//
// # Bound
//
// SpacemiT X60: 28 multiplications for 64 bytes. If they take three cycles, as those of
// integers, that is 84 cycles, 1.3 cycles a byte. No figure for them is published. There are
// 87 instructions, 1.4 a byte, of which two start in a cycle.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

//go:generate go run . -out ../../../internal/ghash/internal/riscv64/ghash_zbc_riscv64.s -declarations ../../../internal/ghash/internal/riscv64/ghash_zbc_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	update(file, "updateZBC", false)
	update(file, "updateReversedZBC", true)
	file.Write(*out, *declarations)
}

// update writes the hash of blocks whose bytes are in the order of GCM or of POLYVAL.
func update(file *asm.File, name string, reversed bool) {
	f := file.Func(name, "(t *PowersZBC, y, p *byte, n int)")
	order := "NIST SP 800-38D"
	if reversed {
		order = "RFC 8452, appendix A, in which every block is byte-reversed"
	}
	f.Doc = name + ` continues the hash y over n > 0 bytes, whole blocks. y and p are at multiples
		of 8. The order of bytes is that of ` + order + `.`
	f.Banner = "87 instructions for four blocks."
	f.Secret = "t y p"
	powers, y, p, n := f.Arg("t"), f.New(Integer, "y"), f.Arg("p"), f.New(Integer, "n")
	h := f.Several(Integer, "h", 8)
	lo, mid, hi := f.Several(Integer, "lo", 2), f.Several(Integer, "mid", 2), f.Several(Integer, "hi", 2)
	a, t, poly := f.Several(Integer, "a", 4), f.Several(Integer, "t", 2), f.New(Integer, "poly")
	state := a[2:4] // between reductions

	// load reads the words of a block, the low one first.
	load := func(offset int, from asm.Reg, to []asm.Reg) (s asm.Stream) {
		if reversed {
			return asm.Stream{MOV(offset, from, to[0]), MOV(offset+8, from, to[1])}
		}
		return asm.Stream{
			MOV(offset, from, to[1]), MOV(offset+8, from, to[0]),
			REV8(to[1], to[1]), REV8(to[0], to[0]),
		}
	}
	// add adds a product of words to a sum.
	add := func(x, y asm.Reg, acc []asm.Reg, first bool) (s asm.Stream) {
		if first {
			return asm.Stream{CLMUL(x, y, acc[0]), CLMULH(x, y, acc[1])}
		}
		return asm.Stream{CLMUL(x, y, t[0]), CLMULH(x, y, t[1]), XOR(t[0], acc[0], acc[0]), XOR(t[1], acc[1], acc[1])}
	}
	// multiply adds the product of a block and a power, H^(i+1).
	multiply := func(x []asm.Reg, i int, first bool) (s asm.Stream) {
		sum := x[0]
		s.Add(add(x[0], h[2*i], lo, first)...)
		s.Add(XOR(x[1], x[0], sum))
		s.Add(add(x[1], h[2*i+1], hi, first)...)
		if first {
			s.Add(In("powers", MOV(24*i+16, powers, t[0])), CLMUL(sum, t[0], mid[0]), CLMULH(sum, t[0], mid[1]))
			return s
		}
		s.Add(
			In("powers", MOV(24*i+16, powers, t[0])),
			CLMULH(sum, t[0], t[1]),
			CLMUL(sum, t[0], t[0]),
			XOR(t[1], mid[1], mid[1]),
			XOR(t[0], mid[0], mid[0]),
		)
		return s
	}
	reduce := func() asm.Stream {
		return asm.Stream{
			// mid - lo - hi, and its place in the words lo0, lo1, hi0, hi1.
			XOR(lo[0], mid[0], mid[0]), XOR(lo[1], mid[1], mid[1]),
			XOR(hi[0], mid[0], mid[0]), XOR(hi[1], mid[1], mid[1]),
			XOR(mid[0], lo[1], lo[1]), XOR(mid[1], hi[0], hi[0]),
			CLMUL(poly, lo[0], t[0]), CLMULH(poly, lo[0], t[1]),
			XOR(lo[0], hi[0], hi[0]),
			XOR(t[0], lo[1], lo[1]),
			XOR(t[1], hi[0], hi[0]),
			CLMUL(poly, lo[1], t[0]), CLMULH(poly, lo[1], t[1]),
			XOR(lo[1], hi[1], hi[1]),
			XOR(t[0], hi[0], state[0]),
			XOR(t[1], hi[1], state[1]),
		}
	}

	f.LoadArg("n", n)
	f.Add(MOVI(0xc2, poly), SLLI(56, poly, poly))
	for i := range 4 {
		f.Add(MOV(24*i, powers, h[2*i]), MOV(24*i+8, powers, h[2*i+1]))
	}
	f.LoadArg("y", y)
	f.Add(load(0, y, state)...)
	f.Add(ADDI(-64, n, n), BLTZ(n, "rest"))

	f.Label("four")
	var s asm.Stream
	s.Add(load(0, p, a[:2])...)
	s.Add(XOR(state[0], a[0], a[0]), XOR(state[1], a[1], a[1]))
	s.Add(multiply(a[:2], 3, true)...)
	for i := 1; i < 4; i++ {
		x := a[2*(i%2):][:2]
		s.Add(load(16*i, p, x)...)
		s.Add(multiply(x, 3-i, false)...)
	}
	s.Add(reduce()...)
	s.Add(ADDI(64, p, p), ADDI(-64, n, n))
	f.Add(asm.Schedule(s, X60)...)
	f.Add(BGEZ(n, "four"))

	f.Label("rest")
	f.Add(ADDI(64, n, n), BEQZ(n, "done"))
	f.Label("one")
	s = load(0, p, a[:2])
	s.Add(XOR(state[0], a[0], a[0]), XOR(state[1], a[1], a[1]))
	s.Add(multiply(a[:2], 0, true)...)
	s.Add(reduce()...)
	s.Add(ADDI(16, p, p), ADDI(-16, n, n))
	f.Add(asm.Schedule(s, X60)...)
	f.Add(BNEZ(n, "one"))

	f.Label("done")
	f.LoadArg("y", y)
	if reversed {
		f.Add(SD(state[0], 0, y), SD(state[1], 8, y))
	} else {
		f.Add(REV8(state[0], state[0]), REV8(state[1], state[1]), SD(state[1], 0, y), SD(state[0], 8, y))
	}
	f.Add(RET())
}
