package prove

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
	"github.com/cipherlane/cipherlane/internal/prove/integers"
	"github.com/cipherlane/cipherlane/internal/prove/spec"
)

// A coordinate is an element of which it is known which polynomial it is, modulo p, of those that a kernel
// began with. Montgomery's factor is left out.
type coordinate struct {
	element
	is       spec.Polynomial
	positive bool // not 0
}

// points follows a kernel that computes with elements. Where one is complete, in four registers, it is proven
// to be a sum of products of others, or of others, or the half of one, and it gets a new name. So the
// kernel becomes a list of operations modulo p, and each of them is proven for all numbers within bounds.
type points struct {
	field
	known []coordinate
	ends  map[int]complete // by the instruction that comes next
	any   bool             // elements are any numbers: nothing is claimed of them
}

// complete says where an element is, and the bound to be proven.
type complete struct {
	limbs []int // registers
	most  string
}

// The bounds of operations.
const (
	belowP  = "p"
	any256  = "2^256"
	exact   = "that of the product"
	ofTerms = "that of the operands"
)

// endings are the last instructions of operations, which write the limbs, or the first ones that store all limbs of a
// product.
var endings = map[string][]struct {
	code  string
	limbs int // or -4 from the highest one on
	most  string
}{
	"amd64": {
		{"CMOVQCC CMOVQCC CMOVQCC CMOVQCC", 4, belowP},
		{"ANDQ ADDQ ADCQ ADCQ ADCQ", 4, ofTerms},
		{"RCRQ RCRQ RCRQ RCRQ", -4, belowP},
		{"CMOVQLT CMOVQLT CMOVQLT CMOVQLT", 4, belowP},
	},
	"arm64": {
		{"CSEL CSEL CSEL CSEL", 4, belowP},
		{"CSEL CSEL ADCS ADCS ADCS ADC", 4, any256},
		{"CSEL CSEL SBCS SBCS SBCS SBC", 4, ofTerms},
		{"EXTR EXTR EXTR EXTR", 4, belowP},
		{"STP STP STP STP", 8, exact},
	},
}

func (p *proof) points() *points {
	c := &points{field: field{p, spec.Prime}, ends: map[int]complete{}}
	code := p.machine.Function.Code
	for _, e := range endings[p.machine.Arch.Name] {
		ops := strings.Fields(e.code)
		for pc := len(ops); pc < len(code); pc++ {
			if !slices.EqualFunc(code[pc-len(ops):pc], ops, func(in machine.Instruction, op string) bool { return in.Op == op }) {
				continue
			}
			var limbs []int
			add := func(o machine.Operand) {
				if !slices.Contains(limbs, o.Reg) {
					limbs = append(limbs, o.Reg)
				}
			}
			for _, in := range code[pc-4 : pc] {
				if e.most != exact {
					add(in.Args[len(in.Args)-1])
					continue
				}
				for _, o := range in.Args[0].List {
					add(o)
				}
			}
			at := pc
			switch {
			case e.limbs < 0:
				slices.Reverse(limbs)
			case e.most == exact:
				at -= 4
			}
			if len(limbs) == max(e.limbs, -e.limbs) {
				c.ends[at] = complete{limbs, e.most}
			}
		}
	}
	return c
}

// coordinate makes memory any element below p, which is variable i.
func (c *points) coordinate(o *machine.Object, at, i int) coordinate {
	x := coordinate{element: c.unknown(fmt.Sprint(o.Name, at/32), c.top()), is: spec.Variable(i)}
	for j, w := range x.limbs {
		c.set(o, at+8*j, w)
	}
	c.known = append(c.known, x)
	return x
}

// find returns the coordinate that is in memory.
func (c *points) find(limbs []word) (coordinate, error) {
	for _, x := range c.known {
		if slices.EqualFunc(x.limbs, limbs, slices.Equal[word]) {
			return x, nil
		}
	}
	return coordinate{}, errors.New("not proven: what is there is no known number")
}

func (c *points) in(o *machine.Object, at int) (list []word) {
	for i := range 4 {
		list = append(list, o.Bits(c.numbers, int64(at+8*i), 8))
	}
	return list
}

