package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// withSM3 is a kernel for four messages with the SM3 instructions. For one message,
// _gen/README.md explains them.
type withSM3 struct {
	f          *asm.Func
	constants  *asm.Table
	next       asm.Reg // T of the next rounds
	abcd, efgh []asm.Reg
	w          [4][]asm.Reg
	t, sum     []asm.Reg
	ss         asm.Reg
}

func newWithSM3(f *asm.Func, constants *asm.Table) *withSM3 {
	k := &withSM3{
		f: f, constants: constants, next: f.New(Integer, "next"),
		abcd: f.Several(Vector, "abcd", 4), efgh: f.Several(Vector, "efgh", 4),
		t: f.Group(Vector, "t", 2, 1), sum: f.Several(Vector, "sum", 4), ss: f.New(Vector, "ss"),
	}
	for m := range k.w {
		k.w[m] = f.Group(Vector, "w", 4, 1)
	}
	return k
}

// transpose makes four rows words 3 to 0 of each message, and back.
func (k *withSM3) transpose(r []asm.Reg) {
	a, b, c, d := k.sum[0], k.sum[1], k.sum[2], k.sum[3]
	k.f.Add(
		VTRN1(S4, r[1], r[0], a), VTRN2(S4, r[1], r[0], b),
		VTRN1(S4, r[3], r[2], c), VTRN2(S4, r[3], r[2], d),
		VTRN1(D2, c, a, r[0]), VTRN1(D2, d, b, r[1]),
		VTRN2(D2, c, a, r[2]), VTRN2(D2, d, b, r[3]),
	)
}

// load makes rows 0 ... 7 at base the state.
func (k *withSM3) load(base asm.Reg) {
	for i := range 4 {
		k.f.Add(FMOVQ(At(base, row*(3-i)), k.abcd[i]), FMOVQ(At(base, row*(7-i)), k.efgh[i]))
	}
	k.transpose(k.abcd)
	k.transpose(k.efgh)
}

// store makes the state rows 0 ... 7 at base.
func (k *withSM3) store(base asm.Reg) {
	k.transpose(k.abcd)
	k.transpose(k.efgh)
	for i := range 4 {
		k.f.Add(FMOVQ(k.abcd[i], At(base, row*(3-i))), FMOVQ(k.efgh[i], At(base, row*(7-i))))
	}
}

// save stores the state as it is at base, restore loads it, and add adds it with xor.
func (k *withSM3) save(base asm.Reg, offset int) {
	for m := range 4 {
		k.f.Add(FSTPQ(k.abcd[m], k.efgh[m], At(base, offset+32*m)))
	}
}

func (k *withSM3) restore(base asm.Reg, offset int) {
	for m := range 4 {
		k.f.Add(FLDPQ(At(base, offset+32*m), k.abcd[m], k.efgh[m]))
	}
}

func (k *withSM3) add(base asm.Reg, offset int) {
	x, y := k.sum[0], k.sum[1]
	for m := range 4 {
		k.f.Add(FLDPQ(At(base, offset+32*m), x, y), VEOR(x, k.abcd[m], k.abcd[m]), VEOR(y, k.efgh[m], k.efgh[m]))
	}
}

