//go:build linux

package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A mnemonic is a pattern with what replaces the instruction. If a replacement
// does not exist, it does not compile, and another change is drawn.
type mnemonic struct {
	pattern *regexp.Regexp
	text    string
}

// mnemonics are those of amd64, 386, arm, arm64, riscv64, ppc64 and s390x.
var mnemonics = func() (list []mnemonic) {
	for _, pair := range [][2]string{
		// Vectors and words, with any size and suffix.
		{"(V?P?)ADD(.*)", "${1}SUB$2"}, {"(V?P?)SUB(.*)", "${1}ADD$2"},
		{"ADC(.*)", "ADD$1"}, {"SBB(.*)", "SUB$1"}, {"SBC(.*)", "SUB$1"}, {"ADCX(.)", "ADOX$1"}, {"ADOX(.)", "ADCX$1"},
		{"(V?P?)XOR(.*)", "${1}OR$2"}, {"(V?)EOR(.*)", "${1}ORR$2"}, {"(V?P?)AND(.*)", "${1}OR$2"}, {"(V?P?)OR([BWLQDI]?)", "${1}AND$2"}, {"(V?)ORR(.*)", "${1}AND$2"},
		{"VPANDN(.*)", "VPAND$1"}, {"BIC(.*)", "AND$1"},
		{"(V?P?)SLL(.*)", "${1}SRL$2"}, {"(V?P?)SRL(.*)", "${1}SLL$2"}, {"SHL(.*)", "SHR$1"}, {"SHR(.*)", "SHL$1"},
		{"LSL(.*)", "LSR$1"}, {"LSR(.*)", "LSL$1"}, {"ROL(.)", "ROR$1"}, {"ROR(.)", "ROL$1"}, {"VPROL(.*)", "VPROR$1"}, {"VPROR(.*)", "VPROL$1"},
		{"VSHL", "VUSHR"}, {"VUSHR", "VSHL"},
		{"(V?P)UNPCKL(.*)", "${1}UNPCKH$2"}, {"(V?P)UNPCKH(.*)", "${1}UNPCKL$2"}, {"VZIP1", "VZIP2"}, {"VZIP2", "VZIP1"},
		{"(V?P)MADD52LUQ", "${1}MADD52HUQ"}, {"(V?P)MADD52HUQ", "${1}MADD52LUQ"},
		{"INC(.)", "DEC$1"}, {"DEC(.)", "INC$1"},
		// Conditions.
		{"J(NE|NZ)", "JEQ"}, {"J(EQ|E|Z)", "JNE"}, {"J(B|CS|LO)", "JCC"}, {"J(AE|CC|HS)", "JCS"}, {"J(BE|LS)", "JHI"}, {"J(A|HI)", "JLS"},
		{"J(L|LT)", "JGE"}, {"J(GE|PL)", "JLT"}, {"J(LE)", "JGT"}, {"J(G|GT)", "JLE"}, {"JHI", "JCC"}, {"JCC", "JHI"}, {"JGE", "JGT"}, {"JGT", "JGE"}, {"JLT", "JLE"}, {"JLE", "JLT"},
		{"(CMOV.|SET)EQ", "${1}NE"}, {"(CMOV.|SET)NE", "${1}EQ"}, {"(CMOV.|SET)CS", "${1}CC"}, {"(CMOV.|SET)CC", "${1}CS"},
		{"BEQ(Z?)", "BNE$1"}, {"BNE(Z?)", "BEQ$1"}, {"BLT(U?)", "BGE$1"}, {"BGE(U?)", "BLT$1"}, {"BGT(U?)", "BLE$1"}, {"BLE(U?)", "BGT$1"},
		{"BHS", "BLO"}, {"BLO", "BHS"}, {"BHI", "BLS"}, {"BLS", "BHI"}, {"BCS", "BCC"}, {"BCC", "BCS"}, {"CBZ(.*)", "CBNZ$1"}, {"CBNZ(.*)", "CBZ$1"}, {"TBZ", "TBNZ"}, {"TBNZ", "TBZ"},
	} {
		list = append(list, mnemonic{regexp.MustCompile("^" + pair[0] + "$"), pair[1]})
	}
	return list
}()

var (
	instruction  = regexp.MustCompile(`^\s*([A-Z][A-Z0-9.]+)\b`)
	immediate    = regexp.MustCompile(`\$-?(0x[0-9a-fA-F]+|[0-9]+)\b`)
	displacement = regexp.MustCompile(`(?:^|[\s,])-?(0x[0-9a-fA-F]+|[0-9]+)\(`)
	symbolOffset = regexp.MustCompile(`>\+(0x[0-9a-fA-F]+|[0-9]+)\(SB\)`)
	argument     = regexp.MustCompile(`[(,] ?([0-9]+)\b`) // of a macro
	numbered     = regexp.MustCompile(`(?:^|[^.\w])([A-Z])([0-9]{1,2})\b`)
	named        = regexp.MustCompile(`\b(AX|BX|CX|DX|SI|DI)\b`)
)