// name gives the element that is complete a new name.
func (c *points) name() error {
	end, ok := c.ends[c.machine.PC]
	if !ok {
		return nil
	}
	var limbs []word
	for _, r := range end.limbs {
		w := c.machine.R[r].Bits
		if len(w) != 64 {
			return nil
		}
		limbs = append(limbs, w)
	}
	name := fmt.Sprint("element", c.machine.Steps)
	x := coordinate{element: element{most: new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(64*len(limbs))), big.NewInt(1))}}
	if !c.any {
		var err error
		if x.is, x.most, err = c.operation(name, limbs, end.most); x.is == nil || err != nil {
			return err
		}
	}
	x.value, x.limbs = c.numbers.Input(name, len(limbs), x.most)
	for i, r := range end.limbs {
		c.machine.R[r].Bits = x.limbs[i]
	}
	c.numbers.Forget()
	if !c.any {
		c.known = append(c.known, x)
		c.bounds()
	}
	return nil
}

// bounds notes those of the numbers that are known.
func (c *points) bounds() {
	for _, x := range c.known {
		least := new(big.Int)
		if x.positive {
			least.SetInt64(1)
		}
		c.numbers.Between(x.value, least, x.most)
	}
}

// operation proves which polynomial an element is, and its bound. If it seems to be none there is no polynomial.
func (c *points) operation(name string, limbs []word, bound string) (is spec.Polynomial, most *big.Int, err error) {
	var values []integers.Form
	for _, x := range c.known {
		values = append(values, x.value)
	}
	z := c.number(limbs)
	terms, constant, ok := c.numbers.Terms(z, c.m, values)
	if !ok {
		return nil, nil, nil
	}
	// Multiplied by a factor, the coefficients are small.
	factor := big.NewInt(1)
	if bound == exact {
		if len(terms) != 1 || len(terms[0].Of) != 2 || terms[0].Factor.Cmp(factor) != 0 || constant.Sign() != 0 {
			return nil, nil, nil
		}
	} else if slices.ContainsFunc(terms, func(t integers.Term) bool { return len(t.Of) == 2 }) {
		factor = radix
	} else if len(terms) == 1 && terms[0].Factor.BitLen() > 8 {
		factor = big.NewInt(2)
	}
	small := func(x *big.Int) *big.Int {
		x = new(big.Int).Mod(x.Mul(x, factor), c.m)
		if x.Cmp(new(big.Int).Rsh(c.m, 1)) > 0 {
			x.Sub(x, c.m)
		}
		return x
	}
	inverse := new(big.Int).ModInverse(radix, c.m)
	top, is := c.top(), spec.Polynomial{}
	most = top
	want := integers.Int(small(new(big.Int).Set(constant)))
	is = is.Plus(new(big.Int).Mul(constant, inverse), spec.Integer(1))
	for _, t := range terms {
		a := c.known[t.Of[0]]
		if len(t.Of) == 1 {
			if a.most.Cmp(top) > 0 {
				most = new(big.Int).Sub(radix, big.NewInt(1))
			}
			is = is.Plus(t.Factor, a.is)
			want = want.Plus(small(t.Factor), a.value)
			continue
		}
		b := c.known[t.Of[1]]
		is = is.Plus(new(big.Int).Mul(t.Factor, radix), a.is.Times(b.is))
		want = want.Plus(small(t.Factor), c.product(a.element, b.element))
	}
	switch bound {
	case exact:
		a, b := c.known[terms[0].Of[0]], c.known[terms[0].Of[1]]
		if err := c.proven(name, c.numbers.Once([]integers.Form{z.Minus(want)}, nil, func() error {
			return c.numbers.Zero(z.Minus(want), nil)
		})); err != nil {
			return nil, nil, err
		}
		return is, new(big.Int).Mul(a.most, b.most), nil
	case belowP:
		most = top
	case any256:
		most = new(big.Int).Sub(radix, big.NewInt(1))
	}
	return is, most, c.check(name, limbs, factor, want, most)
}

