package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A message is the block with its expansion, GB/T 32905-2016, section 5.3.2:
// the last 16 words in four vectors, and the next W and W' to be used in
// memory.
type message struct {
	ring    Mem
	reverse reg.VecPhysical
}

func (m message) w(j int) Mem  { return m.ring.Offset(4 * (j % 16)) }
func (m message) w1(j int) Mem { return m.ring.Offset(64 + 4*(j%16)) }

// Four words are in words[i%4], for i = 0 ... 16 words 4i ... 4i+3.
var words = [4]reg.VecPhysical{reg.X0, reg.X1, reg.X2, reg.X3}

// move loads or stores a vector.
func move(from, to Op) {
	if *legacy {
		MOVOU(from, to)
	} else {
		VMOVDQU(from, to)
	}
}

// sum sets to to a ^ b.
func sum(a, b, to reg.VecPhysical) {
	if *legacy {
		MOVO(b, to)
		PXOR(a, to)
	} else {
		VPXOR(a, b, to)
	}
}

// load reads the block at p.
func (m message) load(p reg.Register) {
	for i, x := range words {
		move(Mem{Base: p, Disp: 16 * i}, x)
	}
}

// swap turns four words of a block into numbers.
func (m message) swap(i int) {
	if *legacy {
		PSHUFB(m.reverse, words[i])
	} else {
		VPSHUFB(m.reverse, words[i], words[i])
	}
}

// storeSwapped stores four words, and W' of the four before.
func (m message) storeSwapped(i int) {
	move(words[i], m.w(4*i))
	if i > 0 {
		w1 := reg.X4
		sum(words[i], words[i-1], w1)
		move(w1, m.w1(4*i-4))
	}
}

// reload loads the block at next. Round j has read W(j) when round j+1 begins,
// and then the word 16 places on may be stored.
func (m message) reload(next Mem) []item {
	p := GP64()
	list := []item{{52.2, func() {
		MOVQ(next, p)
		m.load(p)
	}}}
	for i := range 4 {
		list = append(list,
			item{52.3 + 4*float64(i), func() { m.swap(i) }},
			item{52.4 + 4*float64(i), func() { m.storeSwapped(i) }})
	}
	return list
}

// expansion computes words 16 ... 67: four of them, over nearly four rounds,
// and then their places in memory are free.
func (m message) expansion() []item {
	var list []item
	for i := range 13 {
		code := m.four(i)
		for k, emit := range code {
			list = append(list, item{4*float64(i) + 0.2 + 3.6*float64(k)/float64(len(code)), emit})
		}
		list = append(list, item{4*float64(i) + 4.1, func() { m.storeFour(i) }})
	}
	return list
}

// four returns the code for words n ... n+3 with n = 16+4i, in place of words
// n-16 ... n-13.
func (m message) four(i int) []func() {
	w16, w12, w8, w4 := words[i%4], words[(i+1)%4], words[(i+2)%4], words[(i+3)%4]
	x, y, s, t, u := reg.X4, reg.X5, reg.X6, reg.X7, reg.X8
	if *legacy {
		return fourSSSE3(w16, w12, w8, w4, x, y, s, t, u)
	}
	return []func(){
		// x = W[n-16] ^ W[n-9] ^ (W[n-3] <<< 15); W[n] for the fourth word is not there yet.
		func() { VPALIGNR(Imm(12), w12, w8, x) },
		func() { VPSRLDQ(Imm(4), w4, s) },
		func() { VPXOR(w16, x, x) },
		func() { VPSLLD(Imm(15), s, t) },
		func() { VPSRLD(Imm(32-15), s, s) },
		func() { VPALIGNR(Imm(12), w16, w12, u) },
		func() { VPXOR(t, x, x) },
		func() { VPXOR(s, x, x) },
		// y = (W[n-13] <<< 7) ^ W[n-6] ^ P1(x)
		func() { VPSLLD(Imm(7), u, y) },
		func() { VPSRLD(Imm(32-7), u, u) },
		func() { VPSLLD(Imm(15), x, s) },
		func() { VPSRLD(Imm(32-15), x, t) },
		func() { VPXOR(u, y, y) },
		func() { VPALIGNR(Imm(8), w8, w4, u) },
		func() { VPXOR(u, y, y) },
		func() { VPXOR(s, t, t) },
		func() { VPSLLD(Imm(23), x, u) },
		func() { VPSRLD(Imm(32-23), x, s) },
		func() { VPXOR(x, y, y) },
		func() { VPXOR(u, s, s) },
		func() { VPXOR(t, y, y) },
		func() { VPXOR(s, y, y) },
		// The fourth word lacks P1(W[n] <<< 15). Of two copies of W[n] in a
		// quadword, shifted left, the upper one has the rotated word.
		func() { VPSHUFD(Imm(0), y, s) },
		func() { VPSLLQ(Imm(15), s, t) },
		func() { VPSLLQ(Imm(30), s, u) },
		func() { VPSLLQ(Imm(38-32), s, s) },
		func() { VPXOR(t, u, u) },
		func() { VPXOR(s, y, s) },
		func() { VPXOR(s, u, u) },
		func() { VPBLENDW(Imm(0xc0), u, y, w16) },
	}
}

