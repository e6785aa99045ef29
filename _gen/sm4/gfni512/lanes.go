package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64/ssa"
)

// Offsets in the struct Lanes.
const (
	lanesKeys   = 0                  // 64 pointers to Keys
	lanesSrc    = lanesKeys + 512    // 64 pointers
	lanesDst    = lanesSrc + 512     // 64 pointers
	lanesChain  = lanesDst + 512     // 64 blocks
	lanesPlanes = lanesChain + 1024  // 63 bytes more than those below
	planesChain = 32 * 256           // the last ciphertext blocks, behind the round keys
	planesStage = planesChain + 1024 // four blocks of each lane
)

// The registers of the kernels of lanes, in addition to those of single.
var (
	lanes  = reg.RDX
	offset = reg.R9 // bytes from a pointer of a lane to its next block

	at     = reg.RSI // on the stage
	blocks = reg.RDI // of the pass that are left

	pointers = [4]reg.GPPhysical{reg.RAX, reg.R10, reg.R11, reg.R14}
)

// startLanes finds the planes.
func startLanes() {
	Load(Param("l"), lanes)
	LEAQ(Mem{Base: lanes, Disp: lanesPlanes + 63}, state)
	ANDQ(I32(-64), state)
}

// gather loads the 16 bytes at offset of each of the 64 pointers from base on
// into r, in the order of the blocks.
func gather(base Mem, r []reg.VecPhysical) {
	for i, z := range r {
		for l, p := range pointers {
			MOVQ(base.Offset(8*(4*i+l)), p)
			m := Mem{Base: p, Index: offset, Scale: 1}
			if l == 0 {
				VMOVDQU64(m, amd64.X(z))
			} else {
				VINSERTI32X4(Imm(uint64(l)), m, z, z)
			}
		}
	}
}

// turnBlocks transposes the 4x4 blocks in Z0 to Z3. It uses Z4 to Z7.
func turnBlocks() {
	const low, high, even, odd = 0x44, 0xee, 0x88, 0xdd
	VSHUFI32X4(Imm(low), reg.Z1, reg.Z0, reg.Z4)
	VSHUFI32X4(Imm(high), reg.Z1, reg.Z0, reg.Z5)
	VSHUFI32X4(Imm(low), reg.Z3, reg.Z2, reg.Z6)
	VSHUFI32X4(Imm(high), reg.Z3, reg.Z2, reg.Z7)
	VSHUFI32X4(Imm(even), reg.Z6, reg.Z4, reg.Z0)
	VSHUFI32X4(Imm(odd), reg.Z6, reg.Z4, reg.Z1)
	VSHUFI32X4(Imm(even), reg.Z7, reg.Z5, reg.Z2)
	VSHUFI32X4(Imm(odd), reg.Z7, reg.Z5, reg.Z3)
}

// stage is where register i of block n of the four of a pass is.
func stage(n, i int) Mem { return Mem{Base: state, Disp: planesStage + 1024*n + 64*i} }

// stageIn brings the next four blocks of all lanes to the stage, those of a
// lane in one load: of all blocks, or if not full the bytes of K1.
func stageIn(full bool) {
	for i := range 16 {
		for l, p := range pointers {
			MOVQ(Mem{Base: lanes, Disp: lanesSrc + 8*(4*i+l)}, p)
			m := Mem{Base: p, Index: offset, Scale: 1}
			if full {
				VMOVDQU64(m, zmm[l])
			} else {
				VMOVDQU8_Z(m, reg.K1, zmm[l])
			}
		}
		turnBlocks()
		for n := range 4 {
			VMOVDQA64(zmm[n], stage(n, i))
		}
	}
}

// stageOut is the other direction, the last lane first: a lane that is written
// to the memory of the first one leaves no trace.
func stageOut(full bool) {
	for i := 15; i >= 0; i-- {
		for n := range 4 {
			VMOVDQA64(stage(n, i), zmm[n])
		}
		turnBlocks()
		for l := 3; l >= 0; l-- {
			p := pointers[l]
			MOVQ(Mem{Base: lanes, Disp: lanesDst + 8*(4*i+l)}, p)
			m := Mem{Base: p, Index: offset, Scale: 1}
			if full {
				VMOVDQU64(zmm[l], m)
			} else {
				VMOVDQU8(zmm[l], reg.K1, m)
			}
		}
	}
}

