package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/blockcipher"
)

const whole = "n > 0 bytes, a multiple of 128."

func begin(file *asm.File, name, signature string) *asm.Func {
	f := file.Func(name+"Bitslice", "(k *KeysBitslice, "+signature)
	f.Public = "k.Rounds"
	return f
}

func (c *cipher) load(p asm.Reg, x []asm.Reg) {
	blockcipher.Each(x, func(part []asm.Reg) { c.Add(VLD1(B16, Post(p, 16*len(part)), part)) })
}

func (c *cipher) store(x []asm.Reg, p asm.Reg) {
	blockcipher.Each(x, func(part []asm.Reg) { c.Add(VST1(B16, part, Post(p, 16*len(part)))) })
}

func (c *cipher) loop(n asm.Reg, pass func()) {
	c.Label("eight")
	pass()
	c.Add(SUBS(128, n, n), BNE("eight"))
}

func blocks(file *asm.File, t *tables, decrypt bool) {
	name, verb := "encryptBlocks", "encrypts"
	if decrypt {
		name, verb = "decryptBlocks", "decrypts"
	}
	f := begin(file, name, "dst, src *byte, n int)")
	f.Doc = fmt.Sprintf("%s %s %s", f.Name, verb, whole)
	f.Secret = "k dst src"
	c := newCipher(f, t, decrypt)
	dst, src, n := f.Arg("dst"), f.Arg("src"), f.Arg("n")
	c.loop(n, func() {
		c.load(src, c.x)
		c.process()
		c.store(c.x, dst)
	})
	f.Add(RET())
}

func cbcDecrypt(file *asm.File, t *tables) {
	f := begin(file, "cbcDecrypt", "iv, dst, src *byte, n int)")
	f.Doc = f.Name + " decrypts " + whole + " iv becomes the last ciphertext block."
	f.Secret = "k iv dst src"
	c := newCipher(f, t, true)
	iv, dst, src, n := f.Arg("iv"), f.Arg("dst"), f.Arg("src"), f.Arg("n")
	chain, y := f.New(Vector, "chain"), f.Group(Vector, "y", 8, 1)
	c.loop(n, func() {
		reread := f.New(Integer, "again")
		f.Add(MOVD(src, reread))
		c.load(src, c.x)
		c.process()
		f.Remark("The ciphertext is loaded again, for want of registers.")
		f.Add(VLD1(B16, At(iv, 0), chain))
		c.load(reread, y)
		f.Add(VST1(B16, y[7:], At(iv, 0)), VEOR(chain, c.x[0], c.x[0]))
		for i := range 7 {
			f.Add(VEOR(y[i], c.x[i+1], c.x[i+1]))
		}
		c.store(c.x, dst)
	})
	f.Add(RET())
}

func ctr(file *asm.File, t *tables, bits int) {
	name, end, add := "ctr", "lo does not\nwrap around before the last block.", D2
	if bits == 32 {
		name, end, add = "ctr32", "The lower 32\nbits of lo wrap around without a carry.", S4
	}
	f := begin(file, name, "hi, lo uint64, dst, src *byte, n int)")
	f.Doc = f.Name + " adds the keystream of the counters from hi:lo on to " + whole + " " + end
	f.Secret = "k hi lo dst src"
	c := newCipher(f, t, false)
	hi, lo, dst, src, n := f.Arg("hi"), f.Arg("lo"), f.Arg("dst"), f.Arg("src"), f.Arg("n")
	counter, one, y := f.New(Vector, "counter"), f.New(Vector, "one"), f.Group(Vector, "y", 8, 1)
	f.Remark("The counter has its bytes in the order of integers, one adds 1 to the lower half.")
	f.Add(
		VMOVI(0, one),
		FMOVD(hi, counter),
		VMOV(lo, Lane(D2, counter, 1)),
		MOVD(1, lo),
		VMOV(lo, Lane(D2, one, 1)),
	)
	c.loop(n, func() {
		for _, x := range c.x {
			f.Add(VREV64(B16, counter, x), VADD(add, one, counter, counter))
		}
		c.process()
		c.load(src, y)
		for i, x := range c.x {
			f.Add(VEOR(y[i], x, x))
		}
		c.store(c.x, dst)
	})
	f.Add(RET())
}

func xts(file *asm.File, t *tables, decrypt bool) {
	name, verb := "xtsEncrypt", "encrypts"
	if decrypt {
		name, verb = "xtsDecrypt", "decrypts"
	}
	f := begin(file, name, "tweaks, dst, src *byte, n int)")
	f.Doc = fmt.Sprintf("%s %s %s tweaks are those of the first eight\nblocks, and become those of the eight after the last.", f.Name, verb, whole)
	f.Banner = `IEEE 1619. Eight tweaks are in memory and become the next eight by a multiplication by x^8: a shift by
a byte, and the byte that leaves times 0x87.`
	f.Secret = "k tweaks dst src"
	c := newCipher(f, t, decrypt)
	tweaks, dst, src, n := f.Arg("tweaks"), f.Arg("dst"), f.Arg("src"), f.Arg("n")
	c.loop(n, func() {
		tweak := f.Several(Vector, "tweak", 2)
		c.load(src, c.x)
		for i := 0; i < 8; i += 2 {
			f.Add(FLDPQ(At(tweaks, 16*i), tweak[0], tweak[1]), VEOR(tweak[0], c.x[i], c.x[i]), VEOR(tweak[1], c.x[i+1], c.x[i+1]))
		}
		c.process()
		zero, poly := f.New(Vector, "zero"), f.New(Vector, "poly")
		f.Add(VMOVI(0, zero), VMOVI(0x87, poly))
		for i := 0; i < 8; i += 2 {
			u := f.Several(Vector, "u", 2)
			f.Add(FLDPQ(At(tweaks, 16*i), tweak[0], tweak[1]))
			for j, t := range tweak {
				f.Add(
					VEOR(t, c.x[i+j], c.x[i+j]),
					VEXT(15, zero, t, u[j]), // the last byte
					VPMULL(B8, poly, u[j], u[j]),
					VEXT(15, t, zero, t),
					VEOR(u[j], t, t),
				)
			}
			f.Add(FSTPQ(tweak[0], tweak[1], At(tweaks, 16*i)))
		}
		c.store(c.x, dst)
	})
	f.Add(RET())
}
