package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const ctrSignature = "func(key *uint32, hi, lo uint64, dst, src *byte, n int, rest *byte)"

// hi is the upper half of the counter; the lower half stays in the argument lo.
var (
	hi           = reg.R10
	stale        = reg.R9 // not 0: the planes of words 0 to 2 on the stack are not those of this batch
	ctrArguments = map[string]reg.Register{"key": key, "hi": hi, "dst": dst, "src": src, "n": remaining}
)

// A counter block has a counter of 128 bits or, in GCM, of 32.
type counter struct {
	width int
	last  func(b int, z reg.VecPhysical) // changes the planes of the second half of 128, if not nil
}

// spread puts T·b of the 16 bytes b of the block with the halves RCX and RAX
// into Z16, each byte four times in the order of the block. It uses Z17.
func spread() {
	BSWAPQ(reg.RCX)
	BSWAPQ(reg.RAX)
	VMOVQ(reg.RCX, reg.X16)
	VMOVQ(reg.RAX, reg.X17)
	VPUNPCKLQDQ(reg.X17, reg.X16, reg.X16)
	VGF2P8AFFINEQB_BCST(Imm(0), constant(constT), reg.X16, reg.X16)
	VSHUFI32X4(Imm(0), reg.Z16, reg.Z16, reg.Z16)
	VPSHUFB(constant(constSpread), reg.Z16, reg.Z16)
}

// planes makes planes of 64 counter blocks: those of the bytes from first to
// 15. The block in lane 0 is the counter plus add; its lower half is in RAX.
// Only the last byte differs from block to block; where it wraps around the
// others are those of the counter plus 256. 128 bytes at disp on the stack are
// for the bytes of these two, in the basis T, to be broadcast. put gets the
// planes; plane is the register for one.
//
// A counter of 128 bits is public, and most often nothing wraps around. That of
// GCM comes from the hash key where nonces do not have 12 bytes, so that nothing
// may branch on it.
func (c counter) planes(disp, first int, plane func(b int) reg.VecPhysical, put func(b int, z reg.VecPhysical)) {
	at := func(b int) Mem { return Mem{Base: state, Disp: disp + 4*b} }
	wrapped := func(b int) Mem { return at(b).Offset(64) }
	wraps := 0 // the first byte that may change
	if c.width == 32 {
		wraps = 12
		wrapped = func(b int) Mem { return Mem{Base: state, Disp: disp + 64 + b - wraps} }
	}
	VPBROADCASTB(reg.EAX, reg.Z18)
	VPADDB(constant(constLane), reg.Z18, reg.Z19)
	VPCMPUB(Imm(1), reg.Z18, reg.Z19, reg.K2)
	last := plane(15)
	toT(reg.Z19, last)
	put(15, last)
	broadcast := func(wraps int) {
		for b := first; b < 15; b++ {
			z := plane(b)
			VPBROADCASTD(at(b), z)
			if b >= wraps {
				VPBROADCASTB(wrapped(b), reg.K2, z)
			}
			put(b, z)
		}
	}
	spreadTo := func(m Mem) {
		spread()
		VMOVDQA64(reg.Z16, m)
	}
	if c.width == 32 {
		MOVL(reg.EAX, reg.ECX)
		ADDL(U32(256), reg.ECX)
		BSWAPL(reg.ECX)
		VMOVD(reg.ECX, reg.X17)
		toT(reg.X17, reg.X17)
		VMOVD(reg.X17, wrapped(wraps))
		MOVQ(hi, reg.RCX)
		spreadTo(at(0))
		broadcast(wraps)
		return
	}
	wrap, end := label("wrap"), label("counted")
	MOVQ(hi, reg.RCX)
	CMPB(reg.AL, U8(256-64))
	JA(LabelRef(wrap))
	spreadTo(at(0))
	broadcast(16)
	JMP(LabelRef(end))
	Label(wrap)
	MOVQ(reg.RAX, reg.R11)
	spreadTo(at(0))
	MOVQ(hi, reg.RCX)
	MOVQ(reg.R11, reg.RAX)
	ADDQ(U32(256), reg.RAX)
	ADCQ(Imm(0), reg.RCX)
	spreadTo(wrapped(0))
	broadcast(wraps)
	Label(end)
}

