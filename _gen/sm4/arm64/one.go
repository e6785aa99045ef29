package main

import (
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/sm4/matrices"
)

// One is one block. Here all that AESE and AESMC do to the order of bytes is of use. x[i] has
// word i, of which byte j counts only in row j of column j, which is byte 5*j of the register.
//
// ShiftRows moves these four bytes to column 0, and one permutation copies them to all columns:
// s[j] to row j+1. Three tables side by side are one look-up for 16 bytes, because the upper halves
// of the indices say which table each of them takes. They stay as they are: VBIT and VSRI replace
// the lower halves. Column j is then
//
//	row j     U3(s[j+3]) / 2
//	row j+1   U0(s[j]) / 3
//	row j+2   U1(s[j+1])
//	row j+3   U1(s[j+2])
//
// and MixColumns, which multiplies these by 2, 3, 1 and 1 for row j, adds them: that is byte j of
// the linear layer, and in its place.
type one struct {
	f                 *asm.Func
	lows, highs       []asm.Reg // the tables of low and high nibbles
	low, high         asm.Reg   // indices
	nibble            asm.Reg
	spread, collector asm.Reg
}

// oneTable returns the vectors of one.
func oneTable(file *asm.File, set *matrices.Set, output func(matrices.Affine) matrices.Affine) *asm.Table {
	scaled := func(n byte, u matrices.Affine) matrices.Affine {
		var m matrices.Matrix
		for i := range m {
			m[i] = matrices.Product(1<<i, matrices.Inverse(n, matrices.AESPoly), matrices.AESPoly)
		}
		return matrices.Affine{M: m}.After(output(u))
	}
	var lows, highs, which, spread, collector []byte
	for _, u := range []matrices.Affine{scaled(2, set.U3), scaled(3, set.U0), output(set.U1)} {
		low, high := u.Nibbles()
		lows, highs = append(lows, low[:]...), append(highs, high[:]...)
	}
	for column := range 4 {
		for row := range 4 {
			which = append(which, 16*min(byte(row+4-column)%4, 2))
			spread = append(spread, byte(row+3)%4)
			collector = append(collector, byte(16*(3-column)+5*row))
		}
	}
	data := append(lows, highs...)
	for _, v := range [][]byte{which, spread, collector} {
		data = append(data, v...)
	}
	for range 16 {
		data = append(data, 0x0f)
	}
	return file.Table("one", "U3/2, U0/3 and U1: low nibbles, then high ones; which of them, and indices that spread bytes and\n"+
		"collect them; a mask of nibbles.", data)
}

func newOne(f *asm.Func, c *constants) *one {
	o := &one{f: f, lows: f.Group(Vector, "lows", 3, 1), highs: f.Group(Vector, "highs", 3, 1),
		low: f.New(Vector, "low"), high: f.New(Vector, "high"), nibble: f.New(Vector, "nibble"),
		spread: f.New(Vector, "spread"), collector: f.New(Vector, "collector")}
	load(f, c.one, o.lows[0], o.lows[1], o.lows[2], o.highs[0], o.highs[1], o.highs[2], o.low, o.spread, o.collector, o.nibble)
	f.Add(VMOV(o.low, o.high))
	return o
}

// words copies word i of a block to all of x[i].
func (o *one) words(block asm.Reg) []asm.Reg {
	x := o.f.Group(Vector, "x", 4, 1)
	for i := range x {
		o.f.Add(VDUP(S4, Lane(S4, block, i), x[i]))
	}
	return x
}

// round adds a round. z has the sum of the round key and all words but x0 and x3, the newest one,
// which AESE adds, and is overwritten.
func (o *one) round(x0, x3, z asm.Reg, interleaved ...asm.Op) {
	f := o.f
	t, u := f.New(Vector, "t"), f.New(Vector, "u")
	f.Add(AESE(x3, z))
	f.Add(interleaved...)
	f.Add(
		VTBL(o.spread, z, z),
		VBIT(o.nibble, z, o.low), VSRI(B16, 4, z, o.high),
		VTBL(o.low, o.lows, t), VTBL(o.high, o.highs, u),
		VEOR(t, u, t), AESMC(t, t), VEOR(t, x0, x0),
	)
}

