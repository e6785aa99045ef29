package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/ghash/pmull"
)

// gcm encrypts eight blocks while it hashes eight: the ciphertext of the pass before, or, to
// decrypt, that of this pass.
func gcm(file *asm.File, open bool) {
	name, verb := "sealCE", "encrypts"
	if open {
		name, verb = "openCE", "decrypts"
	}
	f := file.Func(name, "(k *Keys, h *[12][16]byte, counter, y, dst, src *byte, n int)")
	f.Doc = fmt.Sprintf(`%s %s n bytes, a multiple of 128, with the counters from counter on, advances it, and
continues the hash y over the ciphertext.`, name, verb)
	f.Banner = `Round keys are loaded in pairs, once for eight blocks, for want of registers. Instructions of GHASH
are spread evenly among those of AES, but not between an AESE and its AESMC.`
	f.Secret, f.Public = "k h counter y dst src", "k.Rounds"
	k, h, counter, y, dst, src, n := f.Arg("k"), f.Arg("h"), f.Arg("counter"), f.Arg("y"), f.Arg("dst"), f.Arg("src"), f.Arg("n")
	rounds, first, poly := f.New(Integer, "rounds"), f.New(Integer, "first"), f.New(Integer, "poly")
	b := f.Group(Vector, "b", 8, 1)
	keys := f.Several(Vector, "k", 4)
	ctr, one := f.New(Vector, "counter"), f.New(Vector, "one")
	data := f.Group(Vector, "data", 4, 1)
	g := pmull.New(f)
	g.Start(f, poly)
	f.Add(
		MOVD(At(k, roundsAt), rounds),
		ADD(Left(rounds, 4), k, first),
		ADD(encAt-14*16, first, first), // of k0
		VLD1(B16, At(counter, 0), ctr),
		VREV32(B16, ctr, ctr),
		VMOVI(B16, 0, one),
		MOVD(1, poly),
		VMOV(poly, Lane(S4, one, 3)),
		VLD1(B16, At(y, 0), g.Y),
		VREV64(B16, g.Y, g.Y),
	)
	pair := func(i int) (s asm.Stream) {
		a, b2 := keys[i%4], keys[i%4+1]
		s.Add(FLDPQ(At(first, 16*i).In("keys"), a, b2))
		for _, key := range []asm.Reg{a, b2} {
			for _, x := range b {
				s.Add(Fuse(AESE(key, x), AESMC(x, x))...)
			}
		}
		return s
	}
	// start begins eight blocks: the first rounds, whose number depends on the key.
	start := func(label string) {
		for _, x := range b {
			f.Add(VREV32(B16, ctr, x), VADD(S4, one, ctr, ctr))
		}
		f.Add(TBZ(2, rounds, label+"128"), TBZ(1, rounds, label+"192"))
		f.Add(pair(0)...)
		f.Label(label + "192")
		f.Add(pair(2)...)
		f.Label(label + "128")
	}
	// finish is the rounds that all keys have, but for the last SubBytes.
	finish := func() (s asm.Stream) {
		for i := 4; i < 12; i += 2 {
			s.Add(pair(i)...)
		}
		s.Add(FLDPQ(At(first, 16*12).In("keys"), keys[0], keys[1]))
		for _, x := range b {
			s.Add(Fuse(AESE(keys[0], x), AESMC(x, x))...)
		}
		s.Add(FMOVQ(At(first, 16*14).In("keys"), keys[2]))
		return s
	}
	output := func() (s asm.Stream) {
		for i, x := range b {
			s.Add(AESE(keys[1], x))
			if i%4 == 0 {
				s.Add(VLD1(B16, Post(src, 64).In("src"), data))
			}
			s.Add(VEOR(keys[2], data[i%4], data[i%4]), VEOR(data[i%4], x, x))
			if i%4 == 3 {
				s.Add(VST1(B16, b[i-3:i+1], Post(dst, 64).In("dst")))
			}
		}
		return s
	}
	// hash hashes eight blocks before or from p on.
	x := f.Several(Vector, "x", 2)
	hash := func(p asm.Reg, offset int) (s asm.Stream) {
		for i := 0; i < 8; i += 2 {
			s.Add(
				FLDPQ(At(p, offset+16*i).In("hashed"), x[0], x[1]),
				VREV64(B16, x[0], x[0]),
				VREV64(B16, x[1], x[1]),
			)
			if i == 0 {
				s.Add(VEOR(g.Y, x[0], x[0]))
			}
			s.Add(g.Pair(x[0], x[1], 8-i, h, i == 0)...)
		}
		s.Add(g.Reduce()...)
		return s
	}
	if open {
		from := f.New(Integer, "from")
		f.Label("pass")
		start("aes")
		f.Add(MOVD(src, from))
		f.Add(asm.Weave(finish(), hash(from, 0))...)
		f.Remark("Only now, because dst may be src.")
		f.Add(output()...)
		f.Add(SUBS(128, n, n), BNE("pass"))
	} else {
		from := f.New(Integer, "from")
		start("first")
		f.Add(finish()...)
		f.Add(output()...)
		f.Add(SUBS(128, n, n), BEQ("last"))
		f.Label("pass")
		start("aes")
		f.Add(SUB(128, dst, from))
		f.Add(asm.Weave(append(finish(), output()...), hash(from, 0))...)
		f.Add(SUBS(128, n, n), BNE("pass"))
		f.Label("last")
		f.Add(SUB(128, dst, from))
		f.Add(hash(from, 0)...)
	}
	f.Add(
		VREV64(B16, g.Y, g.Y),
		VST1(B16, g.Y, At(y, 0)),
		VREV32(B16, ctr, ctr),
		VST1(B16, ctr, At(counter, 0)),
		RET(),
	)
}