// add32 adds n to the lower half of RAX. It changes R11.
func add32(n uint64) {
	MOVL(reg.EAX, reg.R11L)
	SHRQ(Imm(32), reg.RAX)
	SHLQ(Imm(32), reg.RAX)
	ADDL(U32(n), reg.R11L)
	ORQ(reg.R11, reg.RAX)
}

// inWord returns the place of byte b of a block.
func inWord(b int) (w, j int) { return b / 4, 3 - b%4 }

// addTo adds the keystream in r, register n of the data and the following, to
// the data. In the end Z17 is the keystream of the register where the data
// end, and RAX its place in the data. It changes Z18.
func addTo(r []reg.VecPhysical, n int) {
	end := label("added")
	each(r, n, n > 0, func(z reg.VecPhysical, disp int) {
		VPXORD(Mem{Base: src, Disp: disp}, z, z)
		VMOVDQU64(z, Mem{Base: dst, Disp: disp})
	}, func(z reg.VecPhysical, disp int) {
		VMOVDQA64(z, reg.Z17)
		MOVL(U32(uint64(disp)), reg.EAX)
	})
	if len(r) == 16 && n == 16 {
		CMPQ(remaining, U32(2048))
		JA(LabelRef(end))
	}
	at := func(base reg.Register) Mem { return Mem{Base: base, Index: reg.RAX, Scale: 1} }
	VMOVDQU8_Z(at(src), reg.K1, reg.Z18)
	VPXORD(reg.Z17, reg.Z18, reg.Z18)
	VMOVDQU8(reg.Z18, reg.K1, at(dst))
	Label(end)
}

// addDual adds the result of dual to the data, 2048 bytes.
func addDual() {
	for half := range 2 {
		for i, z := range fromDual(half) {
			VPXORD(Mem{Base: src, Disp: 1024*half + 64*i}, z, z)
			VMOVDQU64(z, Mem{Base: dst, Disp: 1024*half + 64*i})
		}
	}
}

// storeRest stores the keystream of the last block in Z17 if the data end
// within it.
func storeRest() {
	end := label("rest")
	TESTQ(U32(15), remaining)
	JZ(LabelRef(end))
	LEAQ(Mem{Base: remaining, Disp: -1}, reg.RCX)
	SHRQ(Imm(3), reg.RCX)
	ANDQ(Imm(6), reg.RCX)
	MOVL(U32(3), reg.EAX)
	SHLQ(reg.CL, reg.RAX)
	KMOVW(reg.EAX, reg.K2)
	VPCOMPRESSQ_Z(reg.Z17, reg.K2, reg.Z17)
	Load(Param("rest"), reg.RAX)
	VMOVDQU64(reg.X17, Mem{Base: reg.RAX})
	Label(end)
}

// wordCounters makes the four words of 16 counter blocks, not yet in the
// basis T, from the halves of the counter in hi and RAX.
func (c counter) wordCounters() {
	MOVQ(hi, reg.RCX)
	VPBROADCASTD(reg.EAX, reg.Z4)
	SHRQ(Imm(32), reg.RAX)
	VPBROADCASTD(reg.ECX, reg.Z1)
	VPBROADCASTD(reg.EAX, reg.Z2)
	SHRQ(Imm(32), reg.RCX)
	VPBROADCASTD(reg.ECX, reg.Z0)
	VPADDD(constant(constBlock), reg.Z4, reg.Z3)
	if c.width == 32 {
		return
	}
	end := label("counted")
	VPCMPUD(Imm(1), reg.Z4, reg.Z3, reg.K2)
	KORTESTW(reg.K2, reg.K2)
	JZ(LabelRef(end))
	for i := 2; i >= 0; i-- {
		VPADDD_BCST(constant(constOne), zmm[i], reg.K2, zmm[i])
		VPTESTNMD(zmm[i], zmm[i], reg.K2, reg.K2)
	}
	Label(end)
}

func ctr16() {
	function("ctr16GFNI512", ctrSignature, words16Note,
		"ctr16GFNI512 adds the keystream of the counters from hi:lo on to 1 to 256 bytes.",
		"key is the first element of Keys.Words.")
	arguments(ctrArguments)
	lastMask()
	Load(Param("lo"), reg.RAX)
	counter{width: 128}.wordCounters()
	for i := range 4 {
		toT(zmm[i], zmm[i])
	}
	loadMatrices()
	words16.rounds(forwardWords)
	fromWords()
	addTo(first4, 0)
	storeRest()
	finish()
}

