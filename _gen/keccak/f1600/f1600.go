// Package f1600 has what generators need to know of Keccak-f[1600] (FIPS 202 section
// 3).
package f1600

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"github.com/cipherlane/cipherlane/_gen/keccak/fips202"
)

// Constants is a table of the constants of iota.
func Constants(name string) Mem {
	table := GLOBL(name, attr.RODATA|attr.NOPTR)
	for round, c := range fips202.RoundConstants() {
		DATA(8*round, U64(c))
	}
	return table
}
