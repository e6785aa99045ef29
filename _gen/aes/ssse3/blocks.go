package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// block is block i of src or dst.
func block(base reg.Register, i int) Mem { return Mem{Base: base, Disp: 16 * i} }

func load(l []lane) {
	for i := range l {
		MOVOU(block(src, i), l[i].x)
	}
}

func store(l []lane) {
	for i := range l {
		MOVOU(l[i].x, block(dst, i))
	}
}

// Parts of the banners.
const (
	generalRegisters = "AX tables, BX first round key, CX offset of the next one, DX of the last one, SI src, DI dst,\n" +
		"R8 blocks left, R9 indices of MixColumns, R10 offset of the last permutation"
	laneRegisters = "X0 ... X3 states, X4 ... X7 and X8 ... X11 temporary, X12 low nibbles, X13 round key,\n" +
		"X14, X15 indices of MixColumns."
	// Tables are loaded anew for each look-up: where copies of registers are not
	// free they cost more than loads.
	encryptSpeed = "Two blocks by turns, two such pairs in a pass. A round of a block is 11 PSHUFB, 14 other\n" +
		"operations, 9 loads and 2 copies; its chain is 13 operations long, or 12 for one block alone."
	decryptSpeed = "Two blocks by turns, two such pairs in a pass. A round of a block is 16 PSHUFB, 16 other\n" +
		"operations, 13 loads and a copy; its chain is 13 operations long."
)

func encryptBlocks() {
	function("EncryptBlocksSSSE3", "(k *Keys, dst, src []byte)",
		"EncryptBlocksSSSE3 encrypts the whole blocks in src: the S-box by look-ups of nibbles, see",
		"_gen/aes/permute, with MixColumns in the tables.",
		generalRegisters+";", laneRegisters, encryptSpeed,
		"Zen 5 takes 82 cycles for a block, 5.1 for a byte; 206 for a block alone.")
	encryption.start()
	startBlocks()
	encryption.passes(load, store)
	RET()
}

func decryptBlocks() {
	function("DecryptBlocksSSSE3", "(k *Keys, dst, src []byte)",
		"DecryptBlocksSSSE3 decrypts the whole blocks in src: the S-box by look-ups of nibbles, see",
		"_gen/aes/permute, with InvMixColumns in the tables.",
		generalRegisters+";", laneRegisters, decryptSpeed,
		"Zen 5 takes 101 cycles for a block, 6.3 for a byte; 230 for a block alone.")
	decryption.start()
	startBlocks()
	decryption.passes(load, store)
	RET()
}

func cbcDecrypt() {
	function("CBCDecryptSSSE3", "(k *Keys, iv *[16]byte, dst, src []byte)",
		"CBCDecryptSSSE3 decrypts the whole blocks in src and adds to each the ciphertext before it;",
		"iv becomes the last ciphertext.",
		generalRegisters+", R11 iv;", laneRegisters, decryptSpeed,
		"Zen 5 takes 6.4 cycles for a byte.")
	iv := reg.R11
	decryption.start()
	startBlocks()
	Load(Param("iv"), iv)
	decryption.passes(load, func(l []lane) {
		// dst may be src: what is needed of it is loaded before the first store.
		before := xmm[4:]
		MOVOU(Mem{Base: iv}, before[0])
		for i := range l {
			MOVOU(block(src, i), before[i+1])
		}
		for i := range l {
			PXOR(before[i], l[i].x)
		}
		MOVOU(before[len(l)], Mem{Base: iv})
		store(l)
	})
	RET()
}

func cbcEncrypt() {
	function("CBCEncryptSSSE3", "(k *Keys, iv *[16]byte, dst, src []byte)",
		"CBCEncryptSSSE3 encrypts the whole blocks in src, at least one; iv becomes the last ciphertext.",
		generalRegisters+", R11 iv;",
		"X0 state, X4 ... X7 temporary, X12 low nibbles, X13 round key, X14 last ciphertext in the form",
		"of the state plus the first round key, X15 sum of the first and the last round key.",
		"Bound by latency, 12 operations for a round. The ciphertext goes on to the next block in",
		"the form of the state; that which is stored, and the plaintext's form, are beside the chain.",
		"Zen 5 takes 259 cycles for a block, 16.2 for a byte.")
	d, x, iv := encryption, lanes(1)[0], reg.R11
	feedback, keySum := reg.X14, reg.X15
	d.start()
	startBlocks()
	Load(Param("iv"), iv)
	MOVOU(Mem{Base: keys}, key)
	MOVOU(Mem{Base: keys, Index: lastKeyAt, Scale: 1}, x.x)
	PSHUFB(d.unshift(), x.x)
	singleLane(func(c *code) { c.toForm(d.tables, x, key) })
	MOVO(x.x, keySum)
	MOVOU(Mem{Base: iv}, x.x)
	singleLane(func(c *code) { c.toForm(d.tables, x, key) })
	MOVO(x.x, feedback)
	Label("next")
	MOVOU(Mem{Base: src}, x.x)
	singleLane(func(c *code) { c.toForm(d.tables, x, feedback) })
	d.middle([]lane{x}, 1)
	singleLane(func(c *code) {
		c.invert(d.tables, x)
		c.pair(d.tables.at("times1"), x.c, x.a, x.b, x.d)
		c.permute(d.unshift(), x.b)
		c.move(keySum, feedback)
		c.add(x.b, feedback)
		c.pair(d.tables.at("last"), x.c, x.a, x.b, x.d)
		c.add(key, x.b)
		c.permute(d.unshift(), x.b)
	})
	MOVOU(x.b, Mem{Base: dst})
	ADDQ(Imm(16), src)
	ADDQ(Imm(16), dst)
	DECQ(remaining)
	JNZ(LabelRef("next"))
	MOVOU(x.b, Mem{Base: iv})
	RET()
}

func ctr() {
	function("ctrSSSE3", "(k *Keys, ctr *[16]byte, dst, src *byte, blocks int)",
		"ctrSSSE3 adds to blocks the encrypted counters from ctr on, and makes that the one after them.",
		generalRegisters+",", "R11 ctr, R12, R13 counter, its upper half first;",
		laneRegisters, encryptSpeed,
		"Zen 5 takes 5.3 cycles for a byte.")
	counter, high, low := reg.R11, reg.R12, reg.R13
	t := keyAt // not in use between two passes
	encryption.start()
	Load(Param("ctr"), counter)
	Load(Param("dst"), dst)
	Load(Param("src"), src)
	Load(Param("blocks"), remaining)
	MOVQ(Mem{Base: counter}, high)
	MOVQ(Mem{Base: counter, Disp: 8}, low)
	BSWAPQ(high)
	BSWAPQ(low)
	encryption.passes(func(l []lane) {
		for _, l := range l {
			for _, half := range []struct {
				value reg.Register
				to    vec
			}{{high, l.x}, {low, l.a}} {
				MOVQ(half.value, t)
				BSWAPQ(t)
				MOVQ(t, half.to)
			}
			PUNPCKLQDQ(l.a, l.x)
			ADDQ(Imm(1), low)
			ADCQ(Imm(0), high)
		}
	}, func(l []lane) {
		for i, l := range l {
			MOVOU(block(src, i), l.a)
			PXOR(l.a, l.x)
		}
		store(l)
	})
	BSWAPQ(high)
	BSWAPQ(low)
	MOVQ(high, Mem{Base: counter})
	MOVQ(low, Mem{Base: counter, Disp: 8})
	RET()
}