// pointsDouble is r = 2^n p, with the label of the loop. Each doubling is proven for any numbers below p.
func pointsDouble(p *proof) {
	c := p.points()
	r := p.memory("r", 96)
	from := p.memory("p", 96)
	from.Overlap = r
	p.mayWrite(r, 0, 96)
	n := p.int("n")
	p.number("n", n)
	for i := range 3 {
		c.coordinate(from, 32*i, i)
	}
	doublings := -1
	doubled := func() error {
		var now [3]coordinate
		for i := range now {
			var err error
			if now[i], err = c.find(c.in(r, 32*i)); err != nil {
				return err
			}
			if now[i].most.Cmp(c.top()) > 0 {
				return errors.New("not proven: a coordinate may be p or more")
			}
		}
		x, y, z := spec.Variable(0), spec.Variable(1), spec.Variable(2)
		if doublings++; doublings > 0 {
			if !spec.Jacobian(now[0].is, now[1].is, now[2].is).Is(spec.Jacobian(x, y, z).Double()) {
				return errors.New("not proven: another point than the double")
			}
			if !now[2].is.Same(y.Times(z)) {
				return errors.New("not proven: infinity has another double")
			}
		}
		now[0].is, now[1].is, now[2].is = x, y, z
		c.known = now[:]
		return nil
	}
	c.each(doubled)
	proven := p.claims
	p.claims = func() error {
		if err := proven(); err != nil {
			return err
		}
		if doublings != n && !p.Known {
			return fmt.Errorf("not proven: %d doublings, not %d", doublings, n)
		}
		return nil
	}
}

// pointsAdd is r = r + q. With skip=1, r stays as it is, and q may be anything; otherwise it is not infinity, but r
// may be. With affine=1, q has two coordinates, and the third is 1. If r is q, the sum is wrong, and same
// is all ones; otherwise it is 0.
func pointsAdd(p *proof) {
	c := p.points()
	skip, affine := p.int("skip") == 1, p.int("affine") == 1
	size := 3
	if affine {
		size = 2
	}
	c.any = skip
	r, q := p.memory("r", 96), p.memory("q", 32*size)
	p.mayWrite(r, 0, 96)
	var a, b [3]coordinate
	for i := range a {
		a[i] = c.coordinate(r, 32*i, i)
	}
	for i := range size {
		if b[i] = c.coordinate(q, 32*i, 3+i); skip {
			b[i].element = c.unknown(fmt.Sprint("any", i), new(big.Int).Sub(radix, big.NewInt(1)))
			for j, w := range b[i].limbs {
				p.set(q, 32*i+8*j, w)
			}
		}
	}
	if affine {
		b[2].is, b[2].limbs = spec.Integer(1), c.one()
	}
	mask := uint64(0)
	if skip {
		mask = 1<<64 - 1
	}
	p.argument("skip", machine.Number(mask, 64))
	p.result("same", machine.Constant(0, 64))
	empty := c.numbers.Name(c.zero(a[2]))
	p.before = c.name
	p.claims = func() error {
		got := p.machine.Results["same"]
		if got.Object != nil || len(got.Bits) != 64 {
			return errors.New("the result same was not written")
		}
		p.result("same", got.Bits) // which is compared here
		switch {
		case p.Known:
			return nil
		case !skip:
			return c.added(r, got.Bits, empty, a, b)
		}
		if v, ok := got.Bits.Constant(); !ok || v != 0 {
			return errors.New("not proven: same is not 0")
		}
		for i := range a {
			if !slices.EqualFunc(c.in(r, 32*i), a[i].limbs, slices.Equal[word]) {
				return fmt.Errorf("not proven: r+%d changes", 32*i)
			}
		}
		return nil
	}
}

// one is 1 in Montgomery's form.
func (c *points) one() (limbs []word) {
	for i := range 4 {
		limb := new(big.Int).Rsh(new(big.Int).Mod(radix, c.m), uint(64*i))
		limbs = append(limbs, machine.Constant(limb.And(limb, new(big.Int).SetUint64(1<<64-1)).Uint64(), 64))
	}
	return limbs
}

// zero is whether a number is 0.
func (c *points) zero(list ...coordinate) bit {
	b := machine.One
	for _, x := range list {
		for _, w := range x.limbs {
			for _, x := range w {
				b = c.numbers.And(b, x^1)
			}
		}
	}
	return b
}

