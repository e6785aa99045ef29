package machine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cipherlane/cipherlane/internal/machine/native"
)

// This file compares the table of arm64 with qemu. Lines of assembly are made from the forms of the
// table, so that each line of it, each arrangement and each kind of operand is there, and some are
// put into a program together. Each program runs from many states.

// base and index are the registers that lines use for addresses.
const base, index = 25, 26

// A testLine is an instruction, perhaps with a label.
type testLine struct {
	text   string
	flags  bool // it sets the flags
	memory bool
	far    bool // from the base of the address
}

// lines makes lines of assembly.
type lines struct {
	*rand.Rand
	list   []testLine
	labels int
	next   int // the next destination

	// Of the line that is made:
	name   string
	width  int
	of     string // T
	count  int    // among those of its form
	dest   int
	number int64
	form   string
	used   []int // registers that it reads
	length int   // of its list of vectors
	suffix string
	line   testLine
}

// pick chooses a register to read, sometimes the destination or one that is read, too.
func (l *lines) pick(count int, usable []int) int {
	r := usable[l.IntN(len(usable))]
	switch l.IntN(6) {
	case 0:
		r = l.dest
	case 1:
		if len(l.used) > 0 {
			r = l.used[l.IntN(len(l.used))]
		}
	}
	l.used = append(l.used, r)
	return r
}

var ordinary = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24}

func vectorNumbers() (list []int) {
	for i := range 32 {
		list = append(list, i)
	}
	return list
}

func (l *lines) general(name byte) string {
	if name == 'd' || strings.HasPrefix(l.form, "[]") {
		if l.dest < 0 {
			l.dest = ordinary[l.next%len(ordinary)]
			l.next++
		}
		return fmt.Sprint("R", l.dest)
	}
	if l.IntN(10) == 0 && !strings.ContainsAny(l.form, "$[(") {
		return "ZR"
	}
	return fmt.Sprint("R", l.pick(24, ordinary))
}

func (l *lines) vector(name byte) int {
	if name == 'd' || strings.HasPrefix(l.form, "[]") {
		return l.dest
	}
	return l.pick(32, vectorNumbers())
}

// lists of registers follow each other.
func (l *lines) vectors(n int) (list []int) {
	first := l.IntN(33 - n)
	if strings.HasPrefix(l.form, "[]") {
		first, l.next = l.next%(33-n), l.next+n
	}
	for i := range n {
		list = append(list, first+i)
	}
	return list
}

var numbers = []int64{0, 1, 2, 8, 64, 255, 4095, 4096, 0xabc000, 0x123456, -1, -4095, -4096, 1 << 31, 1<<32 - 1, 1 << 40, -1 << 63, 0x7fff_ffff_ffff_ffff, 0x0f0f_0f0f_0f0f_0f0f, 0x00ff_00ff_00ff_00ff, 0x5555_5555_5555_5555, 7, 15, 31, 63, -8, -16, 0xfffe}

// immediate returns a number for an operand.
func (l *lines) immediate(kind byte) int64 {
	size := arrangements[l.of][0]
	switch kind {
	case 'a', 'l', 'q':
		v := numbers[l.count%len(numbers)]
		if kind == 'q' && l.IntN(2) == 0 {
			v = int64(l.Uint64())
		}
		if l.width == 32 {
			v = int64(uint32(v))
		}
		if kind == 'l' && (v == 0 || v == -1 || l.width == 32 && v == 1<<32-1) {
			v = 6 // all zeros and all ones have no encoding
		}
		return v
	case 's':
		l.number = int64(l.count % l.width)
		return l.number
	case 'w':
		return 1 + int64(l.IntN(l.width-int(l.number)))
	case 'b', 'x':
		return int64(l.count % 64)
	case 'h':
		return int64(l.count % size)
	case 'r':
		return 1 + int64(l.count%size)
	case 'e':
		return int64(l.count % (arrangements[l.of][1] / 8))
	case 'i':
		return int64(l.count * 7 % 256)
	}
	panic("no such number: " + string(kind))
}

// place is an operand in memory, near the base if far is not wanted.
func (l *lines) place() string {
	l.line.memory = true
	if l.name[0] == 'V' {
		total := 0
		bits := arrangements[l.of]
		switch {
		case strings.HasSuffix(l.name, "R"):
			total = l.listed() * bits[0] / 8
		default:
			total = l.listed() * bits[1] / 8
		}
		switch l.count % 3 {
		case 0:
			return fmt.Sprintf("(R%d)", base)
		case 1:
			l.suffix = ".P"
			return fmt.Sprintf("%d(R%d)", total, base)
		}
		l.suffix = ".P"
		return fmt.Sprintf("(R%d)(R%d)", base, index)
	}
	pair := strings.Contains(l.form, "(")
	step := int64(1)
	if pair {
		step = map[string]int64{"LDP": 8, "STP": 8, "LDPW": 4, "STPW": 4, "FLDPQ": 16, "FSTPQ": 16, "FLDPD": 8, "FSTPD": 8}[l.name]
	}
	near := []int64{-32, -24, -16, -8, 8, 16, 24, 32}[l.IntN(8)]
	if pair {
		near = []int64{-2, -1, 1, 2}[l.IntN(4)] * step
	}
	switch l.count % 6 {
	case 0:
		return fmt.Sprintf("(R%d)", base)
	case 1:
		l.suffix = ".P"
		return fmt.Sprintf("%d(R%d)", near, base)
	case 2:
		l.suffix = ".W"
		return fmt.Sprintf("%d(R%d)", near, base)
	case 3:
		if !pair && l.name[0] == 'M' {
			return fmt.Sprintf("(R%d)(R%d)", base, index)
		}
	case 4:
		l.line.far = true
		far := []int64{-256, 255, 256, 504, 1008, 1024, 4088, -1024, 4095, -512, 7, -5, 2000}[l.IntN(13)]
		if pair {
			far = far / step * step
		}
		return fmt.Sprintf("%d(R%d)", far, base)
	}
	return fmt.Sprintf("%d(R%d)", near, base)
}

