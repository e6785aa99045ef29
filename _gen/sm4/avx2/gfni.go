package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"github.com/cipherlane/cipherlane/_gen/sm4/matrices"
)

// gfni does the inversion, the output map of the S-box and a matrix of the
// linear layer by one VGF2P8AFFINEINVQB.
type gfni struct {
	set *matrices.Set
}

func newGFNI(s *matrices.Set) gfni { return gfni{s} }

func (gfni) name() string { return "GFNIAVX2" }

func (gfni) replicated() bool { return false }

func matrix(name string, m matrices.Matrix) Mem {
	q := m.GFNI()
	var b [8]byte
	for i := range b {
		b[i] = byte(q >> (8 * i))
	}
	return constant(name, b[:]...)
}

func (g gfni) u(i int) (Mem, Constant) {
	a := []matrices.Affine{g.set.U0, g.set.U1, {}, g.set.U3}[i]
	return matrix("matrixU"+string('0'+rune(i)), a.M), U8(a.C)
}

func (g gfni) v(i int) (Mem, Constant) {
	return matrix("matrixV"+string('0'+rune(i)), g.set.V[i].M), U8(g.set.V[i].C)
}

func (g gfni) basis(inverse bool, _ []vec) func(r ...vec) {
	m := matrix("matrixT", g.set.T)
	if inverse {
		m = matrix("matrixInverseT", g.set.TInverse)
	}
	return func(r ...vec) {
		for _, r := range r {
			VGF2P8AFFINEQB(Imm(0), m, r, r)
		}
	}
}

func (g gfni) layer(schedule bool, t vec) (u [4]vec) {
	for _, i := range []int{1, 3, 2, 0} {
		switch {
		case schedule:
			u[i] = xmm[5+i]
			m, c := g.v(i)
			VGF2P8AFFINEINVQB(c, m, t, u[i])
		case i == 2:
			u[2] = u[1]
		default:
			u[i] = xmm[5+i]
			m, c := g.u(i)
			VGF2P8AFFINEINVQB(c, m, t, u[i])
		}
	}
	return u
}

// load puts the matrices U0, U1 and U3 into registers and returns the function
// that emits to = Ui(1/t).
func (g gfni) load(m0, m1, m3 vec) func(i int, t, to vec) {
	r := [4]vec{m0, m1, nil, m3}
	for i, r := range r {
		if r != nil {
			m, _ := g.u(i)
			VMOVDQU(m, r)
		}
	}
	return func(i int, t, to vec) {
		_, c := g.u(i)
		VGF2P8AFFINEINVQB(c, r[i], t, to)
	}
}

// One or two groups fit into registers: Y0 ... Y7. Of the two ways to write
// the linear layer, three rotations of independent values have the shorter
// latency, which is what counts here.

func (g gfni) word(_ pass, group, w int) Op { return ymm[4*group+w] }

func (g gfni) words(p pass, k keyWalk) {
	t, u, v, key := ymm[8], ymm[9], ymm[10], ymm[11]
	inverse := g.load(ymm[12], ymm[13], ymm[14])
	fours(8, k, func(i int) {
		VPBROADCASTD(k.at(i), key)
		for group := range p.groups {
			x := func(w int) vec { return ymm[4*group+(w+i)%4] }
			VPXOR(x(1), key, t)
			VPXOR(x(2), t, t)
			VPXOR(x(3), t, t)
			inverse(1, t, u)
			inverse(0, t, v)
			inverse(3, t, t)
			VPXOR(v, x(0), x(0))
			VPSHUFB(rotation(1), u, v)
			VPSHUFB(rotation(2), u, u)
			VPSHUFB(rotation(3), t, t)
			VPXOR(v, x(0), x(0))
			VPXOR(u, t, t)
			VPXOR(t, x(0), x(0))
		}
	})
}

// bytes keeps the newest word of every batch in registers: four for each.
// Rotations by whole bytes are only a matter of which register is added to
// which. With q[j] = U1(1/t[j]) and s = q[0]+q[1]+q[2]+q[3], a term
//
//	U0(1/t[j]) + q[j-1] + q[j-2] + U3(1/t[j-3])  is  s + U3(1/t[j]) + U0(1/t[j+1])
//
// since U0+U1+U3 = 0.
func (g gfni) bytes(n int, k keyWalk) {
	s, a, b, c, first := ymm[8], ymm[9], ymm[10], ymm[11], ymm[12]
	inverse := g.load(ymm[13], ymm[14], ymm[15])
	for batch := range n {
		for j := range 4 {
			VMOVDQU(slot(batch, 3, j), ymm[4*batch+j])
		}
	}
	fours(8, k, func(i int) {
		x := func(batch, w, j int) Mem { return slot(batch, (w+i)%4, j) }
		for j := range 4 {
			VPBROADCASTD(k.at(i).Offset(4*j), c)
			for batch := range n {
				t, sum := ymm[4*batch+j], c
				if batch < n-1 {
					sum = b
				}
				switch {
				case n == 1:
					VPXOR(x(batch, 1, j), c, sum)
					VPXOR(x(batch, 2, j), sum, sum)
				case i%2 == 0:
					VPXOR(x(batch, 1, j), c, sum)
					VPXOR(x(batch, 2, j), t, t)
					VMOVDQU(t, pair(batch, j))
				default:
					VPXOR(pair(batch, j), c, sum)
				}
				VPXOR(sum, t, t)
			}
		}
		for batch := range n {
			t := ymm[4*batch : 4*batch+4]
			inverse(1, t[0], s)
			inverse(1, t[1], a)
			inverse(1, t[2], b)
			inverse(1, t[3], c)
			VPXOR(a, s, s)
			VPXOR(c, b, b)
			VPXOR(b, s, s)
			inverse(0, t[0], first)
			for j := range 4 {
				inverse(3, t[j], a)
				add := first
				if j < 3 {
					inverse(0, t[j+1], b)
					add = b
				}
				VPXOR(x(batch, 0, j), a, a)
				VPXOR(add, a, a)
				VPXOR(s, a, t[j])
				VMOVDQU(t[j], x(batch, 0, j))
			}
		}
	})
}

func (gfni) passes() []pass {
	return []pass{{blocks: 8, groups: 1}, {blocks: 16, groups: 2}, {blocks: 32}}
}

func (gfni) speed() string { return "0.83" }