func (k *withSM3) rounds() {
	f, abcd, efgh, t, sum, ss := k.f, k.abcd, k.efgh, k.t, k.sum, k.ss
	f.Add(MOVD(k.constants, k.next))
	for j := 0; j < 64; j += 4 {
		s := j / 4
		for m, w := range k.w {
			f.Add(VEOR(w[(s+1)%4], w[s%4], sum[m]))
		}
		tt1, tt2 := SM3TT1A, SM3TT2A
		if j >= 16 {
			tt1, tt2 = SM3TT1B, SM3TT2B
		}
		for i := range 4 {
			if i%2 == 0 {
				f.Add(VLD2R(S4, Post(k.next, 8), t))
			}
			for m, w := range k.w {
				f.Add(
					SM3SS1(t[i%2], efgh[m], abcd[m], ss),
					tt1(Lane(S4, sum[m], i), ss, abcd[m]),
					tt2(Lane(S4, w[s%4], i), ss, efgh[m]),
				)
			}
		}
		if j < 52 {
			for _, w := range k.w {
				a, b, c, d := w[s%4], w[(s+1)%4], w[(s+2)%4], w[(s+3)%4]
				x, y, z := sum[0], sum[1], sum[2]
				f.Add(
					VEXT(12, c, b, x), VEXT(8, d, c, y), VEXT(12, b, a, z),
					SM3PARTW1(d, x, a),
					SM3PARTW2(z, y, a),
				)
			}
		}
	}
}

func compressSM3(file *asm.File, constants *asm.Table) {
	f := file.Func("Compress4SM3", "(v *[8][8]uint32, w *[32][8]uint32, src *[8][]byte, n int)")
	f.Doc = "Compress4SM3 is Compress4NEON with the SM3 instructions. Its w has chaining values."
	f.Secret = "v w src"
	v, old, src, n := f.Arg("v"), f.Arg("w"), f.Arg("src"), f.Arg("n")
	p := f.Several(Integer, "p", 4)
	for i := range p {
		f.Add(MOVD(At(src, sliceSize*i), p[i]))
	}
	k := newWithSM3(f, constants)
	k.load(v)
	f.Label("block")
	k.save(old, 0)
	for m, w := range k.w {
		f.Add(VLD1(B16, Post(p[m], 64), w))
	}
	for i := range 4 {
		for _, w := range k.w {
			f.Add(VREV32(B16, w[i], w[i]))
		}
	}
	k.rounds()
	k.add(old, 0)
	f.Add(SUBS(1, n, n), BNE("block"))
	k.store(v)
	f.Add(RET())
}

func iterateSM3(file *asm.File, constants, tables *asm.Table) {
	f := file.Func("Iterate4SM3", "(keys *[2][8][8]uint32, t *[8][8]uint32, w *[32][8]uint32, n int)")
	f.Doc = "Iterate4SM3 is Iterate4NEON with the SM3 instructions. Its w has chaining values."
	f.Secret = "keys t w"
	keys, t, w, n := f.Arg("keys"), f.Arg("t"), f.Arg("w"), f.Arg("n")
	own, padding, outer := f.New(Integer, "own"), f.New(Integer, "padding"), f.New(Integer, "outer")
	k := newWithSM3(f, constants)
	// From row 8 of w on: the chaining values of the inner hash, of the outer hash 128 bytes
	// behind, and t.
	const total = 256
	f.Add(ADD(8*row, w, own), MOVD(tables, padding), MOVD(0, outer))
	k.load(keys)
	k.save(own, 0)
	f.Add(ADD(8*row, keys, keys))
	k.load(keys)
	k.save(own, 128)
	k.load(t)
	k.save(own, total)
	k.load(w)
	f.Label("hash")
	for m, w := range k.w {
		for i, s := range []asm.Reg{k.abcd[m], k.efgh[m]} {
			f.Add(VREV64(S4, s, w[i]), VEXT(8, w[i], w[i], w[i]))
		}
		f.Add(FMOVQ(At(padding, 48), w[2]), FMOVQ(At(padding, 64), w[3]))
	}
	k.restore(own, 0)
	k.rounds()
	k.add(own, 0)
	f.Add(EOR(1, outer, outer), CBZ(outer, "iteration"), ADD(128, own, own), B("hash"))
	f.Label("iteration")
	f.Add(SUB(128, own, own))
	k.save(w, 0)
	k.add(own, total)
	k.save(own, total)
	k.restore(w, 0)
	f.Add(SUBS(1, n, n), BNE("hash"))
	k.store(w)
	k.restore(own, total)
	k.store(t)
	f.Add(RET())
}
