//go:build !purego

#include "textflag.h"
#include "neon_arm.h"

// Counters of four blocks; one in the counter alone; indices of VTBL for a
// rotation of each word by 8; "expand 32-byte k".
DATA chachaTable<>+0(SB)/4, $0
DATA chachaTable<>+4(SB)/4, $1
DATA chachaTable<>+8(SB)/4, $2
DATA chachaTable<>+12(SB)/4, $3
DATA chachaTable<>+16(SB)/4, $1
DATA chachaTable<>+20(SB)/4, $0
DATA chachaTable<>+24(SB)/4, $0
DATA chachaTable<>+28(SB)/4, $0
DATA chachaTable<>+32(SB)/4, $0x02010003
DATA chachaTable<>+36(SB)/4, $0x06050407
DATA chachaTable<>+40(SB)/4, $0x61707865
DATA chachaTable<>+44(SB)/4, $0x3320646e
DATA chachaTable<>+48(SB)/4, $0x79622d32
DATA chachaTable<>+52(SB)/4, $0x6b206574
GLOBL chachaTable<>(SB), RODATA|NOPTR, $56

// Four blocks, one word of all four in each Q register. Word 4r+j is in Q(4j+r),
// so that block j is Q4j..Q4j+3 after the transposition. Two words of row c are in
// registers (Q2 and Q6), the others wait in memory at R4..R7 (c0..c3). Q10 is
// temporary (T), D28 the table for VTBL.
#define A0 0
#define B0 1
#define D0 3
#define A1 4
#define B1 5
#define D1 7
#define A2 8
#define B2 9
#define D2 11
#define A3 12
#define B3 13
#define D3 15
#define U  6
#define V  2
#define T  10
#define TAB 28

// A quarter round is four steps:
// S1: a += b; d = (d ^ a) <<< 16    S2: c += d; b = (b ^ c) <<< 12
// S3: a += b; d = (d ^ a) <<< 8     S4: c += d; b = (b ^ c) <<< 7
// Two quarter rounds run one step apart, so one T serves both and each hides the
// other's latency.
#define S1(a, b, d) \
	VADDQ_I32(b, a, a) \
	VEORQ(a, d, d) \
	VREV32Q_16(d, d)

#define S4(b, c, d) \
	VADDQ_I32(d, c, c) \
	VEORQ(c, b, T) \
	VSHLQ_I32(7, T, b) \
	VSRIQ_32(25, T, b)

#define S24_S1(l, b, c, d, a2, b2, d2) \
	VADDQ_I32(d, c, c) \
	VADDQ_I32(b2, a2, a2) \
	VEORQ(c, b, T) \
	VEORQ(a2, d2, d2) \
	VSHLQ_I32(l, T, b) \
	VREV32Q_16(d2, d2) \
	VSRIQ_32(32-l, T, b)

#define S24_S3(l, b, c, d, a2, b2, d2) \
	VADDQ_I32(d, c, c) \
	VADDQ_I32(b2, a2, a2) \
	VEORQ(c, b, T) \
	VEORQ(a2, d2, d2) \
	VSHLQ_I32(l, T, b) \
	VTBLD(TAB, 2*d2, 2*d2) \
	VSRIQ_32(32-l, T, b) \
	VTBLD(TAB, 2*d2+1, 2*d2+1)

// One pair of quarter rounds, from S2 of the first to S3 of the second: the
// first's S1 came before, the second's S4 follows.
#define PAIR1(a, b, c, d, a2, b2, d2) S24_S1(12, b, c, d, a2, b2, d2)
#define PAIR2(a, b, c, d, b2, c2, d2) S24_S3(12, b2, c2, d2, a, b, d)
#define PAIR3(b, c, d, a2, b2, d2)    S24_S3(7, b, c, d, a2, b2, d2)
#define NEXT(b, c, d, a2, b2, d2)     S24_S1(7, b, c, d, a2, b2, d2)

