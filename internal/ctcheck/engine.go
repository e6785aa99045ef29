package ctcheck

import (
	"fmt"
	"sort"
	"strings"
)

// How many states with different keys a place has before the others are joined: after
// branches that the analysis can decide, as in loops over constants, and after others.
const (
	maxDecided   = 3000
	maxUndecided = 100
)

func newRun(a *arch, f *function, all map[string]*function, d *declaration, data map[string][]byte) *run {
	x := &run{arch: a, f: f, all: all, d: d, data: data, symbols: map[string]*object{},
		findings: map[string]Finding{}, allowed: map[*Exception]bool{}, visited: make([]bool, len(f.code)), leader: make([]bool, len(f.code)+1)}
	for _, at := range f.Labels {
		x.leader[at] = true
	}
	for i, in := range f.code {
		if in.Label != "" {
			x.leader[i+1], x.leader[in.Target] = true, true
		}
	}
	return x
}

// analyse runs a kernel to a fixed point, for every case of its declaration. If it
// aligns an address, that is done for what is aligned already, and for what is as far
// from it as can be.
func (x *run) analyse() {
	cases := [][]bounds{nil}
	for i, a := range x.d.args {
		if len(a.cases) == 0 {
			continue
		}
		var more [][]bounds
		for _, c := range cases {
			for _, b := range a.cases {
				b.arg = i
				more = append(more, append(c[:len(c):len(c)], b))
			}
		}
		cases = more
	}
	for _, c := range cases {
		x.runCases(0, c)
		if x.align > x.arch.StackAlign {
			x.runCases(x.arch.StackAlign, c)
		}
	}
}

// prepare makes a run without states, where objects are at an address.
func (x *run) prepare(address int64) {
	x.stack = &object{id: 1 << 21, kind: objectStack, name: "stack", address: address}
	for _, o := range x.d.objects {
		o.address = address // one case of many; kernels align no two of them
	}
	x.argsObj = &object{id: 1<<21 + 1, kind: objectArgs, name: "arguments"}
	x.states = make([]map[string]*state, len(x.f.code)+1)
	x.wide = make([]*state, len(x.f.code)+1)
	x.queue, x.queued = nil, map[*state]bool{}
}

func (x *run) runCases(address int64, cases []bounds) {
	x.prepare(address)
	s := &state{stack: &memory{secret: make([]origin, x.f.Frame+x.arch.Saved)}, args: &memory{secret: make([]origin, x.d.size)}}
	for i := range s.regs {
		s.regs[i] = anything
	}
	s.regs[x.arch.SP] = value{object: x.stack}
	for i, a := range x.d.args {
		v := anything
		if a.pointer != nil && !a.result {
			v = value{object: a.pointer}
		}
		if a.secret && !a.result {
			v.secret = fromArgument
		}
		for _, b := range cases {
			if b.arg == i {
				v = bounded(value{secret: v.secret, m: b.multiple}, b.low, b.high)
			}
		}
		s.args.store(a.at, a.width, x.arch.Ptr, v, fromArgument)
	}
	x.arrive(0, s, true)
	x.follows()
}

// follows goes on until no state changes any more.
func (x *run) follows() {
	for len(x.queue) > 0 {
		j := x.queue[len(x.queue)-1]
		x.queue = x.queue[:len(x.queue)-1]
		delete(x.queued, j.state)
		x.follow(j.pc, j.state.clone())
	}
}

// arrive joins a state to those of a place, and queues it if that changed them.
func (x *run) arrive(pc int, s *state, decided bool) {
	key := s.key(firstVector)
	m := x.states[pc]
	if m == nil {
		m = map[string]*state{}
		x.states[pc] = m
	}
	to := m[key]
	if to == nil {
		most := maxUndecided
		if decided {
			most = maxDecided
		}
		if len(m) < most {
			to = s.clone()
			m[key] = to
			x.enqueue(pc, to)
			return
		}
		if to = x.wide[pc]; to == nil {
			to = s.clone()
			x.wide[pc] = to
			x.enqueue(pc, to)
			return
		}
	}
	if to.join(s) {
		x.enqueue(pc, to)
	}
}

func (x *run) enqueue(pc int, s *state) {
	if !x.queued[s] {
		x.queued[s] = true
		x.queue = append(x.queue, job{pc, s})
	}
}

// follow executes instructions up to the next place with states of its own.
func (x *run) follow(pc int, s *state) {
	for {
		if pc >= len(x.f.code) {
			x.pc = len(x.f.code) - 1
			x.in = &x.f.code[x.pc]
			x.report(kindUnknown, "the function ends without RET")
			return
		}
		x.pc, x.in = pc, &x.f.code[pc]
		x.visited[pc] = true
		x.steps++
		in := x.in
		if in.wrong != "" {
			x.report(kindUnknown, "%s", in.wrong)
			return
		}
		switch in.spec.op {
		case "ret":
			if n := len(s.calls); n > 0 {
				pc = s.calls[n-1]
				s.calls = s.calls[:n-1]
				x.arrive(pc, s, true)
				return
			}
			x.atReturn(s)
			return
		case "jump":
			x.arrive(in.Target, s, true)
			return
		case "call":
			x.report(kindUnknown, "calls are not followed")
			return
		}
		if in.spec.op == "branch" {
			x.arch.branch(x, s, in)
			return
		}
		x.guard = 0
		x.arch.exec(x, s, in)
		x.guard = 0
		pc++
		if pc < len(x.leader) && x.leader[pc] {
			x.arrive(pc, s, true)
			return
		}
	}
}

