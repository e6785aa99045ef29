package main

import (
	"math"
	"slices"
)

// percentiles are the shares of the shortest times that a test keeps, in percent. Interrupts and
// cache misses lengthen some calls by far more than a leak would. Without them, a small
// difference is visible. On the other hand, a leak may show only in rare long calls.
var percentiles = []float64{100, 99.9, 99, 97, 94, 90, 85, 80, 70, 60, 50, 40, 30, 20, 10}

// fewest is the number of times in each class without which a test says nothing.
const fewest = 50

// moments accumulates the mean and the variance of numbers (Welford's method).
type moments struct{ n, mean, squares float64 }

func (m *moments) add(x float64) {
	m.n++
	d := x - m.mean
	m.mean += d / m.n
	m.squares += d * (x - m.mean)
}

// welch returns the statistic of Welch's t-test for the difference of two means. It is 0
// if there are too few numbers.
func welch(a, b moments) float64 {
	if a.n < fewest || b.n < fewest {
		return 0
	}
	variance := a.squares/(a.n-1)/a.n + b.squares/(b.n-1)/b.n
	switch d := a.mean - b.mean; {
	case d == 0:
		return 0
	case variance == 0: // two constants: a clock too coarse, or a simulated one
		return math.Copysign(math.MaxFloat64, d)
	default:
		return d / math.Sqrt(variance)
	}
}

// A comparison accumulates the times of two classes for every share in kept.
type comparison struct {
	limits []float64 // the longest time that each test keeps
	tests  [][2]moments
}

// newComparison derives the limits from times of both classes together, so that they
// cannot depend on the class.
func newComparison(times []float64) *comparison {
	sorted := slices.Sorted(slices.Values(times))
	c := &comparison{tests: make([][2]moments, len(percentiles))}
	for _, percent := range percentiles {
		limit := math.Inf(1)
		if percent < 100 {
			limit = sorted[min(int(percent/100*float64(len(sorted))), len(sorted)-1)]
		}
		c.limits = append(c.limits, limit)
	}
	return c
}

func (c *comparison) add(class int, time float64) {
	for i, limit := range c.limits {
		if time > limit {
			break // the limits descend
		}
		c.tests[i][class].add(time)
	}
}

// samples returns the number of times in both classes.
func (c *comparison) samples() int { return int(c.tests[0][0].n + c.tests[0][1].n) }

// most returns the t value with the largest magnitude, the share of the times in which it
// occurs, and the difference of the means there.
func (c *comparison) most() (t, percent, difference float64) {
	percent = percentiles[0]
	for i, test := range c.tests {
		if x := welch(test[0], test[1]); math.Abs(x) > math.Abs(t) {
			t, percent, difference = x, percentiles[i], test[0].mean-test[1].mean
		}
	}
	return t, percent, difference
}
