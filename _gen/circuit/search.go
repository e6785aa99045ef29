package main

import "sort"

// search returns the best circuit it finds for s.
//
// The number of gates decides, since a modern core finds enough work beside a
// chain of gates; a level of depth counts as a tenth of a gate.
func search(s sbox, effort int, seed random) *circuit {
	rnd := &seed
	list := candidates(s)
	improve := func(c *candidate, tries int) {
		for range tries {
			c.topSums = shorter(c.topSums, c.top, rnd)
			c.bottomSums = shorter(c.bottomSums, c.bottom, rnd)
		}
	}
	// Most candidates are dropped after a short look.
	for _, round := range []struct{ keep, tries int }{{len(list), 2}, {400, 10}, {60, effort}, {12, 10 * effort}} {
		list = list[:min(round.keep, len(list))]
		for i := range list {
			improve(&list[i], round.tries)
		}
		sort.SliceStable(list, func(i, j int) bool { return list[i].cost() < list[j].cost() })
	}
	var best *circuit
	value := func(c *circuit) int { return 10*len(c.gates) + c.depth() }
	for _, c := range list {
		sums, variables := c.delta, len(nine)
		for _, i := range c.residue {
			sums[i] |= 1 << variables
			variables++
		}
		middles := commonPairs(sums, variables, rnd)
		const maxLevel = 9
		var tops, bottoms [][]sum
		for range 8 * effort {
			if t := straightLine(c.top, len(c.topSums)+1, maxLevel, rnd); t != nil {
				tops = append(tops, t)
			}
			if b := straightLine(c.bottom, len(c.bottomSums)+1, maxLevel, rnd); b != nil {
				bottoms = append(bottoms, b)
			}
		}
		if tops == nil || bottoms == nil {
			continue
		}
		for range 32 * effort {
			c.topSums, c.bottomSums = tops[rnd.intn(len(tops))], bottoms[rnd.intn(len(bottoms))]
			g := c.assemble(s.field, middles[rnd.intn(len(middles))])
			if best == nil || value(g) < value(best) {
				best = g
			}
		}
	}
	return best
}

// shorter returns a program for the forms that is shorter than p, or p.
func shorter(p []sum, forms []int, rnd *random) []sum {
	limit, noLimit := len(p), 99
	if p == nil {
		limit = noLimit
	}
	if q := straightLine(forms, limit, noLimit, rnd); q != nil {
		return q
	}
	return p
}
