package machine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cipherlane/cipherlane/internal/machine/native"
)

// This file compares the table of riscv64 with qemu: vectors of 128, 256 and 512 bits, where elements that may be
// anything stay or become 1. A program is an instruction, in vectors behind one that sets their type.

// These registers are for addresses, for what a program needs beforehand, and the others for operands.
const riscvBase, riscvOther = 25, 26

var riscvOrdinary = []int{5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 29, 30}

// riscvPlaces are where an instruction has its operands, and riscvNumberPlaces where it has a number, and how many
// bits of it, if it is written as a word.
var (
	riscvPlaces       = map[byte]int{'d': 7, '3': 7, '1': 15, '2': 20}
	riscvNumberPlaces = map[string][2]int{
		"RORI": {20, 6}, "RORIW": {20, 5}, "SM4ED": {30, 2}, "SM4KS": {30, 2}, "AES64KS1I": {20, 4}, "VSM3CVI": {15, 5}, "VRORVI": {15, 5},
	}
)

type riscvLines struct {
	*rand.Rand
	words  map[string]uint32 // of kernels, without operands
	labels int
}

func (l *riscvLines) one(list ...int) int { return list[l.IntN(len(list))] }

// program makes one of an instruction, the i-th of its form. Not all are possible.
func (l *riscvLines) program(op, form string, i int) (text string, memory bool) {
	var lines, args []string
	line := func(format string, args ...any) { lines = append(lines, "\t"+fmt.Sprintf(format, args...)) }
	memory = strings.Contains(form, "[]")
	vector, configures := op[0] == 'V', strings.HasPrefix(op, "VSET")
	registers := 1
	if vector && !configures {
		size, multiplier := l.IntN(4), l.one(0, 0, 1, 2, 3, 5, 6, 7)
		for prefix, s := range map[string]int{"VCLMUL": 3, "VAES": 2, "VSM": 2, "VG": 2} {
			if strings.HasPrefix(op, prefix) {
				if size = s; s == 2 && i%8 > 0 {
					multiplier = l.IntN(4)
				}
			}
		}
		n := l.one(1000, 1, 3, 8, 16, l.IntN(64), l.IntN(256))
		if strings.HasPrefix(op, "VG") || strings.HasPrefix(op, "VAES") || strings.HasPrefix(op, "VSM") {
			n = n / 8 * 8
		}
		line("MOV $%d, X%d", n, riscvOther)
		line("VSETVLI X%d, %s, %s, %s, %s, X0", riscvOther, riscvTypes['E'][size], riscvTypes['L'][multiplier], riscvTypes['T'][l.IntN(2)], riscvTypes['A'][l.IntN(2)])
		if registers = 1; multiplier < 4 {
			registers = 1 << multiplier
		}
		if op == "VRGATHERVV" && i%3 > 0 { // numbers of elements that there are
			line("VANDVI $15, V24, V24")
		}
	}
	places := map[byte]int{}
	number := int64(0)
	for _, f := range strings.Fields(form) {
		name := f[len(f)-1]
		switch {
		case f == "Vm?":
			if i%3 == 0 {
				args = append(args, "V0")
				places['m'] = 1
			}
		case f == "label":
			args = append(args, fmt.Sprint("L", l.labels))
		case f == "[]" && vector:
			places['1'] = riscvBase
			args = append(args, fmt.Sprintf("(X%d)", riscvBase))
		case f == "[]":
			args = append(args, fmt.Sprintf("%d(X%d)", l.one(0, 8, -8, 64, -128), riscvBase))
		case len(f) == 1: // of VSETVLI
			n := map[string]int{"E": 4, "L": 4, "T": 2, "A": 2}[f]
			args = append(args, riscvTypes[name][l.IntN(n)])
		case f[0] == 'R':
			r := riscvOrdinary[l.IntN(len(riscvOrdinary))]
			other := 0
			switch {
			// Go's assembler does not know all of ADD, and reads a constant at an address in the register for it.
			case l.IntN(12) == 0 && !memory && (op != "ADD" || name == 'd') && form != "$a Rd":
				r = 0
			case memory && name == '2': // between structures
				if other = 1 + l.IntN(40); strings.Contains(op, "E64") {
					other = 8 * (1 + l.IntN(5))
				}
			case op == "VSETVL" && name == '2':
				other = l.one(0xc0, 0x40, 0xc8, 0xd1, 0x52, 0xd8, 0x5b, 0xc7)
			case (configures || strings.HasPrefix(op, "VSLIDE")) && name == '1' && i%4 > 0:
				other = l.IntN(1 << l.one(3, 6, 9))
			}
			if other > 0 {
				r = riscvOther
				line("MOV $%d, X%d", other, riscvOther)
			}
			places[name] = r
			args = append(args, fmt.Sprint("X", r))
		case f[0] == 'V':
			n := registers
			switch {
			case strings.Contains(op, "4R"):
				n = 4
			case op == "VNSRLWI" && name == '2':
				n = min(2*registers, 8)
			case i%2 == 0 && (op == "VREDXORVS" && name != '2' || strings.HasSuffix(op, "VS") && name == '2' || op == "VMVSX"):
				n = 1 // a register of its own
			}
			r := n * l.IntN(32/n)
			if op == "VRGATHERVV" && name == '1' {
				r = 24
			}
			places[name] = r
			args = append(args, fmt.Sprint("V", r))
		case f[0] == '$':
			limits := riscvNumbers[name]
			if number = limits[0] + int64(l.Uint64N(uint64(limits[1]-limits[0])/2+1)*2) + int64(i%2); name == 'a' {
				number = int64(special(l.Rand))
			}
			number = min(number, limits[1])
			args = append(args, fmt.Sprint("$", number))
		}
	}
	if word, ok := l.words[op]; ok {
		for name, at := range riscvPlaces {
			if r, ok := places[name]; ok {
				word = word&^(31<<at) | uint32(r)<<at
			}
		}
		if at, ok := riscvNumberPlaces[op]; ok {
			word = word&^((1<<at[1]-1)<<at[0]) | uint32(number)&(1<<at[1]-1)<<at[0]
		}
		if op == "VRORVI" { // the highest bit of the number
			word = word&^(1<<26) | uint32(number)>>5<<26
		}
		if places['m'] > 0 {
			word &^= 1 << 25
		}
		line("WORD $%#08x // %s %s", word, op, strings.Join(args, ", "))
	} else {
		line("%s %s", op, strings.Join(args, ", "))
	}
	if strings.HasSuffix(form, "label") {
		line("MOV $%d, X%d\nL%d:", l.labels+1, riscvOrdinary[l.IntN(len(riscvOrdinary))], l.labels)
		l.labels++
	}
	return strings.Join(lines, "\n"), memory
}