// added proves that the sum of points is in r, or q if empty says that a is infinity, and what same is.
func (c *points) added(r *machine.Object, same word, empty bit, a, b [3]coordinate) error {
	var sum [3]coordinate
	for i := range sum {
		var limbs []word
		for j, w := range c.in(r, 32*i) {
			if !slices.Equal(c.numbers.Given(w, empty, machine.One), b[i].limbs[j]) {
				return errors.New("not proven: infinity and q is not q")
			}
			limbs = append(limbs, c.numbers.Given(w, empty, machine.Zero))
		}
		var err error
		if sum[i], err = c.find(limbs); err != nil {
			return err
		}
		if sum[i].most.Cmp(c.top()) > 0 {
			return errors.New("not proven: a coordinate may be p or more")
		}
	}
	p, q := spec.Jacobian(a[0].is, a[1].is, a[2].is), spec.Jacobian(b[0].is, b[1].is, b[2].is)
	if !spec.Jacobian(sum[0].is, sum[1].is, sum[2].is).Is(p.Add(q)) {
		return errors.New("not proven: another point than the sum")
	}
	// The differences of the coordinates, without denominators: Z is 0 where that of x is.
	difference := func(i, n int) spec.Polynomial {
		left, right := a[i].is, b[i].is
		for range n {
			left, right = left.Times(b[2].is), right.Times(a[2].is)
		}
		return left.Minus(right)
	}
	x, y := difference(0, 2), difference(1, 3)
	if !sum[2].is.Same(a[2].is.Times(b[2].is).Times(x)) {
		return errors.New("not proven: Z is another multiple of the difference")
	}
	for i, w := range same {
		if w != same[0] || c.numbers.Given(same, empty, machine.One)[i] != machine.Zero {
			return errors.New("not proven: same is no mask, or not 0 for infinity")
		}
	}
	got := c.numbers.Given(same, empty, machine.Zero)[0]
	for _, h := range c.known {
		for _, s := range c.known {
			below := h.most.Cmp(c.top()) <= 0 && s.most.Cmp(c.top()) <= 0
			if below && h.is.Same(x) && s.is.Same(y) && got == c.zero(h, s) {
				return nil
			}
		}
	}
	return errors.New("not proven: same is not whether both coordinates are the same")
}

// pointsGet is an entry of a table of 16 points, or 0 for magnitude 0.
func pointsGet(p *proof) {
	const entries, size = 16, 96
	r, table := p.memory("r", size), p.memory("table", entries*size)
	magnitude := p.int("magnitude")
	p.number("magnitude", magnitude)
	if magnitude == 0 {
		p.want(r, 0, machine.Constant(0, 8*size))
		return
	}
	p.want(r, 0, p.read(table, size*(magnitude-1), size))
}

// The table of the base point has rows, of which each digit selects an entry.
const (
	baseRows    = 43
	baseEntries = 32
)

// A base is such a table and digits: the one of row i has magnitude 1 + (i + shift) modulo 32, and the signs of row i
// and i + 1 differ, as do those of shift and shift + 32. So shift=0,32 has each digit, and 0..63 each one in each row.
// No point of the curve has y = 0.
type base struct {
	*points
	table, digits *machine.Object
	chosen        [baseRows][2]coordinate
	negative      [baseRows]bool
}

func (p *proof) base() *base {
	b := &base{points: p.points(), table: p.memory("table", baseRows*baseEntries*64), digits: p.memory("digits", 8*baseRows)}
	shift, most := p.int("shift"), new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 512), big.NewInt(1))
	for i := range baseRows {
		magnitude := 1 + (i+shift)%baseEntries
		digit := uint64(magnitude)
		if b.negative[i] = (i+shift/baseEntries)%2 == 1; b.negative[i] {
			digit |= 1 << 63
		}
		p.set(b.digits, 8*i, machine.Constant(digit, 64))
		for j := range baseEntries {
			at := 64 * (baseEntries*i + j)
			if j == magnitude-1 {
				b.chosen[i] = [2]coordinate{b.coordinate(b.table, at, 3), b.coordinate(b.table, at+32, 4)}
				b.chosen[i][1].positive = true
				continue
			}
			_, limbs := p.numbers.Input(fmt.Sprint("entry", i, ".", j), 8, most)
			for l, w := range limbs {
				p.set(b.table, at+8*l, w)
			}
		}
	}
	b.known = nil
	return b
}

