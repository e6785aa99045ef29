package encoding

import (
	"regexp"
	"slices"
	"testing"
)

// TestLoong64 compares LoongVector with the listing, for each line of its table.
func TestLoong64(t *testing.T) {
	encoders := map[string]func(n []int) uint32{}
	for name, i := range loong {
		form, separator := i.mnemonic, " "
		for _, kind := range i.kinds {
			operand := "_"
			switch {
			case kind == 'r':
				operand = "$r_"
			case kind == 'v' && name[0] == 'X':
				operand = "$xr_"
			case kind == 'v':
				operand = "$vr_"
			}
			form, separator = form+separator+operand, ", "
		}
		encoders[form] = func(n []int) uint32 {
			n = slices.Clone(n)
			slices.Reverse(n)
			if i.kinds == "vr9" {
				n[0] /= 4
			}
			return LoongVector(name, n...)
		}
	}
	compare(t, "loong64", regexp.MustCompile(`(?:\$[vx]?r|, )(0x[0-9a-f]+|\d+)`), encoders)
}
