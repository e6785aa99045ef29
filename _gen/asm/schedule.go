package asm

import (
	"fmt"
	"slices"
)

// A Model is what the scheduler knows of a CPU. Times are in cycles. Its comment has the
// sources.
type Model struct {
	Name string
	// Width is how many instructions start in a cycle.
	Width int
	// Units is how many units of each kind there are.
	Units map[string]int
	// Cost returns what an instruction takes.
	Cost func(o Op) Cost
	// Window, if it is not 0, is how far an instruction can move ahead of those before it: less
	// than so many instructions. It limits how many registers are needed at once.
	Window int
	// Wait, if it is not nil, returns after how many cycles to can use a result of from.
	// Otherwise that is the latency of from.
	Wait func(from, to Op) int
}

// A Cost is the unit that an instruction occupies, for how long, and when its results are
// ready.
type Cost struct {
	Unit    string
	Busy    int
	Latency int
}

// Schedule orders straight-line code for a CPU: of the instructions that are ready it takes
// the one that the longest chain depends on. It keeps the order of instructions that
// depend on each other through registers or memory. Labels, comments and branches stay
// where they are, and nothing moves across them.
func Schedule(s Stream, m *Model) Stream {
	var out Stream
	for len(s) > 0 {
		n := slices.IndexFunc(s, Op.fixed)
		switch n {
		case 0:
			out, s = append(out, s[0]), s[1:]
			continue
		case -1:
			n = len(s)
		}
		out, s = append(out, m.order(s[:n])...), s[n:]
	}
	return out
}

// joined returns straight-line code with fused instructions as one, and the parts of each.
func joined(s Stream) (whole Stream, parts []Stream) {
	for len(s) > 0 {
		n := 1
		for s[n-1].Fused && n < len(s) {
			n++
		}
		o := s[0]
		for _, p := range s[1:n] {
			o.Reads, o.Writes = slices.Concat(o.Reads, p.Reads), slices.Concat(o.Writes, p.Writes)
			if p.Memory != NoMemory && o.Memory != NoMemory {
				panic("asm: fused instructions that both use memory")
			}
			if p.Memory != NoMemory {
				o.Memory, o.Stream = p.Memory, p.Stream
			}
		}
		whole, parts, s = append(whole, o), append(parts, s[:n]), s[n:]
	}
	return whole, parts
}

// Cycles is the time that a CPU of the model needs for straight-line code in this order,
// until the last result is ready. It is a model, not a measurement.
func (m *Model) Cycles(s Stream) int {
	s, _ = joined(s)
	c := newClock(m)
	ready := make([]int, len(s))
	end := 0
	next, _ := m.graph(s)
	for k, o := range s {
		if o.fixed() {
			panic("asm: Cycles of code with labels, comments or branches")
		}
		cost := m.Cost(o)
		at := c.start(ready[k], cost)
		end = max(end, at+cost.Latency)
		for _, e := range next[k] {
			ready[e.to] = max(ready[e.to], at+e.wait)
		}
	}
	return end
}

// An edge is an instruction that must wait for another one.
type edge struct{ to, wait int }

// graph returns for each instruction those that depend on it, and for each one how many it
// depends on.
func (m *Model) graph(s Stream) (next [][]edge, before []int) {
	next, before = make([][]edge, len(s)), make([]int, len(s))
	connect := func(a, b, wait int) {
		next[a] = append(next[a], edge{b, wait})
		before[b]++
	}
	writer := map[Reg]int{}
	readers := map[Reg][]int{}
	var loads, stores []int
	for k, o := range s {
		for _, r := range o.Reads {
			if w, ok := writer[r]; ok {
				connect(w, k, m.wait(s[w], o))
			}
			readers[r] = append(readers[r], k)
		}
		for _, r := range o.Writes {
			for _, i := range readers[r] {
				if i != k {
					connect(i, k, 0)
				}
			}
			if w, ok := writer[r]; ok && w != k {
				connect(w, k, 1)
			}
			writer[r], readers[r] = k, nil
		}
		conflict := func(list []int, wait int) {
			for _, i := range list {
				if s[i].Stream == o.Stream || s[i].Stream == "" || o.Stream == "" {
					connect(i, k, wait)
				}
			}
		}
		switch o.Memory {
		case Load:
			conflict(stores, 1)
			loads = append(loads, k)
		case Store:
			conflict(loads, 0)
			conflict(stores, 0)
			stores = append(stores, k)
		}
	}
	return next, before
}

func (m *Model) wait(from, to Op) int {
	if m.Wait != nil {
		return m.Wait(from, to)
	}
	return m.Cost(from).Latency
}

// order returns straight-line code in the order of a list scheduler.
func (m *Model) order(s Stream) Stream {
	s, parts := joined(s)
	next, before := m.graph(s)
	// How long the code is from each instruction to the end.
	urgency := make([]int, len(s))
	for k := len(s) - 1; k >= 0; k-- {
		for _, e := range next[k] {
			urgency[k] = max(urgency[k], urgency[e.to]+e.wait)
		}
	}
	earliest := make([]int, len(s))
	var ready []int
	for k := range s {
		if before[k] == 0 {
			ready = append(ready, k)
		}
	}
	c := newClock(m)
	var out Stream
	started := 0
	done, oldest := make([]bool, len(s)), 0
	for ; len(ready) > 0; started++ {
		for done[oldest] {
			oldest++
		}
		// The most urgent one of those that can start first.
		best, cycle := -1, 0
		for i, k := range ready {
			if m.Window > 0 && k >= oldest+m.Window {
				continue
			}
			at := c.free(earliest[k], m.Cost(s[k]))
			b := -1
			if best >= 0 {
				b = ready[best]
			}
			if b < 0 || at < cycle || at == cycle && (urgency[k] > urgency[b] || urgency[k] == urgency[b] && k < b) {
				best, cycle = i, at
			}
		}
		k := ready[best]
		ready = slices.Delete(ready, best, best+1)
		at := c.start(earliest[k], m.Cost(s[k]))
		out = append(out, parts[k]...)
		done[k] = true
		for _, e := range next[k] {
			earliest[e.to] = max(earliest[e.to], at+e.wait)
			if before[e.to]--; before[e.to] == 0 {
				ready = append(ready, e.to)
			}
		}
	}
	if started != len(s) {
		panic("asm: instructions depend on each other in a cycle")
	}
	return out
}

// A clock is a CPU that starts instructions in order.
type clock struct {
	m     *Model
	now   int              // cycle of the last start
	count int              // instructions that started in it
	busy  map[string][]int // until when each unit is
}

func newClock(m *Model) *clock {
	c := &clock{m: m, busy: map[string][]int{}}
	for name, n := range m.Units {
		c.busy[name] = make([]int, n)
	}
	return c
}

// free returns when an instruction can start whose operands are there at cycle ready.
func (c *clock) free(ready int, cost Cost) int {
	units, ok := c.busy[cost.Unit]
	if !ok {
		panic(fmt.Sprintf("asm: model %s has no unit %q", c.m.Name, cost.Unit))
	}
	at := max(c.now, ready, slices.Min(units))
	if at == c.now && c.count == c.m.Width {
		at++
	}
	return at
}

// start starts an instruction and returns the cycle.
func (c *clock) start(ready int, cost Cost) int {
	at := c.free(ready, cost)
	if at > c.now {
		c.now, c.count = at, 0
	}
	c.count++
	units := c.busy[cost.Unit]
	first := slices.Index(units, slices.Min(units))
	units[first] = at + cost.Busy
	return at
}
