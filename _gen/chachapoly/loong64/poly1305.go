package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/loong64"
)

func poly1305(file *asm.File, w Width) {
	lanes := int(w) / 8
	f := file.Func("blocks"+w.String(), "(h *[5]uint64, powers *[40]uint64, p *byte, n int)")
	f.Doc = f.Name + ` continues Poly1305 over n > 0 bytes, a multiple of ` + map[Width]string{LSX: "32", LASX: "64"}[w] + `. h has limbs of 26 bits, in the
	end a bit more, and powers those of the power of r for all lanes, then those for the last block of each.`
	f.Secret = "h powers p"
	hp, powers, p, n := f.Arg("h"), f.Arg("powers"), f.Arg("p"), f.Arg("n")
	h, m, r, s := f.Several(Vector, "h", 5), f.Several(Vector, "m", 5), f.Several(Vector, "r", 5), f.Several(Vector, "s", 4)
	t := f.Several(Vector, "t", 5)
	mask, pad := f.New(Vector, "mask"), f.New(Vector, "pad")
	x := f.New(Integer, "x")

	f.Add(MOVI(1<<26-1, x), w.REPLICATE(D, x, mask), MOVI(1<<24, x), w.REPLICATE(D, x, pad))
	for i := range h {
		f.Add(w.REPLICATE(D, ZERO, h[i]), MOVV(8*i, hp, x), w.INSERT(0, x, h[i]))
	}
	load := func() {
		for i := range r {
			f.Add(w.Load(int(w)*i, powers, r[i]))
			if i > 0 {
				f.Add(w.SLLI(D, 2, r[i], s[i-1]), w.ADD(D, r[i], s[i-1], s[i-1]))
			}
		}
	}
	load()
	f.Label("loop")
	f.Add(ADDVI(-16*lanes, n, n), BNE(n, ZERO, "more"))
	f.Add(ADDVI(5*int(w), powers, powers))
	load()
	f.Label("more")
	f.Add(
		w.Load(0, p, t[0]), w.Load(int(w), p, t[1]), ADDVI(2*int(w), p, p),
		w.ILVL(D, t[0], t[1], m[0]), w.ILVH(D, t[0], t[1], m[3]),
		w.SRLI(D, 52, m[0], t[2]), w.SLLI(D, 12, m[3], t[3]),
		w.SRLI(D, 26, m[0], m[1]), w.AND(mask, m[1], m[1]),
		w.OR(t[2], t[3], m[2]), w.AND(mask, m[2], m[2]),
		w.SRLI(D, 40, m[3], m[4]), w.OR(pad, m[4], m[4]),
		w.SRLI(D, 14, m[3], m[3]), w.AND(mask, m[3], m[3]),
		w.AND(mask, m[0], m[0]),
	)
	for i := range h {
		f.Add(w.ADD(D, m[i], h[i], h[i]))
	}
	for i := range 5 { // of h
		for j := range 5 { // of the sum
			factor := r[(j-i+5)%5]
			if j < i {
				factor = s[(j-i+5)%5-1]
			}
			if i == 0 {
				f.Add(w.MULWEV(h[i], factor, t[j]))
			} else {
				f.Add(w.MADDWEV(h[i], factor, t[j]))
			}
		}
	}
	// A carry, and where the last instruction of a limb has its result.
	for _, step := range []struct{ from, to, and, sum asm.Reg }{
		{t[3], t[4], t[3], t[4]}, {t[0], t[1], t[0], t[1]}, {t[4], t[0], t[4], t[0]}, {t[1], t[2], t[1], t[2]},
		{t[2], t[3], h[2], t[3]}, {t[0], t[1], h[0], h[1]}, {t[3], t[4], h[3], h[4]},
	} {
		c := m[0]
		f.Add(w.SRLI(D, 26, step.from, c), w.AND(mask, step.from, step.and))
		if step.to == t[0] {
			f.Add(w.SLLI(D, 2, c, m[1]), w.ADD(D, m[1], c, c))
		}
		f.Add(w.ADD(D, c, step.to, step.sum))
	}
	f.Add(BNE(n, ZERO, "loop"))
	for i := range h {
		if w == LASX {
			f.Add(w.OR(h[i], h[i], t[i]), PERMIQ(1, h[i], t[i]), w.ADD(D, t[i], h[i], h[i]))
		}
		f.Add(w.BSRL(8, h[i], t[i]), w.ADD(D, t[i], h[i], h[i]))
		f.Add(w.PICK(0, h[i], x), SV(x, 8*i, hp))
	}
	f.Add(RET())
}
