package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/mips"
)

// column and diagonal are the words of a quarter round.
func column(x []asm.Reg, i int) [4]asm.Reg { return [4]asm.Reg{x[i], x[4+i], x[8+i], x[12+i]} }

func diagonal(x []asm.Reg, i int) [4]asm.Reg {
	return [4]asm.Reg{x[i], x[4+(i+1)%4], x[8+(i+2)%4], x[12+(i+3)%4]}
}

// quarter returns the twelve steps of RFC 8439, section 2.1.
func quarter(q [4]asm.Reg) (s asm.Stream) {
	step := func(x, y, z asm.Reg, n int) {
		s.Add(ADDU(y, x, x), XOR(x, z, z), ROTR(32-n, z, z))
	}
	a, b, c, d := q[0], q[1], q[2], q[3]
	step(a, b, d, 16)
	step(c, d, b, 12)
	step(a, b, d, 8)
	step(c, d, b, 7)
	return s
}

// prepare writes the part of the first double round that is the same for all counters.
func prepare(file *asm.File) {
	f := file.Func("prepare", "(s *state)")
	f.Doc = `prepare computes the part of the first double round that does not depend on the
		counter: the quarter rounds of three columns and five steps more.`
	f.Banner = "Word 12 of the result has no meaning."
	f.Secret = "s"
	state := f.Arg("s")
	x := f.Several(Integer, "x", 16)
	for i := range x {
		f.Add(LW(4*i, state, x[i]))
	}
	f.Add(asm.Weave(quarter(column(x, 1)), quarter(column(x, 2)), quarter(column(x, 3)))...)
	f.Add(quarter(column(x, 0))[:1]...)
	f.Add(quarter(diagonal(x, 1))[:1]...)
	f.Add(quarter(diagonal(x, 2))[:3]...)
	for i := range x {
		f.Add(SW(x[i], 64+4*i, state))
	}
	f.Add(RET())
}

// chacha writes ChaCha20.
func chacha(file *asm.File) {
	f := file.Func("chacha", "(dst, src *byte, n int, s *state)")
	f.Doc = `chacha adds keystream to n > 0 bytes, whole blocks at multiples of 4, and
		advances the counter in the state.`
	f.Banner = `One block, four quarter rounds at once: 96 instructions for a double round, and 41 less
		for the first one.`
	f.Secret = "dst src s"
	dst, src, end, state := f.Arg("dst"), f.Arg("src"), f.New(Integer, "end"), f.New(Integer, "state")
	f.LoadArg("n", end)
	f.LoadArg("s", state)
	x, counter, t := f.Several(Integer, "x", 16), f.New(Integer, "counter"), f.Several(Integer, "t", 3)
	add := ADDU
	if file.Target.Pointer == 8 {
		add = ADDVU
	}
	f.Add(LW(48, state, counter), add(src, end, end))

	f.Label("block")
	for i := range x {
		if i != 12 {
			f.Add(LW(64+4*i, state, x[i]))
		}
	}
	// The first sum is prepared. The counter is word 12 of the first column.
	f.Add(XOR(x[0], counter, x[12]))
	f.Add(quarter(column(x, 0))[2:]...)
	f.Add(asm.Weave(quarter(diagonal(x, 0)), quarter(diagonal(x, 1))[1:], quarter(diagonal(x, 2))[3:], quarter(diagonal(x, 3)))...)
	f.Add(MOVI(3, t[0]))

	f.Label("rounds")
	for range 3 {
		for _, selected := range []func([]asm.Reg, int) [4]asm.Reg{column, diagonal} {
			f.Add(asm.Weave(quarter(selected(x, 0)), quarter(selected(x, 1)), quarter(selected(x, 2)), quarter(selected(x, 3)))...)
		}
	}
	f.Add(ADDIU(-1, t[0], t[0]), BNE(t[0], ZERO, "rounds"))

	var s asm.Stream
	for i := range x {
		initial, text := t[i%3], t[(i+1)%3]
		if i == 12 {
			s.Add(ADDU(counter, x[i], x[i]))
		} else {
			s.Add(In("state", LW(4*i, state, initial)), ADDU(initial, x[i], x[i]))
		}
		s.Add(little(file, x[i])...)
		s.Add(
			// Loads of the source need not wait for stores to the destination: they
			// are at the same place or apart.
			In("src", LW(4*i, src, text)),
			XOR(text, x[i], x[i]),
			In("dst", SW(x[i], 4*i, dst)),
		)
	}
	s.Add(ADDIU(1, counter, counter), advance(file, 64, dst), advance(file, 64, src))
	f.Add(asm.Schedule(s, M24K)...)
	f.Add(BNE(src, end, "block"), SW(counter, 48, state), RET())
}
