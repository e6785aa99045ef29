package machine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cipherlane/cipherlane/internal/machine/native"
)

// This file compares the table of amd64 with this CPU, if it has what the kernels need.

const x86Base, x86Index = 13, 12

var x86Names = strings.Fields("AX BX CX DX SI DI BP SP R8 R9 R10 R11 R12 R13 R14 R15")

var x86Ordinary = []int{0, 1, 2, 3, 4, 5, 8, 9, 10, 11}

// x86Lines makes lines of assembly.
type x86Lines struct {
	*rand.Rand
	labels int

	// Of the line that is made:
	line    line
	form    string
	shape   byte // T
	count   int
	memory  bool
	aligned bool
	suffix  string
}

func (l *x86Lines) general() string { return x86Names[x86Ordinary[l.IntN(len(x86Ordinary))]] }

func (l *x86Lines) place() string {
	at := fmt.Sprintf("(%s)", x86Names[x86Base])
	if strings.HasPrefix(l.line.name, "LEA") {
		at = fmt.Sprintf("(%s)", l.general()) // a number
	} else {
		l.memory = true
	}
	if l.aligned {
		return fmt.Sprint(64*l.IntN(4)) + at
	}
	switch l.IntN(4) {
	case 0:
		return at
	case 1:
		scale := []int{1, 2, 4, 8}[l.IntN(4)]
		if l.IntN(2) == 0 {
			at = fmt.Sprint(l.IntN(200)-100) + at
		}
		return at + fmt.Sprintf("(%s*%d)", x86Names[x86Index], scale)
	}
	return fmt.Sprint(l.IntN(400)-200) + at
}

func (l *x86Lines) vector(shape byte) string {
	n := 16
	if shape == 'Z' {
		n = 32
	}
	return fmt.Sprintf("%c%d", shape, l.IntN(n))
}

func (l *x86Lines) immediate(name byte) string {
	switch base := l.line.name; {
	case name == 'i' && base[0] == 'P':
		return fmt.Sprintf("$%d", l.count*11%128)
	case name == 'i' || strings.HasPrefix(l.form, "$n Vm"):
		return fmt.Sprintf("$%d", (l.count*37+l.IntN(2)*l.IntN(256))%256)
	case base == "RCRQ":
		return "$1"
	case strings.HasPrefix(base, "SH") || strings.HasPrefix(base, "SA") || base == "ROL" || base == "ROR" || base == "RORX" || base == "BTRQ":
		return fmt.Sprintf("$%d", l.count*5%l.line.width)
	case l.line.width == 8:
		return fmt.Sprintf("$%d", l.IntN(128))
	case base == "MOV" && l.line.width == 64 && strings.HasSuffix(l.form, "Rd") && l.count%2 == 0:
		return fmt.Sprintf("$%d", int64(special(l.Rand)))
	}
	return fmt.Sprintf("$%d", []int64{0, 1, -1, 127, -128, 128, 255, 1<<31 - 1, -1 << 31, int64(int32(l.Uint32()))}[l.count%10])
}

func (l *x86Lines) operand(f string) string {
	switch f[0] {
	case 'l':
		return fmt.Sprint("L", l.labels)
	case '$':
		return l.immediate(f[1])
	case 'R':
		return l.general()
	case 'C':
		return "CX"
	case 'E':
		if l.count%3 == 0 {
			return l.place()
		}
		return l.general()
	case 'M':
		return l.place()
	case 'X', 'Y', 'Z':
		return l.vector(f[0])
	case 'x':
		if l.count%3 == 0 {
			return l.place()
		}
		return l.vector('X')
	case 'V':
		return l.vector(l.shape)
	case 'W':
		if l.count%3 == 0 {
			p := l.place()
			if l.line.size >= 32 && l.line.name != "VPMADDWD" && f[1] == 'm' && strings.Contains(l.form, "Kk") && l.count%2 == 0 && !strings.Contains(l.form, "Kk Vd") {
				l.suffix = ".BCST"
			}
			return p
		}
		return l.vector(l.shape)
	case 'K':
		if f[1] == 'k' {
			if strings.HasSuffix(l.form, "Vd") && l.count/12%2 == 1 {
				l.suffix += ".Z"
			}
			return fmt.Sprint("K", 1+l.IntN(7))
		}
		return fmt.Sprint("K", l.IntN(8))
	}
	panic("no such operand: " + f)
}

