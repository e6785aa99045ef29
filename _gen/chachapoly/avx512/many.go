package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// A call has the keystream of four packets in 1 to 3 passes of 32 blocks: 8, 16
// or 24 blocks for each, the first of which is the key of Poly1305.
const (
	manyPackets = 4
	manyPasses  = 3

	offsetNonces = manyPackets * tableSize // words 13 to 15 of all blocks of a pass
	offsetStream = offsetNonces + 3*128
	manySize     = offsetStream + manyPasses*2048
	offsetSpill  = 0 // where the tables will be
)

// Fields of a Job.
const (
	jobDst   = 0
	jobSrc   = 8
	jobN     = 16
	jobAD    = 24
	jobADLen = 32
	jobTag   = 40
	jobNonce = 48
	jobSize  = 64
)

// layouts writes for every pass of every layout the packets of the blocks, and
// their counters.
func layouts() Mem {
	var words []uint64
	for passes := 1; passes <= manyPasses; passes++ {
		blocks := 32 * passes / manyPackets
		for pass := range passes {
			for _, f := range []func(i int) int{func(i int) int { return i / blocks }, func(i int) int { return i % blocks }} {
				for lane := 0; lane < 32; lane += 2 {
					i := 32*pass + lane
					words = append(words, uint64(f(i))|uint64(f(i+1))<<32)
				}
			}
		}
	}
	return table("manyAVX512Layouts", words...)
}