// listed is the number of vectors of the list, which comes with the first use.
func (l *lines) listed() int {
	if l.length == 0 {
		n := 1 + l.count/3%4
		if _, count, ok := strings.Cut(l.form, "}"); ok && count != "" && count[0] >= '1' && count[0] <= '4' {
			n = int(count[0] - '0')
		}
		l.length = n
	}
	return l.length
}

// operand makes one.
func (l *lines) operand(f string) string {
	f = strings.TrimSuffix(f, "?")
	switch {
	case f == "cond":
		list := slices.Sorted(maps.Keys(Conditions))
		return list[l.count%len(list)]
	case f == "label":
		return fmt.Sprint("L", l.labels)
	case f == "[]":
		return l.place()
	case f[0] == '$':
		v := l.immediate(f[1])
		if v < 0 {
			return fmt.Sprintf("$-0x%x", uint64(-v))
		}
		return fmt.Sprintf("$0x%x", v)
	case f[0] == '(':
		list := l.vectors(2)
		if f[1] == 'R' {
			list = []int{ordinary[list[0]%len(ordinary)], ordinary[(list[0]+1+l.IntN(8))%len(ordinary)]}
			if !strings.HasPrefix(l.form, "[]") && l.IntN(5) == 0 {
				return fmt.Sprintf("(ZR, R%d)", list[0])
			}
		} else if !strings.HasPrefix(l.form, "[]") {
			list[1] = l.IntN(32)
		}
		return fmt.Sprintf("(%c%d, %c%d)", f[1], list[0], f[1], list[1])
	case f[0] == '{':
		_, a, _ := strings.Cut(f[:strings.IndexByte(f, '}')], ".")
		if a == "T" {
			a = l.of
		}
		var names []string
		for _, r := range l.vectors(l.listed()) {
			names = append(names, fmt.Sprintf("V%d.%s", r, a))
		}
		return "[" + strings.Join(names, ", ") + "]"
	case f[0] == 'R':
		r := l.general(f[1])
		ops := []string{"", "<<", ">>", "->", "@>"}
		switch f[2:] {
		case "":
			return r
		case "<":
			ops = ops[:4]
		}
		if shift := ops[l.count/2%len(ops)]; shift != "" && r != "ZR" {
			r += shift + fmt.Sprint(l.IntN(l.width))
		}
		return r
	case f[0] == 'F':
		return fmt.Sprint("F", l.vector(f[1]))
	case f[0] == 'V':
		_, a, _ := strings.Cut(f, ".")
		r := l.vector(f[1])
		element, lane := strings.CutSuffix(a, "[]")
		if !lane {
			switch a {
			case "":
				return fmt.Sprint("V", r)
			case "T", "2T":
				a = typed(a, l.of)
			}
			return fmt.Sprintf("V%d.%s", r, a)
		}
		if element == "T" {
			element = l.of[:1]
		}
		return fmt.Sprintf("V%d.%s[%d]", r, element, l.IntN(128/elements[element]))
	}
	panic("no such operand: " + f)
}

// setsFlags are prefixes of mnemonics that do.
var setsFlags = []string{"ADDS", "SUBS", "ADCS", "SBCS", "NEGS", "ANDS", "BICS", "CMP", "CMN", "TST"}

// make makes the lines of one form of one mnemonic.
func (l *lines) make(name string, width int, form, of string, count int) {
	forms := strings.Split(form, " ")
	for i := range count {
		l.name, l.width, l.form, l.of, l.count, l.suffix, l.used, l.length = name, width, form, of, i, "", nil, 0
		l.line = testLine{flags: slices.ContainsFunc(setsFlags, func(s string) bool { return strings.HasPrefix(name, s) })}
		l.dest = l.next % 32
		if strings.Contains(form, "R") {
			l.dest = ordinary[l.next%len(ordinary)]
		}
		l.next++
		var args []string
		for _, f := range forms {
			if strings.HasSuffix(f, "?") && i%2 == 1 {
				continue
			}
			args = append(args, l.operand(f))
		}
		text := "\t" + name + l.suffix + " " + strings.Join(args, ", ")
		if strings.HasSuffix(form, "label") {
			// What is branched over is seen.
			text += fmt.Sprintf("\n\tMOVD $%d, R%d\nL%d:", l.labels+1, ordinary[l.next%len(ordinary)], l.labels)
			l.labels++
			l.next++
		}
		l.line.text = text
		l.list = append(l.list, l.line)
	}
}

