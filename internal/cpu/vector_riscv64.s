//go:build !purego && go1.25

#include "textflag.h"

// vlmax returns the number of bytes in a vector register according to
// version 1.0 of the vector extension. Version 0.7.1 has no tail and mask
// policies: the bits of TA and MA make the setting illegal there, and the
// result is 0. The processor must support one of the two versions.
//
// func vlmax() uint64
//
// X10: the result. vl and vtype are free between functions.
TEXT ·vlmax(SB), NOSPLIT, $0-8
	VSETVLI X0, E8, M1, TA, MA, X10
	MOV     X10, ret+0(FP)
	RET
