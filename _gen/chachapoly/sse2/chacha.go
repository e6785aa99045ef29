package main

// word is where word w of four blocks is.
func word(w int) int { return 16 * w }

// blocks4 emits ChaCha20 of four blocks. Eight registers are not enough for
// anything to stay: a quarter round reads its four words and writes them.
func blocks4() {
	function("func blocks4(state *[16]uint32, dst, src *byte)", 16*16+16,
		"blocks4 adds four blocks of keystream to src, 256 bytes, and 4 to the counter.",
		"AX state, BX dst, CX src, DX double rounds left, SI words of four blocks;",
		"X0 ... X3 words a, b, c, d of a quarter round, X4 temporary.")
	line("MOVL state+0(FP), AX")
	line("MOVL dst+4(FP), BX")
	line("MOVL src+8(FP), CX")
	line("LEAL x-256(SP), SI")
	line("ANDL $~15, SI")
	for row := range 4 {
		line("MOVOU %d(AX), X0", 16*row)
		for i := range 4 {
			line("PSHUFL $%#x, X0, X%d", 0x55*i, 1+i%2)
			if row == 3 && i == 0 {
				line("PADDL %s, X1", constant("count"))
			}
			line("MOVO X%d, %d(SI)", 1+i%2, word(4*row+i))
		}
	}
	line("MOVO %d(SI), X1", word(7))
	line("MOVL $10, DX")
	line("rounds:")
	// In this order the first of four has a word in a register that the one
	// before it had: word 7 in a round of columns, 14 in one of diagonals.
	const none = -1
	for diagonal, kept := range [2]int{7, 14} {
		for _, i := range [4]int{3, 0, 1, 2} {
			before, after := none, none
			if i == 3 {
				before = kept
			} else if i == 2 {
				after = 7 + 14 - kept
			}
			quarter([4]int{i, 4 + (i+diagonal)%4, 8 + (i+2*diagonal)%4, 12 + (i+3*diagonal)%4}, before, after)
		}
	}
	line("DECL DX")
	line("JNE rounds")
	line("MOVO X1, %d(SI)", word(7))
	for row := range 4 {
		line("MOVOU %d(AX), X7", 16*row)
		for i := range 4 {
			line("PSHUFL $%#x, X7, X%d", 0x55*i, i)
			line("PADDL %d(SI), X%d", word(4*row+i), i)
			if row == 3 && i == 0 {
				line("PADDL %s, X0", constant("count"))
			}
		}
		transpose()
		for block, x := range []int{4, 1, 0, 3} {
			line("MOVOU %d(CX), X5", 64*block+16*row)
			line("PXOR X%d, X5", x)
			line("MOVOU X5, %d(BX)", 64*block+16*row)
		}
	}
	line("ADDL $4, 48(AX)")
	line("PXOR X0, X0")
	for w := range 16 {
		line("MOVO X0, %d(SI)", word(w))
	}
	line("RET\n")
}

// quarter emits a quarter round. Word before is in its register already, and
// word after stays there.
func quarter(words [4]int, before, after int) {
	a, b, c, d := words[0], words[1], words[2], words[3]
	load := func(w, x int) {
		if w != before {
			line("MOVO %d(SI), X%d", word(w), x)
		}
	}
	store := func(x, w int) {
		if w != after {
			line("MOVO X%d, %d(SI)", x, word(w))
		}
	}
	rotate := func(x, n int) {
		if n == 16 {
			line("PSHUFLW $0xb1, X%d, X%d", x, x)
			line("PSHUFHW $0xb1, X%d, X%d", x, x)
			return
		}
		line("MOVO X%d, X4", x)
		line("PSLLL $%d, X4", n)
		line("PSRLL $%d, X%d", 32-n, x)
		line("POR X4, X%d", x)
	}
	load(b, 1)
	load(a, 0)
	line("PADDL X1, X0")
	load(d, 3)
	line("PXOR X0, X3")
	rotate(3, 16)
	load(c, 2)
	line("PADDL X3, X2")
	line("PXOR X2, X1")
	rotate(1, 12)
	line("PADDL X1, X0")
	store(0, a)
	line("PXOR X0, X3")
	rotate(3, 8)
	store(3, d)
	line("PADDL X3, X2")
	store(2, c)
	line("PXOR X2, X1")
	rotate(1, 7)
	store(1, b)
}

// transpose turns words in X0 ... X3 into blocks in X4, X1, X0, X3.
func transpose() {
	line("MOVO X0, X4")
	line("PUNPCKLLQ X1, X4")
	line("PUNPCKHLQ X1, X0")
	line("MOVO X2, X5")
	line("PUNPCKLLQ X3, X5")
	line("PUNPCKHLQ X3, X2")
	line("MOVO X4, X1")
	line("PUNPCKLQDQ X5, X4")
	line("PUNPCKHQDQ X5, X1")
	line("MOVO X0, X3")
	line("PUNPCKLQDQ X2, X0")
	line("PUNPCKHQDQ X2, X3")
}

func xor() {
	function("func xor(dst, src, keystream *byte, n int)", 0,
		"xor adds keystream to n bytes of src.",
		"BX dst, CX src, DX keystream, SI bytes left.")
	line("MOVL dst+0(FP), BX")
	line("MOVL src+4(FP), CX")
	line("MOVL keystream+8(FP), DX")
	line("MOVL n+12(FP), SI")
	line("SUBL $16, SI")
	line("JL last")
	line("loop:")
	line("MOVOU (CX), X0")
	line("MOVOU (DX), X1")
	line("PXOR X1, X0")
	line("MOVOU X0, (BX)")
	line("ADDL $16, BX")
	line("ADDL $16, CX")
	line("ADDL $16, DX")
	line("SUBL $16, SI")
	line("JGE loop")
	line("last:")
	line("ADDL $16, SI")
	line("JEQ done")
	line("bytes:")
	line("MOVB (CX), AX")
	line("XORB (DX), AX")
	line("MOVB AX, (BX)")
	line("INCL BX")
	line("INCL CX")
	line("INCL DX")
	line("DECL SI")
	line("JNE bytes")
	line("done:")
	line("RET\n")
}
