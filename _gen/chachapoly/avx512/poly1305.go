package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// A number modulo 2^130-5 is in limbs of 44, 44 and 42 bits, eight numbers in
// three registers. Limbs may be a little longer than that: the multiplication
// takes up to 52 bits.
//
// Blocks 0 to 7 of a vector of 128 bytes are in the lanes 0, 2, 4, 6, 1, 3, 5, 7:
// that is what unpacking two registers gives. The powers of r for them are in
// the same order, the highest for block 0.
type number [3]vec

// sums are the sums of products: the lower 52 bits of products that
// belong to each limb, and the upper ones.
type sums struct{ low, high number }

// factor is a power of r: its limbs, and 20 times the upper two. As
// 2^132 = 4 * 2^130, what leaves limb 2 comes back to limb 0 times 4 * 5.
type factor [5]vec

var (
	hash   = number{reg.Z0, reg.Z1, reg.Z2}
	data   = number{reg.Z3, reg.Z4, reg.Z5}
	sumA   = sums{number{reg.Z6, reg.Z7, reg.Z8}, number{reg.Z9, reg.Z10, reg.Z11}}
	sumB   = sums{number{reg.Z12, reg.Z13, reg.Z14}, number{reg.Z15, reg.Z16, reg.Z17}}
	power  = factor{reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22}
	tmp    = [2]vec{reg.Z23, reg.Z24}
	mask44 = reg.Z25
	mask42 = reg.Z26
	bit128 = reg.Z27 // in limb 2
)

const (
	factorSize = 5 * 64
	tableSize  = 4 * factorSize // r^8..r^1, r^16..r^9, r^24..r^17, r^32..r^25
)

var polyConstants struct{ mask44, mask42, bit128, lanes Mem }

// constantsOfPoly writes the constants.
func constantsOfPoly(name string) {
	words := []uint64{1<<44 - 1, 1<<42 - 1, 1 << 40}
	// For the number of blocks missing in front: the lanes of those there, and
	// the lane of the first one.
	lane := [8]int{0, 2, 4, 6, 1, 3, 5, 7}
	var lanes [16]byte
	for front := range 8 {
		for i := front; i < 8; i++ {
			lanes[front] |= 1 << lane[i]
		}
		lanes[8+front] = 1 << lane[front]
	}
	for i := 0; i < 16; i += 8 {
		var w uint64
		for j := range 8 {
			w |= uint64(lanes[i+j]) << (8 * j)
		}
		words = append(words, w)
	}
	m := table(name, words...)
	polyConstants.mask44 = m
	polyConstants.mask42 = m.Offset(8)
	polyConstants.bit128 = m.Offset(16)
	polyConstants.lanes = m.Offset(24)
	ladderMasks = masks{polyConstants.mask44, polyConstants.mask42}
}

var ladderMasks masks

func loadPolyConstants() {
	VPBROADCASTQ(polyConstants.mask44, mask44)
	VPBROADCASTQ(polyConstants.mask42, mask42)
	VPBROADCASTQ(polyConstants.bit128, bit128)
}

func (n number) zero() {
	for _, z := range n {
		VPXORQ(z, z, z)
	}
}

func (s sums) zero() {
	s.low.zero()
	s.high.zero()
}

// add adds the product of x and f.
func (s sums) add(x number, f factor) {
	r0, r1, r2, s1, s2 := f[0], f[1], f[2], f[3], f[4]
	for i, row := range [3][3]vec{{r0, r1, r2}, {s2, r0, r1}, {s1, s2, r0}} {
		for j, r := range row {
			VPMADD52LUQ(r, x[i], s.low[j])
			VPMADD52HUQ(r, x[i], s.high[j])
		}
	}
}

// merge adds t to s.
func (s sums) merge(t sums) {
	for i := range 3 {
		VPADDQ(t.low[i], s.low[i], s.low[i])
		VPADDQ(t.high[i], s.high[i], s.high[i])
	}
}

// carry makes a number of the sums, which it changes.
func (s sums) carry(to number) {
	s.carryWith(to, tmp, masks{mask44: mask44, mask42: mask42}).Write()
}

// masks are registers, or memory to broadcast.
type masks struct{ mask44, mask42 Op }

func and(mask Op, z, to vec) {
	if m, ok := mask.(Mem); ok {
		VPANDQ_BCST(m, z, to)
	} else {
		VPANDQ(mask, z, to)
	}
}