// x86Line is one with its place in a program: those that read flags come first, and others set
// all of them, or leave some undefined.
type x86Line struct {
	text   string
	class  int // 0 reads flags, 1 to 3 read and write, 4 writes them, 5 neither
	memory bool
}

func (l *x86Lines) make(op string, one line, form string, shape byte, count int) (list []x86Line) {
	for i := range count {
		l.line, l.form, l.shape, l.count, l.memory, l.suffix = one, form, shape, i, false, ""
		l.aligned = strings.HasPrefix(op, "MOVO") || strings.HasPrefix(op, "VMOVDQA") || strings.Contains(form, "xm Xd")
		var args []string
		for _, f := range strings.Fields(form) {
			if strings.HasSuffix(f, "?") {
				if i/6%2 == 0 {
					continue
				}
				f = f[:len(f)-1]
			}
			args = append(args, l.operand(f))
		}
		text := "\t" + op + l.suffix + " " + strings.Join(args, ", ")
		if form == "label" {
			text += fmt.Sprintf("\n\tMOVQ $%d, %s\nL%d:", l.labels+1, l.general(), l.labels)
			l.labels++
		}
		class := 5
		switch base := one.name; {
		case strings.HasPrefix(base, "CMOV") || base[0] == 'J':
			class = 0
		case base == "ADCXQ" || base == "ADOXQ":
			class = 1
		case base == "ADC" || base == "SBB":
			class = 2
		case base == "RCRQ":
			class = 3
		case slices.Contains(strings.Fields("ADD SUB CMP TEST INC DEC NEG IMUL MULQ AND OR XOR ANDN BZHIQ BTRQ SHL SHR SAR SHRQ ROL ROR KORTESTW"), base):
			class = 4
		}
		list = append(list, x86Line{text, class, l.memory})
	}
	return list
}

func (c *comparison) prepareX86(states int) error {
	l := &x86Lines{Rand: rand.New(rand.NewPCG(3, 4))}
	var list []x86Line
	table := Arches["amd64"].semantics.lines
	var names []string
	for op := range table {
		if !fewX86[op] {
			names = append(names, op)
		}
	}
	slices.Sort(names)
	for _, op := range names {
		for _, one := range table[op] {
			for _, form := range strings.Split(one.forms, " | ") {
				of := one.of
				if of == "" {
					of = "X"
				}
				for _, shape := range of {
					count := 12
					if strings.Contains(form, "Kk") || form == "label" {
						count = 48
					}
					list = append(list, l.make(op, one, form, byte(shape), count)...)
				}
			}
		}
	}
	l.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	var programs [][]x86Line
	for _, line := range list {
		i := max(0, len(programs)-40)
		for ; i < len(programs); i++ {
			flags := 0
			for _, p := range programs[i] {
				if p.class > 0 && p.class < 5 {
					flags++
				}
			}
			if len(programs[i]) < 16 && (flags < 3 || line.class == 0 || line.class == 5) {
				break
			}
		}
		if i == len(programs) {
			programs = append(programs, nil)
		}
		programs[i] = append(programs[i], line)
	}
	var texts []string
	for _, p := range programs {
		slices.SortStableFunc(p, func(a, b x86Line) int { return a.class - b.class })
		var lines []string
		for _, line := range p {
			lines = append(lines, line.text)
		}
		texts = append(texts, strings.Join(lines, "\n"))
	}
	var pools [2][]*native.State
	for range states {
		pools[0] = append(pools[0], x86State(l.Rand, false))
		pools[1] = append(pools[1], x86State(l.Rand, true))
	}
	return c.execute(texts, func(i int) []*native.State {
		if slices.ContainsFunc(programs[i], func(x x86Line) bool { return x.memory }) {
			return pools[1]
		}
		return pools[0]
	})
}

