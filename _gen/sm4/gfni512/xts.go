package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The kernels of XTS compute tweaks as IEEE 1619 writes them: the lowest bit
// of the lowest byte is the coefficient of x^0. The value added to the data is a
// product of every byte of the tweak with a matrix: the identity, or the one that
// reverses the bits, which gives the tweaks of GB/T 17964-2021.
const xtsSignature = "func(key *uint32, step int, tweak *[16]byte, matrix uint64, dst, src *byte, n int)"

var (
	tweak        = reg.RDX
	xtsArguments = map[string]reg.Register{"key": key, "step": step, "dst": dst, "src": src, "n": remaining}
)

// Offsets in a second table of constants.
const (
	xtsPoly  = 0  // x^7 + x^2 + x + 1
	xtsLeft  = 64 // how far the four tweaks of a register are shifted
	xtsRight = 128
)

var xtsBase Mem

func xtsConstants() {
	var t [192 / 8]uint64
	t[xtsPoly/8] = 0x87
	for i := range 8 {
		t[xtsLeft/8+i] = uint64(i / 2)
		t[xtsRight/8+i] = 64 - uint64(i/2)
	}
	xtsBase = GLOBL("xtsShifts", attr.RODATA|attr.NOPTR)
	for i, q := range t {
		DATA(8*i, U64(q))
	}
}

func startXTS(stack int) {
	arguments(xtsArguments)
	Load(Param("tweak"), tweak)
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, step3)
	scratch(stack)
	lastMask()
	VBROADCASTI64X2(Mem{Base: tweak}, reg.Z2)
	loadField()
	// The tweak times 1, x, x^2 and x^3, and the next four.
	VPSLLVQ(xtsBase.Offset(xtsLeft), reg.Z2, reg.Z0)
	VPSRLVQ(xtsBase.Offset(xtsRight), reg.Z2, reg.Z3)
	carry(reg.Z0)
	VPSLLQ(Imm(4), reg.Z0, reg.Z1)
	VPSRLQ(Imm(60), reg.Z0, reg.Z3)
	carry(reg.Z1)
}

// loadField loads what products of tweaks need: the polynomial into Z31, the
// matrix into Z29.
func loadField() {
	VPBROADCASTQ(xtsBase.Offset(xtsPoly), reg.Z31)
	p, err := Param("matrix").Resolve()
	if err != nil {
		panic(err)
	}
	VPBROADCASTQ(p.Addr, reg.Z29)
}

// carry adds to z, whose halves of 64 bits have been shifted, the bits in Z3
// that left them: those of the lower half to the upper one, those of the upper
// one times x^128 to the lower one. It changes Z3 and Z4.
func carry(z reg.VecPhysical) {
	VPCLMULQDQ(Imm(1), reg.Z31, reg.Z3, reg.Z4) // the upper half of Z3 times the lower of Z31
	VPXORD(reg.Z4, z, z)
	VPSLLDQ(Imm(8), reg.Z3, reg.Z3)
	VPXORD(reg.Z3, z, z)
}

// timesBytes multiplies the tweaks in s by x^(8n), n at most 8, with the result
// in d: a shift by n bytes, and those at the upper end times x^128. It changes
// Z30.
func timesBytes(n uint64, s, d reg.VecPhysical) {
	VPSRLDQ(Imm(16-n), s, reg.Z30)
	VPCLMULQDQ(Imm(0), reg.Z31, reg.Z30, reg.Z30)
	VPSLLDQ(Imm(n), s, d)
	VPXORD(reg.Z30, d, d)
}

// tweaks stores count registers of what is to be added to the data at state
// plus disp, from the tweaks in Z0 and Z1 on, and one more. The next tweaks are
// then in Z0 and Z1, which only 32 registers need. It changes Z2 to Z15, Z28 and
// Z30.
func tweaks(disp, count int) {
	put := func(i int, z reg.VecPhysical) {
		VGF2P8AFFINEQB(Imm(0), reg.Z29, z, reg.Z28)
		VMOVDQA64(reg.Z28, Mem{Base: state, Disp: disp + 64*i})
	}
	half := min(count, 16)
	put(0, reg.Z0)
	put(1, reg.Z1)
	// Two registers times x^8 are the next two, four times x^16 the next four.
	for have := 2; have < half; have *= 2 {
		for i := range have {
			timesBytes(uint64(have/2), zmm[i], zmm[have+i])
			put(have+i, zmm[have+i])
		}
	}
	if count == 32 {
		for i := range 16 {
			timesBytes(8, zmm[i], zmm[i])
			put(16+i, zmm[i])
		}
		timesBytes(8, reg.Z1, reg.Z1)
	}
	timesBytes(uint64(half/2), reg.Z0, reg.Z0)
	put(count, reg.Z0)
}

