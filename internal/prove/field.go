package prove

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
	"github.com/cipherlane/cipherlane/internal/prove/integers"
	"github.com/cipherlane/cipherlane/internal/prove/spec"
)

// moduli are those of SM2 by their names in directives: GB/T 32918.5.
var moduli = map[string]*big.Int{"p": spec.Prime, "n": spec.Order}

// radix is that of Montgomery's form.
var radix = new(big.Int).Lsh(big.NewInt(1), 256)

// An element is a number from 0 to most, as four limbs of 64 bits, the lowest first.
type element struct {
	value integers.Form
	most  *big.Int
	limbs []word
}

// field is arithmetic modulo m in Montgomery's form: numbers are multiplied by r = 2^256, the radix.
type field struct {
	*proof
	m *big.Int
}

func (p *proof) field() field { return field{p, moduli[p.text("modulus")]} }

func (f field) top() *big.Int { return new(big.Int).Sub(f.m, big.NewInt(1)) }

// unknown returns any number up to a bound.
func (f field) unknown(name string, most *big.Int) element {
	value, limbs := f.numbers.Input(name, 4, most)
	return element{value, most, limbs}
}

// input returns memory with any number below m.
func (f field) input(name string) (*machine.Object, element) {
	o, x := f.memory(name, 32), f.unknown(name, f.top())
	f.put(o, x)
	return o, x
}

func (f field) put(o *machine.Object, x element) {
	for i, w := range x.limbs {
		f.set(o, 8*i, w)
	}
}

// limbs are those of a number in memory.
func (f field) limbs(o *machine.Object) (list []word) {
	for i := range int64(4) {
		list = append(list, o.Bits(f.numbers, 8*i, 8))
	}
	return list
}

// check proves that factor times a number is another one modulo m, and that it is at most a bound.
func (f field) check(name string, limbs []word, factor *big.Int, want integers.Form, most *big.Int) error {
	if f.Known {
		return nil
	}
	z := f.number(limbs)
	same, room := z.Times(factor).Minus(want), integers.Int(most).Minus(z)
	return f.numbers.Once([]integers.Form{same, room}, []*big.Int{f.m}, func() error {
		if err := f.proven(name+" is not the product", f.numbers.Zero(same, f.m)); err != nil {
			return err
		}
		return f.proven(name+" is too much", f.numbers.NotNegative(room))
	})
}

// number is what limbs are.
func (f field) number(limbs []word) integers.Form {
	z := integers.Int(new(big.Int))
	for i, w := range limbs {
		z = z.Plus(new(big.Int).Lsh(big.NewInt(1), uint(64*i)), f.numbers.Read(w))
	}
	return z
}

func (f field) product(x, y element) integers.Form {
	return f.numbers.Multiply(x.value, y.value, x.most, y.most)
}

// proven returns an error with what is wrong.
func (f field) proven(text string, err error) error {
	var w integers.Wrong
	switch {
	case errors.As(err, &w):
		return wrong{text, w.Sample}
	case err != nil:
		return fmt.Errorf("%s: %w", text, err)
	}
	return nil
}

// fieldMultiply is z = x y / r.
func fieldMultiply(p *proof) {
	f := p.field()
	z := p.memory("z", 32)
	a, x := f.input("x")
	b, y := f.input("y")
	a.Overlap, b.Overlap = z, z
	p.mayWrite(z, 0, 32)
	p.claims = func() error { return f.check("z", f.limbs(z), radix, f.product(x, y), f.top()) }
}

// fieldSquares is z = x^(2^n). The key cut has a label, and where the number is there and behind the loop: in z, or
// in registers, where it may be any of 256 bits. There it gets a new name: so each squaring is proven for all numbers,
// and n = 2 has all that there is: a squaring of x, one of such a number, and what makes z of it.
func fieldSquares(p *proof) {
	f := p.field()
	z := p.memory("z", 32)
	a, x := f.input("x")
	a.Overlap = z
	p.mayWrite(z, 0, 32)
	n := p.int("n")
	p.number("n", n)
	cut := strings.Split(p.text("cut"), ":")
	label, ok := p.machine.Function.Labels[cut[0]]
	if !ok {
		failed("there is no label %s", cut[0])
	}
	last := slices.IndexFunc(p.machine.Function.Code, func(in machine.Instruction) bool { return in.Label == cut[0] })
	squarings := -1
	p.before = func() error {
		if pc := p.machine.PC; pc != label && pc != last+1 {
			return nil
		}
		if squarings++; squarings == 0 {
			return nil
		}
		name, most := "z", f.top()
		var limbs []word
		if cut[1] == "z" {
			limbs = f.limbs(z)
		} else {
			name, most = "the square", new(big.Int).Sub(radix, big.NewInt(1))
			for _, r := range f.registers(cut[1:]) {
				limbs = append(limbs, p.machine.R[r].Bits)
			}
		}
		if err := f.check(name, limbs, radix, f.product(x, x), most); err != nil {
			return err
		}
		f.numbers.Forget()
		x = f.unknown(fmt.Sprint("square", squarings), most)
		if cut[1] == "z" {
			f.put(z, x)
			return nil
		}
		for i, r := range f.registers(cut[1:]) {
			p.machine.R[r].Bits = x.limbs[i]
		}
		return nil
	}
	p.claims = func() error {
		if squarings != n {
			return fmt.Errorf("%d squarings, not %d", squarings, n)
		}
		return f.check("z", f.limbs(z), big.NewInt(1), x.value, f.top())
	}
}

// registers are four general ones by their names.
func (f field) registers(names []string) (list []int) {
	for _, name := range names {
		i, err := strconv.Atoi(strings.TrimPrefix(name, "R"))
		if err != nil {
			failed("%s is no register", name)
		}
		list = append(list, i)
	}
	if len(list) != 4 {
		failed("%d registers", len(list))
	}
	return list
}