// gcmFinish hashes the end of a message and makes the tag.
func gcmFinish(file *asm.File) {
	f := file.Func("finishCE", "(k *Keys, h *[12][16]byte, j0, y, p *byte, n int, last, lens *byte)")
	f.Doc = `finishCE continues the hash y over n bytes, 0 to 7 blocks at p, then the block last unless it is nil,
and lens, and makes it the tag with the encryption of j0.`
	f.Banner = `All blocks share one reduction, but for the first of nine. The encryption of j0 does not depend on
them, so that a CPU that reorders instructions does both at the same time.`
	f.Secret, f.Public = "k h j0 y p last", "k.Rounds lens"
	c := newCipher(f, encryption, true)
	h, j0, y, p, n, last, lens := f.Arg("h"), f.Arg("j0"), f.Arg("y"), f.Arg("p"), f.Arg("n"), f.Arg("last"), f.Arg("lens")
	power, t := f.New(Integer, "power"), f.New(Integer, "poly")
	mask, x := f.New(Vector, "mask"), f.New(Vector, "x")
	g := pmull.New(f)
	g.Start(f, t)
	f.Add(VLD1(B16, At(j0, 0), mask))
	c.process([]asm.Reg{mask})
	f.Add(
		VEOR(c.last(), mask, mask),
		VLD1(B16, At(y, 0), g.Y),
		VREV64(B16, g.Y, g.Y),
	)
	f.Remark("x is the state plus the next block.")
	next := func(p asm.Reg) { f.Add(VLD1(B16, Post(p, 16), x), VREV64(B16, x, x)) }
	f.Add(CBZ(last, "powers"), CMP(7*16, n), BNE("powers"))
	next(p)
	f.Add(VEOR(g.Y, x, x))
	f.Add(g.One(x, h)...)
	f.Add(g.Reduce()...)
	f.Add(SUB(16, n, n))
	f.Label("powers")
	f.Add(
		// The power of the first block is one more than the number of blocks before lens.
		ADD(16*(pmull.Powers-1), h, power),
		SUB(n, power, power),
		CBZ(last, "start"),
		SUB(16, power, power),
	)
	f.Label("start")
	f.Add(g.Clear()...)
	f.Add(CBZ(n, "partial"))
	f.Label("block")
	next(p)
	f.Add(VEOR(g.Y, x, x), VMOVI(B16, 0, g.Y))
	f.Add(g.Add(x, power)...)
	f.Add(SUBS(16, n, n), BNE("block"))
	f.Label("partial")
	f.Add(CBZ(last, "lengths"))
	next(last)
	f.Add(VEOR(g.Y, x, x), VMOVI(B16, 0, g.Y))
	f.Add(g.Add(x, power)...)
	f.Label("lengths")
	next(lens)
	f.Add(VEOR(g.Y, x, x))
	f.Add(g.Add(x, power)...)
	f.Add(g.Reduce()...)
	f.Add(
		VREV64(B16, g.Y, g.Y),
		VEOR(mask, g.Y, g.Y),
		VST1(B16, g.Y, At(y, 0)),
		RET(),
	)
}
