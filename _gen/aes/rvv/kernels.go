package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
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
	total, whole, stride := k.New(Integer, "total"), k.New(Integer, "whole"), k.New(Integer, "stride")
	k.loadFixed()
	k.Add(MOVR(blocks, total), MOVI(16, stride), BEQZ(rest, "whole"), ADDI(1, total, total))
	k.Label("whole")
	k.chooseTypes(total)

	k.Label("pass")
	k.Remark("Counters: words, then halves, then bytes.")
	words, low, high := k.Group(Vector, "words", 4, 4), k.Group(Vector, "low", 2, 2), k.Group(Vector, "high", 2, 2)
	k.Add(
		VSETVL(k.words, total, k.lanes),
		VIDV(words),
		VADDVX(counter, words, words),
		VSETVL(k.halves, k.lanes, ZERO),
		VNSRLWI(0, words, low),
		VNSRLWI(16, words, high),
		ADD(k.lanes, counter, counter),
	)
	k.setLanes()
	for r, from := range [][]asm.Reg{high, high, low, low} {
		k.Add(VNSRLWI(8*(1-r&1), from, k.state[place(0, r, 3)]))
	}
	k.Remark("The rest of the block is the same in all lanes.")
	basis := k.loadBasis()
	fixed := k.New(Vector, "fixed")
	k.Add(VLE8V(block, fixed))
	k.change(fixed, fixed, basis)
	k.setLanes()
	for r := range 4 {
		k.change(k.state[place(0, r, 3)], k.state[place(0, r, 3)], basis)
		for c := range 3 {
			k.Add(VRGATHERVI(4*c+r, fixed, k.state[place(0, r, c)]))
		}
	}
	k.cipher()

	k.Remark("Whole blocks")
	k.Add(MOVR(k.lanes, whole), BGEU(blocks, k.lanes, "add"), MOVR(blocks, whole))
	k.Label("add")
	k.Add(VSETVL(k.bytes, whole, ZERO))
	for c := range 4 {
		text := k.Group(Vector, "text", 4, 1)
		k.Add(ADDI(4*c, src, k.at), VLSSEG4E8V(k.at, stride, text))
		for r, x := range text {
			k.Add(VXORVV(k.state[4*c+r], x, x))
		}
		k.Add(ADDI(4*c, dst, k.at), VSSSEG4E8V(text, stride, k.at))
	}
	k.Add(
		SLLI(4, whole, k.at),
		ADD(k.at, src, src),
		ADD(k.at, dst, dst),
		SUB(whole, blocks, blocks),
		SUB(k.lanes, total, total),
		BNEZ(total, "pass"),
		BEQZ(rest, "done"),
	)
	k.Remark("The last lane")
	k.Add(ADDI(-1, k.lanes, k.lanes), VSETIVLI(1, E8, M1, TA, ZERO))
	for c := range 4 {
		text := k.Group(Vector, "text", 4, 1)
		for r, x := range text {
			k.Add(VSLIDEDOWNVX(k.lanes, k.state[4*c+r], x))
		}
		k.Add(ADDI(4*c, rest, k.at), VSSEG4E8V(text, k.at))
	}
	k.Label("done")
	k.Add(RET())
}

// encrypt writes the encryption of blocks.
func encrypt(file *asm.File, tables *asm.Table) {
	k := begin(file, tables, "encryptBlocksRVV", "(k *Keys, dst, src *byte, blocks int)")
	k.Doc = "encryptBlocksRVV encrypts whole blocks, at least one."
	k.Banner = "It is like ctrRVV, with the state from src."
	k.Secret, k.Public = "k dst src", "k.Rounds k.Half"

	k.keys = k.Arg("k")
	dst, src, blocks := k.Arg("dst"), k.Arg("src"), k.Arg("blocks")
	stride := k.New(Integer, "stride")
	k.loadFixed()
	k.Add(MOVI(16, stride))
	k.chooseTypes(blocks)

	k.Label("pass")
	basis := k.loadBasis()
	k.Add(VSETVL(k.bytes, blocks, k.lanes))
	for c := range 4 {
		// The registers of rows are in other columns.
		text := k.Group(Vector, "text", 4, 1)
		k.Add(ADDI(4*c, src, k.at), VLSSEG4E8V(k.at, stride, text))
		for r, x := range text {
			k.change(x, k.state[place(0, r, c)], basis)
		}
	}
	k.cipher()
	for c := range 4 {
		text := k.state[4*c:][:4]
		k.Add(ADDI(4*c, dst, k.at), VSSSEG4E8V(text, stride, k.at))
	}
	k.Add(
		SLLI(4, k.lanes, k.at),
		ADD(k.at, src, src),
		ADD(k.at, dst, dst),
		SUB(k.lanes, blocks, blocks),
		BNEZ(blocks, "pass"),
		RET(),
	)
}

// expand writes the change of the basis of round keys.
func expand(file *asm.File, tables *asm.Table) {
	k := begin(file, tables, "expandRVV", "(dst, src *byte, n int)")
	k.Doc = "expandRVV changes the basis of n > 0 bytes to that of the state."
	k.Secret = "dst src"
	dst, src, n := k.Arg("dst"), k.Arg("src"), k.Arg("n")
	basis := k.loadBasis()
	x := k.New(Vector, "x")
	k.Label("loop")
	k.Add(VSETVLI(n, E8, M1, TA, k.lanes), VLE8V(src, x))
	k.change(x, x, basis)
	k.Add(
		VSE8V(x, dst),
		ADD(k.lanes, src, src),
		ADD(k.lanes, dst, dst),
		SUB(k.lanes, n, n),
		BNEZ(n, "loop"),
		RET(),
	)
}
