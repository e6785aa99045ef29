// Command riscv64 writes the SM3 kernels of sm3/internal/riscv64: with Zbb, and with the SM3
// instructions of Zksh.
//
// # Algorithm
//
// GB/T 32905-2016, with a round in integer registers. A round j replaces D and H, and the
// names of the registers move on:
//
//	SS1 = ((A <<< 12) + E + T[j]) <<< 7
//	D = FF(A, B, C) + D + (SS1 ^ (A <<< 12)) + (W[j] ^ W[j+4])      B <<<= 9
//	H = P0(GG(E, F, G) + H + SS1 + W[j])                            F <<<= 19
//
// FF and GG are XORs in the first 16 rounds, and bitwise majority and choice in the others.
// P0(x) = x ^ (x <<< 9) ^ (x <<< 17) and P1(x) = x ^ (x <<< 15) ^ (x <<< 23) are three
// instructions more with Zbb than with Zksh. The upper halves of registers have no meaning.
//
// # Registers
//
//	state     A to H
//	w         W[j] to W[j+7] and the last three; the others are on the stack
//	t         between instructions
//
// # Bound
//
// A round is 26 instructions, and 12 for the word of 16 rounds later: 2200 for 64 bytes, 34.4 a
// byte, and 28.9 with Zksh. SpacemiT X60 and SiFive U74 start two in a cycle. The
// longest chain of a round is nine instructions, from A to D, so that it is not the bound.
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/bits"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

//go:generate go run . -out ../../../sm3/internal/riscv64/sm3_zbb_riscv64.s -declarations ../../../sm3/internal/riscv64/sm3_zbb_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	table := file.Table("constants", "T[j] <<< j: GB/T 32905-2016, 5.2.", constants())
	blocks(file, table, "blocksZBB", false)
	blocks(file, table, "blocksZKSH", true)
	file.Write(*out, *declarations)
}

// constants returns T[j] <<< j for all rounds.
func constants() (data []byte) {
	for j := range 64 {
		t := uint32(0x79cc4519)
		if j >= 16 {
			t = 0x7a879d8a
		}
		data = binary.LittleEndian.AppendUint32(data, bits.RotateLeft32(t, j))
	}
	return data
}

// rol rotates a word to the left.
func rol(n int, a, d asm.Reg) asm.Op { return RORIW(32-n, a, d) }

// permutation is P0 with the rotations 9 and 17, or P1 with 15 and 23.
func permutation(zksh, first bool, x, t, d asm.Reg) asm.Stream {
	switch {
	case zksh && first:
		return asm.Stream{SM3P0(x, d)}
	case zksh:
		return asm.Stream{SM3P1(x, d)}
	}
	n := 15
	if first {
		n = 9
	}
	return asm.Stream{rol(n, x, t), XOR(x, t, t), rol(n+8, x, d), XOR(t, d, d)}
}

