package integers

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sync"
)

// A system has what is known in a case: facts, and ranges of variables.
type system struct {
	*Engine
	facts     []fact
	low, high []*big.Int
	flags     map[string]decided // what makes choices, by keys
	shared    map[string]Form    // bits that are in several places of a word
}

// decided says which value a form has that is 0 or 1.
type decided struct {
	flag Form
	yes  bool
}

// A Wrong claim does not hold for a sample.
type Wrong struct{ Sample int }

func (w Wrong) Error() string { return fmt.Sprintf("it is wrong for sample %d", w.Sample) }

// Zero returns nil if f is 0 modulo m, which may be nil.
func (e *Engine) Zero(f Form, m *big.Int) error {
	for i := range Samples {
		x := e.evaluate(f, i)
		if m != nil {
			x.Mod(x, m)
		}
		if x.Sign() != 0 {
			return Wrong{i}
		}
	}
	e.learn(f, m)
	return e.system(f).cases(f, func(s *system, f Form) error { return s.zero(f, m) })
}

// NotNegative returns nil if f is at least 0.
func (e *Engine) NotNegative(f Form) error {
	for i := range Samples {
		if e.evaluate(f, i).Sign() < 0 {
			return Wrong{i}
		}
	}
	return e.system(f).cases(f, func(s *system, f Form) error {
		if !s.always(f.Times(big.NewInt(-1)), one) {
			return fmt.Errorf("not proven: a form with %d terms may be negative", len(f.terms))
		}
		return nil
	})
}

// system has what is known about the variables of a form, and about those that facts join to them.
func (e *Engine) system(f Form) *system {
	s := e.about(f)
	s.low, s.high = make([]*big.Int, len(e.variables)), make([]*big.Int, len(e.variables))
	for i := range e.variables {
		s.low[i], s.high[i] = e.variables[i].low, e.variables[i].high
	}
	return s
}

// about is system without the ranges of variables.
func (e *Engine) about(f Form) *system {
	s := &system{Engine: e, flags: map[string]decided{}, shared: map[string]Form{}}
	with := map[int][]int{} // facts by their variables; masks behind them
	forms := make([]Form, 0, len(e.facts)+len(e.masks))
	for _, x := range e.facts {
		forms = append(forms, x.form)
	}
	keys := slices.Sorted(maps.Keys(e.masks))
	for _, key := range keys {
		forms = append(forms, e.masks[key])
	}
	for i, x := range forms {
		for v := range x.terms {
			with[v] = append(with[v], i)
		}
	}
	seen, used := map[int]bool{}, make([]bool, len(forms))
	var follow func(f Form)
	follow = func(f Form) {
		for v := range f.terms {
			if seen[v] {
				continue
			}
			seen[v] = true
			if c := e.variables[v].choice; c != nil {
				follow(c.flag)
				follow(c.yes)
				follow(c.no)
			}
			for _, i := range with[v] {
				if !used[i] {
					used[i] = true
					follow(forms[i])
				}
			}
		}
	}
	follow(f)
	for i, x := range e.facts {
		if used[i] {
			s.facts = append(s.facts, x)
		}
	}
	for i, key := range keys {
		if used[len(e.facts)+i] {
			s.shared[key] = e.masks[key]
		}
	}
	return s
}

