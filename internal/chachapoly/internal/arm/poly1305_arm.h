// The common code of macV6 and macNEON. Both have the arguments of macV6.

// r is the first half of a one-time key, clamped (RFC 8439, section 2.5).
#define CLAMP(r0, r1, r2, r3) \
	BIC $0xf0000000, r0 \
	BIC $0xf0000003, r1 \
	BIC $0xf0000003, r2 \
	BIC $0xf0000003, r3

// The end of an authentication: R0..R4 = h < 2^130 + 2^32. Without a tag it is
// stored. Otherwise it is reduced modulo 2^130-5, the second half of the key is
// added, and the sum is stored as the tag or compared with it: diff is 0 or 1.
#define FINISH \
	MOVW tag+16(FP), R12 \
	CMP $0, R12 \
	BEQ store \
	ADD.S $5, R0, R5 \
	ADC.S $0, R1, R6 \
	ADC.S $0, R2, R7 \
	ADC.S $0, R3, R8 \
	ADC $0, R4, R9 \
	CMP $4, R9 \
	MOVW.CS R5, R0 \
	MOVW.CS R6, R1 \
	MOVW.CS R7, R2 \
	MOVW.CS R8, R3 \
	MOVW key+4(FP), R5 \
	ADD $16, R5 \
	MOVM.IA (R5), [R6-R9] \
	ADD.S R6, R0 \
	ADC.S R7, R1 \
	ADC.S R8, R2 \
	ADC R9, R3 \
	MOVW check+28(FP), R4 \
	CMP $0, R4 \
	BNE compare \
	MOVW R0, 0(R12) \
	MOVW R1, 4(R12) \
	MOVW R2, 8(R12) \
	MOVW R3, 12(R12) \
	RET \
compare: \
	MOVW 0(R12), R5 \
	MOVW 4(R12), R6 \
	MOVW 8(R12), R7 \
	MOVW 12(R12), R8 \
	EOR R5, R0 \
	EOR R6, R1 \
	EOR R7, R2 \
	EOR R8, R3 \
	ORR R1, R0 \
	ORR R3, R2 \
	ORR R2, R0 \
	RSB $0, R0, R1 \
	ORR R1, R0 \
	MOVW R0>>31, R0 \
	MOVW R0, diff+32(FP) \
	RET \
store: \
	MOVW h+0(FP), R5 \
	MOVM.IA [R0-R4], (R5) \
	RET

// Copies R6 bytes, 1 to 16, from R5 to R7 and fills up 16 bytes with zeros.
// R5..R9 change.
#define LAST \
	MOVW $0, R8 \
	MOVW $0, R9 \
	STRD(8, 0, 7) \
	STRD(8, 8, 7) \
	SUB.S $4, R6 \
	BMI lastBytes \
lastWords: \
	MOVW.P 4(R5), R8 \
	SUB.S $4, R6 \
	MOVW.P R8, 4(R7) \
	BPL lastWords \
lastBytes: \
	ADD.S $4, R6 \
	BEQ lastDone \
lastByte: \
	MOVBU.P 1(R5), R8 \
	SUB.S $1, R6 \
	MOVB.P R8, 1(R7) \
	BNE lastByte \
lastDone:
