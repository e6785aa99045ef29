package main

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// An element is eight numbers modulo p in memory, in five vectors of limbs of 52
// bits. All are below max times p.
type element struct {
	base reg.Register
	disp int
	max  float64
}

func (e *element) limb(i int) Mem { return at(e.base, e.disp+64*i) }

// bound is the invariant of loops for an element: it has to hold at both ends.
func (e *element) bound(max float64) {
	if e.max > max {
		panic(fmt.Sprintf("bound of %g, want %g", e.max, max))
	}
	e.max = max
}

// A term is an element times a small number.
type term struct {
	factor int
	e      *element
}

// An output is factor times the product, negated in the lanes of mask, and terms
// and primes times p. With reduce it is brought to 2^256 and a little more.
type output struct {
	to     *element
	factor int
	mask   reg.Register
	terms  []term
	primes int
	reduce bool
}

// An operation is the product of x and y, or the square of x, divided by 2^260,
// and what is made of it. Outputs may be written over anything that no operation
// beside this one reads.
type operation struct {
	x, y *element
	out  []output
}

// A bank is the registers of an operation: two operations run side by side.
type bank [14]vec

var banks = [2]bank{bank(zmm[:14]), bank(zmm[14:28])}

// Constants in registers.
var (
	limbMask = zmm[28] // 2^52 - 1
	factor1  = zmm[29] // 2^52 - 2^44 + 2^12
	factor4  = zmm[30] // 2^48 - 2^16
)

const (
	wordLimbMask = iota
	wordFactor1
	wordFactor4
	wordTopMask                  // 2^48 - 1
	wordFold1                    // 2^44 - 2^12
	wordFold4                    // 2^16
	wordOne                      // and four more: the limbs of 2^260 modulo p
	wordSmall   = wordOne + 5    // 0 to 63
	wordPrimes  = wordSmall + 64 // three for each multiple of p
	maxPrimes   = 6
)

var constants Mem

func word(i int) Mem { return constants.Offset(8 * i) }

// limbsOfOne are those of 2^260 modulo p = 2^4 (2^224 + 2^96 - 2^64 + 1).
var limbsOfOne = [5]uint64{16, 1<<48 - 1<<16, 0, 0, 1 << 20}

// makeConstants writes the table. A multiple of p = 2^256 - 2^224 - 2^96 + 2^64 - 1
// has three limbs that are not 0 if they may be negative.
func makeConstants() {
	words := []uint64{1<<52 - 1, 1<<52 - 1<<44 + 1<<12, 1<<48 - 1<<16, 1<<48 - 1, 1<<44 - 1<<12, 1 << 16}
	words = append(words, limbsOfOne[:]...)
	for i := range uint64(64) {
		words = append(words, i)
	}
	for k := range uint64(maxPrimes + 1) {
		words = append(words, -k, -k*(1<<44-1<<12), k*(1<<48-1<<16))
	}
	constants = amd64.Constants("constantsIFMA", words...)
}

func loadConstants() {
	VPBROADCASTQ(word(wordLimbMask), limbMask)
	VPBROADCASTQ(word(wordFactor1), factor1)
	VPBROADCASTQ(word(wordFactor4), factor4)
}

// accumulators returns the register of a limb of the product, and sees to it that
// it is 0 when it is first asked for.
func (p *program) accumulators(regs []vec) func(i int) vec {
	opened := map[int]bool{}
	return func(i int) vec {
		z := regs[i%len(regs)]
		if !opened[i] {
			opened[i] = true
			p.Add(amd64.VPXORQ(z, z, z))
		}
		return z
	}
}

// reduceLimb adds the multiple of p that makes limb i 0: p is -1 modulo 2^52, so
// that it is q p for the limb q, and q (p+1) is q (2^256 - 2^224 - 2^96 + 2^64). In
// limbs from i on it is q (2^48 - 2^16) in limb 4, q (2^52 - 2^44 + 2^12) in limb 1
// and -q in limb 2. The bits of limb i above 52 go to the next one.
func (p *program) reduceLimb(i int, t func(int) vec, tmp vec) {
	q, t1, t2, t4, t5 := t(i), t(i+1), t(i+2), t(i+4), t(i+5)
	p.Add(amd64.VPMADD52LUQ(factor1, q, t1))
	p.Add(amd64.VPSRAQ(Imm(52), q, tmp))
	p.Add(amd64.VPMADD52HUQ(factor1, q, t2))
	p.Add(amd64.VPADDQ(tmp, t1, t1))
	p.Add(amd64.VPMADD52LUQ(factor4, q, t4))
	p.Add(amd64.VPMADD52HUQ(factor4, q, t5))
	p.Add(amd64.VPANDQ(limbMask, q, q))
	p.Add(amd64.VPSUBQ(q, t2, t2))
}

