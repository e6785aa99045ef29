package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/chachapoly/rows"
)

// The memory of a packet, aligned.
const (
	offsetTable = 0
	offsetText  = tableSize // the ciphertext, if it is overwritten before it is hashed
	packetMax   = 6 * 256
	packetSize  = offsetText + packetMax
)

// ladder computes the powers of r in eight registers, in five pieces. The table has
// r in all lanes, as if it was r^8 to r^1; intermediate results lie where
// higher powers will.
type ladder struct {
	base reg.GPPhysical
	disp int
	sums sums
	tmp  [2]vec
}

// newLadder has the table at disp from base, and eight registers from z on.
func newLadder(base reg.GPPhysical, disp int, z []vec) ladder {
	return ladder{base, disp, sums{number(z[:3]), number(z[3:6])}, [2]vec(z[6:8])}
}

func (l ladder) at(offset int) Mem { return at(l.base, l.disp+offset) }

// multiply is the product of the powers at x and the one in lane 0 of f.
func (l ladder) multiply(x, f int) (p program) {
	s := l.sums
	for _, z := range append(s.low[:], s.high[:]...) {
		p.Add(func() { VPXORQ(z, z, z) })
	}
	for i, row := range [3][3]int{{0, 1, 2}, {4, 0, 1}, {3, 4, 0}} {
		p.Add(func() { VMOVDQA64(l.at(x+64*i), l.tmp[i%2]) })
		for j, r := range row {
			p.Add(func() { VPMADD52LUQ_BCST(l.at(f+64*r), l.tmp[i%2], s.low[j]) })
			p.Add(func() { VPMADD52HUQ_BCST(l.at(f+64*r), l.tmp[i%2], s.high[j]) })
		}
	}
	return append(p, s.carryWith(s.low, l.tmp, ladderMasks)...)
}

// number is the result of multiply.
func (l ladder) number() number { return l.sums.low }

// store writes the number.
func (l ladder) store(to int) (p program) {
	for i, z := range l.number() {
		p.Add(func() { VMOVDQA64(z, l.at(to+64*i)) })
	}
	return p
}

// blend fetches the lanes in k from x.
func (l ladder) blend(k reg.Register, x int) (p program) {
	for i, z := range l.number() {
		p.Add(func() { VPBLENDMQ(l.at(x+64*i), z, k, z) })
	}
	return p
}

// times20 stores the upper part of the factor at to.
func (l ladder) times20(to int) (p program) {
	for i := range 2 {
		t, u, z := l.sums.high[i], l.tmp[i], l.number()[1+i]
		p.Add(func() { VPSLLQ(Imm(4), z, t) })
		p.Add(func() { VPSLLQ(Imm(2), z, u) })
		p.Add(func() { VPADDQ(t, u, t) })
		p.Add(func() { VMOVDQA64(t, l.at(to+64*(3+i))) })
	}
	return p
}

// full is a factor of the table.
func (l ladder) full(to, x, f int) program {
	return append(append(l.multiply(x, f), l.store(to)...), l.times20(to)...)
}

const (
	power1 = offsetTable + iota*factorSize // r^8 to r^1
	power2
	power3
	power4
)

// start puts r, whose words it changes, in all lanes of the table. It changes
// RAX, RCX, R8 and RBP.
func (l ladder) start(r [2]reg.GPPhysical) {
	limbs := [3]reg.GPPhysical{reg.RAX, reg.RCX, reg.R8}
	MOVQ(U64(1<<44-1), reg.RBP)
	MOVQ(r[0], limbs[0])
	MOVQ(r[1], limbs[1])
	MOVQ(r[1], limbs[2])
	ANDQ(reg.RBP, limbs[0])
	SHRQ(Imm(44), r[0])
	SHLQ(Imm(20), limbs[1])
	ORQ(r[0], limbs[1])
	ANDQ(reg.RBP, limbs[1])
	SHRQ(Imm(24), limbs[2])
	n := l.number()
	for i := range 3 {
		VPBROADCASTQ(limbs[i], n[i])
	}
	l.store(power1).Write()
	l.times20(power1).Write()
}

// ladderLanes sets the masks K1 to K3 for blend.
func ladderLanes() {
	for i, lanes := range []uint32{0xcc, 0xf0, 0xaa} {
		MOVL(U32(lanes), reg.EAX)
		KMOVB(reg.EAX, []reg.Register{reg.K1, reg.K2, reg.K3}[i])
	}
}