// begin makes the point of a row known, besides others.
func (b *base) begin(row int, others ...coordinate) {
	b.known = append(others, b.chosen[row][:]...)
	b.numbers.Forget()
	b.bounds()
}

// point is that of a row, with its sign.
func (b *base) point(row int) (x, y spec.Polynomial) {
	if b.negative[row] {
		return spec.Variable(3), spec.Polynomial{}.Minus(spec.Variable(4))
	}
	return spec.Variable(3), spec.Variable(4)
}

// pointsBase is the sum of a point of each row. At the label of the loop, where the row that is to be added is first
// at the beginning, the sum of the rows before is any point X, Y, Z^2, Z^3.
func pointsBase(p *proof) {
	b := p.base()
	r := p.memory("r", 96)
	p.mayWrite(r, 0, 96)
	row, order := p.int("first")-1, p.text("frame")
	x, y, z := spec.Variable(0), spec.Variable(1), spec.Integer(1)
	b.begin(0)
	// sum is the one with the point of a row, and Z of it.
	sum := func(row int) (spec.AffinePoint, spec.Polynomial) {
		qx, qy := b.point(row)
		return spec.Jacobian(x, y, z).Add(spec.Jacobian(qx, qy, spec.Integer(1))), z.Times(qx.Times(z).Times(z).Minus(x))
	}
	// is reports whether a polynomial, over another, is a coordinate of the sum: the same one as in a row before with this
	// sign, or as a fraction.
	var right [2][2]spec.Polynomial
	is := func(i int, under spec.Polynomial, want spec.Fraction) func(f spec.Polynomial) bool {
		sign := 0
		if b.negative[row-1] {
			sign = 1
		}
		return func(f spec.Polynomial) bool {
			if old := right[sign][i]; old != nil {
				return f.Equal(old)
			}
			if !(spec.Fraction{Over: f, Under: under}).Is(want) {
				return false
			}
			right[sign][i] = f
			return true
		}
	}
	next := func() error {
		var state []coordinate
		add := func(name string, now spec.Polynomial, is func(f spec.Polynomial) bool) error {
			before := len(state)
			for _, e := range b.known { // there may be several, of which the kernel uses one
				if is(e.is) {
					e.is = now
					state = append(state, e)
				}
			}
			if len(state) == before {
				return fmt.Errorf("not proven: after row %d there is no %s of the sum", row-1, name)
			}
			return nil
		}
		if row++; row <= 0 {
			return nil
		}
		var errs []error
		if row == 1 {
			qx, qy := b.point(0)
			errs = append(errs, add("X", x, qx.Equal), add("Y", y, qy.Equal))
			powers, err := b.powers(order)
			errs, state, z = append(errs, err), append(state, powers...), spec.Variable(2)
		} else {
			want, wantZ := sum(row - 1)
			zz := wantZ.Times(wantZ)
			zzz := zz.Times(wantZ)
			errs = append(errs,
				add("X", x, is(0, zz, want.X)), add("Y", y, is(1, zzz, want.Y)), add("Z^2", z.Times(z), zz.Equal), add("Z^3", z.Times(z).Times(z), zzz.Equal))
		}
		if err := errors.Join(errs...); err != nil {
			return err
		}
		if row < baseRows {
			b.begin(row, state...)
		}
		return nil
	}
	b.each(next)
	p.claims = func() error {
		if p.Known {
			return nil
		}
		if row != baseRows-1 {
			return fmt.Errorf("not proven: %d rows, not %d", row+1, baseRows)
		}
		var got [3]coordinate
		for i := range got {
			var err error
			if got[i], err = b.find(b.in(r, 32*i)); err != nil {
				return err
			}
			if got[i].most.Cmp(b.top()) > 0 {
				return errors.New("not proven: a coordinate may be p or more")
			}
		}
		want, wantZ := sum(row)
		if !spec.Jacobian(got[0].is, got[1].is, got[2].is).Is(want) {
			return errors.New("not proven: another point than the sum")
		}
		if !got[2].is.Same(wantZ.Times(wantZ).Times(wantZ)) {
			return errors.New("not proven: Z is another multiple of the difference")
		}
		return nil
	}
}

