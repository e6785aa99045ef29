package machine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// A Kind of operand.
type Kind uint8

const (
	KindReg   Kind = iota // a register, perhaps one lane of it, or shifted
	KindImm               // a number
	KindAddr              // $mem: an address
	KindMem               // a place in memory
	KindList              // registers in brackets or parentheses
	KindLabel             // a label of the function
	KindName              // a word that is no register, as RISC-V's E32
)

// An Operand is one operand of an instruction.
type Operand struct {
	Kind Kind
	Text string
	Imm  int64 // the number of KindImm, the offset of an address

	// A register: its index among those of its shape in the architecture, such as V3.B16,
	// V3.D[1], R3<<2 or R3>>R4.
	Reg         int
	Shape       byte   // as in Register
	Arrangement string // B16, D
	Lane        bool   // one element of a vector
	LaneIndex   int
	Shift       string // <<, >>, -> (arithmetic) or @> (rotation), or empty
	ShiftBy     int64
	ShiftReg    int // the register with the distance, or -1

	// An address: Sym+Imm(Pseudo)(Base)(Index*Scale). Registers may be -1.
	Sym    string
	Pseudo string // SB, FP, or SP behind a name
	Base   int
	Index  int
	Scale  int64

	List []Operand
}

// An Instruction of a function, after macros.
type Instruction struct {
	Op        string
	Suffix    []string // what follows dots: ".Z" of AVX-512, ".P" of ARM
	Args      []Operand
	Label     string // where it may go, or empty
	Target    int    // the index of the instruction at the label
	File      string
	Line      int
	Statement int // of the file; a macro is one statement, and may make several instructions
	Text      string
	Code      []byte // of an instruction that is written as data
	Macro     bool   // it is a macro that makes a word
}

// A Function is a TEXT symbol.
type Function struct {
	Name   string
	File   string
	Line   int
	Frame  int64 // bytes
	Code   []Instruction
	Labels map[string]int // indices into Code
}

// A Comment stands before a statement or behind it.
type Comment struct {
	Text      string
	Line      int // of the statement
	Statement int
	Of        string // the statement's text
}

// A Problem is what the parser does not understand.
type Problem struct {
	File     string
	Line     int
	Function string // or empty
	Text     string
}

// A Source is a parsed file of assembly.
type Source struct {
	Path      string
	Functions []*Function
	Comments  []Comment
	Problems  []Problem
	Data      map[string][]byte // of DATA, by symbol
}

