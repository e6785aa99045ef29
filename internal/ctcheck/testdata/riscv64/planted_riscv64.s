#include "textflag.h"

TEXT ·LookUp(SB), NOSPLIT, $0-24
	MOV table+0(FP), X5
	MOV index+8(FP), X6
	SH3ADD X5, X6, X5
	MOV (X5), X7 // want address
	MOV X7, v+16(FP)
	RET

TEXT ·LookUpAll(SB), NOSPLIT, $0-24
	MOV table+0(FP), X5
	MOV index+8(FP), X6
	MOV $0, X7
	MOV $0, X8
	MOV $4, X11

next:
	MOV (X5), X9
	XOR X6, X7, X10
	SEQZ X10, X10
	NEG X10, X10
	AND X9, X10, X9
	OR X9, X8, X8
	ADD $8, X5, X5
	ADD $1, X7, X7
	BNE X7, X11, next
	MOV X8, v+16(FP)
	RET

TEXT ·Branch(SB), NOSPLIT, $0-16
	MOV $0, X6
	MOV x+0(FP), X5
	BEQZ X5, zero // want branch
	ADD $1, X6, X6

zero:
	MOV X6, v+8(FP)
	RET

TEXT ·Select(SB), NOSPLIT, $0-16
	MOV x+0(FP), X5
	SNEZ X5, X5
	NEG X5, X5
	AND $3, X5, X5
	MOV X5, v+8(FP)
	RET

TEXT ·Compare(SB), NOSPLIT, $0-24
	MOV a+0(FP), X5
	MOV b+8(FP), X6
	MOV $4, X7

next:
	MOV (X5), X8
	MOV (X6), X9
	BNE X8, X9, done // want branch
	ADD $8, X5, X5
	ADD $8, X6, X6
	ADD $-1, X7, X7
	BNEZ X7, next

done:
	MOV X7, v+16(FP)
	RET

TEXT ·CompareAll(SB), NOSPLIT, $0-24
	MOV a+0(FP), X5
	MOV b+8(FP), X6
	MOV $4, X7
	MOV $0, X10

next:
	MOV (X5), X8
	MOV (X6), X9
	XOR X8, X9, X9
	OR X9, X10, X10
	ADD $8, X5, X5
	ADD $8, X6, X6
	ADD $-1, X7, X7
	BNEZ X7, next
	MOV X10, v+16(FP)
	RET

TEXT ·Spill(SB), NOSPLIT, $32-16
	MOV key+8(FP), X5
	MOV out+0(FP), X6
	MOV (X5), X7
	MOV X7, 16(X2)
	MOV X7, (X6)
	RET // want stack

TEXT ·SpillWiped(SB), NOSPLIT, $32-16
	MOV key+8(FP), X5
	MOV out+0(FP), X6
	MOV (X5), X7
	MOV X7, x-16(SP)
	MOV X7, 16(X2)
	MOV X7, (X6)
	MOV $0, X7
	MOV $x-24(SP), X8
	MOV $2, X9

wipe:
	MOV X7, (X8)
	ADD $8, X8, X8
	ADD $-1, X9, X9
	BNEZ X9, wipe
	RET

TEXT ·Divide(SB), NOSPLIT, $0-24
	MOV x+0(FP), X5
	MOV n+8(FP), X6
	DIVU X6, X5, X7 // want time
	MOV X7, v+16(FP)
	RET

TEXT ·DividePublic(SB), NOSPLIT, $0-24
	MOV x+0(FP), X5
	MOV n+8(FP), X6
	DIVU X6, X5, X7
	MOV X7, v+16(FP)
	RET

TEXT ·Travel(SB), NOSPLIT, $16-32
	MOV table+0(FP), X5
	MOV key+8(FP), X6
	MOV (X6), X7
	MOV X7, 8(X2)
	MOV 8(X2), X8
	ADD X8, X5, X5
	MOV (X5), X7 // want address
	MOV X7, v+24(FP)
	MOV $0, X7
	MOV X7, 8(X2)
	RET

TEXT ·TravelPublic(SB), NOSPLIT, $16-32
	MOV table+0(FP), X5
	MOV key+8(FP), X6
	MOV (X6), X7
	MOV n+16(FP), X8
	MOV X7, 8(X2)
	MOV X8, 16(X2)
	MOV 16(X2), X8
	ADD X8, X5, X5
	MOV (X5), X9
	ADD X9, X7, X7
	MOV X7, v+24(FP)
	MOV $0, X7
	MOV X7, 8(X2)
	RET

TEXT ·Publish(SB), NOSPLIT, $0-24
	MOV out+0(FP), X5
	MOV key+8(FP), X6
	MOV (X6), X7
	MOV X7, (X5) // want store
	MOV X7, v+16(FP)
	RET // want result

TEXT ·PublishPublic(SB), NOSPLIT, $0-24
	MOV out+0(FP), X5
	MOV key+8(FP), X6
	MOV 16(X6), X7
	MOV X7, (X5)
	MOV X7, v+16(FP)
	RET
