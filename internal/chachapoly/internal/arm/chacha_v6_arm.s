//go:build !purego

#include "textflag.h"
#include "neon_arm.h"

// Twelve registers, and R11 for the loop, for a state of sixteen words. The true b is b>>>25 and the
// true d is d>>>24 between quarter rounds, so that every rotation is a shifted
// operand and none an instruction. Rows c and d have two words each in
// registers, the others in the frame.
#define A0 R0
#define A1 R1
#define A2 R2
#define A3 R3
#define B0 R4
#define B1 R5
#define B2 R12
#define B3 R14
#define C0 R6
#define C1 R7
#define D0 R8
#define D1 R9

// Frame offsets from R13. DY and DW are windows of four words in which the loop
// walks row d back and forth, so that each pair that it needs is adjacent.
#define C01  4
#define C23  12
#define DY   24
#define DW   40
// The initial words as the rounds want them: b and d rotated, 12 words in the
// order of one load.
#define IC23 56
#define ID23 64
#define IA01 72
#define IA23 80
#define IB01 88
#define IC01 96
#define ID01 104
#define IB23 112
// Rows b and d as they are.
#define TB01 120
#define TB23 128
#define TD01 136
#define TD23 144
#define BUF  152
#define SRC  216
#define DST  220
#define LEFT 224
#define REST 228
#define RSRC 232
#define RDST 236

// Two quarter rounds side by side.
#define QQ(a, b, c, d, e, f, g, h) \
	ADD b@>25, a \
	ADD f@>25, e \
	EOR d@>24, a, d \
	EOR h@>24, e, h \
	ADD d@>16, c \
	ADD h@>16, g \
	EOR b@>25, c, b \
	EOR f@>25, g, f \
	ADD b@>20, a \
	ADD f@>20, e \
	EOR d@>16, a, d \
	EOR h@>16, e, h \
	ADD d@>24, c \
	ADD h@>24, g \
	EOR b@>20, c, b \
	EOR f@>20, g, f

// Add the initial words at o.
#define PLUS(o, x, y) \
	LDRD(o, 13, 8) \
	ADD R8, x \
	ADD R9, y

#define PLUSROT(o, r, x, y) \
	LDRD(o, 13, 8) \
	ADD x@>r, R8, x \
	ADD y@>r, R9, y

// Xor with the source: two words at an address that is a multiple of 4, and one
// word anywhere, which is stored as well.
#define XOR2(x, y) \
	MOVM.IA.W (R6), [R8, R9] \
	EOR R8, x \
	EOR R9, y

#define XOR1(x) \
	MOVW.P 4(R6), R8 \
	EOR R8, x \
	MOVW.P x, 4(R7)

// chachaV6 is ChaCha20 in the core registers of ARMv6:
//
//	dst = src ^ keystream, for n >= 0 bytes
//
// func chachaV6(dst, src *byte, n int, key, nonce *uint32, counter uint32, first *[8]uint32)
//
// The state is made of key, counter and nonce; if nonce is nil, key points to
// all 16 words. If first is not nil, the first half of the first block goes
// there, and the data begin with the second block. dst and src are anywhere in
// memory (Linux lets word loads and stores be unaligned on ARMv6).
//
// One block at a time: two double rounds are 128 arithmetic instructions, 24
// loads and stores and 4 of the loop. The frame is wiped.
TEXT ·chachaV6(SB), NOSPLIT, $236-28
	MOVW key+12(FP), R12
	MOVW nonce+16(FP), R14
	CMP  $0, R14
	BEQ  whole
	MOVW $0x61707865, R0 // "expand 32-byte k"
	MOVW $0x3320646e, R1
	MOVW $0x79622d32, R2
	MOVW $0x6b206574, R3
	STRD(0, IA01, 13)
	STRD(2, IA23, 13)
	MOVM.IA (R12), [R0-R7]
	MOVM.IA (R14), [R8, R9, R12]
	MOVW counter+20(FP), R14
	B    have

whole:
	MOVM.IA.W (R12), [R0-R3]
	STRD(0, IA01, 13)
	STRD(2, IA23, 13)
	MOVM.IA.W (R12), [R0-R7]
	MOVW 0(R12), R14
	MOVW 4(R12), R8
	MOVW 8(R12), R9
	MOVW 12(R12), R12

