#include "textflag.h"

TEXT ·LookUp(SB), NOSPLIT, $0-12
	MOVW table+0(FP), R0
	MOVW index+4(FP), R1
	ADD R1<<2, R0, R0
	MOVW (R0), R2 // want address
	MOVW R2, v+8(FP)
	RET

TEXT ·LookUpAll(SB), NOSPLIT, $0-12
	MOVW table+0(FP), R0
	MOVW index+4(FP), R1
	MOVW $0, R2
	MOVW $0, R3

next:
	MOVW.P 4(R0), R4
	CMP R1, R2
	MOVW.EQ R4, R3
	ADD $1, R2
	CMP $4, R2
	BNE next
	MOVW R3, v+8(FP)
	RET

TEXT ·Branch(SB), NOSPLIT, $0-8
	MOVW $0, R2
	MOVW x+0(FP), R0
	CMP $0, R0
	BEQ zero // want branch
	ADD $1, R2

zero:
	MOVW R2, v+4(FP)
	RET

TEXT ·Select(SB), NOSPLIT, $0-8
	MOVW x+0(FP), R0
	MOVW $3, R3
	MOVW $0, R4
	CMP $0, R0
	MOVW.NE $3, R4
	MOVW R4, R3
	MOVW R3, v+4(FP)
	RET

TEXT ·Compare(SB), NOSPLIT, $0-12
	MOVW a+0(FP), R0
	MOVW b+4(FP), R1
	MOVW $4, R2

next:
	MOVW.P 4(R0), R3
	MOVW.P 4(R1), R4
	CMP R3, R4
	BNE done // want branch
	SUB.S $1, R2, R2
	BNE next

done:
	MOVW R2, v+8(FP)
	RET

TEXT ·CompareAll(SB), NOSPLIT, $0-12
	MOVW a+0(FP), R0
	MOVW b+4(FP), R1
	MOVW $4, R2
	MOVW $0, R5

next:
	MOVW.P 4(R0), R3
	MOVW.P 4(R1), R4
	EOR R3, R4, R4
	ORR R4, R5, R5
	SUB.S $1, R2, R2
	BNE next
	MOVW R5, v+8(FP)
	RET

TEXT ·Spill(SB), NOSPLIT, $32-8
	MOVW key+4(FP), R0
	MOVW out+0(FP), R1
	MOVW (R0), R2
	MOVW R2, 8(R13)
	MOVW R2, (R1)
	RET // want stack

TEXT ·SpillWiped(SB), NOSPLIT, $32-8
	MOVW key+4(FP), R0
	MOVW out+0(FP), R1
	MOVW (R0), R2
	MOVW R2, 4(R13)
	MOVW R2, 8(R13)
	MOVW R2, (R1)
	MOVW $0, R2
	ADD $4, R13, R3
	MOVW $2, R4

wipe:
	MOVW.P R2, 4(R3)
	SUB.S $1, R4, R4
	BNE wipe
	RET

TEXT ·Divide(SB), NOSPLIT, $0-12
	MOVW x+0(FP), R0
	MOVW n+4(FP), R1
	DIVU R1, R0, R2 // want time
	MOVW R2, v+8(FP)
	RET

TEXT ·DividePublic(SB), NOSPLIT, $0-12
	MOVW x+0(FP), R0
	MOVW n+4(FP), R1
	DIVU R1, R0, R2
	MOVW R2, v+8(FP)
	RET

TEXT ·Travel(SB), NOSPLIT, $16-16
	MOVW table+0(FP), R0
	MOVW key+4(FP), R1
	MOVW (R1), R2
	MOVW R2, 8(R13)
	MOVW 8(R13), R3
	ADD R3<<2, R0, R0
	MOVW (R0), R2 // want address
	MOVW R2, v+12(FP)
	MOVW $0, R2
	MOVW R2, 8(R13)
	RET

TEXT ·TravelPublic(SB), NOSPLIT, $16-16
	MOVW table+0(FP), R0
	MOVW key+4(FP), R1
	MOVW (R1), R2
	MOVW n+8(FP), R3
	MOVW R2, 4(R13)
	MOVW R3, 8(R13)
	MOVW 8(R13), R3
	ADD R3<<2, R0, R0
	MOVW (R0), R4
	ADD R4, R2, R2
	MOVW R2, v+12(FP)
	MOVW $0, R2
	MOVW R2, 4(R13)
	RET

TEXT ·Publish(SB), NOSPLIT, $0-12
	MOVW out+0(FP), R0
	MOVW key+4(FP), R1
	MOVW (R1), R2
	MOVW R2, (R0) // want store
	MOVW R2, v+8(FP)
	RET // want result

TEXT ·PublishPublic(SB), NOSPLIT, $0-12
	MOVW out+0(FP), R0
	MOVW key+4(FP), R1
	MOVW 8(R1), R2
	MOVW R2, (R0)
	MOVW R2, v+8(FP)
	RET