// powers replaces 1, which is in the frame twice, by Z^2 and Z^3 for any Z. The order there is zz:zzz or zzz:zz.
func (b *base) powers(order string) (list []coordinate, err error) {
	z := spec.Variable(2)
	powers := map[string]spec.Polynomial{"zz": z.Times(z), "zzz": z.Times(z).Times(z)}
	stack := b.machine.Stack
	for at := stack.Low; at+32 <= stack.High; at += 8 {
		if !slices.EqualFunc(b.written(at), b.one(), slices.Equal[word]) {
			continue
		}
		name, rest, _ := strings.Cut(order, ":")
		x := coordinate{element: b.unknown(name, new(big.Int).Sub(radix, big.NewInt(1))), is: powers[name]}
		if x.is == nil {
			break
		}
		for i, w := range x.limbs {
			stack.Set(at+int64(8*i), machine.Value{Bits: w})
		}
		list, order = append(list, x), rest
	}
	if len(list) != 2 || order != "" {
		return nil, errors.New("not proven: Z^2 and Z^3 of the first sum are not 1")
	}
	return list, nil
}

// written has the limbs in the frame, or nothing if there are none.
func (b *base) written(at int64) (list []word) {
	defer func() {
		if _, ok := recover().(machine.Unsupported); ok {
			list = nil
		}
	}()
	for i := range int64(4) {
		list = append(list, b.machine.Stack.Bits(b.numbers, at+8*i, 8))
	}
	return list
}

// pointsBasePoints gets the point of each row, negated if its digit is negative.
func pointsBasePoints(p *proof) {
	b := p.base()
	r := p.memory("r", 64*baseRows)
	p.mayWrite(r, 0, 64*baseRows)
	row := -1
	next := func() error {
		if row++; row > 0 {
			want := [2]spec.Polynomial{}
			want[0], want[1] = b.point(row - 1)
			for i := range want {
				got, err := b.find(b.in(r, 64*(row-1)+32*i))
				if err != nil {
					return err
				}
				if !got.is.Equal(want[i]) || got.most.Cmp(b.top()) > 0 {
					return fmt.Errorf("not proven: another point of row %d", row-1)
				}
			}
		}
		if row < baseRows {
			b.begin(row)
		}
		return nil
	}
	b.each(next)
	proven := p.claims
	p.claims = func() error {
		if err := proven(); err != nil {
			return err
		}
		if row != baseRows && !p.Known {
			return fmt.Errorf("not proven: %d rows, not %d", row, baseRows)
		}
		return nil
	}
}

// pairs are points of which two neighbours are to be added. While a pair is at work, its coordinates x1, y1, x2, y2 are
// variables 1 to 4.
type pairs struct {
	*points
	n         int
	p, before *machine.Object
	list      [][4]coordinate
}

func (p *proof) pairs() *pairs {
	n := p.int("n")
	p.number("n", n)
	p.list["p"], p.list["before"] = true, true
	l := &pairs{points: p.points(), n: n, p: p.memory("p", 128*n), before: p.memory("before", 32*n)}
	for i := range n {
		var pair [4]coordinate
		for j := range pair {
			pair[j] = l.coordinate(l.p, 128*i+32*j, 1+j)
		}
		l.list = append(l.list, pair)
	}
	l.known = nil
	return l
}

// each calls next at the label of the loop, and at the end.
func (c *points) each(next func() error) {
	label, ok := c.machine.Function.Labels[c.text("loop")]
	if !ok {
		failed("there is no label %s", c.text("loop"))
	}
	c.before = func() error {
		if c.machine.PC == label && !c.Known {
			if err := next(); err != nil {
				return err
			}
		}
		return c.name()
	}
	c.claims = func() error {
		if c.Known {
			return nil
		}
		return next()
	}
}

