package asm

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The tests have an architecture of their own: sixteen integers, three vectors, which no test
// computes with, and a status.
const (
	integer Class = iota
	vector
	status
)

var toy = &Target{
	Name: "toy",
	Pool: map[Class][]int{
		integer: {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
		vector:  {0, 1, 2, 3, 4, 5, 6, 7, 8, 10},
	},
	Register: func(r Reg) string { return fmt.Sprint([]string{"R", "V", "F"}[r.Class], r.N) },
	Integer:  integer,
	Move: func(size int, from string, to Reg) Op {
		name := fmt.Sprint("LOAD", size)
		return Op{Name: name, Text: name + " " + from + ", %v", Regs: []Reg{to}, Writes: []Reg{to}}
	},
	Word:    "WORD",
	Pointer: 8,
}

var flags = Reg{status, 0}

// set writes a constant, add and sub compute, and with flags.
func set(n int, d Reg) Op {
	return Op{Name: "SET", Text: fmt.Sprintf("SET $%d, %%v", n), Regs: []Reg{d}, Writes: []Reg{d}}
}

func add(a, b, d Reg) Op {
	return Op{Name: "ADD", Text: "ADD %v, %v, %v", Regs: []Reg{a, b, d}, Reads: []Reg{a, b}, Writes: []Reg{d}}
}

func addFlags(a, b, d Reg) Op {
	o := add(a, b, d)
	o.Name, o.Text, o.Writes = "ADDS", "ADDS %v, %v, %v", append(o.Writes, flags)
	return o
}

// addCarry adds the sum of the last addFlags too.
func addCarry(a, b, d Reg) Op {
	o := add(a, b, d)
	o.Name, o.Text, o.Reads = "ADC", "ADC %v, %v, %v", append(o.Reads, flags)
	return o
}

func load(address int, stream string, d Reg) Op {
	return Op{Name: "LOAD", Text: fmt.Sprintf("LOAD %d, %%v", address), Regs: []Reg{d}, Writes: []Reg{d}, Memory: Load, Stream: stream}
}

func store(s Reg, address int, stream string) Op {
	return Op{Name: "STORE", Text: fmt.Sprintf("STORE %%v, %d", address), Regs: []Reg{s}, Reads: []Reg{s}, Memory: Store, Stream: stream}
}

func loop(r Reg, to string) Op {
	return Op{Name: "LOOP", Text: "LOOP %v, " + to, Regs: []Reg{r}, Reads: []Reg{r}, Flow: Branch, To: to}
}

func jump(to string) Op { return Op{Name: "JUMP", Text: "JUMP " + to, Flow: Jump, To: to} }

func ret() Op { return Op{Name: "RET", Text: "RET", Flow: Return} }

// A state is what a program computes on.
type state struct {
	regs   map[Reg]uint64
	memory map[int]uint64
}

// run executes straight-line code, with the given numbers for virtual registers.
func run(t *testing.T, s Stream, numbers map[Reg]int) state {
	t.Helper()
	m := state{map[Reg]uint64{}, map[int]uint64{}}
	place := func(r Reg) Reg {
		if n, ok := numbers[r]; ok {
			r.N = n
		}
		return r
	}
	for _, o := range s {
		r := make([]Reg, len(o.Regs))
		for i := range r {
			r[i] = place(o.Regs[i])
		}
		n := 0
		switch o.Name {
		case "SET":
			fmt.Sscanf(o.Text, "SET $%d", &n)
			m.regs[r[0]] = uint64(n)
		case "ADD", "ADDS", "ADC":
			sum := 3*m.regs[r[0]] + 5*m.regs[r[1]] + 1 // not commutative
			if o.Name == "ADC" {
				sum += 7 * m.regs[flags]
			}
			if o.Name == "ADDS" {
				m.regs[flags] = sum
			}
			m.regs[r[2]] = sum
		case "LOAD":
			fmt.Sscanf(o.Text, "LOAD %d", &n)
			m.regs[r[0]] = m.memory[n] + uint64(n)
		case "STORE":
			fmt.Sscanf(o.Text[strings.Index(o.Text, ", "):], ", %d", &n)
			m.memory[n] = m.regs[r[0]]
		default:
			t.Fatalf("cannot run %q", o.Text)
		}
	}
	return m
}

// random returns straight-line code on registers, with memory from address on.
func random(rnd *rand.Rand, n int, regs []Reg, address int, stream string) Stream {
	var s Stream
	for i, r := range regs {
		s.Add(set(1000+i, r))
	}
	s.Add(addFlags(regs[0], regs[0], regs[0]))
	pick := func() Reg { return regs[rnd.IntN(len(regs))] }
	for range n {
		switch rnd.IntN(6) {
		case 0:
			s.Add(load(address+rnd.IntN(3), stream, pick()))
		case 1:
			s.Add(store(pick(), address+rnd.IntN(3), stream))
		case 2:
			s.Add(addFlags(pick(), pick(), pick()))
		case 3:
			s.Add(addCarry(pick(), pick(), pick()))
		default:
			s.Add(add(pick(), pick(), pick()))
		}
	}
	return s
}

var model = &Model{
	Name: "toy", Width: 2, Units: map[string]int{"alu": 2, "memory": 1},
	Cost: func(o Op) Cost {
		if o.Memory != NoMemory {
			return Cost{"memory", 2, 4}
		}
		return Cost{"alu", 1, 3}
	},
}

func regs(first, n int) []Reg {
	r := make([]Reg, n)
	for i := range r {
		r[i] = Reg{integer, first + i}
	}
	return r
}

func equal(a, b Stream) bool {
	return slices.EqualFunc(a, b, func(a, b Op) bool { return a.Name == b.Name && a.Text == b.Text && slices.Equal(a.Regs, b.Regs) })
}

// panics returns what f panics with.
func panics(f func()) (message string) {
	defer func() {
		if r := recover(); r != nil {
			message = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

func TestScheduleComputesTheSame(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	moved, faster := 0, 0
	for i := range 300 {
		s := random(rnd, 40, regs(1, 3+i%6), 0, "")
		for k := range s[:len(s)-1] {
			s[k].Fused = rnd.IntN(8) == 0 && s[k].Memory == NoMemory && s[k+1].Memory == NoMemory
		}
		out := Schedule(s, model)
		if a, b := run(t, s, nil), run(t, out, nil); !reflect.DeepEqual(a, b) {
			t.Fatalf("another result:\n%v\n%v", s, out)
		}
		if !equal(s, out) {
			moved++
		}
		if model.Cycles(out) < model.Cycles(s) {
			faster++
		}
		for k, o := range out {
			if o.Fused && (k+1 == len(out) || !follows(s, o, out[k+1])) {
				t.Fatalf("%q lost its neighbour", o.Text)
			}
		}
	}
	if moved < 250 || faster < 200 {
		t.Errorf("of 300 programs %d were moved and %d are faster", moved, faster)
	}
}

// follows reports whether b comes behind a somewhere in s.
func follows(s Stream, a, b Op) bool {
	for k := range s[:len(s)-1] {
		if equal(s[k:k+2], Stream{a, b}) {
			return true
		}
	}
	return false
}

func TestScheduleKeepsBlocks(t *testing.T) {
	a, b, c := Reg{integer, 1}, Reg{integer, 2}, Reg{integer, 3}
	// The load is urgent, but it is behind a label.
	s := Stream{set(1, a), set(2, b), {Label: "loop"}, add(a, b, c), load(0, "", a), loop(a, "loop"), Remark("end"), set(3, b), ret()}
	out := Schedule(s, model)
	for _, k := range []int{2, 5, 6, 8} {
		if !equal(out[k:k+1], s[k:k+1]) {
			t.Errorf("%d is %+v", k, out[k])
		}
	}
	if out[0].Name != "SET" || out[1].Name != "SET" || out[7].Name != "SET" {
		t.Error("instructions moved across a label or a branch")
	}
}

func TestScheduleTakesTheLongestChainFirst(t *testing.T) {
	r := regs(1, 6)
	s := Stream{set(1, r[0]), set(2, r[1]), set(3, r[2]), set(4, r[3]), add(r[3], r[3], r[4]), add(r[4], r[4], r[5])}
	if out := Schedule(s, model); !equal(out[:1], s[3:4]) {
		t.Errorf("%q comes first", out[0].Text)
	}
}

func TestScheduleWindow(t *testing.T) {
	r := regs(1, 6)
	s := Stream{set(1, r[0]), set(2, r[1]), set(3, r[2]), set(4, r[3]), add(r[3], r[3], r[4]), add(r[4], r[4], r[5])}
	m := *model
	m.Window = 2
	if out := Schedule(s, &m); !equal(out[:1], s[1:2]) && !equal(out[:1], s[:1]) {
		t.Errorf("%q comes first, from outside of the window", out[0].Text)
	}
	m.Window = 1
	if out := Schedule(s, &m); !equal(out, s) {
		t.Error("instructions moved in a window of one")
	}
}

func TestScheduleMemory(t *testing.T) {
	a, b := Reg{integer, 1}, Reg{integer, 2}
	slow := add(a, a, a)
	for _, c := range []struct {
		stored, loaded string
		moves          bool
	}{{"", "", false}, {"x", "", false}, {"", "x", false}, {"x", "x", false}, {"x", "y", true}} {
		s := Stream{set(1, a), slow, slow, store(a, 0, c.stored), load(0, c.loaded, b)}
		out := Schedule(s, model)
		if moved := out[4].Name == "STORE"; moved != c.moves {
			t.Errorf("load of %q behind a store to %q: moved %v", c.loaded, c.stored, moved)
		}
	}
}

func TestCycles(t *testing.T) {
	a, b := Reg{integer, 1}, Reg{integer, 2}
	for _, c := range []struct {
		s    Stream
		want int
	}{
		{Stream{set(1, a)}, 3},
		{Stream{set(1, a), set(1, b)}, 3},
		{Stream{set(1, a), set(2, a)}, 4},                               // one after the other
		{Stream{set(1, a), set(1, b), set(1, Reg{integer, 3})}, 4},      // two at a time
		{Stream{set(1, a), set(1, b), load(0, "", Reg{integer, 3})}, 5}, // although there are three units
		{Stream{set(1, a), add(a, a, b)}, 6},
		{Stream{load(0, "", a), load(1, "", b)}, 6}, // one unit, two cycles
		{Stream{load(0, "", a), add(a, a, b)}, 7},
	} {
		if got := model.Cycles(c.s); got != c.want {
			t.Errorf("%d cycles, want %d: %v", got, c.want, c.s)
		}
	}
}

func TestWeave(t *testing.T) {
	a, b := Stream{}, Stream{}
	for i := range 6 {
		a.Add(set(i, Reg{integer, 1}))
	}
	for i := range 3 {
		b.Add(set(10+i, Reg{integer, 2}))
	}
	names := func(s Stream) string {
		var list []string
		for _, o := range s {
			list = append(list, strings.Fields(o.Text)[1])
		}
		return strings.Join(list, " ")
	}
	if got, want := names(Weave(a, b)), "$0, $10, $1, $2, $11, $3, $4, $12, $5,"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := names(Weave(a)); got != names(a) {
		t.Errorf("one stream became %s", got)
	}
	if got := Weave(a, nil); !equal(got, a) {
		t.Errorf("a stream and an empty one became %s", names(got))
	}
	for k := range a {
		a[k].Fused = k%2 == 0
	}
	if got, want := names(Weave(a, b)), "$0, $1, $10, $2, $3, $11, $4, $5, $12,"; got != want {
		t.Errorf("fused: %s, want %s", got, want)
	}
}

func TestWeaveComputesTheSame(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range 100 {
		a := random(rnd, 10+i, regs(1, 5), 0, "a")
		b := random(rnd, 50, regs(10, 5), 10, "b")
		b = slices.DeleteFunc(b, func(o Op) bool { return slices.Contains(o.Reads, flags) || slices.Contains(o.Writes, flags) })
		if x, y := run(t, slices.Concat(a, b), nil), run(t, Weave(a, b), nil); !reflect.DeepEqual(x, y) {
			t.Fatal("another result")
		}
	}
}

func TestWeaveRefusesDependence(t *testing.T) {
	a, b, c := Reg{integer, 1}, Reg{integer, 2}, Reg{integer, 3}
	for _, s := range [][]Stream{
		{{set(1, a)}, {set(2, a)}},
		{{set(1, a)}, {add(a, b, c)}},
		{{add(a, b, c)}, {set(1, b)}},
		{{addFlags(a, a, b)}, {addFlags(a, a, c)}},
		{{addFlags(a, a, b)}, {addCarry(a, a, c)}},
		{nil, {set(1, a)}, {add(a, a, b)}},
		{{set(1, a)}, {{Label: "loop"}}},
		{{loop(a, "loop")}, {set(1, b)}},
	} {
		if panics(func() { Weave(s...) }) == "" {
			t.Errorf("no panic for %v", s)
		}
	}
	Weave(Stream{add(a, a, b)}, Stream{add(a, a, c)}) // both only read a
}

func TestAllocate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for i := range 300 {
		file := &File{Target: toy}
		f := file.Func("random", "()")
		virtual := f.Several(integer, "x", 1+i%8)
		f.Add(random(rnd, 60, virtual, 0, "")...)
		for k, r := range virtual {
			f.Add(store(r, 100+k, ""))
		}
		numbers := f.allocate()
		if a, b := run(t, f.ops, nil), run(t, f.ops, numbers); !reflect.DeepEqual(a.memory, b.memory) {
			t.Fatalf("another result with %v:\n%v", numbers, f.ops)
		}
	}
}

// Random code with branches: a branch is taken if its register is odd. Both runs stop after
// the same number of instructions.
func TestAllocateBranches(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	execute := func(s Stream, numbers map[Reg]int) (stored []uint64) {
		labels := map[string]int{}
		for i, o := range s {
			labels[o.Label] = i
		}
		values := map[Reg]uint64{}
		place := func(r Reg) Reg {
			if r.Virtual() && numbers != nil {
				r.N = numbers[r]
			}
			return r
		}
		for i, steps := 0, 0; i < len(s) && steps < 500; i, steps = i+1, steps+1 {
			o := s[i]
			o.Regs = slices.Clone(o.Regs)
			for k := range o.Regs {
				o.Regs[k] = place(o.Regs[k])
			}
			switch o.Name {
			case "SET":
				n := uint64(0)
				fmt.Sscanf(o.Text, "SET $%d", &n)
				values[o.Regs[0]] = n
			case "ADD":
				values[o.Regs[2]] = 3*values[o.Regs[0]] + 5*values[o.Regs[1]]>>1 + 1
			case "STORE":
				stored = append(stored, values[o.Regs[0]])
			case "LOOP":
				if values[o.Regs[0]]%2 == 1 {
					i = labels[o.To]
				}
			case "JUMP":
				i = labels[o.To]
			}
		}
		return stored
	}
	shared := 0
	for i := range 300 {
		f := (&File{Target: toy}).Func("random", "()")
		x := f.Several(integer, "x", 12)
		pick := func() Reg { return x[rnd.IntN(len(x))] }
		for k, r := range x {
			f.Add(set(k, r))
		}
		const blocks = 6
		label := func() string { return fmt.Sprint("block", rnd.IntN(blocks)) }
		for k := range blocks {
			f.Label(fmt.Sprint("block", k))
			for range 1 + rnd.IntN(4) {
				f.Add(add(pick(), pick(), pick()), store(pick(), 0, ""))
			}
			switch rnd.IntN(5) {
			case 0:
				f.Add(jump(label()))
			case 1, 2, 3:
				f.Add(loop(pick(), label()))
			}
		}
		numbers := f.allocate()
		used := map[int]bool{}
		for _, n := range numbers {
			used[n] = true
		}
		if len(used) < len(numbers) {
			shared++
		}
		if a, b := execute(f.ops, nil), execute(f.ops, numbers); !slices.Equal(a, b) {
			t.Fatalf("program %d: stores %v, and %v with %v", i, a, b, numbers)
		}
	}
	if shared < 100 {
		t.Errorf("in %d of 300 programs registers are shared", shared)
	}
}

func TestAllocateReuses(t *testing.T) {
	file := &File{Target: toy}
	f := file.Func("reuse", "()")
	a := f.New(integer, "a")
	f.Add(set(1, a), store(a, 0, ""))
	b := f.New(integer, "b")
	f.Add(set(2, b), store(b, 0, ""))
	if n := f.allocate(); n[a] != n[b] {
		t.Errorf("a in %d, b in %d", n[a], n[b])
	}
	if n := f.Live(integer); n != 1 {
		t.Errorf("%d live", n)
	}
}

func TestAllocateLoops(t *testing.T) {
	file := &File{Target: toy}
	f := file.Func("loops", "()")
	n, kept, t1, t2, lateReg := f.New(integer, "n"), f.New(integer, "kept"), f.New(integer, "t1"), f.New(integer, "t2"), f.New(integer, "late")
	f.Add(set(3, n), set(4, kept), jump("test"))
	f.Label("loop")
	f.Add(set(1, t1), add(t1, kept, n))
	f.Label("test")
	f.Add(set(2, t2), add(t2, n, n), loop(n, "loop"))
	f.Add(set(5, lateReg), store(lateReg, 0, ""), ret())
	numbers := f.allocate()
	for _, p := range [][2]Reg{{n, kept}, {kept, t1}, {kept, t2}, {n, t2}} {
		if numbers[p[0]] == numbers[p[1]] {
			t.Errorf("%s and %s share a register", f.name(p[0]), f.name(p[1]))
		}
	}
	if numbers[lateReg] != 1 {
		t.Errorf("late is in %d: nothing else is needed then", numbers[lateReg])
	}
}

func TestAllocateGroups(t *testing.T) {
	file := &File{Target: toy}
	f := file.Func("groups", "()")
	one := f.New(vector, "one")
	three := f.Group(vector, "three", 3, 1)
	pair := f.Group(vector, "pair", 2, 4)
	last := f.Group(vector, "last", 2, 1) // not in 8 and 9, because there is no 9
	fixed := f.New(integer, "fixed")
	f.Fix(fixed, 7)
	named := Reg{integer, 1}
	other := f.New(integer, "other")
	all := slices.Concat([]Reg{one}, three, pair, last, []Reg{fixed, named, other})
	for i, r := range all {
		f.Add(set(i, r))
	}
	for i, r := range all {
		f.Add(store(r, i, ""))
	}
	n := f.allocate()
	for i, r := range three {
		if n[r] != n[three[0]]+i {
			t.Errorf("three[%d] is in %d", i, n[r])
		}
	}
	if n[pair[1]] != n[pair[0]]+1 || n[pair[0]] != 4 {
		t.Errorf("pair is in %d and %d", n[pair[0]], n[pair[1]])
	}
	if n[last[0]] != 6 || n[last[1]] != 7 {
		t.Errorf("last is in %d and %d", n[last[0]], n[last[1]])
	}
	if n[fixed] != 7 || n[other] == 1 {
		t.Errorf("fixed in %d, other in %d", n[fixed], n[other])
	}
	used := map[Reg]bool{}
	for _, r := range all {
		if r.Virtual() {
			r.N = n[r]
		}
		if used[r] {
			t.Errorf("%v is used twice", r)
		}
		used[r] = true
	}
}

// Hard cases are placed first: a group before the single registers that come before it
// in the code, and a fixed number before everything.
func TestAllocateOrder(t *testing.T) {
	f := (&File{Target: toy}).Func("order", "()")
	singles := f.Several(vector, "single", 8)
	pair := f.Group(vector, "pair", 2, 1)
	early, fixed := f.New(integer, "early"), f.New(integer, "fixed")
	f.Fix(fixed, 1)
	all := slices.Concat(singles, pair, []Reg{early, fixed})
	for i, r := range all {
		f.Add(set(i, r))
	}
	for i, r := range all {
		f.Add(store(r, i, ""))
	}
	if n := f.allocate(); n[pair[0]] != 0 || n[fixed] != 1 || n[early] != 2 {
		t.Errorf("pair in %d, fixed in %d, early in %d", n[pair[0]], n[fixed], n[early])
	}
}

func TestAllocateEarly(t *testing.T) {
	file := &File{Target: toy}
	f := file.Func("early", "()")
	a, b := f.New(integer, "a"), f.New(integer, "b")
	o := add(a, a, b)
	o.Early = true
	f.Add(set(1, a), o, store(b, 0, ""))
	if n := f.allocate(); n[a] == n[b] {
		t.Error("an early result is in a source's register")
	}
}

func TestAllocateRefuses(t *testing.T) {
	for _, c := range []struct {
		name, want string
		build      func(f *Func)
	}{
		{"read before write", "b is read before it is written", func(f *Func) {
			a, b := f.New(integer, "a"), f.New(integer, "b")
			f.Add(set(1, a), add(a, b, a))
		}},
		{"on one path only", "b is read before it is written", func(f *Func) {
			a, b := f.New(integer, "a"), f.New(integer, "b")
			f.Add(set(1, a), loop(a, "skip"), set(1, b))
			f.Label("skip")
			f.Add(store(b, 0, ""), ret())
		}},
		{"too many", "no register for x15", func(f *Func) {
			x := f.Several(integer, "x", 16)
			for i, r := range x {
				f.Add(set(i, r))
			}
			for i, r := range x {
				f.Add(store(r, i, ""))
			}
		}},
		{"not in the pool", "no register for e", func(f *Func) {
			for i, name := range []string{"a", "b", "c", "d", "e"} { // 8 and 9, but there is no 9
				pair := f.Group(vector, name, 2, 1)
				defer f.Add(store(pair[0], i, ""), store(pair[1], i, ""))
				f.Add(set(i, pair[0]), set(i, pair[1]))
			}
		}},
		{"fixed twice", "no register for b", func(f *Func) {
			a, b := f.New(integer, "a"), f.New(integer, "b")
			f.Fix(a, 3)
			f.Fix(b, 3)
			f.Add(set(1, a), set(2, b), add(a, b, a))
		}},
		{"no label", "no label nowhere", func(f *Func) { f.Add(jump("nowhere")) }},
		{"two labels", "two labels here", func(f *Func) { f.Label("here"); f.Label("here") }},
	} {
		f := (&File{Target: toy}).Func("f", "()")
		c.build(f)
		if got := panics(func() { f.allocate() }); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	f := (&File{Target: toy}).Func("f", "()")
	x := f.Several(integer, "x", 16)
	for i, r := range x {
		f.Add(set(i, r))
	}
	for i, r := range x {
		f.Add(store(r, i, ""))
	}
	if got := panics(func() { f.allocate() }); !strings.Contains(got, "16 values") || !strings.Contains(got, "x0, x1, x10") {
		t.Errorf("the message does not name the values: %s", got)
	}
}

func TestLayout(t *testing.T) {
	small := *toy
	small.Pointer = 4
	for _, c := range []struct {
		target    *Target
		signature string
		want      string
		size      int
	}{
		{toy, "()", "", 0},
		{toy, "(p *byte, n uint32)", "p 0 8, n 8 4", 12}, // as go vet counts
		{toy, "(dst, src *byte, n int)", "dst 0 8, src 8 8, n 16 8", 24},
		{toy, "(a uint32, b *[4]uint64, c byte) (done int)", "a 0 4, b 8 8, c 16 1, done 24 8", 32},
		{&small, "(a byte, n uint64, p *byte) (r uint32)", "a 0 1, n 4 8, p 12 4, r 16 4", 20},
	} {
		f := (&File{Target: c.target}).Func("f", c.signature)
		var list []string
		for _, a := range f.args {
			list = append(list, fmt.Sprint(a.name, " ", a.offset, " ", a.size))
		}
		if got := strings.Join(list, ", "); got != c.want || f.size != c.size {
			t.Errorf("%s: %q in %d bytes, want %q in %d", c.signature, got, f.size, c.want, c.size)
		}
	}
	f := (&File{Target: &small}).Func("f", "(n uint64)")
	if panics(func() { f.Arg("n") }) == "" {
		t.Error("an argument of 64 bits in a register of 32 is accepted")
	}
	for _, signature := range []string{"(x float64)", "(x []byte)", "(n int) bool", "(n int, p)"} {
		if panics(func() { (&File{Target: toy}).Func("f", signature) }) == "" {
			t.Errorf("%s is accepted", signature)
		}
	}
}

// The golden text of a function with all that a file can have.
func TestWrite(t *testing.T) {
	file := &File{Target: toy}
	table := file.Table("constants", "constants are nine bytes.", []byte{1, 2, 3, 4, 5, 6, 7, 8, 9})
	f := file.Func("kernel", "(dst *byte, n uint32)")
	f.Doc = "kernel does something.\nIt has two lines."
	f.Banner = "How it works."
	f.Secret, f.Public, f.Cases = "dst", "n", []string{"n=0|1..8"}
	dst, n := f.Arg("dst"), f.Arg("n")
	x := f.Several(integer, "x", 3)
	local := f.Local("buffer", 12)
	f.Add(set(1, x[0]), set(2, x[1]))
	f.Align(64)
	f.Label("loop")
	f.Remark("a remark about %s", table.Symbol())
	coded := add(x[0], x[1], x[2])
	coded.Code = func(n []int) []uint32 { return []uint32{uint32(n[0]<<16 | n[1]<<8 | n[2]), 0xff} }
	spill := store(x[2], 0, "")
	spill.Text = "STORE %v, " + local.At(4)
	f.Add(coded, spill, add(dst, n, n), loop(n, "loop"), ret())
	dir := filepath.Join(t.TempDir(), "toys")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	file.Write(filepath.Join(dir, "kernel_toy.s"), filepath.Join(dir, "declarations.go"))
	for name, want := range map[string]string{"kernel_toy.s": goldenAssembly, "declarations.go": goldenGo} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(got), "\n\n") // without the command line
		if strings.HasSuffix(name, ".s") {
			want = Join(want)
		}
		if text != want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, text, want)
		}
		if !strings.HasPrefix(string(got), "// Code generated by command: go run . ") || !strings.Contains(string(got), ". DO NOT EDIT.\n\n") {
			t.Errorf("%s begins with %.80q", name, got)
		}
	}
}