// blocks writes the compression function.
func blocks(file *asm.File, table *asm.Table, name string, zksh bool) {
	f := file.Func(name, "(v *[8]uint32, p *byte, n int)")
	f.Doc = name + ` compresses n > 0 bytes, whole blocks at multiples of 8, into the chaining value.`
	f.Banner = "All rounds are unrolled, each in the order of the model of the X60."
	f.Secret = "v p"
	state := f.Several(Integer, "state", 8)
	constants := f.New(Integer, "constants")
	ring := f.Local("w", 64)
	place := func(k int) string { return ring.At(4 * (k % 16)) }
	v := f.New(Integer, "v")
	f.Add(Address(table, constants))
	f.LoadArg("v", v)
	for i := range state {
		f.Add(MOVWU(4*i, v, state[i]))
	}

	f.Label("block")
	p := f.Arg("p")
	w := make([]asm.Reg, 68) // those of the words that are in registers
	for k := range w {
		w[k] = f.New(Integer, fmt.Sprint("w", k))
	}
	t := f.Several(Integer, "t", 4)
	held := func(k, j int) bool { return k <= j+7 || k >= j+13 } // in round j
	for k := 0; k < 16; k += 2 {
		low, high := t[k%4], t[k%4+1]
		if held(k, 0) {
			low = w[k]
		}
		if held(k+1, 0) {
			high = w[k+1]
		}
		// The word with the lower address is the upper half.
		f.Add(MOV(4*k, p, high), REV8(high, high), SRLI(32, high, low))
		if k+1 >= 8 {
			f.Add(SetLocalW(low, place(k)), SetLocalW(high, place(k+1)))
		}
	}
	f.Add(ADDI(64, p, p), SetResult(p, f.Result("p"))) // there are no registers for p and n
	for j := range 64 {
		f.Add(asm.Schedule(round(f, zksh, state, w, j, constants, place), X60)...)
		state = []asm.Reg{state[3], state[0], state[1], state[2], state[7], state[4], state[5], state[6]}
	}
	t = f.Several(Integer, "t", 4)
	v = f.New(Integer, "v")
	f.LoadArg("v", v)
	for i := range state {
		f.Add(MOVWU(4*i, v, t[1+i%3]), XOR(t[1+i%3], state[i], state[i]), SW(state[i], 4*i, v))
	}
	n := t[0]
	f.LoadArg("n", n)
	f.Add(ADDI(-64, n, n), SetResult(n, f.Result("n")), BNEZ(n, "block"))
	for k := range 16 {
		f.Add(SetLocalW(ZERO, place(k)))
	}
	f.Add(RET())
}

// round is round j. The state is in the order A to H.
func round(f *asm.Func, zksh bool, state, w []asm.Reg, j int, constants asm.Reg, place func(int) string) (s asm.Stream) {
	t := f.Several(Integer, "t", 4) // others in each round, so that none is kept for the next
	a, b, c, d, e, ff, g, h := state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7]
	s.Add(
		rol(12, a, t[0]),
		In("constants", MOVWU(4*j, constants, t[1])),
		ADD(e, t[1], t[1]),
		ADD(t[0], t[1], t[1]),
		rol(7, t[1], t[1]), // SS1
		XOR(t[1], t[0], t[0]),
		ADD(t[0], d, d), // SS2
		ADD(t[1], h, h),
		ADD(w[j], h, h),
		XOR(w[j], w[j+4], t[2]),
		ADD(t[2], d, d),
	)
	if j < 16 {
		s.Add(XOR(a, b, t[0]), XOR(c, t[0], t[0]), XOR(e, ff, t[1]), XOR(g, t[1], t[1]))
	} else {
		s.Add(
			OR(a, b, t[0]), AND(c, t[0], t[0]), AND(a, b, t[2]), OR(t[2], t[0], t[0]),
			XOR(ff, g, t[1]), AND(e, t[1], t[1]), XOR(g, t[1], t[1]),
		)
	}
	s.Add(
		ADD(t[0], d, d),
		ADD(t[1], h, h),
		rol(9, b, b),
		rol(19, ff, ff),
	)
	s.Add(permutation(zksh, true, h, t[3], h)...)
	if j < 52 {
		x := w[j+16]
		s.Add(
			rol(15, w[j+13], x),
			XOR(w[j], x, x),
			XOR(w[j+7], x, x),
		)
		s.Add(permutation(zksh, false, x, t[0], x)...)
		s.Add(
			rol(7, w[j+3], t[2]),
			XOR(t[2], x, x),
			LocalWU(place(j+10), t[2]),
			XOR(t[2], x, x),
			SetLocalW(x, place(j)),
		)
	}
	if k := j + 8; k < 68 && k >= 8 && j < 60 {
		w[k] = f.New(Integer, fmt.Sprint("w", k)) // perhaps not where it was
		s.Add(LocalWU(place(k), w[k]))
	}
	return s
}
