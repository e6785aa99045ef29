package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	rv "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// ctr writes counter mode.
func ctr(file *asm.File, tables *asm.Table) {
	k := begin(file, tables, "ctrRVV", "(k *Keys, block *[16]byte, counter uint32, dst, src *byte, blocks int, rest *[16]byte)")
	k.Doc = `ctrRVV adds keystream to whole blocks, perhaps none. The first counter block has
		the first 12 bytes of block, and counter as a big-endian number in the others; only
		this number counts, modulo 2^32. If rest is not nil, it becomes the keystream of the
		block after the last.`
	k.Banner = `A pass is as many blocks as a register has bytes. Loads and stores take the bytes of a
		column of all blocks at once.`
	k.Secret, k.Public = "k block counter dst src rest", "k.Rounds k.Half"

	k.keys = k.Arg("k")
	block, counter, dst, src, blocks, rest := k.Arg("block"), k.Arg("counter"), k.Arg("dst"), k.Arg("src"), k.Arg("blocks"), k.Arg("rest")
	total, whole, stride := k.New(rv.Integer, "total"), k.New(rv.Integer, "whole"), k.New(rv.Integer, "stride")
	k.loadFixed()
	k.Add(rv.MOVR(blocks, total), rv.MOVI(16, stride), rv.BEQZ(rest, "whole"), rv.ADDI(1, total, total))
	k.Label("whole")
	k.chooseTypes(total)

	k.Label("pass")
	k.Remark("Counters: words, then halves, then bytes.")
	words, low, high := k.Group(rv.Vector, "words", 4, 4), k.Group(rv.Vector, "low", 2, 2), k.Group(rv.Vector, "high", 2, 2)
	k.Add(
		rv.VSETVL(k.words, total, k.lanes),
		group(rv.VIDV(words[0]), words),
		group(rv.VADDVX(counter, words[0], words[0]), words),
		rv.VSETVL(k.halves, k.lanes, rv.ZERO),
		group(group(rv.VNSRLWI(0, words[0], low[0]), words), low),
		group(group(rv.VNSRLWI(16, words[0], high[0]), words), high),
		rv.ADD(k.lanes, counter, counter),
	)
	k.setLanes()
	for r, from := range [][]asm.Reg{high, high, low, low} {
		k.Add(group(rv.VNSRLWI(8*(1-r&1), from[0], k.state[place(0, r, 3)]), from))
	}
	k.Remark("The rest of the block is the same in all lanes.")
	basis := k.loadBasis()
	fixed := k.New(rv.Vector, "fixed")
	k.Add(rv.VLE8V(block, fixed))
	k.change(fixed, fixed, basis)
	k.setLanes()
	for r := range 4 {
		k.change(k.state[place(0, r, 3)], k.state[place(0, r, 3)], basis)
		for c := range 3 {
			k.Add(rv.VRGATHERVI(4*c+r, fixed, k.state[place(0, r, c)]))
		}
	}
	k.cipher()

	k.Remark("Whole blocks")
	k.Add(rv.MOVR(k.lanes, whole), rv.BGEU(blocks, k.lanes, "add"), rv.MOVR(blocks, whole))
	k.Label("add")
	k.Add(rv.VSETVL(k.bytes, whole, rv.ZERO))
	for c := range 4 {
		text := k.Group(rv.Vector, "text", 4, 1)
		k.Add(rv.ADDI(4*c, src, k.at), rv.VLSSEG4E8V(k.at, stride, text))
		for r, x := range text {
			k.Add(rv.VXORVV(k.state[4*c+r], x, x))
		}
		k.Add(rv.ADDI(4*c, dst, k.at), rv.VSSSEG4E8V(text, stride, k.at))
	}
	k.Add(
		rv.SLLI(4, whole, k.at),
		rv.ADD(k.at, src, src),
		rv.ADD(k.at, dst, dst),
		rv.SUB(whole, blocks, blocks),
		rv.SUB(k.lanes, total, total),
		rv.BNEZ(total, "pass"),
		rv.BEQZ(rest, "done"),
	)
	k.Remark("The last lane")
	k.Add(rv.ADDI(-1, k.lanes, k.lanes), rv.VSETIVLI(1, "E8", "M1", "TA", rv.ZERO))
	for c := range 4 {
		text := k.Group(rv.Vector, "text", 4, 1)
		for r, x := range text {
			k.Add(rv.VSLIDEDOWNVX(k.lanes, k.state[4*c+r], x))
		}
		k.Add(rv.ADDI(4*c, rest, k.at), rv.VSSEG4E8V(text, k.at))
	}
	k.Label("done")
	k.Add(rv.RET())
}

