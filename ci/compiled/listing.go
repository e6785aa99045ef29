package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The kinds of what is found.
const (
	branch   = "branch"   // a conditional branch or instruction, or a jump to a computed address
	bounds   = "bounds"   // a branch to a panic of the runtime: an index, a slice, a shift, a division
	index    = "index"    // memory is accessed at a sum of two registers
	division = "division" // an instruction or a function whose time depends on its operands
	compare  = "compare"  // a function that compares memory or strings, and ends at the first difference
)

// An architecture describes the instructions of the compiler's listings.
type architecture struct {
	branch *regexp.Regexp // conditional branches
	add    *regexp.Regexp // additions that compute addresses
	move   *regexp.Regexp // moves of registers, loads and stores
}

var architectures = map[string]architecture{
	"386":     {re(`J(?:EQ|NE|LT|LE|GT|GE|LS|HI|CS|CC|MI|PL|OS|OC|PS|PC|CXZL?)`), re(`ADDL|LEAL`), re(`MOV.*`)},
	"amd64":   {re(`J(?:EQ|NE|LT|LE|GT|GE|LS|HI|CS|CC|MI|PL|OS|OC|PS|PC|CXZ[LQ]?)`), re(`ADD[LQ]|LEA[LQ]`), re(`MOV.*`)},
	"arm":     {re(`B(?:EQ|NE|LT|LE|GT|GE|LS|HI|CS|CC|HS|LO|MI|PL|VS|VC)`), re(`ADD`), re(`MOV.*`)},
	"arm64":   {re(`B(?:EQ|NE|LT|LE|GT|GE|LS|HI|CS|CC|HS|LO|MI|PL|VS|VC)|CBN?ZW?|TBN?Z`), re(`ADD`), re(`F?MOV.*|LDP.*|STP.*`)},
	"mips":    {re(`B(?:EQ|NE|GEZ|GTZ|LEZ|LTZ|FPT|FPF)(?:AL)?`), re(`ADDU?`), re(`MOV.*`)},
	"riscv64": {re(`B(?:EQ|NE|LT|LE|GT|GE)(?:Z|U)?`), re(`ADD|SH[123]ADD`), re(`MOV.*`)},
	"s390x":   {re(`B(?:EQ|NE|LT|LE|GT|GE|LTU|LEU|GTU|GEU|VS|VC|O|NO)|BRC|BRCTG?|CMPU?B(?:EQ|NE|LT|LE|GT|GE)|CL?G?[IR]J`), re(`ADD|MOVD`), re(`MOV.*`)},
}

func re(s string) *regexp.Regexp { return regexp.MustCompile(`^(?:` + s + `)$`) }

// Calls, in the listings.
var (
	runtimePanic = regexp.MustCompile(`runtime\.(?:panic(?:Bounds|Index|Slice|shift|divide|ExtendI|ExtendS|unsafe|SliceConvert)|goPanic)`)
	divisions    = regexp.MustCompile(`^(?:[ISU]?DIV|U?REM|MOD)[A-Z]*(?:\.\w+)?$`)
	divide       = regexp.MustCompile(`runtime\.(?:_?u?div|_?u?mod|u?int64div|u?int64mod|d?div|u?div)\b`)
	compares     = regexp.MustCompile(`runtime\.(?:memequal|strequal|interequal|nilinterequal|efaceeq|ifaceeq|cmpstring|mapaccess)|internal/bytealg\.|type:\.eq\.`)
	conditional  = regexp.MustCompile(`^[A-Z]+[0-9A-Z]*\.(?:EQ|NE|CS|CC|HS|LO|GE|LT|GT|LE|HI|LS|MI|PL|VS|VC)$`)
)

var (
	instructionStart = regexp.MustCompile(`^\t0x[0-9a-f]+ \d{5,} \(`)
	instructionLine  = regexp.MustCompile(`^\t0x[0-9a-f]+ (\d+) \((.*?)(?::(\d+))?\)\t([^\t]+)(?:\t(.*))?$`)
)

// A function is the listing of one function.
type function struct {
	pkg, name, file string
	lines           []string // of the listing, with the code
	code            []instruction
}

type instruction struct {
	pc       int
	file     string
	line     int
	op       string
	operands string
}