// carryWith is carry with temporary registers.
func (s sums) carryWith(to number, t [2]vec, m masks) (p program) {
	l, k := s.low, s.high
	right := func(n uint64, x, to vec) { p.Add(func() { VPSRLQ(Imm(n), x, to) }) }
	left := func(n uint64, x, to vec) { p.Add(func() { VPSLLQ(Imm(n), x, to) }) }
	add := func(x, to vec) { p.Add(func() { VPADDQ(x, to, to) }) }
	mask := func(m Op, x, to vec) { p.Add(func() { and(m, x, to) }) }
	right(44, l[0], t[0])
	left(8, k[0], k[0])
	add(k[0], l[1])
	left(8, k[1], k[1])
	add(t[0], l[1])
	add(k[1], l[2])
	right(44, l[1], t[1])
	left(10, k[2], k[2])
	add(t[1], l[2])
	mask(m.mask44, l[0], l[0])
	right(42, l[2], t[0])
	mask(m.mask44, l[1], l[1])
	add(k[2], t[0])
	left(2, t[0], t[1])
	add(t[0], l[0])
	mask(m.mask42, l[2], to[2])
	add(t[1], l[0])
	right(44, l[0], t[0])
	mask(m.mask44, l[0], to[0])
	p.Add(func() { VPADDQ(t[0], l[1], to[1]) })
	return p
}

// split makes limbs of the blocks in x (0 to 3) and y (4 to 7), without bit
// 128.
func split(x, y vec, to number) { splitWith(x, y, to, mask44).Write() }

// splitWith is split with the mask in any register.
func splitWith(x, y vec, to number, mask44 vec) (p program) {
	p.Add(func() { VPUNPCKLQDQ(y, x, to[0]) })
	p.Add(func() { VPUNPCKHQDQ(y, x, to[2]) })
	p.Add(func() { VPSRLQ(Imm(44), to[0], to[1]) })
	p.Add(func() { VPSLLQ(Imm(20), to[2], x) })
	p.Add(func() { VPTERNLOGQ(Imm(0xa8), mask44, x, to[1]) }) // (to[1] | x) & mask
	p.Add(func() { VPANDQ(mask44, to[0], to[0]) })
	p.Add(func() { VPSRLQ(Imm(24), to[2], to[2]) })
	return p
}

// times20 fills the upper part of a factor.
func (f factor) times20() {
	for i := range 2 {
		VPSLLQ(Imm(2), f[1+i], f[3+i])
		VPADDQ(f[1+i], f[3+i], f[3+i])
		VPSLLQ(Imm(2), f[3+i], f[3+i])
	}
}

func (f factor) store(base reg.Register, disp int) {
	for i, z := range f {
		VMOVDQA64(z, at(base, disp+64*i))
	}
}

func (f factor) load(base reg.Register, disp int) {
	for i, z := range f {
		VMOVDQA64(at(base, disp+64*i), z)
	}
}

func (f factor) broadcast(base reg.Register, disp int) {
	for i, z := range f {
		VPBROADCASTQ(at(base, disp+64*i), z)
	}
}

// blend moves the lanes k of x to n.
func (n number) blend(k reg.Register, x number) {
	for i := range 3 {
		VMOVDQA64(x[i], k, n[i])
	}
}

// first broadcasts lane 0 of n.
func (f factor) first(n number) {
	for i := range 3 {
		VPBROADCASTQ(amd64.X(n[i]), f[i])
	}
	f.times20()
}

// multiply makes to the product of x and f.
func multiply(x number, f factor, to number) {
	sumA.zero()
	sumA.add(x, f)
	sumA.carry(to)
}

