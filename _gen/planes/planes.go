// Package planes has what kernels on planes of bits in integer registers share: the instructions
// that all CPUs have, circuits with few registers, and transpositions.
package planes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/circuit/gates"
)

// A gate computes value number 8+i, i being its place in the circuit, from two others. Values
// 0 to 7 are the inputs.
type gate struct {
	op      string
	a, b, d int
	name    string
	afterA  int // where a and b are next needed
	afterB  int
}

// A Box is a circuit in an order that needs few registers. Inputs stay in memory, and are
// loaded again when there is no room for them, unless they are in registers from the start.
// Other values have places in memory for that.
type Box struct {
	gates     []gate
	outputs   [8]int
	registers int
	resident  bool // inputs are in registers
	next      []int
	Spilled   int // how many places it needs
}

// tries is how many changes of the order of a circuit are tried.
const tries = 300_000

// NewBox orders a circuit for a number of registers. Inputs are in memory.
func NewBox(c gates.Circuit, registers int) *Box { return newBox(c, registers, false, 1) }

// NewResidentBox is like NewBox for inputs in registers. Seeds give more or less moves.
func NewResidentBox(c gates.Circuit, registers int, seed uint64) *Box {
	return newBox(c, registers, true, seed)
}

func newBox(c gates.Circuit, registers int, resident bool, seed uint64) *Box {
	values := map[string]int{}
	for b := range 8 {
		values[fmt.Sprint("x", b)] = b
	}
	box := &Box{registers: registers, resident: resident, next: make([]int, 8+len(c.Gates))}
	for i, text := range c.Gates {
		t := strings.Fields(text)
		box.gates = append(box.gates, gate{op: t[3], a: values[t[2]], b: values[t[4]], d: 8 + i, name: t[0]})
		values[t[0]] = 8 + i
	}
	for b, name := range c.Outputs {
		box.outputs[b] = values[name]
	}

	// Late acceptance hill climbing: see order.go in _gen/circuit.
	random := rand.New(rand.NewPCG(seed, 2))
	cost := box.cost()
	best, bestCost := slices.Clone(box.gates), cost
	history := slices.Repeat([]int{cost}, 2000)
	for try := range tries {
		from, to := random.IntN(len(box.gates)), random.IntN(len(box.gates))
		if from == to || !box.movable(from, to) {
			continue
		}
		box.move(from, to)
		c, earlier := box.cost(), &history[try%len(history)]
		if c > cost && c > *earlier {
			box.move(to, from)
			continue
		}
		cost = c
		*earlier = min(*earlier, cost)
		if cost < bestCost {
			bestCost = cost
			copy(best, box.gates)
		}
	}
	copy(box.gates, best)
	return box
}

func (box *Box) move(from, to int) {
	g := box.gates[from]
	if from < to {
		copy(box.gates[from:to], box.gates[from+1:to+1])
	} else {
		copy(box.gates[to+1:from+1], box.gates[to:from])
	}
	box.gates[to] = g
}

// movable reports whether after a move every value would still be made before it is read.
func (box *Box) movable(from, to int) bool {
	g := box.gates[from]
	for _, o := range box.gates[min(from, to) : max(from, to)+1] {
		if from < to && (o.a == g.d || o.b == g.d) || from > to && (g.a == o.d || g.b == o.d) {
			return false
		}
	}
	return true
}

// cost is mostly how often values move between registers and memory, and also how many gates
// wait for the one before.
func (box *Box) cost() int {
	moves, waits := 0, 0
	at := box.steps()
	box.walk(func(m move, v int) {
		moves++
		if box.resident {
			moves += at(m, v)
		}
	}, func(g *gate) {})
	for i := range box.gates[1:] {
		if d, g := box.gates[i].d, box.gates[i+1]; g.a == d || g.b == d {
			waits++
		}
	}
	return 8*moves + waits
}

type move int

const (
	loadInput move = iota
	spill
	reload
)

const (
	unused = math.MaxInt     // never read again
	result = math.MaxInt - 1 // read at the end
)

// walk calls moved for every value that moves, and computed for every gate, in the order of
// execution. The value that is needed last leaves its register first.
func (box *Box) walk(moved func(m move, value int), computed func(g *gate)) {
	next := box.next
	for v := range next {
		next[v] = unused
	}
	for _, v := range box.outputs {
		next[v] = result
	}
	for i := len(box.gates) - 1; i >= 0; i-- {
		g := &box.gates[i]
		g.afterA, g.afterB = next[g.a], next[g.b]
		next[g.a], next[g.b] = i, i
	}
	var live []int
	if box.resident {
		live = []int{0, 1, 2, 3, 4, 5, 6, 7}
	}
	var stored [200]bool
	room := func(keep ...int) {
		for len(live) >= box.registers {
			last := -1
			for i, v := range live {
				if !slices.Contains(keep, v) && (last < 0 || next[v] > next[live[last]]) {
					last = i
				}
			}
			v := live[last]
			if (v >= 8 || box.resident) && !stored[v] {
				stored[v] = true
				moved(spill, v)
			}
			live = slices.Delete(live, last, last+1)
		}
	}
	for i := range box.gates {
		g := &box.gates[i]
		for _, v := range [...]int{g.a, g.b} {
			if !slices.Contains(live, v) {
				room(g.a, g.b)
				live = append(live, v)
				if v < 8 && !box.resident {
					moved(loadInput, v)
				} else {
					moved(reload, v)
				}
			}
		}
		next[g.a], next[g.b] = g.afterA, g.afterB
		for _, v := range [...]int{g.a, g.b} {
			if next[v] == unused {
				live = slices.DeleteFunc(live, func(l int) bool { return l == v })
			}
		}
		room()
		live = append(live, g.d)
		computed(g)
	}
}

