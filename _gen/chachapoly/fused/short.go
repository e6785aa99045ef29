package fused

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/simd"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Short messages are done in one call. Registers hold rows of one block, or of
// two: latency counts, and what is not needed is not made.

// rows returns a double round of groups of four registers: one or two blocks.
//
// More than four groups have no room in registers: they go there in batches.
func (k Kind) rows(groups int) (s stream) {
	if groups <= 4 {
		return k.rowsOf(groups)
	}
	for first := 0; first < groups; first += batch {
		n := 4 * min(batch, groups-first)
		for i := range n {
			s.Add(func() { simd.Read(k.slot(0, 4*first+i), k.reg(i)) })
		}
		s = append(s, k.rowsOf(n/4)...)
		for i := range n {
			s.Add(func() { simd.Write(k.reg(i), k.slot(0, 4*first+i)) })
		}
	}
	return s
}

const batch = 3

// rowsOf returns a double round of what is in registers 0 and up. Each group is some steps behind
// the one before it, so that they do not all want to shift, or to shuffle, at the same time: there
// are fewer ports for these than for sums.
//
// Rows turn for the diagonals, and back, after the rotation of row b, for which the next round
// waits. Row b does not turn.
func (k Kind) rowsOf(groups int) (s stream) {
	if groups == 4 {
		return k.rowsOfFour()
	}
	const delay = 3
	var parts []stream
	for g := range groups {
		parts = append(parts, k.rowsOfOne(k.regs(4*g, 4*g+4)))
	}
	for i := range len(parts[0]) + delay*(groups-1) {
		for g, p := range parts {
			if at := i - delay*g; at >= 0 && at < len(p) {
				s = append(s, p[at])
			}
		}
	}
	return s
}

// turns is how rows a, d and c turn after a column round, and after a diagonal round.
var turns = [2][3]uint64{{0x93, 0x4e, 0x39}, {0x39, 0x4e, 0x93}}

// rotations are those of rows d and b in each half of a round.
var rotations = [2][2]int{{16, 12}, {8, 7}}

// rowsOfOne returns a double round of the group in r.
func (k Kind) rowsOfOne(r []vec) (s stream) {
	a, b, c, d, t := r[0], r[1], r[2], r[3], k.reg(15)
	for _, turn := range turns {
		for _, n := range rotations {
			s.Add(func() { simd.Add32(b, a, a) })
			s.Add(func() { simd.Xor(a, d, d) })
			s.Add(func() { simd.Shuffle(k.rotation(n[0]), d, d) })
			s.Add(func() { simd.Add32(d, c, c) })
			s.Add(func() { simd.Xor(c, b, b) })
			s.Add(func() { left32(n[1], b, t); right32(32-n[1], b, b); or(t, b) })
		}
		for i, v := range []vec{a, d, c} {
			s.Add(func() { simd.Shuffle32(turn[i], v, v) })
		}
	}
	return s
}

// rowsOfFour is rowsOf for four groups, in step. They fill all registers: one of row c goes to
// memory while row b is rotated.
func (k Kind) rowsOfFour() (s stream) {
	all := func(f func(a, b, c, d vec)) {
		for g := range 4 {
			r := k.regs(4*g, 4*g+4)
			s.Add(func() { f(r[0], r[1], r[2], r[3]) })
		}
	}
	t, spilled := k.reg(14), Mem{Base: frame}
	for _, turn := range turns {
		for _, n := range rotations {
			all(func(a, b, c, d vec) { simd.Add32(b, a, a) })
			all(func(a, b, c, d vec) { simd.Xor(a, d, d) })
			all(func(a, b, c, d vec) { simd.Shuffle(k.rotation(n[0]), d, d) })
			all(func(a, b, c, d vec) { simd.Add32(d, c, c) })
			all(func(a, b, c, d vec) { simd.Xor(c, b, b) })
			s.Add(func() { simd.Write(t, spilled) })
			all(func(a, b, c, d vec) { left32(n[1], b, t); right32(32-n[1], b, b); or(t, b) })
			s.Add(func() { simd.Read(spilled, t) })
		}
		all(func(a, b, c, d vec) { simd.Shuffle32(turn[0], a, a) })
		all(func(a, b, c, d vec) { simd.Shuffle32(turn[1], d, d) })
		all(func(a, b, c, d vec) { simd.Shuffle32(turn[2], c, c) })
	}
	return s
}

// row reads row i of the state, into both halves of a wide register.
func (k Kind) row(i int, v vec) {
	m := Mem{Base: ctx, Disp: stateAt + 16*i}
	if k.Legacy {
		MOVOU(m, v)
	} else {
		VBROADCASTI128(m, v)
	}
}

