package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
	"github.com/cipherlane/cipherlane/_gen/byteslice"
)

// cipher is AES for package byteslice.
var cipher = byteslice.Cipher{
	In:  func(r, c int) int { return place(0, r, c) },
	Out: func(r, c int) int { return 4*c + r },
	Fixed: func(k *byteslice.Kernel) []asm.Reg {
		rounds = newRounds(k)
		return []asm.Reg{rounds.triple[0], rounds.triple[1], rounds.double[0], rounds.double[1]}
	},
	Rounds: func(*byteslice.Kernel) { rounds.encrypt() },
	Basis:  basisOffset,
	Half:   halfOffset,
}

// rounds are those of the function that is under construction.
var rounds *kernel

// A kernel has the registers of the rounds.
type kernel struct {
	*byteslice.Kernel
	rounds         asm.Reg    // how many
	triple, double [2]asm.Reg // 3 S and 2 S, by u and by v

	// Temporary registers take turns, so that the next S-box need not wait for the last.
	key       turns
	temporary turns // of four
	part      turns
}

// turns are registers of which each use takes the next.
type turns struct {
	list []asm.Reg
	n    int
}

func (t *turns) take(n int) []asm.Reg {
	at := t.n % len(t.list)
	t.n += n
	return t.list[at:][:n]
}

func newRounds(b *byteslice.Kernel) *kernel {
	k := &kernel{Kernel: b, rounds: b.New(Integer, "rounds")}
	vector := func(name string) asm.Reg { return k.New(Vector, name) }
	k.key.list = k.Several(Integer, "key", 4)
	k.triple = [2]asm.Reg{vector("triple0"), vector("triple1")}
	k.double = [2]asm.Reg{vector("double0"), vector("double1")}
	k.temporary.list = k.Several(Vector, "temporary", 8)
	k.part.list = k.Several(Vector, "part", 2)
	k.Add(MOV(roundsOffset, k.Keys, k.rounds))
	return k
}

// place returns the register of byte (r, c) of the state after n of 10 rounds.
func place(n, r, c int) int { return 4*((c+(n-10)*r)&3) + r }

// round is round n of 10, counted from 0, whose key is at an offset.
func (k *kernel) round(n, offset int) asm.Stream {
	var s asm.Stream
	for column := range 4 {
		var c [4]asm.Reg
		var part asm.Reg // 2 S of the byte below, which the next one adds
		for r := 3; r >= 0; r-- {
			from := (column + r) & 3
			t := k.temporary.take(4)
			c[r] = k.State[place(n, r, from)]
			u, v := k.Invert(&s, c[r], offset+4*from+r, k.key.take(1)[0], t)
			s.Add(
				VRGATHERVV(u, k.triple[0], c[r]),
				VRGATHERVV(v, k.triple[1], t[0]),
				VXORVV(t[0], c[r], c[r]),
			)
			if r < 3 {
				s.Add(VXORVV(part, c[r], c[r]))
			}
			part = k.part.take(1)[0]
			s.Add(
				VRGATHERVV(u, k.double[0], part),
				VRGATHERVV(v, k.double[1], t[3]),
				VXORVV(t[3], part, part),
			)
		}
		sum := k.part.take(1)[0]
		s.Add(
			VXORVV(part, c[3], c[3]),
			VXORVV(c[0], c[1], sum),
			VXORVV(c[2], sum, sum),
			VXORVV(c[3], sum, sum),
		)
		for _, x := range c {
			s.Add(VXORVV(sum, x, x))
		}
	}
	return s
}

// last is the last round. Its two keys are at an offset.
func (k *kernel) last(offset int) {
	p := k.part.take(2)
	k.LoadTables(sboxOffset, p...)
	k.SetLanes()
	var s asm.Stream
	for c := range 4 {
		for r := range 4 {
			from := (c + r) & 3
			t := k.temporary.take(4)
			x, key := k.State[place(9, r, from)], k.key.take(1)[0]
			u, v := k.Invert(&s, x, offset+4*from+r, k.key.take(1)[0], t)
			s.Add(
				MOVBU(offset+16+4*c+r, k.Next, key),
				VRGATHERVV(u, p[0], x),
				VRGATHERVV(v, p[1], t[0]),
				VXORVX(key, x, x),
				VXORVV(t[0], x, x),
			)
		}
	}
	k.Add(asm.Schedule(s, byteslice.HalfX60)...)
}

// encrypt encrypts the state. Vectors have their length.
func (k *kernel) encrypt() {
	twelve := k.At
	k.Add(
		MOVI(12, twelve),
		MOVR(k.Keys, k.Next),
		SRLI(2, k.rounds, k.Loops),
		BNE(twelve, k.rounds, "rounds"),
	)
	k.Remark("12 rounds begin with the third of the loop, with odd rows two columns apart.")
	t := k.temporary.take(4)[0]
	for i := 1; i < 8; i += 2 {
		a, b := k.State[i], k.State[i+8]
		k.Add(VMVVV(a, t), VMVVV(b, a), VMVVV(t, b))
	}
	k.Add(ADDI(-32, k.Next, k.Next), JMP("third"))
	k.Label("rounds")
	k.Add(asm.Schedule(append(k.round(0, 0), k.round(1, 16)...), byteslice.HalfX60)...)
	k.Label("third")
	k.Add(asm.Schedule(append(k.round(2, 32), k.round(3, 48)...), byteslice.HalfX60)...)
	k.Add(
		ADDI(64, k.Next, k.Next),
		ADDI(-1, k.Loops, k.Loops),
		BNEZ(k.Loops, "rounds"),
	)
	k.Add(asm.Schedule(k.round(8, 0), byteslice.HalfX60)...)
	k.last(16)
}

// Offsets in riscv64.Keys and in the tables.
const (
	roundsOffset = 15 * 16
	halfOffset   = roundsOffset + 8
	basisOffset  = 6 * 16
	sboxOffset   = 8 * 16
)
