package main

import (
	"fmt"
	"maps"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64/ssa"
)

// General registers that mean the same in all kernels.
var (
	state     = reg.RBX // 64-byte aligned scratch on the stack
	table     = reg.RDX // powers of the hash key
	src       = reg.RSI
	dst       = reg.RDI
	key       = reg.R8  // the next round key
	step      = reg.R9  // from a round key to the next, negative for decryption
	step3     = reg.R10 // three times that
	from      = reg.R11 // where the rounds read the words that are not in registers
	remaining = reg.R12 // bytes
	keyStart  = reg.R13 // the first round key
	hashed    = reg.R14 // the next block to hash
)

// A schedule addresses round keys.
type schedule struct {
	stride int  // bytes from one round key to the next; 0: in step
	planes bool // a register of key bytes, one for each block, instead of one byte four times
}

// ownKeys are the round keys of 64 lanes in planes.
var ownKeys = schedule{stride: 256, planes: true}

// at returns the address of the round key n rounds after the next one, or of
// its byte j where bytes are sliced.
func (s schedule) at(n, j int) Mem {
	disp := 4 * j
	if s.planes {
		disp = 64 * j
	}
	if s.stride != 0 {
		return Mem{Base: key, Disp: n*s.stride + disp}
	}
	switch n {
	case 0:
		return Mem{Base: key, Disp: disp}
	case 1, 2, 4:
		return Mem{Base: key, Index: step, Scale: uint8(n), Disp: disp}
	case 3:
		return Mem{Base: key, Index: step3, Scale: 1, Disp: disp}
	case 6:
		return Mem{Base: key, Index: step3, Scale: 2, Disp: disp}
	case 5:
		return Mem{Base: from, Index: step, Scale: 1, Disp: disp}
	case 7:
		return Mem{Base: from, Index: step3, Scale: 1, Disp: disp}
	}
	panic("no address")
}

// next goes four rounds on.
func (s schedule) next() {
	if s.stride != 0 {
		ADDQ(I32(int32(4*s.stride)), key)
	} else {
		LEAQ(Mem{Base: key, Index: step, Scale: 4}, key)
	}
}

var labels int

// label returns a new label.
func label(name string) string {
	labels++
	return fmt.Sprintf("%s%d", name, labels)
}

// loadMatrices puts the matrices of the rounds into Z31, Z30 and Z29.
func loadMatrices() map[string]matrix {
	VPBROADCASTQ(constant(constU0), reg.Z31)
	VPBROADCASTQ(constant(constU1), reg.Z30)
	VPBROADCASTQ(constant(constU3), reg.Z29)
	return map[string]matrix{
		"U0": {reg.Z31, set.U0.C}, "U1": {reg.Z30, set.U1.C}, "U3": {reg.Z29, set.U3.C},
	}
}

// Rounds of 64 blocks, sliced by bytes: 16 registers hold the four bytes 0 to
// 3 (by significance) of the four words a to d of all blocks. The rotations of
// the linear layer are then a matter of naming, and a round is 12 inversions
// and 20 other instructions.
//
// The order is the result of a search by measurement: the last operations of
// one round and the first of the next overlap best in it.
const singleRound = `
	u0 = b0 ^ c0
	u2 = b2 ^ c2
	u1 = b1 ^ c1
	u3 = b3 ^ c3
	v3 = u3 ^ k3
	v0 = u0 ^ k0
	v1 = u1 ^ k1
	t0 = v0 ^ d0
	t3 = v3 ^ d3
	v2 = u2 ^ k2
	t1 = v1 ^ d1
	t2 = v2 ^ d2
	q1 = U1 t1
	r3 = U3 t3
	q3 = U1 t3
	p3 = U0 t3
	q2 = U1 t2
	q0 = U1 t0
	r0 = U3 t0
	p2 = U0 t2
	z3 = a3 ^ q1 ^ p3
	r2 = U3 t2
	z2 = r3 ^ q1 ^ a2
	p1 = U0 t1
	z1 = q0 ^ a1 ^ q3
	z0 = q3 ^ q2 ^ a0
	p0 = U0 t0
	r1 = U3 t1
	w3 = z3 ^ r0 ^ q2
	w1 = r2 ^ p1 ^ z1
	w0 = p0 ^ r1 ^ z0
	w2 = z2 ^ q0 ^ p2
`

