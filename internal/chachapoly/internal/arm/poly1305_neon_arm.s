//go:build !purego

#include "textflag.h"
#include "neon_arm.h"
#include "poly1305_arm.h"

// Radix 2^26. The accumulator is two lanes: even and odd blocks of 16 bytes.
//
//	64 bytes:       H = (H + (m0, m1)) r^4 + (m2, m3) r^2, one carry for both products
//	last 32 bytes:  H = (H + (m0, m1)) (r^2, r), and the lanes are added
//
// D0..D4   limbs of (r^4, r^2); at the end (r^2, r)
// D5..D8   5 times D1..D4
// D9       scratch
// Q5       2^26-1 in each lane of 64 bits
// Q6..Q10  limbs of the message: low half blocks 0 and 1, high half blocks 2 and 3
// Q11..Q15 H in lanes of 64 bits
#define MASK 5

// w0..w3, l4 = the limbs of the 128-bit little-endian w3:w2:w1:w0 (w0..w3 become limbs 0..3).
#define SPLITQ(w0, w1, w2, w3, l4) \
	VSHRQ_U32(8, w3, l4) \
	VSHLQ_I32(18, w3, w3) \
	VSRIQ_32(14, w2, w3) \
	VSHLQ_I32(12, w2, w2) \
	VSRIQ_32(20, w1, w2) \
	VSHLQ_I32(6, w1, w1) \
	VSRIQ_32(26, w0, w1) \
	VBICQ_TOP(0xfc, w3) \
	VBICQ_TOP(0xfc, w2) \
	VBICQ_TOP(0xfc, w1) \
	VBICQ_TOP(0xfc, w0)

#define SPLITD(w0, w1, w2, w3, l4) \
	VSHRD_U32(8, w3, l4) \
	VSHLD_I32(18, w3, w3) \
	VSRID_32(14, w2, w3) \
	VSHLD_I32(12, w2, w2) \
	VSRID_32(20, w1, w2) \
	VSHLD_I32(6, w1, w1) \
	VSRID_32(26, w0, w1) \
	VBICD_TOP(0xfc, w3) \
	VBICD_TOP(0xfc, w2) \
	VBICD_TOP(0xfc, w1) \
	VBICD_TOP(0xfc, w0)

// D5..D8 = 5 * D1..D4.
#define TIMES5 \
	VSHLD_I32(2, 1, 5) \
	VSHLQ_I32(2, 1, 3) \
	VSHLD_I32(2, 4, 8) \
	VADDD_I32(1, 5, 5) \
	VADDQ_I32(1, 3, 3) \
	VADDD_I32(4, 8, 8)

// Add the 32-bit form of H to the low halves of Q6..Q10. H is lost.
#define MERGE \
	VMOVND_I64(11, 22) \
	VMOVND_I64(12, 24) \
	VMOVND_I64(13, 26) \
	VMOVND_I64(14, 28) \
	VMOVND_I64(15, 30) \
	VADDD_I32(22, 12, 12) \
	VADDD_I32(24, 14, 14) \
	VADDD_I32(26, 16, 16) \
	VADDD_I32(28, 18, 18) \
	VADDD_I32(30, 20, 20)

// Multiply the limbs a0..a4 (D registers) by lane x of D0..D8 into H.
#define MULX(op, x, a0, a1, a2, a3, a4) \
	op(x, 0, a0, 11) \
	op(x, 1, a0, 12) \
	op(x, 2, a0, 13) \
	op(x, 3, a0, 14) \
	op(x, 4, a0, 15) \
	VMLALX_U32(x, 8, a1, 11) \
	VMLALX_U32(x, 0, a1, 12) \
	VMLALX_U32(x, 1, a1, 13) \
	VMLALX_U32(x, 2, a1, 14) \
	VMLALX_U32(x, 3, a1, 15) \
	VMLALX_U32(x, 7, a2, 11) \
	VMLALX_U32(x, 8, a2, 12) \
	VMLALX_U32(x, 0, a2, 13) \
	VMLALX_U32(x, 1, a2, 14) \
	VMLALX_U32(x, 2, a2, 15) \
	VMLALX_U32(x, 6, a3, 11) \
	VMLALX_U32(x, 7, a3, 12) \
	VMLALX_U32(x, 8, a3, 13) \
	VMLALX_U32(x, 0, a3, 14) \
	VMLALX_U32(x, 1, a3, 15) \
	VMLALX_U32(x, 5, a4, 11) \
	VMLALX_U32(x, 6, a4, 12) \
	VMLALX_U32(x, 7, a4, 13) \
	VMLALX_U32(x, 8, a4, 14) \
	VMLALX_U32(x, 0, a4, 15)

