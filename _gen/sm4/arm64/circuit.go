package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// A gate of the circuit of the S-box: result = a op b.
type gate struct {
	result, a, b string
	op           byte // '^', '&' or '|'
}

// A circuit has the inputs x0 to x7 and the names of the outputs.
type circuit struct {
	gates   []gate
	outputs [8]string
	in, out byte // constants to add to the inputs and outputs
}

var (
	statement = regexp.MustCompile(`^\t(\w+) := (\w+) ([&|^]) (\w+)$`)
	constant  = regexp.MustCompile(`\tsbox(In|Out) += 0x(\w\w)\n`)
	output    = regexp.MustCompile(`(\w+)&ones(?:<<(\d))?`)
)

// read takes the circuit that _gen/circuit found from the function substitute in the file
// that it wrote.
func read(file string) (c circuit, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return c, err
	}
	for _, m := range constant.FindAllStringSubmatch(string(text), -1) {
		b, _ := strconv.ParseUint(m[2], 16, 8)
		if m[1] == "In" {
			c.in = byte(b)
		} else {
			c.out = byte(b)
		}
	}
	_, body, _ := strings.Cut(string(text), "\nfunc substitute(")
	body, _, _ = strings.Cut(body, "\n}\n")
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		if m := statement.FindStringSubmatch(line); m != nil {
			c.gates = append(c.gates, gate{m[1], m[2], m[4], m[3][0]})
		}
		for _, m := range output.FindAllStringSubmatch(line, -1) {
			bit, _ := strconv.Atoi(m[2]) // no shift is 0
			c.outputs[bit] = m[1]
		}
	}
	for _, name := range c.outputs {
		if name == "" {
			return c, fmt.Errorf("%s: no circuit", file)
		}
	}
	return c, nil
}
