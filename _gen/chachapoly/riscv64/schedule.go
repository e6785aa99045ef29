package main

import (
	"fmt"
	"slices"
	"strings"
)

// An instruction writes dst, if that is not empty, and reads src.
type instruction struct {
	text string
	op   string
	dst  string
	src  []string
	mem  memory
}

type memory int

const (
	none memory = iota
	load
	store
)

type list []instruction

// latency and occupancy are those of the SpacemiT X60 in cycles: occupancy as
// rvv-bench measured it for LMUL 1, latencies as LLVM's model has them.
func latency(op string) int {
	switch {
	case strings.HasPrefix(op, "VM"):
		return 7 // VMULHU, VMACC
	case op == "VLSEG":
		return 26
	case op[0] == 'V':
		return 4
	case strings.HasPrefix(op, "MUL"):
		return 5
	case op == "LD" || op == "LWU":
		return 3
	}
	return 1
}

func occupancy(op string) int {
	switch op {
	case "VXOR", "VAND", "VSRL", "VROR", "VNSRLWI":
		return 4
	case "VLSEG":
		return 50
	}
	if op[0] == 'V' {
		return 2
	}
	return 1 // half a cycle: two integer instructions go at once
}

// schedule orders straight-line code for a core that issues in order: of what is
// ready first what the longest chain hangs on. It keeps the order of
// instructions that depend on each other through registers, and of stores.
func schedule(l list) list {
	type edge struct{ to, wait int }
	n := len(l)
	next := make([][]edge, n)
	before := make([]int, n)
	connect := func(a, b, wait int) {
		next[a] = append(next[a], edge{b, wait})
		before[b]++
	}
	writer := map[string]int{}
	readers := map[string][]int{}
	lastStore := -1
	var loads []int
	for k, i := range l {
		for _, r := range i.src {
			if w, ok := writer[r]; ok {
				connect(w, k, 2*latency(l[w].op))
			}
			readers[r] = append(readers[r], k)
		}
		if i.dst != "" {
			for _, r := range readers[i.dst] {
				if r != k {
					connect(r, k, 0)
				}
			}
			if w, ok := writer[i.dst]; ok {
				connect(w, k, 1)
			}
			writer[i.dst], readers[i.dst] = k, nil
		}
		switch i.mem {
		case load:
			if lastStore >= 0 {
				connect(lastStore, k, 1)
			}
			loads = append(loads, k)
		case store:
			for _, r := range loads {
				connect(r, k, 0)
			}
			if lastStore >= 0 {
				connect(lastStore, k, 0)
			}
			lastStore, loads = k, nil
		}
	}
	urgency := make([]int, n)
	for k := n - 1; k >= 0; k-- {
		for _, e := range next[k] {
			urgency[k] = max(urgency[k], urgency[e.to]+e.wait)
		}
	}
	earliest := make([]int, n)
	var ready []int
	for k := range n {
		if before[k] == 0 {
			ready = append(ready, k)
		}
	}
	var out list
	for t := 0; len(ready) > 0; {
		best, soonest := -1, -1
		for i, k := range ready {
			if soonest < 0 || earliest[k] < soonest {
				soonest = earliest[k]
			}
			if earliest[k] > t {
				continue
			}
			if best < 0 || urgency[k] > urgency[ready[best]] || urgency[k] == urgency[ready[best]] && k < ready[best] {
				best = i
			}
		}
		if best < 0 {
			t = soonest
			continue
		}
		k := ready[best]
		ready = slices.Delete(ready, best, best+1)
		out = append(out, l[k])
		for _, e := range next[k] {
			earliest[e.to] = max(earliest[e.to], t+e.wait)
			if before[e.to]--; before[e.to] == 0 {
				ready = append(ready, e.to)
			}
		}
		t += occupancy(l[k].op)
	}
	if len(out) != n {
		panic("schedule: a cycle")
	}
	return out
}

func (l list) String() string {
	var b strings.Builder
	for _, i := range l {
		b.WriteString("\t" + i.text + "\n")
	}
	return b.String()
}

func x(i int) string { return fmt.Sprintf("X%d", i) }
func v(i int) string { return fmt.Sprintf("V%d", i) }

// op3 adds an instruction in Go's order, second source first.
func (l *list) op3(op, b, a, dst string) {
	i := instruction{text: fmt.Sprintf("%s %s, %s, %s", op, b, a, dst), op: op, dst: dst, src: []string{a}}
	if b[0] == 'X' {
		i.src = append(i.src, b)
	}
	*l = append(*l, i)
}

func (l *list) load(op string, offset int, base, dst string) {
	*l = append(*l, instruction{text: fmt.Sprintf("%s %d(%s), %s", op, offset, base, dst), op: map[string]string{"MOV": "LD", "MOVWU": "LWU"}[op], dst: dst, src: []string{base}, mem: load})
}

func (l *list) store(op, from string, offset int, base string) {
	*l = append(*l, instruction{text: fmt.Sprintf("%s %s, %d(%s)", op, from, offset, base), op: "SD", src: []string{from, base}, mem: store})
}