// crypt adds all rounds. keys loads the next four round keys, each to all elements of a register.
func (o *one) crypt(first asm.Reg, x []asm.Reg, keys func(key asm.Reg, k []asm.Reg)) {
	f := o.f
	key, left := f.New(Integer, "key"), f.New(Integer, "left")
	k := f.Group(Vector, "k", 4, 1)
	f.Add(MOVD(first, key), MOVD(8, left))
	f.Label("rounds")
	keys(key, k)
	z := f.Several(Vector, "z", 2)
	f.Add(VEOR(x[1], x[2], z[0]), VEOR(k[0], z[0], z[0]))
	for i := range 4 {
		var next asm.Stream
		if i < 3 {
			n := z[(i+1)%2]
			next = asm.Stream{VEOR(x[(i+2)%4], x[(i+3)%4], n), VEOR(k[i+1], n, n)}
		}
		o.round(x[i], x[(i+3)%4], z[i%2], next...)
	}
	f.Add(SUBS(1, left, left), BNE("rounds"))
}

// collect returns the block of the words after the rounds, whose order is reversed.
func (o *one) collect(x []asm.Reg, block asm.Reg) { o.f.Add(VTBL(o.collector, x, block)) }

// block1AES is for one block.
func block1AES(file *asm.File, c *constants) {
	f := file.Func("block1AES", "(k *Keys, step int, dst, src *byte)")
	f.Doc = f.Name + " encrypts or decrypts one block.\n" + direction
	f.Banner = "450 instructions. Each round waits for the one before: AESE, VTBL, VBIT, VTBL of three registers,\nVEOR, AESMC, VEOR."
	f.Secret = "k dst src"
	keys, step, dst, src := f.Arg("k"), f.Arg("step"), f.Arg("dst"), f.Arg("src")
	first := firstKey(f, keys, step)
	o := newOne(f, c)
	b := f.New(Vector, "block")
	f.Add(VLD1(B16, At(src, 0), b))
	f.Add(newBasis(f, c.basis, o.nibble).change(b, b)...)
	x := o.words(b)
	o.crypt(first, x, func(key asm.Reg, k []asm.Reg) {
		for _, r := range k {
			f.Add(VLD1R(S4, PostIndex(key, step), r))
		}
	})
	o.collect(x, b)
	f.Add(newBasis(f, c.inverse, o.nibble).change(b, b)...)
	f.Add(VST1(B16, b, At(dst, 0)), RET())
}

// chainAES is CBC encryption, or that of CFB, which adds the plaintext afterwards.
func chainAES(file *asm.File, c *constants, mode string) {
	cfb := mode == "CFB"
	f := file.Func(strings.ToLower(mode)+"EncryptAES", "(k *Keys, iv *[16]byte, dst, src *byte, blocks int)")
	f.Doc = f.Name + " encrypts blocks, at least one, in " + mode + " mode. iv becomes the last ciphertext\nblock."
	f.Banner = "As block1AES, once per block: 25 instructions per byte. The chain stays in the basis."
	f.Secret = "k iv dst src"
	keys, iv, dst, src, blocks := f.Arg("k"), f.Arg("iv"), f.Arg("dst"), f.Arg("src"), f.Arg("blocks")
	o := newOne(f, c)
	to, from := newBasis(f, c.basis, o.nibble), newBasis(f, c.inverse, o.nibble)
	chain, b := f.New(Vector, "chain"), f.New(Vector, "b")
	f.Add(VLD1(B16, At(iv, 0), chain))
	f.Add(to.change(chain, chain)...)
	f.Label("block")
	f.Add(VLD1(B16, Post(src, 16), b))
	f.Add(to.change(b, b)...)
	if !cfb {
		f.Add(VEOR(b, chain, chain))
	}
	x := o.words(chain)
	o.crypt(keys, x, func(key asm.Reg, k []asm.Reg) { f.Add(VLD4R(S4, Post(key, 16), k)) })
	o.collect(x, chain)
	if cfb {
		f.Add(VEOR(b, chain, chain))
	}
	f.Add(from.change(chain, b)...)
	f.Add(VST1(B16, b, Post(dst, 16)), SUBS(1, blocks, blocks), BNE("block"))
	f.Add(VST1(B16, b, At(iv, 0)), RET())
}
