// Command circuit searches for small circuits of S-boxes and writes the rounds
// of the portable drivers around them.
//
//	circuit sm4 > circuit.go
package main

import (
	"fmt"
	"go/format"
	"os"
)

//go:generate sh -c "go run . sm4 > circuit.tmp && mv circuit.tmp ../../sm4/circuit.go"

// A target is one generated file. Seeds that give the same number of gates
// give more or less spilling; these are the best of some dozens.
type target struct {
	box   sbox
	seed  random
	write func(c *circuit, seed random) string
}

var targets = map[string]target{
	"sm4": {box: sm4, seed: 45, write: writeSM4},
}

// effort is how hard the search tries; twice as much finds nothing better.
const effort = 40

func (t target) source() ([]byte, error) {
	c := search(t.box, effort, t.seed)
	if !c.computes(t.box) {
		return nil, fmt.Errorf("the circuit is wrong")
	}
	return format.Source([]byte(t.write(c, t.seed)))
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: circuit TARGET")
		os.Exit(2)
	}
	t, ok := targets[os.Args[1]]
	if !ok {
		fmt.Fprintf(os.Stderr, "circuit: unknown target %q\n", os.Args[1])
		os.Exit(2)
	}
	source, err := t.source()
	if err != nil {
		fmt.Fprintln(os.Stderr, "circuit:", err)
		os.Exit(1)
	}
	os.Stdout.Write(source)
}
