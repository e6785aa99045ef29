// Package prove shows that kernels compute what their specification says, for all keys and
// data, at given lengths.
//
// A directive at the Go declaration of a kernel names a contract, and values of what is public:
//
//	//prove:ecb.encrypt keys=aes rounds=10,12,14 n=16,128
//	func encryptBlocksCE(k *Keys, dst, src *byte, n int)
//
// A contract is a function of this package. It makes the arguments by their names in the
// declaration, runs the specification (package spec) on forms (package forms), and says what shall
// be in memory afterwards; or, about arithmetic with long numbers, which polynomials are 0 modulo a
// number (package integers, field.go). Then package machine executes the kernel on the same forms, and its
// memory and its results are compared: all memory that is not to be written must be unchanged. Here
// are 6 cases. What is no value is unknown: each bit of keys and data is an input of its own, so
// that a proof holds for all of them.
//
// Reading or writing outside of what arguments point to, reading of the stack before writing, and
// a branch or an address that depends on unknown bits are errors of package machine.
//
// The cases of a kernel must visit every instruction, and both sides of every branch, of which
// one is the repetition of a loop. Faults that are planted in instructions must be found (Faults).
//
// What has to be trusted: package machine's table of instructions, which is compared with a CPU or
// qemu, package forms, package spec, and the contracts. That assembled kernels are what was parsed
// is compared, too (Assembled). For the instructions of AES, SM3 and SM4 the proof says: if they
// are what the standards say.
package prove

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cipherlane/cipherlane/internal/machine"
	"github.com/cipherlane/cipherlane/internal/prove/forms"
	"github.com/cipherlane/cipherlane/internal/prove/integers"
	"github.com/cipherlane/cipherlane/internal/prove/products"
	"github.com/cipherlane/cipherlane/internal/prove/spec"
)

// These are the types of package machine.
type (
	bit  = machine.Bit
	word = machine.Word
)

// limits keep a proof below 2 GB: forms are most of its memory, but not all.
var limits = forms.Limits{Atoms: 1 << 18, Bytes: 1 << 30}

// maxSteps is for loops that do not end.
const maxSteps = 1_000_000

// A proof is a case at work.
type proof struct {
	spec.Calculator
	one      *Case
	machine  *machine.Machine
	numbers  *integers.Engine // the Logic of contracts about integers, instead of forms
	products *products.Engine // that of contracts about products of words
	objects  []*machine.Object
	given    map[string]bool // arguments
	used     map[string]bool // keys of the directive
	wanted   []wanted
	list     map[string]bool // arguments that point to the first of several
	results  map[string]word // what the kernel shall return
	free     map[*machine.Object]bool
	before   func() error // each instruction
	final    func()       // after the last one: what is wanted
	claims   func() error // after the last one, about integers
	changes  []affineMap  // see sm4KeysAES
	renames  []renaming   // see slicedCounters
	added    []word       // to blocks, also to those that are not there: see unusedLanes

	halves, hasHalves bool // see Prove
}

// wanted is what shall be in memory, from an offset on, or n bytes of anything.
type wanted struct {
	object *machine.Object
	at     int64
	word   word
	n      int64
}

// A Result is that of a case.
type Result struct {
	Case  *Case
	Err   error // nil if it is proven
	Steps int   // instructions
	Atoms int
	Forms int
	Bytes int64 // of forms
	Time  time.Duration
}

// A wrong kernel computes something else for a known assignment.
type wrong struct {
	text       string
	assignment int
}

func (w wrong) Error() string {
	return fmt.Sprintf("WRONG: %s is another bit for random inputs %d", w.text, w.assignment)
}

// Prove runs a case with a fault, or nil. seen is told about each step, or nil. If a CPU may process half of some
// elements, where others process as many as a vector has, it is proven for both.
func (c *Case) Prove(fault *Fault, seen *Coverage) Result {
	r, hasHalves := c.proveOn(false, fault, seen)
	if !hasHalves || r.Err != nil {
		return r
	}
	half, _ := c.proveOn(true, fault, seen)
	if half.Err != nil {
		r.Err = fmt.Errorf("a CPU that processes half of the elements: %w", half.Err)
	}
	r.Time, r.Steps = r.Time+half.Time, r.Steps+half.Steps
	r.Atoms, r.Forms, r.Bytes = max(r.Atoms, half.Atoms), max(r.Forms, half.Forms), max(r.Bytes, half.Bytes)
	return r
}

