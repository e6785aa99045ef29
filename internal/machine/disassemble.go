package machine

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The disassembler is llvm-mc: one program knows all architectures. vex.go has
// instructions of amd64 that older ones do not know.
var llvm = map[string][]string{
	"amd64":   {"--triple=x86_64"},
	"386":     {"--triple=i386"},
	"arm64":   {"--triple=aarch64", "-mattr=+sm4"},
	"arm":     {"--triple=armv8", "-mattr=+neon,+aes"},
	"riscv64": {"--triple=riscv64", "-mattr=+v,+zba,+zbb,+zbc,+zbkb,+zbkx,+zkn,+zks,+zvkb,+zvbc,+zvkned,+zvkg,+zvksed,+zvksh", "-M", "no-aliases", "-M", "numeric"},
	"mips":    {"--triple=mipsel", "-mcpu=mips32r2"},
	"loong64": {"--triple=loongarch64", "-mattr=+lsx,+lasx", "-M", "numeric"},
}

// disassembler returns the newest llvm-mc.
var disassembler = sync.OnceValue(func() string {
	for n := 30; n > 14; n-- {
		if name := fmt.Sprint("llvm-mc-", n); found(name) {
			return name
		}
	}
	return "llvm-mc"
})

// HasDisassembler reports whether there is one.
func HasDisassembler() bool { return found(disassembler()) }