// asCPU makes a machine do what the CPU of the comparison does.
func (c *comparison) asCPU(m *Machine) {
	m.VLEN, m.Halves = 8*c.cpu.VectorBytes, c.cpu.VectorBytes == 64
}

func (c *comparison) prepareRISCV(count, states int) error {
	l := &riscvLines{Rand: rand.New(rand.NewPCG(5, 6)), words: map[string]uint32{}}
	list, err := kernelInstructions("riscv64")
	if err != nil {
		return err
	}
	for _, in := range list {
		if len(in.Code) == 4 {
			l.words[in.Op] = binary.LittleEndian.Uint32(in.Code)
		}
	}
	type program struct {
		text   string
		memory bool
		form   string
	}
	var tries []program
	for i := range riscvSemantics {
		s := &riscvSemantics[i]
		for _, op := range strings.Fields(s.names) {
			for _, form := range strings.Split(s.forms, " | ") {
				if strings.Contains(form, "&") {
					continue // the address of data
				}
				for i := range 8 * count {
					text, memory := l.program(op, form, i)
					tries = append(tries, program{text, memory, op + form})
				}
			}
		}
	}
	var pools [2][]*native.State
	for range states {
		pools[0] = append(pools[0], riscvState(l.Rand, false))
		pools[1] = append(pools[1], riscvState(l.Rand, true))
	}
	// What the machine does not follow, such as registers that overlap, is left out.
	var all []string
	for _, t := range tries {
		all = append(all, t.text)
	}
	machine, functions, err := readPrograms(Arches["riscv64"], all)
	if err != nil {
		return err
	}
	trial := &comparison{cpu: c.cpu, machine: machine, programs: functions}
	c.asCPU(machine)
	prepared := map[*native.State]*preparedState{}
	for _, p := range pools {
		prepared[p[0]] = trial.prepareState(p[0])
	}
	trial.prepared = prepared
	var kept []program
	found := map[string]int{}
	for i, t := range tries {
		s := pools[0][0]
		if t.memory {
			s = pools[1][0]
		}
		if found[t.form] < count && trial.start(i, s, NewObject("memory", 0)) == nil {
			found[t.form]++
			kept = append(kept, t)
		}
	}
	for _, t := range tries {
		if found[t.form] < count {
			return fmt.Errorf("%s: only %d programs of %d, as\n%s", t.form, found[t.form], count, t.text)
		}
	}
	var texts []string
	for _, t := range kept {
		texts = append(texts, t.text)
	}
	if err := c.execute(texts, func(i int) []*native.State {
		if kept[i].memory {
			return pools[1]
		}
		return pools[0]
	}); err != nil {
		return err
	}
	c.asCPU(c.machine)
	return nil
}

