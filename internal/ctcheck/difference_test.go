package ctcheck

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/machine"
	"github.com/cipherlane/cipherlane/internal/machine/native"
)

// This file tests the analysis by difference. Short programs, of every form of instruction that the
// tables know and Go's assembler takes, run with several values of a secret and everything else
// equal. What differs behind them, a register, a flag or a byte of memory, must depend on the
// secret for the analysis, and if a program went another way, or touched other memory, it must have
// a finding. All bytes of memory are different, so that what a load returns shows where it read.

// A subject is an architecture that programs are made for.
type subject struct {
	arch string
	// General registers of the programs, the addresses of public memory, of secret memory and of the
	// stack, and one that shows which way a program went.
	general  []int
	bases    [3]int
	marker   int
	register func(r int) string
	move     string // a number to a register
	jump     string
	// operand makes one for an instruction.
	operand func(g *generator, op string, sp *spec, i, n int) string
	suffix  func(g *generator, op string, sp *spec) string
	begin   func(g *generator) string // of a program
	// flags are the bits of those of the analysis.
	flags [flagCount]uint64
	// skip says which instructions are left out.
	skip func(op string, sp *spec) bool
}

// A generator makes text at random.
type generator struct {
	*rand.Rand
	s      *subject
	memory int // operands in memory
	shape  int // what the vectors of an instruction have in common
}

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

// general is a register, which now and then has an address.
func (g *generator) general() string {
	if g.chance(14) {
		return g.base()
	}
	return g.s.register(pick(g, g.s.general))
}

func (g *generator) base() string { return g.s.register(g.s.bases[g.IntN(3)]) }

func (g *generator) chance(n int) bool {
	return g.IntN(n) == 0
}

func (g *generator) number() int64 {
	return pick(g, []int64{0, 1, 2, 3, 4, 5, 7, 8, 13, 15, 16, 24, 31, 32, 33, 40, 63, 64, 127, 255, -1, -8, 4096})
}

func (g *generator) offset(step int) int { return step * (g.IntN(17) - 8) }

// instruction makes one of n operands.
func (g *generator) instruction(op string, sp *spec, n int) string {
	g.memory, g.shape = 0, g.IntN(12)
	list := make([]string, n)
	for i := range list {
		list[i] = g.s.operand(g, op, sp, i, n)
	}
	suffix := ""
	if g.s.suffix != nil {
		suffix = g.s.suffix(g, op, sp)
	}
	return op + suffix + " " + strings.Join(list, ", ")
}

const (
	memorySize   = 8192
	publicAt     = 640 // of the bases
	stackAt      = 7552
	stackFrom    = stackAt - 512 // of the stack's memory
	secretAround = 384           // bytes before and behind the base of the secret memory
	stackAddress = stackAt - stackFrom
)

// secretAt are places of the base of the secret memory. A program that only differs with it at one
// of them has reached it from another base, by a large public number: the analysis takes it that
// kernels stay within their arguments.
var secretAt = []uint64{2048, 4736, 3392, 5888}

// secrets are how many values each secret has.
const secrets = 4

// A difference is a program, what is secret in it, and what the analysis says at its end.
type difference struct {
	text   string
	fn     *machine.Function
	shape  byte // of the register that is secret
	reg    int
	final  *state
	masked bool // a secret masks a load, which is no finding
}

// source is a file with a function for each text, or one for all, and the index of the text of
// each line.
func source(list []string, one bool) (text string, index []int) {
	var b strings.Builder
	add := func(i int, text string) {
		for range strings.Count(text, "\n") {
			index = append(index, i)
		}
		b.WriteString(text)
	}
	add(0, "\n#include \"textflag.h\"\n\n")
	for i, text := range list {
		if !one || i == 0 {
			add(i, fmt.Sprintf("TEXT ·p%d(SB), NOSPLIT|NOFRAME, $0-0\n", i))
		}
		add(i, text+"\n")
		if !one || i == len(list)-1 {
			add(i, "\tRET\n")
		}
	}
	return b.String(), append([]int{0}, index...) // lines are counted from 1
}

var assemblerLine = regexp.MustCompile(`f\.s:(\d+)`)

