package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/circuit/gates"
)

// A pass is 32 blocks as planes: plane b of a word has bit b of its bytes. Byte j, in the
// order of memory, is in lane j of 32 bits. So the circuit of the S-box computes 128 of
// them at once, to rotate words by 8 bits is to rotate planes by a lane (VEXT), and to
// rotate them by 2 is to take another plane.
//
// The state is in memory: words of eight planes. Registers have the sum f of its four
// words, because
//
//	x[4] = x[0] + F(x[1] + x[2] + x[3] + k) = x[0] + F(f + x[0] + k)
//
// and x[4] is also what f changes by. A round reads one word, and not three.
type pass struct {
	f      *asm.Func
	c      *constants
	state  asm.Local
	spare  asm.Local // for half of the sum, during the S-box
	sum    []asm.Reg // f
	m1, m2 asm.Reg   // masks of the bits that stay when others move by 1 and 2
	bytes  asm.Reg   // index that collects the bytes of words, and its inverse
}

const (
	wordSize = 8 * 16
	passSize = 4 * wordSize
)

func newPass(f *asm.Func, c *constants) *pass {
	return &pass{f: f, c: c, state: f.Local("state", passSize), spare: f.Local("spare", wordSize/2),
		sum: append(f.Several(Vector, "sum", 4), f.Group(Vector, "sum", 4, 1)...)}
}

// first returns a pointer to the first round key, which is the last one if the step is
// negative.
func (p *pass) first(keys, step asm.Reg) asm.Reg {
	first := p.f.New(Integer, "first")
	p.f.Add(ASR(63, step, first), AND(31*wordSize, first, first), ADD(keys, first, first))
	return first
}

// rounds adds all rounds. step is from one key to the next.
func (p *pass) rounds(first, step asm.Reg) {
	f := p.f
	key, half, left := f.New(Integer, "key"), f.New(Integer, "half"), f.New(Integer, "left")
	in, out, spare := f.New(Integer, "in"), f.New(Integer, "out"), f.New(Integer, "spare")
	f.Add(MOVD(first, key), SUB(64, step, half), MOVD(8, left), MOVD(p.spare, spare))
	f.Label("rounds")
	f.Add(MOVD(p.state, in), MOVD(p.state, out))
	for range 4 {
		p.round(key, half, in, out, spare)
	}
	f.Add(SUBS(1, left, left), BNE("rounds"))
}

func (p *pass) round(key, half, in, out, spare asm.Reg) {
	f := p.f
	v := map[string]asm.Reg{}
	for h := range 2 {
		k, x := f.Group(Vector, "k", 4, 1), f.Group(Vector, "x", 4, 1)
		next := Post(key, 64)
		if h == 1 {
			next = PostIndex(key, half)
		}
		f.Add(VLD1(B16, next, k), VLD1(B16, Post(in, 64), x))
		for i := range 4 {
			b := 4*h + i
			t := f.New(Vector, "t")
			f.Add(VEOR(k[i], x[i], t), VEOR(p.sum[b], t, t))
			v["x"+string(rune('0'+b))] = t
		}
	}
	f.Add(VST1(B16, p.sum[4:], At(spare, 0)))
	gates.Add(f, sbox.Gates, v)
	// L(s) = u + v<<<2 with u = s + s<<<24 and v = s + s<<<8 + s<<<16.
	var us, vs [8]asm.Reg
	linear := func(b int) {
		s := v[sbox.Outputs[b]]
		r, q := f.New(Vector, "r"), f.New(Vector, "q")
		u, w := f.New(Vector, "u"), f.New(Vector, "v")
		f.Add(VEXT(4, s, s, r), VEOR(r, s, q), VEXT(12, q, q, u))
		if b < 6 {
			f.Add(VEXT(8, s, s, w), VEOR(q, w, w))
		} else { // also goes to the next byte
			f.Add(VEXT(8, q, q, w), VEOR(r, w, w))
		}
		us[b], vs[b] = u, w
	}
	linear(6)
	linear(7)
	f.Add(VLD1(B16, At(spare, 0), p.sum[4:]))
	for h := range 2 {
		x := f.Group(Vector, "x", 4, 1)
		f.Add(VLD1(B16, At(out, 0), x))
		for i := range 4 {
			b := 4*h + i
			if b < 6 {
				linear(b)
			}
			d := us[b]
			f.Add(VEOR(vs[(b+6)%8], d, d), VEOR(d, x[i], x[i]), VEOR(d, p.sum[b], p.sum[b]))
		}
		f.Add(VST1(B16, x, Post(out, 64)))
	}
}