func isWord(r rune) bool {
	return r == '_' || r == '·' || r == '∕' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func tokens(s string) []string {
	var list []string
	for i := 0; i < len(s); {
		c := s[i]
		if c == ' ' || c == '\t' || c == '\r' {
			i++
			continue
		}
		if c < 0x80 && !isWord(rune(c)) {
			if i+1 < len(s) && (s[i:i+2] == "<<" || s[i:i+2] == ">>" || s[i:i+2] == "->" || s[i:i+2] == "@>" || s[i:i+2] == "<>") {
				list = append(list, s[i:i+2])
				i += 2
				continue
			}
			if c == '"' {
				j := strings.IndexByte(s[i+1:], '"')
				if j >= 0 {
					list = append(list, s[i:i+j+2])
					i += j + 2
					continue
				}
			}
			list = append(list, s[i:i+1])
			i++
			continue
		}
		j := i
		for k, r := range s[i:] {
			if !isWord(r) {
				break
			}
			j = i + k + len(string(r))
		}
		if j == i {
			j++
		}
		list = append(list, s[i:j])
		i = j
	}
	return list
}

// A macro of the preprocessor.
type macro struct {
	params   []string
	function bool // with parentheses
	body     []string
}

// An assembler reads a file.
type assembler struct {
	arch        *Arch
	dir         string
	path        string // as it is printed
	line        int
	macros      map[string]macro
	comments    []string // since the last statement
	same        string   // the comment behind the statement
	source      *Source
	f           *Function
	pending     *Instruction // data that has not ended
	skip        []bool       // for #ifdef
	statementOf int          // the number of the statement
}

var instrComment = regexp.MustCompile(`^[A-Z][A-Z0-9.]+( .*)?$`)

// Parse reads the file of assembly in dir that has the base name of path. Problems and
// instructions name the file path.
func Parse(a *Arch, dir, path string) (*Source, error) {
	p := &assembler{arch: a, dir: dir, path: path, macros: map[string]macro{}, source: &Source{Path: path, Data: map[string][]byte{}}}
	text, err := os.ReadFile(filepath.Join(dir, filepath.Base(path)))
	if err != nil {
		return nil, err
	}
	p.text(string(text), true)
	p.flush()
	for _, f := range p.source.Functions {
		for i := range f.Code {
			in := &f.Code[i]
			if in.Label == "" {
				continue
			}
			to, ok := f.Labels[in.Label]
			if !ok {
				p.source.Problems = append(p.source.Problems, Problem{path, in.Line, f.Name, "there is no label " + in.Label})
			}
			in.Target = to
		}
	}
	return p.source, nil
}

func (p *assembler) problem(format string, args ...any) {
	name := ""
	if p.f != nil {
		name = p.f.Name
	}
	p.source.Problems = append(p.source.Problems, Problem{p.path, p.line, name, fmt.Sprintf(format, args...)})
}

// text parses lines. Those of an included file do not count.
func (p *assembler) text(text string, count bool) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if count {
			p.line = i + 1
		}
		comment := ""
		if j := strings.Index(line, "//"); j >= 0 {
			line, comment = line[:j], strings.TrimSpace(line[j+2:])
		}
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "#") {
			for strings.HasSuffix(trimmed, "\\") && i+1 < len(lines) {
				i++
				next, _, _ := strings.Cut(lines[i], "//")
				trimmed = strings.TrimSuffix(trimmed, "\\") + " ; " + strings.TrimSpace(next)
			}
			p.directive(trimmed)
			continue
		}
		if p.skipping() {
			continue
		}
		if trimmed == "" {
			if comment != "" {
				p.comments = append(p.comments, comment)
			}
			continue
		}
		list := strings.Split(trimmed, ";")
		if comment != "" { // which says what instruction these words are
			list = []string{trimmed}
		}
		for _, statement := range list {
			p.same = comment
			p.statementOf++
			for _, c := range append(p.comments, comment) {
				if c != "" {
					p.source.Comments = append(p.source.Comments, Comment{c, p.line, p.statementOf, strings.TrimSpace(statement)})
				}
			}
			p.statements(p.expand(tokens(statement), nil))
			p.comments = p.comments[:0]
		}
	}
}

func (p *assembler) skipping() bool {
	for _, s := range p.skip {
		if s {
			return true
		}
	}
	return false
}

func (p *assembler) directive(line string) {
	t := tokens(line[1:])
	if len(t) == 0 {
		return
	}
	switch t[0] {
	case "ifdef", "ifndef":
		_, ok := p.macros[t[1]]
		if t[1] == "GOARCH_"+p.arch.Name {
			ok = true
		}
		p.skip = append(p.skip, ok != (t[0] == "ifdef"))
		return
	case "else":
		p.skip[len(p.skip)-1] = !p.skip[len(p.skip)-1]
		return
	case "endif":
		p.skip = p.skip[:len(p.skip)-1]
		return
	}
	if p.skipping() {
		return
	}
	switch t[0] {
	case "include":
		name := strings.Trim(t[1], `"`)
		text, err := os.ReadFile(filepath.Join(p.dir, name))
		if errors.Is(err, fs.ErrNotExist) && (name == "textflag.h" || name == "go_asm.h" || name == "funcdata.h") {
			return
		} else if err != nil {
			p.problem("%v", err)
			return
		}
		p.text(string(text), false)
	case "undef":
		delete(p.macros, t[1])
	case "define":
		m := macro{}
		rest := line[strings.Index(line, t[1])+len(t[1]):]
		if strings.HasPrefix(rest, "(") {
			m.function = true
			end := strings.IndexByte(rest, ')')
			for _, name := range strings.Split(rest[1:end], ",") {
				m.params = append(m.params, strings.TrimSpace(name))
			}
			rest = rest[end+1:]
		}
		m.body = tokens(rest)
		p.macros[t[1]] = m
	default:
		p.problem("#%s is not supported", t[0])
	}
}