// rowCounts are the counters of a group less 1.
func (k Kind) rowCounts(group, first int) Mem {
	var list []uint32
	n := k.lanes() / 4
	for i := range n {
		list = append(list, uint32(n*group+i+first-1), 0, 0, 0)
	}
	return k.constant(fmt.Sprintf("Row%d%d", first, group), uint32s(list...))
}

// mostGroups is the number of groups of the longest message.
func (k Kind) mostGroups() int {
	if k.Legacy {
		return 6
	}
	return keyed
}

// shortMax is the longest message in bytes.
func (k Kind) shortMax() int {
	if k.Legacy {
		return k.mostGroups() * k.group()
	}
	return k.keyedMax()
}

// group returns the number of bytes of a group.
func (k Kind) group() int { return 16 * k.lanes() }

// keyed is how many groups at most have block 0 among them, from which the key of Poly1305 is
// taken. With more groups the integer units make it.
const keyed = 4

// keyedMax returns up to how many bytes block 0 is among the groups.
func (k Kind) keyedMax() int { return keyed*k.group() - 64 }

// startRows loads the initial rows of groups. The first block is 1, or 0.
func (k Kind) startRows(groups, first int) {
	for i := range 4 * groups {
		r := k.reg(i % 16)
		k.row(i%4, r)
		if i%4 == 3 {
			simd.Add32(k.rowCounts(i/4, first), r, r)
		}
		if groups > 4 {
			simd.Write(r, k.slot(0, i))
		}
	}
}

// finishRows adds the initial rows and stores the blocks from 1 on, and what is the key of
// Poly1305 of block 0.
func (k Kind) finishRows(groups, first int) {
	if groups == 4 { // the output needs registers
		for i := range 4 {
			simd.Write(k.reg(12+i), k.slot(0, 12+i))
		}
	}
	for group := range groups {
		in := group
		if groups > 4 {
			in = group % batch
			for i := range 4 {
				simd.Read(k.slot(0, 4*group+i), k.reg(4*in+i))
			}
		}
		if groups == 4 && group == 3 {
			in = 0
			for i := range 4 {
				simd.Read(k.slot(0, 12+i), k.reg(i))
			}
		}
		r := k.regs(4*in, 4*in+4)
		for i, v := range r {
			t := k.reg(12 + i%4)
			k.row(i, t)
			simd.Add32(t, v, v)
			if i == 3 {
				simd.Add32(k.rowCounts(group, first), v, v)
			}
		}
		at := group*k.group() - 64*(1-first)
		if at < 0 { // r, not yet clamped, in integer registers, too
			if k.Legacy {
				MOVQ(amd64.XMM[0], t[0])
				PSHUFD(Imm(0xee), amd64.XMM[0], amd64.XMM[12])
				MOVQ(amd64.XMM[12], t[1])
			} else {
				VMOVQ(amd64.XMM[0], t[0])
				VPEXTRQ(Imm(1), amd64.XMM[0], t[1])
			}
		}
		out := func(i int) (Mem, bool) {
			if at+i >= 0 {
				return Mem{Base: frame, Disp: at + i}, true
			}
			return Mem{Base: ctx, Disp: keyAt + i}, i < 32
		}
		if k.Legacy {
			for i, v := range r {
				if m, ok := out(16 * i); ok {
					simd.Write(v, m)
				}
			}
			continue
		}
		t := k.reg(12)
		for i := range 4 {
			if m, ok := out(32 * i); ok {
				VPERM2I128(Imm(uint64(0x20+0x11*(i/2))), r[i%2*2+1], r[i%2*2], t)
				VMOVDQU(t, m)
			}
		}
	}
}

