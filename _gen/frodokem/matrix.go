package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// This file makes the matrix A with AES.
//
// Entries 8j to 8j+7 of row i are AES-128 of the block i || 8j || 0, of little-endian words
// of 16 bits, under a public key. Two of the ten rounds are nearly free. The four bytes of i
// and 8j are in one column. In the first round, ShiftRows moves them to four columns: after
// it each column depends on i or on j, but not on both. In the second, SubBytes works on
// each byte alone, and the rest is linear. So the state after two rounds is a xor of what
// depends on i and of what depends on j. With two(b), a block b after two rounds:
//
//	X[i] = two(i || 0)
//	Y[j] = two(0 || 8j) ^ two(0 || 0)
//	two(i || 8j) = X[i] ^ Y[j]
//
// which leaves a xor and eight rounds for each block. X and Y take n + n/8 blocks of two
// rounds once, for n²/8 blocks of A. ("Two rounds" includes the first round key.)
//
// The bound is the AES units: eight instructions for a register, of 1, 2 or 4 blocks. Each
// waits for the one before, so that eight registers are in flight, or four beside
// multiplications. Zen 4 and Zen 5 have two units; on Zen 4 an instruction of 512 bits takes
// two cycles of one.

// Offsets in amd64.Matrix.
const (
	maxN       = 1344
	xAt        = 0               // X[maxN]
	yAt        = maxN * 16       // Y[maxN/8]
	keysAt     = yAt + maxN/8*16 // 11 round keys
	matrixSize = keysAt + 12*16  // with padding to a cache line
	aesRounds  = 8               // that are left
	key3At     = keysAt + 16*3   // the key of the first of them
)

func prepare512() {
	var blocks []uint32
	for i := range uint32(4) {
		blocks = append(blocks, i, 0, 0, 0)
	}
	four, step4 := amd64.Constants("prepareLanes", blocks...), amd64.Constants[uint32]("prepareStep", 4, 0, 0, 0)
	k := amd64.Begin("PrepareVAES512", "(m *Matrix, n int)",
		"PrepareVAES512 fills X and Y: X[i] is the block i || 0 after two rounds of AES, Y[j] the block",
		"0 || 8j, plus X[0].")
	m := k.GP(reg.RAX, "m")
	n := k.GP(reg.RCX, "n, then columns left")
	at := k.GP(reg.RBX, "the next of X or Y")
	rowsLeft := k.GP(reg.RDX, "rows left")
	keys := k.Vecs(zmm[:3], "round keys")
	block := k.Vec(zmm[3], "four blocks")
	step := k.Vec(zmm[4], "what they grow by")
	state := k.Vec(zmm[5], "their states")
	x0 := k.Vec(zmm[6], "X[0]")
	k.Table()
	Load(Param("m"), m)
	Load(Param("n"), n)
	for i, key := range keys {
		VBROADCASTI32X4(Mem{Base: m, Disp: keysAt + 16*i}, key)
	}
	VMOVDQU64(four, block)
	VBROADCASTI32X4(step4, step)
	LEAQ(Mem{Base: m, Disp: xAt}, at)
	two := func() {
		VPXORQ(block, keys[0], state)
		VAESENC(keys[1], state, state)
		VAESENC(keys[2], state, state)
	}
	MOVQ(n, rowsLeft)
	Label("x")
	two()
	VMOVDQU64(state, Mem{Base: at})
	VPADDD(step, block, block)
	ADDQ(Imm(64), at)
	SUBQ(Imm(4), rowsLeft)
	JNE(LabelRef("x"))

	Comment("Y: the number is in the upper half of the word, and eight times as large.")
	VBROADCASTI32X4(Mem{Base: m, Disp: xAt}, x0)
	VMOVDQU64(four, block)
	VPSLLD(Imm(16+3), block, block)
	VPSLLD(Imm(16+3), step, step)
	LEAQ(Mem{Base: m, Disp: yAt}, at)
	Label("y")
	two()
	VPXORQ(x0, state, state)
	VMOVDQU64(state, Mem{Base: at})
	VPADDD(step, block, block)
	ADDQ(Imm(64), at)
	SUBQ(Imm(4*8), n)
	JG(LabelRef("y"))
	VZEROUPPER()
	RET()
}