// A double round but for the first step of column 1, which comes before it, and
// the last of diagonal 2, which comes after. Columns go in the order 1, 0, 2, 3
// (U = c1, then c2; V = c0, then c3) and diagonals 0, 1, 3, 2 (U = c2, then c1; V =
// c3, then c0): neighbours never share a word where they overlap.
#define DOUBLE \
	PAIR1(A1, B1, U, D1, A0, B0, D0) \
	PAIR2(A1, B1, U, D1, B0, V, D0) \
	PAIR3(B1, U, D1, A0, B0, D0) \
	VST1Q_A(U, 5) \
	VLD1Q_A(6, U) \
	NEXT(B0, V, D0, A2, B2, D2) \
	VST1Q_A(V, 4) \
	VLD1Q_A(7, V) \
	PAIR1(A2, B2, U, D2, A3, B3, D3) \
	PAIR2(A2, B2, U, D2, B3, V, D3) \
	PAIR3(B2, U, D2, A3, B3, D3) \
	NEXT(B3, V, D3, A0, B1, D3) \
	PAIR1(A0, B1, U, D3, A1, B2, D0) \
	PAIR2(A0, B1, U, D3, B2, V, D0) \
	PAIR3(B1, U, D3, A1, B2, D0) \
	VST1Q_A(U, 6) \
	VLD1Q_A(5, U) \
	NEXT(B2, V, D0, A3, B0, D2) \
	VST1Q_A(V, 7) \
	VLD1Q_A(4, V) \
	PAIR1(A3, B0, U, D2, A2, B3, D1) \
	PAIR2(A3, B0, U, D2, B3, V, D1) \
	PAIR3(B0, U, D2, A2, B3, D1)

// Two blocks with a row in each register: Q0..Q3 and Q4..Q7; Q8 and Q9 are
// temporary, D20 is the table for VTBL. HALF is a round, TURN moves the words of
// rows b, c and d by b, 2 and d places to where the next round wants them.
#define HALF \
	VADDQ_I32(1, 0, 0) \
	VADDQ_I32(5, 4, 4) \
	VEORQ(0, 3, 3) \
	VEORQ(4, 7, 7) \
	VREV32Q_16(3, 3) \
	VREV32Q_16(7, 7) \
	VADDQ_I32(3, 2, 2) \
	VADDQ_I32(7, 6, 6) \
	VEORQ(2, 1, 8) \
	VEORQ(6, 5, 9) \
	VSHLQ_I32(12, 8, 1) \
	VSHLQ_I32(12, 9, 5) \
	VSRIQ_32(20, 8, 1) \
	VSRIQ_32(20, 9, 5) \
	VADDQ_I32(1, 0, 0) \
	VADDQ_I32(5, 4, 4) \
	VEORQ(0, 3, 3) \
	VEORQ(4, 7, 7) \
	VTBLD(20, 6, 6) \
	VTBLD(20, 7, 7) \
	VTBLD(20, 14, 14) \
	VTBLD(20, 15, 15) \
	VADDQ_I32(3, 2, 2) \
	VADDQ_I32(7, 6, 6) \
	VEORQ(2, 1, 8) \
	VEORQ(6, 5, 9) \
	VSHLQ_I32(7, 8, 1) \
	VSHLQ_I32(7, 9, 5) \
	VSRIQ_32(25, 8, 1) \
	VSRIQ_32(25, 9, 5)

#define TURN(b, d) \
	VEXTQ_32(2, 2, 2, 2) \
	VEXTQ_32(2, 6, 6, 6) \
	VEXTQ_32(d, 3, 3, 3) \
	VEXTQ_32(d, 7, 7, 7) \
	VEXTQ_32(b, 1, 1, 1) \
	VEXTQ_32(b, 5, 5, 5)

// Frame, from R4 = the first multiple of 16 in it: c0..c3, the state, keystream.
#define STATE 64
#define BUF   128