// Multiply the low halves of Q6..Q10 by D0..D8, lane by lane.
#define MULV \
	VMULL_U32(0, 12, 11) \
	VMULL_U32(1, 12, 12) \
	VMULL_U32(2, 12, 13) \
	VMULL_U32(3, 12, 14) \
	VMULL_U32(4, 12, 15) \
	VMLAL_U32(8, 14, 11) \
	VMLAL_U32(0, 14, 12) \
	VMLAL_U32(1, 14, 13) \
	VMLAL_U32(2, 14, 14) \
	VMLAL_U32(3, 14, 15) \
	VMLAL_U32(7, 16, 11) \
	VMLAL_U32(8, 16, 12) \
	VMLAL_U32(0, 16, 13) \
	VMLAL_U32(1, 16, 14) \
	VMLAL_U32(2, 16, 15) \
	VMLAL_U32(6, 18, 11) \
	VMLAL_U32(7, 18, 12) \
	VMLAL_U32(8, 18, 13) \
	VMLAL_U32(0, 18, 14) \
	VMLAL_U32(1, 18, 15) \
	VMLAL_U32(5, 20, 11) \
	VMLAL_U32(6, 20, 12) \
	VMLAL_U32(7, 20, 13) \
	VMLAL_U32(8, 20, 14) \
	VMLAL_U32(0, 20, 15)

// Two interleaved carry chains, 0-1-2-3 and 3-4-0-1; Q6 is scratch. Products are
// below 64 * 2^52, so every carry fits; afterwards limbs 1 and 4 are below
// 2^26 + 2^12, the others below 2^26.
#define CARRY \
	VSRAQ_U64(26, 14, 15) \
	VSRAQ_U64(26, 11, 12) \
	VANDQ(MASK, 14, 14) \
	VANDQ(MASK, 11, 11) \
	VBICQ(MASK, 15, 6) \
	VSRAQ_U64(26, 15, 11) \
	VSRAQ_U64(26, 12, 13) \
	VANDQ(MASK, 15, 15) \
	VSRAQ_U64(24, 6, 11) \
	VANDQ(MASK, 12, 12) \
	VSRAQ_U64(26, 13, 14) \
	VANDQ(MASK, 13, 13) \
	VSRAQ_U64(26, 11, 12) \
	VANDQ(MASK, 11, 11) \
	VSRAQ_U64(26, 14, 15) \
	VANDQ(MASK, 14, 14)

#define NARROW \
	VMOVND_I64(11, 12) \
	VMOVND_I64(12, 14) \
	VMOVND_I64(13, 16) \
	VMOVND_I64(14, 18) \
	VMOVND_I64(15, 20)

// D0..D4: the old low lane moves nowhere, lane 0 becomes the new power.
#define PUSHPOWER \
	VSRID_64(32, 12, 0) \
	VSRID_64(32, 14, 1) \
	VSRID_64(32, 16, 2) \
	VSRID_64(32, 18, 3) \
	VSRID_64(32, 20, 4)

#define COPYPOWER \
	VMOVD(12, 0) \
	VMOVD(14, 1) \
	VMOVD(16, 2) \
	VMOVD(18, 3) \
	VMOVD(20, 4)

// Frame offsets from R13.
#define POWERS 4  // (r^2, r): 40 bytes; then the limbs of h
#define RC     44 // r, clamped
#define BUF    60 // the last block and that of the lengths

// macNEON is macV6 with NEON.
//
// func macNEON(h *[6]uint32, key *[8]uint32, p *byte, n int, tag *byte, adLen, total int, check int) (diff uint32)
//
// It takes numbers of blocks that are 2 more than a multiple of 4, that of the
// lengths included: with a tag n mod 64 is 1 to 16, without one 32.
//
// 64 bytes take 92 instructions: 2 loads that turn words into rows, 12 to split
// four blocks into limbs, 10 to add H, 50 multiplications by a lane, 16 to carry
// (VSRA shifts and adds), 2 of the loop. The powers of r take 145. The frame is
// wiped.
TEXT ·macNEON(SB), NOSPLIT, $92-36
	MOVW key+4(FP), R1
	MOVM.IA (R1), [R4-R7]
	CLAMP(R4, R5, R6, R7)
	ADD  $RC, R13, R1
	MOVM.IA [R4-R7], (R1)
	MOVW h+0(FP), R0
	MOVW p+8(FP), R2
	MOVW n+12(FP), R3
	MOVW tag+16(FP), R12
	ADD  $POWERS, R13, R4
	ADD  $(POWERS+32), R13, R5
	VMOVQ_LOW32(MASK)
	VSHRQ_U64(6, MASK, MASK)

	VLD4D_DUP32(1, 12)
	SPLITD(12, 14, 16, 18, 20)
	COPYPOWER
	TIMES5
	MULV
	CARRY
	NARROW
	PUSHPOWER
	VST1QQP(0, 4)
	VST1D(4, 5)
	COPYPOWER
	TIMES5
	MULV
	CARRY
	NARROW
	PUSHPOWER
	TIMES5

	CMP  $0, R12
	SUB.EQ $32, R3
	BIC  $63, R3
	CMP  $0, R0
	BNE  continued
	VEORQ(11, 11, 11)
	VEORQ(12, 12, 12)
	VEORQ(13, 13, 13)
	VEORQ(14, 14, 14)
	VEORQ(15, 15, 15)
	B    begin