// parse reads the output of go build -gcflags=-S, for packages of a module.
func parse(module, listing string) (list []*function, err error) {
	var f *function
	pkg := ""
	for line := range strings.Lines(listing) {
		line = strings.TrimRight(line, "\n")
		if header, ok := strings.CutPrefix(line, "# "); ok {
			pkg = header
			continue
		}
		if symbol, rest, ok := strings.Cut(line, " STEXT "); ok && !strings.HasPrefix(line, "\t") {
			if f = nil; strings.Contains(rest, "size=0 ") {
				continue // a closure that is inlined everywhere
			}
			name, ok := strings.CutPrefix(symbol, pkg+".")
			if !ok {
				name = strings.TrimPrefix(symbol, module) // an instance of another package's function
			}
			f = &function{pkg: strings.TrimPrefix(pkg, module), name: withoutTypes(name)}
			list = append(list, f)
			continue
		}
		if !strings.HasPrefix(line, "\t") {
			f = nil // data
			continue
		}
		if f == nil {
			continue
		}
		if f.file != "" {
			f.lines = append(f.lines, line)
		} else if m := instructionLine.FindStringSubmatch(line); m != nil && m[4] == "TEXT" {
			f.file = m[2]
		}
	}
	for _, f := range list {
		if f.file == "" {
			return nil, fmt.Errorf("%s.%s has no file", f.pkg, f.name)
		}
	}
	return list, nil
}

// read reads the code. Public functions need not be read.
func (f *function) read() error {
	for _, line := range f.lines {
		m := instructionLine.FindStringSubmatch(line)
		if m == nil {
			if instructionStart.MatchString(line) {
				return fmt.Errorf("in %s.%s: cannot read %q", f.pkg, f.name, line)
			}
			continue // bytes or relocations
		}
		if m[4] != "PCDATA" && m[4] != "FUNCDATA" {
			pc, _ := strconv.Atoi(m[1])
			n, _ := strconv.Atoi(m[3])
			f.code = append(f.code, instruction{pc, m[2], n, m[4], m[5]})
		}
	}
	if len(f.code) == 0 {
		return fmt.Errorf("%s.%s has no code", f.pkg, f.name)
	}
	return nil
}