// powers fills the table of powers of the r in the lanes of power: for 8 blocks
// if there are up to 8 in a message, and so on. count is the number of vectors,
// label prefixes the labels. It changes K1, RAX, data, hash and the sums.
func powers(base reg.GPPhysical, count reg.GPPhysical, label string) {
	x := data
	for i := range 3 {
		VMOVDQA64(power[i], x[i])
	}
	power.times20()
	multiply(x, power, hash) // r^2
	lanes := func(mask uint32) {
		MOVL(U32(mask), reg.EAX)
		KMOVB(reg.EAX, reg.K1)
	}
	lanes(0x33)
	x.blend(reg.K1, hash) // r^2 r^2 r^1 r^1 r^2 r^2 r^1 r^1
	power.first(hash)
	multiply(x, power, hash)
	lanes(0x0f)
	x.blend(reg.K1, hash) // r^4 r^4 r^3 r^3 r^2 r^2 r^1 r^1
	power.first(hash)
	multiply(x, power, hash)
	lanes(0x55)
	x.blend(reg.K1, hash) // r^8 r^4 r^7 r^3 r^6 r^2 r^5 r^1
	p := factor{x[0], x[1], x[2], tmp[0], tmp[1]}
	p.times20()
	p.store(base, 0)
	CMPQ(count, Imm(1))
	JBE(LabelRef(label + "Powers"))
	power.first(x)
	keep := number{reg.Z28, reg.Z29, reg.Z30}
	multiply(x, power, keep)
	p = factor{keep[0], keep[1], keep[2], tmp[0], tmp[1]}
	p.times20()
	p.store(base, factorSize)
	CMPQ(count, Imm(2))
	JBE(LabelRef(label + "Powers"))
	multiply(keep, power, x)
	p = factor{x[0], x[1], x[2], tmp[0], tmp[1]}
	p.times20()
	p.store(base, 2*factorSize)
	power.first(keep)
	multiply(keep, power, x)
	p.times20()
	p.store(base, 3*factorSize)
	Label(label + "Powers")
}

// vectorsOf says how many vectors n blocks from from on are, and how many blocks
// are missing in the first one, where it moves from to. It changes RAX.
func vectorsOf(n, from, count, front reg.GPPhysical) {
	LEAQ(at(n, 7), count)
	SHRQ(Imm(3), count)
	MOVQ(count, front)
	SHLQ(Imm(3), front)
	SUBQ(n, front)
	MOVQ(front, reg.RAX)
	SHLQ(Imm(4), reg.RAX)
	SUBQ(reg.RAX, from)
}

// endOf sets the masks of an ending of n bytes. It changes RAX and RCX.
func endOf(n reg.GPPhysical, bytes, lengths reg.Register) {
	MOVQ(n, reg.RAX)
	NEGQ(reg.RAX)
	ANDQ(Imm(15), reg.RAX)
	MOVQ(I32(-1), reg.RCX)
	SHRXQ(reg.RAX, reg.RCX, reg.RCX)
	KMOVQ(reg.RCX, bytes)
	MOVL(U32(0xc0), reg.ECX)
	KMOVB(reg.ECX, lengths)
}

// stream is the hash of whole vectors.
type stream struct {
	label  string
	base   reg.GPPhysical // table of powers
	from   reg.GPPhysical // the first vector, before the message if front blocks are missing
	count  reg.GPPhysical // vectors
	front  reg.GPPhysical // blocks missing in the first one
	h      [3]reg.GPPhysical
	step   int     // vectors in a step, 2 or 4; those of 2 have at least 3
	ending *ending // what the last vector has, nil if it is like the others
}

// An ending is the last blocks of text, padded with zeros, and the block of
// lengths.
type ending struct {
	bytes   reg.Register // mask of the last four blocks of text
	lengths reg.Register // mask of the last two quadwords
	memory  Mem
}

// load loads the second half of a vector, which ends with the lengths. It
// reads nothing behind the last block of text.
func (e *ending) load(from reg.Register, y vec) {
	VMOVDQU8_Z(at(from, 48), e.bytes, y)
	VALIGNQ(Imm(2), y, y, y)
	VBROADCASTI64X2(e.memory, e.lengths, y)
}

