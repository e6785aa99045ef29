package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/keccak/fips202"
)

// begin loads two states.
func begin(file *asm.File, table *asm.Table, name, doc, banner string) (f *asm.Func, a asm.Reg, v []asm.Reg, next asm.Reg) {
	f = file.Func(name, "(a *[200]uint64)")
	f.Doc, f.Banner, f.Secret = doc, banner, "a"
	a, next = f.Arg("a"), f.New(Integer, "next")
	v = f.Several(Vector, "v", 32)
	f.Add(MOVD(table, next))
	for i := 0; i < 24; i += 2 {
		f.Add(FLDPQ(At(a, 16*i), v[i], v[i+1]))
	}
	f.Add(FMOVQ(At(a, 16*24), v[24]))
	return f, a, v, next
}

// end stores them.
func end(f *asm.Func, a asm.Reg, lane []asm.Reg) {
	for i := 0; i < 24; i += 2 {
		f.Add(FSTPQ(lane[i], lane[i+1], At(a, 16*i)))
	}
	f.Add(FMOVQ(lane[24], At(a, 16*24)), RET())
}

func permuteWideSHA3(file *asm.File, table *asm.Table) {
	f, a, v, next := begin(file, table, "permuteWideSHA3", `permuteWideSHA3 is Keccak-f[1600] of two states, with the SHA3 instructions: a[2i+k] is lane i of state k.`,
		"Rounds are written out, so that nothing is copied.")
	lane, free := [25]asm.Reg(v), append([]asm.Reg(nil), v[25:]...)
	take := func() asm.Reg {
		r := free[0]
		free = free[1:]
		return r
	}
	release := func(r asm.Reg) { free = append(free, r) }
	for r := range 24 {
		f.Remark("Round %d", r)
		var c [5]asm.Reg
		for x := range c {
			c[x] = take()
			f.Add(
				VEOR3(lane[x+10], lane[x+5], lane[x], c[x]),
				VEOR3(lane[x+20], lane[x+15], c[x], c[x]),
			)
		}
		// D of a column takes the place of the parity that is not needed any more.
		var d [5]asm.Reg
		for i, x := range []int{0, 2, 4, 1, 3} {
			if d[x] = c[(x+4)%5]; i == 0 {
				d[x] = take()
			}
			f.Add(VRAX1(c[(x+1)%5], c[(x+4)%5], d[x]))
		}
		release(c[4])
		// Rho and pi are one cycle of 24 lanes. The place of the first one is free when it has
		// been read.
		var b [25]asm.Reg
		f.Add(VEOR(d[0], lane[0], lane[0]))
		b[0] = lane[0]
		free1 := take()
		for to, n := 10, 0; n < 24; n++ { // lane 1 goes to 10
			from := fips202.Plane[to/5][to%5]
			if n == 0 && from.Lane != 1 {
				panic("keccak: lane 1 does not go there")
			}
			b[to] = free1
			f.Add(VXAR(64-int(from.Rotate), d[from.Lane%5], lane[from.Lane], b[to]))
			free1 = lane[from.Lane]
			to = goesTo(to)
		}
		release(free1)
		for _, r := range d {
			release(r)
		}
		for y := range 5 {
			b := b[5*y : 5*y+5]
			o := [5]asm.Reg{take(), take(), b[2], b[3], b[4]}
			for x := range o {
				f.Add(VBCAX(b[(x+1)%5], b[(x+2)%5], b[x], o[x]))
			}
			release(b[0])
			release(b[1])
			if y == 0 {
				t := take()
				f.Add(VLD1R(D2, Post(next, 8), t), VEOR(t, o[0], o[0]))
				release(t)
			}
			copy(lane[5*y:], o[:])
		}
	}
	end(f, a, lane[:])
}

// goesTo returns where pi moves a lane.
func goesTo(lane int) int {
	x, y := lane%5, lane/5
	return y + 5*((2*x+3*y)%5)
}

