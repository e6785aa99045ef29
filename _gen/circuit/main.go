// Command circuit searches for small circuits of S-boxes and writes the rounds of the portable
// drivers around them, in Go.
//
// # Algorithm
//
// The S-boxes of AES and SM4 are an inversion in GF(2^8) between affine maps. With Y + Y^16 = 1
// an element is x = aY + bY^16, a and b in GF(2^4), and
//
//	1/x = (bY + aY^16) / D          D = ab + (a + b)^2 Y^17          1/x = s (1/(s x)) for any s
//
// A product in GF(2^4) is nine ANDs of sums of bits. So a circuit is: sums of the input bits, nine
// products, sums for D, 1/D, eighteen products, sums for the output.
//
//	tower.go    all bases and factors s (candidates); the circuit of a candidate (assemble)
//	linear.go   few additions for given sums: greedy, ties at random
//	search.go   keeps the best candidates, looks at them for longer; fewest gates, then depth
//	order.go    orders the statements so that few values leave the registers
//	write.go    writes circuits as Go; aes.go and sm4.go have the rounds around them
//	gates.go    writes circuits as lists of gates, for generators of assembly (package gates)
//
// All random numbers come from a seed: the result is always the same.
//
// # Registers
//
// A plane has a bit of many bytes. The Go compiler allocates registers; order counts its moves
// with a model of amd64, 13 registers and instructions with two operands.
//
//	x0 ... x7    planes of the input
//	t            sums of them
//	p, d         nine products, sums for D
//	other names  values of later stages: see assemble
//	planes[0..7] in memory: a word of the state of 16 blocks; for AES a row of 16 or all of 4
//
// # Bound
//
// The integer units. The S-boxes have 107 gates (SM4), 106 (AES) and 109 (its inverse). A round
// of SM4 on planes has 185 operations and 90 moves, 32 of them for 16 blocks; one of AES 596 and
// 474, ten for 16 blocks. With four units, as on Zen 4, both take 5.8 cycles per byte. Blocks are
// turned into planes and back besides. Measured for CTR with 16 KiB: SM4 10.6 cycles per byte on
// Zen 4, AES-128 10.0; on Zen 5 with 8 to 16 KiB 8.6 and 8.9.
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
	"sm4":       {boxes: []seeded{{sm4, 45}}, write: writeSM4},
	"aes":       {boxes: []seeded{{aes, 13}, {aesInverse, 21}}, write: writeAES},
	"sm4-gates": {boxes: []seeded{{sm4, 45}}, write: writeGates([]string{"sbox"}, []sbox{sm4})},
	"aes-gates": {boxes: []seeded{{aes, 13}, {aesInverse, 21}}, write: writeGates([]string{"substitute", "unsubstitute"}, []sbox{aes, aesInverse})},
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