// short emits the function for messages of up to six groups.
func (k Kind) short() {
	TEXT("short"+k.Suffix, 0, "func(key *[8]uint32, nonce *[3]uint32, dst, src *byte, n int, ad *byte, adLen int, tag *byte, open bool)")
	Comment(fmt.Sprintf("short%s seals or opens a message of up to %d bytes in one call.", k.Suffix, k.shortMax()),
		"func short"+k.Suffix+"(key *[8]uint32, nonce *[3]uint32, dst, src *byte, n int, ad *byte, adLen int, tag *byte, open bool)",
		"Writes n bytes to dst and the right tag to tag. ad has zeros up to a whole block.",
		"R14 work, as in the passes, and R15 the keystream behind it, on the stack and 64-byte aligned;",
		"vectors: rows a, b, c, d of a group in four registers, others for what comes between; integers as in the passes.",
		fmt.Sprintf("Up to %d bytes block 0, the key of Poly1305, is in the first group, and there is one hash. Beyond,", k.keyedMax()),
		"the integer units make it, and powers of r, meanwhile; then the text is hashed twofold. More groups take about as",
		"long as one, up to three; beyond four, they take turns in the registers.")
	const (
		workSize = powersAt + 6*24
		endAt    = workSize // the last bytes of the text and zeros; the lengths
		own      = (endAt + 32 + 31) &^ 31
	)
	mostGroups := k.mostGroups()
	keystream := mostGroups * k.group()
	locals := AllocLocal(hasherSize + 8 + 16 + own + keystream + 64)
	rounds, rowC := locals.Offset(hasherSize), locals.Offset(hasherSize+8)
	work := rowC.Offset(16)
	context := func() {
		LEAQ(work.Offset(63), ctx)
		ANDQ(I8(-64), ctx)
	}
	h := k.newHasher(locals, "", 8*4, 5, context)
	end := func(i int) Mem { return Mem{Base: ctx, Disp: endAt + i} }

	context()
	Load(Param("key"), reg.RAX)
	Load(Param("nonce"), reg.RBX)
	x := amd64.XMM[:4]
	simd.Read(k.sigma(), x[0])
	simd.Read(Mem{Base: reg.RAX}, x[1])
	simd.Read(Mem{Base: reg.RAX, Disp: 16}, x[2])
	for i := range 3 {
		simd.Write(x[i], Mem{Base: ctx, Disp: stateAt + 16*i})
	}
	// The last row as one vector: what is stored in pieces is slow to load as a whole.
	k.movd(Mem{Base: reg.RBX}, x[0], 8)
	k.movd(Mem{Base: reg.RBX, Disp: 8}, x[1], 4)
	k.low64(x[1], x[0])
	simd.LeftBytes(4, x[0], x[0])
	simd.Add32(k.constant("One", uint32s(1, 0, 0, 0)), x[0], x[0])
	simd.Write(x[0], Mem{Base: ctx, Disp: stateAt + 48})
	XORL(reg.EAX, reg.EAX)
	for i := range 3 {
		MOVQ(reg.RAX, field(hashAt, i))
	}
	MOVQ(reg.RAX, end(0))
	MOVQ(reg.RAX, end(8))
	Load(Param("adLen"), reg.RAX)
	MOVQ(reg.RAX, end(16))
	Load(Param("n"), reg.RAX)
	MOVQ(reg.RAX, end(24))
	LEAQ(Mem{Base: ctx, Disp: own}, frame)

	block := k.group()
	if k.Legacy {
		CMPQ(reg.RAX, U32(uint32(k.keyedMax())))
		JBE(LabelRef("keyed"))
	}
	for g := k.keyedMax()/block + 1; k.Legacy && g <= mostGroups; g++ {
		name := fmt.Sprintf("groups%d", g)
		Label(name)
		if g < mostGroups {
			CMPQ(reg.RAX, U32(uint32(g*block)))
			JA(LabelRef(fmt.Sprintf("groups%d", g+1)))
		}
		k.startRows(g, 1)
		k.keyRounds(name, k.rows(g), rounds, rowC, context)
		k.finishRows(g, 1)
		JMP(LabelRef("keystream"))
	}
	Label("keyed")
	for g := 1; g <= keyed; g++ {
		name := fmt.Sprintf("keyed%d", g)
		if g > 1 {
			Label(name)
		}
		if g < keyed {
			CMPQ(reg.RAX, U32(uint32(g*block-64)))
			JA(LabelRef(fmt.Sprintf("keyed%d", g+1)))
		}
		k.startRows(g, 0)
		MOVQ(U32(10), rounds)
		Label(name + "Rounds")
		emit(k.rows(g))
		DECQ(rounds)
		JNZ(LabelRef(name + "Rounds"))
		k.finishRows(g, 0)
		if g < keyed {
			JMP(LabelRef("clamp"))
		}
	}
	Label("clamp")
	clamp()

	Label("keystream")
	MOVBLZX(NewParamAddr("open", 64), reg.EAX)
	TESTB(reg.AL, reg.AL)
	JNE(LabelRef("opening"))
	last := end(0)
	k.shortXOR("seal", &last)
	Load(Param("dst"), in)
	JMP(LabelRef("hash"))
	Label("opening")
	dst, src, n, y := reg.RDI, reg.RSI, reg.RCX, reg.RAX
	Load(Param("src"), src)
	Load(Param("n"), n)
	MOVQ(n, y)
	ANDQ(I8(-16), y)
	ADDQ(y, src)
	LEAQ(end(0), dst)
	ladder("copy", n, func(size int) {
		read(size, Mem{Base: src}, y)
		write(size, y, Mem{Base: dst})
		ADDQ(Imm(uint64(size)), src)
		ADDQ(Imm(uint64(size)), dst)
	})
	Load(Param("src"), in)

	Label("hash")
	h.load()
	Load(Param("adLen"), reg.RAX)
	TESTQ(reg.RAX, reg.RAX)
	JEQ(LabelRef("text"))
	MOVQ(in, h.saved)
	ADDQ(Imm(15), reg.RAX)
	SHRQ(Imm(4), reg.RAX)
	MOVQ(reg.RAX, h.left)
	Load(Param("ad"), in)
	h.prefix = "ad"
	h.singles()
	MOVQ(h.saved, in)
	Label("text")
	Load(Param("n"), reg.RAX)
	SHRQ(Imm(4), reg.RAX)
	MOVQ(reg.RAX, h.left)
	h.prefix = "text"
	if k.Legacy {
		CMPQ(reg.RAX, Imm(uint64(k.keyedMax()/16)))
		JBE(LabelRef("textSingles")) // there are no powers
		h.rest()
	} else {
		h.singles()
	}
	context()
	LEAQ(end(0), in)
	MOVQ(U32(2), h.left)
	Load(Param("n"), reg.RAX)
	TESTB(U8(15), reg.AL)
	JNE(LabelRef("lastRest"))
	ADDQ(Imm(16), in)
	MOVQ(U32(1), h.left)
	Label("lastRest")
	h.prefix = "last"
	h.singles()

	context()
	writeTag(field(padAt, 0))

	MOVBLZX(NewParamAddr("open", 64), reg.EAX)
	TESTB(reg.AL, reg.AL)
	JEQ(LabelRef("wipe"))
	k.shortXOR("open", &last)
	Label("wipe")
	h.wipe()
	simd.Zero(k.reg(0))
	if k.Legacy {
		MOVOU(amd64.XMM[0], rowC)
	} else {
		VMOVDQU(amd64.XMM[0], rowC)
	}
	Load(Param("n"), reg.RAX)
	for g := mostGroups; g > 0; g-- {
		wiped := fmt.Sprintf("wiped%d", g)
		if g > 1 {
			CMPQ(reg.RAX, U32(uint32((g-1)*block-64))) // block 0 may be there
			JBE(LabelRef(wiped))
		}
		for at := (g - 1) * block; at < g*block; at += k.bytes() {
			simd.Write(k.reg(0), Mem{Base: frame, Disp: at})
		}
		if g > 1 {
			Label(wiped)
		}
	}
	for at := 0; at < own; at += k.bytes() {
		simd.Write(k.reg(0), Mem{Base: ctx, Disp: at})
	}
	if !k.Legacy {
		VZEROUPPER()
	}
	RET()
}

