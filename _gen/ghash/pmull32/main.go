// Command pmull32 writes the GHASH kernels for 32-bit Arm with VMULL.P64, which multiplies
// polynomials of 64 bits.
//
// # Algorithm
//
// That of _gen/ghash/arm64: Karatsuba's method for 128 bits, sums of products of eight blocks and
// eight powers, and one reduction for all. A rest of less than eight blocks goes through code for
// one.
//
// # Registers
//
//	b                  two blocks, halves swapped
//	high, low, middle  sums of products
//	y                  the hash
//	poly               the upper half of the polynomial
//	h                  two powers; hs the sums of their halves
//	m                  sum of the halves of a block
//	t                  products
//
// # Bound
//
// Two blocks take 6 multiplications, 6 sums of products, 2 of halves, 2 VREV64 and 3 loads, a
// reduction 11: eight blocks are 90 instructions, 0.70 per byte. Cortex-A53 begins a VMULL.P64 in
// a cycle: 26 cycles for 128 bytes.
package main

import (
	"flag"
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm"
)

//go:generate go run . -out ../../../internal/ghash/internal/arm/ghash_pmull_arm.s -go ../../../internal/ghash/internal/arm/ghash_pmull_arm.go

// The table has pairs of powers from H^8 on, and the sums of their halves.
const pairSize = 48

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("go", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	update(file, "updatePMULL", "of NIST SP 800-38D", func(a, d asm.Reg) asm.Op { return VREV(64, 8, a, d) })
	update(file, "updateReversedPMULL", "of RFC 8452, appendix A, in which every block is byte-reversed", func(a, d asm.Reg) asm.Op { return VEXT(8, a, a, d) })
	file.Write(*out, *declarations)
}

func update(file *asm.File, name, order string, swap func(a, d asm.Reg) asm.Op) {
	f := file.Func(name, "(t *PowersPMULL, y, p *byte, n int)")
	f.Doc = fmt.Sprintf("%s continues the hash y over n > 0 bytes, whole blocks, in the order of bytes\n%s.", name, order)
	f.Secret = "t y p"
	t, at, p, n := f.Arg("t"), f.Arg("y"), f.Arg("p"), f.Arg("n")
	y, poly := f.New(Vector, "y"), f.New(Vector, "poly")
	high, low, middle := f.New(Vector, "high"), f.New(Vector, "low"), f.New(Vector, "middle")
	powers, one := f.New(Integer, "powers"), f.New(Integer, "one")
	f.Add(
		VLD1(At(at), []asm.Reg{y}), swap(y, y),
		VMOVI(0xc2, poly), VSHL(64, 56, poly, poly),
		ADD(3*pairSize+16, t, one), // H
	)
	// multiply adds the products of a block and a power, whose sum of halves is s.
	multiply := func(b, h asm.Reg, s Half, first bool) {
		m := f.New(Vector, "m")
		f.Add(VEORH(Low(b), High(b), Low(m)))
		if first {
			f.Add(VMULL(64, Low(h), Low(b), high), VMULL(64, High(h), High(b), low), VMULL(64, s, Low(m), middle))
			return
		}
		u := f.Several(Vector, "t", 3)
		f.Add(
			VMULL(64, Low(h), Low(b), u[0]), VMULL(64, High(h), High(b), u[1]), VMULL(64, s, Low(m), u[2]),
			VEOR(u[0], high, high), VEOR(u[1], low, low), VEOR(u[2], middle, middle),
		)
	}
	reduce := func() {
		t, u := f.New(Vector, "t"), f.New(Vector, "u")
		f.Add(
			VMULL(64, Low(poly), Low(low), t),
			VEOR(high, middle, middle),
			VEXT(8, low, low, u),
			VEOR(low, middle, middle),
			VEOR(t, u, u),
			VEOR(middle, u, u),
			VMULL(64, Low(poly), Low(u), t),
			VEOR(t, high, high),
			VEXT(8, high, high, y),
			VEOR(u, y, y),
		)
	}
	f.Add(SUBS(128, n, n), BLO("rest"))
	f.Label("eight")
	f.Add(MOVW(t, powers))
	for i := 0; i < 8; i += 2 {
		b, h, hs := f.Group(Vector, "b", 2, 1), f.Group(Vector, "h", 2, 1), f.Group(Vector, "hs", 1, 1)
		f.Add(VLD1(Post(p), b), VLD1(Post(powers), h), VLD1(Post(powers), hs), swap(b[0], b[0]), swap(b[1], b[1]))
		if i == 0 {
			f.Add(VEOR(y, b[0], b[0]))
		}
		multiply(b[0], h[0], Low(hs[0]), i == 0)
		multiply(b[1], h[1], High(hs[0]), false)
	}
	reduce()
	f.Add(SUBS(128, n, n), BHS("eight"))
	f.Label("rest")
	f.Add(ADDS(128, n, n), BEQ("end"))
	h := f.Group(Vector, "h", 2, 1) // H, and the sums of halves of it and of H^2
	f.Add(VLD1(At(one), h))
	f.Label("one")
	b := f.Group(Vector, "b", 1, 1)
	f.Add(VLD1(Post(p), b), swap(b[0], b[0]), VEOR(y, b[0], b[0]))
	multiply(b[0], h[0], High(h[1]), true)
	reduce()
	f.Add(SUBS(16, n, n), BNE("one"))
	f.Label("end")
	f.Add(swap(y, y), VST1([]asm.Reg{y}, At(at)), RET())
}