// addTweaks adds what tweaks stored to the registers r.
func addTweaks(disp int, r []reg.VecPhysical) {
	for i, z := range r {
		VPXORD(Mem{Base: state, Disp: disp + 64*i}, z, z)
	}
}

// endXTS leaves the tweak of the block after the last one. at is where it is:
// the matrix is its own inverse.
func endXTS(at Mem, stack int) {
	loadField()
	VMOVDQU64(at, reg.X0)
	VGF2P8AFFINEQB(Imm(0), reg.X29, reg.X0, reg.X0)
	VMOVDQU64(reg.X0, Mem{Base: tweak})
	wipe(stack)
	finish()
}

func xts16() {
	const stack = 5 * 64
	function("xts16GFNI512", xtsSignature, words16Note,
		"xts16GFNI512 encrypts or decrypts 1 to 16 blocks, n bytes; tweak becomes that of the next",
		"block. key is the first word of Keys.Words to be used, step the bytes to the next.",
		"RDX the tweak, BX on the stack what is added to the blocks.")
	startXTS(stack)
	tweaks(0, 4)
	loadBlocks(first4, 0)
	addTweaks(0, first4)
	toWords()
	loadMatrices()
	words16.rounds(schedule{})
	fromWords()
	addTweaks(0, first4)
	storeBlocks(first4, 0)
	endXTS(Mem{Base: state, Index: remaining, Scale: 1}, stack)
}

func xts64() {
	const stack = 17 * 64
	function("xts64GFNI512", xtsSignature, singleFrameNote,
		"xts64GFNI512 encrypts or decrypts 1 to 64 blocks, n bytes; tweak becomes that of the next",
		"block. key is the first element of Keys.Bytes to be used, step the bytes to the next.",
		"RDX the tweak, BX on the stack what is added to the blocks.")
	startXTS(stack)
	tweaks(0, 16)
	loadBlocks(zmm[:16], 0)
	addTweaks(0, zmm[:16])
	toSingle(zmm[:16], reg.Z16)
	single(schedule{})
	r := fromSingle()
	addTweaks(0, r)
	storeBlocks(r, 0)
	endXTS(Mem{Base: state, Index: remaining, Scale: 1}, stack)
}

func xts128() {
	const (
		disp  = 2048         // of what is added to the data
		next  = disp + 33*64 // Z0 and Z1 of the next batch
		stack = next + 2*64
	)
	function("xts128GFNI512", xtsSignature, dualNote,
		"xts128GFNI512 encrypts or decrypts blocks, n bytes: batches of 128 blocks, the last one",
		"of 65 to 128; tweak becomes that of the next block. key is the first element of",
		"Keys.Bytes to be used, step the bytes to the next.",
		"RDX the tweak; behind the words on the stack what is added to the blocks: it takes 90",
		"cycles for a batch, most of them for carry-less products.")
	startXTS(stack)
	MOVQ(key, keyStart)
	Label("batch")
	tweaks(disp, 32)
	VMOVDQA64(reg.Z0, Mem{Base: state, Disp: next})
	VMOVDQA64(reg.Z1, Mem{Base: state, Disp: next + 64})
	for i := range 16 {
		VMOVDQU64(Mem{Base: src, Disp: 64 * i}, zmm[i])
	}
	addTweaks(disp, zmm[:16])
	toDual(zmm[:16], reg.Z16, 0)
	loadBlocks(zmm[:16], 16)
	addTweaks(disp+1024, zmm[:16])
	toDual(zmm[:16], reg.Z16, 1)
	MOVQ(keyStart, key)
	MOVQ(state, from)
	loadDual()
	dual(schedule{}, 8, nil)
	r := fromDual(0)
	addTweaks(disp, r)
	for i, z := range r {
		VMOVDQU64(z, Mem{Base: dst, Disp: 64 * i})
	}
	r = fromDual(1)
	addTweaks(disp+1024, r)
	storeBlocks(r, 16)
	loadField()
	VMOVDQA64(Mem{Base: state, Disp: next}, reg.Z0)
	VMOVDQA64(Mem{Base: state, Disp: next + 64}, reg.Z1)
	ADDQ(U32(2048), src)
	ADDQ(U32(2048), dst)
	SUBQ(U32(2048), remaining)
	JA(LabelRef("batch"))
	endXTS(Mem{Base: state, Index: remaining, Scale: 1, Disp: disp + 2048}, stack)
}
