package arm64

import (
	"fmt"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

// Models of cores that reorder. Within their window, the order of instructions matters
// little: what is woven needs no schedule. The models tell how long a loop takes at least.
//
// Latencies and throughputs are those of LLVM 19's scheduling models, as llvm-mca prints
// them, and widths those of Arm's software optimization guides. An instruction that only
// one of two vector units can execute occupies "a vector unit" for two cycles.
var (
	CortexA72  = newModel(0, "Cortex-A72", 3, map[string]int{"integer": 2, "multiply": 1, "load": 1, "store": 1, "vector": 2, "branch": 1})
	NeoverseN1 = newModel(1, "Neoverse N1", 4, map[string]int{"integer": 3, "multiply": 1, "load": 2, "store": 2, "vector": 2, "branch": 1})
	NeoverseV2 = newModel(2, "Neoverse V2", 8, map[string]int{"integer": 6, "multiply": 2, "load": 3, "store": 2, "vector": 4, "branch": 2})
)

// costs has, by mnemonic, a unit and then the cycles that it is busy and the latency, for
// the three CPUs.
var costs = func() map[string]cost {
	m := map[string]cost{}
	for _, c := range []struct {
		names string
		cost  cost
	}{
		{"ADD SUB AND ORR EOR BIC EON ORN ADDS SUBS ANDS ADC SBC ADCS SBCS CMP CMN TST MVN NEG " +
			"LSL LSR ASR ROR UBFX BFI CSEL CSET CSETM REV REV16 REV32 RBIT CLZ MOVD",
			cost{"integer", [3][2]int{{1, 1}, {1, 1}, {1, 1}}}},
		{"EXTR", cost{"integer", [3][2]int{{2, 3}, {3, 3}, {3, 3}}}},
		{"MUL MADD MSUB UMULL UMADDL", cost{"multiply", [3][2]int{{1, 5}, {3, 4}, {1, 2}}}},
		{"UMULH SMULH", cost{"multiply", [3][2]int{{1, 6}, {3, 5}, {1, 3}}}},
		{"VEOR VAND VORR VBIC VADD VSUB VEXT VTRN1 VTRN2 VREV16 VREV32 VREV64 VMOVI VMOV VBSL VBIT VBIF VCMEQ VCMTST",
			cost{"vector", [3][2]int{{1, 3}, {1, 2}, {1, 2}}}},
		{"VZIP1 VZIP2 VUZP1 VUZP2", cost{"vector", [3][2]int{{3, 6}, {1, 2}, {1, 2}}}},
		{"VSHL VSRI VSLI VUSHR", cost{"vector", [3][2]int{{1, 3}, {2, 2}, {2, 2}}}},
		{"VTBL VTBX", cost{"vector", [3][2]int{{3, 6}, {1, 2}, {2, 2}}}},
		{"VDUP FMOVD FMOVS", cost{"vector", [3][2]int{{2, 8}, {2, 3}, {4, 3}}}},
		{"AESE AESD AESMC AESIMC VPMULL VPMULL2", cost{"vector", [3][2]int{{2, 3}, {2, 2}, {1, 2}}}},
		{"VMUL VMLA", cost{"vector", [3][2]int{{4, 6}, {4, 5}, {2, 4}}}},
		{"VUMULL VUMULL2 VUMLAL VUMLAL2", cost{"vector", [3][2]int{{2, 5}, {2, 4}, {2, 3}}}},
		{"LDP LDPW", cost{"load", [3][2]int{{1, 4}, {2, 4}, {1, 4}}}},
		{"FMOVQ VLD1 VLD1R", cost{"load", [3][2]int{{1, 5}, {1, 5}, {1, 6}}}},
		{"FLDPQ", cost{"load", [3][2]int{{2, 6}, {2, 7}, {2, 6}}}},
		{"VLD4R", cost{"load", [3][2]int{{2, 9}, {4, 8}, {4, 8}}}},
		{"VLD4", cost{"load", [3][2]int{{4, 11}, {4, 10}, {6, 9}}}},
		{"VST1 FSTPQ", cost{"store", [3][2]int{{2, 2}, {1, 2}, {1, 2}}}},
		{"VST4", cost{"store", [3][2]int{{8, 8}, {6, 9}, {12, 7}}}},
		{"STP STPW", cost{"store", [3][2]int{{2, 2}, {2, 1}, {1, 1}}}},
	} {
		for name := range strings.FieldsSeq(c.names) {
			m[name] = c.cost
		}
	}
	return m
}()

type cost struct {
	unit   string
	cycles [3][2]int // busy, latency
}

func newModel(cpu int, name string, width int, units map[string]int) *asm.Model {
	return &asm.Model{Name: name, Width: width, Units: units, Cost: func(o asm.Op) asm.Cost {
		c, ok := costs[o.Name]
		switch {
		case !ok && strings.HasSuffix(o.Name, "W"): // the 32-bit form
			c, ok = costs[strings.TrimSuffix(o.Name, "W")]
		case ok && o.Memory == asm.Load && c.unit != "load":
			c = cost{"load", [3][2]int{{1, 4}, {1, 4}, {1, 4}}}
		case ok && o.Memory == asm.Store && c.unit != "store":
			c = cost{"store", [3][2]int{{2, 2}, {1, 2}, {1, 2}}}
		}
		if !ok {
			panic(fmt.Sprintf("arm64: model %s does not know %s", name, o.Name))
		}
		n := 1
		if o.Memory != asm.NoMemory && (o.Name == "VLD1" || o.Name == "VST1") {
			n = vectors(o) // each register counts
		}
		return asm.Cost{Unit: c.unit, Busy: n * c.cycles[cpu][0], Latency: c.cycles[cpu][1]}
	}}
}

// vectors is how many vector registers an instruction names.
func vectors(o asm.Op) (n int) {
	for _, r := range o.Regs {
		if r.Class == Vector {
			n++
		}
	}
	return n
}
