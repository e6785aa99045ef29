// Package gates has the S-boxes that _gen/circuit finds as circuits for generators of AArch64's
// kernels on planes of bits.
package gates

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// A Circuit computes an S-box without its constants: S(x) = circuit(x + In) + Out. Its inputs
// are x0 to x7, bits from the lowest one on.
type Circuit struct {
	In, Out byte
	Gates   []Gate
	Outputs [8]string
}

// A Gate is Result = A Op B, with '^', '&' or '|'.
type Gate struct {
	Result, A string
	Op        byte
	B         string
}

// Add adds gates to a function. values has the registers of all values by name.
func Add(f *asm.Func, list []Gate, values map[string]asm.Reg) {
	for _, g := range list {
		a, b, d := values[g.A], values[g.B], f.New(Vector, g.Result)
		switch g.Op {
		case '^':
			f.Add(VEOR(a, b, d))
		case '&':
			f.Add(VAND(a, b, d))
		case '|':
			f.Add(VORR(a, b, d))
		}
		values[g.Result] = d
	}
}
