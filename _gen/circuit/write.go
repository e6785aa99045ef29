package main

import (
	"fmt"
	"strings"
)

// A writer turns a circuit into Go.
type writer struct {
	strings.Builder
	c     *circuit
	names []string // of the values
	rnd   random
}

// newWriter calls the inputs x0 to x7 and the results of gates by a letter for
// their stage and a number.
func newWriter(c *circuit, seed random) *writer {
	w := &writer{c: c, rnd: seed}
	for i := range 8 {
		w.names = append(w.names, fmt.Sprintf("x%d", i))
	}
	count := map[string]int{}
	for _, g := range c.gates {
		w.names = append(w.names, fmt.Sprintf("%s%d", g.name, count[g.name]))
		count[g.name]++
	}
	return w
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

// output is the name of an output bit.
func (w *writer) output(bit int) string { return w.names[w.c.out[bit]] }

const orderTries = 300000

// steps writes the circuit in line with the making of its inputs and the use
// of its outputs, in a good order. An input reads the arguments of the function
// in inputArgs, of which there are args; the use of an output reads outputArgs.
func (w *writer) steps(args int, inputArgs []int, input func(bit int) string, outputArgs []int, output func(bit int) string) {
	var list []step
	for b := range 8 {
		list = append(list, step{text: fmt.Sprintf("x%d := %s", b, input(b)), uses: inputArgs, defs: []int{args + b}})
	}
	list = append(list, w.gates(args)...)
	for b, v := range w.c.out {
		list = append(list, step{text: output(b), uses: append([]int{args + v}, outputArgs...), temp: 2})
	}
	w.ordered(list, args)
}

// gates lists the steps of the circuit, of which value v is number args+v.
func (w *writer) gates(args int) (list []step) {
	for i, g := range w.c.gates {
		text := fmt.Sprintf("%s := %s %c %s", w.names[8+i], w.names[g.a], g.op, w.names[g.b])
		list = append(list, step{text: text, uses: []int{args + g.a, args + g.b}, defs: []int{args + 8 + i}})
	}
	return list
}

// ordered writes steps in a good order.
func (w *writer) ordered(list []step, args int) {
	for _, s := range order(list, args, orderTries, &w.rnd) {
		if s.text != "" {
			w.printf("%s\n", s.text)
		}
	}
}

// bytesOfWord writes a function that applies the circuit to every byte of a
// word of some type, of which ones is the lowest bit of every byte. Only one
// bit in eight of the values means something.
func (w *writer) bytesOfWord(name, typ, ones string) {
	w.printf("func %s(x %s) %s {\n", name, typ, typ)
	input := func(b int) string {
		if b == 0 {
			return "x"
		}
		return fmt.Sprintf("x >> %d", b)
	}
	w.steps(1, []int{0}, input, nil, func(int) string { return "" })
	w.printf("const ones = %s\nreturn ", ones)
	bit := func(b int) string {
		if b == 0 {
			return w.output(0) + " & ones"
		}
		return fmt.Sprintf("%s & ones << %d", w.output(b), b)
	}
	for b := 0; b < 8; b += 2 {
		if b > 0 {
			w.printf(" |\n")
		}
		w.printf("(%s | %s)", bit(b), bit(b+1))
	}
	w.printf("\n}\n\n")
}
