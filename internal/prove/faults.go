package prove

import (
	"fmt"
	"hash/fnv"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// A Fault is an instruction with a change.
type Fault struct {
	pc          int
	instruction *machine.Instruction
	Line        int
	Text        string // the instruction, and what was changed
}

// opposites are instructions with the same operands.
var opposites = [][2]string{
	{"VEOR", "VORR"}, {"VADD", "VSUB"}, {"VZIP1", "VZIP2"}, {"VAND", "VBIC"}, {"VTRN1", "VTRN2"}, {"VUZP1", "VUZP2"},
	{"VPMULL", "VPMULL2"}, {"VUSHR", "VSSHR"}, {"VSHL", "VUSHR"}, {"VBIT", "VBIF"}, {"VSRI", "VSLI"},
	{"AESE", "AESD"}, {"AESMC", "AESIMC"}, {"SM3TT1B", "SM3TT1A"}, {"SM3TT2B", "SM3TT2A"},
	{"ADD", "SUB"}, {"ADDW", "SUBW"}, {"ADC", "ADD"}, {"ADCS", "ADDS"}, {"EOR", "ORR"}, {"EORW", "ORRW"}, {"AND", "BIC"},
	{"PXOR", "POR"}, {"VPXOR", "VPOR"}, {"VPXORQ", "VPORQ"}, {"VPXORD", "VPORD"}, {"PAND", "POR"}, {"VPAND", "VPANDN"},
	{"AESENC", "AESENCLAST"}, {"AESDEC", "AESDECLAST"}, {"VAESENC", "VAESENCLAST"}, {"VAESDEC", "VAESDECLAST"},
	{"PADDQ", "PADDL"}, {"VPADDQ", "VPADDD"}, {"VPSLLD", "VPSRLD"}, {"VPSLLQ", "VPSRLQ"}, {"VPUNPCKLQDQ", "VPUNPCKHQDQ"},
	{"VGF2P8AFFINEQB", "VGF2P8AFFINEINVQB"}, {"ADDQ", "SUBQ"}, {"ADDL", "SUBL"}, {"XORQ", "ORQ"}, {"XORL", "ORL"},
	{"ANDQ", "ORQ"}, {"ANDNQ", "ANDQ"}, {"ROLL", "RORL"}, {"ROLQ", "RORQ"}, {"JB", "JAE"}, {"JEQ", "JNE"}, {"JZ", "JNZ"},
	{"LSR", "ASR"}, {"CBZ", "CBNZ"}, {"TBZ", "TBNZ"}, {"BEQ", "BNE"}, {"BLO", "BHS"}, {"BLT", "BGE"}, {"BHI", "BLS"},
}

// commutes has instructions whose first two sources may be exchanged.
var commutes = strings.Fields("VEOR VEOR3 VADD VAND VORR VPMULL VPMULL2 EOR EORW ADD ADDW ADDS ADC ADCS AND ANDW ORR ORRW MUL MULW CMN TST VCMTST " +
	"VPXOR VPXORD VPXORQ VPAND VPANDD VPANDQ VPOR VPORD VPORQ VPADDB VPADDD VPADDQ")

// Faults returns n seeded faults in instructions of a kernel.
func Faults(k *Kernel, n int) []*Fault {
	h := fnv.New64a()
	h.Write([]byte(k.Folder + k.Name))
	rng := rand.New(rand.NewSource(int64(h.Sum64())))
	code := k.function().Code
	var list []*Fault
	seen := map[string]bool{}
	for tries := 0; len(list) < n && tries < 100*n; tries++ {
		pc := rng.Intn(len(code))
		in := code[pc]
		in.Args = slices.Clone(in.Args)
		if what := change(&in, rng); what != "" && !seen[fmt.Sprint(pc, what)] {
			seen[fmt.Sprint(pc, what)] = true
			list = append(list, &Fault{pc, &in, in.Line, in.Text + place(code, pc) + ": " + what})
		}
	}
	return list
}

// place says which one of several instructions with the same text one is.
func place(code []machine.Instruction, pc int) string {
	at, all := 0, 0
	for i := range code {
		if code[i].Text == code[pc].Text {
			all++
			if i <= pc {
				at++
			}
		}
	}
	if all == 1 {
		return ""
	}
	return fmt.Sprintf(" (%d of %d)", at, all)
}

// change changes an instruction in one of a few ways, and says how.
func change(in *machine.Instruction, rng *rand.Rand) string {
	if in.Op == "PRFM" || len(in.Args) == 0 {
		return ""
	}
	a := in.Args
	switch rng.Intn(4) {
	case 0:
		if a[0].Kind == machine.KindImm && in.Label == "" && a[0].Imm >= 0 && a[0].Imm < 63 {
			a[0].Imm++
			return fmt.Sprintf("%d becomes %d", a[0].Imm-1, a[0].Imm)
		}
	case 1:
		plain := len(a) >= 3 && a[0].Kind == machine.KindReg && a[1].Kind == machine.KindReg
		if plain && a[0].Text != a[1].Text && a[0].Shift == a[1].Shift && !slices.Contains(commutes, in.Op) {
			a[0], a[1] = a[1], a[0]
			return "operands are exchanged"
		}
	case 2:
		for _, pair := range opposites {
			for i := range pair {
				if in.Op == pair[i] {
					in.Op = pair[1-i]
					return "becomes " + in.Op
				}
			}
		}
	case 3:
		i := rng.Intn(len(a))
		if o := &a[i]; o.Kind == machine.KindReg && strings.ContainsRune("vxyz", rune(o.Shape)) {
			letter := strings.ToUpper(string(o.Shape))
			from := fmt.Sprint(letter, o.Reg)
			o.Reg = (o.Reg + 1 + rng.Intn(30)) % 32
			o.Text = strings.Replace(o.Text, from, fmt.Sprint(letter, o.Reg), 1)
			return fmt.Sprintf("%s becomes %s%d", from, letter, o.Reg)
		}
	}
	return ""
}

// Harmless reads the list of faults that change nothing: a kernel, a colon, the fault, and the reason behind
// two slashes.
func Harmless(root string) (map[string]bool, error) {
	text, err := os.ReadFile(filepath.Join(root, "internal", "prove", "harmless.txt"))
	if err != nil {
		return nil, err
	}
	list := map[string]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		fault, reason, _ := strings.Cut(line, " // ")
		if len(reason) < 10 {
			return nil, fmt.Errorf("harmless.txt: no reason for %s", line)
		}
		list[fault] = true
	}
	return list, nil
}

// Plant returns the result of the first case that finds a fault, and false; or true if all cases
// are proven with it.
func Plant(k *Kernel, f *Fault) (found Result, accepted bool) {
	for _, c := range k.Cases() {
		if r := c.Prove(f, nil); r.Err != nil {
			return r, false
		}
	}
	return Result{}, true
}
