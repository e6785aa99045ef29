package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/mips"
)

// poly32 writes Poly1305 in words of 32 bits.
func poly32(file *asm.File) {
	f := file.Func("blocks", "(h *[3]uint64, r *[2]uint64, p *byte, n int)")
	f.Doc = `blocks continues Poly1305 over n > 0 bytes, whole blocks at multiples of 4: h = (h + m +
		2^128) r mod 2^130-5, where h[2] <= 4 before and after, and r is clamped.`
	f.Banner = `63 instructions for a block, 20 of them products, and 8 more if bytes are swapped. r_i is
		below 2^28 and s_i below 5/4 of that, so that the sums stay below 2^63. h4 is at most 6.`
	f.Secret = "h r p"
	h, r, s := f.Several(Integer, "h", 5), f.Several(Integer, "r", 4), f.Several(Integer, "s", 3)
	at, n, one := f.New(Integer, "at"), f.New(Integer, "n"), f.New(Integer, "one")
	g := f.Several(Integer, "g", 4) // h0 to h3 of every other block
	carry, m, fold := f.Several(Integer, "carry", 2), f.Several(Integer, "m", 2), f.New(Integer, "fold")
	// word is the place of word i of a number in words of 64 bits.
	word := func(i int) int {
		if file.Target.BigEndian {
			i ^= 1
		}
		return 4 * i
	}
	f.LoadArg("h", at)
	for i := range h {
		f.Add(LW(word(i), at, h[i]))
	}
	f.LoadArg("r", at)
	for i := range r {
		f.Add(LW(word(i), at, r[i]))
	}
	for i := range s {
		f.Add(SRL(2, r[i+1], s[i]), ADDU(r[i+1], s[i], s[i]))
	}
	p := f.Arg("p")
	f.LoadArg("n", n)
	f.Add(MOVI(1, one))

	// reduce takes what is above 2^130 out of h4, and adds five times that to h0, with a
	// carry.
	reduce := func(h []asm.Reg) (c asm.Stream) {
		c.Add(
			SRL(2, h[4], fold),
			ANDI(3, h[4], h[4]),
			SLL(2, fold, carry[0]),
			ADDU(carry[0], fold, fold),
			ADDU(fold, h[0], h[0]),
			SGTU(fold, h[0], carry[0]),
		)
		return c
	}
	block := func(offset int, h, next []asm.Reg) (c asm.Stream) {
		c.Add(reduce(h)...)
		for i := range 4 {
			m := m[i%2]
			c.Add(In("text", LW(offset+4*i, p, m)))
			c.Add(little(file, m)...)
			if i > 0 {
				c.Add(ADDU(carry[0], h[i], h[i]), SGTU(carry[0], h[i], carry[0]))
			}
			c.Add(ADDU(m, h[i], h[i]), SGTU(m, h[i], carry[1]), ADDU(carry[1], carry[0], carry[0]))
		}
		c.Add(ADDU(carry[0], h[4], h[4]), ADDIU(1, h[4], h[4]))

		// The factors of h in the sum of weight w.
		factor := func(i, w int) asm.Reg {
			if i <= w {
				return r[w-i]
			}
			return s[3+w-i]
		}
		for w := range 4 {
			c.Add(MULTU(h[0], factor(0, w)))
			for i := 1; i < 4; i++ {
				c.Add(MADDU(h[i], factor(i, w)))
			}
			if w > 0 {
				c.Add(MADDU(h[4], s[w-1]), MADDU(carry[0], one))
			}
			c.Add(MFLO(next[w]), MFHI(carry[0]))
		}
		c.Add(MUL(h[4], r[0], h[4]), ADDU(carry[0], h[4], h[4]))
		return c
	}

	f.Add(ADDIU(-32, n, n), SRL(31, n, carry[0]), BNE(carry[0], ZERO, "rest"))
	f.Label("blocks")
	g = append(g, h[4])
	f.Add(asm.Schedule(append(block(0, h, g), block(16, g, h)...), M24K)...)
	f.Add(ADDIU(-32, n, n), SRL(31, n, carry[0]), ADDIU(32, p, p), BEQ(carry[0], ZERO, "blocks"))
	f.Label("rest")
	f.Add(ADDIU(32, n, n), BEQ(n, ZERO, "done"))
	f.Add(asm.Schedule(block(0, h, g), M24K)...)
	for i := range 4 {
		f.Add(MOVR(g[i], h[i]))
	}

	f.Label("done")
	f.Add(reduce(h)...)
	for i := 1; i < 4; i++ {
		f.Add(ADDU(carry[0], h[i], h[i]), SGTU(carry[0], h[i], carry[0]))
	}
	f.Add(ADDU(carry[0], h[4], h[4]))
	f.LoadArg("h", at)
	for i := range h {
		f.Add(SW(h[i], word(i), at))
	}
	f.Add(SW(ZERO, word(5), at), RET())
}

