package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

const (
	row       = 4 * 8 // bytes of a word of 8 lanes
	sliceSize = 24    // bytes of a slice header
)

// lanes is a kernel for messages side by side: one or two groups of four.
type lanes struct {
	f      *asm.Func
	ops    asm.Stream // not yet added to f
	groups int
	table  *asm.Table
	next   asm.Reg // T of the next round
	mask   asm.Reg // indices of a rotation by 8
	w      asm.Reg // row 8 of the words of the messages
	words  [16]value
}

// A value is the same word of all messages: four in each register.
type value []asm.Reg

// value returns new registers.
func (l *lanes) value(name string) value {
	v := make(value, l.groups)
	for g := range v {
		v[g] = l.f.New(Vector, name)
	}
	return v
}

// each adds an instruction for each group.
func (l *lanes) each(op func(g int) asm.Op) {
	for g := range l.groups {
		l.ops.Add(op(g))
	}
}

// take returns the instructions in ops, and empties it.
func (l *lanes) take() asm.Stream {
	ops := l.ops
	l.ops = nil
	return ops
}

// loadRow loads a value from row i at base.
func (l *lanes) loadRow(base asm.Reg, i int, name string) value {
	v := l.value(name)
	if l.groups == 2 {
		l.ops.Add(FLDPQ(At(base, row*i), v[0], v[1]))
	} else {
		l.ops.Add(FMOVQ(At(base, row*i), v[0]))
	}
	return v
}

// storeRow stores a value to row i at base.
func (l *lanes) storeRow(v value, base asm.Reg, i int) {
	if l.groups == 2 {
		l.ops.Add(FSTPQ(v[0], v[1], At(base, row*i)))
	} else {
		l.ops.Add(FMOVQ(v[0], At(base, row*i)))
	}
}

// word is W[j]. The words of one group are in registers, those of two in memory.
func (l *lanes) word(j int) value {
	if l.groups == 1 {
		return l.words[j%16]
	}
	return l.loadRow(l.w, j%16-8, "word")
}

// setWord sets W[j].
func (l *lanes) setWord(j int, v value) {
	if l.groups == 1 {
		l.words[j%16] = v
	} else {
		l.storeRow(v, l.w, j%16-8)
	}
}

func (l *lanes) add(a, b value) { l.each(func(g int) asm.Op { return VADD(S4, a[g], b[g], b[g]) }) }
func (l *lanes) eor(a, b, d value) {
	l.each(func(g int) asm.Op { return VEOR(a[g], b[g], d[g]) })
}

// rotate returns x <<< n.
func (l *lanes) rotate(n int, x value, name string) value {
	d := l.value(name)
	l.each(func(g int) asm.Op { return VSHL(S4, n, x[g], d[g]) })
	l.each(func(g int) asm.Op { return VSRI(S4, 32-n, x[g], d[g]) })
	return d
}

// permute adds (x ^ (x <<< 8)) <<< n to d: P0 is x ^ (x <<< 9) ^ (x <<< 17).
func (l *lanes) permute(n int, x, d value) {
	y := l.value("y")
	l.each(func(g int) asm.Op { return VTBL(l.mask, x[g], y[g]) })
	l.eor(x, y, y)
	y = l.rotate(n, y, "y")
	l.eor(y, d, d)
}

// expand makes W[n] of section 5.3.2, and returns it.
func (l *lanes) expand(n int) value {
	if n < 16 {
		return l.word(n)
	}
	x := l.rotate(15, l.word(n-3), "x")
	l.eor(l.word(n-16), x, x)
	l.eor(l.word(n-9), x, x)
	y := l.rotate(7, l.word(n-13), "expanded")
	l.eor(l.word(n-6), y, y)
	l.eor(x, y, y)
	l.permute(15, x, y)
	l.setWord(n, y)
	return y
}

