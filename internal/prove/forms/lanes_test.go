package forms

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// Random operations on inputs of lanes and on others: no two functions are the same bit, with independent values
// for the inputs of each lane.
func TestLanes(t *testing.T) {
	const n, lanes = 8, 5
	table := make([]uint64, 256)
	for i := range table {
		table[i] = uint64(i*i*5+i*3) & 255
	}
	for seed := range 40 {
		rng := rand.New(rand.NewSource(int64(seed)))
		e := New(Limits{})
		values := map[Bit]uint64{Zero: 0, One: ^uint64(0)}
		see := func(what string, b Bit, want uint64) {
			t.Helper()
			if old, ok := values[b]; ok && old != want {
				t.Fatalf("seed %d, %s: one bit of two functions: %s", seed, what, e.String(b))
			}
			values[b], values[b^1] = want, ^want
		}
		at := func(w Word, p int) (v uint64) {
			for i, b := range w {
				v |= values[b] >> p & 1 << i
			}
			return v
		}
		check := func(what string, w Word, f func(p int) uint64) {
			t.Helper()
			for i, b := range w {
				want := uint64(0)
				for p := range 64 {
					want |= f(p) >> i & 1 << p
				}
				see(what, b, want)
			}
		}
		// Lane 0 are inputs of no lane. Words of lane i have it and those.
		words := make([][]Word, lanes+1)
		for lane := range words {
			for i := range 2 {
				var w Word
				if lane == 0 {
					w = unknown(e, fmt.Sprint("k", i), n)
				} else {
					w = e.Lane(lane, fmt.Sprint("x", i), n)
				}
				for _, b := range w {
					see("input", b, rng.Uint64())
				}
				words[lane] = append(words[lane], w)
			}
		}
		draw := func(lane int) Word {
			if rng.Intn(4) == 0 {
				lane = 0
			}
			return words[lane][rng.Intn(len(words[lane]))]
		}
		for range 40 {
			lane := rng.Intn(len(words))
			x, y := draw(lane), draw(lane)
			z := make(Word, n)
			switch rng.Intn(5) {
			case 0:
				for i := range z {
					z[i] = e.Xor(x[i], y[i]^1)
				}
				check("xor", z, func(p int) uint64 { return ^(at(x, p) ^ at(y, p)) })
			case 1:
				e.Together(x[0], y[0])
				for i := range z {
					z[i] = e.And(x[i], y[i])
				}
				check("and", z, func(p int) uint64 { return at(x, p) & at(y, p) })
			case 2:
				z = e.Sum(77, x, y)
				check("sum", z, func(p int) uint64 { return at(x, p) + at(y, p) + 77 })
			case 3:
				if z[0] = e.Carry(x, y, Zero); true {
					check("carry", z[:1], func(p int) uint64 { return (at(x, p) + at(y, p)) >> n })
				}
			case 4:
				if e.Do(func() error { z = e.Apply(table, n, x); return nil }) == nil {
					check("table", z, func(p int) uint64 { return table[at(x, p)] })
				}
			}
			words[lane] = append(words[lane], z)
		}
		// Sums over lanes do not depend on the order, and their summands can be taken off.
		var list []Word
		for lane := range words {
			list = append(list, words[lane][len(words[lane])-1], words[lane][rng.Intn(len(words[lane]))])
		}
		for i := range n {
			var bits []Bit
			for _, w := range list {
				bits = append(bits, w[i])
			}
			sum := e.Parity(bits...)
			check("parity", Word{sum}, func(p int) (v uint64) {
				for _, b := range bits {
					v ^= values[b] >> p & 1
				}
				return v
			})
			rng.Shuffle(len(bits), func(i, j int) { bits[i], bits[j] = bits[j], bits[i] })
			again := Zero
			for _, b := range bits {
				again = e.Xor(again, b)
			}
			if again != sum {
				t.Fatalf("seed %d: %s and %s", seed, e.String(again), e.String(sum))
			}
			for _, b := range bits {
				again = e.Xor(again, b)
			}
			if again != Zero {
				t.Fatalf("seed %d: %s is left", seed, e.String(again))
			}
		}
	}
}

// What is computed in one lane takes no memory for the others; a function of two is an error.
func TestLanesShare(t *testing.T) {
	e := New(Limits{})
	k := unknown(e, "k", 8)
	table := make([]uint64, 256)
	for i := range table {
		table[i] = uint64(i*7) & 255 >> (i & 1)
	}
	f := func(lane int) Word {
		w := e.Lane(lane, "x", 8)
		for i := range w {
			w[i] = e.Xor(w[i], k[i])
		}
		return e.Sum(3, e.Apply(table, 8, w), k)
	}
	first := f(1)
	atoms, forms, _ := e.Size()
	for lane := 2; lane <= MaxLanes; lane++ {
		w := f(lane)
		if slices.Equal(w, first) || e.Values(w[3]) != e.Values(first[3]) {
			t.Errorf("lane %d", lane)
		}
	}
	if a, n, _ := e.Size(); a != atoms || n != forms {
		t.Errorf("%d atoms and %d forms, then %d and %d", atoms, forms, a, n)
	}
	x, y := e.Lane(1, "x", 8), e.Lane(2, "x", 8)
	for name, compute := range map[string]func(){
		"and":      func() { e.And(x[0], y[0]) },
		"sum":      func() { e.Sum(0, x, y) },
		"carry":    func() { e.Carry(x, y, Zero) },
		"product":  func() { e.Carryless(x, y) },
		"together": func() { e.Together(x[0], y[0]) },
		"table":    func() { e.Apply(table, 8, append(slices.Clone(x[:4]), y[4:]...)) },
		"several":  func() { e.And(e.Xor(x[0], y[0]), k[0]) },
	} {
		err := e.Do(func() error { compute(); return nil })
		if err == nil || !strings.Contains(err.Error(), "several lanes") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if e.Input(x[0]) == e.Input(y[0]) || e.Input(x[0]) != e.Input(e.Lane(1, "x", 8)[0]) || e.Input(k[0]) != e.Values(k[0]) {
		t.Error("values of inputs")
	}
	if s := e.Xor(e.Xor(x[0], y[1]), k[2]); e.Input(s) != e.Input(x[0])^e.Input(y[1])^e.Input(k[2]) {
		t.Error("values of a sum")
	}
	// Of what is forgotten, inputs of lanes and what is kept remain.
	sum := e.Xor(first[1], y[1])
	e.Forget(append(first, sum)...)
	if e.Xor(sum, first[1]) != y[1] || e.Xor(x[0], e.Lane(1, "x", 8)[0]) != Zero {
		t.Error("after Forget")
	}
}