// fork goes on at both sides of a branch, or at one if it is known which. Flags: the branch is
// on flags, not on what the instruction itself compares.
func (x *run) fork(s *state, cond string, flags bool) {
	holds, ok := x.decide(s.last, cond)
	on := func(pc int, s *state) {
		if !flags {
			s.last = compared{}
		}
		x.arrive(pc, s, ok)
	}
	pc, target := x.pc, x.in.Target
	if ok {
		if holds {
			on(target, s)
		} else {
			on(pc+1, s)
		}
		return
	}
	t := s.clone()
	if s.refine(cond, false) {
		on(pc+1, s)
	}
	if t.refine(cond, true) {
		on(target, t)
	}
}

// refine uses what a branch says about a register that was compared with a constant. It
// reports whether there is such a number.
func (s *state) refine(cond string, holds bool) bool {
	c := s.last
	if c.reg == 0 || !c.b.isConstant() || c.b.c < 0 || !same(s.regs[c.reg-1], c.a) {
		return true
	}
	v := s.regs[c.reg-1]
	if v.object != nil {
		if v.m == 0 && len(v.others) == 0 && c.b.c == 0 && cond == map[bool]string{true: "eq", false: "ne"}[holds] {
			s.replace(v, value{}) // an argument that is nil is so everywhere
		}
		return true
	}
	l, h, ok := v.bounds()
	signed := cond == "lt" || cond == "ge" || cond == "gt" || cond == "le"
	if !ok {
		if signed || len(v.others) > 0 || v.secret != 0 {
			return true
		}
		l, h = 0, most // what is more is not kept
	}
	if !holds {
		cond = map[string]string{"eq": "ne", "ne": "eq", "lo": "hs", "hs": "lo", "hi": "ls", "ls": "hi", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}[cond]
	}
	k := c.b.c
	switch cond {
	case "eq":
		l, h = max(l, k), min(h, k)
	case "ne":
		if l == k {
			l++
		}
		if h == k {
			h--
		}
	case "lo", "lt":
		h = min(h, k-1)
	case "hs", "ge":
		l = max(l, k)
	case "hi", "gt":
		l = max(l, k+1)
	case "ls", "le":
		h = min(h, k)
	}
	if l > h {
		return false
	}
	if h == most {
		return true // as large as before
	}
	s.regs[c.reg-1] = bounded(v, l, h)
	s.last.a = s.regs[c.reg-1]
	return true
}

// atReturn checks what a kernel leaves behind.
func (x *run) atReturn(s *state) {
	if x.final != nil {
		x.final(s)
	}
	var ranges []string
	m := s.stack
	for i := 0; i < len(m.secret); i++ {
		if m.secret[i] == 0 {
			continue
		}
		j := i
		for j < len(m.secret) && m.secret[j] != 0 {
			j++
		}
		if len(ranges) < 6 {
			ranges = append(ranges, fmt.Sprintf("%d to %d from %s", int64(i)+m.base, int64(j)+m.base-1, x.source(m.secret[i])))
		}
		i = j
	}
	if len(ranges) > 0 {
		x.report(kindStack, "a secret is left on the stack: bytes %s", strings.Join(ranges, "; "))
	}
	for i, o := range s.args.secret {
		if o == 0 {
			continue
		}
		at := int64(i) + s.args.base
		name, ok, result := "", false, false
		for _, a := range x.d.args {
			if at >= a.at && at < a.at+a.width {
				name, ok, result = a.name, a.secret, a.result
			}
		}
		if ok {
			continue
		}
		if result {
			x.report(kindResult, "the result %s depends on a secret (%s) and is public", name, x.source(o))
		} else {
			x.report(kindStack, "a secret is left in the frame of the argument %s (%s)", name, x.source(o))
		}
		return
	}
}

// list returns the findings by line.
func (x *run) list() []Finding {
	var list []Finding
	for _, f := range x.findings {
		list = append(list, f)
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].Line != list[j].Line {
			return list[i].Line < list[j].Line
		}
		return list[i].Kind < list[j].Kind
	})
	return list
}

// replace replaces an address, wherever it is.
func (s *state) replace(old, new value) {
	for i := range s.regs {
		if same(s.regs[i], old) {
			s.regs[i] = new
		}
	}
	for _, m := range []*memory{s.stack, s.args} {
		for i := range m.cells {
			if same(m.cells[i].value, old) {
				m.cells[i].value = new
			}
		}
	}
}
