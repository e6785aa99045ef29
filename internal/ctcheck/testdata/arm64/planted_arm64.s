#include "textflag.h"

TEXT ·LookUp(SB), NOSPLIT, $0-24
	MOVD table+0(FP), R0
	MOVD index+8(FP), R1
	ADD R1<<3, R0, R0
	MOVD (R0), R2 // want address
	MOVD R2, v+16(FP)
	RET

TEXT ·LookUpAll(SB), NOSPLIT, $0-24
	MOVD table+0(FP), R0
	MOVD index+8(FP), R1
	MOVD $0, R2
	MOVD $0, R3

next:
	MOVD.P 8(R0), R4
	CMP R1, R2
	CSEL EQ, R4, R3, R3
	ADD $1, R2
	CMP $4, R2
	BNE next
	MOVD R3, v+16(FP)
	RET

TEXT ·Branch(SB), NOSPLIT, $0-16
	MOVD $0, R2
	MOVD x+0(FP), R0
	CMP $0, R0
	BEQ zero // want branch
	ADD $1, R2

zero:
	MOVD R2, v+8(FP)
	RET

TEXT ·Select(SB), NOSPLIT, $0-16
	MOVD x+0(FP), R0
	MOVD $3, R3
	MOVD $0, R4
	CMP $0, R0
	CSEL NE, R3, R4, R3
	MOVD R3, v+8(FP)
	RET

TEXT ·Compare(SB), NOSPLIT, $0-24
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	MOVD $4, R2

next:
	MOVD.P 8(R0), R3
	MOVD.P 8(R1), R4
	CMP R3, R4
	BNE done // want branch
	SUBS $1, R2, R2
	BNE next

done:
	MOVD R2, v+16(FP)
	RET

TEXT ·CompareAll(SB), NOSPLIT, $0-24
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	MOVD $4, R2
	MOVD $0, R5

next:
	MOVD.P 8(R0), R3
	MOVD.P 8(R1), R4
	EOR R3, R4, R4
	ORR R4, R5, R5
	SUBS $1, R2, R2
	BNE next
	MOVD R5, v+16(FP)
	RET

TEXT ·Spill(SB), NOSPLIT, $32-16
	MOVD key+8(FP), R0
	MOVD out+0(FP), R1
	MOVD (R0), R2
	MOVD R2, 16(RSP)
	MOVD R2, (R1)
	RET // want stack

TEXT ·SpillWiped(SB), NOSPLIT, $32-16
	MOVD key+8(FP), R0
	MOVD out+0(FP), R1
	MOVD (R0), R2
	MOVD R2, 8(RSP)
	MOVD R2, 16(RSP)
	MOVD R2, (R1)
	MOVD $0, R2
	ADD $8, RSP, R3
	MOVD $2, R4

wipe:
	MOVD.P R2, 8(R3)
	SUBS $1, R4, R4
	BNE wipe
	RET

TEXT ·Divide(SB), NOSPLIT, $0-24
	MOVD x+0(FP), R0
	MOVD n+8(FP), R1
	UDIV R1, R0, R2 // want time
	MOVD R2, v+16(FP)
	RET

TEXT ·DividePublic(SB), NOSPLIT, $0-24
	MOVD x+0(FP), R0
	MOVD n+8(FP), R1
	UDIV R1, R0, R2
	MOVD R2, v+16(FP)
	RET

TEXT ·Travel(SB), NOSPLIT, $16-32
	MOVD table+0(FP), R0
	MOVD key+8(FP), R1
	MOVD (R1), R2
	MOVD R2, 16(RSP)
	MOVD 16(RSP), R3
	ADD R3<<3, R0, R0
	MOVD (R0), R2 // want address
	MOVD R2, v+24(FP)
	MOVD $0, R2
	MOVD R2, 16(RSP)
	RET

TEXT ·TravelPublic(SB), NOSPLIT, $16-32
	MOVD table+0(FP), R0
	MOVD key+8(FP), R1
	MOVD (R1), R2
	MOVD n+16(FP), R3
	MOVD R2, 8(RSP)
	MOVD R3, 16(RSP)
	MOVD 16(RSP), R3
	ADD R3<<3, R0, R0
	MOVD (R0), R4
	ADD R4, R2, R2
	MOVD R2, v+24(FP)
	MOVD $0, R2
	MOVD R2, 8(RSP)
	RET

TEXT ·Publish(SB), NOSPLIT, $0-24
	MOVD out+0(FP), R0
	MOVD key+8(FP), R1
	MOVD (R1), R2
	MOVD R2, (R0) // want store
	MOVD R2, v+16(FP)
	RET // want result

TEXT ·PublishPublic(SB), NOSPLIT, $0-24
	MOVD out+0(FP), R0
	MOVD key+8(FP), R1
	MOVD 16(R1), R2
	MOVD R2, (R0)
	MOVD R2, v+16(FP)
	RET