// chachaNEON is ChaCha20 with NEON:
//
//	dst = src ^ keystream, for n >= 0 bytes
//
// func chachaNEON(dst, src *byte, n int, key, nonce *uint32, counter uint32, first *[8]uint32)
//
// The arguments are those of chachaV6. Four blocks at a time go straight from src
// to dst. A pass that begins with the first block or ends inside a block makes
// keystream in the frame; where two blocks are enough it makes two, in rows.
//
// R0 dst, R1 src, R2 bytes left, R3 state, R4..R7 c0..c3, R9 table. Four blocks:
// 129 instructions per double round, of which 8 move words of row c, as there are
// 16 Q registers and one is needed for rotations: 16 is VREV32, 8 is VTBL on both
// halves, 12 and 7 are VSHL and VSRI. Two blocks: 72. The frame is wiped.
TEXT ·chachaNEON(SB), NOSPLIT, $396-28
	MOVW $chachaTable<>(SB), R9
	ADD  $19, R13, R4
	BIC  $15, R4
	ADD  $STATE, R4, R3
	MOVW key+12(FP), R12
	MOVW nonce+16(FP), R14
	MOVW R3, R8
	CMP  $0, R14
	BEQ  whole
	ADD  $40, R9, R1
	VLD1Q(1, 0)
	VLD1QQ(12, 1)
	MOVW counter+20(FP), R0
	MOVM.IA (R14), [R1, R2, R5]
	VST1QQP(0, 8)
	VST1Q(2, 8)
	ADD  $48, R3, R8
	MOVM.IA [R0, R1, R2, R5], (R8)
	B    have

whole:
	VLD1QQP(12, 0)
	VLD1QQ(12, 2)
	VST1QQP(0, 8)
	VST1QQP(2, 8)

have:
	MOVW dst+0(FP), R0
	MOVW src+4(FP), R1
	MOVW n+8(FP), R2

next:
	MOVW first+24(FP), R8
	CMP  $0, R8
	MOVW.NE $64, R8
	ADD.S R2, R8
	BEQ  done
	CMP  $128, R8
	BLS  two
	ADD  $16, R4, R5
	ADD  $32, R4, R6
	ADD  $48, R4, R7
	CMP  R2, R8
	BNE  buffered
	CMP  $256, R2
	BHS  pass

buffered:
	MOVW R0, dst+0(FP)
	MOVW R1, src+4(FP)
	MOVW R2, n+8(FP)
	ADD  $BUF, R4, R0
	MOVW R0, R1
	MOVW R0, R8
	MOVW $256, R2
	VEORQ(0, 0, 0)
	VEORQ(1, 1, 1)
	VST1QQP(0, 8)
	VST1QQP(0, 8)
	VST1QQP(0, 8)
	VST1QQP(0, 8)
	VST1QQP(0, 8)
	VST1QQP(0, 8)
	VST1QQP(0, 8)
	VST1QQP(0, 8)

pass:
	MOVW R3, R8
	VLD1Q_DUP32P(8, A0)
	VLD1Q_DUP32P(8, A1)
	VLD1Q_DUP32P(8, A2)
	VLD1Q_DUP32P(8, A3)
	VLD1Q_DUP32P(8, B0)
	VLD1Q_DUP32P(8, B1)
	VLD1Q_DUP32P(8, B2)
	VLD1Q_DUP32P(8, B3)
	VLD1Q_DUP32P(8, V)
	VLD1Q_DUP32P(8, U)
	VLD1Q_DUP32P(8, T)
	VST1Q_A(T, 6)
	VLD1Q_DUP32P(8, 14)
	VST1Q_A(14, 7)
	VLD1Q(9, T)
	VLD1Q_DUP32P(8, D0)
	VADDQ_I32(T, D0, D0)
	VLD1Q_DUP32P(8, D1)
	VLD1Q_DUP32P(8, D2)
	VLD1Q_DUP32P(8, D3)
	ADD  $32, R9, R12
	VLD1D(12, TAB)
	MOVW $5, R8
	S1(A1, B1, D1)
	B    enter

double2:
	NEXT(B3, V, D1, A1, B1, D1)

