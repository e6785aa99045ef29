package ctcheck

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

// A kind of operand.
type kind uint8

const (
	kindReg   kind = iota // reg, perhaps with a lane or a shift
	kindImm               // imm
	kindAddr              // $mem: an address
	kindMem               // a place in memory
	kindList              // registers in brackets or parentheses
	kindLabel             // a target of a branch
	kindName              // a word that is no register, as RISC-V's E32
)

// An operand is one operand of an instruction.
type operand struct {
	kind     kind
	text     string
	reg      int // kindReg; an index into the registers of the architecture
	shape    byte
	lane     bool // one element of a vector
	shift    bool // shifted by a constant
	shiftReg int  // register with the distance of a shift, or -1
	imm      int64

	// An address: sym+imm(pseudo)(base)(index*scale). Registers may be -1.
	sym    string
	pseudo string // SB, FP, or SP behind a name
	base   int
	index  int
	scale  int64

	list []operand
}

// An instruction of a function, after macros.
type instruction struct {
	op     string
	suffix []string // what follows dots: ".Z" of AVX-512, ".P" of ARM
	args   []operand
	label  string // for kindLabel, the target
	target int
	file   string
	line   int
	text   string
	allow  *Exception
	code   []byte // of an instruction that is written as data
	macro  bool   // it is a macro that makes a word
	spec   *spec
}

// A function is a TEXT symbol.
type function struct {
	name   string
	file   string
	line   int
	frame  int64
	code   []instruction
	labels map[string]int
}

// A source is a parsed file of assembly.
type source struct {
	path      string
	functions []*function
	problems  []Finding
	data      map[string][]byte
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
	arch     *arch
	dir      string
	path     string // as it is printed
	line     int
	macros   map[string]macro
	comments []string // since the last statement
	same     string   // the comment behind the statement
	source   *source
	f        *function
	pending  *instruction // data that has not ended
	skip     []bool       // for #ifdef
	exempt   *Exception
	wide     *Exception // of more instructions
	more     int
}

var (
	allowComment = regexp.MustCompile(`^ct:allow ([a-z]+(?:,[a-z]+)*)(?: x(\d+))?: (.+)$`)
	instrComment = regexp.MustCompile(`^[A-Z][A-Z0-9.]+( .*)?$`)
)

// parse reads the assembly of a file. Its problems are findings.
func parse(a *arch, dir, path string) (*source, error) {
	p := &assembler{arch: a, dir: dir, path: path, macros: map[string]macro{}, source: &source{path: path, data: map[string][]byte{}}}
	text, err := os.ReadFile(filepath.Join(dir, filepath.Base(path)))
	if err != nil {
		return nil, err
	}
	p.text(string(text), true)
	p.flush()
	for _, f := range p.source.functions {
		for i := range f.code {
			in := &f.code[i]
			if in.label == "" {
				continue
			}
			to, ok := f.labels[in.label]
			if !ok {
				p.source.problems = append(p.source.problems, Finding{File: path, Line: in.line, Kernel: f.name, Kind: "unknown", Text: "there is no label " + in.label})
			}
			in.target = to
		}
	}
	return p.source, nil
}

