package asm

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A group is virtual registers that get consecutive numbers. Most have one.
type group struct {
	name  string
	class Class
	first int // N of the first one
	size  int
	align int // the number of the first one is a multiple of it
	fixed int // the number that it must have, or -1
	mark  int // the instruction that first uses it
}

// liveness returns, for each instruction, the registers whose values are needed after it.
func liveness(ops Stream) []map[Reg]bool {
	labels := map[string]int{}
	for i, o := range ops {
		if o.Label != "" {
			if _, ok := labels[o.Label]; ok {
				panic("asm: two labels " + o.Label)
			}
			labels[o.Label] = i
		}
	}
	before, after := make([]map[Reg]bool, len(ops)+1), make([]map[Reg]bool, len(ops))
	for i := range before {
		before[i] = map[Reg]bool{}
	}
	for i := range after {
		after[i] = map[Reg]bool{}
	}
	for changed := true; changed; {
		changed = false
		for i := len(ops) - 1; i >= 0; i-- {
			o := ops[i]
			was := len(after[i]) + len(before[i])
			if o.Flow == Next || o.Flow == Branch {
				maps.Copy(after[i], before[i+1])
			}
			if o.Flow == Branch || o.Flow == Jump {
				to, ok := labels[o.To]
				if !ok {
					panic("asm: no label " + o.To)
				}
				maps.Copy(after[i], before[to])
			}
			for r := range after[i] {
				if !slices.Contains(o.Writes, r) {
					before[i][r] = true
				}
			}
			for _, r := range o.Reads {
				before[i][r] = true
			}
			changed = changed || len(after[i])+len(before[i]) != was
		}
	}
	return slices.Insert(after, 0, before[0])
}

// allocate chooses the numbers of virtual registers. It never spills: a value that goes to
// the stack may be secret, and must be wiped there. The author of the kernel decides which
// values go there.
func (f *Func) allocate() map[Reg]int {
	live := liveness(f.ops)
	for r := range live[0] {
		panic(fmt.Sprintf("asm: %s: %s is read before it is written", f.Name, f.name(r)))
	}
	live = live[1:]

	// A result conflicts with everything that is needed after the instruction.
	conflicts := map[Reg]map[Reg]bool{}
	conflict := func(a, b Reg) {
		for _, p := range [2][2]Reg{{a, b}, {b, a}} {
			if conflicts[p[0]] == nil {
				conflicts[p[0]] = map[Reg]bool{}
			}
			conflicts[p[0]][p[1]] = true
		}
	}
	var order []*group
	for i, o := range f.ops {
		for _, r := range slices.Concat(o.Writes, o.Reads) {
			if g := f.groups[r]; g != nil && !slices.Contains(order, g) {
				g.mark = i
				order = append(order, g)
			}
		}
		for k, w := range o.Writes {
			others := slices.Concat(slices.Collect(maps.Keys(live[i])), o.Writes[k+1:])
			if o.Early {
				others = append(others, o.Reads...)
			}
			for _, r := range others {
				if r != w && r.Class == w.Class {
					conflict(w, r)
				}
			}
		}
	}

	// Those with fixed numbers first, then large ones, then in the order of the code.
	rank := func(g *group) int {
		if g.fixed >= 0 {
			return 1 << 16
		}
		return g.size
	}
	slices.SortStableFunc(order, func(a, b *group) int { return rank(b) - rank(a) })
	numbers := map[Reg]int{}
	fits := func(g *group, n int) bool {
		for i := range g.size {
			if g.fixed < 0 && !slices.Contains(f.file.Target.Pool[g.class], n+i) {
				return false
			}
			for c := range conflicts[Reg{g.class, g.first + i}] {
				m, isNumber := c.N, true
				if c.Virtual() {
					m, isNumber = numbers[c]
				}
				if isNumber && m == n+i {
					return false
				}
			}
		}
		return n%g.align == 0
	}
	for _, g := range order {
		candidates := f.file.Target.Pool[g.class]
		if g.fixed >= 0 {
			candidates = []int{g.fixed}
		}
		k := slices.IndexFunc(candidates, func(n int) bool { return fits(g, n) })
		if k < 0 {
			f.exhausted(g, live[g.mark])
		}
		for i := range g.size {
			numbers[Reg{g.class, g.first + i}] = candidates[k] + i
		}
	}
	return numbers
}

// exhausted panics with the values that occupy the registers.
func (f *Func) exhausted(g *group, live map[Reg]bool) {
	var names []string
	for r := range live {
		if r.Class == g.class {
			names = append(names, f.name(r))
		}
	}
	slices.Sort(names)
	panic(fmt.Sprintf("asm: %s: no register for %s at %q, after which %d values are needed: %s. "+
		"Nothing is spilled unasked, because it may be secret: store a value to a Local, or change the order of the code",
		f.Name, g.name, f.ops[g.mark].Text, len(names), strings.Join(names, ", ")))
}
