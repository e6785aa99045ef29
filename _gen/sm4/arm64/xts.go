package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// xts16 is XTS. The tweaks of a group are byte-sliced, too: byte i of all of them is in vector i of
// memory. The next 16 are those times x^16, so byte i becomes byte i+2, which is another place for
// the same vector. The bytes that leave, 14 and 15, times 0x87 have 15 bits each, which are added
// to bytes 0 to 2.
func xts16(file *asm.File, c *constants, family string) {
	f := file.Func("xts16"+family, "(k *Keys, step int, tweaks *[256]byte, dst, src *byte, groups int, gb bool)")
	f.Doc = f.Name + " encrypts or decrypts groups of 16 blocks, at least one, in XTS mode. tweaks has those\n" +
		"of the first group, and afterwards those of the next one, first byte 0 of all of them, then byte 1\n" +
		"and so on. If gb is set, the bits of their bytes are in reverse order.\n" + direction
	f.Banner = "Like blocks16AES; in addition, 12 loads and stores and 32 VEOR per group to add tweaks, and 16\n" +
		"instructions for the next ones."
	f.Secret = "k tweaks dst src"
	keys, step, tweaks, dst, src, groups, gb := f.Arg("k"), f.Arg("step"), f.Arg("tweaks"), f.Arg("dst"), f.Arg("src"), f.Arg("groups"), f.Arg("gb")
	first, at := firstKey(f, keys, step), f.New(Integer, "at")
	g := newGroup(f, c, family == sha3)

	f.Add(MOVD(tweaks, at))
	g.transpose([4]int{0, 1, 2, 3}, Post(at, 64))
	reverse := func(label string, v ...asm.Reg) {
		f.Add(CBZ(gb, label))
		for _, x := range v {
			f.Add(VRBIT(B16, x, x))
		}
		f.Label(label)
	}
	for w, word := range g.state {
		reverse("ieee"+string(rune('0'+w)), word...)
	}
	f.Add(MOVD(tweaks, at))
	for _, word := range g.state {
		f.Add(VST1(B16, word, Post(at, 64)))
	}

	f.Label("group")
	g.transpose([4]int{0, 1, 2, 3}, Post(src, 64))
	f.Add(MOVD(tweaks, at))
	for _, word := range g.state {
		t := f.Group(Vector, "t", 4, 1)
		f.Add(VLD1(B16, Post(at, 64), t))
		for j, x := range word {
			f.Add(VEOR(t[j], x, x))
		}
	}
	g.toBasis(c)
	g.crypt(first, step)
	g.fromBasis(c)
	// The last word comes first: its place is free when the one before moves there.
	t, u := f.Group(Vector, "t", 4, 1), f.Several(Vector, "u", 4)
	f.Add(ADD(192, tweaks, at), VLD1(B16, At(at, 0), t))
	for j, x := range g.state[0] {
		f.Add(VEOR(t[j], x, x))
	}
	f.Add(VMOV(t[2], u[0]), VMOV(t[3], u[1]))
	reverse("ieee4", u[0], u[1])
	poly := f.New(Vector, "poly")
	f.Add(
		VMOVI(0x87, poly),
		VPMULL2(B16, poly, u[0], u[2]), VPMULL(B8, poly, u[0], u[0]),
		VPMULL2(B16, poly, u[1], u[3]), VPMULL(B8, poly, u[1], u[1]),
	)
	f.Add(ADD(224, tweaks, at), VST1(B16, t[:2], At(at, 0)))
	low, middle, high := f.New(Vector, "low"), f.New(Vector, "middle"), f.New(Vector, "high")
	f.Add(
		VUZP1(B16, u[2], u[0], low), VUZP2(B16, u[2], u[0], middle),
		VUZP1(B16, u[3], u[1], poly), VUZP2(B16, u[3], u[1], high),
		VEOR(poly, middle, middle),
	)
	reverse("ieee5", low, middle, high)
	for w := 2; w >= 0; w-- {
		t := f.Group(Vector, "t", 4, 1)
		f.Add(ADD(64*w, tweaks, at), VLD1(B16, At(at, 0), t), ADD(32, at, at))
		for j, x := range g.state[3-w] {
			f.Add(VEOR(t[j], x, x))
		}
		if w == 0 {
			f.Add(VEOR(high, t[0], t[0]))
		}
		f.Add(VST1(B16, t, At(at, 0)))
	}
	f.Add(FSTPQ(low, middle, At(tweaks, 0)))
	for _, p := range g.interleave() {
		f.Add(VST4(B16, p, Post(dst, 64)))
	}
	f.Add(SUBS(1, groups, groups), BNE("group"), RET())
}

// addTweaks writes addTweaksNeon or, for GB/T 17964-2021, addTweaksGBNeon.
func addTweaks(file *asm.File, gb bool) {
	name := "addTweaksNeon"
	if gb {
		name = "addTweaksGBNeon"
	}
	f := file.Func(name, "(tweak *[16]byte, dst, src *byte, n int)")
	f.Doc = name + " adds the tweaks from the given one on to n > 0 bytes, whole blocks. tweak becomes the next one."
	if gb {
		f.Doc += "\nThe bits of each byte of a tweak are reversed before it is added."
	}
	f.Banner = "11 instructions for a block, or 15."
	f.Secret = "tweak dst src"
	tweak, dst, src, n := f.Arg("tweak"), f.Arg("dst"), f.Arg("src"), f.Arg("n")
	lo, hi, carry := f.New(Integer, "lo"), f.New(Integer, "hi"), f.New(Integer, "carry")
	x, y, t := f.New(Integer, "x"), f.New(Integer, "y"), f.New(Integer, "t")
	add := func(half, x asm.Reg) {
		if gb {
			f.Add(RBIT(half, t), REV(t, t))
			half = t
		}
		f.Add(EOR(half, x, x))
	}
	f.Add(LDP(At(tweak, 0), lo, hi))
	f.Label("block")
	f.Add(LDP(Post(src, 16), x, y))
	add(lo, x)
	add(hi, y)
	f.Add(
		STP(x, y, Post(dst, 16)),
		ASR(63, hi, carry),
		EXTR(63, lo, hi, hi),
		AND(0x87, carry, carry),
		EOR(Left(lo, 1), carry, lo),
		SUBS(16, n, n),
		BNE("block"),
		STP(lo, hi, At(tweak, 0)),
		RET(),
	)
}