enter:
	DOUBLE
	NEXT(B3, V, D1, A1, B1, D1)
	SUB.S $1, R8
	DOUBLE
	BNE  double2
	S4(B3, V, D1)

	// Rows a and b: transpose, add the initial rows (Q10, Q14), xor, store.
	VTRNQ_32(A1, A0)
	VTRNQ_32(A3, A2)
	VTRNQ_32(B1, B0)
	VTRNQ_32(B3, B2)
	MOVW R3, R8
	VLD1QP(8, 10)
	VLD1QP(8, 14)
	VSWPD(2*A2, 2*A0+1)
	VSWPD(2*A3, 2*A1+1)
	VSWPD(2*B2, 2*B0+1)
	VSWPD(2*B3, 2*B1+1)
	VADDQ_I32(10, A0, A0)
	VADDQ_I32(10, A1, A1)
	VADDQ_I32(10, A2, A2)
	VADDQ_I32(10, A3, A3)
	VADDQ_I32(14, B0, B0)
	VADDQ_I32(14, B1, B1)
	VADDQ_I32(14, B2, B2)
	VADDQ_I32(14, B3, B3)
	MOVW $48, R12
	MOVW $64, R14
	ADD  $32, R1, R5
	VLD1QP(1, 10)
	VLD1QX(12, 1, 14)
	VEORQ(10, A0, A0)
	VEORQ(14, B0, B0)
	VLD1QP(1, 10)
	VLD1QX(12, 1, 14)
	VEORQ(10, A1, A1)
	VEORQ(14, B1, B1)
	VLD1QP(1, 10)
	VLD1QX(12, 1, 14)
	VEORQ(10, A2, A2)
	VEORQ(14, B2, B2)
	VLD1QP(1, 10)
	VLD1QX(12, 1, 14)
	VEORQ(10, A3, A3)
	VEORQ(14, B3, B3)
	ADD  $32, R0, R12
	VST1QQX(0, 14, 0)
	VST1QQX(4, 14, 0)
	VST1QQX(8, 14, 0)
	VST1QQX(12, 14, 0)

	// Rows c and d; the spare registers are now Q0 Q1 Q4 Q5 Q8 Q9 Q12 Q13.
	VLD1Q_A(6, 10)
	VLD1Q_A(7, 14)
	VLD1QQ(8, 4)
	ADD  $16, R9, R8
	VLD1Q(8, 0)
	VTRNQ_32(6, 2)
	VTRNQ_32(14, 10)
	VTRNQ_32(7, 3)
	VTRNQ_32(15, 11)
	VSWPD(20, 5)
	VSWPD(28, 13)
	VSWPD(22, 7)
	VSWPD(30, 15)
	VADDQ_I32(4, 2, 2)
	VADDQ_I32(4, 6, 6)
	VADDQ_I32(4, 10, 10)
	VADDQ_I32(4, 14, 14)
	VADDQ_I32(5, 3, 3)
	VADDQ_I32(0, 5, 5)
	VADDQ_I32(5, 7, 7)
	VADDQ_I32(0, 5, 5)
	VADDQ_I32(5, 11, 11)
	VADDQ_I32(0, 5, 5)
	VADDQ_I32(5, 15, 15)
	VADDQ_I32(0, 5, 5)
	ADD  $48, R3, R8
	VST1Q(5, 8)
	VLD1QQX(14, 5, 0)
	VLD1QQX(14, 5, 4)
	VLD1QQX(14, 5, 8)
	VLD1QQX(14, 5, 12)
	VEORQ(0, 2, 2)
	VEORQ(1, 3, 3)
	VEORQ(4, 6, 6)
	VEORQ(5, 7, 7)
	VEORQ(8, 10, 10)
	VEORQ(9, 11, 11)
	VEORQ(12, 14, 14)
	VEORQ(13, 15, 15)
	VST1QQX(2, 14, 12)
	VST1QQX(6, 14, 12)
	VST1QQX(10, 14, 12)
	VST1QQX(14, 14, 12)
	ADD  $16, R4, R5
	SUB.S $256, R2
	CMP  $256, R2
	BHS  pass

	ADD  $(BUF+256), R4, R8
	CMP  R0, R8
	BNE  next
	MOVW dst+0(FP), R0
	MOVW src+4(FP), R1
	MOVW n+8(FP), R2
	SUB  $256, R8
	MOVW $256, R12
	B    emit

two:
	MOVW R3, R8
	ADD  $16, R9, R12
	VLD1QQP(8, 0)
	VLD1QQ(8, 2)
	VLD1QQ(3, 4)
	VLD1QQ(8, 6)
	VLD1QP(12, 11)
	VLD1D(12, 20)
	VADDQ_I32(11, 7, 7)
	VLD1QQ(3, 12)
	VLD1QQ(8, 14)
	MOVW $5, R8