// proveOn proves a case for one of these CPUs, and reports whether it matters which.
func (c *Case) proveOn(halves bool, fault *Fault, seen *Coverage) (r Result, hasHalves bool) {
	start := time.Now()
	l := limits
	if fault != nil && !strings.HasPrefix(c.Contract, "g") {
		// What is wrong may take as much as there is. Only the products of GHASH are long.
		l = forms.Limits{Atoms: 2048, Bytes: 700 << 20}
	}
	p := c.start(l)
	p.halves = halves
	r.Case = c
	r.Err = p.Do(func() error { return p.prove(fault, seen) })
	r.Atoms, r.Forms, r.Bytes = p.Size()
	if p.numbers != nil {
		r.Atoms, r.Forms = p.numbers.Size()
	}
	if p.products != nil {
		forms, bytes := p.products.Size()
		r.Forms, r.Bytes = r.Forms+forms, r.Bytes+bytes
	}
	r.Time = time.Since(start)
	if p.machine != nil {
		r.Steps = p.machine.Steps
		p.hasHalves = p.hasHalves || p.machine.HasHalves
	}
	return r, p.hasHalves
}

func (c *Case) start(l forms.Limits) *proof {
	p := &proof{
		Calculator: spec.Calculator{Engine: forms.New(l)}, one: c,
		given: map[string]bool{}, used: map[string]bool{}, list: map[string]bool{}, results: map[string]word{},
		free: map[*machine.Object]bool{},
	}
	if aboutIntegers[c.Contract] {
		p.numbers = integers.New()
	}
	if aboutProducts[c.Contract] {
		p.products = products.New(p.Engine)
	}
	return p
}

func (p *proof) logic() machine.Logic {
	switch {
	case p.numbers != nil:
		return p.numbers
	case p.products != nil:
		return p.products
	}
	return p.Engine
}

func (p *proof) prove(fault *Fault, seen *Coverage) (err error) {
	k := p.one.Kernel
	if p.machine, err = machine.New(k.arch, k.source, k.Name, p.logic()); err != nil {
		return err
	}
	p.setVectors(p.machine)
	contracts[p.one.Contract](p)
	for _, name := range k.arguments {
		if !p.given[name] {
			return fmt.Errorf("the contract has no argument %s", name)
		}
	}
	for name := range p.given {
		if !slices.Contains(k.arguments, name) {
			return fmt.Errorf("the kernel has no argument %s", name)
		}
	}
	for name, t := range k.types {
		if p.list[name] {
			t.bytes = 0
		}
		if err := t.check(p.machine.Arguments[name]); err != nil {
			return fmt.Errorf("the argument %s: %w", name, err)
		}
	}
	for name, t := range k.results {
		if w, ok := p.results[name]; !ok {
			return fmt.Errorf("the contract has no result %s", name)
		} else if err := t.check(machine.Value{Bits: w}); err != nil {
			return fmt.Errorf("the result %s: %w", name, err)
		}
	}
	for name := range p.results {
		if _, ok := k.results[name]; !ok {
			return fmt.Errorf("the kernel has no result %s", name)
		}
	}
	p.placeStack(p.machine)
	for _, key := range p.one.keys {
		if !p.used[key] {
			return fmt.Errorf("the contract has no key %s", key)
		}
	}
	for _, o := range p.objects {
		o.Forget()
		o.ReadOnly = !p.free[o] && !slices.ContainsFunc(p.wanted, func(w wanted) bool { return w.object == o })
	}
	fault.plant(p.machine)
	stack := p.machine.R[p.machine.Arch.SP]
	p.machine.Before = func(in *machine.Instruction) (*machine.Instruction, error) {
		pc := p.machine.PC
		if seen != nil {
			seen.visit(pc)
		}
		p.renameHeld()
		if p.before != nil {
			if err := p.before(); err != nil {
				return nil, err
			}
		}
		return fault.instruction(pc, in), nil
	}
	if seen != nil {
		p.machine.Condition = func(c machine.Bit) { seen.choose(p.machine.PC-1, c) }
	}
	if err := p.machine.Run(maxSteps); err != nil {
		return err
	}
	if seen != nil {
		seen.end()
	}
	if sp := p.machine.R[p.machine.Arch.SP]; sp.Object != stack.Object || sp.Offset != stack.Offset {
		return fmt.Errorf("the stack pointer is not what it was")
	}
	for name := range p.machine.Results {
		if p.results[name] == nil && !p.given[name] { // the memory of arguments belongs to the kernel
			return fmt.Errorf("the result %s is not compared", name)
		}
	}
	if p.final != nil {
		p.final()
	}
	if p.claims != nil {
		if err := p.claims(); err != nil {
			return err
		}
	}
	return p.compare()
}

