package forms

import (
	"math/bits"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// Product returns the product of numbers, which must be constant, or one of them a power of 2.
func (e *Engine) Product(a, b Word) Word {
	x, constA := a.Constant()
	y, constB := b.Constant()
	switch {
	case constA && constB:
	case constA && bits.OnesCount64(x) == 1:
		return b.Extend(len(a) + len(b)).Left(bits.TrailingZeros64(x))
	case constB && bits.OnesCount64(y) == 1:
		return a.Extend(len(a) + len(b)).Left(bits.TrailingZeros64(y))
	default:
		stop("a product of numbers that are not constant, nor one of them a power of 2")
	}
	hi, lo := bits.Mul64(x, y)
	return machine.Join(machine.Constant(lo, 64), machine.Constant(hi, 64))[:len(a)+len(b)]
}

// Carryless returns the product of polynomials over GF(2), as a sum of products of atoms.
func (e *Engine) Carryless(a, b Word) Word {
	out := make(Word, len(a)+len(b))
	if lane := oneLane(a, b); lane != 0 {
		return e.lanedWord(lane, e.Carryless(template(a), template(b)))
	}
	constA, constB := constant(a), constant(b)
	if constA {
		a, b = b, a
	}
	if constA || constB {
		for j, y := range b {
			for i, x := range a {
				if y == One {
					out[i+j] = e.Xor(out[i+j], x)
				}
			}
		}
		return out
	}
	for n := range out {
		odd, c := toggle{}, Zero
		for i := max(0, n-len(b)+1); i < len(a) && i <= n; i++ {
			e.addProduct(odd, a[i], b[n-i])
			c ^= a[i] & b[n-i] & 1
		}
		out[n] = e.form(odd.list(), c)
	}
	return out
}

// addProduct adds the atoms of the product of two bits.
func (e *Engine) addProduct(odd toggle, a, b Bit) {
	for _, x := range e.atomsOf(a) {
		for _, y := range e.atomsOf(b) {
			if x == y {
				odd.add(x)
				continue
			}
			key := [2]uint32{min(x, y), max(x, y)}
			at, ok := e.products[key]
			if !ok {
				e.use(40)
				at = e.newAtom(atom{values: e.atoms[x].values & e.atoms[y].values, owner: -1, lane: e.atoms[x].lane || e.atoms[y].lane})
				e.products[key] = at
			}
			odd.add(at)
		}
	}
	if a&1 != 0 {
		for _, y := range e.atomsOf(b) {
			odd.add(y)
		}
	}
	if b&1 != 0 {
		for _, x := range e.atomsOf(a) {
			odd.add(x)
		}
	}
}