// first makes hash the first vector, with h added to the first block. It changes h, front, RAX, R8,
// t and K1 to K3.
func (s stream) first(hash number, t [2]vec, mask44 vec, bit128 Op) {
	ref := func(name string) LabelRef { return LabelRef(s.label + name) }
	label := func(name string) { Label(s.label + name) }
	x, y := t[0], t[1]
	// The first vector, with what is to be added to the first block.
	LEAQ(polyConstants.lanes, reg.RAX)
	KMOVB(Mem{Base: reg.RAX, Index: s.front, Scale: 1}, reg.K2)
	KMOVB(Mem{Base: reg.RAX, Index: s.front, Scale: 1, Disp: 8}, reg.K3)
	// Nothing is loaded from before the message, though masks would allow it:
	// faults that they suppress take a long time.
	second := func() {
		if s.ending == nil {
			VMOVDQU64(at(s.from, 64), y)
			return
		}
		CMPQ(s.count, Imm(1))
		JNE(ref("Two"))
		s.ending.load(s.from, y)
		JMP(ref("One"))
		label("Two")
		VMOVDQU64(at(s.from, 64), y)
		label("One")
	}
	expand := func(z vec, to reg.GPPhysical) {
		ADDL(s.front.As32(), s.front.As32())
		MOVL(U32(0xff), reg.EAX)
		SHRXL(s.front.As32(), reg.EAX, to.As32())
		KMOVB(to.As32(), reg.K1)
		VMOVDQU64_Z(Mem{Base: s.from, Index: s.front, Scale: 8}, reg.K1, z)
		SHLXL(s.front.As32(), reg.EAX, reg.EAX)
		KMOVB(reg.EAX, reg.K1)
		VPEXPANDQ_Z(z, reg.K1, z)
	}
	CMPQ(s.front, Imm(4))
	JAE(ref("Half"))
	second()
	expand(x, reg.R8)
	JMP(ref("Loaded"))
	label("Half")
	SUBQ(Imm(4), s.front)
	ADDQ(Imm(64), s.from)
	expand(y, reg.R8)
	SUBQ(Imm(64), s.from)
	VPXORQ(x, x, x)
	label("Loaded")
	ADDQ(I32(128), s.from)
	splitWith(x, y, hash, mask44).Write()
	or128(bit128, hash[2], reg.K2)
	// 64 + 64 + 3 bits to 44 + 44 + 43
	v, u := reg.RAX, reg.R8
	MOVQ(s.h[0], v)
	SHRQ(Imm(44), v)
	MOVQ(s.h[1], u)
	SHLQ(Imm(20), u)
	ORQ(u, v)
	VPBROADCASTQ(v, x)
	VPANDQ(mask44, x, x)
	VPADDQ(x, hash[1], reg.K3, hash[1])
	VPBROADCASTQ(s.h[0], x)
	VPANDQ(mask44, x, x)
	VPADDQ(x, hash[0], reg.K3, hash[0])
	SHRQ(Imm(24), s.h[1])
	SHLQ(Imm(40), s.h[2])
	ORQ(s.h[2], s.h[1])
	VPBROADCASTQ(s.h[1], x)
	VPADDQ(x, hash[2], reg.K3, hash[2])
}

// emit hashes and leaves the sums in the lanes of sumA. It changes all
// registers named, RAX and R8.
func (s stream) emit() {
	ref := func(name string) LabelRef { return LabelRef(s.label + name) }
	label := func(name string) { Label(s.label + name) }
	x, y := tmp[0], tmp[1]
	next := func(to number, last bool) {
		VMOVDQU64(at(s.from, 0), x)
		if last && s.ending != nil {
			s.ending.load(s.from, y)
		} else {
			VMOVDQU64(at(s.from, 64), y)
		}
		ADDQ(I32(128), s.from)
		split(x, y, to)
		VPORQ(bit128, to[2], to[2])
	}
	s.first(hash, [2]vec{x, y}, mask44, bit128)

	group := func(last bool) {
		name := "Group"
		load := factor.broadcast
		if last {
			name = "Last"
			load = factor.load
		}
		for i, s0 := range []sums{sumA, sumB, sumA}[:s.step-1] {
			left := s.step - 1 - i
			label(fmt.Sprint(name, left+1))
			next(data, last && left == 1)
			load(power, s.base, (left-1)*factorSize)
			s0.add(data, power)
		}
		label(name + "1")
		load(power, reg.R8, 0)
		if s.step == 2 {
			sumA.add(hash, power)
			return
		}
		sumB.add(hash, power)
		sumA.merge(sumB)
	}
	most := at(s.base, (s.step-1)*factorSize)
	sumA.zero()
	sumB.zero()
	LEAQ(most, reg.R8)
	if s.step == 4 {
		CMPQ(s.count, Imm(4))
		JBE(ref("Short"))
	}
	LEAQ(at(s.count, -1), reg.RAX)
	ANDQ(Imm(uint64(s.step-1)), reg.RAX)
	SUBQ(reg.RAX, s.count)
	DECQ(s.count)
	if s.step == 4 {
		CMPQ(reg.RAX, Imm(2))
		JA(ref("Group4"))
		LEAQ(at(s.base, 2*factorSize), reg.R8)
		JE(ref("Group3"))
		LEAQ(at(s.base, factorSize), reg.R8)
	}
	TESTQ(reg.RAX, reg.RAX)
	JNZ(ref("Group2"))
	MOVQ(s.base, reg.R8)
	JMP(ref("Group1"))
	label("More")
	sumA.zero()
	sumB.zero()
	LEAQ(most, reg.R8)
	SUBQ(Imm(uint64(s.step)), s.count)
	JZ(ref(fmt.Sprint("Last", s.step)))
	group(false)
	sumA.carry(hash)
	next(data, false)
	for i := range 3 {
		VPADDQ(data[i], hash[i], hash[i])
	}
	JMP(ref("More"))
	if s.step == 4 {
		label("Short")
		JE(ref("Last4"))
		LEAQ(at(s.base, 2*factorSize), reg.R8)
		CMPQ(s.count, Imm(2))
		JA(ref("Last3"))
		LEAQ(at(s.base, factorSize), reg.R8)
		JE(ref("Last2"))
		MOVQ(s.base, reg.R8)
		JMP(ref("Last1"))
	}
	group(true)
}

