#include "textflag.h"

TEXT ·LookUp(SB), NOSPLIT, $0-24
	MOVV table+0(FP), R5
	MOVV index+8(FP), R6
	SLLV $3, R6, R6
	ADDV R6, R5, R5
	MOVV (R5), R7 // want address
	MOVV R7, v+16(FP)
	RET

TEXT ·LookUpAll(SB), NOSPLIT, $0-24
	MOVV table+0(FP), R5
	MOVV index+8(FP), R6
	MOVV $0, R7
	MOVV $0, R8
	MOVV $4, R11

next:
	MOVV (R5), R9
	XOR R6, R7, R10
	MOVV $1, R12
	SGTU R12, R10, R10
	SUBV R10, R0, R10
	AND R9, R10, R9
	OR R9, R8, R8
	ADDV $8, R5, R5
	ADDV $1, R7, R7
	BNE R7, R11, next
	MOVV R8, v+16(FP)
	RET

TEXT ·Branch(SB), NOSPLIT, $0-16
	MOVV $0, R6
	MOVV x+0(FP), R5
	BEQ R5, R0, zero // want branch
	ADDV $1, R6, R6

zero:
	MOVV R6, v+8(FP)
	RET

TEXT ·Select(SB), NOSPLIT, $0-16
	MOVV x+0(FP), R5
	SGTU R5, R0, R5
	SUBV R5, R0, R5
	AND $3, R5, R5
	MOVV R5, v+8(FP)
	RET

TEXT ·Compare(SB), NOSPLIT, $0-24
	MOVV a+0(FP), R5
	MOVV b+8(FP), R6
	MOVV $4, R7

next:
	MOVV (R5), R8
	MOVV (R6), R9
	BNE R8, R9, done // want branch
	ADDV $8, R5, R5
	ADDV $8, R6, R6
	ADDV $-1, R7, R7
	BNE R7, R0, next

done:
	MOVV R7, v+16(FP)
	RET

TEXT ·CompareAll(SB), NOSPLIT, $0-24
	MOVV a+0(FP), R5
	MOVV b+8(FP), R6
	MOVV $4, R7
	MOVV $0, R10

next:
	MOVV (R5), R8
	MOVV (R6), R9
	XOR R8, R9, R9
	OR R9, R10, R10
	ADDV $8, R5, R5
	ADDV $8, R6, R6
	ADDV $-1, R7, R7
	BNE R7, R0, next
	MOVV R10, v+16(FP)
	RET

TEXT ·Spill(SB), NOSPLIT, $32-16
	MOVV key+8(FP), R5
	MOVV out+0(FP), R6
	MOVV (R5), R7
	MOVV R7, 16(R3)
	MOVV R7, (R6)
	RET // want stack

TEXT ·SpillWiped(SB), NOSPLIT, $32-16
	MOVV key+8(FP), R5
	MOVV out+0(FP), R6
	MOVV (R5), R7
	MOVV R7, x-16(SP)
	MOVV R7, 16(R3)
	MOVV R7, (R6)
	MOVV $0, R7
	MOVV $x-24(SP), R8
	MOVV $2, R9

wipe:
	MOVV R7, (R8)
	ADDV $8, R8, R8
	ADDV $-1, R9, R9
	BNE R9, R0, wipe
	RET

TEXT ·Divide(SB), NOSPLIT, $0-24
	MOVV x+0(FP), R5
	MOVV n+8(FP), R6
	DIVVU R6, R5, R7 // want time
	MOVV R7, v+16(FP)
	RET

TEXT ·DividePublic(SB), NOSPLIT, $0-24
	MOVV x+0(FP), R5
	MOVV n+8(FP), R6
	DIVVU R6, R5, R7
	MOVV R7, v+16(FP)
	RET

TEXT ·Travel(SB), NOSPLIT, $16-32
	MOVV table+0(FP), R5
	MOVV key+8(FP), R6
	MOVV (R6), R7
	MOVV R7, 8(R3)
	MOVV 8(R3), R8
	ADDV R8, R5, R5
	MOVV (R5), R7 // want address
	MOVV R7, v+24(FP)
	MOVV $0, R7
	MOVV R7, 8(R3)
	RET

TEXT ·TravelPublic(SB), NOSPLIT, $16-32
	MOVV table+0(FP), R5
	MOVV key+8(FP), R6
	MOVV (R6), R7
	MOVV n+16(FP), R8
	MOVV R7, 8(R3)
	MOVV R8, 16(R3)
	MOVV 16(R3), R8
	ADDV R8, R5, R5
	MOVV (R5), R9
	ADDV R9, R7, R7
	MOVV R7, v+24(FP)
	MOVV $0, R7
	MOVV R7, 8(R3)
	RET

TEXT ·Shuffle(SB), NOSPLIT, $0-24
	MOVV table+0(FP), R5
	MOVV key+8(FP), R6
	VMOVQ (R5), V2
	VMOVQ (R6), V1
	WORD $0x0d508843 // VSHUFB V1, V2, V2, V3
	WORD $0x72eff067 // VPICKVE2GRV $0, V3, R7
	ADDV R7, R5, R5
	MOVV (R5), R7 // want address
	MOVV R7, v+16(FP)
	RET

TEXT ·ShuffleAlone(SB), NOSPLIT, $0-24
	MOVV table+0(FP), R5
	MOVV key+8(FP), R6
	VMOVQ (R5), V2
	VMOVQ (R6), V1
	WORD $0x0d508843 // VSHUFB V1, V2, V2, V3
	WORD $0x72eff067 // VPICKVE2GRV $0, V3, R7
	MOVV R7, v+16(FP)
	RET

TEXT ·Publish(SB), NOSPLIT, $0-24
	MOVV out+0(FP), R5
	MOVV key+8(FP), R6
	MOVV (R6), R7
	MOVV R7, (R5) // want store
	MOVV R7, v+16(FP)
	RET // want result

TEXT ·PublishPublic(SB), NOSPLIT, $0-24
	MOVV out+0(FP), R5
	MOVV key+8(FP), R6
	MOVV 16(R6), R7
	MOVV R7, (R5)
	MOVV R7, v+16(FP)
	RET