// Once calls prove, unless it has returned nil for the same claims: about forms of variables with other names, for
// which the same facts are known.
func (e *Engine) Once(claims []Form, numbers []*big.Int, prove func() error) error {
	all := Int(new(big.Int))
	for i, f := range claims {
		all = all.Plus(power(10000*i), f)
	}
	s, id := e.about(all), map[int]int{}
	h := sha256.New()
	var write func(forms ...Form)
	write = func(forms ...Form) {
		for _, f := range forms {
			fmt.Fprintf(h, "(%v", f.constant)
			for _, v := range slices.Sorted(maps.Keys(f.terms)) {
				n, old := id[v]
				if !old {
					n = len(id)
					id[v] = n
				}
				fmt.Fprintf(h, " %v:%d", f.terms[v], n)
				if x := &e.variables[v]; !old {
					fmt.Fprintf(h, "[%v,%v]", x.low, x.high)
					if c := x.choice; c != nil {
						write(c.flag, c.yes, c.no)
					}
				}
			}
			fmt.Fprint(h, ")")
		}
	}
	write(claims...)
	fmt.Fprint(h, numbers)
	for _, f := range s.facts {
		write(f.form)
		fmt.Fprint(h, f.low, f.high)
	}
	for _, key := range slices.Sorted(maps.Keys(s.shared)) {
		write(s.shared[key])
	}
	key := [sha256.Size]byte(h.Sum(nil))
	if _, ok := proven.Load(key); ok {
		return nil
	}
	err := prove()
	if err == nil {
		proven.Store(key, true)
	}
	return err
}

// proven has the claims of Once.
var proven sync.Map

// cases checks a form without choices, once for each way to choose.
func (s *system) cases(f Form, check func(*system, Form) error) error {
	chosen := -1
	for v := range f.terms {
		if s.variables[v].choice != nil && v > chosen {
			chosen = v
		}
	}
	if chosen < 0 {
		return check(s, f)
	}
	c := s.variables[chosen].choice
	key := c.flag.key()
	for _, yes := range []bool{false, true} {
		if old, ok := s.flags[key]; ok && old.yes != yes {
			continue
		}
		if err := s.with(chosen, c, key, yes).cases(f.substitute(chosen, c.form(yes)), check); err != nil {
			return err
		}
	}
	return nil
}

func (c *choice) form(yes bool) Form {
	if yes {
		return c.yes
	}
	return c.no
}

// with is the system of a case.
func (s *system) with(v int, c *choice, key string, yes bool) *system {
	out := s.where(key, c.flag, yes)
	for i, f := range out.facts {
		out.facts[i].form = f.form.substitute(v, c.form(yes))
	}
	return out
}

// zero returns nil if a form is 0 modulo m. Coefficients that m divides do not matter. What is left is taken
// apart into forms whose coefficients are the same or opposite, each of which must be a constant.
func (s *system) zero(f Form, m *big.Int) error {
	if m != nil {
		f = f.modulo(m)
	}
	if len(f.terms) > 0 {
		// A multiple of a number is 0 if it is between -1 and 1 of these.
		content := new(big.Int)
		for _, c := range f.terms {
			content.GCD(nil, nil, content, new(big.Int).Abs(c))
		}
		if content.Cmp(one) > 0 && new(big.Int).Mod(f.constant, content).Sign() == 0 && content.IsInt64() {
			whole := Form{map[int]*big.Int{}, new(big.Int).Quo(f.constant, content)}
			for v, c := range f.terms {
				whole.terms[v] = new(big.Int).Quo(c, content)
			}
			if x, ok := s.constant(whole); ok && x.Sign() == 0 {
				return nil
			}
		}
	}
	parts := map[string]Form{}
	for v, c := range f.terms {
		key := new(big.Int).Abs(c).String()
		part, ok := parts[key]
		if !ok {
			part = Int(new(big.Int))
		}
		sign := big.NewInt(int64(c.Sign()))
		parts[key] = part.Plus(sign, Form{map[int]*big.Int{v: one}, new(big.Int)})
	}
	sum := new(big.Int).Set(f.constant)
	for _, key := range slices.Sorted(maps.Keys(parts)) {
		part := parts[key]
		x, ok := s.constant(part)
		if !ok {
			return fmt.Errorf("not proven: %s is not constant", s.string(part))
		}
		c, _ := new(big.Int).SetString(key, 10)
		sum.Add(sum, c.Mul(c, x))
	}
	if m != nil {
		sum.Mod(sum, m)
	}
	if sum.Sign() != 0 && !s.below(Int(new(big.Int)), new(big.Int)) { // unless there is no such case
		return fmt.Errorf("not proven: it is %v", sum)
	}
	return nil
}

// learn adds facts about the carries that a claim depends on: that one is always 0 or 1, and that two are the
// same or opposite. The samples say which to try.
func (e *Engine) learn(f Form, m *big.Int) {
	carries := map[int]string{} // with their coefficients
	e.system(f).cases(f, func(s *system, f Form) error {
		if m != nil {
			f = f.modulo(m)
		}
		for v, c := range f.terms {
			if x := &e.variables[v]; x.low.Sign() == 0 && x.high.Cmp(one) == 0 {
				carries[v] = new(big.Int).Abs(c).String()
			}
		}
		return nil
	})
	try := func(f Form) (*big.Int, bool) { return e.system(f).constant(f) }
	list := slices.Sorted(maps.Keys(carries))
	for i, v := range list {
		f := Form{map[int]*big.Int{v: one}, new(big.Int)}
		if x, ok := try(f); ok {
			e.variables[v].low, e.variables[v].high = x, x
			continue
		}
		for _, w := range list[:i] {
			if e.variables[w].low == e.variables[w].high || carries[v] != carries[w] {
				continue
			}
			for _, c := range []int64{-1, 1} {
				f := f.Plus(big.NewInt(c), Form{map[int]*big.Int{w: one}, new(big.Int)})
				if x, ok := try(f); ok {
					e.facts = append(e.facts, fact{f, x, x})
				}
			}
		}
	}
}

// constant returns the only value of a form: that of the samples of the case, or any if there is no such case.
func (s *system) constant(f Form) (*big.Int, bool) {
	examples := s.examples(f)
	if len(examples) == 0 {
		return new(big.Int), s.below(Int(new(big.Int)), new(big.Int))
	}
	x := examples[0]
	for _, y := range examples {
		if x.Cmp(y) != 0 {
			return nil, false
		}
	}
	return x, s.always(f, new(big.Int).Add(x, one)) && s.always(f.Times(big.NewInt(-1)), new(big.Int).Sub(one, x))
}

// examples are the values of a form for the samples of the case.
func (s *system) examples(f Form) (list []*big.Int) {
samples:
	for i := range Samples {
		for _, c := range s.flags {
			if c.yes != (s.evaluate(c.flag, i).Sign() > 0) {
				continue samples
			}
		}
		list = append(list, s.evaluate(f, i))
	}
	return list
}

func (s *system) string(f Form) string {
	if len(f.terms) > 8 {
		return fmt.Sprintf("a form with %d terms", len(f.terms))
	}
	text := f.constant.Text(16)
	for v, c := range f.terms {
		text += fmt.Sprintf(" + %s %s", c.Text(16), s.variables[v].name)
	}
	return text
}

// always is below, perhaps by the cases of masks, and of variables of the form that have two values.
func (s *system) always(f Form, limit *big.Int) bool {
	if s.below(f, limit) {
		return true
	}
	for _, key := range slices.Sorted(maps.Keys(s.shared)) {
		if _, ok := s.flags[key]; ok {
			continue
		}
		no, yes := s.where(key, s.shared[key], false), s.where(key, s.shared[key], true)
		return no.always(f, limit) && yes.always(f, limit)
	}
	for _, v := range slices.Sorted(maps.Keys(f.terms)) {
		if new(big.Int).Sub(s.high[v], s.low[v]).Cmp(one) != 0 {
			continue
		}
		for _, x := range []*big.Int{s.low[v], s.high[v]} {
			one := s.clone()
			if one.low[v], one.high[v] = x, x; !one.always(f, limit) {
				return false
			}
		}
		return true
	}
	return false
}

func (s *system) clone() *system {
	return &system{s.Engine, slices.Clone(s.facts), slices.Clone(s.low), slices.Clone(s.high), maps.Clone(s.flags), s.shared}
}

// where is the system of the case in which a form, which is 0 or 1, has a value.
func (s *system) where(key string, flag Form, yes bool) *system {
	out := s.clone()
	value := new(big.Int)
	if yes {
		value = one
	}
	out.flags[key] = decided{flag, yes}
	out.facts = append(out.facts, fact{flag, value, value})
	return out
}