// rounds does all rounds of section 5.3.3, in the names of that section. Each is woven with
// the expansion of a word for the next round.
func (l *lanes) rounds(state []value) {
	var expanded value
	A, B, C, D, E, F, G, H := state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7]
	l.ops.Add(MOVD(l.table, l.next))
	next := l.expand(4)
	l.f.Add(l.take()...)
	for j := range 64 {
		if j < 63 {
			expanded = l.expand(j + 5)
		}
		expansion := l.take()
		t := l.f.New(Vector, "t")
		l.ops.Add(VLD1R(S4, Post(l.next, 4), t))
		a12 := l.rotate(12, A, "a12")
		ss := l.value("ss")
		l.each(func(g int) asm.Op { return VADD(S4, a12[g], t, ss[g]) })
		l.add(E, ss)
		ss1 := l.rotate(7, ss, "ss1")
		l.eor(ss1, a12, a12) // SS2

		gg := l.value("gg")
		if j < 16 {
			l.eor(F, G, gg)
			l.eor(E, gg, gg)
		} else {
			l.each(func(g int) asm.Op { return VMOV(E[g], gg[g]) })
			l.each(func(g int) asm.Op { return VBSL(G[g], F[g], gg[g]) })
		}
		w := l.word(j)
		l.add(w, H)
		l.add(gg, H)
		l.add(ss1, H) // TT2

		prime := l.value("prime")
		l.eor(w, next, prime)
		l.add(prime, D)
		ff := l.value("ff")
		l.eor(A, B, ff)
		if j < 16 {
			l.eor(C, ff, ff)
		} else {
			l.each(func(g int) asm.Op { return VBSL(B[g], C[g], ff[g]) }) // C where A and B differ
		}
		l.add(ff, D)
		l.add(a12, D) // TT1
		B = l.rotate(9, B, "state")
		F = l.rotate(19, F, "state")
		l.permute(9, H, H)
		A, B, C, D, E, F, G, H = D, A, B, C, H, E, F, G
		l.f.Add(asm.Weave(l.take(), expansion)...)
		next = expanded
	}
	copy(state, []value{A, B, C, D, E, F, G, H})
}

// transpose loads a block of each message of a group, and makes its words rows.
func (l *lanes) transpose(p []asm.Reg) (words [16]asm.Reg) {
	f := l.f
	var raw [4][]asm.Reg
	for i := range raw {
		raw[i] = f.Group(Vector, "raw", 4, 1)
		f.Add(VLD1(B16, Post(p[i], 64), raw[i]))
	}
	for i := range 4 {
		t := f.Several(Vector, "t", 4)
		w := f.Several(Vector, "word", 4)
		copy(words[4*i:], w)
		a, b, c, d := raw[0][i], raw[1][i], raw[2][i], raw[3][i]
		f.Add(
			VTRN1(S4, b, a, t[0]), VTRN2(S4, b, a, t[1]),
			VTRN1(S4, d, c, t[2]), VTRN2(S4, d, c, t[3]),
			VTRN1(D2, t[2], t[0], w[0]), VTRN1(D2, t[3], t[1], w[1]),
			VTRN2(D2, t[2], t[0], w[2]), VTRN2(D2, t[3], t[1], w[3]),
		)
		for _, w := range w {
			f.Add(VREV32(B16, w, w))
		}
	}
	return words
}

// newLanes begins a kernel of one or two groups.
func newLanes(f *asm.Func, groups int, constants, tables *asm.Table) *lanes {
	l := &lanes{f: f, groups: groups, table: constants, next: f.New(Integer, "next"), mask: f.New(Vector, "mask")}
	f.Add(MOVD(tables, l.next), FMOVQ(At(l.next, 0), l.mask))
	return l
}

// state loads the state from rows 0 ... 7 at base.
func (l *lanes) state(base asm.Reg) []value {
	s := make([]value, 8)
	for i := range s {
		s[i] = l.loadRow(base, i, "state")
	}
	return s
}