continued:
	// H = (h, 0)
	ADD  $16, R0, R4
	VLD4D_DUP32(0, 12)
	VLD1D_DUP32(4, 22)
	SPLITD(12, 14, 16, 18, 20)
	VSHLD_I32(24, 22, 22)
	VMOVD_LOW32(9)
	VADDD_I32(22, 20, 20)
	VANDD(9, 12, 12)
	VANDD(9, 14, 14)
	VANDD(9, 16, 16)
	VANDD(9, 18, 18)
	VANDD(9, 20, 20)
	VMOVLQ_U32(12, 11)
	VMOVLQ_U32(14, 12)
	VMOVLQ_U32(16, 13)
	VMOVLQ_U32(18, 14)
	VMOVLQ_U32(20, 15)

begin:
	CMP  $0, R3
	BEQ  end

loop:
	VLD4D_32P(2, 12)
	VLD4D_32P(2, 13)
	SPLITQ(6, 7, 8, 9, 10)
	VORRQ_TOP(1, 10)
	MERGE
	MULX(VMULLX_U32, 1, 13, 15, 17, 19, 21)
	MULX(VMLALX_U32, 0, 12, 14, 16, 18, 20)
	CARRY
	SUB.S $64, R3
	BNE  loop

end:
	CMP  $0, R12
	BEQ  pair
	MOVW R2, R5
	MOVW n+12(FP), R6
	ADD  $BUF, R13, R7
	AND  $63, R6
	MOVW R7, R2
	LAST
	MOVW $0, R6
	MOVW adLen+20(FP), R5
	MOVW total+24(FP), R7
	MOVW R6, R8
	ADD  $16, R2, R9
	MOVM.IA [R5-R8], (R9)

pair:
	VLD4D_32P(2, 12)
	SPLITD(12, 14, 16, 18, 20)
	VORRD_TOP(1, 20)
	MERGE
	ADD  $POWERS, R13, R4
	VLD1QQP(4, 0)
	VLD1D(4, 4)
	TIMES5
	MULV
	CARRY
	VADDD_I64(23, 22, 22)
	VADDD_I64(25, 24, 24)
	VADDD_I64(27, 26, 26)
	VADDD_I64(29, 28, 28)
	VADDD_I64(31, 30, 30)
	ADD  $POWERS, R13, R4
	ADD  $4, R4, R5
	ADD  $8, R4, R6
	ADD  $12, R4, R7
	ADD  $16, R4, R8
	VST1D_LANE0(22, 4)
	VST1D_LANE0(24, 5)
	VST1D_LANE0(26, 6)
	VST1D_LANE0(28, 7)
	VST1D_LANE0(30, 8)
	MOVM.IA (R4), [R5-R9]
	VEORQ(0, 0, 0)
	VEORQ(1, 1, 1)
	VST1QQP(0, 4)
	VST1QQP(0, 4)
	VST1Q(0, 4)

	// Limbs of at most 27 bits to words, then what is above 2^130 to the bottom.
	ADD.S R6<<26, R5, R0
	MOVW R6>>6, R6
	ADC.S R7<<20, R6, R1
	MOVW R7>>12, R7
	ADC.S R8<<14, R7, R2
	MOVW R8>>18, R8
	ADC.S R9<<8, R8, R3
	MOVW R9>>24, R9
	ADC  $0, R9, R4
	BIC  $3, R4, R5
	ADD  R4>>2, R5
	AND  $3, R4
	ADD.S R5, R0
	ADC.S $0, R1
	ADC.S $0, R2
	ADC.S $0, R3
	ADC  $0, R4
	FINISH