have:
	STRD(0, TB01, 13)
	STRD(2, TB23, 13)
	STRD(4, IC01, 13)
	STRD(6, IC23, 13)
	MOVW R14, TD01(R13)
	MOVW R8, TD01+4(R13)
	MOVW R9, TD23(R13)
	MOVW R12, TD23+4(R13)
	MOVW R0@>7, R0
	MOVW R1@>7, R1
	MOVW R2@>7, R2
	MOVW R3@>7, R3
	STRD(0, IB01, 13)
	STRD(2, IB23, 13)
	MOVW R14@>8, R14
	MOVW R8@>8, R8
	MOVW R9@>8, R9
	MOVW R12@>8, R12
	MOVW R14, ID01(R13)
	MOVW R8, ID01+4(R13)
	MOVW R9, ID23(R13)
	MOVW R12, ID23+4(R13)
	MOVW $0, R2
	MOVW R2, REST(R13)
	MOVW first+24(FP), R3
	CMP  $0, R3
	BNE  buffer
	MOVW n+8(FP), R2

data:
	MOVW dst+0(FP), R0
	MOVW src+4(FP), R1
	SUB.S $64, R2
	MOVW R0, DST(R13)
	MOVW R1, SRC(R13)
	MOVW R2, LEFT(R13)
	BPL  block

tail: // R2 = bytes left - 64 < 0
	ADD.S $64, R2
	BEQ  done
	MOVW DST(R13), R0
	MOVW SRC(R13), R1
	MOVW R2, REST(R13)
	MOVW R0, RDST(R13)
	MOVW R1, RSRC(R13)

buffer: // one block of keystream into the frame
	MOVW $0, R0
	MOVW $0, R1
	MOVW $0, R2
	MOVW $0, R3
	MOVW $0, R4
	MOVW $0, R5
	MOVW $0, R6
	MOVW $0, R7
	ADD  $BUF, R13, R8
	MOVW R8, SRC(R13)
	MOVW R8, DST(R13)
	MOVW R0, LEFT(R13)
	MOVM.IA.W [R0-R7], (R8)
	MOVM.IA.W [R0-R7], (R8)

block:
	ADD  $IC23, R13, R12
	MOVW $5, R11
	MOVM.IA.W (R12), [R0-R3]
	STRD(0, C23, 13)
	STRD(2, DW-4, 13)
	MOVM.IA (R12), [R0-R9, R12, R14]

double2:
	QQ(A0, B0, C0, D0, A1, B1, C1, D1)
	STRD(6, C01, 13)
	STRD(8, DY, 13)
	LDRD(C23, 13, 6)
	LDRD(DW-4, 13, 8)
	QQ(A2, B2, C0, D0, A3, B3, C1, D1)
	MOVW D0, DY+8(R13)
	MOVW DY(R13), D0
	QQ(A0, B1, C0, D1, A1, B2, C1, D0)
	STRD(6, C23, 13)
	STRD(8, DW, 13)
	LDRD(C01, 13, 6)
	LDRD(DY+4, 13, 8)
	QQ(A2, B3, C0, D0, A3, B0, C1, D1)
	MOVW D1, DW+8(R13)
	MOVW DW(R13), D1
	QQ(A0, B0, C0, D1, A1, B1, C1, D0)
	STRD(6, C01, 13)
	STRD(8, DY, 13)
	LDRD(C23, 13, 6)
	LDRD(DW+4, 13, 8)
	QQ(A2, B2, C0, D1, A3, B3, C1, D0)
	MOVW D1, DY-4(R13)
	MOVW DY+4(R13), D1
	QQ(A0, B1, C0, D0, A1, B2, C1, D1)
	STRD(6, C23, 13)
	STRD(8, DW, 13)
	LDRD(C01, 13, 6)
	LDRD(DY-4, 13, 8)
	QQ(A2, B3, C0, D1, A3, B0, C1, D0)
	MOVW D0, DW-4(R13)
	SUB.S $1, R11
	MOVW DW+4(R13), D0
	BNE  double2

	STRD(6, C01, 13)
	STRD(8, DY, 13)
	MOVW SRC(R13), R6
	MOVW DST(R13), R7
	PLUS(IA01, R0, R1)
	PLUS(IA23, R2, R3)
	PLUSROT(TB01, 25, R4, R5)
	PLUSROT(TB23, 25, R12, R14)
	ORR  R6, R7, R8
	TST  $3, R8
	BNE  unaligned

	XOR2(R0, R1)
	XOR2(R2, R3)
	MOVM.IA.W [R0-R3], (R7)
	XOR2(R4, R5)
	XOR2(R12, R14)
	MOVM.IA.W [R4, R5, R12, R14], (R7)
	LDRD(C01, 13, 0)
	LDRD(C23, 13, 2)
	LDRD(DY, 13, 4)
	MOVW DW-4(R13), R12
	MOVW DW(R13), R14
	PLUS(IC01, R0, R1)
	PLUS(IC23, R2, R3)
	XOR2(R0, R1)
	XOR2(R2, R3)
	MOVM.IA.W [R0-R3], (R7)
	PLUSROT(TD01, 24, R4, R5)
	PLUSROT(TD23, 24, R12, R14)
	XOR2(R4, R5)
	XOR2(R12, R14)
	MOVM.IA.W [R4, R5, R12, R14], (R7)