// compress writes a kernel that compresses blocks.
func compress(file *asm.File, constants, tables *asm.Table, groups int) {
	f := file.Func(fmt.Sprintf("Compress%dNEON", 4*groups), "(v *[8][8]uint32, w *[32][8]uint32, src *[8][]byte, n int)")
	f.Doc = fmt.Sprint(f.Name, " compresses n > 0 blocks of each of ", 4*groups, " messages into their chaining\n",
		"values: v[i][l] is word i of that of lane l, whose blocks begin at src[l][0]. Several lanes may\n",
		"have the same blocks. The caller must wipe w, which has words of the messages.")
	f.Secret = "v w src"
	l := newLanes(f, groups, constants, tables)
	v, src, n := f.Arg("v"), f.Arg("src"), f.Arg("n")
	l.w = f.Arg("w")
	if groups == 2 {
		f.Add(ADD(8*row, l.w, l.w))
	}
	p := f.Several(Integer, "p", 4*groups)
	for i := range p {
		f.Add(MOVD(At(src, sliceSize*i), p[i]))
	}
	f.Label("block")
	for g := range groups {
		words := l.transpose(p[4*g : 4*g+4])
		for j, w := range words {
			if groups == 2 {
				f.Add(FMOVQ(w, At(l.w, row*(j-8)+16*g)))
			} else {
				l.words[j] = value{w}
			}
		}
	}
	s := l.state(v)
	l.rounds(s)
	for i := range s {
		l.eor(l.loadRow(v, i, "old"), s[i], s[i])
		l.storeRow(s[i], v, i)
	}
	f.Add(l.take()...)
	f.Add(SUBS(1, n, n), BNE("block"), RET())
}

// iterate writes a kernel for PBKDF2.
func iterate(file *asm.File, constants, tables *asm.Table, groups int) {
	f := file.Func(fmt.Sprintf("Iterate%dNEON", 4*groups), "(keys *[2][8][8]uint32, t *[8][8]uint32, w *[32][8]uint32, n int)")
	f.Doc = fmt.Sprint(f.Name, " does n > 0 iterations of PBKDF2 in each of ", 4*groups, " lanes. w[:8] is U: every iteration\n",
		"replaces it by its HMAC, which it adds to t with xor. keys has the chaining values of the inner\n",
		"and of the outer hash after the key. The caller must wipe w.")
	f.Secret = "keys t w"
	l := newLanes(f, groups, constants, tables)
	keys, t, w, n := f.Arg("keys"), f.Arg("t"), f.Arg("w"), f.Arg("n")
	outer, padding := f.New(Integer, "outer"), f.New(Integer, "padding")
	l.w = f.New(Integer, "w8")
	f.Add(ADD(8*row, w, l.w), MOVD(0, outer), MOVD(tables, padding))
	f.Label("hash")
	// The digest, and what follows in a block that ends a message of 96 bytes.
	last := make(value, 3)
	for i := range last {
		last[i] = f.New(Vector, "last")
	}
	f.Add(VMOVI(0, last[1]), FMOVQ(At(padding, 16), last[0]), FMOVQ(At(padding, 32), last[2]))
	for j := range 16 {
		if j < 8 && groups == 1 {
			l.words[j] = l.loadRow(w, j, "word")
		}
		if j >= 8 {
			x := last[map[int]int{8: 0, 15: 2}[j]]
			if 8 < j && j < 15 {
				x = last[1]
			}
			l.setWord(j, value{x, x})
		}
	}
	s := l.state(keys)
	l.rounds(s)
	for i := range s {
		l.eor(l.loadRow(keys, i, "old"), s[i], s[i])
		l.storeRow(s[i], w, i)
	}
	f.Add(l.take()...)
	f.Add(EOR(1, outer, outer), CBZ(outer, "iteration"), ADD(8*row, keys, keys), B("hash"))
	f.Label("iteration")
	f.Add(SUB(8*row, keys, keys))
	for i := range s {
		u, sum := l.loadRow(w, i, "u"), l.loadRow(t, i, "sum")
		l.eor(u, sum, sum)
		l.storeRow(sum, t, i)
	}
	f.Add(l.take()...)
	f.Add(SUBS(1, n, n), BNE("hash"), RET())
}