// assembled leaves out what Go's assembler does not take: all that it complains about, and what
// the parser does not know.
func assembled(t *testing.T, arch *arch, goarch string, list []string, one bool) []string {
	dir := t.TempDir()
	path := filepath.Join(dir, "f.s")
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	include := filepath.Join(strings.TrimSpace(string(goroot)), "pkg/include")
	var last []byte
	for range 40 {
		text, index := source(list, one)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		bad := map[int]bool{}
		cmd := exec.Command("go", "tool", "asm", "-e", "-p", "x", "-I", include, "-o", filepath.Join(dir, "f.o"), path)
		cmd.Env = append(os.Environ(), "GOARCH="+goarch, "GOOS=linux", "GORISCV64=rva22u64", "GOARM=7")
		out, err := cmd.CombinedOutput()
		last = out[:min(len(out), 1500)]
		for _, m := range assemblerLine.FindAllSubmatch(out, -1) {
			if line, err := strconv.Atoi(string(m[1])); err == nil && line < len(index) {
				bad[index[line]] = true
			}
		}
		if err != nil && len(bad) == 0 {
			t.Fatalf("%v\n%s", err, out[:min(len(out), 2000)])
		}
		src, err2 := machine.Parse(arch.Arch, dir, "f.s")
		if err2 != nil {
			t.Fatal(err2)
		}
		for _, p := range src.Problems {
			bad[index[p.Line]] = true
		}
		if len(bad) == 0 {
			return list
		}
		var rest []string
		for i, s := range list {
			if !bad[i] {
				rest = append(rest, s)
			}
		}
		list = rest
	}
	t.Fatalf("the assembler always finds errors: %s", last)
	return nil
}