// Add adds the circuit to a function. Inputs are at in from base on, one after the other, and
// the places of other values at spilled. It returns the results.
func (box *Box) Add(f *asm.Func, m *Machine, base asm.Reg, in, spilled int) (out [8]asm.Reg) {
	registers := map[int]asm.Reg{}
	places := map[int]int{}
	box.walk(func(moved move, v int) {
		switch moved {
		case loadInput:
			registers[v] = m.New(f, fmt.Sprint("x", v))
			f.Add(m.Load(in+m.Word*v, base, registers[v]))
		case spill:
			places[v] = spilled + m.Word*len(places)
			f.Add(m.Store(registers[v], places[v], base))
		case reload:
			registers[v] = m.New(f, "again")
			f.Add(m.Load(places[v], base, registers[v]))
		}
	}, func(g *gate) {
		d := m.New(f, g.name)
		a, b := registers[g.a], registers[g.b]
		switch g.op {
		case "^":
			f.Add(m.XOR(a, b, d))
		case "&":
			f.Add(m.AND(a, b, d))
		case "|":
			f.Add(m.OR(a, b, d))
		}
		registers[g.d] = d
	})
	box.Spilled = len(places)
	for b, v := range box.outputs {
		out[b] = registers[v]
	}
	return out
}

// steps returns a function that follows the moves. It returns 1 if the place of the value is
// neither that of the move before nor next to it: then the address takes an instruction.
func (box *Box) steps() func(m move, v int) int {
	var place [200]int
	places, now := 0, 0
	return func(m move, v int) int {
		if m == spill {
			place[v] = places
			places++
		}
		jumps := place[v] < now-1 || place[v] > now+1
		if now = place[v]; jumps {
			return 1
		}
		return 0
	}
}

// An Emitter makes the instructions of a circuit from the names of values. A value moves to or
// from its place in memory, the next move is so many places further.
type Emitter struct {
	Gate          func(op, a, b, d string)
	Spill, Reload func(value string, step int)
}

// Each calls an emitter for a circuit whose inputs x0 to x7 are in registers, and returns the
// names of the results. The first and the last move are at place 0, as it were.
func (box *Box) Each(m Emitter) (out [8]string) {
	name := func(v int) string {
		if v < 8 {
			return fmt.Sprint("x", v)
		}
		i := slices.IndexFunc(box.gates, func(g gate) bool { return g.d == v })
		return box.gates[i].name
	}
	places := map[int]int{}
	var visits []int
	box.walk(func(kind move, v int) {
		if kind == spill {
			places[v] = len(places)
		}
		visits = append(visits, places[v])
	}, func(*gate) {})
	visits = append(visits, 0)
	box.Spilled = len(places)
	i := 0
	box.walk(func(kind move, v int) {
		step := visits[i+1] - visits[i]
		if i++; kind == spill {
			m.Spill(name(v), step)
		} else {
			m.Reload(name(v), step)
		}
	}, func(g *gate) { m.Gate(g.op, name(g.a), name(g.b), g.name) })
	for b, v := range box.outputs {
		out[b] = name(v)
	}
	return out
}

// Masks are constants of alternating groups of n bits, the lower ones set.
type Masks struct {
	machine   *Machine
	registers map[int]asm.Reg
}

// NewMasks loads constants for groups of n bits.
func NewMasks(f *asm.Func, m *Machine, n ...int) Masks {
	masks := Masks{m, map[int]asm.Reg{}}
	for _, n := range n {
		masks.registers[n] = m.New(f, fmt.Sprint("mask", n))
		f.Add(m.Constant(^uint64(0)>>(64-8*m.Word)/(1<<n+1), masks.registers[n], m.New(f, "t"))...)
	}
	return masks
}

// Swap exchanges the bits of b under the mask for n with those of a n places higher.
func (m Masks) Swap(f *asm.Func, n int, a, b asm.Reg) {
	t := m.machine.New(f, "t")
	f.Add(
		m.machine.ShiftRight(n, a, t),
		m.machine.XOR(b, t, t),
		m.machine.AND(m.registers[n], t, t),
		m.machine.XOR(t, b, b),
		m.machine.ShiftLeft(n, t, t),
		m.machine.XOR(t, a, a),
	)
}

// Transpose swaps the index of a word with that of a bit in its bytes.
func (m Masks) Transpose(f *asm.Func, x []asm.Reg) {
	f.Scheduled(m.machine.Model, func() {
		for _, n := range []int{4, 2, 1} {
			for i := range x {
				if i&n == 0 {
					m.Swap(f, n, x[i], x[i+n])
				}
			}
		}
	})
}