func ctr64() {
	function("ctr64GFNI512", ctrSignature, singleNote,
		"ctr64GFNI512 adds the keystream of the counters from hi:lo on to 1 to 1024 bytes.",
		"key is the first element of Keys.Bytes.")
	arguments(ctrArguments)
	scratch(128)
	lastMask()
	Load(Param("lo"), reg.RAX)
	counter{width: 128}.singlePlanes()
	single(forwardBytes)
	addTo(fromSingle(), 0)
	storeRest()
	finish()
}

// singlePlanes makes the state of single from counters.
func (c counter) singlePlanes() {
	c.planes(0, 0, func(b int) reg.VecPhysical {
		w, j := inWord(b)
		return zmm[4*w+j]
	}, func(int, reg.VecPhysical) {})
}

// Stack of 128 counter blocks: the words, the words at the start, and what
// planes needs.
const (
	dualStart  = 2048
	dualSpread = dualStart + 2048
	dualStack  = dualSpread + 128
)

// dualPlanes puts the words of 128 counter blocks on the stack. Words 0 to 2
// stay the same from one batch to the next, unless word 3 wraps around and the
// counter has 128 bits.
func (c counter) dualPlanes(lo string) {
	some, done := label("some"), label("planes")
	all := func(first int) {
		for half := range 2 {
			Load(Param(lo), reg.RAX)
			if half == 1 {
				if c.width == 32 {
					add32(64)
				} else {
					ADDQ(Imm(64), reg.RAX)
					ADCQ(Imm(0), hi)
				}
			}
			c.halfPlanes(half, first)
			if half == 1 && c.width != 32 {
				Load(Param(lo), reg.RAX)
				ADDQ(Imm(64), reg.RAX)
				SBBQ(Imm(0), hi)
			}
		}
	}
	switch {
	case c.last != nil: // there is one batch only
		all(0)
		return
	case c.width == 32:
		TESTQ(stale, stale)
		JZ(LabelRef(some))
		XORL(stale.As32(), stale.As32())
	default:
		Load(Param(lo), reg.RAX)
		ADDL(U32(128), reg.EAX)
		SBBQ(reg.RAX, reg.RAX)
		MOVQ(reg.RAX, reg.RCX)
		ORQ(stale, reg.RCX)
		MOVQ(reg.RAX, stale)
		JZ(LabelRef(some))
	}
	all(0)
	JMP(LabelRef(done))
	Label(some)
	all(12)
	Label(done)
}

// halfPlanes puts the words of a half on the stack, whose first counter ends with RAX.
func (c counter) halfPlanes(half, first int) {
	c.planes(dualSpread, first, func(b int) reg.VecPhysical { return zmm[b] }, func(b int, z reg.VecPhysical) {
		if half == 1 && c.last != nil {
			c.last(b, z)
		}
		w, j := inWord(b)
		VMOVDQA64(z, word(state, half, w, j).Offset(dualStart))
	})
}

// nextCounters goes 128 blocks on.
func (c counter) nextCounters(lo string) {
	p, err := Param(lo).Resolve()
	if err != nil {
		panic(err)
	}
	if c.width == 32 {
		MOVQ(p.Addr, reg.RAX)
		add32(128)
		MOVQ(reg.RAX, p.Addr)
		return
	}
	ADDQ(U32(128), p.Addr)
	ADCQ(Imm(0), hi)
}

func ctr128() {
	c := counter{width: 128}
	function("ctr128GFNI512", ctrSignature, dualNote,
		"ctr128GFNI512 adds the keystream of the counters from hi:lo on to n bytes: batches of",
		"2048, the last one of 1025 to 2048. key is the first element of Keys.Bytes.")
	arguments(ctrArguments)
	scratch(dualStack)
	MOVQ(key, keyStart)
	lastMask()
	MOVQ(I32(-1), stale)
	Label("batch")
	c.dualPlanes("lo")
	MOVQ(keyStart, key)
	LEAQ(Mem{Base: state, Disp: dualStart}, from)
	loadDual()
	dual(forwardBytes, 8, nil)
	for i, z := range fromDual(0) {
		VPXORD(Mem{Base: src, Disp: 64 * i}, z, z)
		VMOVDQU64(z, Mem{Base: dst, Disp: 64 * i})
	}
	addTo(fromDual(1), 16)
	c.nextCounters("lo")
	ADDQ(U32(2048), src)
	ADDQ(U32(2048), dst)
	SUBQ(U32(2048), remaining)
	JA(LabelRef("batch"))
	storeRest()
	wipe(2048)
	finish()
}

