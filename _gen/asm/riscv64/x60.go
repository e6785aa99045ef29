package riscv64

import (
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

// X60 is the SpacemiT X60, which starts two instructions in a cycle, in order, of which one
// can be of vectors. Its registers have 256 bits. How long vector instructions and integer
// multiplications occupy a unit is what rvv-bench measured on it, for whole registers and
// elements of up to 32 bits. Latencies are those of LLVM's model.
var X60 = &asm.Model{
	Name:  "SpacemiT X60",
	Width: 2,
	Units: map[string]int{"integer": 2, "multiplier": 1, "vector": 1},
	Cost:  x60,
}

func x60(o asm.Op) asm.Cost {
	starts := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(o.Name, p) {
				return true
			}
		}
		return false
	}
	switch {
	case starts("VSET"):
	case o.Name[0] == 'V':
		return x60Vector(o, starts)
	case starts("MUL"):
		return asm.Cost{Unit: "multiplier", Busy: 3, Latency: 5}
	case o.Memory == asm.Load:
		return asm.Cost{Unit: "integer", Busy: 1, Latency: 3}
	}
	return asm.Cost{Unit: "integer", Busy: 1, Latency: 1}
}

func x60Vector(o asm.Op, starts func(...string) bool) asm.Cost {
	// Results may be of more registers than operands, or of none.
	n, sources := 0, 0
	for _, r := range o.Writes {
		if r.Class == Vector {
			n++
		}
	}
	for _, r := range o.Reads {
		if r.Class == Vector {
			sources++
		}
	}
	cost := func(busy, latency int) asm.Cost { return asm.Cost{Unit: "vector", Busy: busy, Latency: latency} }
	switch {
	case starts("VLSEG", "VLSSEG"):
		return cost(25*n/4, 26)
	case starts("VSSSEG"):
		return cost(8*sources, 1)
	case starts("VSSEG"):
		return cost(25*sources/8, 1)
	case o.Memory == asm.Load:
		return cost(3*n, 4)
	case o.Memory == asm.Store:
		return cost(3*sources, 1)
	case starts("VRGATHER"):
		return cost(4*n*n, 4)
	case starts("VWMUL", "VWMACC"): // twice as many results
		return cost((n+1)/2, 7)
	case starts("VMUL", "VMACC", "VMADD", "VNMS"):
		return cost(n, 7)
	case starts("VWADD", "VWSUB"):
		return cost((n+1)/2, 4)
	case starts("VADD", "VSUB", "VRSUB", "VMIN", "VMAX"):
		return cost(n, 4)
	}
	return cost(max(2*n, 1), 4)
}
