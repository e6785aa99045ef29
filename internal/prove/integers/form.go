package integers

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// A Form is a sum of variables with integer coefficients, and a constant. Products of variables are
// variables. It is not changed after it was made.
type Form struct {
	terms    map[int]*big.Int
	constant *big.Int
}

var one = big.NewInt(1)

// power is 2^n.
func power(n int) *big.Int { return new(big.Int).Lsh(one, uint(n)) }

// Int is a constant.
func Int(v *big.Int) Form { return Form{nil, v} }

// Plus is f + c g.
func (f Form) Plus(c *big.Int, g Form) Form {
	sum := Form{make(map[int]*big.Int, len(f.terms)+len(g.terms)), new(big.Int).Mul(c, g.constant)}
	sum.constant.Add(sum.constant, f.constant)
	maps.Copy(sum.terms, f.terms)
	for v, x := range g.terms {
		x = new(big.Int).Mul(c, x)
		if old := sum.terms[v]; old != nil {
			x.Add(x, old)
		}
		if sum.terms[v] = x; x.Sign() == 0 {
			delete(sum.terms, v)
		}
	}
	return sum
}

// Minus is f - g.
func (f Form) Minus(g Form) Form { return f.Plus(big.NewInt(-1), g) }

// Times is c f.
func (f Form) Times(c *big.Int) Form { return Int(new(big.Int)).Plus(c, f) }

// key is the same for equal forms.
func (f Form) key() string {
	var b strings.Builder
	b.WriteString(f.constant.Text(62))
	for _, v := range slices.Sorted(maps.Keys(f.terms)) {
		fmt.Fprintf(&b, " %d:%s", v, f.terms[v].Text(62))
	}
	return b.String()
}

// substitute replaces a variable.
func (f Form) substitute(v int, by Form) Form {
	c := f.terms[v]
	if c == nil {
		return f
	}
	rest := Form{maps.Clone(f.terms), f.constant}
	delete(rest.terms, v)
	return rest.Plus(c, by)
}

// modulo takes coefficients modulo m, the smallest absolute ones.
func (f Form) modulo(m *big.Int) Form {
	small := func(x *big.Int) *big.Int {
		x = new(big.Int).Mod(x, m)
		if new(big.Int).Lsh(x, 1).Cmp(m) > 0 {
			x.Sub(x, m)
		}
		return x
	}
	out := Form{map[int]*big.Int{}, small(f.constant)}
	for v, x := range f.terms {
		if x = small(x); x.Sign() != 0 {
			out.terms[v] = x
		}
	}
	return out
}