// shortXOR adds the keystream. The last bytes go to end, too, if it is not nil.
func (k Kind) shortXOR(name string, end *Mem) {
	dst, src, n, x, y, key := reg.RDI, reg.RSI, reg.RCX, reg.RAX, reg.RDX, reg.RBX
	Load(Param("dst"), dst)
	Load(Param("src"), src)
	Load(Param("n"), n)
	MOVQ(frame, key)
	for size := k.bytes(); size >= 16; size /= 2 {
		loop, done := fmt.Sprintf("%s%d", name, size), fmt.Sprintf("%sDone%d", name, size)
		v := amd64.XMM[0]
		if size == 32 {
			v = amd64.YMM[0]
		}
		Label(loop)
		CMPQ(n, Imm(uint64(size)))
		JB(LabelRef(done))
		simd.Read(Mem{Base: src}, v)
		if k.Legacy {
			MOVOU(Mem{Base: key}, amd64.XMM[1])
			PXOR(amd64.XMM[1], v)
		} else {
			VPXOR(Mem{Base: key}, v, v)
		}
		simd.Write(v, Mem{Base: dst})
		for _, p := range []gp{src, dst, key} {
			ADDQ(Imm(uint64(size)), p)
		}
		SUBQ(Imm(uint64(size)), n)
		JMP(LabelRef(loop))
		Label(done)
	}
	ends := []gp{dst}
	if end != nil {
		last := reg.R8
		LEAQ(*end, last)
		ends = append(ends, last)
	}
	ladder(name, n, func(size int) {
		read(size, Mem{Base: src}, x)
		read(size, Mem{Base: key}, y)
		XORQ(y, x)
		for _, p := range ends {
			write(size, x, Mem{Base: p})
		}
		for _, p := range append([]gp{src, dst, key}, ends[1:]...) {
			ADDQ(Imm(uint64(size)), p)
		}
	})
}
