package main

import (
	"fmt"
	"slices"
	"time"
)

// tolerance is the ratio to another implementation's time up to which a point passes.
// Slower points are measured again several times and then reported.
const tolerance = 1.03

// runSweep measures lengths from 0 to 64 KiB and some above: ours against the
// peer and, unless a driver is named, against every other driver of ours. It
// prints a line for each case, and one for each rival that is faster somewhere, and
// returns the number of points at which ours is slower.
func runSweep(list []pair) int {
	slower := 0
	for _, c := range list {
		start, points := time.Now(), 0
		rivals := otherDrivers(c)
		if !c.unit {
			rivals = append([]rival{{name: c.peerName, f: c.peer}}, rivals...)
		}
		lengths := sweepLengths(c)
		if brief && len(lengths) > 8 {
			lengths = slices.Delete(lengths, 4, len(lengths)-4)
		}
		for _, n := range lengths {
			fs := []func(){c.ours(n)}
			for _, r := range rivals {
				fs = append(fs, r.f(n))
			}
			best := alternate(5, 300*time.Microsecond, fs...)
			for i := range rivals {
				r := &rivals[i]
				points++
				if brief || best[0]/best[i+1] <= tolerance {
					continue
				}
				if ratio, ok := notSlower(c.ours, r.f, n); !ok {
					slower++
					r.add(n, ratio)
					if *allPoints {
						fmt.Printf("%s: %.2f times the time of %s\n", at(c, n), ratio, r.name)
					}
				}
			}
		}
		fmt.Printf("%s: %d comparisons, %.1f s\n", c.name, points, time.Since(start).Seconds())
		for _, r := range rivals {
			if r.points > 0 {
				fmt.Printf("  slower than %s at %d points from %d to %d bytes, by up to %.2f at %d\n", r.name, r.points, r.first, r.last, r.worst, r.at)
			}
		}
	}
	return slower
}

// part returns part i of n of the list, for cores that share a sweep.
func part(list []pair, text string) ([]pair, error) {
	var i, n int
	if _, err := fmt.Sscanf(text, "%d/%d", &i, &n); err != nil || i < 1 || i > n {
		return nil, fmt.Errorf("-part: %q is not like 1/2", text)
	}
	var mine []pair
	for j, c := range list {
		if j%n == i-1 {
			mine = append(mine, c)
		}
	}
	return mine, nil
}

// at names a point.
func at(c pair, n int) string {
	if n == 0 && c.fixed() {
		return c.name
	}
	return fmt.Sprintf("%s, %d bytes", c.name, n)
}

// notSlower compares two operations, with longer measurements at each attempt, since
// slowness may be noise, which does not last. Each attempt allocates new buffers, in
// case their placement in memory was bad.
func notSlower(ours, peer operation, n int) (ratio float64, ok bool) {
	for _, rounds := range []int{20, 60} {
		best := alternate(rounds, time.Millisecond, ours(n), peer(n))
		if ratio = best[0] / best[1]; ratio <= tolerance {
			return ratio, true
		}
	}
	return ratio, false
}

// sweepLengths returns all lengths up to 320 bytes, those around every multiple of 64
// up to 4200, since kernels' passes end there, and a few in every octave beyond.
// Beyond 64 KiB a message is cut.
func sweepLengths(c pair) []int {
	if c.fixed() || c.chosen {
		return c.sizes
	}
	var list []int
	add := func(n int) {
		if c.takes(n) {
			list = append(list, n)
		}
	}
	for n := range 321 {
		add(n)
	}
	for n := 384; n <= 4200; n += 64 {
		for _, d := range []int{-16, -1, 0, 1, 16} {
			add(n + d)
		}
	}
	for octave := 4096; octave <= 65536; octave *= 2 {
		for _, n := range []int{octave + octave/4, octave + octave/2, 2 * octave} {
			add(n)
			add(n + 16)
			add(n + 17)
		}
	}
	return list
}

// A rival is an implementation, and where ours is slower.
type rival struct {
	name                    string
	f                       operation
	points, first, last, at int
	worst                   float64
}

func (r *rival) add(n int, ratio float64) {
	if r.points == 0 {
		r.first = n
	}
	if r.points++; ratio > r.worst {
		r.worst, r.at = ratio, n
	}
	r.last = n
}

// otherDrivers returns our drivers other than the automatically selected one.
func otherDrivers(c pair) []rival {
	if c.on == nil || c.setup || *driverName != "" {
		return nil
	}
	t := table(c.pkg)
	var list []rival
	for i, d := range t.Drivers() {
		if d.Available() && uint8(i) != t.Auto().Bulk {
			list = append(list, rival{name: d.Name, f: c.on(d.Name)})
		}
	}
	return list
}