// arguments splits what is in parentheses from t[0] on, and returns what follows.
func arguments(t []string) (args [][]string, rest []string, ok bool) {
	if len(t) == 0 || t[0] != "(" {
		return nil, t, false
	}
	depth := 0
	var arg []string
	for i, s := range t {
		switch s {
		case "(", "[":
			if depth++; depth == 1 {
				continue
			}
		case ")", "]":
			if depth--; depth == 0 {
				if len(args) > 0 || len(arg) > 0 {
					args = append(args, arg)
				}
				return args, t[i+1:], true
			}
		case ",":
			if depth == 1 {
				args, arg = append(args, arg), nil
				continue
			}
		}
		arg = append(arg, s)
	}
	return nil, t, false
}

// A mark surrounds the name of a macro that makes an instruction as a word.
const mark = "\x00"

// expand replaces macros.
func (p *assembler) expand(t []string, expanding []string) []string {
	var out []string
next:
	for len(t) > 0 {
		m, ok := p.macros[t[0]]
		if !ok {
			out = append(out, t[0])
			t = t[1:]
			continue
		}
		name := t[0]
		for _, s := range expanding {
			if s == name {
				out = append(out, name)
				t = t[1:]
				continue next
			}
		}
		body, rest := m.body, t[1:]
		var args [][]string
		if m.function {
			var ok bool
			if args, rest, ok = arguments(rest); !ok {
				// The name of a macro as an argument of another.
				out, t = append(out, name), t[1:]
				continue
			}
			if len(args) != len(m.params) {
				p.problem("%s has %d arguments, not %d", name, len(m.params), len(args))
				return nil
			}
			body = nil
			for _, s := range m.body {
				replaced := false
				for i, param := range m.params {
					if s == param {
						body, replaced = append(body, args[i]...), true
						break
					}
				}
				if !replaced {
					body = append(body, s)
				}
			}
		}
		word := len(m.body) > 0 && (m.body[0] == "WORD" || m.body[0] == "LONG" || m.body[0] == "BYTE")
		expanded := p.expand(body, append(expanding, name))
		if word {
			out = append(out, mark, name)
			for i, a := range args {
				if i > 0 {
					out = append(out, ",")
				}
				out = append(out, p.expand(a, append(expanding, name))...)
			}
			out = append(out, mark)
		}
		out = append(out, expanded...)
		t = rest
		if len(m.body) > 0 && (word || p.isStatement(m.body)) && len(t) > 0 && t[0] != ";" {
			out = append(out, ";") // macros of instructions follow each other without a mark
		}
	}
	return out
}

// isStatement reports whether a macro's body begins with an instruction.
func (p *assembler) isStatement(body []string) bool {
	if len(body) == 1 {
		return false
	}
	if strings.IndexFunc(body[0], func(r rune) bool { return r == '$' || r == '(' || unicode.IsDigit(r) }) == 0 {
		return false
	}
	for _, s := range body {
		if s == ";" {
			return true
		}
	}
	if m, ok := p.macros[body[0]]; ok {
		return p.isStatement(m.body)
	}
	_, ok := p.arch.register(body[0])
	return !ok
}

// statements takes tokens apart at semicolons and labels.
func (p *assembler) statements(t []string) {
	var name []string // of a macro
	for len(t) > 0 {
		if t[0] == ";" {
			t = t[1:]
			continue
		}
		if t[0] == mark {
			end := 1
			for t[end] != mark {
				end++
			}
			name, t = t[1:end], t[end+1:]
			continue
		}
		if len(t) > 1 && t[1] == ":" {
			p.flush()
			if p.f != nil {
				if _, ok := p.f.Labels[t[0]]; ok {
					p.problem("the label %s is there twice", t[0])
				}
				p.f.Labels[t[0]] = len(p.f.Code)
			}
			t = t[2:]
			continue
		}
		end := 0
		for end < len(t) && t[end] != ";" {
			end++
		}
		p.statement(t[:end], name)
		t, name = t[end:], nil
	}
}

// flush ends an instruction that was written as data.
func (p *assembler) flush() {
	if p.pending != nil {
		p.f.Code = append(p.f.Code, *p.pending)
		p.pending = nil
	}
}

