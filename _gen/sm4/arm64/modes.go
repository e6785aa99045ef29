package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

const direction = "step is the distance to the next round key in bytes: 4 encrypts, -4 decrypts."

// blocks4 is for four or eight blocks.
func blocks4(file *asm.File, c *constants, name string, n int) {
	f := file.Func(name, "(k *Keys, step int, dst, src *byte)")
	f.Doc = fmt.Sprintf("%s encrypts or decrypts %d blocks.\n%s", name, 4*n, direction)
	f.Banner = "A register has a word of four blocks, as LD4 loads it."
	f.Secret = "k dst src"
	keys, step, dst, src := f.Arg("k"), f.Arg("step"), f.Arg("dst"), f.Arg("src")
	first := firstKey(f, keys, step)
	w := newWords(f, c)
	states := make([][]asm.Reg, n)
	for i := range states {
		states[i] = f.Group(Vector, "x", 4, 1)
		f.Add(VLD4(S4, Post(src, 64), states[i]))
	}
	b := newBasis(f, c.basis, w.nibble)
	for _, x := range states {
		b.changeAll(x)
	}
	w.crypt(first, step, states...)
	b = newBasis(f, c.inverse, w.nibble)
	for _, x := range states {
		y := f.Group(Vector, "y", 4, 1)
		for i := range y {
			f.Add(b.change(x[3-i], y[i])...)
		}
		f.Add(VST4(S4, y, Post(dst, 64)))
	}
	f.Add(RET())
}

func blocks16(file *asm.File, c *constants, family string) {
	f := file.Func("blocks16"+family, "(k *Keys, step int, dst, src *byte, groups int)")
	f.Doc = f.Name + " encrypts or decrypts groups of 16 blocks, at least one.\n" + direction
	f.Banner = "Byte-sliced. Per group: 2032 instructions in the rounds, or 1936 for each of two groups in turns,\n64 to transpose, 160 to change the basis, 8 loads and stores. Per byte, that is 8.9 or 8.5, and\nfrom three groups on 600 instructions for the tables of round keys."
	f.Secret = "k dst src"
	keys, step, dst, src, groups := f.Arg("k"), f.Arg("step"), f.Arg("dst"), f.Arg("src"), f.Arg("groups")
	first := firstKey(f, keys, step)
	g := newGroup(f, c, family == sha3)
	g.groups(groups, first, step, func() { g.load(c, [4]int{0, 1, 2, 3}, Post(src, 64)) }, func() {
		for _, p := range g.ready(c) {
			f.Add(VST4(B16, p, Post(dst, 64)))
		}
	})
	f.Add(RET())
}

// xor16 goes backwards, because dst may be where with is or, in CBC, 16 bytes behind it.
func xor16(file *asm.File, c *constants, family string) {
	f := file.Func("xor16"+family, "(k *Keys, step int, dst, src, with *byte, groups int)")
	f.Doc = f.Name + " is blocks16" + family + ", with another input added to the result. It goes from the last\n" +
		"block to the first one, and reads src of a group and with of four blocks before it\n" +
		"writes them."
	f.Banner = "For CBC and CFB decryption. Like blocks16AES; in addition, 4 loads and 16 VEOR per group."
	f.Secret = "k dst src with"
	keys, step, dst, src, addend, groups := f.Arg("k"), f.Arg("step"), f.Arg("dst"), f.Arg("src"), f.Arg("with"), f.Arg("groups")
	first := firstKey(f, keys, step)
	size, back := f.New(Integer, "size"), f.New(Integer, "back")
	f.Add(MOVD(-64, back), ADD(Left(groups, 8), back, size))
	for _, p := range []asm.Reg{dst, src, addend} {
		f.Add(ADD(size, p, p))
	}
	g := newGroup(f, c, family == sha3)
	g.groups(groups, first, step, func() { g.load(c, [4]int{3, 2, 1, 0}, PostIndex(src, back)) }, func() {
		parts := g.ready(c)
		for p := 3; p >= 0; p-- {
			g.storeXOR(parts[p], PostIndex(addend, back), PostIndex(dst, back))
		}
	})
	f.Add(RET())
}

