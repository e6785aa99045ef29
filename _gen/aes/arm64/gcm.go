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
	f := file.Func(name, "(k *Keys, h *[12][16]byte, j0, counter, y, lens, dst, src *byte, n int)")
	f.Doc = fmt.Sprintf(`%s %s n bytes with the counters from counter on and continues the hash y over the ciphertext. If
lens is nil, n is a multiple of 128 and not 0, and counter is advanced. If not, the message ends:
lens is hashed too, and y becomes the tag, with the encryption of j0.`, name, verb)
	f.Banner = `Passes of eight blocks. Round keys are loaded in pairs, once for eight blocks, for want of registers.
Instructions of GHASH are spread evenly among those of AES, but not between an AESE and its AESMC.
The end of a message is less than a pass. J0 is encrypted with its blocks, and all that is hashed
shares a reduction.`
	f.Secret, f.Public = "k h j0 counter y dst src", "k.Rounds lens"
	k, h, dst, src, n := f.Arg("k"), f.Arg("h"), f.Arg("dst"), f.Arg("src"), f.Arg("n")
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
	)
	p := f.New(Integer, "p")
	f.LoadArg("counter", p)
	f.Add(
		VLD1(B16, At(p, 0), ctr),
		VREV32(B16, ctr, ctr),
		VMOVI(0, one),
		MOVD(1, poly),
		VMOV(poly, Lane(S4, one, 3)),
	)
	f.LoadArg("y", p)
	f.Add(
		VLD1(B16, At(p, 0), g.Y),
		VREV64(B16, g.Y, g.Y),
		SUBS(128, n, n),
		BLO("tail"),
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
	from := f.New(Integer, "from")
	if open {
		f.Label("pass")
		start("aes")
		f.Add(MOVD(src, from))
		f.Add(asm.Weave(finish(), hash(from, 0))...)
		f.Remark("Only now, because dst may be src.")
		f.Add(output()...)
		f.Add(SUBS(128, n, n), BHS("pass"))
	} else {
		start("first")
		f.Add(finish()...)
		f.Add(output()...)
		f.Add(SUBS(128, n, n), BLO("last"))
		f.Label("pass")
		start("aes")
		f.Add(SUB(128, dst, from))
		f.Add(asm.Weave(append(finish(), output()...), hash(from, 0))...)
		f.Add(SUBS(128, n, n), BHS("pass"))
		f.Label("last")
		f.Add(SUB(128, dst, from))
		f.Add(hash(from, 0)...)
	}
	f.LoadArg("lens", p)
	f.Add(CBNZ(p, "tail"))
	f.LoadArg("y", p)
	f.Add(VREV64(B16, g.Y, g.Y), VST1(B16, g.Y, At(p, 0)))
	f.LoadArg("counter", p)
	f.Add(VREV32(B16, ctr, ctr), VST1(B16, ctr, At(p, 0)), RET())

	f.Label("tail")
	t := &tail{Func: f, open: open, rounds: rounds, first: first, ctr: ctr, one: one, hash: g, h: h, dst: dst, src: src, n: n}
	t.emit()
}