func found(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

var encodingLine = regexp.MustCompile(`^\s*(.*?)\s*[#@;/]+ encoding: \[([0-9a-fx,]+)\]`)

// A Mismatch is an instruction, written as data, of which a disassembler makes another one
// than the source says.
type Mismatch struct {
	In  *Instruction
	Got string
}

// Disassemble compares instructions that are written as data with what a disassembler makes
// of them, if there is one and it knows them.
func (a *Arch) Disassemble(list []*Instruction) (checked int, wrong []Mismatch) {
	if len(list) == 0 {
		return 0, nil
	}
	var in bytes.Buffer
	asked := map[string]bool{}
	for _, one := range list {
		if key := hexadecimal(one.Code); !asked[key] {
			asked[key] = true
			fmt.Fprintf(&in, "[%s]\n", key)
		}
	}
	cmd := exec.Command(disassembler(), append([]string{"--disassemble", "--show-encoding"}, llvm[a.Name]...)...)
	cmd.Stdin = &in
	out, _ := cmd.Output() // what it does not know, it leaves out, and fails
	byCode := map[string]string{}
	for _, line := range strings.Split(string(out), "\n") {
		if m := encodingLine.FindStringSubmatch(line); m != nil {
			byCode[m[2]] = m[1]
		}
	}
	for _, one := range list {
		got, ok := byCode[hexadecimal(one.Code)]
		if !ok && a.Name == "amd64" {
			got = vexText(one.Code)
			ok = got != ""
		}
		if !ok {
			continue
		}
		checked++
		if want, ok := a.disassembly(one); !ok || !want(plain(got)) {
			wrong = append(wrong, Mismatch{one, plain(got)})
		}
	}
	return checked, wrong
}

func hexadecimal(b []byte) string {
	var s []string
	for _, x := range b {
		s = append(s, fmt.Sprintf("0x%02x", x))
	}
	return strings.Join(s, ",")
}

var hexNumber = regexp.MustCompile(`0x[0-9a-f]+`)

// plain has single spaces and decimal numbers.
func plain(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return hexNumber.ReplaceAllStringFunc(s, func(n string) string {
		v, _ := strconv.ParseUint(n, 0, 64)
		return strconv.FormatUint(v, 10)
	})
}

func equals(want string) func(string) bool { return func(got string) bool { return got == want } }

// x86Disassembly is the AT&T syntax of an instruction, which has Go's order of operands.
func x86Disassembly(in *Instruction) (func(string) bool, bool) {
	register := func(o *Operand) string {
		switch o.Shape {
		case 'x', 'y', 'z':
			return fmt.Sprintf("%%%cmm%d", o.Shape, o.Reg)
		case 'k':
			return fmt.Sprintf("%%k%d", o.Reg)
		}
		return x86Name(o.Reg)
	}
	var list []string
	for i := range in.Args {
		o := &in.Args[i]
		switch o.Kind {
		case KindReg:
			list = append(list, register(o))
		case KindImm:
			list = append(list, fmt.Sprintf("$%d", o.Imm))
		case KindMem:
			if o.Pseudo != "" || o.Base < 0 {
				return nil, false
			}
			s := ""
			if o.Imm != 0 {
				s = strconv.FormatInt(o.Imm, 10)
			}
			s += "(" + x86Name(o.Base)
			if o.Index >= 0 {
				s += "," + x86Name(o.Index)
				if o.Scale > 1 {
					s += fmt.Sprintf(",%d", o.Scale)
				}
			}
			list = append(list, s+")")
		default:
			return nil, false
		}
	}
	return equals(strings.TrimSpace(strings.ToLower(in.Op) + " " + strings.Join(list, ", "))), true
}

func x86Name(reg int) string {
	if reg < 8 {
		return "%r" + strings.Fields("ax bx cx dx si di bp sp")[reg]
	}
	return fmt.Sprintf("%%r%d", reg)
}

var patternOperand = regexp.MustCompile(`\d(<<24)?`)

// numberedDisassembly fills a pattern of armMacros.
func numberedDisassembly(pattern string, in *Instruction, name func(o *Operand) string) string {
	words := strings.Fields(pattern)
	for i, w := range words[1:] {
		if w[0] == '#' {
			continue
		}
		words[i+1] = patternOperand.ReplaceAllStringFunc(w, func(d string) string {
			o := in.Args[d[0]-'0']
			if len(d) > 1 {
				o.Imm <<= 24
			}
			if strings.Contains(w, "["+d) {
				return strconv.FormatInt(o.Imm, 10)
			}
			return name(&o)
		})
	}
	return words[0] + " " + strings.Join(words[1:], ", ")
}

func armName(o *Operand) string {
	switch {
	case o.Kind == KindImm:
		return fmt.Sprintf("#%d", o.Imm)
	case o.Shape != 'r':
		return fmt.Sprintf("%c%d", o.Shape, o.Reg)
	case o.Reg >= 13:
		return []string{"sp", "lr", "pc"}[o.Reg-13]
	}
	return fmt.Sprintf("r%d", o.Reg)
}

func armDisassembly(in *Instruction) (func(string) bool, bool) {
	m, ok := armMacros[in.Op]
	if !ok {
		return equals(armWord(in)), true
	}
	if in.Op == "VEXTQ_32" && in.Args[0].Imm%2 == 0 {
		// By whole words of 64 bits.
		half := *in
		half.Args = append([]Operand(nil), in.Args...)
		half.Args[0].Imm /= 2
		return equals(numberedDisassembly(strings.Replace(m.Disassembly, "32", "64", 1), &half, armName)), true
	}
	if m.Roles != "" {
		return equals(numberedDisassembly(m.Disassembly, in, armName)), true
	}
	return func(got string) bool {
		if !strings.HasPrefix(got, m.Disassembly) {
			return false
		}
		place := func(base *Operand, rest string) bool { return strings.HasSuffix(got, "["+armName(base)+rest) }
		switch in.Op {
		case "LDRD", "STRD":
			first, base, offset := &in.Args[2], &in.Args[1], in.Args[0].Imm
			if in.Op == "STRD" {
				first, base, offset = &in.Args[0], &in.Args[2], in.Args[1].Imm
			}
			rest := "]"
			if offset != 0 {
				rest = fmt.Sprintf(", #%d]", offset)
			}
			return strings.HasPrefix(got, fmt.Sprintf("%s r%d, ", m.Disassembly, first.Reg)) && place(base, rest)
		}
		access := Accesses[in.Op]
		vector, base := &in.Args[0], &in.Args[len(in.Args)-1]
		increment := &in.Args[len(in.Args)-2]
		if strings.HasPrefix(in.Op, "VLD") {
			vector, base, increment = base, increment, &in.Args[0]
		}
		first := vector.Reg
		if vector.Shape == 'q' {
			first *= 2
		}
		var list []string
		for i := range access.Count {
			r := fmt.Sprintf("d%d", first+i*access.Every)
			switch {
			case strings.Contains(in.Op, "DUP"):
				r += "[]"
			case strings.Contains(in.Op, "LANE0"):
				r += "[0]"
			}
			list = append(list, r)
		}
		rest := "]"
		if strings.HasSuffix(in.Op, "_A") {
			rest = ":128]"
		}
		switch {
		case access.After > 0:
			rest += "!"
		case access.After < 0:
			rest += ", " + armName(increment)
		}
		return strings.Contains(got, "{"+strings.Join(list, ", ")+"}") && place(base, rest)
	}, true
}

// armWord is the syntax of a word whose comment has the instruction: the other order, D registers
// for halves, and the type of elements behind the mnemonic.
func armWord(in *Instruction) string {
	name, immediate := in.Op, -1
	var list []string
	registers := func(o *Operand) (names []string) {
		first, n := ArmHalves(o)
		for i := range n {
			names = append(names, fmt.Sprintf("d%d", first+i))
		}
		return names
	}
	for i := range in.Args {
		switch o := &in.Args[len(in.Args)-1-i]; {
		case o.Kind == KindImm:
			immediate = int(o.Imm)
		case o.Kind == KindList:
			var d []string
			for j := range o.List {
				d = append(d, registers(&o.List[j])...)
			}
			list = append(list, "{"+strings.Join(d, ", ")+"}")
		case o.Kind == KindMem:
			place := "[" + armName(&Operand{Kind: KindReg, Shape: 'r', Reg: o.Base}) + "]"
			switch {
			case o.Index >= 0:
				place += ", " + armName(&Operand{Kind: KindReg, Shape: 'r', Reg: o.Index})
			case len(in.Suffix) > 0:
				place += "!"
			}
			list = append(list, place)
		case o.Lane:
			list = append(list, registers(o)[0])
		default:
			list = append(list, armName(o))
		}
	}
	size := ""
	if len(in.Suffix) > 0 {
		size = "." + in.Suffix[0]
	}
	kind := "."
	switch name {
	case "VADD", "VSHL":
		kind = ".i"
	case "VSHR":
		kind = ".u"
	case "VSSHR":
		name, kind = "VSHR", ".s"
	}
	size = strings.Replace(size, ".", kind, 1)
	switch name {
	case "VLD1", "VST1", "VLD4", "VST4":
		size = map[byte]string{'1': ".8", '4': ".32"}[name[3]]
		if name[1] == 'S' {
			slices.Reverse(list)
		}
	case "VTBL":
		size, list[1] = ".8", "{"+strings.Join(registers(&in.Args[1]), ", ")+"}"
	case "AESE", "AESD", "AESMC", "AESIMC":
		size = ".8"
	case "VMOV":
		name, list = "VORR", append(list, list[1])
	case "VMOVI":
		name, size = "VMOV", ".i8"
	case "VEXT": // in the largest elements
		bytes := max(1, min(8, immediate&-immediate))
		size, immediate = fmt.Sprint(".", 8*bytes), immediate/bytes
	case "VMULL":
		size = strings.ToLower(size)
	}
	if immediate >= 0 {
		list = append(list, fmt.Sprintf("#%d", immediate))
	}
	return strings.ToLower(name) + size + " " + strings.Join(list, ", ")
}

// riscvDisassembly is the syntax of RISC-V: the other order, and dots in the mnemonics of
// vector instructions.
func riscvDisassembly(in *Instruction) (func(string) bool, bool) {
	name := riscvSuffix.ReplaceAllString(strings.ToLower(in.Op), "$1.$2")
	var list []string
	for i := range in.Args {
		list = append(list, riscvName(&in.Args[len(in.Args)-1-i]))
	}
	// Loads and stores of vectors: the vector, the address and the distance, in this order.
	slices.SortStableFunc(list, func(a, b string) int { return riscvRank(name, a) - riscvRank(name, b) })
	return equals(name + " " + strings.Join(list, ", ")), true
}

func riscvRank(name, operand string) int {
	switch {
	case !riscvMemory.MatchString(name):
		return 0
	case operand[0] == 'v':
		return 1
	case operand[0] == '(':
		return 2
	}
	return 3
}

// riscvMemory matches loads and stores of segments.
var riscvMemory = regexp.MustCompile(`^v[ls]s*seg`)

var riscvSuffix = regexp.MustCompile(`^(v.*?)(vv|vx|vi|vs|v)$`)

func riscvName(o *Operand) string {
	switch {
	case o.Kind == KindImm:
		return strconv.FormatInt(o.Imm, 10)
	case o.Kind == KindMem:
		return fmt.Sprintf("(x%d)", o.Base)
	case o.Shape == 'v':
		return fmt.Sprintf("v%d", o.Reg)
	}
	return fmt.Sprintf("x%d", o.Reg)
}

// arm64Name is an operand as Go's assembler writes it: a vector or an element.
var arm64Name = regexp.MustCompile(`^V(\d+)\.([BHSDQ])(\d*)(\[\d+\])?$`)

// arm64Disassembly is Arm's syntax of an instruction of vectors: the other order, V1.S4 as
// v1.4s, and no V in front of the mnemonic.
func arm64Disassembly(in *Instruction) (func(string) bool, bool) {
	var list []string
	for i := range in.Args {
		o := &in.Args[len(in.Args)-1-i]
		m := arm64Name.FindStringSubmatch(o.Text)
		switch {
		case o.Kind == KindImm:
			list = append(list, fmt.Sprintf("#%d", o.Imm))
		case m != nil:
			list = append(list, strings.ToLower("v"+m[1]+"."+m[3]+m[2]+m[4]))
		default:
			return nil, false
		}
	}
	name := strings.ToLower(strings.TrimPrefix(in.Op, "V"))
	if name == "not" {
		name = "mvn"
	}
	return equals(name + " " + strings.Join(list, ", ")), true
}

func mipsDisassembly(in *Instruction) (func(string) bool, bool) {
	if len(in.Args) != 2 {
		return nil, false
	}
	return equals(fmt.Sprintf("%s $%d, $%d", strings.ToLower(in.Op), in.Args[0].Reg, in.Args[1].Reg)), true
}

// loongDisassembly is the syntax of LoongArch: the other order, and types behind dots, where Go has V
// for elements of 64 bits. ALSLV has its sources in the manual's order in Go, too.
func loongDisassembly(in *Instruction) (func(string) bool, bool) {
	var list []string
	for i := range in.Args {
		switch o := &in.Args[len(in.Args)-1-i]; {
		case o.Kind == KindImm:
			list = append(list, strconv.FormatInt(o.Imm, 10))
		case o.Kind == KindMem:
			list = append(list, fmt.Sprintf("$r%d, %d", o.Base, o.Imm))
		case o.Shape == 'r':
			list = append(list, fmt.Sprintf("$r%d", o.Reg))
		default:
			list = append(list, fmt.Sprintf("$%cr%d", o.Shape, o.Reg))
		}
	}
	if in.Op == "ALSLV" {
		list[1], list[2] = list[2], list[1]
	}
	return func(got string) bool {
		mnemonic, operands, _ := strings.Cut(got, " ")
		base, types, _ := strings.Cut(mnemonic, ".")
		name := strings.ToUpper(base + strings.NewReplacer("d", "v", ".", "").Replace(types))
		return name == in.Op && operands == strings.Join(list, ", ")
	}, true
}