func many() {
	constantsOfPoly("manyAVX512Constants")
	sigmaRow := table("manyAVX512Sigma", 0x3320646e61707865, 0x6b20657479622d32)
	layout := layouts()
	function("manyAVX512", "(jobs *Job, n int, key *[8]uint32, passes int, open bool)", 0,
		"manyAVX512 seals or opens n packets, a multiple of 4, each of 65 bytes to 64 times as many as",
		"the blocks that it gets, without the first: 8, 16 or 24 in 1, 2 or 3 passes.",
		"Four packets at a time. Z0 to Z31 make the keystream, a register a word of 16 blocks; then,",
		"four times eight of them, the powers of r of the four packets side by side. What is left",
		"is done for one packet after the other: Z0 to Z2 h, Z3 to Z5 m, Z6 to Z17 sums of products,",
		"Z18 to Z22 a power of r, Z25 to Z27 masks; R13 the scratch, BX the table of powers, R14 the",
		"keystream, R15 the job, SI data, DI vectors, R12 blocks missing in front, R9 to R11 h.",
		"A packet of 1420 bytes takes 870 cycles: 460 in rounds, 100 for powers, 150 for sums.")
	scratchAt, job, keystream := reg.R13, reg.R15, reg.R14
	frame := AllocLocal(manySize + 64)
	left, index := AllocLocal(8), AllocLocal(8) // groups left; offset of the job
	sLocal, lens, part, saved := AllocLocal(16), AllocLocal(16), AllocLocal(16), AllocLocal(16)
	align := func() {
		LEAQ(frame.Offset(63), scratchAt)
		ANDQ(I32(-64), scratchAt)
	}
	align()
	Load(Param("n"), reg.RAX)
	MOVQ(reg.RAX, left)
	MOVQ(I32(0), index)

	Label("group")
	// Words 12 to 15: four nonces, then for every pass what its blocks have.
	Load(Param("jobs"), job)
	ADDQ(index, job)
	Load(Param("key"), reg.RSI)
	Load(Param("passes"), reg.RDX)
	// layouts before: 0, 1, 3
	LEAQ(at(reg.RDX, -1), reg.RAX)
	IMULQ(reg.RDX, reg.RAX)
	SHLQ(Imm(7), reg.RAX) // (passes-1)*passes/2 * 256
	LEAQ(layout, reg.RDI)
	ADDQ(reg.RAX, reg.RDI)
	LEAQ(at(scratchAt, offsetStream), keystream)
	LEAQ(sigmaRow, reg.R8)
	Label("pass")
	for i := range 3 {
		x := amd64.X(zmm[13+i])
		VMOVD(at(job, jobNonce+4*i), x)
		for j := 1; j < 4; j++ {
			VPINSRD(Imm(uint64(j)), at(job, jobSize*j+jobNonce+4*i), x, x)
		}
	}
	VMOVDQU64(at(reg.RDI, 0), zmm[0])
	VMOVDQU64(at(reg.RDI, 64), zmm[1])
	for i := range 3 {
		VPERMD(zmm[13+i], zmm[1], zmm[29+i])
		VPERMD(zmm[13+i], zmm[0], zmm[13+i])
		VMOVDQA64(zmm[13+i], at(scratchAt, offsetNonces+128*i))
		VMOVDQA64(zmm[29+i], at(scratchAt, offsetNonces+128*i+64))
	}
	VMOVDQU64(at(reg.RDI, 128), zmm[12])
	VMOVDQU64(at(reg.RDI, 192), zmm[28])
	for i := range 12 {
		m := at(reg.RSI, 4*(i-4))
		if i < 4 {
			m = at(reg.R8, 4*i)
		}
		VPBROADCASTD(m, zmm[i])
		VMOVDQA64(zmm[i], zmm[16+i])
	}
	roundsOfWords("rounds")
	for i := range 32 {
		half, w := i/16, i%16
		switch {
		case w < 4:
			VPADDD_BCST(at(reg.R8, 4*w), zmm[i], zmm[i])
		case w < 12:
			VPADDD_BCST(at(reg.RSI, 4*(w-4)), zmm[i], zmm[i])
		case w == 12:
			VPADDD(at(reg.RDI, 128+64*half), zmm[i], zmm[i])
		default:
			VPADDD(at(scratchAt, offsetNonces+128*(w-13)+64*half), zmm[i], zmm[i])
		}
	}
	LEAQ(at(scratchAt, offsetSpill), reg.RAX)
	eachBlock(reg.RAX, func(i int, z vec) { VMOVDQA64(z, at(keystream, 64*i)) })
	ADDQ(U32(256), reg.RDI)
	ADDQ(U32(2048), keystream)
	DECQ(reg.RDX)
	JNZ(LabelRef("pass"))

	// The powers of r.
	stride := reg.R12
	Load(Param("passes"), stride)
	SHLQ(Imm(9), stride) // bytes of keystream of a packet
	LEAQ(at(scratchAt, offsetStream), keystream)
	var ladders [manyPackets]ladder
	for j := range ladders {
		ladders[j] = newLadder(scratchAt, j*tableSize, zmm[8*j:])
		MOVQ(at(keystream, 0), reg.RSI)
		MOVQ(at(keystream, 8), reg.RDI)
		clamp(reg.RSI, reg.RDI)
		ladders[j].start([2]reg.GPPhysical{reg.RSI, reg.RDI})
		if j < len(ladders)-1 {
			ADDQ(stride, keystream)
		}
	}
	ladderLanes()
	var all [manyPackets]program
	for j, l := range ladders {
		for _, p := range l.pieces(4) {
			all[j] = append(all[j], p...)
		}
	}
	stagger(all[:], 16)
	loadPolyConstants()
	LEAQ(at(scratchAt, offsetStream), keystream)
	MOVQ(scratchAt, reg.RBX)

	Label("packet")
	sc := scalar{
		h: [3]reg.GPPhysical{reg.R9, reg.R10, reg.R11},
		r: [2]reg.GPPhysical{reg.R12, reg.RSI},
		t: [7]reg.GPPhysical{reg.RAX, reg.RCX, reg.R8, reg.R14, reg.R15, reg.RBP, reg.RDI},
	}
	MOVQ(at(keystream, 0), sc.r[0])
	MOVQ(at(keystream, 8), sc.r[1])
	clamp(sc.r[0], sc.r[1])
	VMOVDQU(at(keystream, 16), reg.X0)
	VMOVDQU(reg.X0, sLocal)
	Load(Param("jobs"), job)
	ADDQ(index, job)
	MOVQ(at(job, jobN), reg.RDX)
	MOVQ(reg.RDX, lens.Offset(8))
	MOVQ(at(job, jobADLen), reg.RAX)
	MOVQ(reg.RAX, lens)
	TESTQ(reg.RAX, reg.RAX)
	JZ(LabelRef("noData"))
	// More registers than there are.
	MOVQ(reg.RBX, saved)
	MOVQ(keystream, saved.Offset(8))
	MOVQ(at(job, jobAD), scratchAt)
	MOVQ(reg.RAX, reg.RBX)
	sc.data(scratchAt, reg.RBX, part, "data")
	MOVQ(saved, reg.RBX)
	MOVQ(saved.Offset(8), keystream)
	align()
	Load(Param("jobs"), job)
	ADDQ(index, job)
	MOVQ(at(job, jobN), reg.RDX)
	JMP(LabelRef("begun"))
	Label("noData")
	for _, x := range sc.h {
		XORL(x.As32(), x.As32())
	}
	Label("begun")
	Load(Param("open"), reg.AL)
	TESTB(reg.AL, reg.AL)
	JNZ(LabelRef("opening"))
	xorStream(job, keystream, "seal")
	MOVQ(at(job, jobDst), reg.RSI)
	JMP(LabelRef("hash"))
	Label("opening")
	MOVQ(at(job, jobSrc), reg.RSI)
	Label("hash")
	MOVQ(at(job, jobN), reg.RDX)
	endOf(reg.RDX, reg.K4, reg.K5)
	ADDQ(Imm(31), reg.RDX)
	SHRQ(Imm(4), reg.RDX)
	vectorsOf(reg.RDX, reg.RSI, reg.RDI, reg.R12)
	stream{label: "many", base: reg.RBX, from: reg.RSI, count: reg.RDI, front: reg.R12, h: sc.h, step: 4, ending: &ending{reg.K4, reg.K5, lens}}.emit()
	collect(sc.h, [6]reg.GPPhysical{reg.RAX, reg.RCX, reg.RDX, reg.RSI, reg.RDI, reg.R8})
	tag(sc.h, sLocal)
	MOVQ(at(job, jobTag), reg.RAX)
	MOVQ(sc.h[0], at(reg.RAX, 0))
	MOVQ(sc.h[1], at(reg.RAX, 8))
	Load(Param("open"), reg.AL)
	TESTB(reg.AL, reg.AL)
	JZ(LabelRef("next"))
	MOVQ(at(job, jobN), reg.RDX)
	xorStream(job, keystream, "open")
	Label("next")
	Load(Param("passes"), reg.RAX)
	SHLQ(Imm(9), reg.RAX)
	ADDQ(reg.RAX, keystream)
	ADDQ(U32(tableSize), reg.RBX)
	ADDQ(Imm(jobSize), index)
	DECQ(left)
	JZ(LabelRef("done"))
	TESTQ(U32(3), left)
	JNZ(LabelRef("packet"))
	JMP(LabelRef("group"))

	Label("done")
	wipe(scratchAt, 0, offsetStream)
	VPXOR(reg.X0, reg.X0, reg.X0)
	VMOVDQU(reg.X0, sLocal)
	VMOVDQU(reg.X0, part)
	Load(Param("passes"), reg.RDX)
	LEAQ(at(scratchAt, offsetStream), keystream)
	Label("wipe")
	for i := 0; i < 2048; i += 64 {
		VMOVDQA64(reg.Z0, at(keystream, i))
	}
	ADDQ(U32(2048), keystream)
	DECQ(reg.RDX)
	JNZ(LabelRef("wipe"))
	finish()
}