func (p *assembler) statement(t, name []string) {
	switch t[0] {
	case "TEXT":
		p.flush()
		p.begin(t)
		return
	case "GLOBL":
		return
	case "DATA":
		p.data(t[1:])
		return
	case "PCALIGN", "FUNCDATA", "PCDATA", "NO_LOCAL_POINTERS":
		return
	}
	if p.f == nil {
		p.problem("%s is outside of a function", t[0])
		return
	}
	switch t[0] {
	case "BYTE", "WORD", "LONG", "QUAD":
		p.bytes(t, name)
		return
	}
	p.flush()
	in, err := p.instruction(t)
	if err != nil {
		p.problem("%s: %v", strings.Join(t, " "), err)
		return
	}
	p.f.Code = append(p.f.Code, in)
}

// bytes adds data to an instruction, or begins one with the mnemonic of the comment.
func (p *assembler) bytes(t, name []string) {
	size := map[string]int{"BYTE": 1, "WORD": p.arch.Word, "LONG": 4, "QUAD": 8}[t[0]]
	if len(t) < 3 || t[1] != "$" {
		p.problem("%s without a constant", t[0])
		return
	}
	v, err := evaluate(t[2:])
	if err != nil {
		p.problem("%v", err)
		return
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(v))
	mnemonic := ""
	if instrComment.MatchString(p.same) {
		mnemonic = p.same
	} else if len(p.comments) > 0 && instrComment.MatchString(p.comments[len(p.comments)-1]) {
		mnemonic = p.comments[len(p.comments)-1]
	}
	if name == nil && mnemonic == "" {
		if p.pending == nil {
			p.problem("%s has no comment with the instruction", t[0])
			return
		}
		p.pending.Code = append(p.pending.Code, b[:size]...)
		return
	}
	p.flush()
	var in Instruction
	if name != nil {
		in = p.make(strings.Join(name, " "))
		in.Op, in.Macro = name[0], true
		if in.Args, err = p.arch.numbered(name); err != nil {
			p.problem("%s: %v", strings.Join(name, " "), err)
			return
		}
		in.Code = b[:size]
		p.f.Code = append(p.f.Code, in)
		return
	}
	if in, err = p.instruction(tokens(mnemonic)); err != nil {
		p.problem("%s: %v", mnemonic, err)
		return
	}
	in.Code = b[:size:size]
	p.pending = &in
}

func (p *assembler) make(text string) Instruction {
	return Instruction{File: p.path, Line: p.line, Text: text, Statement: p.statementOf}
}

var textSize = regexp.MustCompile(`\$ ?(-?\d+)(?: - (\d+))?$`)

func (p *assembler) begin(t []string) {
	s := strings.Join(t[1:], " ")
	name, _, ok := strings.Cut(s, " (")
	m := textSize.FindStringSubmatch(s)
	if !ok || m == nil {
		p.problem("TEXT without a name or a frame")
		return
	}
	name = strings.TrimPrefix(strings.ReplaceAll(name, " ", ""), "·")
	p.f = &Function{Name: name, File: p.path, Line: p.line, Labels: map[string]int{}}
	p.f.Frame, _ = strconv.ParseInt(m[1], 10, 64)
	p.source.Functions = append(p.source.Functions, p.f)
}

// data keeps the values of a symbol.
func (p *assembler) data(t []string) {
	name := t[0]
	i := 1
	if i < len(t) && t[i] == "<>" {
		i++
	}
	offset := int64(0)
	if t[i] == "+" {
		offset, _ = number(t[i+1])
	}
	for i < len(t) && t[i] != "/" {
		i++
	}
	if i+4 > len(t) {
		return
	}
	size, err := number(t[i+1])
	if err != nil || size > 8 || t[i+3] != "$" {
		return
	}
	v, err := evaluate(t[i+4:])
	if err != nil {
		return
	}
	b := p.source.Data[name]
	for int64(len(b)) < offset+size {
		b = append(b, 0)
	}
	var le [8]byte
	binary.LittleEndian.PutUint64(le[:], uint64(v))
	copy(b[offset:offset+size], le[:])
	p.source.Data[name] = b
}