// group makes an instruction that names the first register of a group use all of them. A
// narrow result must not be in its source, but for the first register.
func group(o asm.Op, g []asm.Reg) asm.Op {
	o.Early = true
	for i := range o.Reads {
		if o.Reads[i] == g[0] {
			o.Reads = append(o.Reads[:len(o.Reads):len(o.Reads)], g[1:]...)
			break
		}
	}
	for i := range o.Writes {
		if o.Writes[i] == g[0] {
			o.Writes = append(o.Writes[:len(o.Writes):len(o.Writes)], g[1:]...)
			break
		}
	}
	return o
}

// encrypt writes the encryption of blocks.
func encrypt(file *asm.File, tables *asm.Table) {
	k := begin(file, tables, "encryptBlocksRVV", "(k *Keys, dst, src *byte, blocks int)")
	k.Doc = "encryptBlocksRVV encrypts whole blocks, at least one."
	k.Banner = "It is like ctrRVV, with the state from src."
	k.Secret, k.Public = "k dst src", "k.Rounds k.Half"

	k.keys = k.Arg("k")
	dst, src, blocks := k.Arg("dst"), k.Arg("src"), k.Arg("blocks")
	stride := k.New(rv.Integer, "stride")
	k.loadFixed()
	k.Add(rv.MOVI(16, stride))
	k.chooseTypes(blocks)

	k.Label("pass")
	basis := k.loadBasis()
	k.Add(rv.VSETVL(k.bytes, blocks, k.lanes))
	for c := range 4 {
		// The registers of rows are in other columns.
		text := k.Group(rv.Vector, "text", 4, 1)
		k.Add(rv.ADDI(4*c, src, k.at), rv.VLSSEG4E8V(k.at, stride, text))
		for r, x := range text {
			k.change(x, k.state[place(0, r, c)], basis)
		}
	}
	k.cipher()
	for c := range 4 {
		text := k.state[4*c:][:4]
		k.Add(rv.ADDI(4*c, dst, k.at), rv.VSSSEG4E8V(text, stride, k.at))
	}
	k.Add(
		rv.SLLI(4, k.lanes, k.at),
		rv.ADD(k.at, src, src),
		rv.ADD(k.at, dst, dst),
		rv.SUB(k.lanes, blocks, blocks),
		rv.BNEZ(blocks, "pass"),
		rv.RET(),
	)
}

// expand writes the change of the basis of round keys.
func expand(file *asm.File, tables *asm.Table) {
	k := begin(file, tables, "expandRVV", "(dst, src *byte, n int)")
	k.Doc = "expandRVV changes the basis of n > 0 bytes to that of the state."
	k.Secret = "dst src"
	dst, src, n := k.Arg("dst"), k.Arg("src"), k.Arg("n")
	basis := k.loadBasis()
	x := k.New(rv.Vector, "x")
	k.Label("loop")
	k.Add(rv.VSETVLI(n, "E8", "M1", "TA", k.lanes), rv.VLE8V(src, x))
	k.change(x, x, basis)
	k.Add(
		rv.VSE8V(x, dst),
		rv.ADD(k.lanes, src, src),
		rv.ADD(k.lanes, dst, dst),
		rv.SUB(k.lanes, n, n),
		rv.BNEZ(n, "loop"),
		rv.RET(),
	)
}