// prepareAESNI has no VEX forms, and neither has rowsAESNI: they are also for CPUs without AVX.
func prepareAESNI() {
	k := amd64.Begin("PrepareAESNI", "(m *Matrix, n int)",
		"PrepareAESNI fills X and Y, as PrepareVAES512 does.")
	m := k.GP(reg.RAX, "m")
	left := k.GP(reg.RCX, "blocks left")
	at := k.GP(reg.RBX, "the next of X or Y")
	word := k.GP(reg.RDX, "the first dword of the next block").As32()
	step := k.GP(reg.RSI, "what it grows by").As32()
	keys := k.Vecs(xmm[:3], "round keys")
	x0 := k.Vec(xmm[3], "0, then X[0]")
	state := k.Vec(xmm[4], "the state of a block")
	k.Table()
	Load(Param("m"), m)
	Load(Param("n"), left)
	for i, key := range keys {
		MOVOU(Mem{Base: m, Disp: keysAt + 16*i}, key)
	}
	PXOR(x0, x0)
	LEAQ(Mem{Base: m, Disp: xAt}, at)
	XORL(word, word)
	MOVL(U32(1), step)
	for _, name := range []string{"x", "y"} {
		if name == "y" {
			MOVOU(Mem{Base: m, Disp: xAt}, x0)
			LEAQ(Mem{Base: m, Disp: yAt}, at)
			Load(Param("n"), left)
			SHRQ(Imm(3), left)
			XORL(word, word)
			MOVL(U32(8<<16), step)
		}
		Label(name)
		MOVD(word, state)
		PXOR(keys[0], state)
		AESENC(keys[1], state)
		AESENC(keys[2], state)
		PXOR(x0, state)
		MOVOU(state, Mem{Base: at})
		ADDQ(Imm(16), at)
		ADDL(step, word)
		DECQ(left)
		JNE(LabelRef(name))
	}
	RET()
}

// An aesUnit is how many blocks an AES instruction of the kernels without AVX-512 takes.
type aesUnit struct {
	isa      string // the end of the names of kernels
	products string // that of kernels that also multiply
	blocks   int
}

var (
	aesni   = aesUnit{"AESNI", "AESNIAVX2", 1}
	vaes256 = aesUnit{"VAES256", "VAES256", 2}
)

// part is the part of a register with these blocks.
func (u aesUnit) part(v Vec) Vec {
	if u.blocks == 2 {
		return v
	}
	return amd64.X(v)
}

// storeKeys puts the round keys that are left in memory, each twice.
func storeKeys(m reg.Register, keys Mem, t Vec) {
	for r := range aesRounds {
		VBROADCASTI128(Mem{Base: m, Disp: key3At + 16*r}, t)
		VMOVDQU(t, keys.Offset(32*r))
	}
}

const keysSize = aesRounds * 32

// rounds makes entries of A of states X[i] ^ Y[j].
func (u aesUnit) rounds(states []Vec, keys Mem) {
	for r := range aesRounds {
		for _, v := range states {
			v = u.part(v)
			if r < aesRounds-1 {
				VAESENC(keys.Offset(32*r), v, v)
			} else {
				VAESENCLAST(keys.Offset(32*r), v, v)
			}
		}
	}
}

// joined returns registers of 16 columns each, which it makes of those of 8 if that is
// what instructions take.
func (u aesUnit) joined(a []Vec) []Vec {
	if u.blocks == 2 {
		return a
	}
	var joined []Vec
	for i := 0; i < len(a); i += 2 {
		VINSERTI128(Imm(1), amd64.X(a[i+1]), a[i], a[i])
		joined = append(joined, a[i])
	}
	return joined
}