// placeStack says where the frame is modulo 64, for kernels that align a pointer into it.
func (p *proof) placeStack(m *machine.Machine) {
	if p.has("stack") {
		m.Stack.Align, m.Stack.At = 64, int64(p.int("stack"))
	}
}

// setVectors says how long vectors of riscv64 are, and whether the CPU processes half of the elements where it may: see
// package machine.
func (p *proof) setVectors(m *machine.Machine) {
	if p.has("vlen") {
		m.VLEN = p.int("vlen")
	}
	m.Halves = p.halves
}

// check compares the value that a contract gives with the type in the declaration.
func (t argumentType) check(v machine.Value) error {
	switch {
	case t.pointer && v.Object == nil:
		if c, ok := v.Bits.Constant(); !ok || c != 0 {
			return errors.New("a number for a pointer")
		}
	case t.pointer && t.bytes > 0 && v.Object.High > v.Offset+t.bytes:
		return fmt.Errorf("%d bytes for %d", v.Object.High-v.Offset, t.bytes)
	case !t.pointer && t.bits > 0 && (v.Object != nil || len(v.Bits) != t.bits):
		return fmt.Errorf("%d bits for %d", len(v.Bits), t.bits)
	}
	return nil
}

// compare compares memory and results with what is wanted.
func (p *proof) compare() error {
	for name, want := range p.results {
		got, ok := p.machine.Results[name]
		switch {
		case !ok:
			return fmt.Errorf("the result %s was not written", name)
		case got.Object != nil:
			return fmt.Errorf("the result %s is an address", name)
		}
		if err := p.same("the result "+name, got.Bits, want); err != nil {
			return err
		}
	}
	covered := map[*machine.Object]map[int64]bool{}
	for _, w := range p.wanted {
		if covered[w.object] == nil {
			covered[w.object] = map[int64]bool{}
		}
		for i := range max(w.n, int64(len(w.word)/8)) {
			covered[w.object][w.at+i] = true
		}
		if w.word == nil {
			continue
		}
		if err := p.same(fmt.Sprintf("%s+%d", w.object.Name, w.at), w.object.Bits(p.Engine, w.at, int64(len(w.word)/8)), w.word); err != nil {
			return err
		}
	}
	for _, o := range p.objects {
		if p.free[o] {
			continue
		}
		for _, at := range o.Written() {
			if !covered[o][at] {
				return fmt.Errorf("%s+%d was written", o.Name, at)
			}
		}
	}
	return nil
}

// same returns nil if two words are equal.
func (p *proof) same(name string, got, want word) error {
	if len(got) != len(want) {
		return fmt.Errorf("%s has %d bits, not %d", name, len(got), len(want))
	}
	for i := range got {
		if got[i] == want[i] {
			continue
		}
		name := fmt.Sprintf("bit %d of %s", i, name)
		a, okA := p.values(got[i])
		b, okB := p.values(want[i])
		if a != b && okA && okB {
			return wrong{name, bits.TrailingZeros64(a ^ b)}
		}
		return fmt.Errorf("%s: not proven: %s, want %s", name, p.describe(got[i]), p.describe(want[i]))
	}
	return nil
}

// values are those of a bit for random inputs, if they are known.
func (p *proof) values(b bit) (uint64, bool) {
	if p.products != nil {
		return p.products.Values(b)
	}
	return p.Values(b), true
}

func (p *proof) describe(b bit) string {
	if p.products != nil {
		return p.products.String(b)
	}
	return p.String(b)
}

// What contracts use.

func failed(format string, args ...any) { panic(machine.Unsupported(fmt.Sprintf(format, args...))) }

// has reports whether the directive has a key.
func (p *proof) has(key string) bool { _, ok := p.one.values[key]; return ok }

// text returns the value of a key.
func (p *proof) text(key string) string {
	v, ok := p.one.values[key]
	if !ok {
		failed("the directive has no %s", key)
	}
	p.used[key] = true
	return v
}

// int returns the value of a key as a number.
func (p *proof) int(key string) int {
	n, err := strconv.Atoi(p.text(key))
	if err != nil {
		failed("%s: %v", key, err)
	}
	return n
}

// data are names of arguments that have bytes.
var data = []string{"dst", "src", "iv", "mac", "counter", "tweak", "y", "p"}

