package main

import (
	"fmt"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"
)

// tolerance is the ratio to another implementation's time up to which a point passes.
// Slower points are measured again: see lasting.
const tolerance = 1.03

// runSweep measures lengths from 0 to 128 KiB: ours against the
// peer and, unless a driver is named, against every other driver of ours. It
// prints a line for each case, at the end one for each rival that is faster somewhere,
// and returns the number of points at which ours is slower.
func runSweep(list []pair) int {
	var suspects []suspect
	for _, c := range list {
		start, points := time.Now(), 0
		rivals := otherDrivers(c)
		if !c.unit {
			rivals = append([]rival{{name: c.peerName, f: c.peer, peer: true}}, rivals...)
		}
		lengths := sweepLengths(c)
		if brief && len(lengths) > 8 {
			lengths = slices.Delete(lengths, 4, len(lengths)-4)
		}
		var first []suspect
		for _, n := range lengths {
			fs := []func(){c.ours(n)}
			for _, r := range rivals {
				fs = append(fs, r.f(n))
			}
			best := alternate(5, 300*time.Microsecond, fs...)
			for i := range rivals {
				points++
				if !brief && best[0]/best[i+1] > tolerance {
					first = append(first, suspect{c: c, rival: &rivals[i], n: n})
				}
			}
		}
		suspects = append(suspects, confirmed(first)...)
		fmt.Printf("%s: %d comparisons, %.1f s\n", c.name, points, time.Since(start).Seconds())
	}
	suspects = confirmed(suspects)
	for i, s := range suspects {
		if *allPoints {
			fmt.Printf("%s: %.2f times the time of %s\n", at(s.c, s.n), s.ratio, s.rival.name)
		}
		s.rival.add(s.n, s.ratio)
		if i+1 < len(suspects) && suspects[i+1].c.name == s.c.name && suspects[i+1].c.peerName == s.c.peerName {
			continue
		}
		for _, other := range suspects[:i+1] {
			if r := other.rival; r.points > 0 && other.c.name == s.c.name && other.c.peerName == s.c.peerName {
				fmt.Printf("%s: slower than %s at %d points from %d to %d bytes, by up to %.2f at %d\n", s.c.name, r.name, r.points, r.first, r.last, r.worst, r.at)
				r.points = 0
			}
		}
	}
	return len(suspects)
}

// A suspect is a point at which ours seemed slower than a rival.
type suspect struct {
	c     pair
	rival *rival
	n     int
	ratio float64 // of the times
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

// attempts is how often lasting measures a point: oddly often, so that there is a median.
const attempts = 7

// confirmed returns the suspects at which ours is slower in most attempts. If something slows down
// one side only, it is often the placement in memory of its buffers, keys or stack: an address
// that differs from another one by a multiple of 4096, or spans two cache lines. Each attempt has
// new ones. The median is as sensitive to a difference that lasts as a single measurement is.
// Calls of confirmed are at different times, as other work on the machine may go on for seconds.
func confirmed(list []suspect) (slower []suspect) {
	for _, s := range list {
		var ratios []float64
		for slowerCount := 0; 2*slowerCount <= attempts && 2*(len(ratios)-slowerCount) <= attempts; {
			ours, peer := s.renewed()
			ratio := make(chan float64)
			go func() {
				place := make([][]byte, rand.IntN(16))
				for i := range place {
					place[i] = make([]byte, s.n)
				}
				// Slices are so short that most are without a garbage collection.
				best := alternate(100, 200*time.Microsecond, ours(s.n), peer(s.n))
				runtime.KeepAlive(place)
				ratio <- best[0] / best[1]
			}()
			ratios = append(ratios, <-ratio)
			if ratios[len(ratios)-1] > tolerance {
				slowerCount++
			}
		}
		slices.Sort(ratios)
		if s.ratio = ratios[len(ratios)/2]; s.ratio > tolerance {
			slower = append(slower, s)
		}
	}
	return slower
}

// renewed returns both sides of the case with new keys and objects.
func (s suspect) renewed() (ours, peer operation) {
	list := cases()
	c := list[slices.IndexFunc(list, func(c pair) bool { return c.name == s.c.name && c.peerName == s.c.peerName })]
	ours, peer = c.ours, c.peer
	if *driverName != "" {
		ours = c.onDriver(*driverName)
	}
	if !s.rival.peer {
		peer = c.onDriver(s.rival.name)
	}
	return ours, peer
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
	peer                    bool // not a driver of ours
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
	if c.onDriver == nil || c.setup || *driverName != "" {
		return nil
	}
	t := drivers.Find(c.pkg)
	var list []rival
	for i, d := range t.Drivers() {
		if d.Available() && uint8(i) != t.Auto().Bulk() {
			list = append(list, rival{name: d.Name, f: c.onDriver(d.Name)})
		}
	}
	return list
}