func TestWriteRefusesToFallOff(t *testing.T) {
	for _, last := range []Stream{nil, {set(1, Reg{integer, 1})}, {ret(), loop(Reg{integer, 1}, "top")}} {
		f := (&File{Target: toy}).Func("f", "()")
		f.Label("top")
		f.Add(set(1, Reg{integer, 1}))
		f.Add(last...)
		if got := panics(func() { f.text() }); !strings.Contains(got, "does not end") {
			t.Errorf("%v: %q", last, got)
		}
	}
	f := (&File{Target: toy}).Func("f", "()")
	f.Label("top")
	f.Add(jump("top"))
	f.text()
}

// Bytes of a table are the same in memory, whichever comes first in a number.
func TestTableBigEndian(t *testing.T) {
	table := (&File{Target: toy}).Table("x", "x.", []byte{1, 2, 3})
	if got := table.text(true); !strings.Contains(got, "$0x0102030000000000") {
		t.Error(got)
	}
	if got := table.text(false); !strings.Contains(got, "$0x0000000000030201") {
		t.Error(got)
	}
}

const goldenAssembly = `//go:build !purego

#include "textflag.h"

// constants are nine bytes.
DATA constants<>+0(SB)/8, $0x0807060504030201
DATA constants<>+8(SB)/8, $0x0000000000000009
GLOBL constants<>(SB), RODATA|NOPTR, $16

// kernel does something.
// It has two lines.
//
// func kernel(dst *byte, n uint32)
//
// R1 dst; R2 n; R3-R5 x.
//
// How it works.
TEXT ·kernel(SB), NOSPLIT, $16-12
	LOAD8 dst+0(FP), R1
	LOAD4 n+8(FP), R2
	SET $1, R3
	SET $2, R4
	PCALIGN $64

loop:
	// a remark about constants<>(SB)
	WORD $0x00030405; WORD $0x000000ff // ADD R3, R4, R5
	STORE R5, buffer-12(SP)
	ADD R1, R2, R2
	LOOP R2, loop
	RET
`