// encoded makes lines of an instruction that Go's assembler does not know, from one of a kernel:
// the places of registers are the same in all of them.
func (l *lines) encoded(in *Instruction, count int) {
	x, err := Arches["arm64"].decode(in)
	if err != nil {
		panic(err)
	}
	code := binary.LittleEndian.Uint32(in.Code)
	for range count {
		word, text := code, make([]string, len(in.Args))
		l.dest = l.next % 32
		l.next++
		for name, at := range map[byte]int{'d': 0, 'n': 5, 'a': 10, 'm': 16} {
			o := x.ops[name]
			if o == nil {
				continue
			}
			r := l.vector(name)
			if o.Lane && o.Arrangement == "H" {
				r %= 16 // the fifth bit belongs to the lane
				word &^= 0xf << at
			} else {
				word &^= 0x1f << at
			}
			word |= uint32(r) << at
			for i := range in.Args {
				if &in.Args[i] == o {
					text[i] = fmt.Sprintf("V%d.%s", r, o.Arrangement)
					if o.Lane {
						text[i] += fmt.Sprintf("[%d]", o.LaneIndex)
					}
				}
			}
		}
		l.list = append(l.list, testLine{text: fmt.Sprintf("\tWORD $%#08x // %s %s", word, in.Op, strings.Join(text, ", "))})
	}
}