func permuteWideNEON(file *asm.File, table *asm.Table) {
	f, a, v, next := begin(file, table, "permuteWideNEON", `permuteWideNEON is permuteWideSHA3 without the SHA3 instructions.`,
		"Lanes stay where they are, but for one that a cycle of 24 begins and ends with.")
	lane, c, t := v[:25], v[25:30], v[30:]
	rol := func(n int, x, d asm.Reg) {
		switch n {
		case 1:
			f.Add(VADD(D2, x, x, d), VSRI(D2, 63, x, d))
		default:
			f.Add(VSHL(D2, n, x, d), VSRI(D2, 64-n, x, d))
		}
	}
	rounds := f.New(Integer, "rounds")
	f.Add(MOVD(24, rounds))
	f.Label("round")
	for x := range 5 {
		f.Add(VEOR(lane[x+5], lane[x], c[x]))
	}
	for y := 2; y < 5; y++ {
		for x := range 5 {
			f.Add(VEOR(lane[x+5*y], c[x], c[x]))
		}
	}
	// D of a column takes the place of the parity that is not needed any more.
	for i, x := range []int{0, 2, 4, 1, 3} {
		d := t[i&1]
		rol(1, c[(x+1)%5], d)
		f.Add(VEOR(c[(x+4)%5], d, d))
		for y := range 5 {
			f.Add(VEOR(d, lane[x+5*y], lane[x+5*y]))
		}
	}
	f.Add(VMOV(lane[1], t[0]))
	for to := 1; ; {
		from := fips202.Plane[to/5][to%5]
		if from.Lane == 1 {
			rol(int(from.Rotate), t[0], lane[to])
			break
		}
		rol(int(from.Rotate), lane[from.Lane], lane[to])
		to = from.Lane
	}
	f.Add(VLD1R(D2, Post(next, 8), t[0]))
	for y := range 5 {
		b := lane[5*y : 5*y+5]
		for x := range b {
			f.Add(VBIC(b[(x+1)%5], b[(x+2)%5], c[x]))
		}
		for x := range b {
			f.Add(VEOR(c[x], b[x], b[x]))
		}
		if y == 0 {
			f.Add(VEOR(t[0], b[0], b[0]))
		}
	}
	f.Add(SUB(1, rounds, rounds), CBNZ(rounds, "round"))
	end(f, a, lane)
}

// blocks adds blocks to the states, or copies them from there.
func blocks(file *asm.File, absorb bool) {
	name, doc := "squeezeWideNEON", "squeezeWideNEON copies a block of each of two states: a[2i+k] to word i at p[k]."
	if absorb {
		name, doc = "absorbWideNEON", "absorbWideNEON adds a block to each of two states: word i at p[k] to a[2i+k]."
	}
	f := file.Func(name, "(a *[200]uint64, p *[8]*byte, words int)")
	f.Doc = doc + " words is 17 or 21."
	f.Secret = "a p"
	f.Cases = []string{"words=17|21"}
	a, p, words := f.Arg("a"), f.Arg("p"), f.Arg("words")
	p0, p1 := f.New(Integer, "p0"), f.New(Integer, "p1")
	f.Add(LDP(At(p, 0), p0, p1))
	x, y, state := f.Several(Vector, "x", 2), f.Several(Vector, "y", 2), f.Several(Vector, "state", 2)
	both := func() {
		if absorb {
			f.Add(
				VLD1(B16, Post(p0, 16), x[0]), VLD1(B16, Post(p1, 16), x[1]), FLDPQ(At(a, 0), state[0], state[1]),
				VZIP1(D2, x[1], x[0], y[0]), VZIP2(D2, x[1], x[0], y[1]),
				VEOR(y[0], state[0], state[0]), VEOR(y[1], state[1], state[1]),
				FSTPQ(state[0], state[1], Post(a, 32)),
			)
		} else {
			f.Add(
				FLDPQ(Post(a, 32), state[0], state[1]),
				VZIP1(D2, state[1], state[0], y[0]), VZIP2(D2, state[1], state[0], y[1]),
				VST1(B16, y[0], Post(p0, 16)), VST1(B16, y[1], Post(p1, 16)),
			)
		}
	}
	for range 8 {
		both()
	}
	t, u, v, w := f.New(Integer, "t"), f.New(Integer, "u"), f.New(Integer, "v"), f.New(Integer, "w")
	f.Add(LDP(At(a, 0), t, u))
	if absorb {
		f.Add(
			MOVD(Post(p0, 8), v), MOVD(Post(p1, 8), w),
			EOR(v, t, t), EOR(w, u, u),
			STP(t, u, Post(a, 16)),
		)
	} else {
		f.Add(MOVD(t, Post(p0, 8)), MOVD(u, Post(p1, 8)), ADD(16, a, a))
	}
	f.Add(CMP(17, words), BEQ("end"))
	both()
	both()
	f.Label("end")
	f.Add(RET())
}
