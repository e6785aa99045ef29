package main

// A number is five limbs of 26 bits. Vectors hold a limb of two numbers, each in
// the low half of 64 bits: PMULULQ then multiplies both.
//
// A table has the limbs of two multipliers r, and those of 5r behind them:
// 2^130 = 5, so that the products that reach limb 5 and more are added
// to limbs 0 and more with that factor.

const (
	squares  = 0       // table with r^2 twice
	last     = 9 * 16  // table with r^2 and r
	hashAt   = 18 * 16 // the hash, five words
	keysSize = hashAt + 5*4
)

// factor returns limb j of a table, or five times that.
func factor(table, j int, five bool) int {
	if five {
		return table + 16*(4+j)
	}
	return table + 16*j
}

// multiply sets X0 ... X4 to the products, not carried, of the numbers in
// memory at 0(DX) ... 64(DX) and the table at BX.
func multiply(table string, at int) {
	for i := range 5 {
		if i == 0 {
			for j := range 5 {
				line("MOVO (DX), X%d", j)
				line("PMULULQ %d(%s), X%d", factor(at, j, false), table, j)
			}
			continue
		}
		line("MOVO %d(DX), X5", 16*i)
		for j := range 5 {
			x := 6 + j%2
			if j < 4 {
				line("MOVO X5, X%d", x)
			} else {
				x = 5
			}
			line("PMULULQ %d(%s), X%d", factor(at, j, i+j >= 5), table, x)
			line("PADDQ X%d, X%d", x, (i+j)%5)
		}
	}
}

// carry brings X0 ... X4 below 2^26 and little above.
func carry() {
	step := func(i, t int) {
		line("MOVO X%d, X%d", i, t)
		line("PSRLQ $26, X%d", t)
		line("PAND %s, X%d", constant("mask"), i)
		if i < 4 {
			line("PADDQ X%d, X%d", t, i+1)
			return
		}
		line("PADDQ X%d, X0", t)
		line("PSLLQ $2, X%d", t)
		line("PADDQ X%d, X0", t)
	}
	step(3, 5)
	step(0, 6)
	step(4, 5)
	step(1, 6)
	step(2, 5)
	step(0, 6)
	step(3, 5)
}

func storeNumbers() {
	for i := range 5 {
		line("MOVO X%d, %d(DX)", i, 16*i)
	}
}

// setKey emits the function that makes both tables.
func setKey() {
	function("func setKey(k *byte, r *[4]uint32)", 5*16+16,
		"setKey makes the tables for r, which is clamped, at k, a multiple of 16.",
		"AX k, CX r, DX numbers.")
	line("MOVL k+0(FP), AX")
	line("MOVL r+4(FP), CX")
	line("LEAL x-80(SP), DX")
	line("ANDL $~15, DX")
	// The limbs of r.
	line("MOVL 0(CX), SI")
	line("MOVL 4(CX), DI")
	line("MOVL SI, BX")
	line("ANDL $0x3ffffff, BX")
	line("MOVL BX, X0")
	shift := func(n, x int) { // DI:SI >> n in limb x
		line("SHRL $%d, SI", n)
		line("MOVL DI, BX")
		line("SHLL $%d, BX", 32-n)
		line("ORL BX, SI")
		line("ANDL $0x3ffffff, SI")
		line("MOVL SI, X%d", x)
	}
	shift(26, 1)
	line("MOVL 4(CX), SI")
	line("MOVL 8(CX), DI")
	shift(20, 2)
	line("MOVL 8(CX), SI")
	line("MOVL 12(CX), DI")
	shift(14, 3)
	line("SHRL $8, DI")
	line("MOVL DI, X4")
	table := func(at int) {
		for i := range 5 {
			line("MOVO X%d, %d(AX)", i, factor(at, i, false))
			if i > 0 {
				line("MOVO X%d, X5", i)
				line("PSLLL $2, X5")
				line("PADDL X%d, X5", i)
				line("MOVO X5, %d(AX)", factor(at, i, true))
			}
		}
	}
	table(last)
	storeNumbers()
	multiply("AX", last)
	carry()
	// Limb i of r^2 is in the low half of Xi, that of r comes to the high one.
	for i := range 5 {
		line("MOVO X%d, X5", i)
		line("MOVO %d(AX), X6", factor(last, i, false))
		line("PUNPCKLQDQ X6, X5")
		line("MOVO X5, %d(DX)", 16*i)
		line("PUNPCKLQDQ X%d, X%d", i, i)
	}
	table(squares)
	for i := range 5 {
		line("MOVO %d(DX), X%d", 16*i, i)
	}
	table(last)
	line("PXOR X0, X0")
	for i := range 5 {
		line("MOVO X0, %d(DX)", 16*i)
	}
	line("RET\n")
}

