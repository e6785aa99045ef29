package mips

import (
	"testing"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

// TestM24K has a sum of products, whose parts follow each other, and its readers, which wait.
func TestM24K(t *testing.T) {
	a, b, c, d := R(1), R(2), R(3), R(4)
	for _, test := range []struct {
		name string
		code asm.Stream
		want int
	}{
		{"sum", asm.Stream{MULTU(a, b), MADDU(a, b), MADDU(a, b)}, 2 + 5},
		{"sum and halves", asm.Stream{MULTU(a, b), MADDU(a, b), MFLO(c), MFHI(d)}, 1 + 5 + 2},
		{"load", asm.Stream{LW(0, a, b), ADDU(b, c, d)}, 2 + 1},
		{"three operands", asm.Stream{MUL(a, b, c), ADDU(c, c, d)}, 5 + 1},
		{"independent", asm.Stream{MULTU(a, b), ADDU(a, b, c), ADDU(a, b, d)}, 5},
	} {
		if got := M24K.Cycles(test.code); got != test.want {
			t.Errorf("%s: %d cycles, want %d", test.name, got, test.want)
		}
	}
	// Instructions that do not depend on the products go between them and their reader.
	s := asm.Schedule(asm.Stream{MULTU(a, b), MFLO(c), ADDU(a, b, d), XOR(a, d, d)}, M24K)
	if s[3].Name != "MF" {
		t.Errorf("the order is %v", s)
	}
}
