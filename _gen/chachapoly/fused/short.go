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
// Row b stays where it is for the diagonals, because it is ready last.
//
// More than three groups have no room in registers: they go there in batches.
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

// rowsOf returns a double round of what is in registers 0 and up. Four groups
// fill all: a register of row c goes to memory while row b is rotated.
func (k Kind) rowsOf(groups int) (s stream) {
	all := func(f func(a, b, c, d vec)) {
		for g := range groups {
			r := k.regs(4*g, 4*g+4)
			s.Add(func() { f(r[0], r[1], r[2], r[3]) })
		}
	}
	t, spilled := k.reg(15), Mem{Base: frame}
	turns := func(x int, order uint64) {
		all(func(a, b, c, d vec) {
			r := [4]vec{a, b, c, d}[x]
			simd.Shuffle32(order, r, r)
		})
	}
	for _, turn := range [2][3]uint64{{0x93, 0x39, 0x4e}, {0x39, 0x93, 0x4e}} {
		for half, n := range [2][2]int{{16, 12}, {8, 7}} {
			all(func(a, b, c, d vec) { simd.Add32(b, a, a) })
			all(func(a, b, c, d vec) { simd.Xor(a, d, d) })
			if half == 1 {
				turns(0, turn[0])
			}
			all(func(a, b, c, d vec) { simd.Shuffle(k.rotation(n[0]), d, d) })
			all(func(a, b, c, d vec) { simd.Add32(d, c, c) })
			all(func(a, b, c, d vec) { simd.Xor(c, b, b) })
			if half == 1 {
				turns(3, turn[2])
				turns(2, turn[1])
			}
			if groups == 4 {
				t = k.reg(14)
				s.Add(func() { simd.Write(t, spilled) })
			}
			all(func(a, b, c, d vec) {
				left32(n[1], b, t)
				right32(32-n[1], b, b)
				or(t, b)
			})
			if groups == 4 {
				s.Add(func() { simd.Read(spilled, t) })
			}
		}
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

// rowCounts is what the counters of a group are above the first.
func (k Kind) rowCounts(group int) Mem {
	if k.Legacy {
		return k.constant(fmt.Sprintf("Row%d", group), uint32s(uint32(group), 0, 0, 0))
	}
	return k.constant(fmt.Sprintf("Row%d", group), uint32s(uint32(2*group), 0, 0, 0, uint32(2*group+1), 0, 0, 0))
}

// sizes are the numbers of groups.
var sizes = []int{1, 2, 3, 4, 5, 6}

// short emits the function for messages of up to six groups.
func (k Kind) short() {
	TEXT("short"+k.Suffix, 0, "func(key *[8]uint32, nonce *[3]uint32, dst, src *byte, n int, ad *byte, adLen int, tag *byte, open bool)")
	Comment(fmt.Sprintf("short%s seals or opens a message of up to %d bytes in one call.", k.Suffix, 6*16*k.lanes()),
		"func short"+k.Suffix+"(key *[8]uint32, nonce *[3]uint32, dst, src *byte, n int, ad *byte, adLen int, tag *byte, open bool)",
		"Writes n bytes to dst and the right tag to tag. ad has zeros up to a whole block.",
		"R14 work, as in the passes, and R15 the keystream behind it, on the stack and 64-byte aligned;",
		"vectors: rows a, b, c, d of a group in four registers, others for what comes between; integers as in the passes.",
		"Up to 64 bytes the integer units make both blocks, 250 cycles each where vectors take 560 at least: their",
		"instructions take one cycle on Zen 5, those of vectors two. More groups take about as long as one, up to four;",
		"beyond, they take turns in the registers. Key and powers of r are made meanwhile; then the text is hashed twofold.")
	const (
		workSize = powersAt + 6*24
		endAt    = workSize // the last bytes of the text and zeros; the lengths
		own      = (endAt + 32 + 31) &^ 31
	)
	keystream := 6 * 4 * k.bytes()
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

	block := 16 * k.lanes() // bytes of a group
	CMPQ(reg.RAX, Imm(64))
	JBE(LabelRef("scalar"))
	for j, g := range sizes {
		name := fmt.Sprintf("groups%d", g)
		if j > 0 {
			Label(name)
		}
		if j+1 < len(sizes) {
			CMPQ(reg.RAX, U32(uint32(g*block)))
			JA(LabelRef(fmt.Sprintf("groups%d", sizes[j+1])))
		}
		for i := range 4 * g {
			r := k.reg(i % 16)
			k.row(i%4, r)
			if i%4 == 3 {
				simd.Add32(k.rowCounts(i/4), r, r)
			}
			if g > 4 {
				simd.Write(r, k.slot(0, i))
			}
		}
		k.keyRounds(name, k.rows(g), rounds, rowC, context)
		if g == 4 { // the output needs registers
			for i := range 4 {
				simd.Write(k.reg(12+i), k.slot(0, 12+i))
			}
		}
		for group := range g {
			in := group
			if g > 4 {
				in = group % batch
				for i := range 4 {
					simd.Read(k.slot(0, 4*group+i), k.reg(4*in+i))
				}
			}
			if g == 4 && group == 3 {
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
					simd.Add32(k.rowCounts(group), v, v)
				}
			}
			out := Mem{Base: frame, Disp: group * block}
			if k.Legacy {
				for i, v := range r {
					simd.Write(v, out.Offset(16*i))
				}
				continue
			}
			t := k.reg(12)
			for i := range 4 {
				VPERM2I128(Imm(uint64(0x20+0x11*(i/2))), r[i%2*2+1], r[i%2*2], t)
				VMOVDQU(t, out.Offset(32*i))
			}
		}
		JMP(LabelRef("keystream"))
	}

	Label("scalar")
	scalarBlock := func(name string, counter uint32) {
		scalarStart(rowC, U32(counter))
		MOVQ(U32(10), rounds)
		Label(name)
		emit(scalarRounds(rowC))
		DECQ(rounds)
		JNZ(LabelRef(name))
		context()
	}
	scalarBlock("scalar0", 0)
	keyFinish()
	Load(Param("n"), reg.RAX)
	TESTQ(reg.RAX, reg.RAX)
	JEQ(LabelRef("keystream"))
	scalarBlock("scalar1", 1)
	rows := k.scalarRows(rowC)
	for i, v := range rows {
		switch {
		case k.Legacy:
			simd.Write(v, Mem{Base: frame, Disp: 16 * i})
		case i%2 == 1:
			VINSERTI128(Imm(1), v, amd64.YMM[4*i-4], amd64.YMM[4*i-4])
			simd.Write(amd64.YMM[4*i-4], Mem{Base: frame, Disp: 16 * (i - 1)})
		}
	}

	Label("keystream")
	MOVBLZX(NewParamAddr("open", 64), reg.EAX)
	TESTB(reg.AL, reg.AL)
	JNE(LabelRef("opening"))
	k.shortXOR("seal", end(0))
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
	CMPQ(reg.RAX, Imm(4))
	JBE(LabelRef("textSingles")) // there are no powers
	h.rest()
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
	k.shortXOR("open", end(0))
	Label("wipe")
	h.wipe()
	simd.Zero(k.reg(0))
	if k.Legacy {
		MOVOU(amd64.XMM[0], rowC)
	} else {
		VMOVDQU(amd64.XMM[0], rowC)
	}
	Load(Param("n"), reg.RAX)
	for g := 6; g > 0; g-- {
		less := fmt.Sprintf("wiped%d", g)
		if g > 1 {
			CMPQ(reg.RAX, U32(uint32((g-1)*block)))
			JBE(LabelRef(less))
		}
		for at := (g - 1) * block; at < g*block; at += k.bytes() {
			simd.Write(k.reg(0), Mem{Base: frame, Disp: at})
		}
		if g > 1 {
			Label(less)
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

// shortXOR adds the keystream. The last bytes go to end, too.
func (k Kind) shortXOR(name string, end Mem) {
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
	last := reg.R8
	LEAQ(end, last)
	ladder(name, n, func(size int) {
		read(size, Mem{Base: src}, x)
		read(size, Mem{Base: key}, y)
		XORQ(y, x)
		write(size, x, Mem{Base: dst})
		write(size, x, Mem{Base: last})
		for _, p := range []gp{src, dst, key, last} {
			ADDQ(Imm(uint64(size)), p)
		}
	})
}
