package main

import "slices"

// A step is one statement of a generated function: a gate, the making of an
// input, or the use of an output.
type step struct {
	text string
	uses []int // values it reads
	defs []int // values it makes
	temp int   // registers it needs besides
}

// order permutes the steps so that few values have to leave the registers: the
// Go compiler keeps the order of the source and spills what does not fit. The
// first values, args in number, are there from the start.
//
// The method is late acceptance hill climbing: a step moves to a random place,
// and stays there if that is no worse than what was reached some time ago.
func order(steps []step, args, tries int, rnd *random) []step {
	m := newSpillModel(steps, args)
	now := slices.Clone(steps)
	cost := m.cost(now)
	best, bestCost := slices.Clone(now), cost
	history := slices.Repeat([]int{cost}, 2000)
	for try := range tries {
		from, to := rnd.intn(len(now)), rnd.intn(len(now))
		if !movable(now, from, to) {
			continue
		}
		move(now, from, to)
		c, earlier := m.cost(now), &history[try%len(history)]
		if c > cost && c > *earlier {
			move(now, to, from)
			continue
		}
		cost = c
		*earlier = min(*earlier, cost)
		if cost < bestCost {
			bestCost = cost
			copy(best, now)
		}
	}
	return best
}

func move(steps []step, from, to int) {
	s := steps[from]
	if from < to {
		copy(steps[from:to], steps[from+1:to+1])
	} else {
		copy(steps[to+1:from+1], steps[to:from])
	}
	steps[to] = s
}

// movable reports whether after a move every value would still be made before
// it is read.
func movable(steps []step, from, to int) bool {
	for i := from + 1; i <= to; i++ {
		for _, v := range steps[i].uses {
			if slices.Contains(steps[from].defs, v) {
				return false
			}
		}
	}
	for i := to; i < from; i++ {
		for _, v := range steps[i].defs {
			if slices.Contains(steps[from].uses, v) {
				return false
			}
		}
	}
	return true
}

// registers are those of the Go compiler on amd64: sixteen less the stack
// pointer, the frame pointer and the goroutine.
const registers = 13

// A spillModel counts the moves that Go's register allocator adds to a
// sequence of steps on a machine with two-operand instructions.
type spillModel struct {
	args   int
	next   []int    // of each value: the step that reads it next
	after  [][9]int // of each operand of each step: the same, after that step
	live   []int    // values in registers
	stored []bool   // values in memory
}

const noUse = 1 << 30

func newSpillModel(steps []step, args int) *spillModel {
	values := 0
	for _, s := range steps {
		values = max(values, slices.Max(append(slices.Clone(s.uses), s.defs...))+1)
	}
	return &spillModel{args: args, next: make([]int, values), after: make([][9]int, len(steps)), stored: make([]bool, values)}
}

func (m *spillModel) cost(steps []step) int {
	clear(m.stored)
	for v := range m.next {
		m.next[v] = noUse
	}
	for i := len(steps) - 1; i >= 0; i-- {
		for k, v := range steps[i].uses {
			m.after[i][k], m.next[v] = m.next[v], i
		}
	}
	m.live = m.live[:0]
	for v := range m.args {
		m.live = append(m.live, v)
	}
	moves := 0
	for i := range steps {
		s := &steps[i]
		for _, v := range s.uses {
			if !slices.Contains(m.live, v) {
				moves += 1 + m.free(1, s.uses)
				m.live = append(m.live, v)
			}
		}
		survivors := 0
		for k, v := range s.uses {
			m.next[v] = m.after[i][k]
			if m.next[v] != noUse {
				survivors++
			} else {
				m.live = slices.DeleteFunc(m.live, func(l int) bool { return l == v })
			}
		}
		if isGate := len(s.uses) == 2 && len(s.defs) == 1; isGate && survivors == 2 {
			if len(m.live) == registers {
				// The allocator has the result overwrite an operand, whichever.
				v := s.uses[0]
				if m.next[s.uses[1]] < m.next[v] {
					v = s.uses[1]
				}
				moves += m.drop(slices.Index(m.live, v))
			} else {
				moves++ // a copy to overwrite
			}
		}
		moves += m.free(len(s.defs)+s.temp, s.uses)
		m.live = append(m.live, s.defs...)
	}
	return moves
}

// free makes room for n values by dropping those that are needed last.
func (m *spillModel) free(n int, keep []int) (stores int) {
	for len(m.live)+n > registers {
		last := -1
		for i, v := range m.live {
			if !slices.Contains(keep, v) && (last < 0 || m.next[v] > m.next[m.live[last]]) {
				last = i
			}
		}
		stores += m.drop(last)
	}
	return stores
}

// drop takes a value out of its register. It is stored once at most.
func (m *spillModel) drop(i int) (stores int) {
	v := m.live[i]
	m.live[i] = m.live[len(m.live)-1]
	m.live = m.live[:len(m.live)-1]
	if m.stored[v] {
		return 0
	}
	m.stored[v] = true
	return 1
}
