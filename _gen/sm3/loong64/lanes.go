package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/loong64"
)

// lanes is a kernel for many messages.
type lanes struct {
	*asm.Func
	Width
	constants asm.Reg
	state, w  []asm.Reg
	t         []asm.Reg
}

// row is the number of bytes of a word of 8 messages.
const row = 4 * 8

// newLanes begins a kernel.
func newLanes(file *asm.File, table *asm.Table, w Width, name, signature string) *lanes {
	f := file.Func(fmt.Sprintf(name, int(w)/4)+w.String(), signature)
	l := &lanes{
		Func: f, Width: w, constants: f.New(Integer, "constants"),
		state: f.Several(Vector, "state", 8), w: f.Several(Vector, "w", 16), t: f.Several(Vector, "t", 8),
	}
	l.Emit(Address(table, l.constants))
	return l
}

// Emit adds instructions: ADD is one of Width.
func (l *lanes) Emit(ops ...asm.Op) { l.Func.Add(ops...) }

// load loads the state.
func (l *lanes) load(base asm.Reg) {
	for i, s := range l.state {
		l.Emit(l.Load(row*i, base, s))
	}
}

// rounds emits all rounds of a block. Each makes a word for a later one.
func (l *lanes) rounds() {
	t, word := l.t, func(j int) asm.Reg { return l.w[j%16] }
	for j := range 64 {
		place := func(i int) asm.Reg { return l.state[(i-j%4+4)%4+i/4*4] }
		a, b, c, d, e, ff, g, h := place(0), place(1), place(2), place(3), place(4), place(5), place(6), place(7)
		if n := j + 4; n >= 16 { // W[n], for W'[j]
			x, y := word(n), t[6]
			l.Emit(
				l.ROTRI(W, 32-15, word(n-3), y), l.XOR(word(n-9), x, x), l.XOR(y, x, x),
				l.ROTRI(W, 32-15, x, t[4]), l.ROTRI(W, 32-23, x, t[5]), l.ROTRI(W, 32-7, word(n-13), y),
				l.XOR(t[4], x, x), l.XOR(word(n-6), y, y), l.XOR(t[5], x, x), l.XOR(y, x, x),
			)
		}
		l.Emit(
			l.ROTRI(W, 32-12, a, t[0]), l.LoadWord(4*j, l.constants, t[1]), l.ADD(W, e, t[1], t[1]), l.ADD(W, t[0], t[1], t[1]),
			l.ROTRI(W, 32-7, t[1], t[1]), l.XOR(t[1], t[0], t[0]),
			l.ADD(W, word(j), h, h), l.XOR(word(j), word(j+4), t[2]), l.ADD(W, t[2], d, d),
			l.XOR(a, b, t[3]),
		)
		if j < 16 {
			l.Emit(l.XOR(c, t[3], t[3]), l.XOR(e, ff, t[2]), l.XOR(g, t[2], t[2]))
		} else {
			l.Emit(l.BITSEL(t[3], c, b, t[3]), l.BITSEL(e, ff, g, t[2]))
		}
		l.Emit(
			l.ADD(W, t[3], d, d), l.ADD(W, t[2], h, h), l.ADD(W, t[0], d, d), l.ADD(W, t[1], h, h),
			l.ROTRI(W, 32-9, b, b), l.ROTRI(W, 32-19, ff, ff),
			l.ROTRI(W, 32-9, h, t[0]), l.ROTRI(W, 32-17, h, t[1]), l.XOR(t[0], h, h), l.XOR(t[1], h, h),
		)
	}
}

// finish adds the state before to the state, and stores it.
func (l *lanes) finish(before, base asm.Reg) {
	for i, s := range l.state {
		l.Emit(l.Load(row*i, before, l.t[i%8]), l.XOR(l.t[i%8], s, s), l.Store(s, row*i, base))
	}
}