func laneKeys() {
	function("laneKeysGFNI512", "func(l *byte)", "",
		"laneKeysGFNI512 makes planes of the round keys of 64 lanes: byte j of round key i of",
		"lane n is byte 16(n%4)+n/4 of plane 4i+j, which is where four stages of unpacking put it.",
		"Keys.Words has four round keys in 16 bytes: those are transposed as blocks are.",
		"Z0 to Z16 the blocks and planes; BX the planes in memory, DX the lanes, R9 the offset in",
		"Keys, AX, R10, R11 and R14 pointers. 480 cycles: 64 loads for four rounds.")
	startLanes()
	XORL(offset.As32(), offset.As32())
	Label("rounds")
	gather(Mem{Base: lanes, Disp: lanesKeys}, zmm[:16])
	r, _ := transpose(zmm[:16], reg.Z16)
	for b, z := range r {
		VMOVDQA64(z, Mem{Base: state, Disp: 64 * b})
	}
	ADDQ(U32(1024), state)
	ADDQ(Imm(16), offset)
	CMPQ(offset, U32(128))
	JB(LabelRef("rounds"))
	finish()
}

func cbcLanes() {
	function("cbcLanesGFNI512", "func(l *byte, n int, store bool)", "",
		"cbcLanesGFNI512 encrypts n bytes, at least one block, of each of 64 lanes. What it writes",
		"goes to Dst if store is set; the last blocks go to Chain.",
		"Byte-sliced rounds as those of blocks64GFNI512, with a plane of key bytes, one of each",
		"lane, where that has a byte for all. The chaining values stay in planes, in the basis T,",
		"behind the round keys. Four blocks of a lane are loaded together, and stored together,",
		"by way of memory behind that: with one at a time, lanes that are a power of two apart",
		"would evict one another from the first-level cache, and stores of 16 bytes take as long.",
		"All blocks of a pass are loaded before one is stored, the first lane is stored last.",
		"Z(4w+j) byte j of word w of 64 lanes, Z16 to Z28 temporary, Z29 to Z31 the matrices U3,",
		"U1, U0; BX the planes, R8 the round key, CX a count, DX the lanes, R9 the offset of the",
		"pass, R12 the bytes left, SI the place of a block on the stage, DI the blocks left there,",
		"AX, R10, R11 and R14 pointers, K1 the bytes of a pass of less than four blocks.",
		"510 cycles for 64 blocks, of which 350 are the rounds; 440 without stores.")
	startLanes()
	Load(Param("n"), remaining)
	XORL(offset.As32(), offset.As32())
	chain := func(i int) Mem { return Mem{Base: state, Disp: planesChain + 64*i} }
	for i := range 16 {
		VMOVDQU64(Mem{Base: lanes, Disp: lanesChain + 64*i}, zmm[i])
	}
	toSingle(zmm[:16], reg.Z16)
	for i := range 16 {
		VMOVDQA64(zmm[i], chain(i))
	}
	Label("pass")
	MOVQ(remaining, reg.RAX)
	SHRQ(Imm(4), reg.RAX)
	MOVQ(reg.RAX, blocks)
	CMPQ(remaining, Imm(64))
	JB(LabelRef("partIn"))
	MOVQ(U32(4), blocks)
	stageIn(true)
	JMP(LabelRef("staged"))
	Label("partIn")
	MOVQ(remaining, reg.RAX)
	byteMask(reg.K1, false)
	stageIn(false)
	Label("staged")
	LEAQ(stage(0, 0), at)
	Label("block")
	for i := range 16 {
		VMOVDQA64(Mem{Base: at, Disp: 64 * i}, zmm[i])
	}
	toSingle(zmm[:16], reg.Z16)
	for i := range 16 {
		VPXORD(chain(i), zmm[i], zmm[i])
	}
	MOVQ(state, key)
	single(ownKeys)
	for w := range 4 {
		for j := range 4 {
			VMOVDQA64(zmm[4*(3-w)+j], chain(4*w+j))
		}
	}
	// MACs want the last block only.
	store, err := Param("store").Resolve()
	if err != nil {
		panic(err)
	}
	CMPB(store.Addr, Imm(0))
	JEQ(LabelRef("unwanted"))
	for i, z := range fromSingle() {
		if i == 0 {
			Comment("ct:allow store x16: a pass has at most four blocks, of 1024 bytes here, in what is behind the round keys")
		}
		VMOVDQA64(z, Mem{Base: at, Disp: 64 * i})
	}
	Label("unwanted")
	ADDQ(U32(1024), at)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	CMPB(store.Addr, Imm(0))
	JEQ(LabelRef("stored"))
	CMPQ(remaining, Imm(64))
	JB(LabelRef("partOut"))
	stageOut(true)
	JMP(LabelRef("stored"))
	Label("partOut")
	stageOut(false)
	Label("stored")
	ADDQ(Imm(64), offset)
	SUBQ(Imm(64), remaining)
	JA(LabelRef("pass"))
	for w := range 4 {
		for j := range 4 {
			VMOVDQA64(chain(4*w+j), zmm[4*(3-w)+j])
		}
	}
	for i, z := range fromSingle() {
		VMOVDQU64(z, Mem{Base: lanes, Disp: lanesChain + 64*i})
	}
	finish()
}