// single does the 32 rounds of 64 blocks. Byte j of word w is in Z(4w+j),
// before and after; the words of the result are in the reverse order.
func single(k schedule) {
	bytesLoop(singleRound, loadMatrices(), zmm[:29], nil, !k.planes, k.at, k.next)
}

// bytesLoop does 32 rounds that make word w of words a to d, sliced by bytes, in
// pool. The keys, byte j of the round n after the next one at at(n, j), are
// registers or, if word is set, words to be broadcast; next goes four rounds on.
// after, if not nil, appends to a round.
func bytesLoop(round string, m map[string]matrix, pool []reg.VecPhysical, after func(p *ssa.Code, r int, names map[string]ssa.Value), word bool, at func(n, j int) Mem, next func()) {
	MOVQ(U32(8), reg.RCX)
	loop := label("single")
	Label(loop)
	p := new(ssa.Code)
	var x [8][4]ssa.Value
	in, out := map[ssa.Value]reg.VecPhysical{}, map[ssa.Value]reg.VecPhysical{}
	for w := range 4 {
		for j := range 4 {
			x[w][j] = ssa.New()
			in[x[w][j]] = zmm[4*w+j]
		}
	}
	for r := range 4 {
		names := map[string]ssa.Value{}
		for w := range 4 {
			for j := range 4 {
				names[fmt.Sprintf("%c%d", 'a'+w, j)] = x[r+w][j]
			}
		}
		formulas(p, round, names, m, word, func(j int) Mem { return at(r, j) })
		for j := range 4 {
			x[r+4][j] = names[fmt.Sprintf("w%d", j)]
		}
		if after != nil {
			after(p, r, names)
		}
	}
	for w := range 4 {
		for j := range 4 {
			out[x[4+w][j]] = zmm[4*w+j]
		}
	}
	p.Emit(pool, in, out, asZ)
	next()
	DECQ(reg.RCX)
	JNZ(LabelRef(loop))
}

// word is where the stack has byte j of word w of one half of 128 blocks.
func word(base reg.Register, half, w, j int) Mem {
	return Mem{Base: base, Disp: 1024*half + 256*(w%4) + 64*j}
}

// A companion is other work that [dual] does in the gaps of its rounds. Four rounds of two
// halves of the blocks have 16 gaps.
type companion struct {
	parts   [16]ssa.Code // for each gap
	in, out map[ssa.Value]reg.VecPhysical
	next    func() // advances pointers after each four rounds
}

// dual does 4·count rounds of 128 blocks, two interleaved halves of 64. The
// last two words of a half are in registers, all four in memory: one batch
// alone has too little work for the latency of a round, two do not fit into
// the registers.
//
// A half has two gaps in a round, behind each four of its inversions. In them goes the work of
// other, if it is not nil.
func dual(k schedule, count int, other *companion) {
	interleaved(k, count, other, newHalf(0, 0, 4), newHalf(1, 8, 4))
}