// neighbours are replacements of registers with names.
var neighbours = map[string]string{"AX": "DX", "DX": "AX", "BX": "CX", "CX": "BX", "SI": "DI", "DI": "SI"}

// noEffect are instructions without an effect that a test of the package could observe.
// internal/repotest has a test for VZEROUPPER.
var noEffect = regexp.MustCompile(`^(PREFETCH.*|PRFM|PCALIGN|NOP|VZEROUPPER|VZEROALL)$`)

// declarations are no instructions.
var declarations = regexp.MustCompile(`^(TEXT|GLOBL|FUNCDATA|PCDATA|NO_LOCAL_POINTERS)$`)

// asmChanges returns the possible changes of an assembly file.
func asmChanges(src []byte) (list []change) {
	for at := 0; at < len(src); {
		line := src[at:]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i]
		}
		code := line
		if i := bytes.Index(code, []byte("//")); i >= 0 {
			code = code[:i]
		}
		if !bytes.HasPrefix(code, []byte("#")) {
			start := at
			for part := range bytes.SplitSeq(bytes.TrimRight(code, " \t\\"), []byte(";")) {
				list = instructionChanges(list, string(part), start)
				start += len(part) + 1
			}
		}
		at += len(line) + 1
	}
	return list
}

// instructionChanges appends the changes of an instruction at an offset.
func instructionChanges(list []change, s string, at int) []change {
	m := instruction.FindStringSubmatchIndex(s)
	if m == nil {
		return list
	}
	name := s[m[2]:m[3]]
	if declarations.MatchString(name) || noEffect.MatchString(name) {
		return list
	}
	add := func(start, end int, text, kind string) {
		list = append(list, change{at + start, at + end, text, kind})
	}
	operands := m[3]
	if name != "DATA" {
		add(m[2], len(s), "", "instruction")
	}
	for _, o := range mnemonics {
		if o.pattern.MatchString(name) {
			add(m[2], m[3], o.pattern.ReplaceAllString(name, o.text), "mnemonic")
		}
	}
	numbers := []*regexp.Regexp{immediate}
	if name != "DATA" {
		numbers = append(numbers, displacement, symbolOffset)
	}
	if strings.HasPrefix(s[operands:], "(") {
		numbers = append(numbers, argument)
	}
	for _, re := range numbers {
		for _, n := range re.FindAllStringSubmatchIndex(s[operands:], -1) {
			from, to := operands+n[2], operands+n[3]
			for _, text := range otherImmediates(s[from:to]) {
				add(from, to, text, "number")
			}
		}
	}
	if name == "DATA" {
		return list
	}
	for _, n := range numbered.FindAllStringSubmatchIndex(s[operands:], -1) {
		i, _ := strconv.Atoi(s[operands+n[4] : operands+n[5]])
		add(operands+n[4], operands+n[5], strconv.Itoa(i^1), "register")
	}
	for _, n := range named.FindAllStringIndex(s[operands:], -1) {
		add(operands+n[0], operands+n[1], neighbours[s[operands+n[0]:operands+n[1]]], "register")
	}
	return list
}

// otherImmediates returns a number with its lowest bit changed, and a long one also with
// its highest bit changed.
func otherImmediates(literal string) []string {
	n, err := strconv.ParseUint(literal, 0, 64)
	if err != nil {
		return nil
	}
	format, bits := "%d", 0
	if strings.HasPrefix(literal, "0x") {
		format, bits = fmt.Sprintf("0x%%0%dx", len(literal)-2), 4*(len(literal)-2)
	}
	list := []string{fmt.Sprintf(format, n^1)}
	if bits > 16 && n > 0xffff {
		list = append(list, fmt.Sprintf(format, n^1<<(bits-1)))
	}
	return list
}

// asmTrap returns a file with an undefined instruction at the start of the function
// that contains an offset, or of those that use the data or macro there. It returns false
// if there is none.
func asmTrap(src []byte, offset int) ([]byte, bool) {
	all := asmUnits(src)
	i := slices.IndexFunc(all, func(u unit) bool { return u.start <= offset && offset < u.end })
	if i < 0 {
		return nil, false
	}
	target := all[i]
	uses := regexp.MustCompile(`(?:^|[^\w·])` + regexp.QuoteMeta(target.name) + `(?:$|[^\w])`)
	trapped, ok := src, false
	for _, u := range slices.Backward(all) {
		if !bytes.HasPrefix(src[u.start:], []byte("TEXT")) {
			continue
		}
		if _, body, _ := strings.Cut(u.text, "\n"); u == target || !strings.HasPrefix(target.text, "TEXT") && uses.MatchString(body) {
			at := u.start + bytes.IndexByte(src[u.start:], '\n')
			trapped, ok = apply(trapped, change{at, at, "\n\tUNDEF", ""}), true
		}
	}
	return trapped, ok
}