func riscvState(r *rand.Rand, memory bool) *native.State {
	s := &native.State{}
	for _, i := range riscvOrdinary {
		if s.General[i] = special(r); r.IntN(6) == 0 {
			s.General[i] = s.General[riscvOrdinary[0]]
		}
	}
	for i := range s.Vectors {
		for at := 0; at < 64; at += 8 {
			binary.LittleEndian.PutUint64(s.Vectors[i][at:], special(r))
		}
	}
	if !memory {
		return s
	}
	s.Memory, s.General[riscvBase], s.Addresses = make([]byte, 6144), 1024, 1<<riscvBase
	for i := 0; i < len(s.Memory); i += 8 {
		binary.LittleEndian.PutUint64(s.Memory[i:], special(r))
	}
	return s
}

var comparedRISCV = map[string]func() (*comparison, error){}

func init() {
	for _, variant := range []string{"riscv64", "riscv64 vlen=128", "riscv64 vlen=512"} {
		comparedRISCV[variant] = sync.OnceValues(func() (*comparison, error) {
			c := &comparison{cpu: native.CPUs[variant], variant: variant, lacks: map[string]bool{}}
			if c.cpu == nil {
				return nil, native.ErrMissing // this version of Go has no assembler for vectors
			}
			list, err := kernelInstructions("riscv64")
			if err != nil {
				return nil, err
			}
			for _, in := range list { // other kernels than those that are proven have more
				c.lacks[in.Op] = c.lacks[in.Op] || !Arches["riscv64"].Known(in)
			}
			count, states := 16, 12
			if testing.Short() {
				count, states = 8, 4
			}
			return c, c.prepareRISCV(count, states)
		})
	}
}

func compareRISCV(t *testing.T, f func(t *testing.T, c *comparison)) {
	for variant, compared := range comparedRISCV {
		t.Run(variant, func(t *testing.T) {
			c, err := compared()
			if errors.Is(err, native.ErrMissing) && (os.Getenv("CIPHERLANE_REQUIRE") == "" || native.CPUs[variant] == nil) {
				t.Skip("no comparison with qemu: ", err)
			} else if err != nil {
				t.Fatal(err)
			}
			f(t, c)
		})
	}
}

// All instructions of the kernels that are proven are in the table.
func TestAllHaveSemanticsRISCV(t *testing.T) {
	list, err := kernelInstructions("riscv64")
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range list {
		proven := func(folder string) bool { return strings.Contains(in.File, folder) }
		if slices.ContainsFunc([]string{"sm3/", "sm4/", "aescore/", "ghash/", "keccak/"}, proven) && !Arches["riscv64"].Known(in) {
			t.Fatalf("%s:%d: there are no semantics for %s", in.File, in.Line, in.Text)
		}
	}
}

// Every form of every line of the table computes what qemu does.
func TestAgainstQEMURISCV(t *testing.T) {
	compareRISCV(t, func(t *testing.T, c *comparison) { c.test(t) })
}