// transpose swaps the number of a register with that of a bit in its bytes. Bits move by
// 4, 2 and 1.
func (p *pass) transpose(x []asm.Reg) {
	f := p.f
	for i := range 4 {
		a, b := x[i], x[i+4]
		t := f.New(Vector, "t")
		f.Add(VMOV(a, t), VSLI(B16, 4, b, a), VSRI(B16, 4, t, b))
	}
	swap := func(a, b asm.Reg, n int, mask asm.Reg) {
		t, u := f.New(Vector, "t"), f.New(Vector, "u")
		f.Add(VSHL(B16, n, b, t), VUSHR(B16, n, a, u), VBIF(mask, t, a), VBIT(mask, u, b))
	}
	for _, i := range []int{0, 1, 4, 5} {
		swap(x[i], x[i+2], 2, p.m2)
	}
	for _, i := range []int{0, 2, 4, 6} {
		swap(x[i], x[i+1], 1, p.m1)
	}
}

// masks loads what transpose and the permutations of bytes need. They are not needed in
// the rounds, which have no registers to spare.
func (p *pass) masks() {
	f := p.f
	p.m1, p.m2, p.bytes = f.New(Vector, "m1"), f.New(Vector, "m2"), f.New(Vector, "bytes")
	load(f, p.c.planes, p.m1, p.m2, p.bytes)
}

// word transposes a word that is in memory, in place, and leaves it in the registers.
func (p *pass) word(w int) []asm.Reg {
	f := p.f
	at := f.New(Integer, "at")
	lo, hi := f.Group(Vector, "x", 4, 1), f.Group(Vector, "x", 4, 1)
	x := append(append([]asm.Reg{}, lo...), hi...)
	f.Add(MOVD(p.state, at), ADD(w*wordSize, at, at))
	f.Add(VLD1(B16, Post(at, 64), lo), VLD1(B16, At(at, 0), hi), SUB(64, at, at))
	p.transpose(x)
	f.Add(VST1(B16, lo, Post(at, 64)), VST1(B16, hi, At(at, 0)))
	return x
}

// load makes planes of 32 blocks.
func (p *pass) load(src asm.Reg) {
	f := p.f
	p.masks()
	at := f.New(Integer, "at")
	f.Add(MOVD(p.state, at))
	for r := 0; r < 8; r += 2 {
		a, b := f.Group(Vector, "a", 4, 1), f.Group(Vector, "b", 4, 1)
		f.Add(VLD4(S4, Post(src, 64), a), VLD4(S4, Post(src, 64), b))
		for w := range 4 {
			f.Add(VTBL(p.bytes, a[w], a[w]), VTBL(p.bytes, b[w], b[w]))
			f.Add(FSTPQ(a[w], b[w], At(at, w*wordSize+r*16)))
		}
	}
	for w := range 4 {
		x := p.word(w)
		for b, s := range p.sum {
			if w == 0 {
				f.Add(VMOV(x[b], s))
			} else {
				f.Add(VEOR(x[b], s, s))
			}
		}
	}
}