// product leaves the limbs of x y / 2^260, with carries, and returns their
// registers and those that are free. Row i of the products goes before the
// reduction of limb i-1, which has a long latency.
func (p *program) product(b bank, x, y *element) (limbs [5]vec, free []vec) {
	t := p.accumulators(b[:7])
	ys, xi, tmp := b[7:12], b[12], b[13]
	for j := range 5 {
		p.Add(amd64.VMOVDQU64(y.limb(j), ys[j]))
	}
	for i := range 5 {
		p.Add(amd64.VMOVDQU64(x.limb(i), xi))
		for j := range 5 {
			lo := t(i + j)
			p.Add(amd64.VPMADD52LUQ(xi, ys[j], lo))
		}
		for j := range 5 {
			hi := t(i + j + 1)
			p.Add(amd64.VPMADD52HUQ(xi, ys[j], hi))
		}
		if i > 0 {
			p.reduceLimb(i-1, t, tmp)
		}
	}
	p.reduceLimb(4, t, tmp)
	return [5]vec{t(5), t(6), t(7), t(8), t(9)}, []vec{b[3], b[4], b[7], b[8], b[9], b[10], b[11], b[12], b[13]}
}

// square is product of x and x, with the products of different limbs once.
func (p *program) square(b bank, x *element) (limbs [5]vec, free []vec) {
	t := p.accumulators(b[:10])
	xi, x3, x4, tmp := b[10], b[11], b[12], b[13]
	p.Add(amd64.VMOVDQU64(x.limb(3), x3))
	p.Add(amd64.VMOVDQU64(x.limb(4), x4))
	for i := range 4 {
		xi := xi
		if i == 3 {
			xi = x3
		} else {
			p.Add(amd64.VMOVDQU64(x.limb(i), xi))
		}
		for j := i + 1; j < 5; j++ {
			lo, hi := t(i+j), t(i+j+1)
			if j < 3 {
				p.Add(amd64.VPMADD52LUQ(x.limb(j), xi, lo))
				p.Add(amd64.VPMADD52HUQ(x.limb(j), xi, hi))
				continue
			}
			xj := x3
			if j == 4 {
				xj = x4
			}
			p.Add(amd64.VPMADD52LUQ(xj, xi, lo))
			p.Add(amd64.VPMADD52HUQ(xj, xi, hi))
		}
	}
	for i := 1; i < 9; i++ {
		z := t(i)
		p.Add(amd64.VPADDQ(z, z, z))
	}
	for i := range 5 {
		xi := xi
		switch i {
		case 3:
			xi = x3
		case 4:
			xi = x4
		default:
			p.Add(amd64.VMOVDQU64(x.limb(i), xi))
		}
		lo, hi := t(2*i), t(2*i+1)
		p.Add(amd64.VPMADD52LUQ(xi, xi, lo))
		p.Add(amd64.VPMADD52HUQ(xi, xi, hi))
		if i < 2 {
			p.reduceLimb(i, t, tmp)
		}
	}
	for i := 2; i < 5; i++ {
		p.reduceLimb(i, t, tmp)
	}
	return [5]vec{t(5), t(6), t(7), t(8), t(9)}, []vec{b[0], b[1], b[2], b[3], b[4], b[10], b[11], b[12], b[13]}
}

// times adds factor times limb i of e to z.
func (p *program) times(factor int, e *element, i int, z, tmp vec) {
	add := amd64.VPADDQ
	if factor < 0 {
		factor, add = -factor, amd64.VPSUBQ
	}
	for ; factor != 0; factor &= factor - 1 {
		shift := bits.TrailingZeros(uint(factor))
		if shift == 0 {
			p.Add(add(e.limb(i), z, z))
			continue
		}
		p.Add(amd64.VPSLLQ(Imm(uint64(shift)), e.limb(i), tmp))
		p.Add(add(tmp, z, z))
	}
}

// addPrimes adds k p.
func (p *program) addPrimes(k int, d [5]vec) {
	if k > maxPrimes {
		panic("too many")
	}
	if k == 0 {
		return
	}
	for i, limb := range []int{0, 1, 4} {
		p.Add(amd64.VPADDQ_BCST(word(wordPrimes+3*k+i), d[limb], d[limb]))
	}
}

// normalize makes limbs of 52 bits and stores them; the number is not negative
// and below 2^260.
func (p *program) normalize(d [5]vec, tmp vec, to *element) {
	for i := range 5 {
		z := d[i]
		if i < 4 {
			next := d[i+1]
			p.Add(amd64.VPSRAQ(Imm(52), z, tmp))
			p.Add(amd64.VPADDQ(tmp, next, next))
			p.Add(amd64.VPANDQ(limbMask, z, z))
		}
		p.Add(amd64.VMOVDQU64(z, to.limb(i)))
	}
}