// withoutTypes returns the name of a function without type arguments.
func withoutTypes(name string) string {
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// A finding is something in the compiled code that has to be explained.
type finding struct {
	kind string
	file string
	line int
}

var (
	decimal    = regexp.MustCompile(`^-?\d+$`)
	immediate  = regexp.MustCompile(`^\$-?\d+$`)
	register   = regexp.MustCompile(`^(?:[RXF]\d+|[ABCD]X|[SD]I|BP|g|LR|[ABCD]L)$`)
	twoBases   = regexp.MustCompile(`\)\(|<<\d+\(|\(R\d+<<|\(R\d+\.[US]XT`) // an address with an index
	oneBase    = regexp.MustCompile(`^[^()]*\((R\d+|X\d+|[ABCD]X|[SD]I|BP)\)$`)
	threadBase = "(TLS*"
)

// find returns what a function contains that has to be explained.
func (f *function) find(goarch string) (list []finding) {
	a := architectures[goarch]
	at := map[int]int{} // the index of the instruction at a pc
	for i, in := range f.code {
		if _, ok := at[in.pc]; !ok {
			at[in.pc] = i
		}
	}
	sums := f.sums(a, goarch, at)
	prologue := f.stackCheck(a, goarch)
	for i, in := range f.code {
		add := func(kind string) {
			list = append(list, finding{kind, in.file, in.line})
		}
		switch {
		case i == prologue || in.op == "NOP" || strings.HasPrefix(in.op, "NOP."):
		case a.branch.MatchString(in.op), decimal.MatchString(in.operands[strings.LastIndexByte(in.operands, ' ')+1:]) && !jumps(in):
			switch {
			case f.writeBarrier(i):
			case f.panics(i, goarch, at):
				add(bounds)
			default:
				add(branch)
			}
		case goarch == "arm" && conditional.MatchString(in.op) && in.op+" "+in.operands != "AND.EQ R0, R0":
			// A conditional move. arm has no other.
			if !strings.HasPrefix(in.op, "MOVW.") || strings.Contains(in.operands, "(") {
				add(branch)
			}
		case divisions.MatchString(in.op), divide.MatchString(in.operands):
			add(division)
		case compares.MatchString(in.operands):
			add(compare)
		case in.op == "JMP" && f.computedJump(in), in.op == "JALR" && strings.HasPrefix(in.operands, "X0, X") && in.operands != "X0, X1":
			add(branch)
		case strings.HasPrefix(in.op, "LEA"):
		case twoBases.MatchString(in.operands) && !strings.Contains(in.operands, threadBase):
			if !a.add.MatchString(in.op) || !strings.HasPrefix(in.operands, "$") {
				add(index)
			}
		case f.throughSum(in, sums[i]):
			add(index)
		}
	}
	return list
}

// computedJump reports whether a jump is through a register, as that of a switch.
func (f *function) computedJump(in instruction) bool {
	target := strings.Trim(in.operands, "()")
	return register.MatchString(target) && target != "LR" && target != "R14" && target != "R31"
}

// target returns the pc that an instruction may jump to.
func (f *function) target(i int, goarch string) (pc int, ok bool) {
	operands := strings.Split(f.code[i].operands, ", ")
	last := operands[len(operands)-1]
	if goarch == "riscv64" {
		n, err := strconv.Atoi(strings.TrimPrefix(last, "$"))
		return f.code[i].pc + n, err == nil && strings.HasPrefix(last, "$")
	}
	n, err := strconv.Atoi(last)
	return n, err == nil
}

// jumps reports whether an instruction always jumps.
func jumps(in instruction) bool {
	switch in.op {
	case "JMP", "RET", "BR", "UNDEF":
		return true
	case "JAL", "JALR":
		return strings.HasPrefix(in.operands, "X0, ")
	}
	return false
}

// panics reports whether one side of a branch does nothing but panic.
func (f *function) panics(i int, goarch string, at map[int]int) bool {
	next := func(k int) bool {
		for range 12 {
			if k >= len(f.code) {
				return false
			}
			in := f.code[k]
			if runtimePanic.MatchString(in.operands) {
				return true
			}
			if pc, ok := f.target(k, goarch); ok && jumps(in) {
				k = at[pc]
				continue
			}
			if jumps(in) || architectures[goarch].branch.MatchString(in.op) || strings.Contains(in.operands, "(SB)") && strings.Contains(in.op, "L") && !strings.HasPrefix(in.op, "MOV") {
				return false
			}
			k++
		}
		return false
	}
	pc, ok := f.target(i, goarch)
	if !ok {
		return false
	}
	return next(at[pc]) || next(i+1)
}

// writeBarrier reports whether a branch depends on the runtime's flag for the garbage
// collector.
func (f *function) writeBarrier(i int) bool {
	for k := i - 1; k >= 0 && k >= i-4; k-- {
		if strings.Contains(f.code[k].operands, "runtime.writeBarrier(SB)") {
			return true
		}
	}
	return false
}

// stackCheck returns the index of the branch with which a function checks the size of its
// stack, or -1.
func (f *function) stackCheck(a architecture, goarch string) int {
	if !slices.ContainsFunc(f.code, func(in instruction) bool { return strings.Contains(in.operands, "runtime.morestack") }) {
		return -1
	}
	for i, in := range f.code[:min(12, len(f.code))] {
		if a.branch.MatchString(in.op) {
			return i
		}
	}
	return -1
}

// sums returns the registers, before each instruction, that may contain a sum of two
// registers.
func (f *function) sums(a architecture, goarch string, at map[int]int) []map[string]bool {
	before := make([]map[string]bool, len(f.code)+1)
	for i := range before {
		before[i] = map[string]bool{}
	}
	join := func(to int, from map[string]bool) (changed bool) {
		for r := range from {
			if !before[to][r] {
				before[to][r], changed = true, true
			}
		}
		return changed
	}
	for changed := true; changed; {
		changed = false
		for i, in := range f.code {
			after := map[string]bool{}
			for r := range before[i] {
				after[r] = true
			}
			operands := strings.Split(in.operands, ", ")
			dst := operands[len(operands)-1]
			if register.MatchString(dst) && !a.branch.MatchString(in.op) {
				if f.isSum(a, in, operands, before[i]) {
					after[dst] = true
				} else {
					delete(after, dst)
				}
			}
			if pc, ok := f.target(i, goarch); ok && (jumps(in) || a.branch.MatchString(in.op)) {
				if k, ok := at[pc]; ok && join(k, after) {
					changed = true
				}
			}
			if !jumps(in) && join(i+1, after) {
				changed = true
			}
		}
	}
	return before
}

// isSum reports whether the last operand becomes a sum of two registers.
func (f *function) isSum(a architecture, in instruction, operands []string, sums map[string]bool) bool {
	src := operands[:len(operands)-1]
	if a.add.MatchString(in.op) && !(in.op == "MOVD" && !strings.HasPrefix(in.operands, "$")) {
		if strings.HasPrefix(in.op, "LEA") || in.op == "MOVD" {
			return twoBases.MatchString(in.operands)
		}
		if immediate.MatchString(src[0]) || src[0] == "SP" {
			return sums[operands[len(operands)-1]] && len(src) == 1 || len(src) == 2 && sums[src[1]]
		}
		return true
	}
	return a.move.MatchString(in.op) && len(src) == 1 && register.MatchString(src[0]) && sums[src[0]]
}

// throughSum reports whether an instruction accesses memory through such a register.
func (f *function) throughSum(in instruction, sums map[string]bool) bool {
	for operand := range strings.SplitSeq(in.operands, ", ") {
		if m := oneBase.FindStringSubmatch(operand); m != nil && sums[m[1]] && !strings.HasPrefix(operand, "$") {
			return true
		}
	}
	return false
}
