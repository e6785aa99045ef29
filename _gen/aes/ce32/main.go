// Command ce32 writes the AES kernels for 32-bit Arm with the AES instructions of ARMv8.
//
// # Algorithm
//
// That of _gen/aes/arm64: AESE is AddRoundKey, SubBytes and ShiftRows, AESMC is MixColumns. Modes
// without a chain process 8 blocks at a time (XTS 4), and then one. There are too few registers for
// the round keys: two are loaded for two rounds of all blocks.
//
// # Registers
//
//	x        blocks
//	k        two round keys, then the last one; for a chain the last eleven
//	others   data, counters, tweaks
//
// # Bound
//
// AES-128 takes 19 AESE and AESMC and two sums per block, with counters, keys, loads and stores 210
// instructions for 8 blocks: 1.64 per byte. Cortex-A53 starts an AESE and its AESMC together: 80
// cycles of the AES unit for 128 bytes. A chain takes 28 instructions for a block, whose round keys
// are in registers.
package main

import (
	"flag"
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm"
)

//go:generate go run . -out ../../../internal/aescore/internal/arm/aes_ce_arm.s -go ../../../internal/aescore/internal/arm/aes_ce_arm.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("go", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	invert(file)
	blocks(file, false)
	blocks(file, true)
	cbcEncrypt(file)
	cbcDecrypt(file)
	ctr(file)
	xts(file, false)
	xts(file, true)
	file.Write(*out, *declarations)
}

// Offsets in the Go type KeysCE.
const (
	roundsAt = 0
	encAt    = 8
	decAt    = encAt + 15*16
)

// A cipher is AES in a function.
type cipher struct {
	*asm.Func
	decrypt           bool
	first, left, loop asm.Reg // the first round key; pairs of rounds but the last two, and those that are left
	x                 []asm.Reg
	labels            int
}

func begin(file *asm.File, name, signature string, decrypt bool, width int) *cipher {
	f := file.Func(name+"CE", "(k *KeysCE, "+signature)
	f.Public = "k.Rounds"
	c := &cipher{Func: f, decrypt: decrypt, first: f.New(Integer, "first"), left: f.New(Integer, "left"), loop: f.New(Integer, "loop"), x: f.Group(Vector, "x", width, 1)}
	k := f.Arg("k")
	at := encAt
	if decrypt {
		at = decAt
	}
	f.Add(LDR(roundsAt, k, c.loop), ADD(at, k, c.first), SUB(2, c.loop, c.loop))
	return c
}

// process processes blocks, and returns the last round key, which is to be added.
func (c *cipher) process(x []asm.Reg) (last asm.Reg) {
	round, mix := AESE, AESMC
	if c.decrypt {
		round, mix = AESD, AESIMC
	}
	rounds := func(k asm.Reg) {
		for _, x := range x {
			c.Add(round(k, x), mix(x, x))
		}
	}
	p := c.New(Integer, "p")
	c.labels++
	top := fmt.Sprint("rounds", c.labels)
	c.Add(MOVW(c.first, p), MOVW(c.loop, c.left))
	c.Label(top)
	k := c.Group(Vector, "k", 2, 1)
	c.Add(VLD1(Post(p), k))
	rounds(k[0])
	rounds(k[1])
	c.Add(SUBS(2, c.left, c.left), BNE(top))
	k = c.Group(Vector, "k", 2, 1)
	last = c.New(Vector, "last")
	c.Add(VLD1(Post(p), k), VLD1(At(p), []asm.Reg{last}))
	rounds(k[0])
	for _, x := range x {
		c.Add(round(k[1], x))
	}
	return last
}

// passes emits a loop for as many blocks as there are in x and then one for single ones.
func (c *cipher) passes(n asm.Reg, pass func(x []asm.Reg)) {
	size := 16 * len(c.x)
	c.Add(SUBS(size, n, n), BLO("rest"))
	c.Label("many")
	pass(c.x)
	c.Add(SUBS(size, n, n), BHS("many"))
	c.Label("rest")
	c.Add(ADDS(size, n, n), BEQ("end"))
	c.Label("one")
	pass(c.x[:1])
	c.Add(SUBS(16, n, n), BNE("one"))
	c.Label("end")
}

func (c *cipher) load(p asm.Reg, x []asm.Reg) {
	Each(x, func(pair []asm.Reg) { c.Add(VLD1(Post(p), pair)) })
}

