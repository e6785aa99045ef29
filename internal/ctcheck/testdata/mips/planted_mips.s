#include "textflag.h"

TEXT ·LookUp(SB), NOSPLIT, $0-12
	MOVW table+0(FP), R5
	MOVW index+4(FP), R6
	SLL $2, R6, R6
	ADDU R6, R5, R5
	MOVW (R5), R7 // want address
	MOVW R7, v+8(FP)
	RET

TEXT ·LookUpAll(SB), NOSPLIT, $0-12
	MOVW table+0(FP), R5
	MOVW index+4(FP), R6
	MOVW $0, R7
	MOVW $0, R8
	MOVW $4, R11

next:
	MOVW (R5), R9
	XOR R6, R7, R10
	MOVW $1, R12
	SGTU R12, R10, R10
	SUBU R10, R0, R10
	AND R9, R10, R9
	OR R9, R8, R8
	ADDU $4, R5, R5
	ADDU $1, R7, R7
	BNE R7, R11, next
	MOVW R8, v+8(FP)
	RET

TEXT ·Branch(SB), NOSPLIT, $0-8
	MOVW $0, R6
	MOVW x+0(FP), R5
	BEQ R5, R0, zero // want branch
	ADDU $1, R6, R6

zero:
	MOVW R6, v+4(FP)
	RET

TEXT ·Select(SB), NOSPLIT, $0-8
	MOVW x+0(FP), R5
	SGTU R5, R0, R5
	SUBU R5, R0, R5
	AND $3, R5, R5
	MOVW R5, v+4(FP)
	RET

TEXT ·Compare(SB), NOSPLIT, $0-12
	MOVW a+0(FP), R5
	MOVW b+4(FP), R6
	MOVW $4, R7

next:
	MOVW (R5), R8
	MOVW (R6), R9
	BNE R8, R9, done // want branch
	ADDU $4, R5, R5
	ADDU $4, R6, R6
	ADDU $-1, R7, R7
	BNE R7, R0, next

done:
	MOVW R7, v+8(FP)
	RET

TEXT ·CompareAll(SB), NOSPLIT, $0-12
	MOVW a+0(FP), R5
	MOVW b+4(FP), R6
	MOVW $4, R7
	MOVW $0, R10

next:
	MOVW (R5), R8
	MOVW (R6), R9
	XOR R8, R9, R9
	OR R9, R10, R10
	ADDU $4, R5, R5
	ADDU $4, R6, R6
	ADDU $-1, R7, R7
	BNE R7, R0, next
	MOVW R10, v+8(FP)
	RET

TEXT ·Spill(SB), NOSPLIT, $16-8
	MOVW key+4(FP), R5
	MOVW out+0(FP), R6
	MOVW (R5), R7
	MOVW R7, 8(R29)
	MOVW R7, (R6)
	RET // want stack

TEXT ·SpillWiped(SB), NOSPLIT, $16-8
	MOVW key+4(FP), R5
	MOVW out+0(FP), R6
	MOVW (R5), R7
	MOVW R7, x-8(SP)
	MOVW R7, 8(R29)
	MOVW R7, (R6)
	MOVW $0, R7
	MOVW $x-12(SP), R8
	MOVW $2, R9

wipe:
	MOVW R7, (R8)
	ADDU $4, R8, R8
	ADDU $-1, R9, R9
	BNE R9, R0, wipe
	RET

TEXT ·Divide(SB), NOSPLIT, $0-12
	MOVW x+0(FP), R5
	MOVW n+4(FP), R6
	DIVU R6, R5 // want time
	MOVW LO, R7
	MOVW R7, v+8(FP)
	RET

TEXT ·DividePublic(SB), NOSPLIT, $0-12
	MOVW x+0(FP), R5
	MOVW n+4(FP), R6
	DIVU R6, R5
	MOVW LO, R7
	MOVW R7, v+8(FP)
	RET

TEXT ·Travel(SB), NOSPLIT, $8-16
	MOVW table+0(FP), R5
	MOVW key+4(FP), R6
	MOVW (R6), R7
	MOVW R7, 4(R29)
	MOVW 4(R29), R8
	ADDU R8, R5, R5
	MOVW (R5), R7 // want address
	MOVW R7, v+12(FP)
	MOVW $0, R7
	MOVW R7, 4(R29)
	RET

TEXT ·TravelPublic(SB), NOSPLIT, $8-16
	MOVW table+0(FP), R5
	MOVW key+4(FP), R6
	MOVW (R6), R7
	MOVW n+8(FP), R8
	MOVW R7, 4(R29)
	MOVW R8, 8(R29)
	MOVW 8(R29), R8
	ADDU R8, R5, R5
	MOVW (R5), R9
	ADDU R9, R7, R7
	MOVW R7, v+12(FP)
	MOVW $0, R7
	MOVW R7, 4(R29)
	RET

TEXT ·Publish(SB), NOSPLIT, $0-12
	MOVW out+0(FP), R5
	MOVW key+4(FP), R6
	MOVW (R6), R7
	MOVW R7, (R5) // want store
	MOVW R7, v+8(FP)
	RET // want result

TEXT ·PublishPublic(SB), NOSPLIT, $0-12
	MOVW out+0(FP), R5
	MOVW key+4(FP), R6
	MOVW 8(R6), R7
	MOVW R7, (R5)
	MOVW R7, v+8(FP)
	RET
