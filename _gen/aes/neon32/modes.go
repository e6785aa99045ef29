package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm"
	"github.com/cipherlane/cipherlane/_gen/planes"
)

const whole = "n > 0 bytes, a multiple of 128."

func begin(file *asm.File, name, signature string) *asm.Func {
	f := file.Func(name+"NEON", "(k *Keys, "+signature)
	f.Public = "k.Rounds k.Last"
	return f
}

func (c *cipher) load(p asm.Reg, x []asm.Reg) {
	Each(x, func(pair []asm.Reg) { c.Add(VLD1(Post(p), pair)) })
}

func (c *cipher) store(x []asm.Reg, p asm.Reg) {
	Each(x, func(pair []asm.Reg) { c.Add(VST1(pair, Post(p))) })
}

func (c *cipher) loop(n asm.Reg, pass func()) {
	c.Label("eight")
	pass()
	c.Add(SUBS(128, n, n), BNE("eight"))
	c.box.Wipe()
	c.Add(RET())
}

func blocks(file *asm.File, box *planes.Box, decrypt bool) {
	name, verb := "encryptBlocks", "encrypts"
	if decrypt {
		name, verb = "decryptBlocks", "decrypts"
	}
	f := begin(file, name, "dst, src *byte, n int)")
	f.Doc = fmt.Sprintf("%s %s %s", f.Name, verb, whole)
	f.Secret = "k dst src"
	c := newCipher(f, box, decrypt)
	dst, src, n := f.Arg("dst"), f.Arg("src"), f.Arg("n")
	c.loop(n, func() {
		c.load(src, c.x)
		c.process()
		c.store(c.x, dst)
	})
}

func cbcDecrypt(file *asm.File, box *planes.Box) {
	f := begin(file, "cbcDecrypt", "iv, dst, src *byte, n int)")
	f.Doc = f.Name + " decrypts " + whole + " iv becomes the last ciphertext block."
	f.Secret = "k iv dst src"
	c := newCipher(f, box, true)
	dst, src, n := f.Arg("dst"), f.Arg("src"), f.Arg("n")
	c.loop(n, func() {
		c.load(src, c.x)
		c.process()
		f.Remark("The ciphertext is loaded again, for want of registers.")
		iv, y := f.New(Integer, "iv"), f.New(Vector, "y")
		f.LoadArg("iv", iv)
		f.Add(SUB(128, src, src), VLD1(At(iv), []asm.Reg{y}))
		for i := 0; i < 8; i += 2 {
			pair := f.Group(Vector, "pair", 2, 1)
			f.Add(VEOR(y, c.x[i], c.x[i]), VLD1(Post(src), pair), VEOR(pair[0], c.x[i+1], c.x[i+1]))
			y = pair[1]
		}
		f.Add(VST1([]asm.Reg{y}, At(iv)))
		c.store(c.x, dst)
	})
}

func ctr(file *asm.File, box *planes.Box) {
	f := begin(file, "ctr", "counter, dst, src *byte, n int)")
	f.Doc = f.Name + " adds keystream to " + whole + " The last 32 bits of the counter\ncount, without a carry."
	f.Secret = "k counter dst src"
	c := newCipher(f, box, false)
	dst, src, n := f.Arg("dst"), f.Arg("src"), f.Arg("n")
	one := file.Table("one", "1 in the last word.", []byte{12: 1, 15: 0})
	c.loop(n, func() {
		counter, p := f.New(Integer, "counter"), f.New(Integer, "p")
		v, add := f.New(Vector, "v"), f.New(Vector, "one")
		f.LoadArg("counter", counter)
		f.Add(MOVW(one, p), VLD1(At(counter), []asm.Reg{v}), VLD1(At(p), []asm.Reg{add}), VREV(32, 8, v, v))
		for _, x := range c.x {
			f.Add(VREV(32, 8, v, x), VADD(32, add, v, v))
		}
		f.Add(VREV(32, 8, v, v), VST1([]asm.Reg{v}, At(counter)))
		c.process()
		for i := 0; i < 8; i += 2 {
			pair := f.Group(Vector, "pair", 2, 1)
			f.Add(VLD1(Post(src), pair), VEOR(pair[0], c.x[i], c.x[i]), VEOR(pair[1], c.x[i+1], c.x[i+1]))
		}
		c.store(c.x, dst)
	})
}

func xts(file *asm.File, box *planes.Box, decrypt bool) {
	name, verb := "xtsEncrypt", "encrypts"
	if decrypt {
		name, verb = "xtsDecrypt", "decrypts"
	}
	f := begin(file, name, "tweaks, dst, src *byte, n int)")
	f.Doc = fmt.Sprintf("%s %s %s tweaks are those of the first eight\nblocks, and become those of the eight after the last.", f.Name, verb, whole)
	f.Banner = `IEEE 1619. Eight tweaks are in memory and become the next eight by a multiplication by x^8: a shift by
a byte, and the byte that leaves times 0x87.`
	f.Secret = "k tweaks dst src"
	c := newCipher(f, box, decrypt)
	dst, src, n := f.Arg("dst"), f.Arg("src"), f.Arg("n")
	c.loop(n, func() {
		p := f.New(Integer, "tweak")
		c.load(src, c.x)
		f.LoadArg("tweaks", p)
		for i := 0; i < 8; i += 2 {
			t := f.Group(Vector, "tweak", 2, 1)
			f.Add(VLD1(Post(p), t), VEOR(t[0], c.x[i], c.x[i]), VEOR(t[1], c.x[i+1], c.x[i+1]))
		}
		c.process()
		zero, poly := f.New(Vector, "zero"), f.New(Vector, "poly")
		f.LoadArg("tweaks", p)
		f.Add(VMOVI(0, zero), VMOVI(0x87, poly))
		for i := 0; i < 8; i += 2 {
			t := f.Group(Vector, "tweak", 2, 1)
			f.Add(VLD1(At(p), t))
			for j, t := range t {
				u := f.New(Vector, "u")
				f.Add(
					VEOR(t, c.x[i+j], c.x[i+j]),
					VEXT(15, zero, t, u), // the last byte
					VMULL(8, Low(poly), Low(u), u),
					VEXT(15, t, zero, t),
					VEOR(u, t, t),
				)
			}
			f.Add(VST1(t, Post(p)))
		}
		c.store(c.x, dst)
	})
}
