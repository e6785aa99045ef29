// Package gates has the S-boxes that _gen/circuit finds as circuits for generators of AArch64's
// kernels on planes of bits.
package gates

import (
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// A Circuit computes an S-box without its constants: S(x) = circuit(x + In) + Out. Its inputs
// are x0 to x7, bits from the lowest one on.
type Circuit struct {
	In, Out byte
	Gates   []string // such as "t0 = x2 ^ x0", with ^, & or |
	Outputs [8]string
}

// Add adds gates to a function. values has the registers of all values by name.
func Add(f *asm.Func, gates []string, values map[string]asm.Reg) {
	for _, gate := range gates {
		t := strings.Fields(gate)
		a, b, d := values[t[2]], values[t[4]], f.New(Vector, t[0])
		switch t[3] {
		case "^":
			f.Add(VEOR(a, b, d))
		case "&":
			f.Add(VAND(a, b, d))
		case "|":
			f.Add(VORR(a, b, d))
		}
		values[t[0]] = d
	}
}
