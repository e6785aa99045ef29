//go:build !purego && linux

#include "textflag.h"

// func dit() uint64
TEXT ·dit(SB), NOSPLIT, $0-8
	MRS  DIT, R0
	MOVD R0, ret+0(FP)
	RET
