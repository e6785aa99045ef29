package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// A kernel is a function under construction.
type kernel struct {
	*asm.Func
	tables asm.Reg // address of the tables
	at     asm.Reg // another address, of no meaning after use
	keys   asm.Reg // round keys
	rounds asm.Reg // how many
	next   asm.Reg // the round key that is next
	loops  asm.Reg // loops to go
	lanes  asm.Reg // blocks of this pass

	bytes, halves, words asm.Reg // types of vectors: a block in each lane

	state             []asm.Reg // the one of byte (r, c) is place(n, r, c)
	inverse, inverseA asm.Reg
	triple, double    [2]asm.Reg // 3 S and 2 S, by u and by v

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

// begin begins a function, and loads what all passes need.
func begin(file *asm.File, tables *asm.Table, name, signature string) *kernel {
	k := &kernel{Func: file.Func(name, signature)}
	integer := func(name string) asm.Reg { return k.New(Integer, name) }
	vector := func(name string) asm.Reg { return k.New(Vector, name) }
	k.tables, k.at, k.lanes = integer("tables"), integer("at"), integer("lanes")
	k.bytes, k.halves, k.words = integer("bytes"), integer("halves"), integer("words")
	k.keys, k.rounds, k.next, k.loops = integer("keys"), integer("rounds"), integer("next"), integer("loops")
	k.key.list = k.Several(Integer, "key", 4)
	k.state = k.Group(Vector, "state", 16, 1)
	k.inverse, k.inverseA = vector("inverse"), vector("inverseA")
	k.triple = [2]asm.Reg{vector("triple0"), vector("triple1")}
	k.double = [2]asm.Reg{vector("double0"), vector("double1")}
	k.temporary.list = k.Several(Vector, "temporary", 8)
	k.part.list = k.Several(Vector, "part", 2)
	k.Add(Address(tables, k.tables))
	return k
}

// loadTables sets registers to tables, with zeros behind them: an index from 128 on is not
// in a table, but registers of more than 1024 bits have lanes with such numbers.
func (k *kernel) loadTables(offset int, tables ...asm.Reg) {
	k.Add(VSETVLI(ZERO, E8, M1, TU, k.at))
	for _, t := range tables {
		k.Add(VMVVI(0, t))
	}
	k.Add(VSETIVLI(16, E8, M1, TU, ZERO))
	for i, t := range tables {
		k.Add(ADDI(offset+16*i, k.tables, k.at), Keep(VLE8V(k.at, t)))
	}
}

// loadFixed loads the tables that stay in registers, and the number of rounds.
func (k *kernel) loadFixed() {
	k.loadTables(0, k.inverse, k.inverseA, k.triple[0], k.triple[1], k.double[0], k.double[1])
	k.Add(MOV(roundsOffset, k.keys, k.rounds))
}

// change makes y the form of x in the basis of the tower, with tables for low and high
// nibbles.
func (k *kernel) change(x, y asm.Reg, table [2]asm.Reg) {
	t := k.Several(Vector, "nibbles", 4)
	k.Add(
		VANDVI(15, x, t[0]),
		VSRLVI(4, x, t[1]),
		VRGATHERVV(t[0], table[0], t[2]),
		VRGATHERVV(t[1], table[1], t[3]),
		VXORVV(t[2], t[3], y),
	)
}

// loadBasis loads the tables for change.
func (k *kernel) loadBasis() [2]asm.Reg {
	p := k.part.take(2)
	k.Add(VSETIVLI(16, E8, M1, TA, ZERO))
	for i, t := range p {
		k.Add(ADDI(basisOffset+16*i, k.tables, k.at), VLE8V(k.at, t))
	}
	return [2]asm.Reg(p)
}

// place returns the register of byte (r, c) of the state after n of 10 rounds.
func place(n, r, c int) int { return 4*((c+(n-10)*r)&3) + r }

// invert adds the key byte at an offset to x and begins the S-box. Package permute has
// the formulas and names. x and the first two of t are free afterwards.
func (k *kernel) invert(s *asm.Stream, x asm.Reg, offset int, t []asm.Reg) (u, v asm.Reg) {
	key := k.key.take(1)[0]
	i, j, ak, p, q := x, t[0], t[1], t[2], t[3]
	s.Add(
		MOVBU(offset, k.next, key),
		VXORVX(key, x, x),
		VANDVI(15, x, j), // k
		VSRLVI(4, x, i),
		VRGATHERVV(j, k.inverseA, ak), // A/k
		VRGATHERVV(i, k.inverse, p),   // 1/i
		VXORVV(i, j, j),
		VRGATHERVV(j, k.inverse, q), // 1/j
		VXORVV(ak, p, p),
		VXORVV(ak, q, q),
		VRGATHERVV(p, k.inverse, ak),
		VXORVV(j, ak, ak), // 1/u
		VRGATHERVV(q, k.inverse, p),
		VXORVV(i, p, p), // 1/v
	)
	return ak, p
}

// round is round n of 10, counted from 0, whose key is at an offset.
func (k *kernel) round(n, offset int) asm.Stream {
	var s asm.Stream
	for column := range 4 {
		var c [4]asm.Reg
		var part asm.Reg // 2 S of the byte below, which the next one adds
		for r := 3; r >= 0; r-- {
			from := (column + r) & 3
			t := k.temporary.take(4)
			c[r] = k.state[place(n, r, from)]
			u, v := k.invert(&s, c[r], offset+4*from+r, t)
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
	k.loadTables(sboxOffset, p...)
	k.setLanes()
	var s asm.Stream
	for c := range 4 {
		for r := range 4 {
			from := (c + r) & 3
			t := k.temporary.take(4)
			x, key := k.state[place(9, r, from)], k.key.take(1)[0]
			u, v := k.invert(&s, x, offset+4*from+r, t)
			s.Add(
				MOVBU(offset+16+4*c+r, k.next, key),
				VRGATHERVV(u, p[0], x),
				VRGATHERVV(v, p[1], t[0]),
				VXORVX(key, x, x),
				VXORVV(t[0], x, x),
			)
		}
	}
	k.Add(asm.Schedule(s, x60)...)
}

// setLanes sets the length of vectors to a byte of each block of this pass.
func (k *kernel) setLanes() { k.Add(VSETVL(k.bytes, k.lanes, ZERO)) }

// chooseTypes sets the types of vectors: half of each register if that is enough for all
// blocks or the key says so, but not less than the 16 bytes of a table.
func (k *kernel) chooseTypes(blocks asm.Reg) {
	twice, half := k.New(Integer, "twice"), k.New(Integer, "half")
	k.Add(
		VSETVLI(ZERO, E8, M1, TA, k.lanes),
		MOVI(agnostic|e8|m1, k.bytes),
		MOVI(agnostic|e16|m2, k.halves),
		MOVI(agnostic|e32|m4, k.words),
		MOVI(32, k.at),
		BLTU(k.lanes, k.at, "chosen"),
		MOVBU(halfOffset, k.keys, half),
		BNEZ(half, "half"),
		SLLI(1, blocks, twice),
		BLTU(k.lanes, twice, "chosen"),
	)
	k.Label("half")
	k.Add(
		MOVI(agnostic|e8|mf2, k.bytes),
		MOVI(agnostic|e16|m1, k.halves),
		MOVI(agnostic|e32|m2, k.words),
	)
	k.Label("chosen")
}

// The fields of vtype.
const (
	m1, m2, m4, mf2 = 0, 1, 2, 7
	e8, e16, e32    = 0 << 3, 1 << 3, 2 << 3
	agnostic        = 3 << 6
)

// cipher encrypts the state. Vectors have their length.
func (k *kernel) cipher() {
	twelve := k.at
	k.Add(
		MOVI(12, twelve),
		MOVR(k.keys, k.next),
		SRLI(2, k.rounds, k.loops),
		BNE(twelve, k.rounds, "rounds"),
	)
	k.Remark("12 rounds begin with the third of the loop, with odd rows two columns apart.")
	t := k.temporary.take(4)[0]
	for i := 1; i < 8; i += 2 {
		a, b := k.state[i], k.state[i+8]
		k.Add(VMVVV(a, t), VMVVV(b, a), VMVVV(t, b))
	}
	k.Add(ADDI(-32, k.next, k.next), JMP("third"))
	k.Label("rounds")
	k.Add(asm.Schedule(append(k.round(0, 0), k.round(1, 16)...), x60)...)
	k.Label("third")
	k.Add(asm.Schedule(append(k.round(2, 32), k.round(3, 48)...), x60)...)
	k.Add(
		ADDI(64, k.next, k.next),
		ADDI(-1, k.loops, k.loops),
		BNEZ(k.loops, "rounds"),
	)
	k.Add(asm.Schedule(k.round(8, 0), x60)...)
	k.last(16)
}

// Offsets in riscv64.Keys and in the tables.
const (
	roundsOffset = 15 * 16
	halfOffset   = roundsOffset + 8
	basisOffset  = 6 * 16
	sboxOffset   = 8 * 16
)

// x60 is the SpacemiT X60 with vectors of half a register, where rvv-bench measured a cycle
// for each instruction used here. Latencies are those of LLVM's model.
var x60 = &asm.Model{
	Name:  "SpacemiT X60, half registers",
	Width: 2,
	Units: map[string]int{"vector": 1, "load": 1},
	Cost: func(o asm.Op) asm.Cost {
		if o.Memory == asm.Load {
			return asm.Cost{Unit: "load", Busy: 1, Latency: 3}
		}
		return asm.Cost{Unit: "vector", Busy: 1, Latency: 4}
	},
}