// pieces are the rest, for so many vectors.
func (l ladder) pieces(vectors int) (list []program) {
	join := func(ps ...program) (all program) {
		for _, p := range ps {
			all = append(all, p...)
		}
		return all
	}
	list = append(list,
		join(l.multiply(power1, power1), l.store(power2), l.times20(power2), l.blend(reg.K1, power1), l.store(power1)),
		join(l.multiply(power1, power2), l.store(power3), l.times20(power3), l.blend(reg.K2, power1), l.store(power1)),
		join(l.multiply(power1, power3), l.blend(reg.K3, power1), l.store(power1), l.times20(power1)))
	list = append(list, l.full(power2, power1, power1))
	last := l.full(power3, power2, power1)
	if vectors > 3 {
		last = join(last, l.full(power4, power2, power2))
	}
	return append(list, last)
}

// A packet is the kernel for up to packetMax bytes.
type packet struct {
	base, dst, src, n reg.GPPhysical
	scalar            scalar

	frame, count, word8, word11, row, s, lens, part Mem
}

// initialOfWords loads the matrix of block 0.
func (k packet) initialOfWords() {
	p := reg.R12
	Load(Param("nonce"), p)
	XORL(word(12), word(12))
	MOVL(at(p, 0), word(13))
	MOVL(at(p, 4), word(14))
	MOVL(at(p, 8), word(15))
	k.constantsOfWords(func(c uint32, w reg.GPPhysical) { MOVL(U32(c), w) })
	p = reg.R15
	Load(Param("key"), p)
	MOVL(at(p, 28), word(8))
	MOVL(word(8), k.word11)
	for i, j := range []int{4, 5, 6, 7, 8, 9, 10} {
		MOVL(at(p, 4*i), word(j))
	}
}

func (k packet) constantsOfWords(f func(c uint32, w reg.GPPhysical)) {
	for i, c := range sigma {
		f(c, word(i))
	}
}

// initialOfRows loads the rows of the matrices of the first group of data.
func (k packet) initialOfRows(sigma Mem, p reg.GPPhysical) {
	VBROADCASTI32X4(sigma, rows.Initial[0])
	Load(Param("key"), p)
	VBROADCASTI32X4(at(p, 0), rows.Initial[1])
	VBROADCASTI32X4(at(p, 16), rows.Initial[2])
	VBROADCASTI32X4(k.row, rows.Initial[3])
	rows.Count()
}

