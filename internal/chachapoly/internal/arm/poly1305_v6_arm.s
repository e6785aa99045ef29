//go:build !purego

#include "textflag.h"
#include "neon_arm.h"
#include "poly1305_arm.h"

// Frame offsets from R13: s1..s3 = r1..r3 * 5/4 (exact, as r is clamped), then r.
#define S1   4
#define S2   8
#define S3   12
#define R_0  16
#define R_1  20
#define R_2  24
#define R_3  28
#define END  32
#define BUF  36 // the last block, filled up

// macV6 is Poly1305 in the core registers of ARMv6.
//
// func macV6(h *[6]uint32, key *[8]uint32, p *byte, n int, tag *byte, adLen, total int, check int) (diff uint32)
//
// It continues h, or begins with 0 if h is nil, over n >= 0 bytes and zeros up
// to a whole block:
//
//	h = (h + m + 2^128) r mod 2^130-5
//
// r is the first half of key, clamped here, and h < 5 * 2^128 before and after.
// If tag is nil, h is stored. Otherwise the block of the lengths follows, and the
// tag is stored; or, if check is not 0, diff is 0 if the tag is the right one and
// 1 if not.
//
// Radix 2^32. Each word of h is a row of products with r, in which UMAAL (hi:lo =
// a * b + hi + lo) carries; what passes 2^128 has the factor s instead. R0..R4 h,
// R5 R6 R7 R12 R14 the product n0..n4, R8 R9 and what is free of h: factors, R11
// the message. h4 <= 6 after the addition of a block, so that n4 < 6 * 2^28 + 4 *
// (2^28 + 1), and n4 * 5/4 fits into a word. A block takes 54 instructions. The
// frame is wiped.
TEXT ·macV6(SB), NOSPLIT, $48-36
	MOVW key+4(FP), R5
	MOVM.IA (R5), [R6-R9]
	CLAMP(R6, R7, R8, R9)
	ADD  R7>>2, R7, R0
	ADD  R8>>2, R8, R1
	ADD  R9>>2, R9, R2
	ADD  $S1, R13, R5
	MOVM.IA.W [R0-R2], (R5)
	MOVM.IA [R6-R9], (R5)
	MOVW h+0(FP), R6
	MOVW p+8(FP), R11
	MOVW n+12(FP), R8
	CMP  $0, R6
	MOVW.EQ $0, R0
	MOVW.EQ $0, R1
	MOVW.EQ $0, R2
	MOVW.EQ $0, R3
	MOVW.EQ $0, R4
	BEQ  zero
	MOVM.IA (R6), [R0-R4]

zero:
	BIC.S $15, R8, R6
	ADD  R11, R6
	MOVW R6, END(R13)
	BEQ  last

loop:
	MOVW.P 16(R11), R6
	MOVW -12(R11), R7
	MOVW -8(R11), R8
	MOVW -4(R11), R9

block:
	ADD.S R6, R0
	ADC.S R7, R1
	ADC.S R8, R2
	ADC.S R9, R3
	LDRD(S3, 13, 8)
	ADC  $1, R4
	MUL  R4, R8, R12
	MUL  R4, R9, R14
	LDRD(S1, 13, 8)
	MUL  R4, R8, R6
	MUL  R4, R9, R7

	MULLU R8, R3, (R4, R5)
	UMAAL(3, 9, 6, 4)
	LDRD(S3, 13, 8)
	UMAAL(3, 8, 7, 4)
	UMAAL(3, 9, 12, 4)
	MOVW S2(R13), R3
	ADD  R4, R14

	MOVW $0, R4
	UMAAL(2, 3, 5, 4)
	MOVW R_1(R13), R3
	UMAAL(2, 8, 6, 4)
	UMAAL(2, 9, 7, 4)
	UMAAL(2, 3, 12, 4)
	MOVW R_2(R13), R2
	ADD  R4, R14

	MOVW $0, R4
	UMAAL(1, 8, 5, 4)
	UMAAL(1, 9, 6, 4)
	UMAAL(1, 3, 7, 4)
	UMAAL(1, 2, 12, 4)
	MOVW R_3(R13), R1
	ADD  R4, R14

	MOVW $0, R4
	UMAAL(0, 9, 5, 4)
	UMAAL(0, 3, 6, 4)
	UMAAL(0, 2, 7, 4)
	UMAAL(0, 1, 12, 4)
	ADD  R4, R14

	BIC  $3, R14, R8
	ADD  R14>>2, R8
	AND  $3, R14, R4
	ADD.S R8, R5, R0
	ADC.S $0, R6, R1
	MOVW END(R13), R6
	ADC.S $0, R7, R2
	ADC.S $0, R12, R3
	ADC  $0, R4
	CMP  R6, R11
	BNE  loop

last:
	// The rest of the message, then the lengths. n says how far this is.
	MOVW n+12(FP), R6
	CMP  $0, R6
	BLT  finish
	AND.S $15, R6
	BEQ  lengths
	MOVW R11, R5
	ADD  $BUF, R13, R7
	MOVW R7, R11
	LAST
	MOVW $0, R8
	ADD  $(BUF+16), R13, R9
	MOVW R8, n+12(FP)
	MOVW R9, END(R13)
	B    loop

lengths:
	MOVW tag+16(FP), R8
	CMP  $0, R8
	BEQ  finish
	MOVW $-1, R5
	MOVW adLen+20(FP), R6
	MOVW total+24(FP), R8
	MOVW R5, n+12(FP)
	MOVW $0, R7
	MOVW $0, R9
	B    block

finish:
	MOVW $0, R5
	MOVW $0, R6
	MOVW $0, R7
	MOVW $0, R8
	MOVW $0, R9
	ADD  $S1, R13, R12
	MOVM.IA.W [R5-R7], (R12)
	MOVM.IA.W [R6-R9], (R12)
	MOVM.IA [R5-R9], (R12)
	FINISH