// store adds a key and stores.
func (c *cipher) store(key asm.Reg, x []asm.Reg, p asm.Reg) {
	for _, x := range x {
		c.Add(VEOR(key, x, x))
	}
	Each(x, func(pair []asm.Reg) { c.Add(VST1(pair, Post(p))) })
}

// data adds a key and what p has, which advances.
func (c *cipher) data(key asm.Reg, x []asm.Reg, p asm.Reg) {
	for i := 0; i < len(x); i += 2 {
		y := c.Group(Vector, "y", min(2, len(x)), 1)
		c.Add(VLD1(Post(p), y))
		for j, y := range y {
			c.Add(VEOR(key, x[i+j], x[i+j]), VEOR(y, x[i+j], x[i+j]))
		}
	}
}

const whole = "n > 0 bytes, whole blocks."

func invert(file *asm.File) {
	f := file.Func("invertCE", "(dec, enc *uint32, rounds int)")
	f.Doc = "invertCE makes the round keys of decryption of those of encryption."
	f.Banner = "The inverse cipher uses them in reverse order, all but the outer ones after InvMixColumns."
	f.Secret, f.Public = "dec enc", "rounds"
	dec, enc, n := f.Arg("dec"), f.Arg("enc"), f.Arg("rounds")
	back, x := f.New(Integer, "back"), f.Group(Vector, "x", 1, 1)
	f.Add(ADDL(n, 4, dec, dec), MOVW(-16, back), VLD1(Post(enc), x), VST1(x, By(dec, back)), SUB(1, n, n))
	f.Label("key")
	f.Add(VLD1(Post(enc), x), AESIMC(x[0], x[0]), VST1(x, By(dec, back)), SUBS(1, n, n), BNE("key"))
	f.Add(VLD1(At(enc), x), VST1(x, At(dec)), RET())
}

func blocks(file *asm.File, decrypt bool) {
	name, verb := "encryptBlocks", "encrypts"
	if decrypt {
		name, verb = "decryptBlocks", "decrypts"
	}
	c := begin(file, name, "dst, src *byte, n int)", decrypt, 8)
	c.Doc = fmt.Sprintf("%s %s %s", c.Name, verb, whole)
	c.Secret = "k dst src"
	dst, src, n := c.Arg("dst"), c.Arg("src"), c.Arg("n")
	c.passes(n, func(x []asm.Reg) {
		c.load(src, x)
		c.store(c.process(x), x, dst)
	})
	c.Add(RET())
}

// cbcEncrypt has the last eleven round keys in registers. Others are loaded for each block.
func cbcEncrypt(file *asm.File) {
	f := file.Func("cbcEncryptCE", "(k *KeysCE, iv, dst, src *byte, n int)")
	f.Doc = f.Name + " encrypts " + whole + " iv becomes the last ciphertext block."
	f.Secret, f.Public = "k iv dst src", "k.Rounds"
	first, more, p, left := f.Arg("k"), f.New(Integer, "more"), f.New(Integer, "p"), f.New(Integer, "left")
	iv, dst, src, n := f.Arg("iv"), f.Arg("dst"), f.Arg("src"), f.Arg("n")
	f.Add(LDR(roundsAt, first, more), ADD(encAt, first, first), SUB(10, more, more), ADDL(more, 4, first, p))
	keys := f.Group(Vector, "k", 11, 1)
	Each(keys, func(pair []asm.Reg) { f.Add(VLD1(Post(p), pair)) })
	x, y := f.Group(Vector, "x", 1, 1), f.Group(Vector, "y", 1, 1)
	round := func(k asm.Reg) { f.Add(AESE(k, x[0]), AESMC(x[0], x[0])) }
	f.Add(VLD1(At(iv), x))
	f.Label("block")
	f.Add(VLD1(Post(src), y), MOVW(first, p), SUBS(0, more, left), VEOR(y[0], x[0], x[0]), BEQ("last"))
	f.Label("first")
	k := f.Group(Vector, "first", 2, 1)
	f.Add(VLD1(Post(p), k))
	round(k[0])
	round(k[1])
	f.Add(SUBS(2, left, left), BNE("first"))
	f.Label("last")
	for _, k := range keys[:9] {
		round(k)
	}
	f.Add(
		AESE(keys[9], x[0]), VEOR(keys[10], x[0], x[0]), SUBS(16, n, n), VST1(x, Post(dst)), BNE("block"),
		VST1(x, At(iv)), RET(),
	)
}