func (p *assembler) problem(format string, args ...any) {
	name := ""
	if p.f != nil {
		name = p.f.name
	}
	p.source.problems = append(p.source.problems, Finding{File: p.path, Line: p.line, Kernel: name, Kind: "unknown", Text: fmt.Sprintf(format, args...)})
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
			p.same, p.exempt = comment, nil
			if p.more > 0 {
				p.exempt = p.wide
				p.more--
			}
			for _, c := range append(p.comments, comment) {
				if m := allowComment.FindStringSubmatch(c); m != nil {
					p.exempt = &Exception{File: p.path, Line: p.line, Kinds: strings.Split(m[1], ","), Reason: m[3], Text: strings.TrimSpace(statement)}
					if p.more, _ = strconv.Atoi(m[2]); p.more > 0 {
						p.more--
					}
					p.wide = p.exempt
				} else if strings.HasPrefix(c, "ct:") {
					p.problem("%q is no directive", c)
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
		if t[1] == "GOARCH_"+p.arch.name {
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
				if _, ok := p.f.labels[t[0]]; ok {
					p.problem("the label %s is there twice", t[0])
				}
				p.f.labels[t[0]] = len(p.f.code)
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
		p.f.code = append(p.f.code, *p.pending)
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
	p.f.code = append(p.f.code, in)
}

// bytes adds data to an instruction, or begins one with the mnemonic of the comment.
func (p *assembler) bytes(t, name []string) {
	size := map[string]int{"BYTE": 1, "WORD": p.arch.word, "LONG": 4, "QUAD": 8}[t[0]]
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
		p.pending.code = append(p.pending.code, b[:size]...)
		return
	}
	p.flush()
	var in instruction
	if name != nil {
		in = p.make(strings.Join(name, " "))
		in.op, in.macro = name[0], true
		if in.args, err = p.arch.macroArgs(p, name); err != nil {
			p.problem("%s: %v", strings.Join(name, " "), err)
			return
		}
		in.code = b[:size]
		p.f.code = append(p.f.code, in)
		return
	}
	if in, err = p.instruction(tokens(mnemonic)); err != nil {
		p.problem("%s: %v", mnemonic, err)
		return
	}
	in.code = b[:size:size]
	p.pending = &in
}

func (p *assembler) make(text string) instruction {
	return instruction{file: p.path, line: p.line, text: text, allow: p.exempt}
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
	p.f = &function{name: name, file: p.path, line: p.line, labels: map[string]int{}}
	p.f.frame, _ = strconv.ParseInt(m[1], 10, 64)
	p.source.functions = append(p.source.functions, p.f)
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
	b := p.source.data[name]
	for int64(len(b)) < offset+size {
		b = append(b, 0)
	}
	var le [8]byte
	binary.LittleEndian.PutUint64(le[:], uint64(v))
	copy(b[offset:offset+size], le[:])
	p.source.data[name] = b
}

// instruction parses one.
func (p *assembler) instruction(t []string) (instruction, error) {
	in := p.make(strings.Join(t, " "))
	in.op = t[0]
	t = t[1:]
	for len(t) > 1 && t[0] == "." {
		in.suffix = append(in.suffix, t[1])
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
		o, err := p.operand(t[:end], p.arch.isBranch(in.op))
		if err != nil {
			return in, err
		}
		if o.kind == kindLabel {
			in.label = o.sym
		}
		in.args = append(in.args, o)
		t = t[end:]
		if len(t) > 0 {
			t = t[1:]
		}
	}
	return in, nil
}

func (p *assembler) operand(t []string, branch bool) (operand, error) {
	o := operand{text: strings.Join(t, ""), base: -1, index: -1, reg: -1, shiftReg: -1}
	if len(t) == 0 {
		return o, errors.New("an operand is missing")
	}
	if t[0] == "$" {
		if v, err := evaluate(t[1:]); err == nil {
			o.kind, o.imm = kindImm, v
			return o, nil
		}
		a, err := p.address(o, t[1:])
		a.kind = kindAddr
		return a, err
	}
	if t[0] == "[" || t[0] == "(" && len(t) > 3 && t[2] == "," {
		return p.list(o, t)
	}
	if r, ok := p.arch.register(t[0]); ok && (len(t) == 1 || t[1] != "(") {
		o.kind, o.reg, o.shape = kindReg, r.index, r.shape
		for i := 1; i < len(t); i++ {
			switch t[i] {
			case "<<", ">>", "->", "@>":
				o.shift = true
				if i+1 < len(t) {
					if r, ok := p.arch.register(t[i+1]); ok {
						o.shiftReg = r.index
					}
				}
				return o, nil
			case ".":
				i++
			case "[":
				o.lane = true
				return o, nil
			default:
				return o, fmt.Errorf("%s is no operand", o.text)
			}
		}
		return o, nil
	}
	if len(t) == 1 && branch && p.arch.isLabel(t[0]) {
		o.kind, o.sym = kindLabel, t[0]
		return o, nil
	}
	if len(t) == 1 && isWord([]rune(t[0])[0]) && !unicode.IsDigit([]rune(t[0])[0]) {
		if p.arch.names[t[0]] {
			o.kind, o.sym = kindName, t[0]
			return o, nil
		}
		return o, fmt.Errorf("unknown register %s", t[0])
	}
	if v, err := evaluate(t); err == nil && len(t) == 1 && p.arch.memNumber {
		o.kind, o.imm = kindImm, v
		return o, nil
	}
	o.kind = kindMem
	return p.address(o, t)
}

// list parses registers in brackets or parentheses.
func (p *assembler) list(o operand, t []string) (operand, error) {
	o.kind = kindList
	t = t[1 : len(t)-1]
	for i := 0; i < len(t); i++ {
		if t[i] == "," {
			continue
		}
		if t[i] == "." { // an arrangement
			i++
			continue
		}
		if t[i] == "[" && i+2 < len(t) { // a part of the register
			last := &o.list[len(o.list)-1]
			last.lane, last.text = true, last.text+".D["+t[i+1]+"]"
			i += 2
			continue
		}
		if t[i] == "-" {
			to, ok := p.arch.register(t[i+1])
			if !ok {
				return o, fmt.Errorf("unknown register %s", t[i+1])
			}
			from := o.list[len(o.list)-1]
			for r := from.reg + 1; r <= to.index; r++ {
				from.reg = r
				o.list = append(o.list, from)
			}
			i++
			continue
		}
		r, ok := p.arch.register(t[i])
		if !ok {
			return o, fmt.Errorf("unknown register %s", t[i])
		}
		o.list = append(o.list, operand{kind: kindReg, text: t[i], reg: r.index, shape: r.shape, base: -1, index: -1, shiftReg: -1})
	}
	return o, nil
}

// address parses sym<>+off(SB)(index*scale) and the like.
func (p *assembler) address(o operand, t []string) (operand, error) {
	for i, s := range t {
		if s != "(" {
			continue
		}
		head, rest := t[:i], t[i:]
		if len(head) > 0 && isWord([]rune(head[0])[0]) && !unicode.IsDigit([]rune(head[0])[0]) {
			o.sym, head = head[0], head[1:]
			if len(head) > 0 && head[0] == "<>" {
				head = head[1:]
			}
		}
		if len(head) > 0 {
			// An offset may begin with a group in parentheses: $(A+B)(R1).
			v, err := evaluate(head)
			if err != nil {
				return o, fmt.Errorf("%s: no offset", o.text)
			}
			o.imm = v
		}
		for len(rest) > 0 {
			group, after, ok := arguments(rest)
			if !ok || len(group) != 1 {
				return o, fmt.Errorf("%s: no address", o.text)
			}
			g := group[0]
			if err := p.part(&o, g); err != nil {
				return o, err
			}
			rest = after
		}
		return o, nil
	}
	return o, fmt.Errorf("%s is no operand", o.text)
}

func (p *assembler) part(o *operand, g []string) error {
	if len(g) == 3 && g[1] == "*" {
		r, ok := p.arch.register(g[0])
		n, err := number(g[2])
		if !ok || err != nil {
			return fmt.Errorf("unknown register %s", g[0])
		}
		o.index, o.scale = r.index, n
		return nil
	}
	if len(g) != 1 {
		return fmt.Errorf("%s: no address", o.text)
	}
	if g[0] == "SB" || g[0] == "FP" || g[0] == "SP" && o.sym != "" {
		o.pseudo = g[0]
		return nil
	}
	r, ok := p.arch.register(g[0])
	if !ok {
		return fmt.Errorf("unknown register %s", g[0])
	}
	if o.base >= 0 || o.pseudo != "" {
		o.index, o.scale = r.index, 1
	} else {
		o.base = r.index
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