// Each line is compared, and mistakes that tables have are found.
func TestPlantedLinesRISCV(t *testing.T) {
	line := func(op string) func(*step) { return Arches["riscv64"].semantics.lines[op][0].do }
	// behind changes something afterwards.
	behind := func(op string, f func(x *step, before Machine)) func(*step) {
		return func(x *step) {
			before := *x.Machine
			line(op)(x)
			f(x, before)
		}
	}
	planted := map[string]struct {
		op string
		do func(*step)
	}{
		"a sum for a difference":    {"SUB", line("ADD")},
		"the sign of 32 bits":       {"RORIW", behind("RORIW", func(x *step, _ Machine) { x.setNumber(x.R[x.ops['d'].Reg].Bits[:32].Extend(64)) })},
		"a load without sign":       {"MOVW", func(x *step) { transfer(4, Word.Extend)(x) }},
		"a shift without sign":      {"SRAI", line("SRLI")},
		"a comparison with sign":    {"BLTU", goes(func(x *step, a, b Word) Bit { return x.less(a, b) })},
		"the low half of a product": {"CLMULH", line("CLMUL")},
		"the last round of AES":     {"AES64ESM", line("AES64ES")},
		"rows the other way":        {"AES64DSM", aesHalf(&aesInverse, 1, aesInverseRow)},
		"the columns exchanged":     {"AES64KS2", func(x *step) { y := *x; y.ops['1'], y.ops['2'] = x.ops['2'], x.ops['1']; line("AES64KS2")(&y) }},
		"L for L'":                  {"SM4KS", line("SM4ED")},
		"P1 for P0":                 {"SM3P0", line("SM3P1")},
		"the key before the columns": {"VAESDMVS", groups(128, true, func(x *step, d, s, o Word) Word {
			return x.xor(aesRound(&aesInverse, -1, aesInverseRow)(x, d, Constant(0, 128), o), s)
		})},
		"the key of each block":    {"VSM4RVS", groups(128, false, func(x *step, d, s, _ Word) Word { return x.sm4Rounds(d, s, 2, 10, 18, 24) })},
		"the order of the message": {"VSM3MEVV", func(x *step) { y := *x; y.ops['1'], y.ops['2'] = x.ops['2'], x.ops['1']; line("VSM3MEVV")(&y) }},
		"the next rounds":          {"VSM3CVI", groups(256, false, func(x *step, d, s, _ Word) Word { return sm3c(x, sm3c(x, d, s, nil), s, nil) })},
		"bits that are not reversed": {"VGMULVV", groups(128, false, func(x *step, d, s, _ Word) Word {
			return bitsReversed(x, x.ghashProduct(bitsReversed(x, d), bitsReversed(x, s)))
		})},
		"the sum before the product": {"VGHSHVV", groups(128, false, func(x *step, d, s, o Word) Word { return x.xor(x.ghashProduct(d, s), o) })},
		"the mask is not seen":       {"VXORVV", func(x *step) { y := *x; y.ops['m'] = nil; line("VXORVV")(&y) }},
		"as many elements as there are": {"VADDVX", func(x *step) {
			n := x.vectors.length
			x.vectors.length = x.most()
			line("VADDVX")(x)
			x.vectors.length = n
		}},
		"elements of another size":      {"VLE32V", segments(1, 64, false)},
		"structures without a distance": {"VLSSEG4E8V", func(x *step) { y := *x; y.ops['2'] = nil; line("VLSSEG4E8V")(&y) }},
		"elements next to each other":   {"VLSE64V", func(x *step) { y := *x; y.ops['2'] = nil; line("VLSE64V")(&y) }},
		"words of 32 bits":              {"VSSE64V", segments(1, 32, true)},
		"elements that move up are 0":   {"VSLIDEUPVI", func(x *step) { line("VSLIDEDOWNVI")(x) }},
		"the same of one element":       {"VSLIDE1DOWNVX", func(x *step) { line("VMVVX")(x) }},
		"the sum begins with 0":         {"VREDXORVS", func(x *step) { y := *x; y.ops['1'] = x.ops['2']; line("VREDXORVS")(&y) }},
		"the high half":                 {"VNSRLWI", func(x *step) { y := *x; o := *x.ops['w']; o.Imm ^= 8; y.ops['w'] = &o; line("VNSRLWI")(&y) }},
		"the number of elements":        {"VSETVLI", behind("VSETVLI", func(x *step, _ Machine) { x.setNumber(Constant(7, 64)) })},
		"the type by number":            {"VSETVL", behind("VSETVL", func(x *step, _ Machine) { x.setNumber(Constant(3, 64)) })},
		"a difference of halves": {"VSUBVX", each(func(x *step, a, b Word) Word {
			h := len(a) / 2
			return Join(x.Sum(1, a[:h], b[:h].Not()), x.Sum(1, a[h:], b[h:].Not()))
		})},
		"a difference the other way":    {"VRSUBVI", each(func(x *step, a, b Word) Word { return x.Sum(1, a, b.Not()) })},
		"the other operand is inverted": {"VANDNVV", each(func(x *step, a, b Word) Word { return x.and(a.Not(), b) })},
		"a rotation to the left":        {"VRORVI", each(func(x *step, a, b Word) Word { return a.RotateLeft(by(b, len(a))) })},
		"the number has no sign":        {"VANDVI", func(x *step) { y := *x; o := *x.ops['i']; o.Imm &= 31; y.ops['i'] = &o; line("VANDVI")(&y) }},
	}
	for op := range Arches["riscv64"].semantics.lines {
		planted[op+" does nothing"] = struct {
			op string
			do func(*step)
		}{op, func(*step) {}}
	}
	missed, variants := map[string]int{}, 0
	compareRISCV(t, func(t *testing.T, c *comparison) {
		if c.cpu.VectorBytes == 16 && !c.found("VADDVX", func(x *step) {
			t := x.vectors
			x.vectors.undisturbed = true
			line("VADDVX")(x)
			x.vectors = t
		}) {
			t.Error("elements that stay where they become 1 are not found")
		}
		for name, plant := range planted {
			if !c.found(plant.op, plant.do) {
				missed[name]++
			}
		}
		variants++
	})
	for name, n := range missed {
		if n == variants {
			t.Errorf("%s, of %s, is not found", name, planted[name].op)
		}
	}
}