// clamp makes r of its words.
func clamp(lo, hi reg.GPPhysical) {
	MOVQ(U64(0x0ffffffc0fffffff), reg.RAX)
	ANDQ(reg.RAX, lo)
	MOVQ(U64(0x0ffffffc0ffffffc), reg.RAX)
	ANDQ(reg.RAX, hi)
}

// xorStream adds the keystream behind the first block to RDX bytes. It changes
// RAX, RCX, RSI, RDI, R8, Z0 to Z4.
func xorStream(job, keystream reg.GPPhysical, label string) {
	src, dst, ks, n := reg.RSI, reg.RDI, reg.RAX, reg.RDX
	MOVQ(at(job, jobSrc), src)
	MOVQ(at(job, jobDst), dst)
	LEAQ(at(keystream, 64), ks)
	Label(label + "Four")
	CMPQ(n, U32(256))
	JB(LabelRef(label + "One"))
	for i := range 4 {
		VMOVDQA64(at(ks, 64*i), zmm[i])
	}
	for i := range 4 {
		VPXORQ(at(src, 64*i), zmm[i], zmm[i])
	}
	for i := range 4 {
		VMOVDQU64(zmm[i], at(dst, 64*i))
	}
	ADDQ(U32(256), ks)
	ADDQ(U32(256), src)
	ADDQ(U32(256), dst)
	SUBQ(U32(256), n)
	JMP(LabelRef(label + "Four"))
	Label(label + "One")
	CMPQ(n, Imm(64))
	JB(LabelRef(label + "Last"))
	VMOVDQA64(at(ks, 0), reg.Z0)
	VPXORQ(at(src, 0), reg.Z0, reg.Z0)
	VMOVDQU64(reg.Z0, at(dst, 0))
	ADDQ(Imm(64), ks)
	ADDQ(Imm(64), src)
	ADDQ(Imm(64), dst)
	SUBQ(Imm(64), n)
	JMP(LabelRef(label + "One"))
	Label(label + "Last")
	TESTQ(n, n)
	JZ(LabelRef(label + "Done"))
	byteMask(n, reg.K1)
	VMOVDQU8_Z(at(src, 0), reg.K1, reg.Z0)
	VPXORQ(at(ks, 0), reg.Z0, reg.Z0)
	VMOVDQU8(reg.Z0, reg.K1, at(dst, 0))
	Label(label + "Done")
}
