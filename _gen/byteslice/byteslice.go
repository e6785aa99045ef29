// Package byteslice has what is around the rounds of block ciphers on RISC-V if a vector
// register has the same byte of many blocks, one block in each lane, and the S-box is made of
// look-ups of nibbles inside registers: see package permute.
//
// Registers are used whole, or half of each: that is enough for few blocks, and some CPUs
// need less than half the time for it.
package byteslice

import (
	"slices"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// A Kernel is a function under construction.
type Kernel struct {
	*asm.Func
	Cipher
	Tables asm.Reg // address of the tables
	At     asm.Reg // another address, of no meaning after use
	Keys   asm.Reg // argument k
	Next   asm.Reg // the round key that is next
	Loops  asm.Reg // loops to go
	Lanes  asm.Reg // blocks of this pass

	Inverse, InverseA asm.Reg   // look-ups
	State             []asm.Reg // 16 bytes

	bytes, halves, words asm.Reg // types of vectors: a block in each lane
}

// A Cipher is what modes must know. The state is in a basis of its own.
type Cipher struct {
	// In and Out return the number in the state of byte r of column c, before and after
	// Rounds.
	In, Out func(r, c int) int
	// Fixed loads what stays in registers for all passes, besides Inverse and InverseA,
	// which are loaded with it.
	Fixed func(k *Kernel) []asm.Reg
	// Rounds encrypts the state. Vectors have their length before and after. Its result is
	// in the standard's basis.
	Rounds func(k *Kernel)
	// Basis is the offset of two tables for [Kernel.Change], to the basis of the state.
	Basis int
	// Half is the offset in the keys of a byte that is not 0 if halves of registers are
	// better.
	Half int
}

// New begins a function. Its argument k are the keys.
func New(file *asm.File, tables *asm.Table, name, signature string, c Cipher) *Kernel {
	k := &Kernel{Func: file.Func(name, signature), Cipher: c}
	integer := func(name string) asm.Reg { return k.New(Integer, name) }
	k.Tables, k.At, k.Lanes = integer("tables"), integer("at"), integer("lanes")
	k.bytes, k.halves, k.words = integer("bytes"), integer("halves"), integer("words")
	k.Keys, k.Next, k.Loops = integer("keys"), integer("next"), integer("loops")
	k.State = k.Group(Vector, "state", 16, 1)
	k.Inverse, k.InverseA = k.New(Vector, "inverse"), k.New(Vector, "inverseA")
	k.Add(Address(tables, k.Tables))
	return k
}

// LoadTables sets registers to tables, with zeros behind them: an index from 128 on is not
// in a table, but registers of more than 1024 bits have lanes with such numbers.
func (k *Kernel) LoadTables(offset int, tables ...asm.Reg) {
	k.Add(VSETVLI(ZERO, E8, M1, TU, k.At))
	for _, t := range tables {
		k.Add(VMVVI(0, t))
	}
	k.Add(VSETIVLI(16, E8, M1, TU, ZERO))
	for i, t := range tables {
		k.Add(ADDI(offset+16*i, k.Tables, k.At), Keep(VLE8V(k.At, t)))
	}
}

// LoadPair loads two tables for [Kernel.Change], whose indexes are below 16.
func (k *Kernel) LoadPair(offset int, to [2]asm.Reg) {
	k.Add(VSETIVLI(16, E8, M1, TA, ZERO))
	for i, t := range to {
		k.Add(ADDI(offset+16*i, k.Tables, k.At), VLE8V(k.At, t))
	}
}

// Change makes y a linear map of x, with tables for low and high nibbles.
func (k *Kernel) Change(x, y asm.Reg, table [2]asm.Reg) {
	t := k.Several(Vector, "nibbles", 4)
	k.Add(
		VANDVI(15, x, t[0]),
		VSRLVI(4, x, t[1]),
		VRGATHERVV(t[0], table[0], t[2]),
		VRGATHERVV(t[1], table[1], t[3]),
		VXORVV(t[2], t[3], y),
	)
}

// Invert adds byte i of the key that is next to x and begins the S-box. Package permute
// has the formulas and names. x and the first two of t are free afterwards.
func (k *Kernel) Invert(s *asm.Stream, x asm.Reg, i int, key asm.Reg, t []asm.Reg) (u, v asm.Reg) {
	high, j, ak, p, q := x, t[0], t[1], t[2], t[3]
	s.Add(
		MOVBU(i, k.Next, key),
		VXORVX(key, x, x),
		VANDVI(15, x, j), // k
		VSRLVI(4, x, high),
		VRGATHERVV(j, k.InverseA, ak),  // A/k
		VRGATHERVV(high, k.Inverse, p), // 1/i
		VXORVV(high, j, j),
		VRGATHERVV(j, k.Inverse, q), // 1/j
		VXORVV(ak, p, p),
		VXORVV(ak, q, q),
		VRGATHERVV(p, k.Inverse, ak),
		VXORVV(j, ak, ak), // 1/u
		VRGATHERVV(q, k.Inverse, p),
		VXORVV(high, p, p), // 1/v
	)
	return ak, p
}

// SetLanes sets the length of vectors to a byte of each block of this pass.
func (k *Kernel) SetLanes() { k.Add(VSETVL(k.bytes, k.Lanes, ZERO)) }

// SetLanesTo sets it to that of a number of blocks, if they fit, and Lanes to the length.
func (k *Kernel) SetLanesTo(blocks asm.Reg) { k.Add(VSETVL(k.bytes, blocks, k.Lanes)) }

// Start loads what all passes need, and sets the types of vectors: half of each register if
// that is enough for all blocks or the key says so, but not less than the 16 bytes of a table.
func (k *Kernel) Start(blocks asm.Reg) {
	k.LoadTables(0, slices.Concat([]asm.Reg{k.Inverse, k.InverseA}, k.Fixed(k))...)
	doubled, half := k.New(Integer, "twice"), k.New(Integer, "half")
	k.Add(
		VSETVLI(ZERO, E8, M1, TA, k.Lanes),
		MOVI(agnostic|e8|m1, k.bytes),
		MOVI(agnostic|e16|m2, k.halves),
		MOVI(agnostic|e32|m4, k.words),
		MOVI(32, k.At),
		BLTU(k.Lanes, k.At, "chosen"),
		MOVBU(k.Half, k.Keys, half),
		BNEZ(half, "half"),
		SLLI(1, blocks, doubled),
		BLTU(k.Lanes, doubled, "chosen"),
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

func (k *Kernel) pair(name string) [2]asm.Reg {
	return [2]asm.Reg(k.Several(Vector, name, 2))
}

// CTR writes counter mode.
func CTR(file *asm.File, tables *asm.Table, name string, c Cipher, public string) {
	k := New(file, tables, name, "(k *Keys, block *[16]byte, counter uint32, dst, src *byte, blocks int, rest *[16]byte)", c)
	k.Doc = name + ` adds keystream to whole blocks, perhaps none. The first counter block has
		the first 12 bytes of block, and counter as a big-endian number in the others; only
		this number counts, modulo 2^32. If rest is not nil, it becomes the keystream of the
		block after the last.`
	k.Banner = `A pass is as many blocks as a register has bytes. Loads and stores take the bytes of a
		column of all blocks at once.`
	k.Secret, k.Public = "k block counter dst src rest", public

	k.LoadArg("k", k.Keys)
	block, counter, dst, src, blocks, rest := k.Arg("block"), k.Arg("counter"), k.Arg("dst"), k.Arg("src"), k.Arg("blocks"), k.Arg("rest")
	total, whole, stride := k.Func.New(Integer, "total"), k.Func.New(Integer, "whole"), k.Func.New(Integer, "stride")
	k.Add(MOVR(blocks, total), MOVI(16, stride), BEQZ(rest, "whole"), ADDI(1, total, total))
	k.Label("whole")
	k.Start(total)

	k.Label("pass")
	k.Remark("Counters: words, then halves, then bytes.")
	words, low, high := k.Group(Vector, "words", 4, 4), k.Group(Vector, "low", 2, 2), k.Group(Vector, "high", 2, 2)
	k.Add(
		VSETVL(k.words, total, k.Lanes),
		VIDV(words),
		VADDVX(counter, words, words),
		VSETVL(k.halves, k.Lanes, ZERO),
		VNSRLWI(0, words, low),
		VNSRLWI(16, words, high),
		ADD(k.Lanes, counter, counter),
	)
	k.SetLanes()
	for r, from := range [][]asm.Reg{high, high, low, low} {
		k.Add(VNSRLWI(8*(1-r&1), from, k.State[k.In(r, 3)]))
	}
	k.Remark("The rest of the block is the same in all lanes.")
	basis, fixed := k.pair("basis"), k.Func.New(Vector, "fixed")
	k.LoadPair(k.Basis, basis)
	k.Add(VLE8V(block, fixed))
	k.Change(fixed, fixed, basis)
	k.SetLanes()
	for r := range 4 {
		k.Change(k.State[k.In(r, 3)], k.State[k.In(r, 3)], basis)
		for c := range 3 {
			k.Add(VRGATHERVI(4*c+r, fixed, k.State[k.In(r, c)]))
		}
	}
	k.Rounds(k)

	k.Remark("Whole blocks")
	k.Add(MOVR(k.Lanes, whole), BGEU(blocks, k.Lanes, "add"), MOVR(blocks, whole))
	k.Label("add")
	k.Add(VSETVL(k.bytes, whole, ZERO))
	for c := range 4 {
		text := k.Group(Vector, "text", 4, 1)
		k.Add(ADDI(4*c, src, k.At), VLSSEG4E8V(k.At, stride, text))
		for r, x := range text {
			k.Add(VXORVV(k.State[k.Out(r, c)], x, x))
		}
		k.Add(ADDI(4*c, dst, k.At), VSSSEG4E8V(text, stride, k.At))
	}
	k.Add(
		SLLI(4, whole, k.At),
		ADD(k.At, src, src),
		ADD(k.At, dst, dst),
		SUB(whole, blocks, blocks),
		SUB(k.Lanes, total, total),
		BNEZ(total, "pass"),
		BEQZ(rest, "done"),
	)
	k.Remark("The last lane")
	k.Add(ADDI(-1, k.Lanes, k.Lanes), VSETIVLI(1, E8, M1, TA, ZERO))
	for c := range 4 {
		text := k.Group(Vector, "text", 4, 1)
		for r, x := range text {
			k.Add(VSLIDEDOWNVX(k.Lanes, k.State[k.Out(r, c)], x))
		}
		k.Add(ADDI(4*c, rest, k.At), VSSEG4E8V(text, k.At))
	}
	k.Label("done")
	k.Add(RET())
}

// Blocks writes the cipher on blocks, which it encrypts or decrypts.
func Blocks(file *asm.File, tables *asm.Table, name, verb string, c Cipher, public string) *Kernel {
	k := New(file, tables, name, "(k *Keys, dst, src *byte, blocks int)", c)
	k.Doc = name + " " + verb + " whole blocks, at least one."
	k.Banner = "It is like counter mode, with the state from src."
	k.Secret, k.Public = "k dst src", public

	k.LoadArg("k", k.Keys)
	dst, src, blocks := k.Arg("dst"), k.Arg("src"), k.Arg("blocks")
	stride := k.Func.New(Integer, "stride")
	k.Add(MOVI(16, stride))
	k.Start(blocks)

	k.Label("pass")
	basis := k.pair("basis")
	k.LoadPair(k.Basis, basis)
	k.SetLanesTo(blocks)
	for c := range 4 {
		text := k.Group(Vector, "text", 4, 1)
		k.Add(ADDI(4*c, src, k.At), VLSSEG4E8V(k.At, stride, text))
		for r, x := range text {
			k.Change(x, k.State[k.In(r, c)], basis)
		}
	}
	k.Rounds(k)
	for c := range 4 {
		var text []asm.Reg
		for r := range 4 {
			text = append(text, k.State[k.Out(r, c)])
		}
		k.Add(ADDI(4*c, dst, k.At), VSSSEG4E8V(text, stride, k.At))
	}
	k.Add(
		SLLI(4, k.Lanes, k.At),
		ADD(k.At, src, src),
		ADD(k.At, dst, dst),
		SUB(k.Lanes, blocks, blocks),
		BNEZ(blocks, "pass"),
		RET(),
	)
	return k
}

// Expand writes the change of the basis of round keys.
func Expand(file *asm.File, tables *asm.Table, name string, c Cipher) *Kernel {
	k := New(file, tables, name, "(dst, src *byte, n int)", c)
	k.Doc = name + " changes the basis of n > 0 bytes to that of the state."
	k.Secret = "dst src"
	dst, src, n := k.Arg("dst"), k.Arg("src"), k.Arg("n")
	basis, x := k.pair("basis"), k.Func.New(Vector, "x")
	k.LoadPair(k.Basis, basis)
	k.Label("loop")
	k.Add(VSETVLI(n, E8, M1, TA, k.Lanes), VLE8V(src, x))
	k.Change(x, x, basis)
	k.Add(
		VSE8V(x, dst),
		ADD(k.Lanes, src, src),
		ADD(k.Lanes, dst, dst),
		SUB(k.Lanes, n, n),
		BNEZ(n, "loop"),
		RET(),
	)
	return k
}

// HalfX60 is the SpacemiT X60 with vectors of half a register, where rvv-bench measured a cycle
// for each instruction used here. Latencies are those of LLVM's model.
var HalfX60 = &asm.Model{
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