func cbcDecrypt(file *asm.File) {
	c := begin(file, "cbcDecrypt", "iv, dst, src *byte, n int)", true, 8)
	c.Doc = c.Name + " decrypts " + whole + " iv becomes the last ciphertext block."
	c.Secret = "k iv dst src"
	iv, dst, src, n := c.Arg("iv"), c.Arg("dst"), c.Arg("src"), c.Arg("n")
	chain := c.Group(Vector, "chain", 1, 1)
	c.Add(VLD1(At(iv), chain))
	c.passes(n, func(x []asm.Reg) {
		c.load(src, x)
		last := c.process(x)
		c.Remark("The ciphertext is loaded again, for want of registers.")
		c.Add(SUB(16*len(x), src, src), VEOR(chain[0], x[0], x[0]))
		for i := range x {
			y := c.Group(Vector, "y", 1, 1)
			if i == len(x)-1 {
				c.Add(VLD1(Post(src), chain))
			} else {
				c.Add(VLD1(Post(src), y), VEOR(y[0], x[i+1], x[i+1]))
			}
		}
		c.store(last, x, dst)
	})
	c.Add(VST1(chain, At(iv)), RET())
}

func ctr(file *asm.File) {
	c := begin(file, "ctr", "counter, dst, src *byte, n int)", false, 8)
	c.Doc = c.Name + " adds keystream to " + whole + " The last 32 bits of the counter\ncount, without a carry."
	c.Secret = "k counter dst src"
	counter, dst, src, n := c.Arg("counter"), c.Arg("dst"), c.Arg("src"), c.Arg("n")
	one := c.New(Integer, "one")
	v, add := c.Group(Vector, "v", 1, 1), c.Group(Vector, "add", 1, 1)
	c.Add(
		VLD1(At(counter), v),
		MOVW(file.Table("oneCE", "1 in the last word.", []byte{12: 1, 15: 0}), one),
		VLD1(At(one), add),
		VREV(32, 8, v[0], v[0]),
	)
	c.passes(n, func(x []asm.Reg) {
		for _, x := range x {
			c.Add(VREV(32, 8, v[0], x), VADD(32, add[0], v[0], v[0]))
		}
		c.data(c.process(x), x, src)
		Each(x, func(pair []asm.Reg) { c.Add(VST1(pair, Post(dst))) })
	})
	c.Add(VREV(32, 8, v[0], v[0]), VST1(v, At(counter)), RET())
}

func xts(file *asm.File, decrypt bool) {
	name, verb := "xtsEncrypt", "encrypts"
	if decrypt {
		name, verb = "xtsDecrypt", "decrypts"
	}
	c := begin(file, name, "tweak, dst, src *byte, n int)", decrypt, 4)
	c.Doc = fmt.Sprintf("%s %s %s tweak, already\nencrypted, becomes that of the block after them.", c.Name, verb, whole)
	c.Banner = "IEEE 1619. The next tweak is twice the one before: the highest bits of its halves are carries."
	c.Secret = "k tweak dst src"
	tweak, dst, src, n := c.Arg("tweak"), c.Arg("dst"), c.Arg("src"), c.Arg("n")
	at := c.New(Integer, "at")
	next, poly := c.Group(Vector, "next", 1, 1), c.Group(Vector, "poly", 1, 1)
	c.Add(
		VLD1(At(tweak), next),
		MOVW(file.Table(name+"Poly", "What carries add to the lower and the upper half.", []byte{0: 0x87, 8: 1, 15: 0}), at),
		VLD1(At(at), poly),
	)
	tweaks := c.Several(Vector, "tweak", 4)
	c.passes(n, func(x []asm.Reg) {
		c.load(src, x)
		for i, x := range x {
			t, carry := tweaks[i], c.New(Vector, "carry")
			c.Add(
				VMOV(next[0], t),
				VSSHR(64, 63, t, carry),
				VADD(64, t, t, next[0]),
				VEXT(8, carry, carry, carry),
				VEOR(t, x, x),
				VAND(poly[0], carry, carry),
				VEOR(carry, next[0], next[0]),
			)
		}
		last := c.process(x)
		for i, x := range x {
			c.Add(VEOR(tweaks[i], x, x))
		}
		c.store(last, x, dst)
	})
	c.Add(VST1(next, At(tweak)), RET())
}