// below reports whether f < limit, or no values satisfy the facts. If numbers become too large for the search,
// nothing is found.
func (s *system) below(f Form, limit *big.Int) (ok bool) {
	defer func() {
		if x := recover(); x != nil {
			if _, ok := x.(big.ErrNaN); !ok {
				panic(x)
			}
		}
	}()
	t := s.tableau(f)
	bound := decimal().SetInt(limit)
	for range maxPivots {
		if t.value.Cmp(bound) < 0 {
			return s.upper(f, t.factors(t.objective)).Cmp(new(big.Rat).SetInt(limit)) < 0
		}
		ray, ok := t.step()
		s.Pivots++
		if ray != nil {
			return s.upper(Int(new(big.Int)), ray).Sign() < 0
		}
		if !ok {
			return false
		}
	}
	return false
}

// upper is an upper bound of f, computed from factors of facts: f is the sum of their products and a rest.
func (s *system) upper(f Form, factors map[int]*big.Float) *big.Rat {
	scale := 0 // factors are integers divided by 2^scale
	for _, x := range factors {
		scale = max(scale, int(x.MinPrec())-x.MantExp(nil)) // 0 for what is infinite
	}
	sum := new(big.Int)
	bound := func(c, low, high *big.Int) {
		if c.Sign() > 0 {
			low = high
		}
		sum.Add(sum, new(big.Int).Mul(c, low))
	}
	rest := f.Times(power(scale))
	for i, x := range factors {
		if x.IsInf() {
			panic(big.ErrNaN{}) // of below
		}
		c, _ := new(big.Float).SetMantExp(x, scale).Int(nil)
		bound(c, s.facts[i].low, s.facts[i].high)
		rest = rest.Minus(s.facts[i].form.Times(c))
	}
	for v, c := range rest.terms {
		bound(c, s.low[v], s.high[v])
	}
	return new(big.Rat).SetFrac(sum.Add(sum, rest.constant), power(scale))
}

const maxPivots = 1000

// A tableau has the facts as variables, too, which are dependent at first: rows say how. The others are
// at an end of their range. Each step of the dual simplex method makes the value smaller, which is always an
// upper bound, but for rounding.
type tableau struct {
	columns   int // variables; facts are behind them
	low, high []*big.Float
	atHigh    []bool // of those that are not dependent
	at        []*big.Float
	rows      map[int]row
	objective row
	value     *big.Float
}

type row map[int]*big.Float

// decimal is a number with many digits.
func decimal() *big.Float { return new(big.Float).SetPrec(2048) }

// add adds to an element. What is left of rounding is 0.
func (r row) add(v int, x *big.Float) {
	old := r[v]
	if old == nil {
		r[v] = x
		return
	}
	sum := decimal().Add(old, x)
	if sum.Sign() == 0 || sum.MantExp(nil) < x.MantExp(nil)-600 {
		delete(r, v)
		return
	}
	r[v] = sum
}

func (s *system) tableau(f Form) *tableau {
	n := len(s.variables)
	t := &tableau{columns: n, rows: map[int]row{}, objective: row{}, atHigh: make([]bool, n+len(s.facts))}
	used := make([]bool, n)
	for _, x := range append([]fact{{form: f}}, s.facts...) {
		for v := range x.form.terms {
			used[v] = true
		}
	}
	for i := range n {
		if !used[i] {
			t.low, t.high, t.at = append(t.low, nil), append(t.high, nil), append(t.at, nil)
			continue
		}
		t.low, t.high = append(t.low, decimal().SetInt(s.low[i])), append(t.high, decimal().SetInt(s.high[i]))
		end := t.low[i]
		if c := f.terms[i]; c != nil {
			t.objective[i] = decimal().SetInt(c)
			if c.Sign() > 0 {
				end, t.atHigh[i] = t.high[i], true
			}
		}
		t.at = append(t.at, end)
	}
	value := func(f Form) *big.Float {
		sum := decimal().SetInt(f.constant)
		for v, c := range f.terms {
			sum.Add(sum, decimal().Mul(decimal().SetInt(c), t.at[v]))
		}
		return sum
	}
	t.value = value(f)
	for i, fact := range s.facts {
		t.low, t.high = append(t.low, decimal().SetInt(fact.low)), append(t.high, decimal().SetInt(fact.high))
		t.at = append(t.at, value(fact.form))
		r := row{}
		for v, c := range fact.form.terms {
			r[v] = decimal().SetInt(c)
		}
		t.rows[n+i] = r
	}
	return t
}