func ctr16(file *asm.File, c *constants, family string) {
	f := file.Func("ctr16"+family, "(k *Keys, ctr *[16]byte, dst, src *byte, groups int)")
	f.Doc = f.Name + " adds the keystream of groups of 16 blocks, at least one, to src. Only the last\n" +
		"32 bits of ctr count. It does not change ctr."
	f.Banner = "Byte-sliced. The first three words are the same in all blocks: their bytes in the basis\n" +
		"are on the stack, to copy each to a register. Only the last word is counted, separated\n" +
		"into bytes and changed to the basis. Per group: 2032 or 1936 instructions in the rounds, 40 for\n" +
		"the counters, 80 for the basis of the result, 32 to transpose, 28 for the data. Per byte,\n" +
		"that is 8.8 or 8.4."
	f.Secret = "k ctr dst src"
	keys, ctr, dst, src, groups := f.Arg("k"), f.Arg("ctr"), f.Arg("dst"), f.Arg("src"), f.Arg("groups")
	g := newGroup(f, c, family == sha3)
	prefix := f.Local("prefix", 16)
	counter, step := f.New(Integer, "counter"), f.New(Integer, "step")
	v := f.New(Vector, "v")
	f.Add(MOVWU(At(ctr, 12), counter), REVW(counter, counter), MOVD(4, step))
	f.Add(VLD1(B16, At(ctr, 0), v))
	f.Add(newBasis(f, c.basis, g.nibble).change(v, v)...)
	f.Add(FMOVQ(v, On(prefix, 0)))

	g.groups(groups, keys, step, func() {
		at := f.New(Integer, "at")
		f.Add(MOVD(prefix, at))
		for w := range 3 {
			f.Add(VLD4R(B16, Post(at, 4), g.state[w]))
		}
		n, h := f.Several(Vector, "number", 4), f.Several(Vector, "half", 4)
		load(f, c.numbers, n...)
		all := f.New(Vector, "v")
		f.Add(VDUP(S4, counter, all), ADDW(16, counter, counter))
		for _, r := range n {
			f.Add(VADD(S4, all, r, r))
		}
		last := g.state[3]
		f.Add(
			VUZP1(H8, n[1], n[0], h[0]), VUZP2(H8, n[1], n[0], h[1]),
			VUZP1(H8, n[3], n[2], h[2]), VUZP2(H8, n[3], n[2], h[3]),
			VUZP1(B16, h[2], h[0], last[3]), VUZP2(B16, h[2], h[0], last[2]),
			VUZP1(B16, h[3], h[1], last[1]), VUZP2(B16, h[3], h[1], last[0]),
		)
		newBasis(f, c.basis, g.nibble).changeAll(last)
	}, func() {
		for _, p := range g.ready(c) {
			g.storeXOR(p, Post(src, 64), Post(dst, 64))
		}
	})
	at := f.New(Integer, "at")
	f.Add(MOVD(prefix, at), STP(ZR, ZR, At(at, 0)), RET())
}

func expand(file *asm.File, c *constants) {
	f := file.Func("expandAES", "(k *Keys, key *[16]byte)")
	f.Doc = "expandAES computes the round keys."
	f.Banner = "As block1AES, but for the linear layer: byte j of it is V0(s[j]) + V1(s[j+1]) + V2(s[j+2])\n+ V3(s[j+3]), with four different maps."
	f.Secret = "k key"
	keys, key := f.Arg("k"), f.Arg("key")
	w := &words{f: f, unshift: f.Several(Vector, "unshift", 4), nibble: f.New(Vector, "nibble")}
	u := f.Several(Vector, "unused", 4)
	load(f, c.words, append(append(u, w.unshift...), w.nibble)...)
	low, high := f.Several(Vector, "low", 4), f.Several(Vector, "high", 4)
	fk, constant := f.New(Vector, "fk"), f.New(Vector, "constant")
	var v []asm.Reg
	for i := range low {
		v = append(v, low[i], high[i])
	}
	load(f, c.schedule, append(v, fk, constant)...)
	b := f.New(Vector, "block")
	f.Add(VLD1(B16, At(key, 0), b))
	f.Add(newBasis(f, c.basis, w.nibble).change(b, b)...)
	f.Add(VEOR(fk, b, b))
	x := f.Several(Vector, "x", 4)
	for i := range x {
		f.Add(VDUP(S4, Lane(S4, b, i), x[i]))
	}
	ck := f.New(Integer, "ck")
	f.Add(MOVD(c.ck, ck))
	rounds(f, "rounds", keys, func(i int, key asm.Reg) {
		k, s, n := f.New(Vector, "k"), f.New(Vector, "s"), f.New(Vector, "n")
		x0, x1, x2, x3 := x[i], x[(i+1)%4], x[(i+2)%4], x[(i+3)%4]
		f.Add(VLD1R(S4, Post(ck, 4), k), VEOR(x1, x2, s), VEOR(x3, s, s), AESE(k, s))
		f.Add(VAND(w.nibble, s, n), VUSHR(B16, 4, s, s))
		for m := range 4 {
			a, b := f.New(Vector, "a"), f.New(Vector, "b")
			f.Add(VTBL(n, low[m], a), VTBL(s, high[m], b), VEOR(a, b, a), VTBL(w.unshift[m], a, a), VEOR(a, x0, x0))
		}
		f.Add(VEOR(constant, x0, k), FMOVS(k, Post(key, 4)))
	})
	f.Add(RET())
}