// instruction parses one.
func (p *assembler) instruction(t []string) (Instruction, error) {
	in := p.make(strings.Join(t, " "))
	in.Op = t[0]
	t = t[1:]
	for len(t) > 1 && t[0] == "." {
		in.Suffix = append(in.Suffix, t[1])
		t = t[2:]
	}
	for len(t) > 0 {
		depth, end := 0, 0
		for end < len(t) && (depth > 0 || t[end] != ",") {
			switch t[end] {
			case "(", "[":
				depth++
			case ")", "]":
				depth--
			}
			end++
		}
		o, err := p.operand(t[:end])
		if err != nil {
			return in, err
		}
		if o.Kind == KindLabel {
			in.Label = o.Sym
		}
		in.Args = append(in.Args, o)
		t = t[end:]
		if len(t) > 0 {
			t = t[1:]
		}
	}
	return in, nil
}

func (p *assembler) operand(t []string) (Operand, error) {
	o := Operand{Text: strings.Join(t, ""), Base: -1, Index: -1, Reg: -1, ShiftReg: -1}
	if len(t) == 0 {
		return o, errors.New("an operand is missing")
	}
	if t[0] == "$" {
		if v, err := evaluate(t[1:]); err == nil {
			o.Kind, o.Imm = KindImm, v
			return o, nil
		}
		a, err := p.address(o, t[1:])
		a.Kind = KindAddr
		return a, err
	}
	if t[0] == "[" || t[0] == "(" && len(t) > 3 && t[2] == "," {
		return p.list(o, t)
	}
	if r, ok := p.arch.register(t[0]); ok && (len(t) == 1 || t[1] != "(") {
		o.Kind, o.Reg, o.Shape = KindReg, r.Index, r.Shape
		for i := 1; i < len(t); i++ {
			switch t[i] {
			case "<<", ">>", "->", "@>":
				o.Shift = t[i]
				if i+1 < len(t) {
					if r, ok := p.arch.register(t[i+1]); ok {
						o.ShiftReg = r.Index
						if r.Shape != 'r' || len(t) > i+2 {
							return o, fmt.Errorf("%s is no operand", o.Text)
						}
						return o, nil
					}
				}
				var err error
				o.ShiftBy, err = evaluate(t[i+1:])
				return o, err
			case ".":
				if i++; i < len(t) {
					o.Arrangement = t[i]
				}
			case "[":
				o.Lane = true
				if i+2 < len(t) {
					n, err := number(t[i+1])
					o.LaneIndex = int(n)
					if err == nil && i+3 == len(t) {
						return o, nil
					}
				}
				return o, fmt.Errorf("%s is no operand", o.Text)
			default:
				return o, fmt.Errorf("%s is no operand", o.Text)
			}
		}
		return o, nil
	}
	if len(t) == 1 && isWord([]rune(t[0])[0]) && !unicode.IsDigit([]rune(t[0])[0]) {
		if p.arch.names[t[0]] {
			o.Kind, o.Sym = KindName, t[0]
			return o, nil
		}
		o.Kind, o.Sym = KindLabel, t[0]
		return o, nil
	}
	o.Kind = KindMem
	return p.address(o, t)
}

// list parses registers in brackets or parentheses.
func (p *assembler) list(o Operand, t []string) (Operand, error) {
	o.Kind = KindList
	t = t[1 : len(t)-1]
	for i := 0; i < len(t); i++ {
		if t[i] == "," {
			continue
		}
		if t[i] == "." { // an arrangement
			if i++; i < len(t) && len(o.List) > 0 {
				o.List[len(o.List)-1].Arrangement = t[i]
			}
			continue
		}
		if t[i] == "[" && i+2 < len(t) && len(o.List) > 0 { // a part of the register
			last := &o.List[len(o.List)-1]
			last.Lane, last.Text = true, last.Text+".D["+t[i+1]+"]"
			if n, err := number(t[i+1]); err == nil {
				last.LaneIndex = int(n)
			}
			i += 2
			continue
		}
		if t[i] == "-" {
			to, ok := p.arch.register(t[i+1])
			if !ok {
				return o, fmt.Errorf("unknown register %s", t[i+1])
			}
			from := o.List[len(o.List)-1]
			for r := from.Reg + 1; r <= to.Index; r++ {
				from.Reg = r
				o.List = append(o.List, from)
			}
			i++
			continue
		}
		r, ok := p.arch.register(t[i])
		if !ok {
			return o, fmt.Errorf("unknown register %s", t[i])
		}
		o.List = append(o.List, Operand{Kind: KindReg, Text: t[i], Reg: r.Index, Shape: r.Shape, Base: -1, Index: -1, ShiftReg: -1})
	}
	return o, nil
}