// program returns the instructions of an operation, and computes the bounds of
// its outputs. A product of numbers below a p and b p is below (a b / 16 + 1) p.
func (o operation) program(b bank) (p program) {
	var t [5]vec
	var free []vec
	max := 0.0
	if o.y == nil {
		t, free = p.square(b, o.x)
		max = o.x.max*o.x.max/16 + 1
	} else {
		t, free = p.product(b, o.x, o.y)
		max = o.x.max*o.y.max/16 + 1
	}
	for n, out := range o.out {
		last := n == len(o.out)-1
		d := [5]vec(free[:5])
		tmp := free[5]
		if last && out.factor > 0 {
			d = t
		}
		r := span{}
		r.extend(out.factor, max)
		switch out.factor {
		case 1:
			if !last {
				for i := range d {
					p.Add(amd64.VMOVDQA64(t[i], d[i]))
				}
			}
		case 2:
			for i := range d {
				p.Add(amd64.VPADDQ(t[i], t[i], d[i]))
			}
		case 3:
			for i := range d {
				p.Add(amd64.VPADDQ(t[i], t[i], tmp))
				p.Add(amd64.VPADDQ(t[i], tmp, d[i]))
			}
		case -1:
			// Begins with the first term.
			first := out.terms[0]
			if first.factor != 1 {
				panic("factor")
			}
			r.extend(1, first.e.max)
			for i := range d {
				p.Add(amd64.VMOVDQU64(first.e.limb(i), d[i]))
				p.Add(amd64.VPSUBQ(t[i], d[i], d[i]))
			}
			out.terms = out.terms[1:]
		default:
			panic("factor")
		}
		p.finish(out, d, tmp, r)
	}
	return p
}

// A span is between what multiples of p a number is.
type span struct{ low, high float64 }

func (r *span) extend(factor int, max float64) {
	if v := float64(factor) * max; v > 0 {
		r.high += v
	} else {
		r.low += v
	}
}

// finish makes an output of factor times a product.
func (p *program) finish(out output, d [5]vec, tmp vec, r span) {
	if out.mask != nil {
		r = span{r.low - r.high, r.high - r.low}
		p.Add(amd64.VPXORQ(tmp, tmp, tmp))
		for i := range d {
			p.Add(amd64.VPSUBQ(d[i], tmp, out.mask, d[i]))
		}
	}
	for _, term := range out.terms {
		r.extend(term.factor, term.e.max)
		for i := range d {
			p.times(term.factor, term.e, i, d[i], tmp)
		}
	}
	r.low += float64(out.primes)
	r.high += float64(out.primes)
	p.addPrimes(out.primes, d)
	if r.low < 0 || out.reduce && r.low < 0.01 || r.high > 15.9 {
		panic(fmt.Sprintf("between %g p and %g p", r.low, r.high))
	}
	out.to.max = r.high
	if out.reduce {
		out.to.max = 1.001
		// The part above 2^256, h 2^256, is h (2^224 + 2^96 - 2^64 + 1).
		p.Add(amd64.VPSRAQ(Imm(48), d[4], tmp))
		p.Add(amd64.VPANDQ_BCST(word(wordTopMask), d[4], d[4]))
		p.Add(amd64.VPADDQ(tmp, d[0], d[0]))
		p.Add(amd64.VPMADD52LUQ_BCST(word(wordFold1), tmp, d[1]))
		p.Add(amd64.VPMADD52LUQ_BCST(word(wordFold4), tmp, d[4]))
	}
	p.normalize(d, tmp, out.to)
}

// A program is the instructions of an operation.
type program struct{ asm.Stream }

func mul(to, x, y *element) operation { return operation{x, y, []output{{to: to, factor: 1}}} }
func sqr(to, x *element) operation    { return mul(to, x, nil) }

// do writes operations, each of which begins in the middle of the one before it, to
// have something to do while that waits for its carries, and after the end of the
// one before that, whose registers it has. It stops if memory would be read or
// written in another order than if the operations were one after the other.
func do(list ...operation) {
	type access struct {
		time, op int
		write    bool
	}
	accesses := map[string][]access{} // of each limb in memory
	slots := map[int]asm.Stream{}
	begin, end, last := 0, [2]int{}, 0
	for n, o := range list {
		p := o.program(banks[n%2])
		begin = max(begin, end[n%2])
		end[n%2] = begin + len(p.Stream)
		last = max(last, end[n%2])
		for i, instruction := range p.Stream {
			slots[begin+i] = append(slots[begin+i], instruction)
			m, ok := amd64.Memory(instruction)
			if !ok || m.Symbol.Name != "" { // none, or constants
				continue
			}
			now := access{begin + i, n, instruction.Memory == asm.Store}
			for _, before := range accesses[m.Asm()] {
				if (now.write || before.write) && (before.time > now.time || before.time == now.time && before.op > now.op) {
					panic(fmt.Sprintf("operation %d has %s before operation %d", now.op, m.Asm(), before.op))
				}
			}
			accesses[m.Asm()] = append(accesses[m.Asm()], now)
		}
		begin += len(p.Stream) / 2
	}
	for time := range last {
		amd64.Write(slots[time])
	}
}