// object returns memory of unknown contents.
func (p *proof) object(name string, size int) *machine.Object {
	o := machine.NewObject(name, int64(size))
	o.Align = 1
	if p.machine.Arch.Name == "riscv64" {
		// All accesses are aligned. With the key at, data are not at a multiple of 8, but keys are.
		if o.Align = 8; p.has("at") && slices.Contains(data, name) {
			o.At = int64(p.int("at"))
		}
	}
	p.objects = append(p.objects, o)
	return o
}

// memory returns what a pointer points to.
func (p *proof) memory(name string, size int) *machine.Object {
	o := p.object(name, size)
	p.pointer(name, o)
	return o
}

// pointer sets an argument to the address of an object. A slice is all of it, in bytes.
func (p *proof) pointer(name string, o *machine.Object) {
	if p.one.Kernel.slices[name] {
		p.number(name+"_len", int(o.High))
		name += "_base"
	}
	p.argument(name, machine.Address(o, 0))
}

func (p *proof) argument(name string, v machine.Value) {
	p.machine.Arguments[name] = v
	p.given[name] = true
}

// number sets an argument.
func (p *proof) number(name string, v int) { p.argument(name, machine.Number(uint64(v), 64)) }

func (p *proof) read(o *machine.Object, at, n int) word {
	return o.Bits(p.Engine, int64(at), int64(n))
}

// set puts a word into memory before the kernel runs.
func (p *proof) set(o *machine.Object, at int, w word) { o.Set(int64(at), machine.Value{Bits: w}) }

// want says what shall be in memory.
func (p *proof) want(o *machine.Object, at int, w word) {
	p.wanted = append(p.wanted, wanted{object: o, at: int64(at), word: w})
}

// result says what the kernel shall return.
func (p *proof) result(name string, w word) { p.results[name] = w }

// mayWrite says that bytes may be anything afterwards.
func (p *proof) mayWrite(o *machine.Object, at, n int) {
	p.wanted = append(p.wanted, wanted{object: o, at: int64(at), n: int64(n)})
}

// unknown returns a word of inputs.
func (p *proof) unknown(name string, n int) word {
	w := make(word, n)
	for i := range w {
		w[i] = p.Unknown(fmt.Sprint(name, ".", i))
	}
	return w
}

// inLane puts n unknown bytes of a lane into memory: see forms.Engine.Lane. Those of other lanes with the same
// name are renamed.
func (p *proof) inLane(lane int, name string, o *machine.Object, at, n int) word {
	const most = forms.MaxLanes
	w := p.Lane(1+lane%most, fmt.Sprint(name, lane/most), 8*n)
	p.set(o, at, w)
	return w
}

// inPasses runs the specification of some blocks at a time: that of the next ones when those before
// are all stored at dst. What registers and memory have then becomes unknown, but for what was
// equal, so that a proof takes the memory of a pass; and it is one for any values there.
func (p *proof) inPasses(dst *machine.Object, blocks, pass int, specify func(from, to int)) {
	specify(0, min(pass, blocks))
	stored, next := 0, pass
	p.machine.Store = func(at machine.Value, w word) word {
		if at.Object == dst {
			stored += len(w)
		}
		return w
	}
	p.before = func() error {
		if next < blocks && stored >= 128*next {
			p.forget()
			specify(next, min(next+pass, blocks))
			next += pass
		}
		return nil
	}
	p.final = func() {
		if next < blocks {
			failed("the kernel has not stored %d blocks", next)
		}
	}
}

// forget makes atoms unknown, and keeps what the machine has.
func (p *proof) forget() {
	var keep []bit
	for _, v := range p.machine.R {
		keep = append(keep, v.Bits...)
	}
	for _, w := range append(p.machine.V[:], p.machine.K[:]...) {
		keep = append(keep, machine.Known(w)...)
	}
	for _, o := range append(p.objects, p.machine.Stack) {
		o.Each(func(b bit) { keep = append(keep, b) })
	}
	p.Forget(keep...)
}

// run executes another kernel of the folder, for arguments as it makes them.
func (p *proof) run(name string, arguments map[string]machine.Value) {
	k := p.one.Kernel.siblings[name]
	if k == nil {
		failed("there is no kernel %s", name)
	}
	m, err := machine.New(p.machine.Arch, k.source, name, p.Engine)
	if err == nil {
		p.setVectors(m)
		for name, v := range arguments {
			m.Arguments[name] = v
		}
		err = m.Run(maxSteps)
		p.hasHalves = p.hasHalves || m.HasHalves
	}
	if err != nil {
		failed("%s: %v", name, err)
	}
}