advance:
	MOVW TD01(R13), R0
	MOVW LEFT(R13), R2
	ADD  $1, R0
	MOVW R0, TD01(R13)
	MOVW R0@>8, R0
	SUB.S $64, R2
	MOVW R0, ID01(R13)
	MOVW R2, LEFT(R13)
	MOVW R6, SRC(R13)
	MOVW R7, DST(R13)
	BPL  block

	MOVW first+24(FP), R8
	CMP  $0, R8
	BNE  head
	MOVW REST(R13), R2
	CMP  $0, R2
	BNE  rest
	MOVW LEFT(R13), R2
	B    tail

head:
	ADD  $BUF, R13, R9
	MOVM.IA (R9), [R0-R7]
	MOVM.IA [R0-R7], (R8)
	MOVW $0, R8
	MOVW n+8(FP), R2
	MOVW R8, first+24(FP)
	B    data

unaligned:
	XOR1(R0)
	XOR1(R1)
	XOR1(R2)
	XOR1(R3)
	XOR1(R4)
	XOR1(R5)
	XOR1(R12)
	XOR1(R14)
	LDRD(C01, 13, 0)
	LDRD(C23, 13, 2)
	LDRD(DY, 13, 4)
	MOVW DW-4(R13), R12
	MOVW DW(R13), R14
	PLUS(IC01, R0, R1)
	PLUS(IC23, R2, R3)
	PLUSROT(TD01, 24, R4, R5)
	PLUSROT(TD23, 24, R12, R14)
	XOR1(R0)
	XOR1(R1)
	XOR1(R2)
	XOR1(R3)
	XOR1(R4)
	XOR1(R5)
	XOR1(R12)
	XOR1(R14)
	B    advance

rest: // less than a block: R2 bytes
	MOVW RDST(R13), R0
	MOVW RSRC(R13), R1
	ADD  $BUF, R13, R3
	SUB.S $4, R2
	BMI  bytes

words:
	MOVW.P 4(R3), R4
	MOVW.P 4(R1), R5
	EOR  R5, R4
	MOVW.P R4, 4(R0)
	SUB.S $4, R2
	BPL  words

bytes:
	ADD.S $4, R2
	BEQ  done

byte:
	MOVBU.P 1(R3), R4
	MOVBU.P 1(R1), R5
	EOR  R5, R4
	MOVB.P R4, 1(R0)
	SUB.S $1, R2
	BNE  byte

done:
	MOVW $0, R0
	MOVW $0, R1
	MOVW $0, R2
	MOVW $0, R3
	MOVW $0, R4
	MOVW $0, R5
	MOVW $0, R6
	MOVW $0, R7
	ADD  $C01, R13, R8
	MOVM.IA.W [R0-R7], (R8)
	MOVM.IA.W [R0-R7], (R8)
	MOVM.IA.W [R0-R7], (R8)
	MOVM.IA.W [R0-R7], (R8)
	MOVM.IA.W [R0-R7], (R8)
	MOVM.IA.W [R0-R7], (R8)
	MOVM.IA [R0-R4], (R8)
	RET