// collect adds up the lanes of sumA and makes of them a hash of 130 bits and a
// little in h. It changes t.
func collect(h [3]reg.GPPhysical, t [6]reg.GPPhysical) {
	all := append(append([]vec{}, sumA.low[:]...), sumA.high[:]...)
	free := zmm[18:24]
	for i, z := range all {
		VEXTRACTI64X4(Imm(1), z, amd64.Y(free[i]))
	}
	for i, z := range all {
		VPADDQ(amd64.Y(free[i]), amd64.Y(z), amd64.Y(z))
	}
	for i, z := range all {
		VEXTRACTI32X4(Imm(1), amd64.Y(z), amd64.X(sumB.at(i)))
	}
	for i, z := range all {
		VPADDQ(amd64.X(sumB.at(i)), amd64.X(z), amd64.X(z))
	}
	for i, z := range all {
		VPSRLDQ(Imm(8), amd64.X(z), amd64.X(sumB.at(i)))
	}
	for i, z := range all {
		VPADDQ(amd64.X(sumB.at(i)), amd64.X(z), amd64.X(z))
	}
	for i, z := range all {
		VMOVQ(amd64.X(z), t[i])
	}
	l0, l1, l2, k0, k1, k2 := t[0], t[1], t[2], t[3], t[4], t[5]
	w0, w1, w2 := h[0], h[1], h[2]
	m := w2
	MOVQ(U64(1<<44-1), m)
	carry := func(bits uint64, from, to reg.GPPhysical) {
		MOVQ(from, w0)
		SHRQ(Imm(bits), w0)
		ADDQ(w0, to)
	}
	SHLQ(Imm(8), k0)
	ADDQ(k0, l1)
	SHLQ(Imm(8), k1)
	ADDQ(k1, l2)
	SHLQ(Imm(10), k2)
	carry(44, l0, l1)
	ANDQ(m, l0)
	carry(44, l1, l2)
	ANDQ(m, l1)
	carry(42, l2, k2)
	LEAQ(Mem{Base: k2, Index: k2, Scale: 4}, k2)
	ADDQ(k2, l0)
	SHRQ(Imm(2), m)
	ANDQ(m, l2)
	carry(44, l0, l1)
	MOVQ(U64(1<<44-1), m)
	ANDQ(m, l0)
	// 44 + 44 and a carry + 42 bits to 64 + 64 + 3
	MOVQ(l1, w0)
	SHLQ(Imm(44), w0)
	SHRQ(Imm(20), l1)
	MOVQ(l2, w1)
	SHLQ(Imm(24), w1)
	SHRQ(Imm(40), l2)
	ADDQ(l0, w0)
	ADCQ(l1, w1)
	ADCQ(Imm(0), l2)
	MOVQ(l2, w2)
}

func (s sums) at(i int) vec {
	if i < 3 {
		return s.low[i]
	}
	return s.high[i-3]
}

// scalarMax is up to how many bytes general registers are faster: a block takes
// them 16 cycles, and vectors begin with the powers of r.
const scalarMax = 176

