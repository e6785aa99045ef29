package main

import "math/bits"

// A sum is one step of a program for linear forms: c = a ^ b. In straightLine
// a form is the mask of the inputs it adds up; in commonPairs it is a number.
type sum struct{ a, b, c int }

// straightLine returns sums that lead from the eight inputs to all targets, or
// nil if it would take limit of them or more, or levels beyond maxLevel.
//
// It is greedy: of all sums of two known forms it takes the one after which
// the targets are nearest, where the distance of a form is the least number of
// known forms that add up to it. There are only 256 forms, so the distances
// are kept exactly. Ties are broken at random; call it often.
func straightLine(targets []int, limit, maxLevel int, rnd *random) []sum {
	var level, dist [256]int
	forms := []int{1, 2, 4, 8, 16, 32, 64, 128}
	for x := range dist {
		dist[x] = bits.OnesCount(uint(x))
	}
	var program []sum
	for {
		missing := 0
		for _, t := range targets {
			if dist[t] > 1 {
				missing++
			}
		}
		if missing == 0 {
			return program
		}
		if len(program)+missing >= limit {
			return nil
		}
		best, bestNorm, ties := 1<<30, -1, 0
		var pick sum
		for i, a := range forms {
			for _, b := range forms[:i] {
				c := a ^ b
				if dist[c] <= 1 || max(level[a], level[b]) >= maxLevel {
					continue
				}
				total, norm := 0, 0
				for _, t := range targets {
					d := min(dist[t], dist[t^c]+1)
					total += d
					norm += d * d
					if t == c {
						total -= 1000 // a target itself
					}
				}
				// Of equal totals the uneven one is nearer to its end.
				if total < best || total == best && norm > bestNorm {
					best, bestNorm, ties = total, norm, 0
				}
				if total == best && norm >= bestNorm-2 {
					ties++
					if rnd.intn(ties) == 0 {
						pick = sum{a, b, c}
					}
				}
			}
		}
		if pick.c == 0 {
			return nil
		}
		level[pick.c] = 1 + max(level[pick.a], level[pick.b])
		program = append(program, pick)
		forms = append(forms, pick.c)
		old := dist
		for x := range dist {
			dist[x] = min(old[x], old[x^pick.c]+1)
		}
	}
}

// A pairing is a program by which commonPairs computes its targets: value i
// below the number of variables is variable i, the others are results of sums.
type pairing struct {
	sums []sum
	out  [4]int
}

// commonPairs computes four sums of many variables by adding the most common
// pair again and again. It returns the shortest programs of many tries.
func commonPairs(targets [4]int, variables int, rnd *random) []pairing {
	var found []pairing
	for range 600 {
		t, n := targets, variables
		var p pairing
		for {
			most, ties := 1, 0
			var pick sum
			for a := range n {
				for b := range a {
					count := 0
					for _, x := range t {
						count += x >> a & (x >> b) & 1
					}
					if count > most {
						most, ties = count, 0
					}
					if count == most {
						ties++
						if rnd.intn(ties) == 0 {
							pick = sum{a, b, n}
						}
					}
				}
			}
			if ties == 0 {
				break
			}
			pair := 1<<pick.a | 1<<pick.b
			for i, x := range t {
				if x&pair == pair {
					t[i] = x&^pair | 1<<n
				}
			}
			p.sums = append(p.sums, pick)
			n++
		}
		for i, x := range t {
			p.out[i] = bits.TrailingZeros(uint(x))
		}
		if len(found) > 0 && len(p.sums) < len(found[0].sums) {
			found = nil
		}
		if len(found) == 0 || len(p.sums) == len(found[0].sums) {
			found = append(found, p)
		}
	}
	return found
}