func packets() {
	rows.Constants("packetAVX512Counters")
	constantsOfPoly("packetAVX512Constants")
	sigmaRow := table("packetAVX512Sigma", 0x3320646e61707865, 0x6b20657479622d32)
	function("packetAVX512", "(dst, src *byte, n int, ad *byte, adLen int, key *[8]uint32, nonce *[3]uint32, tag *[16]byte, open bool)", 0,
		fmt.Sprintf("packetAVX512 seals or opens n bytes, up to %d, and computes the tag.", packetMax),
		"General registers make the first block, the key of Poly1305, in the first half of the rounds",
		"of the others; in the second half Z24 to Z31 make the powers of r. The data has 1 to 6 groups",
		"of four blocks in rows: Z0 to Z23. Then the ciphertext is hashed: Z0 to Z2 h, Z3 to Z5 m, Z6 to",
		"Z17 sums of products, Z18 to Z22 a power of r, Z25 to Z27 masks; BX the table of powers, SI",
		"data, DI vectors, R12 blocks missing in front, R9 to R11 h.",
		"1420 bytes take 950 cycles: 700 in rounds and output, 250 for hash and tag.")
	k := newPacket(packetSize)
	variants := []int{1, 2, 3, 4, 6}
	// dispatch goes to the variant for n bytes.
	dispatch := func(part string) {
		CMPQ(k.n, Imm(64))
		JBE(LabelRef("short" + part))
		for _, g := range variants[:4] {
			CMPQ(k.n, U32(uint32(256*g)))
			JBE(LabelRef(fmt.Sprintf("groups%d%s", g, part)))
		}
		JMP(LabelRef("groups6" + part))
	}

	k.begin(1)
	TESTQ(k.n, k.n)
	JZ(LabelRef("emptyRounds"))
	k.copy()
	k.initialOfRows(sigmaRow, reg.RAX)
	dispatch("Rounds")

	// The first half of the rounds, with all of those of block 0.
	first := func(name string, groups int) {
		Label(name + "Rounds")
		r := rows.New(groups)
		if groups > 0 {
			r.Start()
		}
		k.initialOfWords()
		Label(name + "First")
		two := append(doubleOfWords(k.word8, k.word11), doubleOfWords(k.word8, k.word11)...)
		amd64.Weave(two, r.Double()).Write()
		DECL(k.count)
		JNZ(LabelRef(name + "First"))
		JMP(LabelRef("key"))
	}
	first("empty", 0)
	k.shortFirst()
	for _, g := range variants {
		first(fmt.Sprintf("groups%d", g), g)
	}

	Label("key")
	k.key()
	TESTQ(k.n, k.n)
	JZ(LabelRef("lengths"))
	CMPQ(k.n, Imm(64))
	JBE(LabelRef("shortSecond"))
	l := newLadder(k.base, 0, zmm[24:])
	l.start(k.scalar.r)
	ladderLanes()
	dispatch("Second")

	// The second half of the rounds, with the powers of r.
	for _, groups := range variants {
		name := fmt.Sprintf("groups%d", groups)
		r := rows.New(groups)
		Label(name + "Second")
		for _, piece := range l.pieces(groups*256/128 + 1) {
			amd64.Weave(r.Double(), piece).Write()
		}
		Load(Param("dst"), k.dst)
		Load(Param("src"), k.src)
		k.initialOfRows(sigmaRow, reg.RAX)
		for g := range groups {
			r.Untangle(g)
			b := r.Blocks(g)
			if g == groups-1 {
				for i := range b {
					VMOVDQA64(b[i], rows.Block[i])
				}
				break
			}
			if 256*(g+1) > groupsMin(groups) {
				CMPQ(k.n, U32(256))
				JB(LabelRef(fmt.Sprintf("%sMove%d", name, g)))
			}
			for i := range b {
				VPXORQ(at(k.src, 64*i), b[i], b[i])
			}
			for i := range b {
				VMOVDQU64(b[i], at(k.dst, 64*i))
			}
			ADDQ(U32(256), k.src)
			ADDQ(U32(256), k.dst)
			SUBQ(U32(256), k.n)
		}
		JMP(LabelRef("tail"))
		for g := range groups - 1 {
			if 256*(g+1) > groupsMin(groups) {
				Label(fmt.Sprintf("%sMove%d", name, g))
				for i, z := range r.Blocks(g) {
					VMOVDQA64(z, rows.Block[i])
				}
				JMP(LabelRef("tail"))
			}
		}
	}
	k.tail()
	Label("hash")
	k.hash(4)
	JMP(LabelRef("tag"))

	// Up to 64 bytes.
	Label("shortSecond")
	MOVQ(k.n, reg.RSI)
	byteMask(reg.RSI, reg.K1)
	Load(Param("src"), reg.R8)
	VMOVDQU8_Z(at(reg.R8, 0), reg.K1, reg.Z31)
	LEAQ(at(k.base, offsetText), reg.RSI)
	Load(Param("open"), reg.AL)
	TESTB(reg.AL, reg.AL)
	JZ(LabelRef("shortSeal"))
	VMOVDQA64(reg.Z31, at(reg.RSI, 0))
	k.short("Open")
	r := rows.New(1)
	for range 10 - shortDoubles {
		r.Double().Write()
	}
	k.shortOutput(sigmaRow)
	JMP(LabelRef("lengths"))
	Label("shortSeal")
	for range 10 - shortDoubles {
		r.Double().Write()
	}
	k.shortOutput(sigmaRow)
	VMOVDQU8_Z(reg.Z0, reg.K1, reg.Z0)
	VMOVDQA64(reg.Z0, at(reg.RSI, 0))
	k.short("Seal")
	k.align()
	VPXOR(reg.X0, reg.X0, reg.X0)
	VMOVDQA64(reg.Z0, at(k.base, offsetText))
	Label("lengths")
	k.scalar.block(k.lens)

	Label("tag")
	k.end()
}

// shortDoubles is how many double rounds of up to 64 bytes run beside all ten of block 0. One takes
// 41 cycles on Zen 5, one of block 0 takes 24.
const shortDoubles = 6

// shortFirst is the first part of the rounds for up to 64 bytes.
func (k packet) shortFirst() {
	Label("shortRounds")
	r := rows.New(1)
	r.Start()
	k.initialOfWords()
	MOVL(U32(2), k.count)
	Label("shortFirst")
	var words, vectors program
	for range 5 {
		words = append(words, doubleOfWords(k.word8, k.word11)...)
	}
	for range shortDoubles / 2 {
		vectors = append(vectors, r.Double()...)
	}
	amd64.Weave(words, vectors).Write()
	DECL(k.count)
	JNZ(LabelRef("shortFirst"))
	JMP(LabelRef("key"))
}

