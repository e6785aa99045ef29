// Package ssa is straight-line vector code for AVX-512 over values that are assigned once.
// A generator writes what is computed, in the order that makes it fast. The package chooses
// the registers.
//
// It does so in the order of the code. A result takes the first register of the pool that
// is free, and a register is free after the last use of its value. Two rules save moves:
//
//   - A sum of three overwrites one of its terms, which is one that is not used again, if
//     there is one. Otherwise a term is copied first.
//   - A result that must end in a certain register goes there from the start if the
//     register is free. So does a term that its sum will overwrite.
//
// Nothing is spilled. If the registers do not suffice, Stream panics.
package ssa

import (
	"github.com/mmcloughlin/avo/operand"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// An Emitter returns the instructions of an operation, for the registers of its result and
// its sources. The result may have the register of a source.
type Emitter func(result amd64.Vec, sources []amd64.Vec) asm.Stream

// A Value is the result of an operation, or comes from outside.
type Value *int

// New returns a value that comes from outside: it is in the map in of [Code.Stream].
func New() Value { return new(int) }

// A Code is operations in order.
type Code struct{ ops []operation }

type operation struct {
	result  Value // nil: there is none
	sources []Value
	emit    Emitter    // nil: a sum of three
	memory  operand.Op // the last term of a sum of three, unless it is a value
}

// Do appends an operation.
func (c *Code) Do(emit Emitter, sources ...Value) Value {
	v := New()
	c.ops = append(c.ops, operation{result: v, sources: sources, emit: emit})
	return v
}

// Load appends a load of aligned memory, Store a store.
func (c *Code) Load(m operand.Mem) Value {
	return c.Do(func(d amd64.Vec, _ []amd64.Vec) asm.Stream { return asm.Stream{amd64.VMOVDQA64(m, d)} })
}

func (c *Code) Store(v Value, m operand.Mem) {
	c.ops = append(c.ops, operation{sources: []Value{v}, emit: func(_ amd64.Vec, s []amd64.Vec) asm.Stream {
		return asm.Stream{amd64.VMOVDQA64(s[0], m)}
	}})
}

// Xor appends the sum of two values.
func (c *Code) Xor(a, b Value) Value {
	return c.Do(func(d amd64.Vec, s []amd64.Vec) asm.Stream { return asm.Stream{amd64.VPXORD(s[1], s[0], d)} }, a, b)
}

// XorMemory appends the sum of a value and memory.
func (c *Code) XorMemory(a Value, m operand.Mem) Value {
	return c.Do(func(d amd64.Vec, s []amd64.Vec) asm.Stream { return asm.Stream{amd64.VPXORD(m, s[0], d)} }, a)
}

// XorWord appends the sum of a value and a word in memory, for each of its words; XorQuad that
// of 8 bytes, for each of its 8 bytes.
func (c *Code) XorWord(a Value, m operand.Mem) Value {
	return c.Do(func(d amd64.Vec, s []amd64.Vec) asm.Stream { return asm.Stream{amd64.VPXORD_BCST(m, s[0], d)} }, a)
}

func (c *Code) XorQuad(a Value, m operand.Mem) Value {
	return c.Do(func(d amd64.Vec, s []amd64.Vec) asm.Stream { return asm.Stream{amd64.VPXORQ_BCST(m, s[0], d)} }, a)
}

// Xor3 appends the sum of three values, Xor3Memory that of two and memory. CPUs are
// fastest if the term that is overwritten is the one that comes last.
func (c *Code) Xor3(x, y, z Value) Value {
	v := New()
	c.ops = append(c.ops, operation{result: v, sources: []Value{x, y, z}})
	return v
}

func (c *Code) Xor3Memory(x, y Value, m operand.Mem) Value {
	v := New()
	c.ops = append(c.ops, operation{result: v, sources: []Value{x, y}, memory: m})
	return v
}

// Append appends other code. It may use values of c.
func (c *Code) Append(other *Code) { c.ops = append(c.ops, other.ops...) }

// Prune removes what neither the values of out nor a store needs.
func (c *Code) Prune(out map[Value]amd64.Vec) {
	needed := map[Value]bool{}
	for v := range out {
		needed[v] = true
	}
	var ops []operation
	for i := len(c.ops) - 1; i >= 0; i-- {
		o := c.ops[i]
		if o.result != nil && !needed[o.result] {
			continue
		}
		for _, v := range o.sources {
			needed[v] = true
		}
		ops = append([]operation{o}, ops...)
	}
	c.ops = ops
}

// Emit writes the instructions of [Code.Stream].
func (c *Code) Emit(pool []amd64.Vec, in, out map[Value]amd64.Vec, size func(amd64.Vec) amd64.Vec) {
	amd64.Write(c.Stream(pool, in, out, size))
}

// Stream returns the instructions. in says where values from outside are, out where values
// must be at the end. pool is the registers that can be used, those of in and out among
// them. size returns a register in the width that the code is for.
func (c *Code) Stream(pool []amd64.Vec, in, out map[Value]amd64.Vec, size func(amd64.Vec) amd64.Vec) (stream asm.Stream) {
	a := newAllocator(c.ops, pool, in, out)
	for i, o := range c.ops {
		sources := make([]amd64.Vec, len(o.sources))
		for k, v := range o.sources {
			if a.registers[v] == nil {
				panic("ssa: a value is used before it is computed")
			}
			sources[k] = size(a.registers[v])
		}
		if o.emit == nil {
			if k := a.overwritten(i); k >= 0 {
				sources[0], sources[k] = sources[k], sources[0]
				a.move(o.sources[k], o.result)
			} else {
				stream.Add(amd64.VMOVDQA64(sources[0], size(a.take(o.result))))
			}
			d := size(a.registers[o.result])
			if o.memory != nil {
				stream.Add(amd64.VPTERNLOGD(operand.U8(xor3), o.memory, sources[1], d))
			} else {
				stream.Add(amd64.VPTERNLOGD(operand.U8(xor3), sources[2], sources[1], d))
			}
			a.freeSources(i)
			continue
		}
		a.freeSources(i)
		if o.result == nil {
			stream.Add(o.emit(nil, sources)...)
			continue
		}
		stream.Add(o.emit(size(a.take(o.result)), sources)...)
		if _, used := a.last[o.result]; !used {
			a.free(o.result)
		}
	}
	return append(stream, a.settle(out, size)...)
}

const xor3 = 0x96 // the truth table of a sum of three

// An allocator has the state of the registers at a place in the code.
type allocator struct {
	ops       []operation
	pool      []amd64.Vec
	last      map[Value]int       // the operation that uses a value last
	registers map[Value]amd64.Vec // of the values that are still needed
	taken     map[amd64.Vec]bool
	wanted    map[Value]amd64.Vec // where a value should go
	reserved  map[amd64.Vec]bool  // for results of the code: taken last
}

func newAllocator(ops []operation, pool []amd64.Vec, in, out map[Value]amd64.Vec) *allocator {
	a := &allocator{
		ops: ops, pool: pool,
		last: map[Value]int{}, registers: map[Value]amd64.Vec{}, taken: map[amd64.Vec]bool{},
		wanted: map[Value]amd64.Vec{}, reserved: map[amd64.Vec]bool{},
	}
	for i, o := range ops {
		for _, v := range o.sources {
			a.last[v] = i
		}
	}
	for v, r := range out {
		a.last[v], a.wanted[v], a.reserved[r] = len(ops), r, true
	}
	for v, r := range in {
		if _, used := a.last[v]; used {
			a.registers[v], a.taken[r] = r, true
		}
	}
	// A term that its sum will overwrite should be where the sum should go.
	for i := len(ops) - 1; i >= 0; i-- {
		o := ops[i]
		r, ok := a.wanted[o.result]
		if !ok || o.emit != nil {
			continue
		}
		for _, v := range o.sources {
			if _, isWanted := a.wanted[v]; a.last[v] == i && !isWanted {
				a.wanted[v] = r
				break
			}
		}
	}
	return a
}

// take gives a value a register.
func (a *allocator) take(v Value) amd64.Vec {
	if r, ok := a.wanted[v]; ok && !a.taken[r] {
		a.registers[v], a.taken[r] = r, true
		return r
	}
	for _, reserved := range []bool{false, true} {
		for _, r := range a.pool {
			if !a.taken[r] && (reserved || !a.reserved[r]) {
				a.registers[v], a.taken[r] = r, true
				return r
			}
		}
	}
	panic("ssa: out of registers")
}

func (a *allocator) free(v Value) {
	if r, ok := a.registers[v]; ok {
		delete(a.taken, r)
		delete(a.registers, v)
	}
}

// freeSources frees the registers of values that operation i is the last to use.
func (a *allocator) freeSources(i int) {
	for _, v := range a.ops[i].sources {
		if a.last[v] == i {
			a.free(v)
		}
	}
}

// move gives the register of one value to another.
func (a *allocator) move(from, to Value) {
	a.registers[to] = a.registers[from]
	delete(a.registers, from)
}

// overwritten returns which term of a sum of three is overwritten, or -1.
func (a *allocator) overwritten(i int) int {
	o, k := a.ops[i], -1
	r, ok := a.wanted[o.result]
	for n, v := range o.sources {
		if a.last[v] == i && (k < 0 || ok && r == a.registers[v]) {
			k = n
		}
	}
	return k
}

// settle returns the moves of the values of out that are elsewhere. A cycle of moves needs a free
// register.
func (a *allocator) settle(out map[Value]amd64.Vec, size func(amd64.Vec) amd64.Vec) (moves asm.Stream) {
	from := map[amd64.Vec]amd64.Vec{}
	for v, r := range out {
		if a.registers[v] != r {
			from[r] = a.registers[v]
		}
	}
	for len(from) > 0 {
		source := map[amd64.Vec]bool{}
		for _, s := range from {
			source[s] = true
		}
		if d, ok := first(a.pool, func(r amd64.Vec) bool { return from[r] != nil && !source[r] }); ok {
			moves.Add(amd64.VMOVDQA64(size(from[d]), size(d)))
			delete(from, d)
			continue
		}
		d, _ := first(a.pool, func(r amd64.Vec) bool { return from[r] != nil })
		spare, ok := first(a.pool, func(r amd64.Vec) bool { return !a.reserved[r] && !source[r] })
		if !ok {
			panic("ssa: no register for a cycle of moves")
		}
		s := from[d]
		moves.Add(amd64.VMOVDQA64(size(s), size(spare)))
		for k, v := range from {
			if v == s {
				from[k] = spare
			}
		}
	}
	return moves
}

func first(pool []amd64.Vec, f func(amd64.Vec) bool) (amd64.Vec, bool) {
	for _, r := range pool {
		if f(r) {
			return r, true
		}
	}
	return nil, false
}