// interleaved does 4·count rounds of the halves, which may be one.
func interleaved(k schedule, count int, other *companion, halves ...*half) {
	MOVQ(U32(uint64(count)), reg.RCX)
	loop := label("dual")
	Label(loop)
	code := new(ssa.Code)
	in, out := map[ssa.Value]reg.VecPhysical{}, map[ssa.Value]reg.VecPhysical{}
	for _, h := range halves {
		h.enter(in)
	}
	pool := zmm[:26]
	if other != nil {
		pool = zmm[:30]
		maps.Copy(in, other.in)
		maps.Copy(out, other.out)
	}
	for r := range 4 {
		for i, h := range halves {
			h.round(code, k, r, func(n int) {
				if other != nil {
					code.Append(&other.parts[4*r+2*i+n])
				}
			})
		}
	}
	for _, h := range halves {
		h.leave(out)
	}
	code.Emit(pool, in, out, asZ)
	k.next()
	MOVQ(state, from)
	if other != nil {
		other.next()
	}
	DECQ(reg.RCX)
	JNZ(LabelRef(loop))
}

// A half is blocks in the rounds of dual. With 64 blocks, a word is four registers, one for
// each byte. With up to 32, which are called paired, it is two: byte 0 of four blocks is in an
// even 32-bit lane and byte 1 in the odd one beside it, and so are bytes 2 and 3. Their round
// keys are in this order in memory.
type half struct {
	number int
	first  int            // the register of word 2
	n      int            // registers of a word
	x      [8][]ssa.Value // words
	sum    []ssa.Value    // X2+X3 of an even round, which is X1+X2 of the next one
}

func newHalf(number, first, n int) *half { return &half{number: number, first: first, n: n} }

func (h *half) paired() bool { return h.n == 2 }

// enter says where words 2 and 3 are before four rounds, leave where they are afterwards.
func (h *half) enter(in map[ssa.Value]reg.VecPhysical) {
	h.each(func(w, j int, z reg.VecPhysical) {
		h.x[2+w] = append(h.x[2+w], ssa.New())
		in[h.x[2+w][j]] = z
	})
}

func (h *half) leave(out map[ssa.Value]reg.VecPhysical) {
	h.each(func(w, j int, z reg.VecPhysical) { out[h.x[6+w][j]] = z })
}

// each calls f for the registers of words 2 and 3, of which w is 0 and 1.
func (h *half) each(f func(w, j int, z reg.VecPhysical)) {
	for w := range 2 {
		for j := range h.n {
			f(w, j, zmm[h.first+h.n*w+j])
		}
	}
}

// at is where memory has register j of word w.
func (h *half) at(base reg.Register, w, j int) Mem { return word(base, h.number, w, j) }

// round appends round r of four. It calls gap, twice.
func (h *half) round(code *ssa.Code, k schedule, r int, gap func(n int)) {
	addKey := func(v ssa.Value, j int) ssa.Value {
		if h.paired() {
			return code.XorQuad(v, k.at(r, 2*j))
		}
		return code.XorWord(v, k.at(r, j))
	}
	t, q, p := make([]ssa.Value, h.n), make([]ssa.Value, h.n), make([]ssa.Value, h.n)
	if c, d := h.x[r+2], h.x[r+3]; r%2 == 0 {
		h.sum = make([]ssa.Value, h.n)
		for j := range t {
			t[j] = addKey(code.Load(h.at(from, r+1, j)), j)
		}
		for j := range t {
			h.sum[j] = code.Xor(c[j], d[j])
		}
		for j := range t {
			t[j] = code.Xor(h.sum[j], t[j])
		}
	} else {
		for j := range t {
			t[j] = addKey(h.sum[j], j)
		}
		for j := range t {
			t[j] = code.Xor(t[j], d[j])
		}
	}
	for j := range t {
		q[j] = inverse(code, t[j], matrix{reg.Z30, set.U1.C})
	}
	gap(0)
	if h.paired() {
		h.x[r+4] = h.mixPaired(code, r, t, q, p)
		gap(1)
	} else {
		h.x[r+4] = h.mix(code, r, t, q, p, gap)
	}
	for j, x := range h.x[r+4] {
		code.Store(x, h.at(state, r, j))
	}
}

var matrix0 = matrix{reg.Z31, set.U0.C}