// finish makes blocks of planes, whose words are in reverse order, and hands them to use,
// four at a time, as VST4 of words stores them, the last ones first if backward.
func (p *pass) finish(backward bool, use func(x []asm.Reg)) {
	f := p.f
	p.masks()
	for w := range 4 {
		p.word(w)
	}
	at := f.New(Integer, "at")
	f.Add(MOVD(p.state, at))
	for i := 0; i < 8; i += 2 {
		r := i
		if backward {
			r = 6 - i
		}
		a, b := f.Group(Vector, "a", 4, 1), f.Group(Vector, "b", 4, 1)
		for w := range 4 {
			f.Add(FLDPQ(At(at, (3-w)*wordSize+r*16), a[w], b[w]))
			f.Add(VTBL(p.bytes, a[w], a[w]), VTBL(p.bytes, b[w], b[w]))
		}
		if backward {
			a, b = b, a
		}
		use(a)
		use(b)
	}
}

// wipe overwrites the state.
func (p *pass) wipe() {
	f := p.f
	z := f.Group(Vector, "zero", 4, 1)
	at := f.New(Integer, "at")
	f.Add(MOVD(p.state, at))
	for _, r := range z {
		f.Add(VMOVI(0, r))
	}
	for range passSize / 64 {
		f.Add(VST1(B16, z, Post(at, 64)))
	}
	f.Add(MOVD(p.spare, at), VST1(B16, z, At(at, 0)))
}

const planeDirection = "step is the distance to the next round key in bytes: 128 encrypts, -128 decrypts."

func blocksPlanes(file *asm.File, c *constants) {
	f := file.Func("blocksPlanes", "(k *Planes, step int, dst, src *byte, passes int)")
	f.Doc = "blocksPlanes encrypts or decrypts passes of 32 blocks, at least one.\n" + planeDirection
	f.Secret = "k dst src"
	keys, step, dst, src, passes := f.Arg("k"), f.Arg("step"), f.Arg("dst"), f.Arg("src"), f.Arg("passes")
	p := newPass(f, c)
	first := p.first(keys, step)
	f.Label("pass")
	p.load(src)
	p.rounds(first, step)
	p.finish(false, func(x []asm.Reg) { f.Add(VST4(S4, x, Post(dst, 64))) })
	f.Add(SUBS(1, passes, passes), BNE("pass"))
	p.wipe()
	f.Add(RET())
}

// xorPlanes goes backwards, because dst may be where with is or, in CBC, 16 bytes behind it.
func xorPlanes(file *asm.File, c *constants) {
	f := file.Func("xorPlanes", "(k *Planes, step int, dst, src, with *byte, passes int)")
	f.Doc = "xorPlanes is blocksPlanes, with another input added to the result. It goes from the last\n" +
		"block to the first one, and reads src of a pass and with of four blocks before it\n" +
		"writes them."
	f.Secret = "k dst src with"
	keys, step, dst, src, addend, passes := f.Arg("k"), f.Arg("step"), f.Arg("dst"), f.Arg("src"), f.Arg("with"), f.Arg("passes")
	p := newPass(f, c)
	first := p.first(keys, step)
	size, back := f.New(Integer, "size"), f.New(Integer, "back")
	f.Add(MOVD(-64, back), ADD(Left(passes, 9), back, size))
	f.Add(ADD(size, dst, dst), ADD(size, addend, addend), ADD(size, src, src), SUB(passSize-64, src, src))
	f.Label("pass")
	p.load(src)
	f.Add(SUB(2*passSize, src, src))
	p.rounds(first, step)
	p.finish(true, func(x []asm.Reg) { addXOR(f, x, PostIndex(addend, back), PostIndex(dst, back)) })
	f.Add(SUBS(1, passes, passes), BNE("pass"))
	p.wipe()
	f.Add(RET())
}

// addXOR adds four blocks from memory and stores the sum.
func addXOR(f *asm.Func, x []asm.Reg, addend, dst Mem) {
	data := f.Group(Vector, "data", 4, 1)
	f.Add(VLD4(S4, addend, data))
	for i, r := range x {
		f.Add(VEOR(data[i], r, r))
	}
	f.Add(VST4(S4, x, dst))
}

