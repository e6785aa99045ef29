package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"

	"github.com/cipherlane/cipherlane/_gen/simd"
)

// Instructions in the encoding that package simd has chosen, with its rules for operands. The
// legacy one is for XMM registers only.

// rowSize is the size of the widest registers: by bytes, one has a byte of so many blocks.
func rowSize() int { return int(widest()[0].Size()) }

// widest are the widest registers.
func widest() [16]vec {
	if simd.Legacy {
		return xmm
	}
	return ymm
}

// move loads, stores or copies a register; memory may have any alignment.
func move(from, to Op) {
	a, fromRegister := from.(vec)
	b, toRegister := to.(vec)
	switch {
	case fromRegister && toRegister:
		simd.Move(a, b)
	case fromRegister:
		simd.Write(a, to.(Mem))
	default:
		simd.Read(from.(Mem), b)
	}
}

// xor is VPXOR, for all sizes of VEX.
func xor(a Op, b, out vec) { simd.Xor(a, b, out) }

// xorMemory adds memory of any alignment to x. The legacy form overwrites X14.
func xorMemory(m Mem, x vec) { simd.XorMemory(m, x, xmm[14]) }

// shuffle permutes the bytes of x.
func shuffle(index Op, x, out vec) { simd.Shuffle(index, x, out) }

// lookUp takes bytes out of a table, which the legacy form copies: out must not be the index.
func lookUp(index vec, table Op, out vec) {
	if !simd.Legacy {
		VPSHUFB(index, table, out)
		return
	}
	if index == out {
		panic("the table overwrites the index")
	}
	MOVO(table, out)
	PSHUFB(index, out)
}

// held is a table for lookUp: in the register, or where it is in memory.
func held(table Mem, r vec) Op {
	if simd.Legacy {
		return table
	}
	move(table, r)
	return r
}

func ordered(a Op, b, out vec, vex, legacy func(a, b, out Op)) {
	if simd.Legacy {
		legacy(a, b, out)
	} else {
		vex(a, b, out)
	}
}

// inPlace is the legacy form of an operation, behind a copy if it needs one.
func inPlace(f func(a, out Op)) func(a, b, out Op) {
	return func(a, b, out Op) {
		if b != out {
			if a == out {
				panic("the copy overwrites an operand")
			}
			MOVO(b, out)
		}
		f(a, out)
	}
}

// unpack interleaves elements of b and a, bits wide: those of the lower or of the higher halves.
func unpack(bits int, high bool, a Op, b, out vec) {
	type form = func(a, out Op)
	type vexForm = func(a, b, out Op)
	legacy := map[int][2]form{8: {PUNPCKLBW, PUNPCKHBW}, 32: {PUNPCKLLQ, PUNPCKHLQ}, 64: {PUNPCKLQDQ, PUNPCKHQDQ}}
	vex := map[int][2]vexForm{
		8:  {func(a, b, out Op) { VPUNPCKLBW(a, b, out) }, func(a, b, out Op) { VPUNPCKHBW(a, b, out) }},
		32: {func(a, b, out Op) { VPUNPCKLDQ(a, b, out) }, func(a, b, out Op) { VPUNPCKHDQ(a, b, out) }},
		64: {func(a, b, out Op) { VPUNPCKLQDQ(a, b, out) }, func(a, b, out Op) { VPUNPCKHQDQ(a, b, out) }},
	}
	i := 0
	if high {
		i = 1
	}
	ordered(a, b, out, vex[bits][i], inPlace(legacy[bits][i]))
}

// broadcast puts an element of so many bits everywhere. The legacy form reads at least four bytes.
func broadcast(bits int, from Op, out vec) {
	x, register := from.(vec)
	if !simd.Legacy {
		map[int]func(...Op){8: VPBROADCASTB, 32: VPBROADCASTD, 64: VPBROADCASTQ}[bits](from, out)
		return
	}
	if !register {
		word(from, out)
		x = out
	}
	switch bits {
	case 8:
		simd.Move(x, out)
		PSHUFB(constant("byte0", 0), out)
	case 32:
		PSHUFD(Imm(0), x, out)
	case 64:
		PSHUFD(Imm(0x44), x, out)
	}
}

// word loads or stores the lowest 32 bits.
func word(from, to Op) {
	if simd.Legacy {
		// MOVD of avo is MOVQ of Go's assembler.
		Instruction(&ir.Instruction{Opcode: "MOVL", Operands: []Op{from, to}})
	} else {
		VMOVD(from, to)
	}
}

func aesencLast(key Mem, x vec) {
	if simd.Legacy {
		AESENCLAST(key, x)
	} else {
		VAESENCLAST(key, x, x)
	}
}

// done is the end of a function.
func done() {
	if !simd.Legacy {
		VZEROUPPER()
	}
	RET()
}
