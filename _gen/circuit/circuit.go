package main

// A circuit is a straight-line program of two-input gates on eight bits.
// Values 0 to 7 are its inputs; value 8+i is the result of gate i.
type circuit struct {
	gates []gate
	out   [8]int
	level []int // of each value: the longest way from an input
}

type gate struct {
	op   byte // '^', '&' or '|'
	a, b int
	name string
}

func newCircuit() *circuit { return &circuit{level: make([]int, 8)} }

func (c *circuit) add(name string, a int, op byte, b int) int {
	c.gates = append(c.gates, gate{op, a, b, name})
	c.level = append(c.level, 1+max(c.level[a], c.level[b]))
	return len(c.level) - 1
}

func (c *circuit) depth() int {
	d := 0
	for _, v := range c.out {
		d = max(d, c.level[v])
	}
	return d
}

// eval computes the circuit for one byte.
func (c *circuit) eval(x int) int {
	v := make([]int, 8, len(c.level))
	for i := range v {
		v[i] = x >> i & 1
	}
	for _, g := range c.gates {
		switch g.op {
		case '^':
			v = append(v, v[g.a]^v[g.b])
		case '&':
			v = append(v, v[g.a]&v[g.b])
		case '|':
			v = append(v, v[g.a]|v[g.b])
		}
	}
	y := 0
	for i, o := range c.out {
		y |= v[o] << i
	}
	return y
}

// computes reports whether the circuit is S without its constants.
func (c *circuit) computes(s sbox) bool {
	for x := range 256 {
		if c.eval(x) != s.linear(x) {
			return false
		}
	}
	return true
}

// random is a small generator (xorshift64) whose numbers never change, so that
// the search always finds the same circuit.
type random uint64

func (r *random) intn(n int) int {
	*r ^= *r << 13
	*r ^= *r >> 7
	*r ^= *r << 17
	return int(uint64(*r)>>1) % n
}