// encodings are those of instructions that Go's assembler does not know, by the classes of Arm's
// manual: the code for registers 0 and elements of 8 bits, and the forms of the table.
var encodings = []struct {
	name, form, of string
	code           uint32
}{
	{"VORN", "Vm.T Vn.T Vd.T", "B8 B16", 0x0ee01c00},
	{"VBIC", "Vm.T Vn.T Vd.T", "B8 B16", 0x0e601c00},
	{"VNOT", "Vn.T Vd.T", "B8 B16", 0x2e205800},
	{"VNEG", "Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", 0x2e20b800},
	{"VMUL", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4", 0x0e209c00},
	{"VMLA", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4", 0x0e209400},
	{"VMLS", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4", 0x2e209400},
	{"VCMGT", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", 0x0e203400},
	{"VCMGE", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", 0x0e203c00},
	{"VCMHI", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", 0x2e203400},
	{"VCMHS", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", 0x2e203c00},
	{"VUMULL", "Vm.T Vn.T Vd.2T", "B8 H4 S2", 0x2e20c000},
	{"VUMULL2", "Vm.T Vn.T Vd.2T", "B16 H8 S4", 0x2e20c000},
	{"VUMLAL", "Vm.T Vn.T Vd.2T", "B8 H4 S2", 0x2e208000},
	{"VUMLAL2", "Vm.T Vn.T Vd.2T", "B16 H8 S4", 0x2e208000},
	{"VXTN", "Vn.T Vd.hT", "H8 S4 D2", 0x0e212800},
	{"VXTN2", "Vn.T Vd.hT2", "H8 S4 D2", 0x0e212800},
	{"VSHRN", "$k Vn.T Vd.hT", "H8 S4 D2", 0x0f008400},
	{"VSHRN2", "$k Vn.T Vd.hT2", "H8 S4 D2", 0x0f008400},
	{"VSSHR", "$r Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", 0x0f000400},
}

// encodeAll makes lines of them.
func (l *lines) encodeAll(count int) {
	for _, e := range encodings {
		for _, of := range strings.Fields(e.of) {
			for range count {
				size, total := arrangements[of][0], arrangements[of][1]
				code := e.code
				if strings.Contains(e.form, ".h") {
					// The class has the elements and the half of the result.
					size, total = size/2, 64
				}
				if total == 128 || e.name[len(e.name)-1] == '2' {
					code |= 1 << 30
				}
				l.dest = l.next % 32
				l.next++
				var args []string
				for _, f := range strings.Fields(e.form) {
					if f[0] == '$' {
						by := 1 + l.IntN(size)
						code |= uint32(2*size-by) << 16
						args = append(args, fmt.Sprint("$", by))
						continue
					}
					r := l.vector(f[1])
					code |= uint32(r) << map[byte]int{'d': 0, 'n': 5, 'm': 16}[f[1]]
					args = append(args, fmt.Sprintf("V%d.%s", r, typed(f[3:], of)))
				}
				if !strings.Contains(e.form, "$") && !slices.Contains([]string{"VORN", "VBIC", "VNOT"}, e.name) {
					code |= uint32(bits.TrailingZeros(uint(size/8))) << 22
				}
				l.list = append(l.list, testLine{text: fmt.Sprintf("\tWORD $%#08x // %s %s", code, e.name, strings.Join(args, ", "))})
			}
		}
	}
}

// typed is the type of a vector in a form, for one T.
func typed(form, of string) string {
	size, total := arrangements[of][0], arrangements[of][1]
	switch form {
	case "2T":
		size, total = 2*size, 128
	case "hT":
		size, total = size/2, 64
	case "hT2":
		size, total = size/2, 128
	}
	for name, a := range arrangements {
		if a == [2]int{size, total} {
			return name
		}
	}
	panic("no such type: " + form + " of " + of)
}

// key names the form of an instruction: all but the numbers of registers, and other numbers.
func key(in *Instruction) string {
	s := in.Op
	for _, x := range in.Suffix {
		s += "." + x
	}
	for i := range in.Args {
		o := &in.Args[i]
		s += " "
		switch o.Kind {
		case KindReg:
			s += string(o.Shape) + o.Arrangement + o.Shift
			if o.Lane {
				s += "[]"
			}
		case KindList:
			for j := range o.List {
				s += "," + string(o.List[j].Shape) + o.List[j].Arrangement
			}
		case KindMem, KindAddr:
			s += "(" + o.Pseudo
			if o.Index >= 0 {
				s += "+index"
			} else if o.Imm != 0 && o.Pseudo == "" {
				s += "+number"
			}
			s += ")"
		case KindName:
			s += "condition"
		case KindImm:
			s += "$"
		case KindLabel:
			s += "label"
		}
	}
	return s
}

// kernelInstructions are those of all kernels of an architecture.
func kernelInstructions(arch string) (list []*Instruction, err error) {
	for _, glob := range []string{"../../[^.]*/internal/", "../*/internal/"} {
		paths, err := filepath.Glob(glob + arch + "/*.s")
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			s, err := Parse(Arches[arch], filepath.Dir(path), path)
			if err != nil || len(s.Problems) > 0 {
				return nil, fmt.Errorf("%s: %w %v", path, err, s.Problems)
			}
			for _, f := range s.Functions {
				for i := range f.Code {
					list = append(list, &f.Code[i])
				}
			}
		}
	}
	if len(list) < 10000 {
		return nil, fmt.Errorf("kernels are missing: there are %d instructions", len(list))
	}
	return list, nil
}

// comparison is what all tests of this file use: programs, and states before and behind them.
type comparison struct {
	cpu       *native.CPU
	variant   string // of the CPU, or empty
	programs  []*Function
	texts     []string
	jobs      []native.Job
	after     []native.State
	ofProgram [][]int // jobs
	machine   *Machine
	keys      map[string]int // operand sets of a form
	lacks     map[string]bool
	prepared  map[*native.State]*preparedState
}

// key is that of an instruction. On amd64 all places in memory are equal: none belongs to a kind of
// instruction.
func (c *comparison) key(in *Instruction) string {
	if c.cpu.Name == "amd64" {
		return anyPlace.ReplaceAllString(key(in), "memory")
	}
	return key(in)
}

var anyPlace = regexp.MustCompile(`\([+A-Za-z]*\)`)

func (c *comparison) prepare(states int) error {
	l := &lines{Rand: rand.New(rand.NewPCG(1, 2))}
	encoded := map[string]bool{}
	list, err := kernelInstructions("arm64")
	if err != nil {
		return err
	}
	for _, in := range list {
		if len(in.Code) > 0 {
			k := key(in)
			if in.Args[0].Lane {
				k += fmt.Sprint(in.Args[0].LaneIndex)
			}
			if !encoded[k] {
				encoded[k], encoded[in.Op] = true, true
				l.encoded(in, 16)
			}
		}
	}
	l.encodeAll(12)
	for _, e := range encodings {
		encoded[e.name] = true
	}
	for i := range arm64Semantics {
		s := &arm64Semantics[i]
		for _, name := range strings.Fields(s.names) {
			name, both := strings.CutSuffix(name, "*")
			if encoded[name] {
				continue
			}
			for _, form := range strings.Split(s.forms, " | ") {
				if strings.Contains(form, "&") {
					continue // the address of a symbol or of the frame
				}
				list := strings.Fields(s.of)
				if len(list) == 0 {
					list = []string{""}
				}
				if strings.Contains(form, "T[]") && s.of == "" {
					list = []string{"B16", "H8", "S4", "D2"}
				}
				for _, of := range list {
					count := 12
					switch { // 12 of each form
					case form == "label":
						count *= 4
					case strings.Contains(form, "cond"):
						count = 4 * len(Conditions)
					case strings.Contains(form, "{Vt.T} ") || strings.HasSuffix(form, "{Vt.T}"):
						count *= 3 * 4
					case strings.Contains(form, "{Vt"):
						count *= 3
					case strings.Contains(form, "{"):
						count *= 4
					case strings.Contains(form, "[]") && !strings.Contains(form, "T[]"):
						count *= 6
					case strings.ContainsAny(form, "@<"):
						count *= 10
					case strings.Contains(form, "$"):
						count = 64
					case strings.Contains(form, "?"):
						count *= 2
					}
					l.make(name, 64, form, of, count)
					if both {
						l.make(name+"W", 32, form, of, count)
					}
				}
			}
		}
	}
	return c.assemble(l, states)
}

// assemble puts lines into programs and runs them.
func (c *comparison) assemble(l *lines, states int) error {
	l.Shuffle(len(l.list), func(i, j int) { l.list[i], l.list[j] = l.list[j], l.list[i] })
	// A program has one line that sets flags, the last of those that are seen, and two with memory.
	type program struct {
		lines         []string
		flags, memory int
		far           bool
	}
	var programs []*program
	open := []*program{}
	for _, line := range l.list {
		i := slices.IndexFunc(open, func(p *program) bool {
			return len(p.lines) < 24 && (!line.flags || p.flags == 0) && (!line.memory || p.memory < 4 || line.far) && line.far == p.far
		})
		if i < 0 {
			if len(open) > 40 {
				open = open[1:]
			}
			i = len(open)
			open = append(open, &program{far: line.far})
			programs = append(programs, open[i])
		}
		p := open[i]
		p.lines = append(p.lines, line.text)
		if line.flags {
			p.flags++
		}
		if line.memory {
			p.memory++
		}
	}
	var texts []string
	for _, p := range programs {
		texts = append(texts, strings.Join(p.lines, "\n"))
	}
	var pools [3][]*native.State
	for range states {
		pools[0] = append(pools[0], randomState(l.Rand, false, false))
		pools[1] = append(pools[1], randomState(l.Rand, true, false))
		pools[2] = append(pools[2], randomState(l.Rand, true, true))
	}
	return c.execute(texts, func(program int) []*native.State {
		switch p := programs[program]; {
		case p.far:
			return pools[2]
		case p.memory > 0:
			return pools[1]
		}
		return pools[0]
	})
}

// readPrograms reads programs, and returns a machine for them.
func readPrograms(arch *Arch, texts []string) (*Machine, []*Function, error) {
	var text strings.Builder
	for i, t := range texts {
		fmt.Fprintf(&text, "TEXT ·p%d(SB), NOSPLIT, $0-0\n%s\n\tRET\n", i, t)
	}
	dir, err := os.MkdirTemp("", "machine")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	name := "programs_" + arch.Name + ".s"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text.String()), 0o666); err != nil {
		return nil, nil, err
	}
	source, err := Parse(arch, dir, name)
	if err != nil {
		return nil, nil, err
	}
	m, err := New(arch, source, "p0", Concrete{})
	return m, source.Functions, err
}

// execute runs programs from states, which several programs may share.
func (c *comparison) execute(texts []string, states func(program int) []*native.State) error {
	arch := Arches[c.cpu.Name]
	c.texts = texts
	var err error
	if c.machine, c.programs, err = readPrograms(arch, texts); err != nil {
		return err
	}
	if c.variant == "" {
		c.variant = arch.Name
	}
	runner, err := native.Build(c.variant, texts)
	if err != nil {
		return err
	}
	defer runner.Close()
	c.keys, c.prepared = map[string]int{}, map[*native.State]*preparedState{}
	for i := range texts {
		var jobs []int
		for _, s := range states(i) {
			jobs = append(jobs, len(c.jobs))
			c.jobs = append(c.jobs, native.Job{Program: i, State: s})
			if c.prepared[s] == nil {
				c.prepared[s] = c.prepareState(s)
			}
		}
		c.ofProgram = append(c.ofProgram, jobs)
		for j := range c.programs[i].Code {
			c.keys[c.key(&c.programs[i].Code[j])] += len(jobs)
		}
	}
	c.after, err = runner.Run(c.jobs)
	return err
}

// special is a number, often one on an edge.
func special(r *rand.Rand) uint64 {
	v := r.Uint64()
	switch r.IntN(12) {
	case 0:
		return 0
	case 1:
		return ^uint64(0)
	case 2:
		return 1 << 63
	case 3:
		return 1<<63 - 1
	case 4:
		return 1 << (v & 63)
	case 5:
		return ^(1 << (v & 63))
	case 6:
		return v & 0xffffffff
	case 7:
		return v | 0xffffffff<<32
	case 8:
		return uint64([]int64{1 << 31, 1<<31 - 1, 1<<32 - 1, 1 << 32, 1, 2, -2, 255}[v&7])
	case 9: // bytes on edges
		for i := 0; i < 64; i += 8 {
			v = v&^(0xff<<i) | uint64([]byte{0, 1, 0x7f, 0x80, 0xff, 15, 16, byte(v >> i)}[v>>i&7])<<i
		}
	}
	return v
}

func randomState(r *rand.Rand, memory, far bool) *native.State {
	s := &native.State{Flags: r.Uint64() & (0xf << 28)}
	for _, i := range ordinary {
		s.General[i] = special(r)
		if i > 0 && r.IntN(8) == 0 {
			s.General[i] = s.General[i-1]
		}
	}
	for i := range s.Vectors {
		binary.LittleEndian.PutUint64(s.Vectors[i][:], special(r))
		binary.LittleEndian.PutUint64(s.Vectors[i][8:], special(r))
		if i > 0 && r.IntN(8) == 0 {
			s.Vectors[i] = s.Vectors[i-1]
		}
	}
	if !memory {
		return s
	}
	s.Memory, s.General[base] = make([]byte, 768), 256
	if far {
		s.Memory, s.General[base] = make([]byte, 8192), 2048
	}
	for i := 0; i < len(s.Memory); i += 8 {
		binary.LittleEndian.PutUint64(s.Memory[i:], special(r))
	}
	s.General[base] += uint64(r.IntN(16))
	s.General[index] = uint64(r.IntN(64))
	s.Addresses = 1 << base
	return s
}

// A preparedState has the bits of a state.
type preparedState struct {
	general, vectors [32]Word
	masks            [8]Word
}

func (c *comparison) prepareState(s *native.State) *preparedState {
	p := &preparedState{}
	for i := range p.general {
		p.general[i] = Constant(s.General[i], 64)
		for at := 0; at < c.cpu.VectorBytes; at += 8 {
			p.vectors[i] = append(p.vectors[i], Constant(binary.LittleEndian.Uint64(s.Vectors[i][at:]), 64)...)
		}
	}
	for i := range c.cpu.Masks {
		p.masks[i] = Constant(s.Masks[i], 64)
	}
	return p
}

// flags are those of the machine by their bits in a state.
func (c *comparison) flags() map[int]*flag {
	f := &c.machine.flags
	if c.cpu.Name == "amd64" {
		return map[int]*flag{11: &f.v, 7: &f.n, 6: &f.z, 2: &f.p, 0: &f.c}
	}
	return map[int]*flag{31: &f.n, 30: &f.z, 29: &f.c, 28: &f.v}
}

// defined returns a flag if its value is defined.
func defined(f *flag) (b Bit, ok bool) {
	defer func() {
		if _, unsupported := recover().(Unsupported); unsupported {
			ok = false
		}
	}()
	return f.get(), true
}

// start executes a program from a state, which may have memory.
func (c *comparison) start(program int, s *native.State, memory *Object) error {
	m := c.machine
	m.Function, m.PC, m.Steps = c.programs[program], 0, 0
	memory.data, memory.High = s.Memory, int64(len(s.Memory))
	p := c.prepared[s]
	for i := range m.R {
		if i == m.Arch.SP {
			continue
		}
		if m.R[i] = (Value{Bits: p.general[i]}); s.Addresses>>i&1 == 1 {
			m.R[i] = Address(memory, int64(s.General[i]))
		}
	}
	m.V, m.K, m.vectors = p.vectors, p.masks, vectorType{}
	for at, f := range c.flags() {
		*f = flag{bit: Bit(s.Flags >> at & 1)}
	}
	return m.Run(1000)
}

// run executes the program of a job and returns what differs.
func (c *comparison) run(job int) error {
	s, after, m := c.jobs[job].State, &c.after[job], c.machine
	if after.Fault {
		return errors.New("qemu faults")
	}
	memory := NewObject("memory", int64(len(s.Memory)))
	if err := c.start(c.jobs[job].Program, s, memory); err != nil {
		return err
	}
	general, vectors := c.prepared[s].general, c.prepared[s].vectors
	for i, v := range m.R {
		want := after.General[i]
		if i == scratch && v.empty() && c.cpu.Name == "arm64" {
			continue // the table says that the assembler may need it
		}
		if !slices.Contains(c.cpu.General, i) && i != scratch || v.Object == nil && &v.Bits[0] == &general[i][0] && want == s.General[i] {
			continue
		}
		got, ok := v.Bits.Constant()
		if v.Object != nil {
			got, ok = uint64(v.Offset), v.Object == memory && s.Addresses>>i&1 == 1
		}
		if !ok || got != want {
			return fmt.Errorf("R%d is %#x, not %#x", i, got, want)
		}
	}
	for i, v := range m.V {
		if &v[0] == &vectors[i][0] && after.Vectors[i] == s.Vectors[i] {
			continue
		}
		for at := 0; at < c.cpu.VectorBytes; at += 8 {
			want := binary.LittleEndian.Uint64(after.Vectors[i][at:])
			got, ok := eitherOf(v[8*at:8*at+64], binary.LittleEndian.Uint64(s.Vectors[i][at:]), want).Constant()
			if !ok || got != want {
				return fmt.Errorf("V%d has %#016x at %d, not %#016x", i, got, at, want)
			}
		}
	}
	for i := range c.cpu.Masks {
		if got, ok := m.K[i].Constant(); !ok || got != after.Masks[i] {
			return fmt.Errorf("K%d is %#x, not %#x", i, got, after.Masks[i])
		}
	}
	for at, f := range c.flags() {
		if got, ok := defined(f); ok && got != Bit(after.Flags>>at&1) {
			return fmt.Errorf("the flag in bit %d is %d", at, got)
		}
	}
	changed := map[int64]bool{}
	for _, at := range memory.Written() {
		changed[at] = true
	}
	for i, want := range after.Memory {
		if want == s.Memory[i] && !changed[int64(i)] {
			continue
		}
		if got, ok := memory.Bits(Concrete{}, int64(i), 1).Constant(); !ok || byte(got) != want {
			return fmt.Errorf("byte %d of the memory is %#x, not %#x", i, got, want)
		}
	}
	return nil
}

// eitherOf has the bits of a word, and of those of riscv64 that stay or become 1 what they are.
func eitherOf(w Word, old, now uint64) Word {
	if !slices.Contains(w, agnostic) {
		return w
	}
	w = slices.Clone(w)
	for i, b := range w {
		if b == agnostic {
			w[i] = Bit((old|now)>>i) & 1 // it is 0 only if it was, and stays
		}
	}
	return w
}

// compared is the comparison that tests share.
var compared = sync.OnceValues(func() (*comparison, error) {
	c := &comparison{cpu: native.CPUs["arm64"]}
	states := 130
	if testing.Short() {
		states = 10
	}
	return c, c.prepare(states)
})

func compareWithQEMU(t *testing.T) *comparison {
	c, err := compared()
	if errors.Is(err, native.ErrMissing) && os.Getenv("CIPHERLANE_REQUIRE") == "" {
		t.Skip("no comparison with qemu: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	return c
}

// Every form of every line of the table, and every form of the kernels, computes what qemu does.
func TestAgainstQEMU(t *testing.T) { compareWithQEMU(t).test(t) }

// test runs all programs, and looks for forms of the kernels in them.
func (c *comparison) test(t *testing.T) {
	bad := 0
	for i, jobs := range c.ofProgram {
		for _, job := range jobs {
			if err := c.run(job); err != nil {
				t.Errorf("%v, behind\n%s", err, c.texts[i])
				if bad++; bad > 10 {
					t.Fatal("and more")
				}
				break
			}
		}
	}
	sets, fewest, which := 0, 1<<30, ""
	for k, n := range c.keys {
		if sets += n; n < fewest {
			fewest, which = n, k
		}
	}
	t.Logf("%d forms, %d operand sets; the fewest, %d, of %s", len(c.keys), sets, fewest, which)
	list, err := kernelInstructions(c.cpu.Name)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range list {
		// The places of arguments, of the frame and of data are not the CPU's business.
		if k := c.key(in); c.keys[k] == 0 && in.Op != "RET" && !c.lacks[in.Op] && !strings.Contains(k, "(FP)") && !strings.Contains(k, "(SP)") && !strings.Contains(k, "(SB)") {
			t.Errorf("%s:%d: %s is not compared", in.File, in.Line, in.Text)
			c.keys[k] = 1
		}
	}
}

// found reports whether the comparison finds a line of the table that is replaced.
func (c *comparison) found(op string, do func(x *step)) bool {
	c.machine.replace = map[string]func(*step){op: do}
	clear(c.machine.decoded)
	defer func() {
		c.machine.replace = nil
		clear(c.machine.decoded)
	}()
	for i, f := range c.programs {
		if !slices.ContainsFunc(f.Code, func(in Instruction) bool { return in.Op == op }) {
			continue
		}
		for _, job := range c.ofProgram[i] {
			if c.run(job) != nil {
				return true
			}
		}
	}
	return false
}

// Each line is compared: if it does nothing, that is found.
func TestEachLineIsCompared(t *testing.T) {
	c := compareWithQEMU(t)
	for op := range Arches["arm64"].semantics.lines {
		if !c.found(op, func(*step) {}) {
			t.Errorf("%s does nothing, and nothing is found", op)
		}
	}
}

// arm64Line is what the table says of an instruction.
func arm64Line(op string) func(*step) { return Arches["arm64"].semantics.lines[op][0].do }

// Mistakes that tables have are found.
func TestPlantedLines(t *testing.T) {
	c := compareWithQEMU(t)
	// other is what another line does.
	other := func(op string) func(*step) {
		return func(x *step) {
			x.name = op
			arm64Line(op)(x)
		}
	}
	// swapped exchanges two operands.
	swapped := func(op string, a, b byte) func(*step) {
		return func(x *step) {
			y := *x
			y.ops[a], y.ops[b] = x.ops[b], x.ops[a]
			arm64Line(op)(&y)
		}
	}
	// behind changes something afterwards.
	behind := func(op string, f func(x *step, before Machine)) func(*step) {
		return func(x *step) {
			before := *x.Machine
			arm64Line(op)(x)
			f(x, before)
		}
	}
	for name, plant := range map[string]struct {
		op string
		do func(*step)
	}{
		"a difference for a sum":           {"VADD", other("VSUB")},
		"the carry is not added":           {"ADCS", other("ADDS")},
		"the carry of a difference":        {"SUBS", behind("SUBS", func(x *step, _ Machine) { x.flags.c = flag{bit: x.flags.c.get() ^ 1} })},
		"the overflow is 0":                {"ADDS", behind("ADDS", func(x *step, _ Machine) { x.flags.v = flag{bit: Zero} })},
		"the overflow of 32 bits":          {"CMPW", behind("CMPW", func(x *step, _ Machine) { x.flags.v = flag{bit: Zero} })},
		"flags that stay":                  {"ANDS", behind("ANDS", func(x *step, m Machine) { x.flags.c = m.flags.c })},
		"the sign for zero":                {"TST", behind("TST", func(x *step, _ Machine) { x.flags.z = x.flags.n })},
		"the upper half stays":             {"ADDW", behind("ADDW", func(x *step, m Machine) { x.keep(m, 32) })},
		"the upper half of a vector stays": {"FMOVD", behind("FMOVD", func(x *step, m Machine) { x.keepVector(m) })},
		"the same of 64 bits":              {"VEXT", behind("VEXT", func(x *step, m Machine) { x.keepVector(m) })},
		"the order of two operands":        {"EXTR", swapped("EXTR", 'n', 'm')},
		"of a difference":                  {"SBC", swapped("SBC", 'n', 'm')},
		"of a choice":                      {"CSEL", swapped("CSEL", 'n', 'm')},
		"of vectors":                       {"VTRN1", swapped("VTRN1", 'n', 'm')},
		"of bytes":                         {"VEXT", swapped("VEXT", 'n', 'm')},
		"of a mask":                        {"VBSL", swapped("VBSL", 'n', 'm')},
		"of BCAX":                          {"VBCAX", swapped("VBCAX", 'a', 'm')},
		"of RAX1":                          {"VRAX1", swapped("VRAX1", 'n', 'm')},
		"a factor for the sum":             {"MADD", swapped("MADD", 'a', 'm')},
		"a rotation to the left":           {"ROR", func(x *step) { x.set('d', x.word('n').RotateLeft(x.distance())) }},
		"a shift without sign":             {"ASR", other("LSR")},
		"a field without sign":             {"SBFX", other("UBFX")},
		"a load without sign":              {"MOVW", other("MOVWU")},
		"a load with sign":                 {"MOVHU", other("MOVH")},
		"the low half of a product":        {"UMULH", other("MUL")},
		"a product without sign":           {"SMULH", other("UMULH")},
		"the other half":                   {"VPMULL2", func(x *step) { x.polynomials(x.vector('n')[:64], x.vector('m')[:64]) }},
		"the other elements":               {"VUZP2", other("VUZP1")},
		"the other condition":              {"BHI", func(x *step) { x.branch(x.in, x.condition("hs")) }},
		"greater or equal":                 {"BGT", func(x *step) { x.branch(x.in, x.condition("ge")) }},
		"the old bits are lost":            {"VSRI", other("VUSHR")},
		"one bit too many":                 {"VUSHR", elementwise1(func(x *step, n Word) Word { return n.Right(x.imm('r') + 1) })},
		"a mask the other way round":       {"VBIF", other("VBIT")},
		"no accumulation":                  {"VMLA", vector3(func(x *step, n, m Word) Word { return n })},
		"indices outside give 0":           {"VTBX", func(x *step) { x.name = "VTBL"; x.lookUp(Constant(0, x.total)) }},
		"registers do not alternate":       {"VLD4", func(x *step) { x.structures(1, false) }},
		"the base does not move":           {"VST1", behind("VST1", func(x *step, m Machine) { x.R[base] = m.R[base] })},
		"the base of a pair":               {"LDP", behind("LDP", func(x *step, m Machine) { x.R[base] = m.R[base] })},
		"the wrong place":                  {"MOVD", func(x *step) { y := *x; y.in = withoutSuffix(x.in); arm64Line("MOVD")(&y) }},
		"the assembler's register stays":   {"ANDS", behind("ANDS", func(x *step, m Machine) { x.R[scratch] = m.R[scratch] })},
		"rows shifted the other way": {"AESE", func(x *step) {
			x.setVector('d', x.substitute(aesShiftRows(x.xor(x.vector('d'), x.vector('n')), -1), aesBox))
		}},
		"one entry of the S-box": {"AESD", func(x *step) {
			x.setVector('d', x.substitute(aesShiftRows(x.xor(x.vector('d'), x.vector('n')), -1), mistaken(aesInverse)))
		}},
		"one entry of SM4's": {"SM4E", func(x *step) {
			right := sm4Box
			sm4Box = mistaken(right)
			arm64Line("SM4E")(x)
			sm4Box = right
		}},
		"columns mixed the other way": {"AESMC", func(x *step) { x.mixColumns([4]uint{2, 1, 1, 3}) }},
		"the other matrix":            {"AESIMC", func(x *step) { x.mixColumns([4]uint{14, 9, 13, 11}) }},
		"L for L'":                    {"SM4EKEY", func(x *step) { x.setVector('d', x.sm4Rounds(x.vector('n'), x.vector('m'), 2, 10, 18, 24)) }},
		"the other function":          {"SM3TT1B", func(x *step) { x.name = "SM3TT1A"; sm3tt1(x) }},
		"the other rotation":          {"SM3TT2A", func(x *step) { x.name = "SM3TT1A"; sm3tt1(x) }},
		"the last word of SM3PARTW1":  {"SM3PARTW1", behind("SM3PARTW1", func(x *step, m Machine) { v := x.vector('d'); x.setVector('d', Join(v[:96], v[:32])) })},
	} {
		if !c.found(plant.op, plant.do) {
			t.Errorf("%s, of %s, is not found", name, plant.op)
		}
	}
}

// keep restores what was in a general register from a bit on.
func (x *step) keep(before Machine, from int) {
	d := x.ops['d'].Reg
	if d != before.Arch.Zero {
		x.R[d].Bits = Join(x.R[d].Bits[:from], before.R[d].Bits[from:])
	}
}

// keepVector restores the upper half of a vector.
func (x *step) keepVector(before Machine) {
	if o := x.ops['d']; o != nil && o.Shape == 'v' && x.total != 128 {
		x.V[o.Reg] = Join(x.V[o.Reg][:64], before.V[o.Reg][64:])
	}
}

func elementwise1(f func(x *step, n Word) Word) func(*step) {
	return func(x *step) {
		x.setVector('d', x.lanes(x.size, func(w Word) Word { return f(x, w) }, x.vector('n')))
	}
}

func withoutSuffix(in *Instruction) *Instruction {
	out := *in
	out.Suffix = nil
	return &out
}

func mistaken(box []uint64) []uint64 {
	out := slices.Clone(box)
	out[0xa7] ^= 0x10
	return out
}
