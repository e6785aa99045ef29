package sm2

import (
	"cmp"
	"math"
	"slices"
	"testing"
)

// A corner is one of a convex set of pairs f, g, which is symmetric to 0.
type corner struct{ f, g float64 }

// cross is twice the area of a triangle with corners 0, a and b, and a sign.
func cross(a, b corner) float64 { return a.f*b.g - a.g*b.f }

func minus(a, b corner) corner { return corner{a.f - b.f, a.g - b.g} }

// slack is by how much a set may be larger than it must be. It is for corners that are left out and for rounding, which
// is much less: see hull.
const slack = 1.0 / (1 << 9)

// hull returns a set that contains the corners and their opposites: a part of them, multiplied by 1 + slack. ok is false
// if the set is so narrow that rounding may matter. Numbers have an error of 2^-53 of themselves. In units of the
// largest f and g, everything within 2^-20 of 0 is inside of the set, so that 2^-30 of slack is enough for all errors.
func hull(list []corner) (out []corner, ok bool) {
	for _, c := range list {
		list = append(list, corner{-c.f, -c.g})
	}
	slices.SortFunc(list, func(a, b corner) int {
		return cmp.Or(cmp.Compare(a.f, b.f), cmp.Compare(a.g, b.g))
	})
	list = slices.Compact(list)
	half := func() (side []corner) {
		for _, c := range list {
			for len(side) > 1 && cross(minus(side[len(side)-1], side[len(side)-2]), minus(c, side[len(side)-2])) <= 0 {
				side = side[:len(side)-1]
			}
			side = append(side, c)
		}
		return side[:len(side)-1]
	}
	all := half()
	slices.Reverse(list)
	all = append(all, half()...)
	all = append(all, all[0])
	unit, nearest := corner{}, math.Inf(1)
	for _, c := range all {
		unit = corner{max(unit.f, c.f), max(unit.g, c.g)}
	}
	for i := 0; i < len(all)-1; {
		a := all[i]
		out = append(out, corner{a.f * (1 + slack), a.g * (1 + slack)})
		// The next corner is the last one for which those between are not far from the line.
		next := i + 1
		for ; next+1 < len(all); next++ {
			line := minus(all[next+1], a)
			if slices.ContainsFunc(all[i+1:next+1], func(c corner) bool {
				return cross(c, line) > (1+slack/2)*cross(a, line)
			}) {
				break
			}
		}
		line := minus(all[next], a)
		nearest = min(nearest, cross(a, line)/unit.f/unit.g/math.Hypot(line.f/unit.f, line.g/unit.g))
		i = next
	}
	return out, nearest > 1.0/(1<<20)
}

// divisionSteps computes a number of steps after which g is 0, for any f up to a bound and g from 0 to f, or 0 if there
// is none up to most. For each delta it follows a convex set of what f and g can be: either of what the lowest bit
// of g can be. A set without g of 1 or more has only g = 0, which stays so. Steps are linear, so that a smaller f has
// smaller sets.
func divisionSteps(f float64, most int) int {
	sets := map[int][]corner{0: {{f, 0}, {f, f}}} // by delta - 1/2
	for n := range most + 1 {
		if len(sets) == 0 {
			return n
		}
		next := map[int][]corner{}
		for delta, list := range sets {
			for _, c := range list {
				odd, after := corner{c.f, (c.g + c.f) / 2}, delta+1
				if delta >= 0 {
					odd, after = corner{c.g, (c.g - c.f) / 2}, -delta
				}
				next[delta+1] = append(next[delta+1], corner{c.f, c.g / 2})
				next[after] = append(next[after], odd)
			}
		}
		for delta, list := range next {
			set, ok := hull(list)
			if !ok {
				return 0
			}
			if next[delta] = set; !slices.ContainsFunc(set, func(c corner) bool { return math.Abs(c.g) >= 1 }) {
				delete(next, delta)
			}
		}
		sets = next
	}
	return 0
}

// The steps of invert suffice: the bound is computed here, by convex sets as in Bernstein and Yang's paper. The test
// is in a file for amd64 because it is the same everywhere, and takes long on an emulator.
func TestDivisionSteps(t *testing.T) {
	const done = 600 // by invert
	if testing.Short() {
		t.Skip("takes long")
	}
	if n := divisionSteps(1<<256, done); n == 0 {
		t.Errorf("%d steps may not suffice", done)
	} else {
		t.Logf("%d steps suffice for numbers of 256 bits", n)
	}
}

// The bound is above what small numbers take, all of them, and not far from it.
func TestDivisionStepsOfSmallNumbers(t *testing.T) {
	for _, bits := range []int{4, 6, 8, 9} {
		bound, most := divisionSteps(float64(int(1)<<bits), 100), 0
		for first := 1; first < 1<<bits; first += 2 {
			for second := range first + 1 {
				delta, f, g, n := 0, first, second, 0
				for ; g != 0; n++ {
					switch {
					case g&1 == 0:
						delta, g = delta+1, g>>1
					case delta >= 0:
						delta, f, g = -delta, g, (g-f)>>1
					default:
						delta, g = delta+1, (g+f)>>1
					}
				}
				most = max(most, n)
			}
		}
		if bound < most || bound > most+most/4+4 {
			t.Errorf("%d bits: the bound is %d, up to %d steps are needed", bits, bound, most)
		}
	}
}
