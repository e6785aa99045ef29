#include "textflag.h"

TEXT ·LookUp(SB), NOSPLIT, $0-24
	MOVQ table+0(FP), AX
	MOVQ index+8(FP), BX
	MOVQ (AX)(BX*8), CX // want address
	MOVQ CX, v+16(FP)
	RET

TEXT ·LookUpAll(SB), NOSPLIT, $0-24
	MOVQ table+0(FP), AX
	MOVQ index+8(FP), BX
	XORQ CX, CX
	XORQ SI, SI

next:
	MOVQ (AX)(SI*8), DX
	CMPQ SI, BX
	CMOVQEQ DX, CX
	INCQ SI
	CMPQ SI, $4
	JNE next
	MOVQ CX, v+16(FP)
	RET

TEXT ·Branch(SB), NOSPLIT, $0-16
	XORQ CX, CX
	MOVQ x+0(FP), AX
	TESTQ AX, AX
	JEQ zero // want branch
	INCQ CX

zero:
	MOVQ CX, v+8(FP)
	RET

TEXT ·Select(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), AX
	NEGQ AX
	SBBQ CX, CX
	MOVQ $3, DX
	ANDQ CX, DX
	MOVQ DX, v+8(FP)
	RET

TEXT ·Compare(SB), NOSPLIT, $0-24
	MOVQ a+0(FP), AX
	MOVQ b+8(FP), BX
	MOVQ $4, CX

next:
	MOVQ (AX), DX
	CMPQ DX, (BX)
	JNE done // want branch
	ADDQ $8, AX
	ADDQ $8, BX
	DECQ CX
	JNE next

done:
	MOVQ CX, v+16(FP)
	RET

TEXT ·CompareAll(SB), NOSPLIT, $0-24
	MOVQ a+0(FP), AX
	MOVQ b+8(FP), BX
	MOVQ $4, CX
	XORQ SI, SI

next:
	MOVQ (AX), DX
	XORQ (BX), DX
	ORQ DX, SI
	ADDQ $8, AX
	ADDQ $8, BX
	DECQ CX
	JNE next
	MOVQ SI, v+16(FP)
	RET

TEXT ·Spill(SB), NOSPLIT, $64-16
	MOVQ key+8(FP), AX
	MOVQ out+0(FP), BX
	MOVOU (AX), X0
	MOVOU X0, 16(SP)
	MOVOU X0, (BX)
	RET // want stack

TEXT ·SpillWiped(SB), NOSPLIT, $64-16
	MOVQ key+8(FP), AX
	MOVQ out+0(FP), BX
	LEAQ 15(SP), SI
	ANDQ $-16, SI
	MOVOU (AX), X0
	MOVO X0, (SI)
	MOVO X0, 16(SI)
	MOVOU X0, (BX)
	PXOR X0, X0
	MOVQ $2, CX

wipe:
	MOVO X0, (SI)
	ADDQ $16, SI
	DECQ CX
	JNE wipe
	RET

TEXT ·Divide(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), AX
	XORQ DX, DX
	MOVQ n+8(FP), CX
	DIVQ CX // want time
	MOVQ AX, v+16(FP)
	RET

TEXT ·DividePublic(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), AX
	XORQ DX, DX
	MOVQ n+8(FP), CX
	DIVQ CX
	MOVQ AX, v+16(FP)
	RET

TEXT ·Travel(SB), NOSPLIT, $16-32
	MOVQ table+0(FP), AX
	MOVQ key+8(FP), BX
	MOVQ (BX), CX
	MOVQ CX, 8(SP)
	MOVQ 8(SP), SI
	ANDQ $3, SI
	MOVQ (AX)(SI*8), DX // want address
	MOVQ DX, v+24(FP)
	XORQ CX, CX
	MOVQ CX, 8(SP)
	RET

TEXT ·TravelPublic(SB), NOSPLIT, $16-32
	MOVQ table+0(FP), AX
	MOVQ key+8(FP), BX
	MOVQ (BX), DX
	MOVQ n+16(FP), CX
	MOVQ DX, (SP)
	MOVQ CX, 8(SP)
	MOVQ 8(SP), SI
	ANDQ $3, SI
	ADDQ (AX)(SI*8), DX
	MOVQ DX, v+24(FP)
	XORQ CX, CX
	MOVQ CX, (SP)
	RET

TEXT ·Publish(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), AX
	MOVQ key+8(FP), BX
	MOVQ (BX), CX
	MOVQ CX, (AX) // want store
	MOVQ CX, v+16(FP)
	RET // want result

TEXT ·PublishPublic(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), AX
	MOVQ key+8(FP), BX
	MOVQ 16(BX), CX
	MOVQ CX, (AX)
	MOVQ CX, v+16(FP)
	RET
