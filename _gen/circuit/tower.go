package main

// The inversion is done in a tower of fields: an element of GF(2^8) is
// x = aY + bY^16 with a, b in GF(2^4) and Y + Y^16 = 1, and then
//
//	1/x = (bY + aY^16) / D    D = ab + (a + b)^2 Y^17    D in GF(2^4)
//
// so it takes one product in GF(2^4) (nine ANDs), linear terms, an inversion in
// GF(2^4), and two products with the same factor. A product of two elements of
// GF(2^4), each four bits in a normal basis over GF(2^2) of normal bases over
// GF(2), is Karatsuba's: one AND for each of nine sums of bits.
var nine = [9]int{1, 2, 3, 4, 8, 12, 5, 10, 15}

// A candidate is a choice of bases and of the scaling s in 1/x = s (1/(s x)).
type candidate struct {
	base [4]int // basis of GF(2^4)
	// top lists the forms of the S-box input that are needed: the nine sums
	// of a, the nine of b, and then the residues, one for each entry of residue.
	top     []int
	residue []int  // bits of D to which a residue is added
	or      int    // products for which OR stands in for AND
	delta   [4]int // bits of D: which of the nine products they sum up
	// bottom lists for the eighteen products of the last step, first those with
	// b, to which output bits they are added.
	bottom []int

	topSums, bottomSums []sum
}

func (c *candidate) cost() int { return len(c.topSums) + len(c.bottomSums) + len(c.residue) }

// candidates lists all bases and scalings for an S-box.
func candidates(s sbox) []candidate {
	f := s.field
	var ws, zs, ys []int
	for x := 2; x < 256; x++ {
		switch x4, x16 := f.pow(x, 4), f.pow(x, 16); {
		case x4 == x:
			ws = append(ws, x) // in GF(2^2)
		case x16 == x && x^x4 == 1 && x < x4:
			zs = append(zs, x) // in GF(2^4), trace 1
		case x16 != x && x^x16 == 1 && x < x16:
			ys = append(ys, x) // trace 1
		}
	}
	w := ws[0] // the other one only exchanges bits
	w2 := f.mul(w, w)
	var list []candidate
	for _, z := range zs {
		z4 := f.pow(z, 4)
		base := [4]int{f.mul(w, z), f.mul(w2, z), f.mul(w, z4), f.mul(w2, z4)}
		coefficients := productCoefficients(f, w, z)
		for _, y := range ys {
			y16 := f.pow(y, 16)
			var basis matrix
			for i, e := range base {
				basis[i], basis[i+4] = f.mul(e, y), f.mul(e, y16)
			}
			toTower := basis.inverse()
			// An element of GF(2^4) has a = b, since Y + Y^16 = 1.
			bits4 := func(x int) int { return toTower.apply(x) & 15 }
			c := candidate{base: base}
			var squares [4]int // bits of (a+b)^2 Y^17 as forms of a+b
			for k, e := range coefficients {
				for i := range c.delta {
					c.delta[i] |= bits4(e) >> i & 1 << k
				}
			}
			for j, e := range base {
				v := bits4(f.mul(f.mul(y, y16), f.mul(e, e)))
				for i := range squares {
					squares[i] |= v >> i & 1 << j
				}
			}
			var residues [4]int
			c.or, residues = chooseOr(c.delta, squares)
			for i, r := range residues {
				if r != 0 {
					c.residue = append(c.residue, i)
				}
			}
			for scale := 1; scale < 256; scale++ {
				c := c
				var in matrix
				for i, e := range s.pre {
					in[i] = toTower.apply(f.mul(scale, e))
				}
				forms := in.forms()
				sumOf := func(mask int, inputs []int) int {
					r := 0
					for i, form := range inputs {
						r ^= form & -(mask >> i & 1)
					}
					return r
				}
				a, b := forms[:4], forms[4:]
				c.top, c.bottom = nil, nil
				for _, m := range nine {
					c.top = append(c.top, sumOf(m, a))
				}
				for _, m := range nine {
					c.top = append(c.top, sumOf(m, b))
				}
				for _, i := range c.residue {
					c.top = append(c.top, sumOf(residues[i], a)^sumOf(residues[i], b))
				}
				for _, e := range coefficients {
					c.bottom = append(c.bottom, s.post.apply(f.mul(scale, f.mul(e, y))))
				}
				for _, e := range coefficients {
					c.bottom = append(c.bottom, s.post.apply(f.mul(scale, f.mul(e, y16))))
				}
				list = append(list, c)
			}
		}
	}
	return list
}

// productCoefficients returns by what each of the nine ANDs is multiplied in a
// product of GF(2^4). In a normal basis v, V with v + V = 1,
//
//	(pv + PV)(qv + QV) = pq (v^2 + vV) + PQ (V^2 + vV) + (p+P)(q+Q) vV
//
// on both levels of the tower.
func productCoefficients(f field, w, z int) (e [9]int) {
	level := func(v, V int) [3]int {
		m := f.mul(v, V)
		return [3]int{f.mul(v, v) ^ m, f.mul(V, V) ^ m, m}
	}
	outer, inner := level(z, f.pow(z, 4)), level(w, f.mul(w, w))
	for i := range outer {
		for j := range inner {
			e[3*i+j] = f.mul(outer[i], inner[j])
		}
	}
	return e
}

// chooseOr decides for each of the nine products of a and b whether it is an
// AND or an OR. As p|q = p&q ^ p ^ q, an OR adds a sum of bits of a+b for
// nothing, and D needs such sums; what they do not cover remains as a residue.
func chooseOr(delta, squares [4]int) (or int, residues [4]int) {
	fewest := 5
	for try := range 512 {
		r, count := squares, 0
		for i := range r {
			for k, m := range nine {
				r[i] ^= m & -(try & delta[i] >> k & 1)
			}
			if r[i] != 0 {
				count++
			}
		}
		if count < fewest {
			fewest, or, residues = count, try, r
		}
	}
	return or, residues
}

