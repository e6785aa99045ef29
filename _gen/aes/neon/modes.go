package main

import (
	"fmt"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

func (d *direction) table(file *asm.File) *asm.Table {
	if d.memory == nil {
		d.memory = table(file, d.verb, "The tables of package permute with which a kernel "+d.verb+".", d.tables())
	}
	return d.memory
}

// A mode is a function in which no block waits for another one.
type mode struct {
	*asm.Func
	*cipher
	k, rounds asm.Reg // the first round key, rounds but the last one
	b         []asm.Reg
	lanes     []lane
}

// begin loads the arguments k, dst, src and n, and the tables.
func begin(file *asm.File, d *direction, name, signature string) (m *mode, dst, src, n asm.Reg) {
	f := file.Func(name+"NEON", "(k *Keys, "+signature)
	f.Public = "k.Rounds"
	m = &mode{Func: f, k: f.Arg("k"), rounds: f.New(Integer, "rounds")}
	dst, src, n = f.Arg("dst"), f.Arg("src"), f.Arg("n")
	m.cipher = newCipher(f, d, d.table(file))
	m.b = f.Group(Vector, "x", 4, 1)
	m.lanes = m.cipher.lanes(m.b)
	m.Add(MOVD(At(m.k, roundsAt), m.rounds), SUB(1, m.rounds, m.rounds), ADD(d.keys, m.k, m.k))
	return m, dst, src, n
}

// passes emits a loop for 4 blocks at a time and then code for 2 and 1, of n bytes, whole
// blocks. in loads blocks, out stores them.
func (m *mode) passes(n asm.Reg, in, out func(b []asm.Reg)) {
	key, p, left := m.New(Vector, "key"), m.New(Integer, "p"), m.New(Integer, "left")
	pass := func(blocks int) {
		l, b := m.lanes[:blocks], m.b[:blocks]
		top := fmt.Sprint("round", blocks)
		in(b)
		m.Add(MOVD(m.k, p), MOVD(m.rounds, left), FMOVQ(Post(p, 16), key))
		m.each(l, func(_ int, l lane) asm.Stream { return m.cipher.begin(l, key) })
		m.Label(top)
		m.Add(FMOVQ(Post(p, 16), key), SUBS(1, left, left))
		m.each(l, func(_ int, l lane) asm.Stream { return m.round(l, key) })
		m.Add(BNE(top), FMOVQ(At(p, 0), key))
		m.each(l, func(_ int, l lane) asm.Stream { return m.end(l, key) })
		out(b)
	}
	m.Add(SUBS(64, n, n), BLO("rest"))
	m.Label("four")
	pass(4)
	m.Add(SUBS(64, n, n), BHS("four"))
	m.Label("rest")
	m.Add(TBZ(5, n, "no2"))
	pass(2)
	m.Label("no2")
	m.Add(TBZ(4, n, "no1"))
	pass(1)
	m.Label("no1")
}

func blocks(file *asm.File, d *direction) {
	m, dst, src, n := begin(file, d, d.name+"Blocks", "dst, src *byte, n int)")
	m.Doc = m.Name + " " + d.verb + " n > 0 bytes, whole blocks."
	m.Secret = "k dst src"
	m.passes(n, func(b []asm.Reg) {
		m.Add(VLD1(B16, Post(src, 16*len(b)), b))
	}, func(b []asm.Reg) {
		m.Add(VST1(B16, b, Post(dst, 16*len(b))))
	})
	m.Add(RET())
}

func cbcDecrypt(file *asm.File) {
	m, dst, src, n := begin(file, decryption, "cbcDecrypt", "iv, dst, src *byte, n int)")
	m.Doc = m.Name + " decrypts n > 0 bytes, whole blocks. iv becomes the last ciphertext block."
	m.Secret = "k iv dst src"
	iv, chain, y := m.Arg("iv"), m.New(Vector, "chain"), m.Group(Vector, "y", 4, 1)
	m.Add(VLD1(B16, At(iv, 0), chain))
	m.passes(n, func(b []asm.Reg) {
		m.Add(VLD1(B16, At(src, 0), b))
	}, func(b []asm.Reg) {
		m.Remark("The ciphertext is loaded again, for want of registers.")
		m.Add(VLD1(B16, Post(src, 16*len(b)), y[:len(b)]), VEOR(chain, b[0], b[0]))
		for i, x := range b[1:] {
			m.Add(VEOR(y[i], x, x))
		}
		m.Add(VMOV(y[len(b)-1], chain), VST1(B16, b, Post(dst, 16*len(b))))
	})
	m.Add(VST1(B16, chain, At(iv, 0)), RET())
}

func ctr(file *asm.File) {
	m, dst, src, n := begin(file, encryption, "ctr", "hi, lo uint64, dst, src *byte, n int)")
	m.Doc = m.Name + " adds the keystream of the counters from hi:lo on to n > 0 bytes, whole blocks. lo does not\nwrap around before the last block."
	m.Secret = "k hi lo dst src"
	hi, lo := m.Arg("hi"), m.Arg("lo")
	counter, one, y := m.New(Vector, "counter"), m.New(Vector, "one"), m.Group(Vector, "y", 4, 1)
	m.Remark("The counter has its bytes in the order of integers, one adds 1 to the lower half.")
	m.Add(
		VMOVI(0, one),
		FMOVD(hi, counter),
		VMOV(lo, Lane(D2, counter, 1)),
		MOVD(1, lo),
		VMOV(lo, Lane(D2, one, 1)),
	)
	m.passes(n, func(b []asm.Reg) {
		for _, x := range b {
			m.Add(VREV64(B16, counter, x), VADD(D2, one, counter, counter))
		}
	}, func(b []asm.Reg) {
		m.Add(VLD1(B16, Post(src, 16*len(b)), y[:len(b)]))
		for i, x := range b {
			m.Add(VEOR(y[i], x, x))
		}
		m.Add(VST1(B16, b, Post(dst, 16*len(b))))
	})
	m.Add(RET())
}

func xts(file *asm.File, d *direction) {
	name := "xts" + strings.ToUpper(d.name[:1]) + d.name[1:]
	m, dst, src, n := begin(file, d, name, "tweak, dst, src *byte, n int)")
	m.Doc = m.Name + " " + d.verb + " n > 0 bytes, whole blocks. tweak, already encrypted, becomes that of the block after them."
	m.Banner = `IEEE 1619: block j is C(b ^ T x^j) ^ T x^j in GF(2^128) with its bytes in the order of integers. Tweaks are in
integer registers.`
	m.Secret = "k tweak dst src"
	tweak, t, carry := m.Arg("tweak"), m.New(Vector, "t"), m.New(Integer, "carry")
	lo, hi := m.Several(Integer, "lo", 4), m.Several(Integer, "hi", 4)
	first, second := m.New(Integer, "next"), m.New(Integer, "next")
	m.Add(LDP(At(tweak, 0), first, second))
	add := func(b []asm.Reg) {
		for i, x := range b {
			m.Add(FMOVD(lo[i], t), VMOV(hi[i], Lane(D2, t, 1)), VEOR(t, x, x))
		}
	}
	m.passes(n, func(b []asm.Reg) {
		for i := range b {
			m.Add(
				MOVD(first, lo[i]),
				MOVD(second, hi[i]),
				ASR(63, second, carry),
				EXTR(63, first, second, second),
				AND(0x87, carry, carry),
				EOR(Left(first, 1), carry, first),
			)
		}
		m.Add(VLD1(B16, Post(src, 16*len(b)), b))
		add(b)
	}, func(b []asm.Reg) {
		add(b)
		m.Add(VST1(B16, b, Post(dst, 16*len(b))))
	})
	m.Add(STP(first, second, At(tweak, 0)), RET())
}

func cbcEncrypt(file *asm.File) {
	f := file.Func("cbcEncryptNEON", "(k *Keys, iv, dst, src *byte, n int)")
	f.Doc = "cbcEncryptNEON encrypts n > 0 bytes, whole blocks. iv becomes the last ciphertext block."
	f.Banner = `The ciphertext goes on to the next block in the form of the state. That which is stored, and the plaintext's
form, are beside the chain. The last eleven round keys are in registers.`
	f.Secret, f.Public = "k iv dst src", "k.Rounds"
	k, iv, dst, src, n := f.Arg("k"), f.Arg("iv"), f.Arg("dst"), f.Arg("src"), f.Arg("n")
	c := newCipher(f, encryption, encryption.table(file))
	l := newLane(f)
	next, both, plain := f.New(Vector, "next"), f.New(Vector, "both"), f.New(Vector, "out")
	key := f.Several(Vector, "key", 4)
	rounds, p, left := f.New(Integer, "rounds"), f.New(Integer, "p"), f.New(Integer, "left")
	first, last := key[0], f.New(Vector, "lastkey")
	f.Add(
		MOVD(At(k, roundsAt), rounds),
		ADD(encAt, k, k),
		FMOVQ(Post(k, 16), first),
		ADD(Left(rounds, 4), k, p),
		SUB(16, p, p),
		FMOVQ(At(p, 0), last),
		SUB(2, rounds, rounds), // inner rounds but one
	)
	// The forms of the output and of the next block are added: the last round key, and its own.
	f.Add(VMOV(last, l.x))
	f.Add(c.begin(l, first)...)
	f.Add(VMOV(l.x, both), VLD1(B16, At(iv, 0), l.x))
	f.Add(c.begin(l, first)...)
	f.Add(VMOV(l.x, next))
	f.Label("block")
	f.Add(
		VLD1(B16, Post(src, 16), l.x),
		MOVD(k, p),
		MOVD(rounds, left),
	)
	f.Add(c.begin(l, next)...)
	f.Label("round")
	f.Add(FLDPQ(Post(p, 32), key[0], key[1]), SUBS(2, left, left))
	f.Add(c.round(l, key[0])...)
	f.Add(c.round(l, key[1])...)
	f.Add(BNE("round"))
	f.Add(FMOVQ(At(p, 0), key[0]))
	f.Add(c.round(l, key[0])...)
	f.Add(c.invert(l)...)
	f.Add(pair(c.times, l.u, l.v, l.a, l.k)...)
	f.Add(VTBL(c.shift, l.a, l.a), VEOR(both, l.a, next))
	f.Add(pair(c.last, l.u, l.v, l.u, l.v)...)
	f.Add(
		VEOR(last, l.u, plain),
		VST1(B16, plain, Post(dst, 16)),
		SUBS(16, n, n),
		BNE("block"),
		VST1(B16, plain, At(iv, 0)),
		RET(),
	)
}

// Offsets in a Lane, and its size.
const (
	laneKeys = 8 * iota
	laneIV
	laneDst
	laneSrc
	laneSize
)

// cbcLanes is CBC encryption of several messages, each with a key of its own.
func cbcLanes(file *asm.File, width int) {
	f := file.Func(fmt.Sprintf("cbcEncrypt%dNEON", width), "(lanes *Lane, blocks int)")
	f.Doc = fmt.Sprintf(`%s encrypts blocks > 0 blocks of each of %d lanes. All keys have the same number of rounds.`, f.Name, width)
	f.Banner = `One chain waits for the latency of each look-up. Two of them by turns fill the gaps.`
	f.Secret, f.Public = "lanes", "lanes.Keys.Rounds"
	lanes, blocks := f.Arg("lanes"), f.Arg("blocks")
	c := newCipher(f, encryption, encryption.table(file))
	l := c.lanes(f.Several(Vector, "x", width))
	rounds, p, offset, left := f.New(Integer, "rounds"), f.New(Integer, "p"), f.New(Integer, "offset"), f.New(Integer, "left")
	first := f.Several(Integer, "k", width)
	keys := f.Several(Vector, "key", 2)
	for i := range width {
		f.Add(
			MOVD(At(lanes, laneSize*i+laneIV), p),
			VLD1(B16, At(p, 0), l[i].x),
			MOVD(At(lanes, laneSize*i+laneKeys), first[i]),
		)
		if i == 0 {
			f.Add(MOVD(At(first[0], roundsAt), rounds))
		}
		f.Add(ADD(encAt, first[i], first[i]))
	}
	f.Add(MOVD(0, offset))
	f.Label("block")
	for i := range width {
		y := keys[i%2]
		f.Add(
			MOVD(At(lanes, laneSize*i+laneSrc), p),
			ADD(offset, p, p),
			VLD1(B16, At(p, 0), y),
			VEOR(y, l[i].x, l[i].x),
		)
	}
	// inLanes puts the load of a lane's round key before what uses it.
	inLanes := func(step func(l lane, key asm.Reg) asm.Stream) {
		c.each(l, func(i int, l lane) asm.Stream {
			return append(asm.Stream{FMOVQ(Post(first[i], 16), keys[i%2])}, step(l, keys[i%2])...)
		})
	}
	f.Add(SUB(1, rounds, left))
	inLanes(c.begin)
	f.Label("round")
	f.Add(SUBS(1, left, left))
	inLanes(c.round)
	f.Add(BNE("round"))
	inLanes(c.end)
	for i := range width {
		none := fmt.Sprint("none", i)
		f.Add(
			SUB(16, first[i], first[i]),
			SUB(Left(rounds, 4), first[i], first[i]),
			MOVD(At(lanes, laneSize*i+laneDst), p),
			CBZ(p, none),
			ADD(offset, p, p),
			VST1(B16, l[i].x, At(p, 0)),
		)
		f.Label(none)
	}
	f.Add(ADD(16, offset, offset), SUBS(1, blocks, blocks), BNE("block"))
	for i := range width {
		f.Add(MOVD(At(lanes, laneSize*i+laneIV), p), VST1(B16, l[i].x, At(p, 0)))
	}
	f.Add(RET())
}
