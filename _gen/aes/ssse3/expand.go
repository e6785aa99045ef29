package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/aes/permute"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The key schedule is linear but for the S-box, so that all of it takes place in
// the basis of the tower. The keys get the forms that the rounds want
// in the end.

// The order in which InvMixColumns is computed: each sum is rotated by a row
// before the next multiple comes in.
var invMixColumns = []byte{9, 13, 11, 14}

func expandTables() *section {
	s := newSection("Expand")
	s.addInversion()
	u, v := field.Output(field.ToTower.After(permute.SBoxLinear).After(field.FromTower))
	s.add("sbox", u, v)
	forms := map[string]permute.Linear{"form": field.ToTower, "plain": field.FromTower, "decrypt": decryption.form.After(field.FromTower)}
	for _, name := range []string{"form", "plain", "decrypt"} {
		low, high := permute.Nibbles(forms[name])
		s.add(name, low, high)
	}
	for _, c := range invMixColumns {
		low, high := permute.Nibbles(decryption.form.After(permute.Times(c)).After(field.FromTower))
		s.add(fmt.Sprint("times", c), low, high)
	}
	s.add("constant", permute.All(permute.Affine))
	s.add("constantEncrypt", permute.All(encryption.form(permute.Affine)))
	s.add("constantDecrypt", permute.All(decryption.form(permute.Affine)))
	s.add("rotate", shifted(0).rotation(1))
	for n := range 4 {
		s.add(fmt.Sprint("layout", n), shifted(n).permutation())
	}
	word := func(name string, b ...byte) {
		var t permute.Table
		for i := range t {
			t[i] = b[i%4]
		}
		s.add(name, t)
	}
	word("word3", 12, 13, 14, 15)
	word("word3Rotated", 13, 14, 15, 12)
	word("word1Rotated", 5, 6, 7, 4)
	// The constants that are added after the look-ups of the S-box: its own and Rcon.
	rcon := byte(1)
	for i := range 10 {
		t := permute.All(field.ToTower(permute.Affine))
		for row := 0; row < 16; row += 4 {
			t[row] ^= field.ToTower(rcon)
		}
		s.add(fmt.Sprint("rcon", i), t)
		rcon = permute.Times(2)(rcon)
	}
	return s
}

