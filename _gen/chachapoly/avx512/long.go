package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/chachapoly/rows"
)

// The memory of the kernel for long messages, aligned.
const (
	longMin = packetMax + 1
	longMax = 16384 // beyond, 32 blocks in a pass and the hash alone are as fast

	offsetKeep = 2 * factorSize // when opening, the last 128 bytes and the text of a pass
	longSize   = offsetKeep + 128 + 1024
)

// Poly1305 has the upper registers.
var (
	longHash   = number{reg.Z16, reg.Z17, reg.Z18}
	longData   = number{reg.Z19, reg.Z20, reg.Z21}
	longSums   = sums{number{reg.Z22, reg.Z23, reg.Z24}, number{reg.Z25, reg.Z26, reg.Z27}}
	longTmp    = [2]vec{reg.Z28, reg.Z29}
	longMask44 = reg.Z30
	longMask42 = reg.Z31
)

// A long has registers in addition to those of a packet, after the first pass.
type longPacket struct {
	packet
	keep        reg.GPPhysical // where the text goes when opening
	front, left reg.GPPhysical // blocks missing in the first vector, -1 when it is begun; vectors left
	from, index reg.GPPhysical // the next vector; 128 and K6 = 0 if the hash has it
	counter     reg.GPPhysical
	hashed      Mem // the hash of additional data
	kept        Mem // where the vectors of a pass begin when opening

	sigma, counts Mem
}

// start makes the initial matrices of 16 blocks.
func (k longPacket) start() {
	k.inWords(k.sigma, func(m Mem, z vec) { VPBROADCASTD(m, z) })
	VPADDD(k.counts, zmm[12], zmm[12])
}

// masks loads the constants of Poly1305.
func (k longPacket) masks() {
	VPBROADCASTQ(polyConstants.mask44, longMask44)
	VPBROADCASTQ(polyConstants.mask42, longMask42)
}

// load makes the limbs of the vector at x and y.
func (k longPacket) load(x, y Mem, to number) (p program) {
	t := longTmp
	p.Add(func() { VMOVDQU64(x, t[0]) })
	p.Add(func() { VMOVDQU64(y, t[1]) })
	return append(p, k.limbs(to)...)
}

// limbs makes the limbs of the vector in longTmp.
func (k longPacket) limbs(to number) program {
	p := splitWith(longTmp[0], longTmp[1], to, longMask44)
	p.Add(func() { VPORQ_BCST(polyConstants.bit128, to[2], to[2]) })
	return p
}

// product adds x times a factor of the table, that of lane 0 or lane by lane.
func (k longPacket) product(s sums, x number, factor int, lanes bool) (p program) {
	low, high := VPMADD52LUQ_BCST, VPMADD52HUQ_BCST
	if lanes {
		low, high = VPMADD52LUQ, VPMADD52HUQ
	}
	for i, row := range [3][3]int{{0, 1, 2}, {4, 0, 1}, {3, 4, 0}} {
		for j, limb := range row {
			m := at(k.base, factor*factorSize+64*limb)
			p.Add(func() { low(m, x[i], s.low[j]) })
			p.Add(func() { high(m, x[i], s.high[j]) })
		}
	}
	return p
}

// second finishes a step, whose first vector the hash has: h = h r^16 + m r^8, with m 128 bytes
// ahead.
func (k longPacket) second() (p program) {
	p.Add(func() { longSums.zero() })
	p = append(p, k.load(at(k.from, 128), at(k.from, 192), longData)...)
	p = append(p, k.product(longSums, longData, 0, false)...)
	p = append(p, k.product(longSums, longHash, 1, false)...)
	p = append(p, longSums.carryWith(longHash, longTmp, masks{longMask44, longMask42})...)
	p.Add(func() { ADDQ(I32(256), k.from) })
	return p
}

// two are two steps. The first vector is not added if K6 is 0, and then index goes to another one.
func (k longPacket) two() (p program) {
	x := Mem{Base: k.from, Index: k.index, Scale: 1}
	p = append(p, k.load(x, x.Offset(64), longData)...)
	for i := range longHash {
		p.Add(func() { VPADDQ(longData[i], longHash[i], reg.K6, longHash[i]) })
	}
	p = append(p, k.second()...)
	p.Add(func() { XORL(k.index.As32(), k.index.As32()) })
	p.Add(func() { KXNORW(reg.K6, reg.K6, reg.K6) })
	return append(append(p, k.add()...), k.second()...)
}

