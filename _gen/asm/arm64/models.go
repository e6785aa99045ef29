package arm64

import (
	"fmt"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

// Models of cores that reorder. Within their window, the order of instructions matters
// little: what is woven needs no schedule. The models tell how long a loop takes at least.
//
// Latencies and throughputs are those of LLVM 19's scheduling models, which testdata/mca.txt
// has, and widths those of Arm's software optimization guides. An instruction that only
// one of two vector units can execute occupies "a vector unit" for two cycles.
var (
	CortexA72  = newModel(0, "Cortex-A72", 3, map[string]int{"integer": 2, "multiply": 1, "load": 1, "store": 1, "vector": 2})
	NeoverseN1 = newModel(1, "Neoverse N1", 4, map[string]int{"integer": 3, "multiply": 1, "load": 2, "store": 2, "vector": 2})
	NeoverseV2 = newModel(2, "Neoverse V2", 8, map[string]int{"integer": 6, "multiply": 2, "load": 3, "store": 2, "vector": 4})
)

// costs has, by class, a unit and then the cycles that it is busy and the latency, for
// the three CPUs.
var costs = func() map[string]cost {
	m := map[string]cost{}
	for _, c := range []struct {
		classes string
		unit    string
		cycles  [3][2]int
	}{
		{"ADD SUB AND ORR EOR BIC EON ORN ADDS SUBS ANDS ADC SBC ADCS SBCS CMP CMN TST MVN NEG " +
			"LSL LSR ASR ROR UBFX CSEL CSET CSETM REV REV16 REV32 RBIT CLZ MOVD MOVWU MOVW MOVHU MOVH MOVBU MOVB",
			"integer", [3][2]int{{1, 1}, {1, 1}, {1, 1}}},
		{"shifted BFI", "integer", [3][2]int{{2, 2}, {3, 2}, {3, 2}}},
		{"EXTR", "integer", [3][2]int{{2, 3}, {3, 3}, {3, 3}}},
		{"MUL", "multiply", [3][2]int{{1, 5}, {3, 4}, {1, 2}}},
		{"MADD MSUB", "multiply", [3][2]int{{1, 5}, {3, 4}, {2, 2}}},
		{"UMULL", "multiply", [3][2]int{{1, 3}, {1, 2}, {1, 2}}},
		{"UMADDL", "multiply", [3][2]int{{1, 3}, {1, 2}, {2, 2}}},
		{"UMULH SMULH", "multiply", [3][2]int{{1, 6}, {3, 5}, {1, 3}}},
		{"VEOR VAND VORR VADD VSUB VEXT VTRN1 VTRN2 VREV16 VREV32 VREV64 VMOVI VMOV VDUP VCMEQ VCMTST",
			"vector", [3][2]int{{1, 3}, {1, 2}, {1, 2}}},
		{"VBSL VBIT VBIF", "vector", [3][2]int{{2, 3}, {1, 2}, {1, 2}}},
		{"VZIP1 VZIP2 VUZP1 VUZP2", "vector", [3][2]int{{3, 6}, {1, 2}, {1, 2}}},
		{"VSHL VSRI VSLI VUSHR VUSHLL VUSHLL2", "vector", [3][2]int{{1, 3}, {2, 2}, {2, 2}}},
		{"VTBL1", "vector", [3][2]int{{3, 6}, {1, 2}, {2, 2}}},
		{"VTBL2", "vector", [3][2]int{{5, 9}, {1, 2}, {2, 2}}},
		{"VTBL3", "vector", [3][2]int{{7, 12}, {4, 4}, {4, 4}}},
		{"VTBL4", "vector", [3][2]int{{9, 15}, {3, 4}, {6, 4}}},
		{"VTBX1", "vector", [3][2]int{{3, 6}, {1, 2}, {1, 2}}},
		{"VTBX2", "vector", [3][2]int{{5, 9}, {4, 4}, {2, 4}}},
		{"VTBX3", "vector", [3][2]int{{7, 12}, {3, 6}, {3, 6}}},
		{"VTBX4", "vector", [3][2]int{{9, 15}, {5, 6}, {5, 6}}},
		{"VMOV[]", "vector", [3][2]int{{2, 8}, {1, 2}, {1, 2}}},
		{"VMOV<R", "vector", [3][2]int{{2, 8}, {2, 5}, {4, 5}}},
		{"VMOV>R", "vector", [3][2]int{{2, 6}, {2, 2}, {4, 2}}},
		{"VDUP<R", "vector", [3][2]int{{2, 8}, {2, 3}, {4, 3}}},
		{"FMOVD<R FMOVS<R", "vector", [3][2]int{{2, 5}, {2, 3}, {4, 3}}},
		{"FMOVD>R FMOVS>R", "vector", [3][2]int{{2, 5}, {2, 2}, {4, 2}}},
		{"AESE AESD AESMC AESIMC VPMULL VPMULL2", "vector", [3][2]int{{2, 3}, {2, 2}, {1, 2}}},
		{"VMUL VMLA", "vector", [3][2]int{{4, 6}, {4, 5}, {2, 4}}},
		{"VUMULL VUMULL2", "vector", [3][2]int{{2, 5}, {2, 4}, {2, 3}}},
		{"VUMLAL VUMLAL2", "vector", [3][2]int{{2, 5}, {2, 4}, {2, 4}}},
		{"MOV<M", "load", [3][2]int{{1, 4}, {1, 4}, {1, 4}}},
		{"LDP", "load", [3][2]int{{1, 4}, {2, 4}, {1, 4}}},
		{"FMOVQ<M FMOV<M VLD11", "load", [3][2]int{{1, 5}, {1, 5}, {1, 6}}},
		{"VLD12", "load", [3][2]int{{2, 6}, {2, 5}, {2, 6}}},
		{"VLD13", "load", [3][2]int{{3, 7}, {3, 6}, {3, 6}}},
		{"VLD14", "load", [3][2]int{{4, 8}, {4, 6}, {4, 7}}},
		{"VLD1R", "load", [3][2]int{{1, 8}, {1, 7}, {1, 8}}},
		{"FLDPQ", "load", [3][2]int{{2, 6}, {2, 7}, {2, 6}}},
		{"VLD4R", "load", [3][2]int{{2, 9}, {4, 8}, {4, 8}}},
		{"VLD4", "load", [3][2]int{{4, 11}, {4, 10}, {6, 9}}},
		{"MOV>M", "store", [3][2]int{{1, 1}, {1, 1}, {1, 1}}},
		{"STP", "store", [3][2]int{{2, 2}, {2, 1}, {1, 1}}},
		{"FMOV>M", "store", [3][2]int{{1, 1}, {1, 2}, {1, 2}}},
		{"FMOVQ>M", "store", [3][2]int{{2, 2}, {2, 2}, {1, 2}}},
		{"VST11", "store", [3][2]int{{2, 2}, {1, 2}, {1, 2}}},
		{"VST12", "store", [3][2]int{{4, 4}, {2, 2}, {2, 2}}},
		{"VST13", "store", [3][2]int{{6, 6}, {3, 4}, {3, 2}}},
		{"VST14", "store", [3][2]int{{8, 8}, {4, 5}, {4, 2}}},
		{"FSTPQ", "store", [3][2]int{{4, 4}, {4, 3}, {2, 2}}},
		{"VST4", "store", [3][2]int{{8, 8}, {6, 9}, {12, 7}}},
	} {
		for class := range strings.FieldsSeq(c.classes) {
			m[class] = cost{c.unit, c.cycles}
		}
	}
	return m
}()

type cost struct {
	unit   string
	cycles [3][2]int // busy, latency
}

// class returns the name under which costs has an instruction: its mnemonic without the W
// of 32 bits, and what else its time depends on: the number of registers, < or > before an
// integer register (R) or memory (M), [] for a copy to an element.
func class(o asm.Op) string {
	name, access := o.Name, map[asm.Access]string{asm.Load: "<M", asm.Store: ">M"}[o.Memory]
	switch {
	case name == "FMOVQ":
		return name + access
	case strings.HasPrefix(name, "FMOV") && access != "":
		return "FMOV" + access
	case strings.HasPrefix(name, "MOV") && access != "":
		return "MOV" + access
	case name == "VLD1" || name == "VST1":
		return fmt.Sprint(name, vectors(o))
	case name == "VTBL" || name == "VTBX":
		return fmt.Sprint(name, vectors(o)-2) // without the indices and the result
	case name == "VMOV" || name == "VDUP" || name == "FMOVD" || name == "FMOVS":
		switch {
		case o.Reads[0].Class == Integer:
			return name + "<R"
		case o.Writes[0].Class == Integer:
			return name + ">R"
		case strings.HasSuffix(o.Text, "]"):
			return name + "[]"
		}
	case strings.Contains(o.Text, "<<") || strings.Contains(o.Text, ">>") || strings.Contains(o.Text, "@>"):
		return "shifted"
	}
	if _, ok := costs[name]; !ok {
		name = strings.TrimSuffix(name, "W")
	}
	return name
}

func newModel(cpu int, name string, width int, units map[string]int) *asm.Model {
	return &asm.Model{Name: name, Width: width, Units: units, Cost: func(o asm.Op) asm.Cost {
		c, ok := costs[class(o)]
		if !ok {
			panic(fmt.Sprintf("arm64: model %s does not know %s", name, class(o)))
		}
		return asm.Cost{Unit: c.unit, Busy: c.cycles[cpu][0], Latency: c.cycles[cpu][1]}
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