// parsed parses a file with a function for each text.
func parsed(t *testing.T, arch *arch, list []string, one bool) []*machine.Function {
	dir := t.TempDir()
	text, _ := source(list, one)
	if err := os.WriteFile(filepath.Join(dir, "f.s"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	src, err := machine.Parse(arch.Arch, dir, "f.s")
	if err != nil {
		t.Fatal(err)
	}
	if len(src.Problems) > 0 {
		t.Fatal(src.Problems)
	}
	return src.Functions
}

// formOf names the form of an instruction: its operands without what they are.
func formOf(in *machine.Instruction) string {
	list := []string{in.Op}
	list = append(list, in.Suffix...)
	for _, o := range in.Args {
		s := string("riamLln"[o.Kind])
		switch o.Kind {
		case machine.KindReg:
			s = string(o.Shape) + o.Arrangement + o.Shift
			if o.Lane {
				s += "[]"
			}
		case machine.KindMem:
			if o.Index >= 0 {
				s += "x"
			}
		case machine.KindName:
			s = o.Sym
		}
		list = append(list, s)
	}
	return strings.Join(list, " ")
}

// instances returns instructions of all forms, by name.
func (s *subject) instances(t *testing.T, g *generator) (ops []string, list map[string][]string, forms int) {
	a := arches[s.arch]
	var candidates []string
	for _, op := range slices.Sorted(maps.Keys(a.table)) {
		sp := a.table[op]
		if slices.Contains([]string{"ret", "jump", "call", "cpuid"}, sp.op) || s.skip != nil && s.skip(op, sp) {
			continue
		}
		tries := 90
		if sp.open && sp.width > 0 && op[0] == 'V' {
			tries = 300 // operands of several kinds
		}
		for range tries {
			n := pick(g, []int{1, 2, 2, 2, 3, 3, 3, 4, 4, 5})
			if !sp.open {
				n = len(pick(g, strings.Split(sp.roles, "|")))
			}
			text := g.instruction(op, sp, n)
			candidates = append(candidates, text)
		}
	}
	slices.Sort(candidates)
	candidates = slices.Compact(candidates)
	for i, text := range candidates {
		if rest, branch := strings.CutSuffix(text, "out"); branch {
			candidates[i] = fmt.Sprintf("%sout%d\nout%d:", rest, i, i)
		}
		candidates[i] = "\t" + candidates[i]
	}
	candidates = assembled(t, a, native.CPUs[s.arch].Name, candidates, true)
	list = map[string][]string{}
	seen := map[string]bool{}
	code := a.resolve(parsed(t, a, candidates, true)[0]).code
	for i, text := range candidates {
		in := &code[i]
		if in.wrong != "" {
			continue
		}
		seen[formOf(in.Instruction)] = true
		text = strings.TrimSpace(text)
		if before, _, branch := strings.Cut(text, "out"); branch {
			text = before + "out"
		}
		list[in.Op] = append(list[in.Op], text)
	}
	if s.arch != "amd64" {
		s.encoded(t, list, seen)
	}
	// What accesses memory is more frequent in programs than the rest.
	for _, op := range slices.Sorted(maps.Keys(list)) {
		ops = append(ops, op)
		if strings.HasPrefix(a.table[op].op, "mov") {
			ops = append(ops, op, op, op)
		}
	}
	return ops, list, len(seen)
}

// encoded adds instructions that kernels write as data, because Go's assembler does not know
// them, with the registers that they have there.
func (s *subject) encoded(t *testing.T, list map[string][]string, seen map[string]bool) {
	folders, err := Folders(root)
	if err != nil {
		t.Fatal(err)
	}
	files, err := Files(root, folders)
	if err != nil {
		t.Fatal(err)
	}
	a := arches[s.arch]
	once := map[string]bool{}
	for _, file := range files[s.arch] {
		src, err := machine.Parse(a.Arch, filepath.Join(root, filepath.Dir(file)), file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range src.Functions {
			for i := range f.Code {
				in := &f.Code[i]
				text := fmt.Sprintf("WORD $%#x // %s", bytesOf(in.Code), strings.ReplaceAll(in.Text, " . ", "."))
				if in.Code == nil || in.Macro || once[text] || slices.ContainsFunc(in.Args, func(o machine.Operand) bool { return o.Kind == machine.KindMem }) {
					continue
				}
				once[text] = true
				seen["encoded "+formOf(in)] = true
				list[in.Op] = append(list[in.Op], text)
			}
		}
	}
}

func bytesOf(code []byte) uint32 {
	if len(code) != 4 {
		return 0
	}
	return binary.LittleEndian.Uint32(code)
}

// program makes a program of some instructions.
func (s *subject) program(g *generator, ops []string, list map[string][]string) string {
	var b strings.Builder
	if s.begin != nil {
		b.WriteString(s.begin(g))
	}
	branch := false
	for range 1 + g.IntN(6) {
		text := pick(g, list[pick(g, ops)])
		branch = branch || strings.HasSuffix(text, " out")
		fmt.Fprintf(&b, "\t%s\n", text)
	}
	if branch {
		m := s.register(s.marker)
		fmt.Fprintf(&b, "\t%s $11, %s\n\t%s end\nout:\n\t%s $22, %s\nend:\n", s.move, m, s.jump, s.move, m)
	}
	return b.String()
}

// choose makes one of the registers that a program mentions secret.
func (d *difference) choose(g *generator, s *subject, c *native.CPU) {
	type place struct {
		shape byte
		reg   int
	}
	list := []place{{'r', pick(g, s.general)}}
	for i := range d.fn.Code {
		operands(&instruction{Instruction: &d.fn.Code[i]}, func(o *machine.Operand) {
			switch {
			case o.Index >= 0 && slices.Contains(s.general, o.Index):
				list = append(list, place{'r', o.Index})
			case o.Kind != machine.KindReg || o.Shape == 'r' && !slices.Contains(s.general, o.Reg):
			case o.Shape == 'r' || o.Shape == 'k':
				list = append(list, place{o.Shape, o.Reg})
			default:
				list = append(list, place{'v', o.Reg})
			}
		})
	}
	p := pick(g, list)
	d.shape, d.reg = p.shape, p.reg
}

// analyse follows a secret through a program.
func (d *difference) analyse(a *arch, s *subject) []Finding {
	public, hidden := &object{id: 1, name: "public", period: 1}, &object{id: 2, name: "secret", period: 1}
	public.leaves, hidden.leaves = []leaf{{from: 0, to: 1}}, []leaf{{from: 0, to: 1, secret: true}}
	x := newRun(a, a.resolve(d.fn), nil, &declaration{name: "program", objects: []*object{public, hidden}}, nil)
	x.prepare(0)
	begin := &state{stack: &memory{secret: make([]origin, memorySize-stackFrom)}, args: &memory{}}
	for i := range begin.regs {
		begin.regs[i] = anything
	}
	begin.regs[s.bases[0]], begin.regs[s.bases[1]] = value{object: public}, value{object: hidden}
	begin.regs[s.bases[2]] = value{object: x.stack, c: stackAddress}
	v := secret(fromArgument)
	switch d.shape {
	case 'r':
		begin.regs[d.reg] = v
	case 'v':
		first, second := firstVector+d.reg, firstHigh+d.reg
		if s.arch == "arm" { // two D registers
			first, second = firstVector+2*d.reg, firstVector+2*d.reg+1
		}
		begin.regs[first], begin.regs[second] = v, v
	case 'k':
		begin.regs[firstMask+d.reg] = v
	}
	x.final = func(s *state) {
		if d.final == nil {
			d.final = s.clone()
		} else {
			d.final.join(s)
		}
	}
	x.arrive(0, begin, true)
	x.follows()
	d.masked = x.masked
	return x.list()
}

// states returns those before a program, with secret memory around an offset.
func (d *difference) states(g *generator, s *subject, c *native.CPU, secretAt uint64) []*native.State {
	mask := ^uint64(0) >> (64 - 8*c.Pointer)
	var first native.State
	for _, r := range c.General {
		switch first.General[r] = uint64(g.IntN(16)); g.IntN(4) {
		case 0:
			first.General[r] = g.Uint64() & mask
		case 1:
			first.General[r] = uint64(g.IntN(9))
		}
	}
	for i, at := range []uint64{publicAt, secretAt, stackAt} {
		first.General[s.bases[i]] = at
		first.Addresses |= 1 << s.bases[i]
	}
	fill := func(b []byte) {
		for i := range b {
			b[i] = byte(g.Uint32())
		}
	}
	for i := range c.Vectors {
		fill(first.Vectors[i][:c.VectorBytes])
		if i > 0 && i < 4 { // small numbers, of elements of any size
			for j := range c.VectorBytes {
				first.Vectors[i][j] &= 15 * byte(1-min(j%8, 1))
			}
		}
	}
	for i := range c.Masks {
		first.Masks[i] = g.Uint64()
	}
	first.Flags = g.Uint64() & c.Flags
	first.Memory = make([]byte, memorySize)
	fill(first.Memory)
	list := make([]*native.State, secrets)
	for i := range list {
		one := first
		one.Memory = slices.Clone(first.Memory)
		fill(one.Memory[secretAt-secretAround : secretAt+secretAround])
		switch d.shape {
		case 'r':
			one.General[d.reg] = []uint64{0, 1 + uint64(g.IntN(15)), uint64(g.IntN(64)), g.Uint64() & mask}[i]
		case 'v':
			fill(one.Vectors[d.reg][:c.VectorBytes])
			if g.chance(3) {
				clear(one.Vectors[d.reg][:])
			}
		case 'k':
			one.Masks[d.reg] = []uint64{0, ^uint64(0), g.Uint64(), g.Uint64()}[i]
		}
		list[i] = &one
	}
	return list
}

// judge returns what differs and is not secret for the analysis.
func (d *difference) judge(s *subject, c *native.CPU, after []native.State, secretAt uint64) (wrong []string) {
	for i := range after {
		after[i].Flags &= c.Flags
		if after[i].Fault != after[0].Fault {
			if d.masked {
				return nil // elements that the mask leaves out are not read: see docs/timing.md
			}
			return []string{"faults"}
		}
	}
	if after[0].Fault {
		return nil
	}
	for _, b := range s.bases {
		if after[0].General[b] >= memorySize {
			return nil // it may have left its memory
		}
	}
	f := d.final
	report := func(o origin, get func(*native.State) []byte, format string, args ...any) {
		same := o != 0
		for i := 1; !same && i < len(after) && bytes.Equal(get(&after[i]), get(&after[0])); i++ {
			same = i == len(after)-1
		}
		if !same {
			var values []string
			for i := range after {
				values = append(values, fmt.Sprintf("%x", get(&after[i])))
			}
			wrong = append(wrong, fmt.Sprintf(format+": %s", append(args, values)...))
		}
	}
	number := func(o origin, get func(*native.State) uint64, format string, args ...any) {
		report(o, func(one *native.State) []byte { return binary.LittleEndian.AppendUint64(nil, get(one)) }, format, args...)
	}
	for _, r := range c.General {
		v := f.regs[r]
		if v.byte0 {
			number(0, func(one *native.State) uint64 { return one.General[r] & 0xff }, "the lowest byte of %s", s.register(r))
		}
		number(v.secret, func(one *native.State) uint64 { return one.General[r] }, "%s", s.register(r))
	}
	for i := range c.Vectors {
		low, high := f.regs[firstVector+i].secret, f.regs[firstHigh+i].secret
		size := c.VectorBytes
		switch s.arch {
		case "amd64":
			report(high, func(one *native.State) []byte { return one.Vectors[i][16:] }, "the upper part of vector %d", i)
			size = 16
		case "riscv64":
			low = joinOrigin(low, high)
		case "arm":
			report(f.regs[firstVector+2*i+1].secret, func(one *native.State) []byte { return one.Vectors[i][8:16] }, "Q%d.D[1]", i)
			low, size = f.regs[firstVector+2*i].secret, 8
		}
		report(low, func(one *native.State) []byte { return one.Vectors[i][:size] }, "vector %d", i)
	}
	for i := range c.Masks {
		number(f.regs[firstMask+i].secret, func(one *native.State) uint64 { return one.Masks[i] }, "mask %d", i)
	}
	for i, m := range s.flags {
		number(f.flags[i], func(one *native.State) uint64 { return one.Flags & m }, "flags %#x", m)
	}
	report(0, func(one *native.State) []byte { return one.Memory[:secretAt-secretAround] }, "public memory")
	for at := stackFrom; at < memorySize; at++ {
		o := origin(0)
		if i := int64(at-stackFrom) - f.stack.base; i >= 0 && i < int64(len(f.stack.secret)) {
			o = f.stack.secret[i]
		}
		report(o, func(one *native.State) []byte { return one.Memory[at : at+1] }, "byte %d of the stack", at-stackAt)
	}
	return wrong
}

// differences is how many programs are run for an architecture.
const differences = 3000

// seed is for other programs than CI has: go test ./internal/ctcheck -run TestDifferences -seed 1.
var seed = flag.Uint64("seed", 39, "of the random programs")

func TestDifferences(t *testing.T) {
	for _, s := range subjects {
		t.Run(s.arch, func(t *testing.T) {
			a, c := arches[s.arch], native.CPUs[s.arch]
			if c == nil {
				t.Skip("this version of Go has no assembler for it")
			}
			differences := differences
			if testing.Short() {
				differences /= 8
			}
			// No emulator of amd64 that CI has knows AVX-512.
			if err := native.Available(s.arch); errors.Is(err, native.ErrMissing) && (s.arch == "amd64" || os.Getenv("CIPHERLANE_REQUIRE") == "") {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			g := &generator{Rand: rand.New(rand.NewPCG(*seed, uint64(len(s.arch)))), s: s}
			ops, instances, forms := s.instances(t, g)
			var programs []string
			for range 3 * differences / 2 {
				programs = append(programs, s.program(g, ops, instances))
			}
			programs = assembled(t, a, c.Name, programs, false)
			var tests []*difference
			found := 0
			for i, fn := range parsed(t, a, programs, false) {
				if len(tests) == differences {
					break
				}
				d := &difference{text: programs[i], fn: fn}
				d.choose(g, s, c)
				findings := d.analyse(a, s)
				if slices.ContainsFunc(findings, func(f Finding) bool {
					return f.Kind == kindAddress || f.Kind == kindBranch || f.Kind == kindUnknown || f.Kind == kindStore ||
						f.Kind == kindTime && strings.Contains(f.Text, "length") // and so what is accessed
				}) {
					found++
					continue
				}
				tests = append(tests, d)
			}
			texts := make([]string, len(tests))
			for i, d := range tests {
				texts[i] = d.text
			}
			runner, err := native.Build(s.arch, texts)
			if err != nil {
				t.Fatal(err)
			}
			defer runner.Close()
			// What differs is run again, with the secret memory at other places.
			faults, suspects := 0, make([]int, len(tests))
			for i := range suspects {
				suspects[i] = i
			}
			for round, at := range secretAt {
				var jobs []native.Job
				for _, i := range suspects {
					for _, one := range tests[i].states(g, s, c, at) {
						jobs = append(jobs, native.Job{Program: i, State: one})
					}
				}
				after, err := runner.Run(jobs)
				if err != nil {
					t.Fatal(err)
				}
				var differ []int
				for j, i := range suspects {
					d, states := tests[i], after[secrets*j:secrets*(j+1)]
					if states[0].Fault && round == 0 {
						faults++
					}
					wrong := d.judge(s, c, states, at)
					if len(wrong) == 0 {
						continue
					}
					if differ = append(differ, i); round == len(secretAt)-1 && len(differ) <= 12 {
						t.Errorf("%c%d is secret:\n%s%s", d.shape, d.reg, d.text, strings.Join(wrong[:min(len(wrong), 4)], "\n"))
					}
				}
				suspects = differ
			}
			if len(suspects) > 0 {
				t.Errorf("%d programs", len(suspects))
			}
			t.Logf("%d instructions, %d forms, %d programs without findings and %d with; %d end with a fault", len(instances), forms, len(tests), found, faults)
			var without []string
			for op := range a.table {
				if instances[op] == nil {
					without = append(without, op)
				}
			}
			slices.Sort(without)
			t.Log("in no program:", without)
			if len(tests) < differences {
				t.Error("these are too few")
			}
		})
	}
}