// add adds the next vector to the hash.
func (k longPacket) add() (p program) {
	p = append(p, k.load(at(k.from, 0), at(k.from, 64), longData)...)
	for i := range longHash {
		p.Add(func() { VPADDQ(longData[i], longHash[i], longHash[i]) })
	}
	return p
}

// pass are all rounds, with eight vectors of the hash.
func (k longPacket) pass(label string, double program) {
	k.masks()
	MOVL(U32(2), k.counter.As32())
	Label(label + "Rounds")
	var five program
	for range 5 {
		five = append(five, double...)
	}
	amd64.Weave(five, k.two()).Write()
	DECL(k.counter.As32())
	JNZ(LabelRef(label + "Rounds"))
	SUBQ(Imm(8), k.left)
}

// output is that of whole blocks.
func (k longPacket) output(label string, blocks []vec) {
	opening := func(open bool) {
		for i, z := range blocks {
			if open {
				VMOVDQU64(at(k.src, 64*i), reg.Z28)
				VMOVDQA64(reg.Z28, at(k.keep, 64*i))
				VPXORQ(reg.Z28, z, z)
			} else {
				VPXORQ(at(k.src, 64*i), z, z)
			}
			VMOVDQU64(z, at(k.dst, 64*i))
		}
	}
	k.ifOpen(label + "Opening")
	opening(false)
	JMP(LabelRef(label + "Done"))
	Label(label + "Opening")
	opening(true)
	ADDQ(U32(uint32(64*len(blocks))), k.keep)
	Label(label + "Done")
	ADDQ(U32(uint32(64*len(blocks))), k.src)
	ADDQ(U32(uint32(64*len(blocks))), k.dst)
	SUBQ(U32(uint32(64*len(blocks))), k.n)
}

// ifOpen jumps if a message is opened. It changes RAX.
func (k longPacket) ifOpen(label string) {
	Load(Param("open"), reg.AL)
	TESTB(reg.AL, reg.AL)
	JNZ(LabelRef(label))
}

// last is the output of up to 256 bytes, whose keystream is in rows.Block.
func (k longPacket) last() {
	t := reg.Z0
	for i, z := range rows.Block {
		CMPQ(k.n, Imm(64))
		JB(LabelRef(fmt.Sprintf("last%d", i)))
		VMOVDQU64(at(k.src, 64*i), t)
		VPXORQ(t, z, z)
		VMOVDQU64(z, at(k.dst, 64*i))
		k.ifOpen(fmt.Sprintf("keep%d", i))
		Label(fmt.Sprintf("kept%d", i))
		SUBQ(Imm(64), k.n)
	}
	JMP(LabelRef("hash"))
	for i, z := range rows.Block {
		Label(fmt.Sprintf("keep%d", i))
		VMOVDQA64(t, at(k.keep, 64*i))
		JMP(LabelRef(fmt.Sprintf("kept%d", i)))
		Label(fmt.Sprintf("last%d", i))
		if i > 0 {
			VMOVDQA64(z, rows.Block[0])
			for _, p := range []reg.GPPhysical{k.src, k.dst, k.keep} {
				ADDQ(U32(uint32(64*i)), p)
			}
		}
		JMP(LabelRef("last"))
	}
	Label("last")
	TESTQ(k.n, k.n)
	JZ(LabelRef("hash"))
	byteMask(k.n, reg.K1)
	VMOVDQU8_Z(at(k.src, 0), reg.K1, t)
	VPXORQ(t, rows.Block[0], rows.Block[0])
	VMOVDQU8(rows.Block[0], reg.K1, at(k.dst, 0))
	XORL(k.n.As32(), k.n.As32())
	k.ifOpen("keep")
	JMP(LabelRef("hash"))
	Label("keep")
	VMOVDQA64(t, at(k.keep, 0))
}

