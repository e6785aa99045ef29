package ssa

import (
	"math/rand/v2"
	"testing"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// A machine does what a stream of sums, loads and stores says.
type machine map[string]uint64

func (m machine) run(t *testing.T, s asm.Stream) {
	for _, o := range s {
		operands := o.Native.(*ir.Instruction).Operands
		at := func(i int) uint64 {
			v, ok := m[operands[i].Asm()]
			if !ok {
				t.Fatalf("%s: nothing is in %s", o.Text, operands[i].Asm())
			}
			return v
		}
		to := operands[len(operands)-1].Asm()
		switch o.Name {
		case "VMOVDQA64":
			m[to] = at(0)
		case "VPXORD":
			m[to] = at(0) ^ at(1)
		case "VPTERNLOGD":
			if operands[0] != operand.Op(operand.U8(0x96)) {
				t.Fatal("not a sum: ", o.Text)
			}
			m[to] ^= at(1) ^ at(2)
		default:
			t.Fatal("unknown: ", o.Text)
		}
	}
}

func memory(i int) operand.Mem { return operand.Mem{Base: reg.RAX, Disp: 64 * i} }

func size(v amd64.Vec) amd64.Vec { return v }

// TestStream runs the instructions of random code, in few registers, and compares results
// and stored values with what the code says.
func TestStream(t *testing.T) {
	moves := 0
	for seed := range uint64(4000) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		const registers, inputs, stored = 9, 4, 100
		pool := amd64.ZMM[:registers]
		m, want := machine{}, machine{}
		values := map[Value]uint64{}
		in := map[Value]amd64.Vec{}
		var list []Value // what operations may use; the oldest ones are dropped
		for i := range inputs {
			v := New()
			values[v], in[v] = rnd.Uint64(), pool[i]
			m[pool[i].Asm()] = values[v]
			list = append(list, v)
		}
		for i := range 8 {
			m[memory(i).Asm()] = rnd.Uint64()
		}
		var c Code
		for i := range 1 + rnd.IntN(20) {
			pick := func() Value { return list[rnd.IntN(len(list))] }
			x, y, z, mem := pick(), pick(), pick(), memory(rnd.IntN(8))
			var v Value
			var result uint64
			switch rnd.IntN(6) {
			case 0:
				v, result = c.Load(mem), m[mem.Asm()]
			case 1:
				v, result = c.Xor(x, y), values[x]^values[y]
			case 2:
				v, result = c.XorMemory(x, mem), values[x]^m[mem.Asm()]
			case 3:
				v, result = c.Xor3(x, y, z), values[x]^values[y]^values[z]
			case 4:
				v, result = c.Xor3Memory(x, y, mem), values[x]^values[y]^m[mem.Asm()]
			case 5:
				c.Store(x, memory(stored+i))
				want[memory(stored+i).Asm()] = values[x]
				continue
			}
			values[v] = result
			list = append(list, v)
			if len(list) > 4 {
				list = list[1:]
			}
		}
		out := map[Value]amd64.Vec{}
		for i, k := range rnd.Perm(len(list)) {
			out[list[i]] = pool[k]
			want[pool[k].Asm()] = values[list[i]]
		}
		if seed%2 == 0 {
			c.Prune(out)
		}
		s := c.Stream(pool, in, out, size)
		m.run(t, s)
		for place, v := range want {
			if m[place] != v {
				t.Fatalf("seed %d: %s is wrong", seed, place)
			}
		}
		for _, o := range s {
			if o.Name == "VMOVDQA64" && o.Memory == asm.NoMemory {
				moves++
			}
		}
	}
	t.Log(moves, "moves")
}

// TestCycle exchanges two values, which takes a third register.
func TestCycle(t *testing.T) {
	a, b := New(), New()
	x, y := amd64.ZMM[0], amd64.ZMM[1]
	m := machine{x.Asm(): 1, y.Asm(): 2}
	var c Code
	m.run(t, c.Stream(amd64.ZMM[:3], map[Value]amd64.Vec{a: x, b: y}, map[Value]amd64.Vec{a: y, b: x}, size))
	if m[x.Asm()] != 2 || m[y.Asm()] != 1 {
		t.Error(m)
	}
}

// TestPrune: what nothing needs goes, with what only that needs; stores stay.
func TestPrune(t *testing.T) {
	var c Code
	a := c.Load(memory(0))
	b := c.Load(memory(1))
	c.Xor(a, b)
	c.Store(a, memory(2))
	c.Prune(nil)
	if n := len(c.Stream(amd64.ZMM[:1], nil, nil, size)); n != 2 {
		t.Errorf("%d instructions, want a load and a store", n)
	}
}

// TestRegisters: three values do not fit into two registers.
func TestRegisters(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("values share a register")
		}
	}()
	var c Code
	x, y, z := c.Load(memory(0)), c.Load(memory(1)), c.Load(memory(2))
	c.Store(c.Xor3(x, y, z), memory(3))
	c.Stream(amd64.ZMM[:2], nil, nil, size)
}