// split adds the blocks in X5, first halves, and X6, second halves, to X0 ... X4.
func split(top string) {
	mask := constant("mask")
	line("MOVO X5, X7")
	line("PAND %s, X7", mask)
	line("PADDL X7, X0")
	line("MOVO X5, X7")
	line("PSRLQ $26, X7")
	line("PAND %s, X7", mask)
	line("PADDL X7, X1")
	line("PSRLQ $52, X5")
	line("MOVO X6, X7")
	line("PSLLQ $12, X7")
	line("POR X7, X5")
	line("PAND %s, X5", mask)
	line("PADDL X5, X2")
	line("MOVO X6, X7")
	line("PSRLQ $14, X7")
	line("PAND %s, X7", mask)
	line("PADDL X7, X3")
	line("PSRLQ $40, X6")
	line("POR %s, X6", constant(top))
	line("PADDL X6, X4")
}

// hash emits the function that hashes blocks. Even ones go to the first number
// of the vectors, odd ones to the second: h = (h + block)·r^2 for both, and r
// for the second in the end, before both are added. Of an odd number of
// blocks, the first goes to the second number, with the hash so far.
func hash() {
	function("func hash(k, p *byte, blocks int)", 5*16+16,
		"hash continues the hash at k, a multiple of 16, over blocks, at least one.",
		"AX k, CX p, DX numbers, BX table, SI blocks left; X0 ... X4 two hashes.")
	line("MOVL k+0(FP), AX")
	line("MOVL p+4(FP), CX")
	line("MOVL blocks+8(FP), SI")
	line("LEAL x-80(SP), DX")
	line("ANDL $~15, DX")
	for i := range 5 {
		line("MOVL %d(AX), X%d", hashAt+4*i, i)
	}
	line("TESTL $1, SI")
	line("JEQ loop")
	line("INCL SI")
	line("PXOR X5, X5")
	line("PXOR X6, X6")
	for i := range 5 {
		line("PSLLO $8, X%d", i)
	}
	line("MOVHPS (CX), X5")
	line("MOVHPS 8(CX), X6")
	split("topHigh")
	line("ADDL $16, CX")
	line("JMP multiply")
	line("loop:")
	load := func() {
		for i := range 2 {
			line("MOVQ %d(CX), X%d", 8*i, 5+i)
			line("MOVHPS %d(CX), X%d", 16+8*i, 5+i)
		}
	}
	load()
	split("top")
	line("ADDL $32, CX")
	line("multiply:")
	storeNumbers()
	line("SUBL $2, SI")
	line("JEQ last")
	multiply("AX", squares)
	carry()
	line("JMP loop")
	line("last:")
	multiply("AX", last)
	for i := range 5 {
		line("PSHUFL $0xee, X%d, X5", i)
		line("PADDQ X5, X%d", i)
	}
	carry()
	for i := range 5 {
		line("MOVL X%d, %d(AX)", i, hashAt+4*i)
	}
	line("PXOR X0, X0")
	for i := range 5 {
		line("MOVO X0, %d(DX)", 16*i)
	}
	line("RET\n")
}