// keyRound is a step of the key schedule for 64 keys, sliced by bytes as singleRound
// is: K4 = K0 + L'(tau(t)), t = K1 + K2 + K3 + CK, all in the basis T.
const keyRound = `
	u0 = b0 ^ c0
	u1 = b1 ^ c1
	u2 = b2 ^ c2
	u3 = b3 ^ c3
	v0 = u0 ^ k0
	v1 = u1 ^ k1
	v2 = u2 ^ k2
	v3 = u3 ^ k3
	t0 = v0 ^ d0
	t1 = v1 ^ d1
	t2 = v2 ^ d2
	t3 = v3 ^ d3
	p0 = V0 t0
	q0 = V1 t3
	p1 = V0 t1
	q1 = V1 t0
	z0 = p0 ^ q0 ^ a0
	z1 = p1 ^ q1 ^ a1
	r0 = V2 t2
	s0 = V3 t1
	r1 = V2 t3
	s1 = V3 t2
	w0 = r0 ^ s0 ^ z0
	w1 = r1 ^ s1 ^ z1
	p2 = V0 t2
	q2 = V1 t1
	p3 = V0 t3
	q3 = V1 t2
	z2 = p2 ^ q2 ^ a2
	z3 = p3 ^ q3 ^ a3
	r2 = V2 t0
	s2 = V3 t3
	r3 = V2 t1
	s3 = V3 t0
	w2 = r2 ^ s2 ^ z2
	w3 = r3 ^ s3 ^ z3
`

// expandLanes makes planes of the round keys of 64 keys, which are in the state of
// single, at state. It changes RCX, RDX and R14.
func expandLanes() {
	steps := GLOBL("lanesSteps", attr.RODATA|attr.NOPTR)
	for i := range 32 {
		for j := range 4 {
			DATA(16*i+4*j, U32(uint64(0x01010101*(ck(i)>>(8*j)&0xff))))
		}
	}
	start := GLOBL("lanesStart", attr.RODATA|attr.NOPTR)
	for w, fk := range systemParameter {
		for j := range 4 {
			b := set.T.Apply(byte(fk>>(8*j))) ^ set.KeyConstant
			DATA(4*(4*w+j), U32(0x01010101*uint64(b)))
		}
	}
	for i := range 16 {
		VPXORD_BCST(start.Offset(4*i), zmm[i], zmm[i])
	}
	m := map[string]matrix{}
	for i, n := range []string{"V0", "V1", "V2", "V3"} {
		VPBROADCASTQ(constant(constV+8*i), zmm[28+i])
		m[n] = matrix{zmm[28+i], set.V[i].C}
	}
	LEAQ(steps, reg.RDX)
	MOVQ(state, reg.R14)
	bytesLoop(keyRound, m, zmm[:28], func(p *ssa.Code, r int, names map[string]ssa.Value) {
		for j := range 4 {
			p.Store(names[fmt.Sprintf("w%d", j)], Mem{Base: reg.R14, Disp: 256*r + 64*j})
		}
	}, true, func(r, j int) Mem { return Mem{Base: reg.RDX, Disp: 16*r + 4*j} }, func() {
		ADDQ(Imm(64), reg.RDX)
		ADDQ(U32(1024), reg.R14)
	})
}

func keyedBlocks() {
	const stack = 32 * 256
	function("keyedBlocksGFNI512", "func(keys, dst, src *byte, n int, decrypt bool)", singleFrameNote,
		"keyedBlocksGFNI512 encrypts or decrypts 1 to 64 blocks, n bytes, each with the key at the",
		"same place in keys. Key schedules are sliced by bytes as rounds are: first all round keys",
		"go to the stack, in planes.",
		"BX the stack; for the keys DX constants, R14 the next plane, Z28 to Z31 matrices; for the",
		"blocks R9, R10 steps. 1000 cycles.")
	scratch(stack)
	Load(Param("n"), remaining)
	Load(Param("keys"), src)
	lastMask()
	loadBlocks(zmm[:16], 0)
	toSingle(zmm[:16], reg.Z16)
	expandLanes()
	Load(Param("src"), src)
	Load(Param("dst"), dst)
	loadBlocks(zmm[:16], 0)
	toSingle(zmm[:16], reg.Z16)
	MOVQ(state, key)
	MOVQ(U32(256), step)
	decrypt, err := Param("decrypt").Resolve()
	if err != nil {
		panic(err)
	}
	forwards := label("forwards")
	CMPB(decrypt.Addr, Imm(0))
	JEQ(LabelRef(forwards))
	ADDQ(U32(31*256), key)
	NEGQ(step)
	Label(forwards)
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, step3)
	single(schedule{planes: true})
	storeBlocks(fromSingle(), 0)
	wipe(stack)
	finish()
}