func x86State(r *rand.Rand, memory bool) *native.State {
	s := &native.State{Flags: r.Uint64() & 0x8c5}
	for _, i := range x86Ordinary {
		s.General[i] = special(r)
	}
	for i := range s.Vectors {
		for at := 0; at < 64; at += 8 {
			binary.LittleEndian.PutUint64(s.Vectors[i][at:], special(r))
		}
		if i > 0 && r.IntN(8) == 0 {
			s.Vectors[i] = s.Vectors[i-1]
		}
	}
	for i := range s.Masks {
		s.Masks[i] = special(r)
	}
	if !memory {
		return s
	}
	s.Memory = make([]byte, 1024)
	for i := 0; i < len(s.Memory); i += 8 {
		binary.LittleEndian.PutUint64(s.Memory[i:], special(r))
	}
	s.General[x86Base], s.General[x86Index] = 384, uint64(r.IntN(32))
	s.Addresses = 1 << x86Base
	return s
}

var comparedX86 = sync.OnceValues(func() (*comparison, error) {
	c := &comparison{cpu: native.CPUs["amd64"], lacks: fewX86}
	states := 60
	if testing.Short() {
		states = 40
	}
	return c, c.prepareX86(states)
})

func compareWithCPU(t *testing.T) *comparison {
	c, err := comparedX86()
	if errors.Is(err, native.ErrMissing) {
		t.Skip("no comparison with amd64: this CPU lacks AVX-512, GFNI or the like")
	} else if err != nil {
		t.Fatal(err)
	}
	return c
}

// Every form of every line of the table of amd64, and every form of the kernels, computes what this
// CPU does.
func TestAgainstCPU(t *testing.T) { compareWithCPU(t).test(t) }

// fewX86 are instructions that few CPUs have, and this one need not. TestInterpretSM3 and
// TestInterpretSM4 execute kernels that are made of them and pass their suites in Bochs.
var fewX86 = map[string]bool{"VSM3MSG1": true, "VSM3MSG2": true, "VSM3RNDS2": true, "VSM4KEY4": true, "VSM4RNDS4": true}

func TestAllHaveSemanticsX86(t *testing.T) {
	list, err := kernelInstructions("amd64")
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	for _, in := range list {
		if Arches["amd64"].Known(in) || missing[in.Op] {
			continue
		}
		missing[in.Op] = true
		t.Errorf("%s:%d: there are no semantics for %s", in.File, in.Line, in.Text)
	}
}