func expand() {
	function("ExpandSSSE3", "(k *Keys, key []byte)",
		"ExpandSSSE3 computes the round keys from a key of 16, 24 or 32 bytes: first the schedule, into",
		"Enc and in the basis of the S-box, then the forms that encryption and decryption want. Those of",
		"the inner rounds of encryption are divided by 1+X²+X³ (see code.encrypt of the generator); both",
		"are in the layout of their round.",
		"BX k, SI key, AX tables, R9 Rcon, CX count or offset of a round, DX offset of the last one, DI next key,",
		"R10 layout; X0, X1 the last keys, X2, X4 ... X7 temporary, X12 low nibbles, X13 zero.",
		"Bound by latency: Zen 5 takes 304 cycles for 16 bytes.")
	var (
		s     = expandTables()
		next  = reg.RDI
		rcon  = reg.R9
		count = keyAt.As32()
		k0    = reg.X0
		k1    = reg.X1
		zero  = reg.X13
		l     = lane{reg.X2, reg.X4, reg.X5, reg.X6, reg.X7}
	)
	Load(Param("k"), keys)
	Load(Param("key").Base(), src)
	Load(Param("key").Len(), lastKeyAt)
	s.load(tables, bias)
	LEAQ(s.at("rcon0"), rcon)
	MOVO(s.at("nibble"), mask)
	PXOR(zero, zero)
	// toForm brings part of the key to the basis of the tower.
	toForm := func(k vec) {
		singleLane(func(c *code) { c.toForm(s, lane{k, l.a, l.b, l.c, l.d}, zero) })
	}
	// addShifted adds k, shifted up by n bytes.
	addShifted := func(n uint64, k vec) {
		MOVO(k, l.x)
		PSLLDQ(Imm(n), l.x)
		PXOR(l.x, k)
	}
	// step makes the next four words of k: SubWord of a word of from goes to the
	// first one, and each to all that follow.
	step := func(k, from vec, word string, constant Mem) {
		singleLane(func(c *code) {
			c.move(from, l.x)
			c.permute(s.at(word), l.x)
			c.invert(s, l)
			c.pair(s.at("sbox"), l.c, l.a, l.b, l.d)
			c.add(constant, l.b)
		})
		addShifted(4, k)
		addShifted(8, k)
		PXOR(l.b, k)
	}
	loop := func(times uint64, name string, body func()) {
		MOVL(U32(times), count)
		Label(name)
		body()
		ADDQ(Imm(16), rcon)
		DECL(count)
		JNZ(LabelRef(name))
	}
	nextRcon := Mem{Base: rcon}
	MOVOU(Mem{Base: src}, k0)
	toForm(k0)
	MOVOU(k0, Mem{Base: keys})
	LEAQ(Mem{Base: keys, Disp: 16}, next)
	SHRQ(Imm(2), lastKeyAt)
	ADDQ(Imm(6), lastKeyAt)
	MOVQ(lastKeyAt, Mem{Base: keys, Disp: roundsOffset})
	SHLQ(Imm(4), lastKeyAt)
	CMPQ(lastKeyAt, U32(16*12))
	JEQ(LabelRef("key24"))
	JA(LabelRef("key32"))

	loop(10, "next16", func() {
		step(k0, k0, "word3Rotated", nextRcon)
		MOVOU(k0, Mem{Base: next})
		ADDQ(Imm(16), next)
	})
	JMP(LabelRef("forms"))

	Label("key24")
	Comment("Six words at a time, the last two in the lower half of X1.")
	MOVQ(Mem{Base: src, Disp: 16}, k1)
	toForm(k1)
	loop(8, "next24", func() {
		MOVQ(k1, Mem{Base: next})
		step(k0, k1, "word1Rotated", nextRcon)
		MOVOU(k0, Mem{Base: next, Disp: 8})
		ADDQ(Imm(24), next)
		PSHUFD(Imm(0xff), k0, l.b)
		addShifted(4, k1)
		PXOR(l.b, k1)
	})
	JMP(LabelRef("forms"))

	Label("key32")
	MOVOU(Mem{Base: src, Disp: 16}, k1)
	toForm(k1)
	MOVOU(k1, Mem{Base: next})
	loop(6, "next32", func() {
		step(k0, k1, "word3Rotated", nextRcon)
		MOVOU(k0, Mem{Base: next, Disp: 16})
		step(k1, k0, "word3", s.at("constantEncrypt"))
		MOVOU(k1, Mem{Base: next, Disp: 32})
		ADDQ(Imm(32), next)
	})
	step(k0, k1, "word3Rotated", nextRcon)
	MOVOU(k0, Mem{Base: next, Disp: 16})

	Label("forms")
	// toLayout permutes k to the layout of the round whose offset is in R10.
	toLayout := func(k vec) {
		m := s.at("layout0")
		m.Index, m.Scale = reg.R10, 1
		ANDQ(Imm(48), reg.R10)
		PSHUFB(m, k)
	}
	split := func(m Mem) {
		MOVOU(m, l.x)
		singleLane(func(c *code) { c.split(l) })
	}
	// form sets l.a to a form of what was split.
	form := func(name string) {
		singleLane(func(c *code) { c.pair(s.at(name), l.b, l.x, l.a, l.d) })
	}
	Comment("The first key is the last one of decryption.")
	LEAQ(Mem{Base: keys, Index: lastKeyAt, Scale: 1, Disp: decOffset}, next)
	split(Mem{Base: keys})
	form("plain")
	MOVQ(lastKeyAt, reg.R10)
	toLayout(l.a)
	MOVOU(l.a, Mem{Base: next})
	MOVL(U32(16), keyAt.As32())
	Label("inner")
	SUBQ(Imm(16), next)
	MOVOU(roundKey(), k0)
	MOVO(k0, k1)
	for range 2 {
		PSHUFB(s.at("rotate"), k1)
		PXOR(k1, k0)
	}
	PXOR(s.at("constantEncrypt"), k0)
	split(roundKey())
	MOVQ(keyAt, reg.R10)
	toLayout(k0)
	MOVOU(k0, roundKey())
	for i, n := range invMixColumns {
		form(fmt.Sprint("times", n))
		if i > 0 {
			PSHUFB(s.at("rotate"), k1)
			PXOR(l.a, k1)
		} else {
			MOVO(l.a, k1)
		}
	}
	PXOR(s.at("constantDecrypt"), k1)
	// The layout after minus last plus at inverse ShiftRows; last is even.
	LEAQ(Mem{Base: keyAt, Index: lastKeyAt, Scale: 1}, reg.R10)
	toLayout(k1)
	MOVOU(k1, Mem{Base: next})
	ADDQ(Imm(16), keyAt)
	CMPQ(keyAt, lastKeyAt)
	JB(LabelRef("inner"))
	Comment("The last key is the first one of decryption.")
	split(roundKey())
	form("decrypt")
	PXOR(s.at("constantDecrypt"), l.a)
	MOVOU(l.a, Mem{Base: keys, Disp: decOffset})
	form("plain")
	PXOR(s.at("constant"), l.a)
	MOVQ(lastKeyAt, reg.R10)
	toLayout(l.a)
	MOVOU(l.a, roundKey())
	RET()
}