// counters128 is for modes whose counters begin anywhere and count elsewhere than
// at the end of a block, or add bits without carries. From a multiple of 128 on,
// adding the number of a block to the counter is adding bits, and only one byte of
// the counters differs from block to block; a batch is in two such ranges at most.
func counters128() {
	perBatch, plane, first, lanes, upper := reg.RDX, reg.R10, reg.R9, reg.Z28, reg.Z29
	function("counters128GFNI512", "func(key *uint32, starts *byte, first, plane int, dst, src *byte, n int)", dualNote,
		"counters128GFNI512 adds keystream to n bytes, a multiple of 2048: that of block j is made",
		"of starts[m/128], m = first + j, with m%128 added to one byte, bit by bit: to byte b for",
		"plane = b ^ 3. first is 0 to 127. key is the first element of Keys.Bytes.",
		"DX the starts, R9 first, R10 where the plane of the byte is; Z28, Z29 what is added to the",
		"blocks of a half, in the basis T; K2, K3 those of the next range. 60 cycles of a batch are",
		"for the counters, 100 where first is not 0.")
	Load(Param("starts"), perBatch)
	Load(Param("first"), first)
	Load(Param("plane"), plane)
	arguments(map[string]reg.Register{"key": key, "dst": dst, "src": src, "n": remaining})
	scratch(dualStack)
	MOVQ(key, keyStart)
	SHLQ(Imm(6), plane)
	VPBROADCASTB(first.As32(), lanes)
	VPADDB(constant(constLane), lanes, lanes)
	MOVL(U32(64), reg.EAX)
	VPBROADCASTB(reg.EAX, upper)
	VPADDB(lanes, upper, upper)
	VPMOVB2M(lanes, reg.K2)
	VPMOVB2M(upper, reg.K3)
	MOVL(U32(127), reg.EAX)
	VPBROADCASTB(reg.EAX, reg.Z16)
	VPANDD(lanes, reg.Z16, lanes)
	VPANDD(upper, reg.Z16, upper)
	toT(lanes, lanes)
	toT(upper, upper)
	at := func(b int) Mem { return Mem{Base: state, Disp: dualSpread + 4*b} }
	spreadTo := func(start, m Mem) {
		VBROADCASTI32X4(start, reg.Z16)
		toT(reg.Z16, reg.Z16)
		VPSHUFB(constant(constSpread), reg.Z16, reg.Z16)
		VMOVDQA64(reg.Z16, m)
	}
	counterTo := func(half, b int) Mem {
		w, j := inWord(b)
		return word(state, half, w, j).Offset(dualStart)
	}
	Label("batch")
	spreadTo(Mem{Base: perBatch}, at(0))
	TESTQ(first, first)
	JZ(LabelRef("aligned"))
	spreadTo(Mem{Base: perBatch, Disp: 16}, at(16))
	for b := range 16 {
		VPBROADCASTD(at(b), reg.Z0)
		VMOVDQA64(reg.Z0, reg.Z1)
		VPBROADCASTB(at(16+b), reg.K2, reg.Z0)
		VPBROADCASTB(at(16+b), reg.K3, reg.Z1)
		VMOVDQA64(reg.Z0, counterTo(0, b))
		VMOVDQA64(reg.Z1, counterTo(1, b))
	}
	JMP(LabelRef("numbers"))
	Label("aligned")
	for b := range 16 {
		VPBROADCASTD(at(b), reg.Z0)
		VMOVDQA64(reg.Z0, counterTo(0, b))
		VMOVDQA64(reg.Z0, counterTo(1, b))
	}
	Label("numbers")
	for half, n := range []reg.VecPhysical{lanes, upper} {
		m := Mem{Base: state, Index: plane, Scale: 1, Disp: dualStart + 1024*half}
		VPXORD(m, n, reg.Z16)
		VMOVDQA64(reg.Z16, m)
	}
	MOVQ(keyStart, key)
	LEAQ(Mem{Base: state, Disp: dualStart}, from)
	loadDual()
	dual(forwardBytes, 8, nil)
	addDual()
	ADDQ(Imm(16), perBatch)
	ADDQ(U32(2048), src)
	ADDQ(U32(2048), dst)
	SUBQ(U32(2048), remaining)
	JA(LabelRef("batch"))
	wipe(dualStack)
	finish()
}