// address parses sym<>+off(SB)(index*scale) and the like.
func (p *assembler) address(o Operand, t []string) (Operand, error) {
	for i, s := range t {
		if s != "(" {
			continue
		}
		head, rest := t[:i], t[i:]
		if len(head) > 0 && isWord([]rune(head[0])[0]) && !unicode.IsDigit([]rune(head[0])[0]) {
			o.Sym, head = head[0], head[1:]
			if len(head) > 0 && head[0] == "<>" {
				head = head[1:]
			}
		}
		if len(head) > 0 {
			// An offset may begin with a group in parentheses: $(A+B)(R1).
			v, err := evaluate(head)
			if err != nil {
				return o, fmt.Errorf("%s: no offset", o.Text)
			}
			o.Imm = v
		}
		for len(rest) > 0 {
			group, after, ok := arguments(rest)
			if !ok || len(group) != 1 {
				return o, fmt.Errorf("%s: no address", o.Text)
			}
			g := group[0]
			if err := p.part(&o, g); err != nil {
				return o, err
			}
			rest = after
		}
		return o, nil
	}
	return o, fmt.Errorf("%s is no operand", o.Text)
}

func (p *assembler) part(o *Operand, g []string) error {
	if len(g) == 3 && g[1] == "*" {
		r, ok := p.arch.register(g[0])
		n, err := number(g[2])
		if !ok || err != nil || r.Shape != 'r' {
			return fmt.Errorf("unknown register %s", g[0])
		}
		o.Index, o.Scale = r.Index, n
		return nil
	}
	if len(g) != 1 {
		return fmt.Errorf("%s: no address", o.Text)
	}
	if g[0] == "SB" || g[0] == "FP" || g[0] == "SP" && o.Sym != "" {
		o.Pseudo = g[0]
		return nil
	}
	r, ok := p.arch.register(g[0])
	if !ok || r.Shape != 'r' {
		return fmt.Errorf("unknown register %s", g[0])
	}
	if o.Base >= 0 || o.Pseudo != "" {
		o.Index, o.Scale = r.Index, 1
	} else {
		o.Base = r.Index
	}
	return nil
}

func number(s string) (int64, error) {
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return v, nil
	}
	v, err := strconv.ParseUint(s, 0, 64)
	return int64(v), err
}

// evaluate computes a constant expression: the operators have Go's precedence.
func evaluate(t []string) (int64, error) {
	e := &expression{t: t}
	v := e.binary(0)
	if e.bad || len(e.t) > 0 {
		return 0, fmt.Errorf("%s is no constant", strings.Join(t, ""))
	}
	return v, nil
}

type expression struct {
	t   []string
	bad bool
}

var precedence = map[string]int{"|": 1, "^": 1, "+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "<<": 2, ">>": 2, "&": 2}

func (e *expression) binary(level int) int64 {
	if level == 3 {
		return e.unary()
	}
	v := e.binary(level + 1)
	for len(e.t) > 0 && precedence[e.t[0]] == level && level > 0 {
		op := e.t[0]
		e.t = e.t[1:]
		w := e.binary(level + 1)
		switch op {
		case "|":
			v |= w
		case "^":
			v ^= w
		case "+":
			v += w
		case "-":
			v -= w
		case "*":
			v *= w
		case "/", "%":
			if w == 0 {
				e.bad = true
			} else if op == "/" {
				v /= w
			} else {
				v %= w
			}
		case "<<":
			v <<= uint64(w)
		case ">>":
			v >>= uint64(w)
		case "&":
			v &= w
		}
	}
	return v
}

func (e *expression) unary() int64 {
	if len(e.t) == 0 {
		e.bad = true
		return 0
	}
	s := e.t[0]
	e.t = e.t[1:]
	switch s {
	case "-":
		return -e.unary()
	case "~":
		return ^e.unary()
	case "+":
		return e.unary()
	case "(":
		v := e.binary(0)
		if len(e.t) == 0 || e.t[0] != ")" {
			e.bad = true
			return 0
		}
		e.t = e.t[1:]
		return v
	}
	v, err := number(s)
	if err != nil {
		e.bad = true
	}
	return v
}