// mix makes the new word. Since U0 + U1 + U3 = 0, with p = U0(1/t), q = U1(1/t) it is
//
//	X4[0] = X0[0] + p0+p1 + q1 + (q2+q3)    X4[1] = X0[1] + p1+p2 + q0 + (q2+q3)
//	X4[2] = X0[2] + p2+p3 + q3 + (q0+q1)    X4[3] = X0[3] + p3+p0 + q2 + (q0+q1)
//
// which takes 8 inversions instead of 12.
func (h *half) mix(code *ssa.Code, r int, t, q, p []ssa.Value, gap func(n int)) (x []ssa.Value) {
	q01 := code.Xor(q[0], q[1])
	q23 := code.Xor(q[2], q[3])
	for j := range t {
		p[j] = inverse(code, t[j], matrix0)
	}
	gap(1)
	for j, o := range [4]struct{ q, sum ssa.Value }{{q[1], q23}, {q[0], q23}, {q[3], q01}, {q[2], q01}} {
		z := code.Xor3Memory(o.q, p[j], h.at(from, r, j))
		x = append(x, code.Xor3(z, p[(j+1)%4], o.sum))
	}
	return x
}

// mixPaired is mix for pairs of bytes:
//
//	X4[j] = X0[j] + p[j] + q[j] + p[j+1] + (q0+q1+q2+q3)
func (h *half) mixPaired(code *ssa.Code, r int, t, q, p []ssa.Value) (x []ssa.Value) {
	for j := range t {
		p[j] = inverse(code, t[j], matrix0)
	}
	sum := code.Xor(q[0], q[1])
	sum = code.Xor(sum, swapPairs(code, sum))
	next := []ssa.Value{nextPair(code, p[0], p[1]), nextPair(code, p[1], p[0])}
	for j := range t {
		z := code.Xor3Memory(q[j], p[j], h.at(from, r, j))
		x = append(x, code.Xor3(z, next[j], sum))
	}
	return x
}

// swapPairs exchanges the two bytes of pairs, nextPair returns the second byte of x and the
// first one of y.
func swapPairs(c *ssa.Code, v ssa.Value) ssa.Value {
	return c.Do(func(d amd64.Vec, s []amd64.Vec) asm.Stream { return asm.Stream{amd64.VPSHUFD(Imm(0xb1), s[0], d)} }, v)
}

func nextPair(c *ssa.Code, x, y ssa.Value) ssa.Value {
	return c.Do(func(d amd64.Vec, s []amd64.Vec) asm.Stream {
		return asm.Stream{amd64.VPSHRDQ(Imm(32), s[1], s[0], d)}
	}, x, y)
}

// An arrangement is how up to 16 blocks, or one, are in four registers, one for
// each word. The chain of one round is an inversion, a rotation and two sums. The
// input t of the next S-box is computed directly, from q = X0 + X2 + X3 + the next
// round key, and not by way of the new word X4.
//
// On Sapphire Rapids a value of the inversion takes two cycles more to reach an
// operation of another kind, whenever that begins: no operation waits for such a value
// and, after it, for another one. It is better to compute little there, too: with two
// forms of t, of which one is rotated by 16 bits, the chain would be a sum shorter, but
// there are three ports for XMM registers and two for ZMM, and nine operations more.
type arrangement struct {
	round string
	wide  bool // ZMM: the words of 16 blocks; or XMM: the four bytes of the word, each four times
}

func (a arrangement) size(r reg.VecPhysical) reg.VecPhysical {
	if a.wide {
		return asZ(r)
	}
	return amd64.X(r)
}

// xorKey adds a round key: a word, or its bytes four times each.
func (a arrangement) xorKey(p *ssa.Code, v ssa.Value, key Mem) ssa.Value {
	return xorKey(p, v, key, a.wide)
}

var (
	words16 = arrangement{fmt.Sprintf(wordRound, "rol 24", "rol 8", "rol 16"), true}
	serial  = arrangement{fmt.Sprintf(wordRound, "word 3", "word 1", "word 2"), false}
)