const goldenGo = `//go:build !purego

package toys

// kernel does something.
// It has two lines.
//
//ct:secret dst
//ct:public n
//ct:cases n=0|1..8
//go:noescape
func kernel(dst *byte, n uint32)
`

// BenchmarkAllocate has 5000 instructions.
func BenchmarkAllocate(b *testing.B) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for b.Loop() {
		f := (&File{Target: toy}).Func("f", "()")
		f.Add(random(rnd, 5000, f.Several(integer, "x", 14), 0, "")...)
		f.allocate()
	}
}

// Functions that panic take the place of assembly that older versions of Go cannot assemble.
func TestOlder(t *testing.T) {
	target := *toy
	target.Since = func(o Op) string {
		if o.Name == "NEW" {
			return "go1.99"
		}
		return ""
	}
	dir := filepath.Join(t.TempDir(), "toys")
	file := &File{Target: &target, Older: filepath.Join(dir, "older.go")}
	f := file.Func("kernel", "(dst *byte) (n int)")
	f.Doc, f.Secret = "kernel does something.", "dst"
	f.Add(Op{Name: "NEW", Text: "NEW"}, Op{Name: "RET", Text: "RET", Flow: Return})
	file.Write(filepath.Join(dir, "a.s"), filepath.Join(dir, "a.go"))
	for name, want := range map[string]string{
		"a.s":      "//go:build !purego && go1.99\n",
		"a.go":     "//go:build !purego && go1.99\n",
		"older.go": "//go:build !purego && !go1.99\n\npackage toys\n\nfunc kernel(dst *byte) (n int) {\n\tpanic(\"kernel needs go1.99\")\n}\n",
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, no %q in\n%s", name, err, want, text)
		}
	}
}