// newPacket allocates what a kernel has in memory.
func newPacket(size int) packet {
	k := packet{base: reg.RBX, dst: reg.RDI, src: reg.RSI, n: reg.RDX}
	k.scalar = scalar{
		h: [3]reg.GPPhysical{reg.R9, reg.R10, reg.R11},
		r: [2]reg.GPPhysical{reg.R12, reg.R13},
		t: [7]reg.GPPhysical{reg.RAX, reg.RCX, reg.R8, reg.R14, reg.R15, reg.RBP, reg.RDI},
	}
	k.frame = AllocLocal(size + 64)
	k.count, k.word8, k.word11 = AllocLocal(8), AllocLocal(8), AllocLocal(8)
	k.row, k.s, k.lens, k.part = AllocLocal(16), AllocLocal(16), AllocLocal(16), AllocLocal(16)
	return k
}

func (k packet) align() {
	LEAQ(k.frame.Offset(63), k.base)
	ANDQ(I32(-64), k.base)
}

// begin makes the last row of the matrix of the first block in rows.
func (k packet) begin(first uint32) {
	Load(Param("n"), k.n)
	Load(Param("nonce"), reg.RAX)
	MOVL(U32(first), k.row)
	MOVL(at(reg.RAX, 0), reg.ECX)
	MOVL(reg.ECX, k.row.Offset(4))
	MOVQ(at(reg.RAX, 4), reg.RCX)
	MOVQ(reg.RCX, k.row.Offset(8))
	MOVL(U32(5), reg.ECX)
	MOVL(reg.ECX, k.count)
}

// copy copies the text if it is needed twice.
func (k packet) copy() {
	Load(Param("src"), k.src)
	Load(Param("open"), reg.AL)
	TESTB(reg.AL, reg.AL)
	JZ(LabelRef("start"))
	// Opening in place overwrites what is to be hashed.
	Load(Param("dst"), k.dst)
	CMPQ(k.dst, k.src)
	JNE(LabelRef("start"))
	k.align()
	LEAQ(at(k.base, offsetText), k.dst)
	MOVQ(k.n, reg.RAX)
	Label("copy")
	CMPQ(reg.RAX, Imm(64))
	JBE(LabelRef("copied"))
	VMOVDQU64(at(k.src, 0), reg.Z31)
	VMOVDQA64(reg.Z31, at(k.dst, 0))
	ADDQ(Imm(64), k.src)
	ADDQ(Imm(64), k.dst)
	SUBQ(Imm(64), reg.RAX)
	JMP(LabelRef("copy"))
	Label("copied")
	byteMask(reg.RAX, reg.K1)
	VMOVDQU8_Z(at(k.src, 0), reg.K1, reg.Z31)
	VMOVDQA64(reg.Z31, at(k.dst, 0))
	Label("start")
}

// key makes the key of Poly1305 of the words of block 0, and hashes additional data.
func (k packet) key() {
	k.constantsOfWords(func(c uint32, w reg.GPPhysical) { ADDL(U32(c), w) })
	Load(Param("key"), reg.R15)
	for i := range 4 {
		ADDL(at(reg.R15, 4*i), word(4+i))
	}
	for i := 0; i < 8; i += 2 {
		SHLQ(Imm(32), words[i+1])
		ORQ(words[i], words[i+1])
	}
	MOVQ(words[5], k.s)
	MOVQ(words[7], k.s.Offset(8))
	MOVQ(U64(0x0ffffffc0fffffff), k.scalar.r[0])
	MOVQ(U64(0x0ffffffc0ffffffc), k.scalar.r[1])
	ANDQ(words[1], k.scalar.r[0])
	ANDQ(words[3], k.scalar.r[1])
	Load(Param("n"), k.n)
	MOVQ(k.n, k.lens.Offset(8))
	Load(Param("ad"), reg.RSI)
	Load(Param("adLen"), reg.RBX)
	MOVQ(reg.RBX, k.lens)
	k.scalar.data(reg.RSI, reg.RBX, k.part, "data")
	Load(Param("n"), k.n)
	k.align()
}

