package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// column and diagonal are the words of a quarter round.
func column(x []asm.Reg, i int) [4]asm.Reg { return [4]asm.Reg{x[i], x[4+i], x[8+i], x[12+i]} }

func diagonal(x []asm.Reg, i int) [4]asm.Reg {
	return [4]asm.Reg{x[i], x[4+(i+1)%4], x[8+(i+2)%4], x[12+(i+3)%4]}
}

// quarter returns the twelve steps of RFC 8439, section 2.1. Upper halves of registers are
// not kept clean: only rotations look at a whole word, and they take the lower half.
func quarter(q [4]asm.Reg) (s asm.Stream) {
	step := func(x, y, z asm.Reg, n int) {
		s.Add(ADD(y, x, x), XOR(x, z, z), RORIW(32-n, z, z))
	}
	a, b, c, d := q[0], q[1], q[2], q[3]
	step(a, b, d, 16)
	step(c, d, b, 12)
	step(a, b, d, 8)
	step(c, d, b, 7)
	return s
}

// doubleRounds has four quarter rounds at once.
func doubleRounds(x []asm.Reg, n int) (s asm.Stream) {
	for range n {
		for _, selected := range []func([]asm.Reg, int) [4]asm.Reg{column, diagonal} {
			s.Add(asm.Weave(quarter(selected(x, 0)), quarter(selected(x, 1)), quarter(selected(x, 2)), quarter(selected(x, 3)))...)
		}
	}
	return s
}

// prepare writes the part of the first double round that is the same for all counters.
func prepare(file *asm.File) {
	f := file.Func("prepareZBB", "(prepared, state *[16]uint32)")
	f.Doc = `prepareZBB computes the part of the first double round that does not depend on the
		counter, for chachaZBB: the quarter rounds of three columns and five steps more.`
	f.Banner = "Word 12 of the result has no meaning."
	f.Secret = "prepared state"
	prepared, state := f.Arg("prepared"), f.Arg("state")
	x := f.Several(Integer, "x", 16)
	var s asm.Stream
	for i := range x {
		s.Add(MOVWU(4*i, state, x[i]))
	}
	s.Add(asm.Weave(quarter(column(x, 1)), quarter(column(x, 2)), quarter(column(x, 3)))...)
	s.Add(quarter(column(x, 0))[:1]...)
	s.Add(quarter(diagonal(x, 1))[:1]...)
	s.Add(quarter(diagonal(x, 2))[:3]...)
	for i := range x {
		s.Add(SW(x[i], 4*i, prepared))
	}
	f.Add(asm.Schedule(s, X60)...)
	f.Add(RET())
}

// zbb writes ChaCha20 in integer registers.
func zbb(file *asm.File) {
	f := file.Func("chachaZBB", "(dst, src *byte, n int, state, prepared *[16]uint32)")
	f.Doc = `chachaZBB adds keystream to n > 0 bytes, whole blocks at multiples of 8, and
		advances the counter in the state.`
	f.Banner = `One block, four quarter rounds at once: 96 instructions for a double round, and 41 less
		for the first one. SpacemiT X60 and SiFive U74 start two of them per cycle. ADD.UW puts two
		words together for an XOR of 64 bits.`
	f.Secret = "dst src state prepared"
	dst, src, end, state, prepared := f.Arg("dst"), f.Arg("src"), f.New(Integer, "end"), f.New(Integer, "state"), f.New(Integer, "prepared")
	f.LoadArg("n", end)
	f.LoadArg("state", state)
	f.LoadArg("prepared", prepared)
	x, counter, t := f.Several(Integer, "x", 16), f.New(Integer, "counter"), f.Several(Integer, "t", 3)
	f.Add(MOVWU(48, state, counter), ADD(src, end, end))

	f.Label("block")
	var s asm.Stream
	for i := range x {
		if i != 12 {
			s.Add(MOVWU(4*i, prepared, x[i]))
		}
	}
	// The first sum is prepared. The counter is word 12 of the first column.
	s.Add(XOR(x[0], counter, x[12]))
	s.Add(quarter(column(x, 0))[2:]...)
	s.Add(asm.Weave(quarter(diagonal(x, 0)), quarter(diagonal(x, 1))[1:], quarter(diagonal(x, 2))[3:], quarter(diagonal(x, 3)))...)
	f.Add(asm.Schedule(s, X60)...)
	f.Add(MOVI(3, t[0]))

	f.Label("rounds")
	f.Add(doubleRounds(x, 3)...)
	f.Add(ADDI(-1, t[0], t[0]), BNEZ(t[0], "rounds"))

	s = nil
	for pair := range 8 {
		lo, hi := x[2*pair], x[2*pair+1]
		u := [3]asm.Reg(t)
		if pair > 0 { // what the pair before no longer needs
			u[pair%3], u[(pair+1)%3] = x[2*pair-2], x[2*pair-1]
		}
		if pair == 6 {
			s.Add(ADD(counter, lo, lo))
		} else {
			s.Add(In("state", MOVWU(8*pair, state, u[0])), ADD(u[0], lo, lo))
		}
		s.Add(
			In("state", MOVWU(8*pair+4, state, u[1])),
			ADD(u[1], hi, hi),
			SLLI(32, hi, hi),
			ADDUW(hi, lo, lo),
			// Loads of the source need not wait for stores to the destination: they
			// are at the same place or apart.
			In("src", MOV(8*pair, src, u[2])),
			XOR(u[2], lo, lo),
			In("dst", SD(lo, 8*pair, dst)),
		)
	}
	s.Add(ADDI(1, counter, counter), ADDI(64, dst, dst), ADDI(64, src, src))
	f.Add(asm.Schedule(s, X60)...)
	f.Add(BNE(src, end, "block"), SW(counter, 48, state), RET())
}