// fill stores the planes of a word that is the same in all blocks. v has its bytes in lanes.
func fill(f *asm.Func, v asm.Reg, bits []asm.Reg, at asm.Reg) []asm.Reg {
	lo, hi := f.Group(Vector, "x", 4, 1), f.Group(Vector, "x", 4, 1)
	x := append(append([]asm.Reg{}, lo...), hi...)
	for b, r := range x {
		f.Add(VCMTST(B16, bits[b], v, r))
	}
	f.Add(VST1(B16, lo, Post(at, 64)), VST1(B16, hi, Post(at, 64)))
	return x
}

// newBits returns registers with one bit of each byte.
func newBits(f *asm.Func) []asm.Reg {
	bits := f.Several(Vector, "bit", 8)
	for b, r := range bits {
		f.Add(VMOVI(1<<b, r))
	}
	return bits
}

func ctrPlanes(file *asm.File, c *constants) {
	f := file.Func("ctrPlanes", "(k *Planes, ctr *[16]byte, dst, src *byte, passes int)")
	f.Doc = "ctrPlanes adds the keystream of passes of 32 blocks, at least one, to src. Only the last\n" +
		"32 bits of ctr count. It does not change ctr."
	f.Secret = "k ctr dst src"
	keys, ctr, dst, src, passes := f.Arg("k"), f.Arg("ctr"), f.Arg("dst"), f.Arg("src"), f.Arg("passes")
	p := newPass(f, c)
	prefix := f.Local("prefix", passSize)
	counter, step := f.New(Integer, "counter"), f.New(Integer, "step")
	f.Add(MOVWU(At(ctr, 12), counter), REVW(counter, counter), MOVD(wordSize, step))

	// The first three words and their sum are the same in all passes.
	at := f.New(Integer, "at")
	lanes, v := f.New(Vector, "lanes"), f.New(Vector, "v")
	bits := newBits(f)
	load(f, c.lanes, lanes)
	f.Add(MOVD(prefix, at))
	total := f.New(Vector, "total")
	for w := range 3 {
		f.Add(VLD1R(S4, Post(ctr, 4), v), VTBL(lanes, v, v))
		if w == 0 {
			f.Add(VMOV(v, total))
		} else {
			f.Add(VEOR(v, total, total))
		}
		fill(f, v, bits, at)
	}
	fill(f, total, bits, at)

	f.Label("pass")
	from, to := f.New(Integer, "from"), f.New(Integer, "to")
	f.Add(MOVD(prefix, from), MOVD(p.state, to))
	for range 3 * wordSize / 64 {
		x := f.Group(Vector, "x", 4, 1)
		f.Add(VLD1(B16, Post(from, 64), x), VST1(B16, x, Post(to, 64)))
	}
	p.masks()
	lo, hi := f.Group(Vector, "x", 4, 1), f.Group(Vector, "x", 4, 1)
	x := append(append([]asm.Reg{}, lo...), hi...)
	order, four, all := f.New(Vector, "order"), f.New(Vector, "four"), f.New(Vector, "all")
	load(f, c.counters, order, x[0], four)
	f.Add(VDUP(S4, counter, all), ADDW(32, counter, counter), VADD(S4, all, x[0], x[0]))
	for i := range 7 {
		f.Add(VADD(S4, four, x[i], x[i+1]))
	}
	for _, r := range x {
		f.Add(VTBL(order, r, r))
	}
	p.transpose(x)
	f.Add(VST1(B16, lo, Post(to, 64)), VST1(B16, hi, At(to, 0)))
	for h := range 2 {
		s := f.Group(Vector, "s", 4, 1)
		f.Add(VLD1(B16, Post(from, 64), s))
		for i := range 4 {
			f.Add(VEOR(s[i], x[4*h+i], p.sum[4*h+i]))
		}
	}
	p.rounds(keys, step)
	p.finish(false, func(x []asm.Reg) { addXOR(f, x, Post(src, 64), Post(dst, 64)) })
	f.Add(SUBS(1, passes, passes), BNE("pass"))
	p.wipe()
	at = f.New(Integer, "at")
	f.Add(MOVD(prefix, at))
	for range passSize / 16 {
		f.Add(STP(ZR, ZR, Post(at, 16)))
	}
	f.Add(RET())
}