// move keeps the last 128 bytes of the text of a pass.
func (k longPacket) move() {
	for i := range 2 {
		VMOVDQA64(at(k.base, offsetKeep+1024+64*i), reg.Z28)
		VMOVDQA64(reg.Z28, at(k.base, offsetKeep+64*i))
	}
}

func longMessages() {
	rows.Constants("longAVX512Counters")
	constantsOfPoly("longAVX512Constants")
	k := longPacket{
		keep: reg.R13, front: reg.R12, left: reg.R14, from: reg.R15, index: reg.R9, counter: reg.RCX,
		sigma: table("longAVX512Sigma", 0x3320646e61707865, 0x6b20657479622d32),
	}
	var words []uint64
	for i := range 8 {
		words = append(words, uint64(2*i)|uint64(2*i+1)<<32)
	}
	k.counts = table("longAVX512Counts", words...)
	function("longAVX512", "(dst, src *byte, n int, ad *byte, adLen int, key *[8]uint32, nonce *[3]uint32, tag *[16]byte, open bool)", 0,
		fmt.Sprintf("longAVX512 seals or opens n bytes, %d to %d, and computes the tag.", longMin, longMax),
		"For CPUs with two vector units of one cycle. The first pass is that of wideAVX512 for 1024 bytes. The others, of",
		"16 blocks in words or of 1 to 3 groups in rows, Z0 to Z15, hash eight vectors of what is before them: Z16 to Z18 h,",
		"Z19 to Z21 m, Z22 to Z27 sums of products, Z28 and Z29 temporary, Z30 and Z31 masks; powers of r in memory. BX table",
		"of powers, DI, SI, DX output, data and bytes, R15 the next vector, R14 vectors left, R12 blocks missing in front,",
		"R13 where ciphertext is kept that is opened, perhaps in place, and not hashed yet.")
	k.packet = newPacket(longSize)
	k.hashed, k.kept = AllocLocal(24), AllocLocal(8)
	h := k.scalar.h

	// The first 16 blocks, block 0, and the powers of r.
	k.begin(1)
	k.start()
	k.initialOfWords()
	some := func(n int, double program) (p program) {
		for range n {
			p = append(p, double...)
		}
		return p
	}
	one := doubleOfWords(k.word8, k.word11)
	MOVL(U32(3), k.count)
	Label("first")
	amd64.Weave(some(3, one), some(2, doubleOf16())).Write()
	DECL(k.count)
	JNZ(LabelRef("first"))
	amd64.Weave(one, doubleOf16()).Write()
	k.key()
	for i, x := range h {
		MOVQ(x, k.hashed.Offset(8*i))
	}
	amd64.Weave(some(2, doubleOf16()), k.powers()).Write()
	amd64.Weave(doubleOf16(), newLadder(k.base, 0, zmm[24:]).full(power2, power1, power1)).Write()

	Load(Param("src"), k.src)
	Load(Param("dst"), k.dst)
	Load(Param("n"), k.n)
	endOf(k.n, reg.K4, reg.K5)
	MOVQ(k.dst, k.from)
	k.ifOpen("fromKept")
	JMP(LabelRef("from"))
	Label("fromKept")
	LEAQ(at(k.base, offsetKeep+128), k.from)
	Label("from")
	LEAQ(at(k.n, 31), reg.R10)
	SHRQ(Imm(4), reg.R10) // with the block of lengths
	vectorsOf(reg.R10, k.from, k.left, k.front)
	MOVQ(k.from, k.kept)
	XORL(k.index.As32(), k.index.As32())

	Label("words")
	k.inWords(k.sigma, func(m Mem, z vec) { VPADDD_BCST(m, z, z) })
	VPADDD(k.counts, zmm[12], zmm[12])
	b := transpose(zmm[:16], zmm[28:])
	LEAQ(at(k.base, offsetKeep+128), k.keep)
	k.ifOpen("move")
	Label("moved")
	CMPQ(k.n, U32(1024))
	JBE(LabelRef("partial"))
	k.output("full", b[:])
	ADDL(Imm(16), k.row)
	JMP(LabelRef("begun"))
	Label("move")
	k.move()
	JMP(LabelRef("moved"))
	Label("partial")
	k.output("partial", b[:12])
	for i, z := range b[12:] {
		VMOVDQA64(z, rows.Block[i])
	}
	JMP(LabelRef("tail"))

	// begun is before the next pass and after the last one.
	Label("hash")
	XORL(k.n.As32(), k.n.As32())
	Label("begun")
	k.ifOpen("again")
	Label("next")
	TESTQ(k.front, k.front)
	JGE(LabelRef("start"))
	Label("started")
	TESTQ(k.n, k.n)
	JZ(LabelRef("rest"))
	for g := 1; g < 4; g++ {
		CMPQ(k.n, U32(uint32(256*g)))
		JBE(LabelRef(fmt.Sprintf("rows%d", g)))
	}
	k.start()
	k.pass("words", doubleOf16())
	JMP(LabelRef("words"))

	Label("again")
	MOVQ(k.kept, k.from)
	JMP(LabelRef("next"))

	Label("start")
	k.masks()
	for i, x := range h {
		MOVQ(k.hashed.Offset(8*i), x)
	}
	stream{label: "start", from: k.from, front: k.front, h: h}.first(longHash, longTmp, longMask44, polyConstants.bit128)
	SUBQ(I32(128), k.from)
	MOVL(U32(128), k.index.As32())
	KXORW(reg.K6, reg.K6, reg.K6)
	MOVQ(I32(-1), k.front)
	JMP(LabelRef("started"))

	for g := 1; g < 4; g++ {
		r := rows.From(0, g)
		name := fmt.Sprintf("rows%d", g)
		Label(name)
		k.initialOfRows(k.sigma, reg.RAX)
		r.Start()
		k.pass(name, r.Double())
		LEAQ(at(k.base, offsetKeep+128), k.keep)
		k.ifOpen(name + "Move")
		Label(name + "Moved")
		k.initialOfRows(k.sigma, reg.RAX)
		for i := range g {
			r.Untangle(i)
			four := r.Blocks(i)
			if i < g-1 {
				k.output(fmt.Sprint(name, "Group", i), four[:])
				continue
			}
			for i, z := range four {
				VMOVDQA64(z, rows.Block[i])
			}
		}
		JMP(LabelRef("tail"))
		Label(name + "Move")
		k.move()
		JMP(LabelRef(name + "Moved"))
	}

	Label("tail")
	k.last()
	JMP(LabelRef("hash"))

	// The rest of the hash.
	Label("rest")
	k.masks()
	Label("restMore")
	CMPQ(k.left, Imm(2))
	JB(LabelRef("lastVectors1"))
	k.add().Write()
	JE(LabelRef("lastVectors2"))
	k.second().Write()
	SUBQ(Imm(2), k.left)
	JMP(LabelRef("restMore"))

	e := ending{reg.K4, reg.K5, k.lens}
	end := func(ahead int) {
		if ahead > 0 {
			ADDQ(I32(int32(ahead)), k.from)
		}
		VMOVDQU64(at(k.from, 0), longTmp[0])
		e.load(k.from, longTmp[1])
		k.limbs(longData).Write()
	}
	Label("lastVectors2")
	sumA.zero()
	other := sums{number{reg.Z0, reg.Z1, reg.Z2}, number{reg.Z3, reg.Z4, reg.Z5}}
	other.zero()
	k.product(other, longHash, 1, true).Write()
	end(128)
	k.product(sumA, longData, 0, true).Write()
	sumA.merge(other)
	JMP(LabelRef("collect"))
	Label("lastVectors1")
	sumA.zero()
	end(0)
	for i := range longHash {
		VPADDQ(longData[i], longHash[i], longHash[i])
	}
	k.product(sumA, longHash, 0, true).Write()
	Label("collect")
	collect(h, [6]reg.GPPhysical{reg.RAX, reg.RCX, reg.RDX, reg.RSI, reg.RDI, reg.R8})
	wipe(k.base, 0, offsetKeep)
	VMOVDQU(reg.X0, k.hashed)
	VMOVQ(reg.X0, k.hashed.Offset(16))
	k.end()
}