// assemble makes the circuit of a candidate, with the bits of D computed by p.
func (c *candidate) assemble(f field, p pairing) *circuit {
	g := newCircuit()
	form := map[int]int{} // value of a linear form
	for i := range 8 {
		form[1<<i] = i
	}
	for _, s := range c.topSums {
		form[s.c] = g.add("t", form[s.a], '^', form[s.b])
	}
	var a, b, d []int
	for k := range nine {
		a, b = append(a, form[c.top[k]]), append(b, form[c.top[9+k]])
		op := byte('&')
		if c.or>>k&1 == 1 {
			op = '|'
		}
		d = append(d, g.add("p", a[k], op, b[k]))
	}
	for _, r := range c.top[18:] {
		d = append(d, form[r])
	}
	for _, s := range p.sums {
		d = append(d, g.add("d", d[s.a], '^', d[s.b]))
	}
	var delta [4]int
	for i, o := range p.out {
		delta[i] = d[o]
	}
	inv := g.invert16(f, c.base, delta)
	// The nine sums of bits of 1/D, in the order of nine.
	e := []int{inv[0], inv[1], 0, inv[2], inv[3], 0, 0, 0, 0}
	e[2] = g.add("e", e[0], '^', e[1])
	e[5] = g.add("e", e[3], '^', e[4])
	e[6] = g.add("e", e[0], '^', e[3])
	e[7] = g.add("e", e[1], '^', e[4])
	e[8] = g.add("e", e[2], '^', e[5])
	products := make([]int, 18)
	for k := range nine {
		products[k] = g.add("m", e[k], '&', b[k])
		products[9+k] = g.add("m", e[k], '&', a[k])
	}
	g.transposed(c.bottom, products, c.bottomSums)
	return g
}

// invert16 adds an inversion in GF(2^4), 18 gates and five levels. It is right
// for some order of the bits, which is found by trying.
func (c *circuit) invert16(f field, base, x [4]int) [4]int {
	core := func(c *circuit, x1, x2, x3, x4 int) (z1, z2, z3, z4 int) {
		q1 := c.add("q", x1, '&', x3)
		q2 := c.add("q", x2, '^', q1)
		q3 := c.add("q", x3, '^', x4)
		q4 := c.add("q", q2, '&', q3)
		z2 = c.add("z", x4, '^', q4)
		q5 := c.add("q", x4, '^', q1)
		q6 := c.add("q", x1, '^', x2)
		q7 := c.add("q", q5, '&', q6)
		z4 = c.add("z", x2, '^', q7)
		q8 := c.add("q", x2, '|', x4)
		q9 := c.add("q", x1, '^', q8)
		q10 := c.add("q", q9, '^', x4)
		q11 := c.add("q", x3, '|', q10)
		z1 = c.add("z", q9, '^', q11)
		q12 := c.add("q", x3, '^', q8)
		q13 := c.add("q", q12, '^', x2)
		q14 := c.add("q", x1, '|', q13)
		z3 = c.add("z", q12, '^', q14)
		return
	}
	element := func(bits int) int {
		r := 0
		for i, e := range base {
			r ^= e & -(bits >> i & 1)
		}
		return r
	}
	for _, o := range permutations4() {
		trial := newCircuit()
		var z [4]int
		z[o[0]], z[o[1]], z[o[2]], z[o[3]] = core(trial, o[0], o[1], o[2], o[3])
		copy(trial.out[:], z[:])
		right := true
		for v := range 16 {
			right = right && element(trial.eval(v)&15) == f.pow(element(v), 14)
		}
		if right {
			z[o[0]], z[o[1]], z[o[2]], z[o[3]] = core(c, x[o[0]], x[o[1]], x[o[2]], x[o[3]])
			return z
		}
	}
	panic("no order of the bits inverts GF(2^4)")
}

func permutations4() (list [][4]int) {
	for n := range 256 {
		p := [4]int{n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6}
		if 1<<p[0]|1<<p[1]|1<<p[2]|1<<p[3] == 15 {
			list = append(list, p)
		}
	}
	return list
}

// transposed adds sums of the given values: value k goes to the outputs in the
// mask targets[k]. The program computes those masks as forms of eight inputs;
// turned around, every sum c = a ^ b becomes a ^= c, b ^= c.
func (c *circuit) transposed(targets, values []int, program []sum) {
	collected := map[int][]int{}
	for k, t := range targets {
		collected[t] = append(collected[t], values[k])
	}
	total := func(form int) int {
		list := collected[form]
		for len(list) > 1 {
			// The two that are ready first, in their order.
			i, j := 0, 1
			if c.level[list[j]] < c.level[list[i]] {
				i, j = j, i
			}
			for k := 2; k < len(list); k++ {
				if c.level[list[k]] < c.level[list[i]] {
					i, j = k, i
				} else if c.level[list[k]] < c.level[list[j]] {
					j = k
				}
			}
			s := c.add("l", list[i], '^', list[j])
			var others []int
			for k, v := range list {
				if k != i && k != j {
					others = append(others, v)
				}
			}
			list = append(others, s)
		}
		return list[0]
	}
	for i := len(program) - 1; i >= 0; i-- {
		s := program[i]
		if len(collected[s.c]) > 0 {
			v := total(s.c)
			collected[s.a] = append(collected[s.a], v)
			collected[s.b] = append(collected[s.b], v)
		}
	}
	for i := range c.out {
		c.out[i] = total(1 << i)
	}
}