// poly64 writes Poly1305 in words of 64 bits.
func poly64(file *asm.File) {
	f := file.Func("blocks", "(h *[3]uint64, r *[2]uint64, p *byte, n int)")
	f.Doc = `blocks continues Poly1305 over n > 0 bytes, whole blocks at multiples of 8: h = (h + m +
		2^128) r mod 2^130-5, where h[2] <= 4 before and after, and r is clamped.`
	f.Banner = `45 instructions for a block, 6 of them products, and 4 more if bytes are swapped. Upper
		halves of products with the 60 bits of r add up without carries.`
	f.Secret = "h r p"
	h, r, s := f.Several(Integer, "h", 3), f.Several(Integer, "r", 2), f.New(Integer, "s")
	at, n, carry := f.New(Integer, "at"), f.New(Integer, "n"), f.Several(Integer, "carry", 2)
	low, high := f.Several(Integer, "low", 6), f.Several(Integer, "high", 4)
	f.LoadArg("h", at)
	for i := range h {
		f.Add(LD(8*i, at, h[i]))
	}
	f.LoadArg("r", at)
	for i := range r {
		f.Add(LD(8*i, at, r[i]))
	}
	f.Add(SRLV(2, r[1], s), ADDVU(r[1], s, s))
	p := f.Arg("p")
	f.LoadArg("n", n)

	// reduce takes what is above 2^130 out of h[2], and adds five times that to h[0], with a
	// carry.
	reduce := asm.Stream{
		SRLV(2, h[2], low[0]),
		ANDI(3, h[2], h[2]),
		SLLV(2, low[0], carry[0]),
		ADDVU(carry[0], low[0], low[0]),
		ADDVU(low[0], h[0], h[0]),
		SGTU(low[0], h[0], carry[0]),
	}
	c := reduce[:len(reduce):len(reduce)]
	for i := range 2 {
		m := low[i]
		c.Add(In("text", LD(8*i, p, m)))
		if file.Target.BigEndian {
			c.Add(DSBH(m, m), DSHD(m, m))
		}
		if i > 0 {
			c.Add(ADDVU(carry[0], h[i], h[i]), SGTU(carry[0], h[i], carry[0]))
		}
		c.Add(ADDVU(m, h[i], h[i]), SGTU(m, h[i], carry[1]), ADDVU(carry[1], carry[0], carry[0]))
	}
	c.Add(ADDVU(carry[0], h[2], h[2]), ADDIVU(1, h[2], h[2]))
	for i, factors := range [][2]asm.Reg{{h[0], r[0]}, {h[0], r[1]}, {h[1], r[0]}, {h[1], s}, {h[2], s}, {h[2], r[0]}} {
		c.Add(MULVU(factors[0], factors[1]), MFLOV(low[i]))
		if i < 4 {
			c.Add(MFHIV(high[i]))
		}
	}
	c.Add(
		ADDVU(low[3], low[0], h[0]),
		SGTU(low[3], h[0], carry[0]),
		ADDVU(high[3], high[0], high[0]),
		ADDVU(low[4], high[0], high[0]),
		ADDVU(carry[0], high[0], high[0]),
		ADDVU(low[1], low[2], h[1]),
		SGTU(low[1], h[1], carry[1]),
		ADDVU(high[0], h[1], h[1]),
		SGTU(high[0], h[1], carry[0]),
		ADDVU(high[1], high[2], high[2]),
		ADDVU(low[5], high[2], high[2]),
		ADDVU(carry[1], high[2], high[2]),
		ADDVU(carry[0], high[2], h[2]),
	)

	f.Label("block")
	f.Add(asm.Schedule(c, M24K)...)
	f.Add(ADDIVU(-16, n, n), ADDIVU(16, p, p), BNE(n, ZERO, "block"))

	f.Add(reduce...)
	f.Add(
		ADDVU(carry[0], h[1], h[1]),
		SGTU(carry[0], h[1], carry[0]),
		ADDVU(carry[0], h[2], h[2]),
	)
	f.LoadArg("h", at)
	for i := range h {
		f.Add(SD(h[i], 8*i, at))
	}
	f.Add(RET())
}