// The order is the best of a search by measurement on Sapphire Rapids. In XMM registers
// rotations are shuffles of words: other than shifts, they do not compete with the
// inversions for the same two units.
const wordRound = `
	u1 = U1 t
	u3 = U3 t
	y3 = %s u3
	s = c ^ k1
	u0 = U0 t
	y1 = %s u1
	y2 = %s u1
	m = y1 ^ y3
	w = s ^ a
	q = w ^ d
	z = u0 ^ q
	tn = m ^ y2 ^ z
	g = s ^ d
	x = tn ^ g
`

// carried are the values that a round of words hands to the next one.
var carried = []string{"a", "b", "c", "d", "t"}

// rounds does the 32 rounds on the four words in Z0 to Z3, and leaves X35, X34,
// X33 and X32 there: the words of the output in their order. It uses all
// registers; Z31 to Z29 are the matrices.
func (a arrangement) rounds(k schedule) {
	p := new(ssa.Code)
	in := map[ssa.Value]reg.VecPhysical{}
	var v [4]ssa.Value
	for i := range v {
		v[i] = ssa.New()
		in[v[i]] = zmm[i]
	}
	a.finish(k, p, in, map[string]ssa.Value{
		"a": v[0], "b": v[1], "c": v[2], "d": v[3],
		"t": p.Xor3(a.xorKey(p, v[1], k.at(0, 0)), v[2], v[3]),
	}, nil)
}

// finish continues the program p, which has made the values of st from those
// of in, with the 32 rounds. If split is not nil, X35 is the sum of Z0 and split: the
// part in Z0 is there before the sum.
func (a arrangement) finish(k schedule, p *ssa.Code, in map[ssa.Value]reg.VecPhysical, st map[string]ssa.Value, split reg.VecPhysical) {
	m := map[string]matrix{"U0": {reg.Z31, set.U0.C}, "U1": {reg.Z30, set.U1.C}, "U3": {reg.Z29, set.U3.C}}
	pool := zmm[:29]
	fixed, out := map[string]reg.VecPhysical{}, map[ssa.Value]reg.VecPhysical{}
	for i, n := range carried {
		fixed[n] = zmm[i]
		out[st[n]] = zmm[i]
	}
	p.Emit(pool, in, out, a.size)

	rounds := func(last bool) {
		p := new(ssa.Code)
		in, out := map[ssa.Value]reg.VecPhysical{}, map[ssa.Value]reg.VecPhysical{}
		st := map[string]ssa.Value{}
		for _, n := range carried {
			st[n] = ssa.New()
			in[st[n]] = fixed[n]
		}
		var x [4]ssa.Value
		for r := range 4 {
			names := map[string]ssa.Value{}
			for n, v := range st {
				names[n] = v
			}
			formulas(p, a.round, names, m, a.wide, func(n int) Mem {
				n += r
				if last && n > 3 {
					n = 3 // there is no such round: any key will do
				}
				return k.at(n, 0)
			})
			st = map[string]ssa.Value{"a": st["b"], "b": st["c"], "c": st["d"], "d": names["x"], "t": names["tn"]}
			x[r] = names["x"]
			if last && r == 3 && split != nil {
				x[r] = names["tn"]
				out[names["g"]] = split
			}
		}
		if last {
			for i := range x {
				out[x[i]] = zmm[3-i]
			}
		} else {
			for n, v := range st {
				out[v] = fixed[n]
			}
		}
		p.Prune(out)
		p.Emit(pool, in, out, a.size)
	}
	MOVQ(U32(7), reg.RCX)
	loop := label("words")
	Label(loop)
	if k.stride == 0 {
		LEAQ(Mem{Base: key, Index: step, Scale: 4}, from)
	}
	rounds(false)
	k.next()
	DECQ(reg.RCX)
	JNZ(LabelRef(loop))
	rounds(true)
}
