package ctcheck

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

func found(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

var encodingLine = regexp.MustCompile(`^\s*(.*?)\s*[#@;/]+ encoding: \[([0-9a-fx,]+)\]`)

// disassemble compares instructions that are written as data with what a disassembler
// makes of them, if there is one and it knows them.
func disassemble(a *arch, tasks []*task) (encoded, checked int, findings []Finding) {
	var list []*instruction
	var in bytes.Buffer
	asked := map[string]bool{}
	for _, t := range tasks {
		for i := range t.run.f.code {
			one := &t.run.f.code[i]
			if one.code == nil {
				continue
			}
			list = append(list, one)
			if key := hexadecimal(one.code); !asked[key] {
				asked[key] = true
				fmt.Fprintf(&in, "[%s]\n", key)
			}
		}
	}
	if len(list) == 0 {
		return 0, 0, nil
	}
	cmd := exec.Command(disassembler(), append([]string{"--disassemble", "--show-encoding"}, llvm[a.name]...)...)
	cmd.Stdin = &in
	out, _ := cmd.Output() // what it does not know, it leaves out, and fails
	byCode := map[string]string{}
	for _, line := range strings.Split(string(out), "\n") {
		if m := encodingLine.FindStringSubmatch(line); m != nil {
			byCode[m[2]] = m[1]
		}
	}
	for _, one := range list {
		got, ok := byCode[hexadecimal(one.code)]
		if !ok && a.name == "amd64" {
			got = vexText(one.code)
			ok = got != ""
		}
		if !ok {
			continue
		}
		checked++
		if want, ok := a.disassembly(one); !ok || !want(plain(got)) {
			findings = append(findings, Finding{File: one.file, Line: one.line, Kind: "encoding", Instruction: one.text, Text: "the disassembler says " + plain(got)})
		}
	}
	return len(list), checked, findings
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
func x86Disassembly(in *instruction) (func(string) bool, bool) {
	register := func(o *operand) string {
		switch o.shape {
		case 'x', 'y', 'z':
			return fmt.Sprintf("%%%cmm%d", o.shape, o.reg)
		case 'k':
			return fmt.Sprintf("%%k%d", o.reg)
		}
		return x86Name(o.reg)
	}
	var list []string
	for i := range in.args {
		o := &in.args[i]
		switch o.kind {
		case kindReg:
			list = append(list, register(o))
		case kindImm:
			list = append(list, fmt.Sprintf("$%d", o.imm))
		case kindMem:
			if o.pseudo != "" || o.base < 0 {
				return nil, false
			}
			s := ""
			if o.imm != 0 {
				s = strconv.FormatInt(o.imm, 10)
			}
			s += "(" + x86Name(o.base)
			if o.index >= 0 {
				s += "," + x86Name(o.index)
				if o.scale > 1 {
					s += fmt.Sprintf(",%d", o.scale)
				}
			}
			list = append(list, s+")")
		default:
			return nil, false
		}
	}
	return equals(strings.TrimSpace(strings.ToLower(in.op) + " " + strings.Join(list, ", "))), true
}

func x86Name(reg int) string {
	if reg < 8 {
		return "%r" + strings.Fields("ax bx cx dx si di bp sp")[reg]
	}
	return fmt.Sprintf("%%r%d", reg)
}

var patternOperand = regexp.MustCompile(`\d(<<24)?`)

// numberedDisassembly fills a pattern of armMacros.
func numberedDisassembly(pattern string, in *instruction, name func(o *operand) string) string {
	words := strings.Fields(pattern)
	for i, w := range words[1:] {
		if w[0] == '#' {
			continue
		}
		words[i+1] = patternOperand.ReplaceAllStringFunc(w, func(d string) string {
			o := in.args[d[0]-'0']
			if len(d) > 1 {
				o.imm <<= 24
			}
			if strings.Contains(w, "["+d) {
				return strconv.FormatInt(o.imm, 10)
			}
			return name(&o)
		})
	}
	return words[0] + " " + strings.Join(words[1:], ", ")
}

func armName(o *operand) string {
	switch {
	case o.kind == kindImm:
		return fmt.Sprintf("#%d", o.imm)
	case o.shape != 'r':
		return fmt.Sprintf("%c%d", o.shape, o.reg)
	case o.reg >= 13:
		return []string{"sp", "lr", "pc"}[o.reg-13]
	}
	return fmt.Sprintf("r%d", o.reg)
}

func armDisassembly(in *instruction) (func(string) bool, bool) {
	m, ok := armMacros[in.op]
	if !ok {
		return equals(armWord(in)), true
	}
	if in.op == "VEXTQ_32" && in.args[0].imm%2 == 0 {
		// By whole words of 64 bits.
		half := *in
		half.args = append([]operand(nil), in.args...)
		half.args[0].imm /= 2
		return equals(numberedDisassembly(strings.Replace(m[2], "32", "64", 1), &half, armName)), true
	}
	if m[1] != "" {
		return equals(numberedDisassembly(m[2], in, armName)), true
	}
	return func(got string) bool {
		if !strings.HasPrefix(got, m[2]) {
			return false
		}
		place := func(base *operand, rest string) bool { return strings.HasSuffix(got, "["+armName(base)+rest) }
		switch in.op {
		case "LDRD", "STRD":
			first, base, offset := &in.args[2], &in.args[1], in.args[0].imm
			if in.op == "STRD" {
				first, base, offset = &in.args[0], &in.args[2], in.args[1].imm
			}
			rest := "]"
			if offset != 0 {
				rest = fmt.Sprintf(", #%d]", offset)
			}
			return strings.HasPrefix(got, fmt.Sprintf("%s r%d, ", m[2], first.reg)) && place(base, rest)
		}
		access := armAccess[in.op]
		vector, base := &in.args[0], &in.args[len(in.args)-1]
		increment := &in.args[len(in.args)-2]
		if strings.HasPrefix(in.op, "VLD") {
			vector, base, increment = base, increment, &in.args[0]
		}
		first := vector.reg
		if vector.shape == 'q' {
			first *= 2
		}
		var list []string
		for i := range access.count {
			r := fmt.Sprintf("d%d", first+i*access.every)
			switch {
			case strings.Contains(in.op, "DUP"):
				r += "[]"
			case strings.Contains(in.op, "LANE0"):
				r += "[0]"
			}
			list = append(list, r)
		}
		rest := "]"
		if strings.HasSuffix(in.op, "_A") {
			rest = ":128]"
		}
		switch {
		case access.after > 0:
			rest += "!"
		case access.after < 0:
			rest += ", " + armName(increment)
		}
		return strings.Contains(got, "{"+strings.Join(list, ", ")+"}") && place(base, rest)
	}, true
}

// armWord is the syntax of a word whose comment has the instruction: the other order, D registers
// for halves, and the type of elements behind the mnemonic.
func armWord(in *instruction) string {
	name, immediate := in.op, -1
	var list []string
	registers := func(o *operand) (names []string) {
		first, n := armHalves(o)
		for i := range n {
			names = append(names, fmt.Sprintf("d%d", first+i))
		}
		return names
	}
	for i := range in.args {
		switch o := &in.args[len(in.args)-1-i]; {
		case o.kind == kindImm:
			immediate = int(o.imm)
		case o.kind == kindList:
			var d []string
			for j := range o.list {
				d = append(d, registers(&o.list[j])...)
			}
			list = append(list, "{"+strings.Join(d, ", ")+"}")
		case o.kind == kindMem:
			place := "[" + armName(&operand{kind: kindReg, shape: 'r', reg: o.base}) + "]"
			switch {
			case o.index >= 0:
				place += ", " + armName(&operand{kind: kindReg, shape: 'r', reg: o.index})
			case len(in.suffix) > 0:
				place += "!"
			}
			list = append(list, place)
		case o.lane:
			list = append(list, registers(o)[0])
		default:
			list = append(list, armName(o))
		}
	}
	size := ""
	if len(in.suffix) > 0 {
		size = "." + in.suffix[0]
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
		size, list[1] = ".8", "{"+strings.Join(registers(&in.args[1]), ", ")+"}"
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
func riscvDisassembly(in *instruction) (func(string) bool, bool) {
	name := riscvSuffix.ReplaceAllString(strings.ToLower(in.op), "$1.$2")
	var list []string
	for i := range in.args {
		list = append(list, riscvName(&in.args[len(in.args)-1-i]))
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

func riscvName(o *operand) string {
	switch {
	case o.kind == kindImm:
		return strconv.FormatInt(o.imm, 10)
	case o.kind == kindMem:
		return fmt.Sprintf("(x%d)", o.base)
	case o.shape == 'v':
		return fmt.Sprintf("v%d", o.reg)
	}
	return fmt.Sprintf("x%d", o.reg)
}