func blocks() {
	constantsOfPoly("blocksAVX512Constants")
	function("blocksAVX512", "(h *[3]uint64, r *[2]uint64, p *byte, n int)", 0,
		"blocksAVX512 continues Poly1305 over n bytes, a multiple of 16 above 0:",
		"h = (h + m) r modulo 2^130-5 for each block, with the bit 2^128 above it.",
		"Vectors of 8 blocks, aligned at the end of the data, 4 of them in a step:",
		"h = (h + m0) r^32 + m1 r^24 + m2 r^16 + m3 r^8, in the last step with the powers of each block.",
		"Z0 to Z2 h, Z3 to Z5 m, Z6 to Z17 sums of products, Z18 to Z22 a power of r, Z25 to Z27",
		"masks; BX the table of powers, SI data, DI vectors, R12 blocks missing in front, R9 to R11 h.",
		"A step of 512 bytes takes 50 cycles: 72 multiplications and 22 shifts, for which two of the four",
		"units are good. Up to 176 bytes go through general registers, 16 cycles for a block.")
	Load(Param("h"), reg.RAX)
	Load(Param("r"), reg.RCX)
	Load(Param("p"), reg.RSI)
	Load(Param("n"), reg.RDX)
	h := [3]reg.GPPhysical{reg.R9, reg.R10, reg.R11}
	for i, x := range h {
		MOVQ(at(reg.RAX, 8*i), x)
	}
	CMPQ(reg.RDX, U32(scalarMax))
	JA(LabelRef("vectors"))
	sc := scalar{h, [2]reg.GPPhysical{reg.R12, reg.R13}, [7]reg.GPPhysical{reg.RAX, reg.RCX, reg.R8, reg.R14, reg.R15, reg.RBX, reg.RDI}}
	MOVQ(at(reg.RCX, 0), sc.r[0])
	MOVQ(at(reg.RCX, 8), sc.r[1])
	left := reg.RBP
	MOVQ(reg.RDX, left)
	Label("few")
	sc.block(at(reg.RSI, 0))
	ADDQ(Imm(16), reg.RSI)
	SUBQ(Imm(16), left)
	JNZ(LabelRef("few"))
	Load(Param("h"), reg.RAX)
	for i, x := range h {
		MOVQ(x, at(reg.RAX, 8*i))
	}
	RET()
	Label("vectors")
	scratch(tableSize, reg.RBX)
	MOVQ(at(reg.RCX, 0), reg.RAX)
	MOVQ(at(reg.RCX, 8), reg.RCX)
	loadPolyConstants()
	setR(reg.RAX, reg.RCX)
	SHRQ(Imm(4), reg.RDX)
	vectorsOf(reg.RDX, reg.RSI, reg.RDI, reg.R12)
	powers(reg.RBX, reg.RDI, "blocks")
	stream{label: "blocks", base: reg.RBX, from: reg.RSI, count: reg.RDI, front: reg.R12, h: h, step: 4}.emit()
	collect(h, [6]reg.GPPhysical{reg.RAX, reg.RCX, reg.RDX, reg.RSI, reg.RDI, reg.R8})
	Load(Param("h"), reg.RAX)
	for i, x := range h {
		MOVQ(x, at(reg.RAX, 8*i))
	}
	wipe(reg.RBX, 0, tableSize)
	finish()
}

// setR puts r, whose words are lo and hi, in all lanes of power. It changes
// both and R8.
func setR(lo, hi reg.GPPhysical) {
	VPBROADCASTQ(lo, power[0])
	VPANDQ(mask44, power[0], power[0])
	SHRQ(Imm(44), lo)
	MOVQ(hi, reg.R8)
	SHLQ(Imm(20), reg.R8)
	ORQ(reg.R8, lo)
	VPBROADCASTQ(lo, power[1])
	VPANDQ(mask44, power[1], power[1])
	SHRQ(Imm(24), hi)
	VPBROADCASTQ(hi, power[2])
}

// or128 adds 2^128, in a register or in memory to broadcast, in the lanes k.
func or128(bit128 Op, z vec, k reg.Register) {
	if m, ok := bit128.(Mem); ok {
		VPORQ_BCST(m, z, k, z)
	} else {
		VPORQ(bit128, z, k, z)
	}
}
