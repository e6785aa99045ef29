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
//go:generate sh -c "go run . aes > circuit.tmp && mv circuit.tmp ../../internal/aescore/circuit.go"

// A target is one generated file. Seeds that give the same number of gates
// give more or less spilling; these are the best of some dozens.
type target struct {
	boxes []seeded
	write func(w []*writer) string
}

type seeded struct {
	box  sbox
	seed random
}

var targets = map[string]target{
	"sm4": {boxes: []seeded{{sm4, 45}}, write: writeSM4},
	"aes": {boxes: []seeded{{aes, 13}, {aesInverse, 21}}, write: writeAES},
}

// effort is how hard the search tries; twice as much finds nothing better.
const effort = 40

func (t target) source() ([]byte, error) {
	var writers []*writer
	for _, b := range t.boxes {
		c := search(b.box, effort, b.seed)
		if !c.computes(b.box) {
			return nil, fmt.Errorf("the circuit is wrong")
		}
		writers = append(writers, newWriter(c, b.seed))
	}
	return format.Source([]byte(t.write(writers)))
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
