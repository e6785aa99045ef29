#include "textflag.h"

TEXT ·LookUp(SB), NOSPLIT, $0-12
	MOVL table+0(FP), AX
	MOVL index+4(FP), BX
	MOVL (AX)(BX*4), CX // want address
	MOVL CX, v+8(FP)
	RET

TEXT ·LookUpAll(SB), NOSPLIT, $0-12
	MOVL table+0(FP), AX
	MOVL index+4(FP), BX
	XORL CX, CX
	XORL SI, SI

next:
	MOVL (AX)(SI*4), DX
	CMPL SI, BX
	CMOVLEQ DX, CX
	INCL SI
	CMPL SI, $4
	JNE next
	MOVL CX, v+8(FP)
	RET

TEXT ·Branch(SB), NOSPLIT, $0-8
	XORL CX, CX
	MOVL x+0(FP), AX
	TESTL AX, AX
	JEQ zero // want branch
	INCL CX

zero:
	MOVL CX, v+4(FP)
	RET

TEXT ·Select(SB), NOSPLIT, $0-8
	MOVL x+0(FP), AX
	NEGL AX
	SBBL CX, CX
	MOVL $3, DX
	ANDL CX, DX
	MOVL DX, v+4(FP)
	RET

TEXT ·Compare(SB), NOSPLIT, $0-12
	MOVL a+0(FP), AX
	MOVL b+4(FP), BX
	MOVL $4, CX

next:
	MOVL (AX), DX
	CMPL DX, (BX)
	JNE done // want branch
	ADDL $4, AX
	ADDL $4, BX
	DECL CX
	JNE next

done:
	MOVL CX, v+8(FP)
	RET

TEXT ·CompareAll(SB), NOSPLIT, $0-12
	MOVL a+0(FP), AX
	MOVL b+4(FP), BX
	MOVL $4, CX
	XORL SI, SI

next:
	MOVL (AX), DX
	XORL (BX), DX
	ORL DX, SI
	ADDL $4, AX
	ADDL $4, BX
	DECL CX
	JNE next
	MOVL SI, v+8(FP)
	RET

TEXT ·Spill(SB), NOSPLIT, $64-8
	MOVL key+4(FP), AX
	MOVL out+0(FP), BX
	MOVOU (AX), X0
	MOVOU X0, 16(SP)
	MOVOU X0, (BX)
	RET // want stack

TEXT ·SpillWiped(SB), NOSPLIT, $64-8
	MOVL key+4(FP), AX
	MOVL out+0(FP), BX
	LEAL 15(SP), SI
	ANDL $-16, SI
	MOVOU (AX), X0
	MOVO X0, (SI)
	MOVO X0, 16(SI)
	MOVOU X0, (BX)
	PXOR X0, X0
	MOVL $2, CX

wipe:
	MOVO X0, (SI)
	ADDL $16, SI
	DECL CX
	JNE wipe
	RET

TEXT ·Divide(SB), NOSPLIT, $0-12
	MOVL x+0(FP), AX
	XORL DX, DX
	MOVL n+4(FP), CX
	DIVL CX // want time
	MOVL AX, v+8(FP)
	RET

TEXT ·DividePublic(SB), NOSPLIT, $0-12
	MOVL x+0(FP), AX
	XORL DX, DX
	MOVL n+4(FP), CX
	DIVL CX
	MOVL AX, v+8(FP)
	RET

TEXT ·Travel(SB), NOSPLIT, $16-16
	MOVL table+0(FP), AX
	MOVL key+4(FP), BX
	MOVL (BX), CX
	MOVL CX, 8(SP)
	MOVL 8(SP), SI
	ANDL $3, SI
	MOVL (AX)(SI*4), DX // want address
	MOVL DX, v+12(FP)
	XORL CX, CX
	MOVL CX, 8(SP)
	RET

TEXT ·TravelPublic(SB), NOSPLIT, $16-16
	MOVL table+0(FP), AX
	MOVL key+4(FP), BX
	MOVL (BX), DX
	MOVL n+8(FP), CX
	MOVL DX, (SP)
	MOVL CX, 8(SP)
	MOVL 8(SP), SI
	ANDL $3, SI
	ADDL (AX)(SI*4), DX
	MOVL DX, v+12(FP)
	XORL CX, CX
	MOVL CX, (SP)
	RET

TEXT ·Publish(SB), NOSPLIT, $0-12
	MOVL out+0(FP), AX
	MOVL key+4(FP), BX
	MOVL (BX), CX
	MOVL CX, (AX) // want store
	MOVL CX, v+8(FP)
	RET // want result

TEXT ·PublishPublic(SB), NOSPLIT, $0-12
	MOVL out+0(FP), AX
	MOVL key+4(FP), BX
	MOVL 8(BX), CX
	MOVL CX, (AX)
	MOVL CX, v+8(FP)
	RET