// Mistakes that tables have are found.
func TestPlantedLinesX86(t *testing.T) {
	c := compareWithCPU(t)
	line := func(op string) func(*step) { return Arches["amd64"].semantics.lines[op][0].do }
	behind := func(op string, f func(x *step, before Machine)) func(*step) {
		do := line(op)
		return func(x *step) {
			before := *x.Machine
			do(x)
			f(x, before)
		}
	}
	for name, plant := range map[string]struct {
		op string
		do func(*step)
	}{
		"the carry is not added":          {"ADCQ", line("ADDQ")},
		"the borrow is not subtracted":    {"SBBL", line("SUBL")},
		"the borrow for the carry":        {"SUBQ", behind("SUBQ", func(x *step, _ Machine) { x.flags.c = flag{bit: x.flags.c.get() ^ 1} })},
		"the overflow is 0":               {"ADDQ", behind("ADDQ", func(x *step, _ Machine) { x.flags.v = flag{bit: Zero} })},
		"the parity":                      {"XORL", behind("XORL", func(x *step, _ Machine) { x.flags.p = flag{bit: x.flags.p.get() ^ 1} })},
		"the carry of DEC":                {"DECQ", behind("DECQ", func(x *step, _ Machine) { x.flags.c = flag{bit: One} })},
		"the upper half stays":            {"MOVL", behind("MOVL", func(x *step, m Machine) { keepHigh(x, m, 32) })},
		"the upper half of a vector":      {"VPAND", behind("VPAND", func(x *step, m Machine) { keepVector(x, m) })},
		"what is above 128 bits":          {"PXOR", behind("PXOR", func(x *step, m Machine) { o := x.ops['d'].Reg; x.V[o] = x.V[o][:128].Extend(512) })},
		"the other half of a product":     {"MULXQ", behind("MULXQ", func(x *step, m Machine) { l, h := x.ops['l'].Reg, x.ops['h'].Reg; x.R[l], x.R[h] = x.R[h], x.R[l] })},
		"the other flag":                  {"ADOXQ", line("ADCXQ")},
		"sources the other way round":     {"VPANDN", x86Vector(func(x *step, n, m Word) Word { return x.and(n, m.Not()) })},
		"the sign of a comparison":        {"JB", func(x *step) { x.branch(x.in, x.x86Condition("LT")) }},
		"the mask is not seen":            {"VPADDD", func(x *step) { y := *x; y.ops['k'] = nil; line("VPADDD")(&y) }},
		"masked elements become 0":        {"VPXORQ", func(x *step) { y := *x; y.zeroing = true; line("VPXORQ")(&y) }},
		"one element only":                {"VPORQ", func(x *step) { y := *x; y.broadcast = false; line("VPORQ")(&y) }},
		"across 128 bits":                 {"VPUNPCKLDQ", x86Vector(func(x *step, n, m Word) Word { return x.interleave(n, m, 0)[:x.total] })},
		"the order of a ternary function": {"VPTERNLOGD", func(x *step) { y := *x; y.ops['n'], y.ops['m'] = x.ops['m'], x.ops['n']; line("VPTERNLOGD")(&y) }},
		"rows the other way":              {"VAESENC", line("VAESDEC")},
		"the matrix of AESIMC":            {"AESIMC", legacy(func(x *step, n, m Word) Word { return x.aesMixed(m, aesMatrix) })},
		"no inverses":                     {"VGF2P8AFFINEINVQB", line("VGF2P8AFFINEQB")},
		"the elements of the mask":        {"VGF2P8AFFINEQB", func(x *step) { y := *x; y.size = 64; y.write(x.xor(x.read('n'))) }},
		"unsigned saturation":             {"VPACKUSDW", inLanes(func(x *step, n, m Word) Word { return Join(x.low16(n), x.low16(m)) })},
		"products without sign":           {"VPMADDWD", x86Lanes(func(x *step, n, m Word) Word { return x.Sum(0, x.Product(n[:16], m[:16]), x.Product(n[16:], m[16:])) })},
		"the high half":                   {"VPMADD52HUQ", line("VPMADD52LUQ")},
		"a distance modulo the width":     {"VPSLLVQ", variable(func(w Word, k int) Word { return w.Left(k & 63) })},
		"MOVD of 32 bits": {"MOVD", func(x *step) {
			if o := x.ops['d']; o.Kind == KindReg && o.Shape == 'x' {
				x.setLow(x.x86Bits('n', 32).Extend(128))
				return
			}
			line("MOVD")(x)
		}},
	} {
		if !c.found(plant.op, plant.do) {
			t.Errorf("%s, of %s, is not found", name, plant.op)
		}
	}
}

func keepHigh(x *step, before Machine, from int) {
	if d := x.ops['d']; d.Kind == KindReg && d.Shape == 'r' {
		x.R[d.Reg].Bits = Join(x.R[d.Reg].Bits[:from], before.R[d.Reg].Bits[from:])
	}
}

func keepVector(x *step, before Machine) {
	d := x.ops['d'].Reg
	x.V[d] = Join(x.V[d][:x.total], before.V[d][x.total:])
}

func (x *step) low16(w Word) Word {
	var out []Word
	for _, l := range w.Lanes(32) {
		out = append(out, l[:16])
	}
	return Join(out...)
}

func TestEachLineIsComparedX86(t *testing.T) {
	c := compareWithCPU(t)
	for op := range Arches["amd64"].semantics.lines {
		if !fewX86[op] && !c.found(op, func(*step) {}) {
			t.Errorf("%s does nothing, and nothing is found", op)
		}
	}
}

// TestLessByBits compares all pairs of bytes: only CPUs with AVX-512 have the instruction.
func TestLessByBits(t *testing.T) {
	x := &step{Machine: &Machine{Logic: Concrete{}}}
	for i := range 256 {
		for j := range 256 {
			if less := x.lessByBits(Constant(uint64(i), 8), Constant(uint64(j), 8)); (less == One) != (i < j) {
				t.Fatalf("%d < %d is %v", i, j, less)
			}
		}
	}
}
