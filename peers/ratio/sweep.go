package main

import (
	"fmt"
	"regexp"

	"github.com/cipherlane/cipherlane/internal/catalog"
)

// tolerance is how much slower than another implementation a measured point
// may be before it is measured again, and again, and then reported.
const tolerance = 1.03

// runSweep measures lengths from 0 to 64 KiB: ours with the automatic driver
// against the peer and against every other driver of ours. It returns the
// number of points at which ours is slower.
func runSweep(match *regexp.Regexp) int {
	slower := 0
	for _, c := range cases() {
		if !match.MatchString(c.name) || c.sizes[0] == 0 {
			continue
		}
		points := 0
		for n := firstLength(c); n <= 65536; n = nextLength(n, c.blocks) {
			rivals := append([]rival{{c.peerName, c.peer}}, otherDrivers(c)...)
			for _, r := range rivals {
				points++
				if ratio, ok := notSlower(c.ours(n), r.f(n)); !ok {
					slower++
					fmt.Printf("%s %d bytes: %.2f times the time of %s\n", c.name, n, ratio, r.name)
				}
			}
			if c.name == "sm4 one block" {
				break
			}
		}
		fmt.Printf("%s: %d comparisons\n", c.name, points)
	}
	return slower
}

// notSlower compares with growing patience, because a neighbour's noise looks
// like slowness but does not last.
func notSlower(ours, peer func()) (ratio float64, ok bool) {
	for _, rounds := range []int{6, 20, 60} {
		best := alternate(rounds, ours, peer)
		if ratio = best[0] / best[1]; ratio <= tolerance {
			return ratio, true
		}
	}
	return ratio, false
}

func firstLength(c pair) int {
	if c.blocks {
		return 16
	}
	return 0
}

// nextLength steps through all small lengths near the sizes of kernels'
// passes and thins out above them.
func nextLength(n int, blocks bool) int {
	switch {
	case blocks && n < 2048:
		return n + 16
	case n < 64:
		return n + 1
	case n < 2048:
		return n + 13
	case n < 8192:
		return (n + 335) &^ 15
	}
	return (n + n/3) &^ 15
}

type rival struct {
	name string
	f    func(n int) func()
}

// otherDrivers are the drivers of ours that the automatic choice passed over.
func otherDrivers(c pair) []rival {
	if c.on == nil {
		return nil
	}
	a, _ := catalog.Find(c.algorithm)
	t := a.Table()
	var list []rival
	for i, d := range t.Drivers() {
		if d.Available() && uint8(i) != t.Auto().Bulk {
			list = append(list, rival{d.Name, c.on(d.Name)})
		}
	}
	return list
}