// factors are the coefficients of facts in a row.
func (t *tableau) factors(r row) map[int]*big.Float {
	out := map[int]*big.Float{}
	for v, x := range r {
		if v >= t.columns {
			out[v-t.columns] = x
		}
	}
	return out
}

// step exchanges a dependent variable that is out of its range with an independent one. If that is not
// possible, there are no values, and a ray of factors shows it. There is nothing to do if all are in their ranges.
func (t *tableau) step() (ray map[int]*big.Float, ok bool) {
	leaving, most := -1, decimal()
	for v := range t.rows {
		x := decimal()
		switch {
		case t.at[v].Cmp(t.high[v]) > 0:
			x.Sub(t.at[v], t.high[v])
		case t.at[v].Cmp(t.low[v]) < 0:
			x.Sub(t.low[v], t.at[v])
		default:
			continue
		}
		if x.MantExp(nil) < -400 { // rounding
			continue
		}
		if c := x.Cmp(most); c > 0 || c == 0 && v > leaving {
			leaving, most = v, x
		}
	}
	if leaving < 0 {
		return nil, false
	}
	r := t.rows[leaving]
	up := t.at[leaving].Cmp(t.low[leaving]) < 0
	entering := -1
	var least *big.Float
	for v, a := range r {
		if t.low[v].Cmp(t.high[v]) == 0 || (a.Sign() > 0 == up) == t.atHigh[v] { // it would have to leave its range
			continue
		}
		ratio := decimal()
		if d := t.objective[v]; d != nil {
			ratio.Abs(decimal().Quo(d, a))
		}
		if least == nil || ratio.Cmp(least) < 0 || ratio.Cmp(least) == 0 && decimal().Abs(a).Cmp(decimal().Abs(r[entering])) > 0 {
			entering, least = v, ratio
		}
	}
	if entering >= 0 {
		t.exchange(leaving, entering, up)
		return nil, true
	}
	sign := decimal().SetInt64(-1)
	if up {
		sign.Neg(sign)
	}
	ray = map[int]*big.Float{}
	for i, a := range t.factors(r) {
		ray[i] = decimal().Mul(a, sign)
	}
	if leaving >= t.columns {
		ray[leaving-t.columns] = sign.Neg(sign)
	}
	return ray, true
}

func (t *tableau) exchange(leaving, entering int, up bool) {
	r := t.rows[leaving]
	delete(t.rows, leaving)
	end := t.high[leaving]
	if t.atHigh[leaving] = !up; up {
		end = t.low[leaving]
	}
	inverse := decimal().Quo(decimal().SetInt64(1), r[entering])
	move := decimal().Sub(end, t.at[leaving])
	move.Mul(move, inverse)
	t.at[leaving] = end
	// entering = inverse leaving - inverse (the others)
	solved := row{leaving: inverse}
	for v, a := range r {
		if v != entering {
			x := decimal().Mul(a, inverse)
			solved[v] = x.Neg(x)
		}
	}
	replace := func(into row) *big.Float {
		c := into[entering]
		if c == nil {
			return nil
		}
		delete(into, entering)
		for v, x := range solved {
			into.add(v, decimal().Mul(c, x))
		}
		return decimal().Mul(c, move)
	}
	for v, row := range t.rows {
		if change := replace(row); change != nil {
			t.at[v] = change.Add(change, t.at[v])
		}
	}
	if change := replace(t.objective); change != nil {
		t.value = change.Add(change, t.value)
	}
	t.at[entering] = move.Add(move, t.at[entering])
	t.rows[entering] = solved
}