// transpose makes words of the blocks of four messages, 16 bytes at an offset, words w. With LASX a
// register has 32 bytes, so that its upper half has words for others.
func (l *lanes) transpose(p []asm.Reg, offset int, w []asm.Reg) {
	t := l.t
	for i := range 4 {
		l.Emit(l.Load(offset, p[i], t[i]), l.SHUF4I(B, swap, t[i], t[i]))
	}
	l.Emit(
		l.ILVL(W, t[0], t[1], t[4]), l.ILVH(W, t[0], t[1], t[5]), l.ILVL(W, t[2], t[3], t[6]), l.ILVH(W, t[2], t[3], t[7]),
		l.ILVL(D, t[4], t[6], w[0]), l.ILVH(D, t[4], t[6], w[1]), l.ILVL(D, t[5], t[7], w[2]), l.ILVH(D, t[5], t[7], w[3]),
	)
}

func compress(file *asm.File, table *asm.Table, w Width) {
	l := newLanes(file, table, w, "Compress%d", "(v *[8][8]uint32, src *[8][]byte, n int)")
	count := int(w) / 4
	l.Doc = fmt.Sprintf("%s compresses n > 0 blocks of each of %d messages into their chaining values: v[i][l] is word i of that\n"+
		"of lane l, whose blocks begin at src[l][0]. Several lanes may have the same blocks.", l.Name, count)
	l.Secret = "v src"
	v, src, n := l.Arg("v"), l.Arg("src"), l.Arg("n")
	p := l.Several(Integer, "p", count)
	for i := range p {
		l.Emit(MOVV(24*i, src, p[i]))
	}
	l.Label("block")
	if w == LSX {
		for i := 0; i < 16; i += 4 {
			l.transpose(p, 4*i, l.w[i:])
		}
	} else {
		for i := 0; i < 16; i += 8 {
			l.transpose(p, 4*i, l.w[i:])
			l.transpose(p[4:], 4*i, l.w[i+4:])
			for j := i; j < i+4; j++ { // words j of both fours, and then j+4
				first, second, t := l.w[j], l.w[j+4], l.t[j%4]
				l.Emit(l.OR(second, second, t), PERMIQ(0x31, first, second), PERMIQ(0x02, t, first))
			}
		}
	}
	l.load(v)
	l.rounds()
	l.finish(v, v)
	for i := range p {
		l.Emit(ADDVI(64, p[i], p[i]))
	}
	l.Emit(ADDVI(-1, n, n), BNE(n, ZERO, "block"), RET())
}

func iterate(file *asm.File, table, end *asm.Table, w Width) {
	l := newLanes(file, table, w, "Iterate%d", "(keys *[2][8][8]uint32, t *[8][8]uint32, w *[32][8]uint32, n int)")
	l.Doc = fmt.Sprintf("%s does n > 0 iterations of PBKDF2 in each of %d lanes. w[:8] is U: every iteration replaces it by its HMAC,\n"+
		"which it adds to t with xor. keys has the chaining values of the inner and of the outer hash after the key.\n"+
		"The caller must wipe w.", l.Name, int(w)/4)
	l.Secret = "keys t w"
	keys, sum, u, n := l.Arg("keys"), l.Arg("t"), l.Arg("w"), l.Arg("n")
	outer, constants := l.New(Integer, "outer"), l.New(Integer, "end")
	l.Emit(Address(end, constants), MOVI(0, outer))
	l.Label("hash")
	for j, x := range l.w {
		switch {
		case j < 8:
			l.Emit(l.Load(row*j, u, x))
		case j == 8 || j == 15:
			l.Emit(l.LoadWord(j/15*4, constants, x))
		default:
			l.Emit(l.REPLICATE(D, ZERO, x))
		}
	}
	l.load(keys)
	l.rounds()
	l.finish(keys, u)
	l.Emit(XORI(1, outer, outer), BEQ(outer, ZERO, "iteration"), ADDVI(8*row, keys, keys), BNE(outer, ZERO, "hash"))
	l.Label("iteration")
	l.Emit(ADDVI(-8*row, keys, keys))
	for i, s := range l.state {
		t := l.t[i%8]
		l.Emit(l.Load(row*i, sum, t), l.XOR(s, t, t), l.Store(t, row*i, sum))
	}
	l.Emit(ADDVI(-1, n, n), BNE(n, ZERO, "hash"), RET())
}
