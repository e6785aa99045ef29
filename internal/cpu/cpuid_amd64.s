//go:build !purego

#include "textflag.h"

// cpuid executes CPUID for one leaf and subleaf. The processor must support the
// leaf; otherwise the result is that of another leaf.
//
// func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)
//
// AX, CX: leaf and subleaf; AX, BX, CX, DX: result.
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL subleaf+4(FP), CX
	CPUID
	MOVL AX, eax+8(FP)
	MOVL BX, ebx+12(FP)
	MOVL CX, ecx+16(FP)
	MOVL DX, edx+20(FP)
	RET

// xcr0 returns the low half of XCR0: the register state that the operating
// system saves. CPUID must report OSXSAVE, or XGETBV traps.
//
// func xcr0() uint32
//
// CX: register number; AX, DX: its halves.
TEXT ·xcr0(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, ret+0(FP)
	RET