// tail is the output of up to 256 bytes, whose keystream is in rows.Block.
func (k packet) tail() {
	Label("tail")
	for i, z := range rows.Block {
		CMPQ(k.n, Imm(64))
		JB(LabelRef(fmt.Sprintf("last%d", i)))
		VPXORQ(at(k.src, 64*i), z, z)
		VMOVDQU64(z, at(k.dst, 64*i))
		SUBQ(Imm(64), k.n)
	}
	JMP(LabelRef("hash"))
	for i, z := range rows.Block {
		Label(fmt.Sprintf("last%d", i))
		if i > 0 {
			VMOVDQA64(z, rows.Block[0])
			ADDQ(U32(uint32(64*i)), k.src)
			ADDQ(U32(uint32(64*i)), k.dst)
		}
		if i < 3 {
			JMP(LabelRef("last"))
		}
	}
	Label("last")
	TESTQ(k.n, k.n)
	JZ(LabelRef("hash"))
	byteMask(k.n, reg.K1)
	VMOVDQU8_Z(at(k.src, 0), reg.K1, reg.Z1)
	VPXORQ(reg.Z1, rows.Block[0], rows.Block[0])
	VMOVDQU8(rows.Block[0], reg.K1, at(k.dst, 0))
}

// hash hashes the ciphertext with the block of lengths, in steps of so many vectors.
func (k packet) hash(step int) {
	loadPolyConstants()
	// The ciphertext.
	from := reg.RSI
	Load(Param("src"), from)
	Load(Param("dst"), reg.RAX)
	Load(Param("open"), reg.CL)
	LEAQ(at(k.base, offsetText), reg.R8)
	CMPQ(reg.RAX, from)
	CMOVQEQ(reg.R8, from)
	TESTB(reg.CL, reg.CL)
	CMOVQEQ(reg.RAX, from)
	Load(Param("n"), k.n)
	count, front := reg.RDI, reg.R12
	endOf(k.n, reg.K4, reg.K5)
	ADDQ(Imm(31), k.n)
	SHRQ(Imm(4), k.n) // with the block of lengths
	vectorsOf(k.n, from, count, front)
	stream{label: "packet", base: k.base, from: from, count: count, front: front, h: k.scalar.h, step: step, ending: &ending{reg.K4, reg.K5, k.lens}}.emit()
	collect(k.scalar.h, [6]reg.GPPhysical{reg.RAX, reg.RCX, reg.RDX, reg.RSI, reg.RDI, reg.R8})
	wipe(k.base, 0, step*factorSize)
}

// end writes the tag, and clears what is secret.
func (k packet) end() {
	h := k.scalar.h
	h0, h1 := h[0], h[1]
	tag(h, k.s)
	Load(Param("tag"), reg.RAX)
	MOVQ(h0, at(reg.RAX, 0))
	MOVQ(h1, at(reg.RAX, 8))
	VPXOR(reg.X0, reg.X0, reg.X0)
	for _, m := range []Mem{k.s, k.part} {
		VMOVDQU(reg.X0, m)
	}
	VMOVQ(reg.X0, k.word8)
	VMOVQ(reg.X0, k.word11)
	Comment("ct:allow stack x2: the copy of a message that is opened stays, which is ciphertext")
	finish()
}

// groupsMin is how many bytes a variant has at least.
func groupsMin(groups int) int {
	return map[int]int{1: 64, 2: 256, 3: 512, 4: 768, 6: 1024}[groups] + 1
}

// short hashes up to four blocks at SI, padded with zeros.
func (k packet) short(label string) {
	end := reg.RBX // not needed any more
	Load(Param("n"), reg.RDX)
	ADDQ(Imm(15), reg.RDX)
	ANDQ(I32(-16), reg.RDX)
	LEAQ(Mem{Base: reg.RSI, Index: reg.RDX, Scale: 1}, end)
	Label("short" + label + "Hash")
	k.scalar.block(at(reg.RSI, 0))
	ADDQ(Imm(16), reg.RSI)
	CMPQ(reg.RSI, end)
	JB(LabelRef("short" + label + "Hash"))
}

// shortOutput makes Z0 the output of up to 64 bytes.
func (k packet) shortOutput(sigma Mem) {
	out := [4]vec{reg.X0, reg.X1, reg.X2, reg.X3}
	Load(Param("key"), reg.RAX)
	VPADDD(sigma, out[0], out[0])
	VPADDD(at(reg.RAX, 0), out[1], out[1])
	VPADDD(at(reg.RAX, 16), out[2], out[2])
	VPADDD(k.row, out[3], out[3])
	VINSERTI128(Imm(1), reg.X1, reg.Y0, reg.Y0)
	VINSERTI128(Imm(1), reg.X3, reg.Y2, reg.Y2)
	VINSERTI64X4(Imm(1), reg.Y2, reg.Z0, reg.Z0)
	VPXORQ(reg.Z31, reg.Z0, reg.Z0)
	Load(Param("dst"), reg.RAX)
	VMOVDQU8(reg.Z0, reg.K1, at(reg.RAX, 0))
}
