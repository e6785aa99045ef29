//go:build valgrind

#include "textflag.h"

// func request(args *[6]uint64)
//
// Valgrind replaces this sequence of rotations, which does nothing (valgrind.h,
// special instruction preamble of amd64). AX: address of the request and its
// arguments. DX: what valgrind answers; not used.
TEXT ·request(SB), NOSPLIT, $0-8
	MOVQ args+0(FP), AX
	XORL DX, DX
	ROLQ $3, DI
	ROLQ $13, DI
	ROLQ $61, DI
	ROLQ $51, DI
	XCHGQ BX, BX
	RET