func rowsOfA(u aesUnit) {
	k := amd64.Begin("EightRows"+u.isa, "(rows []uint16, m *Matrix, first, n int)",
		"EightRows"+u.isa+" makes eight rows of A, the first of which has that number, of n words each:",
		"eight rounds of AES of X[i] ^ Y[j]. For batches: what it makes is multiplied by several S'.")
	m := k.GP(reg.RAX, "m")
	x := k.GP(reg.RBX, "X of the first row")
	y := k.GP(reg.RDX, "the next Y")
	out := eightRows{
		first:   k.GP(reg.RDI, "where the first row goes on"),
		fifth:   k.GP(reg.R9, "where the fifth row goes on"),
		stride:  k.GP(reg.RSI, "the bytes in a row"),
		stride3: k.GP(reg.R8, "three times that"),
	}
	left := k.GP(reg.RCX, "steps left")
	var step func()
	if u == aesni {
		step = rowsAESNI(k, m, x, y, out)
	} else {
		step = rowsVAES256(k, m, x, y, out)
	}
	Load(Param("first"), x)
	SHLQ(Imm(4), x)
	LEAQ(Mem{Base: m, Index: x, Scale: 1, Disp: xAt}, x)
	LEAQ(Mem{Base: m, Disp: yAt}, y)
	Load(Param("rows").Base(), out.first)
	Load(Param("n"), out.stride)
	MOVQ(out.stride, left)
	SHRQ(Imm(uint64(2+u.blocks)), left) // n/8 blocks
	ADDQ(out.stride, out.stride)
	out.addresses()
	Label("step")
	step()
	ADDQ(Imm(uint64(16*u.blocks)), y)
	out.advance(16 * u.blocks)
	DECQ(left)
	JNE(LabelRef("step"))
	if u != aesni {
		VZEROUPPER()
	}
	RET()
}

const inFlight = " of every row in flight, so that the latency of AES is hidden."

// rowsVAES256 loads what all steps need, and returns what a step does.
func rowsVAES256(k *amd64.Kernel, m, x, y reg.GPPhysical, out eightRows) (step func()) {
	keys := alignedLocal(k, keysSize, "round keys, each twice")
	states := k.Vecs(ymm[:8], "states of a row each")
	columns := k.Vec(ymm[8], "Y")
	k.Table("Each step has two blocks" + inFlight)
	Load(Param("m"), m)
	keys.align()
	storeKeys(m, keys.Mem, ymm[0])
	return func() {
		VMOVDQU(Mem{Base: y}, columns)
		for r, v := range states {
			VBROADCASTI128(Mem{Base: x, Disp: 16 * r}, v)
			VPXOR(columns, v, v)
		}
		vaes256.rounds(states, keys.Mem)
		for r, v := range states {
			VMOVDQU(v, out.row(r))
		}
	}
}

// rowsAESNI is like rowsVAES256. There is a register for each of seven round keys. The last one
// and Y share another.
func rowsAESNI(k *amd64.Kernel, m, x, y reg.GPPhysical, out eightRows) (step func()) {
	states := k.Vecs(xmm[:8], "states of a row each")
	keys := k.Vecs(xmm[8:16], "round keys; before the last one, Y")
	k.Table("Each step has one block" + inFlight)
	Load(Param("m"), m)
	last := keys[aesRounds-1]
	for r, key := range keys[:aesRounds-1] {
		MOVOU(Mem{Base: m, Disp: key3At + 16*r}, key)
	}
	return func() {
		MOVOU(Mem{Base: y}, last)
		for r, v := range states {
			MOVOU(Mem{Base: x, Disp: 16 * r}, v)
			PXOR(last, v)
		}
		MOVOU(Mem{Base: m, Disp: key3At + 16*(aesRounds-1)}, last)
		for r, key := range keys {
			for _, v := range states {
				if r < aesRounds-1 {
					AESENC(key, v)
				} else {
					AESENCLAST(key, v)
				}
			}
		}
		for r, v := range states {
			MOVOU(v, out.row(r))
		}
	}
}