rows:
	HALF
	TURN(1, 3)
	HALF
	TURN(3, 1)
	HALF
	TURN(1, 3)
	SUB.S $1, R8
	HALF
	TURN(3, 1)
	BNE  rows

	VADDQ_I32(12, 0, 0)
	VADDQ_I32(13, 1, 1)
	VADDQ_I32(14, 2, 2)
	VADDQ_I32(15, 3, 3)
	VADDQ_I32(11, 15, 15)
	VADDQ_I32(12, 4, 4)
	VADDQ_I32(13, 5, 5)
	VADDQ_I32(14, 6, 6)
	VADDQ_I32(15, 7, 7)
	MOVW first+24(FP), R14
	CMP  $0, R14
	BEQ  store
	TST  $15, R2
	BNE  store

	// A short message up to its end: the first block, and Q4..Q7 for the data.
	VST1QQP(0, 14)
	SUB.S $16, R2
	BMI  wipe
	VLD1QP(1, 8)
	VEORQ(8, 4, 4)
	VST1QP(4, 0)
	SUB.S $16, R2
	BMI  wipe
	VLD1QP(1, 8)
	VEORQ(8, 5, 5)
	VST1QP(5, 0)
	SUB.S $16, R2
	BMI  wipe
	VLD1QP(1, 8)
	VEORQ(8, 6, 6)
	VST1QP(6, 0)
	SUB.S $16, R2
	BMI  wipe
	VLD1QP(1, 8)
	VEORQ(8, 7, 7)
	VST1QP(7, 0)

wipe:
	VEORQ(0, 0, 0)
	VEORQ(1, 1, 1)
	VST1QQP(0, 3)
	VST1QQP(0, 3)
	// ct:allow stack: no four blocks came before, which store c0..c3: first is not nil, and they set it to nil
	RET

store:
	VADDQ_I32(11, 15, 15)
	ADD  $48, R3, R8
	VST1Q(15, 8)
	ADD  $BUF, R4, R8
	MOVW R8, R12
	VST1QQP(0, 12)
	VST1QQP(2, 12)
	VST1QQP(4, 12)
	VST1QQP(6, 12)
	MOVW $128, R12

emit: // R12 bytes of keystream at R8
	MOVW first+24(FP), R14
	CMP  $0, R14
	BEQ  data
	VLD1QQ(8, 0)
	VST1QQP(0, 14)
	MOVW $0, R14
	ADD  $64, R8
	SUB  $64, R12
	MOVW R14, first+24(FP)

data:
	CMP  R2, R12
	MOVW.HI R2, R12
	SUB  R12, R2
	SUB.S $32, R12
	BMI  under32

xor32:
	VLD1QQP(8, 0)
	VLD1QQP(1, 2)
	VEORQ(2, 0, 0)
	VEORQ(3, 1, 1)
	VST1QQP(0, 0)
	SUB.S $32, R12
	BPL  xor32

under32:
	AND.S $31, R12
	BEQ  next
	TST  $16, R12
	BEQ  under16
	VLD1QP(8, 0)
	VLD1QP(1, 1)
	VEORQ(1, 0, 0)
	VST1QP(0, 0)

under16:
	AND.S $15, R12
	BEQ  next
	SUB.S $4, R12
	BMI  bytes

words:
	MOVW.P 4(R8), R5
	MOVW.P 4(R1), R6
	EOR  R6, R5
	MOVW.P R5, 4(R0)
	SUB.S $4, R12
	BPL  words

bytes:
	ADD.S $4, R12
	BEQ  next

byte:
	MOVBU.P 1(R8), R5
	MOVBU.P 1(R1), R6
	EOR  R6, R5
	MOVB.P R5, 1(R0)
	SUB.S $1, R12
	BNE  byte
	B    next

done:
	VEORQ(0, 0, 0)
	VEORQ(1, 1, 1)
	VST1QQP(0, 4)
	VST1QQP(0, 4)
	VST1QQP(0, 4)
	VST1QQP(0, 4)
	VST1QQP(0, 4)
	VST1QQP(0, 4)
	VST1QQP(0, 4)
	VST1QQP(0, 4)
	VST1QQP(0, 4)
	VST1QQP(0, 4)
	VST1QQP(0, 4)
	VST1QQP(0, 4)
	RET
