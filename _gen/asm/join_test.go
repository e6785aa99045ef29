package asm

import "testing"

func TestJoin(t *testing.T) {
	const text = "TEXT ·f(SB), NOSPLIT, $0-8\n\tMOVQ p+0(FP), AX\n\tVPADDD  Y0, Y1, Y2\n\tVPXOR   Y2, Y3, Y3\n\t// Remark.\n\tINCQ    AX\n" +
		"\nloop:\n\tDECQ    AX\n\tVMOVDQU chachaAVX2Rotate8<>+0(SB), Y11\n\tVMOVDQU chachaAVX2Rotate8<>+0(SB), Y12\n\tVMOVDQU chachaAVX2Rotate8<>+0(SB), Y13\n\tJNZ     loop\n\tADDQ    $1, AX\n\tVZEROUPPER\n\tRET\n"
	const want = "TEXT ·f(SB), NOSPLIT, $0-8\n\tMOVQ p+0(FP), AX\n\tVPADDD Y0, Y1, Y2; VPXOR Y2, Y3, Y3\n\t// Remark.\n\tINCQ AX\n" +
		"\nloop:\n\tDECQ AX; VMOVDQU chachaAVX2Rotate8<>+0(SB), Y11; VMOVDQU chachaAVX2Rotate8<>+0(SB), Y12\n\tVMOVDQU chachaAVX2Rotate8<>+0(SB), Y13\n\tJNZ     loop\n\tADDQ $1, AX\n\tVZEROUPPER\n\tRET\n"
	if got := Join(text); got != want {
		t.Errorf("\n%s", got)
	}
	if got := Join(want); got != want {
		t.Errorf("again:\n%s", got)
	}
	if got := Join("\tINCQ AX"); got != "\tINCQ AX\n" {
		t.Errorf("%q", got)
	}
}
