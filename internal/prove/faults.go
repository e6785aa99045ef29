package prove

import (
	"fmt"
	"hash/fnv"
	"math/rand"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// A Fault is a kernel with a change: other instructions in some places, or another constant.
type Fault struct {
	Kind, Text string // the instruction, and what was changed
	Line       int

	instructions map[int]*machine.Instruction // by their indices
	symbol       string                       // of DATA
	at           int64
	mask         byte // what is added to a byte of it
}

// Kinds are those of faults.
var Kinds = []string{"operation", "condition", "sources", "vector", "general", "number", "shift", "address", "order", "dropped", "data"}

// opposites are instructions with the same operands.
var opposites = [][2]string{
	{"VEOR", "VORR"}, {"VADD", "VSUB"}, {"VZIP1", "VZIP2"}, {"VAND", "VBIC"}, {"VTRN1", "VTRN2"}, {"VUZP1", "VUZP2"},
	{"VPMULL", "VPMULL2"}, {"VUSHR", "VSSHR"}, {"VSHL", "VUSHR"}, {"VBIT", "VBIF"}, {"VSRI", "VSLI"}, {"VTBL", "VTBX"},
	{"AESE", "AESD"}, {"AESMC", "AESIMC"}, {"SM3TT1B", "SM3TT1A"}, {"SM3TT2B", "SM3TT2A"},
	{"ADD", "SUB"}, {"ADDW", "SUBW"}, {"ADC", "ADD"}, {"ADCS", "ADDS"}, {"EOR", "ORR"}, {"EORW", "ORRW"}, {"AND", "BIC"},
	{"PXOR", "POR"}, {"VPXOR", "VPOR"}, {"VPXORQ", "VPORQ"}, {"VPXORD", "VPORD"}, {"PAND", "POR"}, {"VPAND", "VPANDN"},
	{"AESENC", "AESENCLAST"}, {"AESDEC", "AESDECLAST"}, {"VAESENC", "VAESENCLAST"}, {"VAESDEC", "VAESDECLAST"},
	{"PADDQ", "PADDL"}, {"VPADDQ", "VPADDD"}, {"VPSLLD", "VPSRLD"}, {"VPSLLQ", "VPSRLQ"}, {"VPUNPCKLQDQ", "VPUNPCKHQDQ"},
	{"VGF2P8AFFINEQB", "VGF2P8AFFINEINVQB"}, {"ADDQ", "SUBQ"}, {"ADDL", "SUBL"}, {"XORQ", "ORQ"}, {"XORL", "ORL"},
	{"ANDQ", "ORQ"}, {"ANDNQ", "ANDQ"}, {"ROLL", "RORL"}, {"ROLQ", "RORQ"},
	{"LSR", "ASR"}, {"LSL", "LSR"}, {"REV", "RBIT"}, {"MOVBU", "MOVHU"}, {"MOVWU", "MOVW"},
}

var inverted = [][2]string{
	{"CBZ", "CBNZ"}, {"TBZ", "TBNZ"}, {"BEQ", "BNE"}, {"BLO", "BHS"}, {"BLT", "BGE"}, {"BHI", "BLS"}, {"BMI", "BPL"},
	{"EQ", "NE"}, {"LO", "HS"}, {"HI", "LS"}, {"MI", "PL"}, {"LT", "GE"}, {"JB", "JAE"}, {"JCS", "JCC"}, {"JEQ", "JNE"}, {"JZ", "JNZ"},
}

func opposite(list [][2]string, name string, first int) string {
	for i := range list {
		pair := list[(first+i)%len(list)]
		for j := range pair {
			if pair[j] == name {
				return pair[1-j]
			}
		}
	}
	return ""
}

// commutes has instructions whose first two sources may be exchanged.
var commutes = strings.Fields("VEOR VEOR3 VADD VAND VORR VPMULL VPMULL2 EOR EORW ADD ADDW ADDS ADC ADCS AND ANDW ORR ORRW MUL MULW CMN TST VCMTST " +
	"VPXOR VPXORD VPXORQ VPAND VPANDD VPANDQ VPOR VPORD VPORQ VPADDB VPADDD VPADDQ")

// Draw returns n faults in kernels: each is of one kernel after the other, from one that the seed chooses, and
// of a kind that it chooses.
func Draw(kernels []*Kernel, n int, seed int64) (list []*Planted) {
	rng := rand.New(rand.NewSource(seed))
	order := rng.Perm(len(kernels))
	seen := map[string]bool{}
	for tries := 0; len(list) < n && tries < 100*n; tries++ {
		k := kernels[order[tries%len(order)]]
		f := draw(k, Kinds[rng.Intn(len(Kinds))], rng)
		if name := k.Folder + k.Name; f != nil && !seen[name+f.Text] {
			seen[name+f.Text] = true
			list = append(list, &Planted{Kernel: k, Fault: f})
		}
	}
	return list
}

// Faults returns n faults in a kernel.
func Faults(k *Kernel, n int) []*Planted {
	h := fnv.New64a()
	h.Write([]byte(k.Folder + k.Name))
	return Draw([]*Kernel{k}, n, int64(h.Sum64()))
}

// draw makes a fault of a kind, or returns nil if there is no place for it.
func draw(k *Kernel, kind string, rng *rand.Rand) *Fault {
	code := k.function().Code
	if kind == "data" {
		return drawData(k, rng)
	}
	for range 50 {
		pc := rng.Intn(len(code))
		in := code[pc]
		in.Args = slices.Clone(in.Args)
		f := &Fault{Kind: kind, Line: in.Line, instructions: map[int]*machine.Instruction{pc: &in}}
		what := ""
		switch {
		case in.Op == "PRFM" || in.Op == "RET" || in.Op == "B" || in.Op == "JMP":
		case kind == "dropped":
			in = dropped(k, pc)
			what = "is left out"
		case kind == "order":
			if pc+1 < len(code) && dependent(&in, &code[pc+1]) && !slices.Contains(labels(k), pc+1) {
				next := code[pc+1]
				f.instructions[pc], f.instructions[pc+1] = &next, &in
				what = "comes after the next one"
			}
		default:
			what = change(&in, kind, rng)
			if k.arch.Known(&code[pc]) && !k.arch.Known(&in) {
				what = "" // there is no such instruction, so that finding it would show nothing
			}
		}
		if what != "" && code[pc].Text != "" {
			f.Text = code[pc].Text + place(code, pc) + ": " + what
			return f
		}
	}
	return nil
}

// dropped is a jump to the next instruction.
func dropped(k *Kernel, pc int) machine.Instruction {
	in, jump := k.function().Code[pc], "JMP"
	if k.arch.Name == "arm64" {
		jump = "B"
	}
	return machine.Instruction{Op: jump, Label: "next", Target: pc + 1, File: in.File, Line: in.Line, Text: in.Text,
		Args: []machine.Operand{{Kind: machine.KindLabel, Sym: "next"}}}
}

func labels(k *Kernel) (list []int) {
	for _, pc := range k.function().Labels {
		list = append(list, pc)
	}
	return list
}

// dependent reports whether two instructions, neither of them a branch, share a register.
func dependent(a, b *machine.Instruction) bool {
	if a.Label != "" || b.Label != "" || b.Op == "RET" || a.Text == b.Text {
		return false
	}
	has := map[string]bool{}
	for _, r := range registers(a) {
		has[r] = true
	}
	return slices.ContainsFunc(registers(b), func(r string) bool { return has[r] })
}

func registers(in *machine.Instruction) (list []string) {
	var add func(args []machine.Operand)
	add = func(args []machine.Operand) {
		for i := range args {
			o := &args[i]
			if o.Kind == machine.KindReg {
				list = append(list, fmt.Sprint(string(o.Shape), o.Reg))
			}
			for _, r := range []int{o.Base, o.Index} {
				if r >= 0 && (o.Kind == machine.KindMem || o.Kind == machine.KindAddr) && o.Pseudo == "" {
					list = append(list, fmt.Sprint("r", r))
				}
			}
			add(o.List)
		}
	}
	add(in.Args)
	return list
}

// drawData changes a bit of a table that the kernel names.
func drawData(k *Kernel, rng *rand.Rand) *Fault {
	var names []string
	lines := map[string]int{}
	for _, in := range k.function().Code {
		for _, o := range in.Args {
			if o.Pseudo == "SB" && len(k.source.Data[o.Sym]) > 0 && lines[o.Sym] == 0 {
				names = append(names, o.Sym)
				lines[o.Sym] = in.Line
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	name := names[rng.Intn(len(names))]
	at, bit := rng.Intn(len(k.source.Data[name])), rng.Intn(8)
	return &Fault{
		Kind: "data", Line: lines[name], symbol: name, at: int64(at), mask: 1 << bit,
		Text: fmt.Sprintf("%s+%d: bit %d changes", name, at, bit),
	}
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

// change makes a change of a kind, if it can, and says what it is.
func change(in *machine.Instruction, kind string, rng *rand.Rand) string {
	a := in.Args
	if len(a) == 0 {
		return ""
	}
	o := &a[rng.Intn(len(a))]
	other := func(i, n int) int { return (i + 1 + rng.Intn(n-1)) % n }
	switch kind {
	case "operation":
		if op := opposite(opposites, in.Op, rng.Intn(len(opposites))); op != "" {
			in.Op = op
			return "becomes " + op
		}
	case "condition":
		if op := opposite(inverted, in.Op, 0); op != "" {
			in.Op = op
			return "becomes " + op
		}
		if c := opposite(inverted, o.Sym, 0); o.Kind == machine.KindName && c != "" {
			o.Sym = c
			return "has the condition " + c
		}
	case "sources":
		plain := len(a) >= 3 && a[0].Kind == machine.KindReg && a[1].Kind == machine.KindReg
		if plain && a[0].Text != a[1].Text && a[0].Shift == a[1].Shift && !slices.Contains(commutes, in.Op) {
			a[0], a[1] = a[1], a[0]
			return "sources are exchanged"
		}
	case "vector":
		if o.Kind == machine.KindReg && strings.ContainsRune("vxyz", rune(o.Shape)) {
			letter, n := strings.ToUpper(string(o.Shape)), 32
			if o.Shape == 'x' || o.Shape == 'y' {
				n = 16 // only EVEX has more
			}
			from := fmt.Sprint(letter, o.Reg)
			o.Reg = other(o.Reg%n, n)
			o.Text = strings.Replace(o.Text, from, fmt.Sprint(letter, o.Reg), 1)
			return fmt.Sprintf("%s becomes %s%d", from, letter, o.Reg)
		}
	case "general":
		r := &o.Reg
		if o.Kind == machine.KindMem && o.Pseudo == "" {
			r = &o.Base
		} else if o.Kind != machine.KindReg || o.Shape != 'r' {
			return ""
		}
		if *r < 27 {
			from := *r
			*r = other(*r%16, 16)
			o.Text = strings.Replace(o.Text, fmt.Sprint("R", from), fmt.Sprint("R", *r), 1)
			return fmt.Sprintf("R%d becomes R%d", from, *r)
		}
	case "number":
		if by := int64(1 - 2*rng.Intn(2)); o.Kind == machine.KindImm {
			o.Imm += by
			return fmt.Sprintf("%d becomes %d", o.Imm-by, o.Imm)
		}
	case "shift":
		if by := int64(1 - 2*rng.Intn(2)); o.Kind == machine.KindReg && o.Shift != "" && o.ShiftReg < 0 {
			o.ShiftBy += by
			return fmt.Sprintf("%d becomes %d", o.ShiftBy-by, o.ShiftBy)
		} else if o.Lane {
			from := o.LaneIndex
			o.LaneIndex ^= 1
			return fmt.Sprintf("lane %d becomes %d", from, o.LaneIndex)
		}
	case "address":
		if by := int64(8 - 16*rng.Intn(2)); (o.Kind == machine.KindMem || o.Kind == machine.KindAddr) && o.Pseudo != "FP" {
			o.Imm += by
			return fmt.Sprintf("%d becomes %d", o.Imm-by, o.Imm)
		}
	}
	return ""
}

// Verdicts are all of them.
var Verdicts = []Verdict{Counterexample, NotProven, Stopped, Large, Equivalent, Missed}

// Planted is a kernel with a fault.
type Planted struct {
	Kernel *Kernel
	Fault  *Fault
}

// A Verdict is what proofs say of a fault.
type Verdict string

const (
	Counterexample Verdict = "counterexample" // another result for known inputs
	NotProven      Verdict = "not proven"     // another form
	Stopped        Verdict = "stopped"        // an access, a branch or an operand that is not allowed
	Large          Verdict = "too large"      // more atoms or memory than a fault may take
	Equivalent     Verdict = "equivalent"     // proven, and the same result for random inputs
	Missed         Verdict = "MISSED"         // proven, but another result
)

// cases yields those that execute the fault. They are all if none seems to: a contract may decide which
// way a kernel goes.
func (f *Planted) cases(yield func(*Case) bool) {
	none := true
	for _, c := range f.Kernel.Cases() {
		if c.visits(f.Fault) {
			if none = false; !yield(c) {
				return
			}
		}
	}
	if none {
		slices.Values(f.Kernel.Cases())(yield)
	}
}

// Judge runs the cases until one finds the fault. If none does, the kernel runs with and without the
// fault on random inputs.
func (f *Planted) Judge() (Verdict, error) {
	var accepted []*Case
	for c := range f.cases {
		err := c.Prove(f.Fault, nil).Err
		switch {
		case err == nil:
			accepted = append(accepted, c)
		case strings.Contains(err.Error(), "WRONG:"): // also of keys that the contract makes
			return Counterexample, err
		case strings.Contains(err.Error(), "not proven"):
			return NotProven, err
		case strings.Contains(err.Error(), "a bit is a sum of") || strings.Contains(err.Error(), "MB are needed"):
			return Large, err
		default:
			return Stopped, err
		}
	}
	for _, c := range accepted {
		if err := c.executed(f.Fault); err != nil {
			return Missed, err
		}
	}
	return Equivalent, nil
}