// fourSSSE3 is four with instructions of two operands.
func fourSSSE3(w16, w12, w8, w4, x, y, s, t, u reg.VecPhysical) (code []func()) {
	add := func(f func()) { code = append(code, f) }
	copied := func(from, to reg.VecPhysical) { add(func() { MOVO(from, to) }) }
	xor := func(from, to reg.VecPhysical) { add(func() { PXOR(from, to) }) }
	// behind sets to to what is that many bytes behind the beginning of low and high.
	behind := func(bytes uint64, low, high, to reg.VecPhysical) {
		copied(high, to)
		add(func() { PALIGNR(Imm(bytes), low, to) })
	}
	// rotated sets left to from rotated to the left, in two parts: from and left may be the same.
	rotated := func(n uint64, from, left, right reg.VecPhysical) {
		copied(from, right)
		if from != left {
			copied(from, left)
		}
		add(func() { PSLLL(Imm(n), left) })
		add(func() { PSRLL(Imm(32-n), right) })
	}
	// x = W[n-16] ^ W[n-9] ^ (W[n-3] <<< 15); W[n] for the fourth word is not there yet.
	behind(12, w12, w8, x)
	copied(w4, s)
	add(func() { PSRLDQ(Imm(4), s) })
	xor(w16, x)
	rotated(15, s, s, t)
	behind(12, w16, w12, u)
	xor(t, x)
	xor(s, x)
	// y = (W[n-13] <<< 7) ^ W[n-6] ^ P1(x)
	rotated(7, u, u, y)
	xor(u, y)
	rotated(15, x, s, t)
	behind(8, w8, w4, u)
	xor(u, y)
	xor(s, t)
	xor(t, y)
	rotated(23, x, s, u)
	xor(x, y)
	xor(s, y)
	xor(u, y)
	// The fourth word lacks P1(W[n] <<< 15), as above.
	add(func() { PSHUFD(Imm(0), y, s) })
	copied(s, t)
	copied(s, u)
	add(func() { PSLLQ(Imm(15), t) })
	add(func() { PSLLQ(Imm(30), u) })
	add(func() { PSLLQ(Imm(38-32), s) })
	xor(t, u)
	copied(y, w16)
	xor(s, u)
	add(func() { PSRLDQ(Imm(12), u) })
	add(func() { PSLLDQ(Imm(12), u) })
	xor(u, w16)
	return code
}

// storeFour stores what four has computed, and W' of the four words before.
func (m message) storeFour(i int) {
	w1 := reg.X9
	sum(words[i%4], words[(i+3)%4], w1)
	move(w1, m.w1(12+4*i))
	if i < 12 { // words 64 ... 67 are for W' only
		move(words[i%4], m.w(16+4*i))
	}
}