// value finds the number in memory that is a polynomial.
func (c *points) value(o *machine.Object, at int, is spec.Polynomial) (coordinate, error) {
	got, err := c.find(c.in(o, at))
	if err == nil && !got.is.Equal(is) {
		err = fmt.Errorf("not proven: %s+%d is another number", o.Name, at)
	}
	return got, err
}

// pointsProducts is a product, variable 0, times x2 - x1 of each pair, from the last one on. The products before are in
// before, and any numbers of 256 bits.
func pointsProducts(p *proof) {
	l := p.pairs()
	product := p.memory("product", 32)
	p.mayWrite(product, 0, 32)
	p.mayWrite(l.before, 0, 32*l.n)
	now := l.coordinate(product, 0, 0)
	left := l.n
	l.each(func() error {
		want := spec.Variable(0).Times(spec.Variable(3).Minus(spec.Variable(1)))
		if left < l.n {
			old, err := l.find(l.in(l.before, 32*left))
			if err != nil || !slices.EqualFunc(old.limbs, now.limbs, slices.Equal[word]) {
				return fmt.Errorf("not proven: before+%d is another number", 32*left)
			}
			i := slices.IndexFunc(l.known, func(x coordinate) bool { return x.is.Equal(want) })
			if left == 0 {
				got, err := l.value(product, 0, want)
				if err == nil && got.most.Cmp(l.top()) > 0 {
					err = errors.New("not proven: the product may be p or more")
				}
				return err
			}
			if i < 0 {
				return fmt.Errorf("not proven: there is no product with pair %d", left)
			}
			now = l.known[i]
			now.is = spec.Variable(0)
		}
		if left--; left < 0 {
			return errors.New("not proven: more pairs than there are")
		}
		l.known = append([]coordinate{now}, l.list[left][:]...)
		l.numbers.Forget()
		l.bounds()
		return nil
	})
}

// pointsPairs are the sums of pairs. With the inverse, variable 0, and the product before, variable 5, of a pair, the
// slope of its chord is their product times y2 - y1: they are 1 / (x2 - x1) together. The inverse of the next pair is that
// of this one times x2 - x1.
func pointsPairs(p *proof) {
	l := p.pairs()
	inverse := p.memory("inverse", 32)
	p.mayWrite(inverse, 0, 32)
	p.mayWrite(l.p, 0, 128*l.n)
	now := l.coordinate(inverse, 0, 0)
	var before []coordinate
	for i := range l.n {
		x := coordinate{element: l.unknown(fmt.Sprint("before", i), new(big.Int).Sub(radix, big.NewInt(1))), is: spec.Variable(5)}
		for j, w := range x.limbs {
			l.set(l.before, 32*i+8*j, w)
		}
		before = append(before, x)
	}
	v := spec.Variable
	slope := v(0).Times(v(5)).Times(v(4).Minus(v(2)))
	x := slope.Times(slope).Minus(v(1)).Minus(v(3))
	y := slope.Times(v(1).Minus(x)).Minus(v(2))
	after := v(0).Times(v(3).Minus(v(1)))
	done := -1
	l.each(func() error {
		if done++; done > 0 {
			for i, want := range []spec.Polynomial{x, y} {
				got, err := l.value(l.p, 64*(done-1)+32*i, want)
				if err == nil && got.most.Cmp(l.top()) > 0 {
					err = errors.New("not proven: a coordinate may be p or more")
				}
				if err != nil {
					return err
				}
			}
			if done == l.n {
				got, err := l.value(inverse, 0, after)
				if err == nil && got.most.Cmp(l.top()) > 0 {
					err = errors.New("not proven: the inverse may be p or more")
				}
				return err
			}
			i := slices.IndexFunc(l.known, func(x coordinate) bool { return x.is.Equal(after) })
			if i < 0 {
				return fmt.Errorf("not proven: there is no inverse of pair %d", done)
			}
			now = l.known[i]
			now.is = v(0)
		}
		if done == l.n {
			return errors.New("not proven: more pairs than there are")
		}
		l.known = append([]coordinate{now, before[done]}, l.list[done][:]...)
		l.numbers.Forget()
		l.bounds()
		return nil
	})
}
