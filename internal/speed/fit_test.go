package speed

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// samples are times at sizes from 16 bytes to 64 KiB.
func samples(ns func(n float64) float64) []Point {
	var list []Point
	for n := 16; n <= 64<<10; n *= 2 {
		list = append(list, Point{n, ns(float64(n))})
	}
	return list
}

func almostEqual(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }

func TestFit(t *testing.T) {
	noise := rand.New(rand.NewPCG(3, 4))
	for name, test := range map[string]struct {
		ns   func(n float64) float64
		want []Segment // From, To and, if not 0, A and B
	}{
		"a line":          {func(n float64) float64 { return 40 + 1.5*n }, []Segment{{From: 16, To: 65536, A: 40, B: 1.5}}},
		"bytes only":      {func(n float64) float64 { return 0.25 * n }, []Segment{{From: 16, To: 65536, B: 0.25}}},
		"start only":      {func(n float64) float64 { return 21000 }, []Segment{{From: 16, To: 65536, A: 21000}}},
		"noise":           {func(n float64) float64 { return (40 + 1.5*n) * (0.97 + 0.06*noise.Float64()) }, []Segment{{From: 16, To: 65536}}},
		"flat, then slow": {func(n float64) float64 { return max(100, 100+0.5*(n-700)) }, []Segment{{From: 16, To: 512, A: 100}, {From: 1024, To: 65536, A: -250, B: 0.5}}},
		"a step":          {func(n float64) float64 { return 50 + n/4 + 20000*math.Floor(n/8192) }, []Segment{{From: 16, To: 4096, A: 50, B: 0.25}, {From: 8192, To: 65536}}},
		"faster per byte": {func(n float64) float64 { return min(20+2*n, 7000+0.1*n) }, []Segment{{From: 16, To: 2048, A: 20, B: 2}, {From: 4096, To: 65536, A: 7000, B: 0.1}}},
	} {
		points := samples(test.ns)
		got := Fit(points, 0.1)
		if len(got) != len(test.want) {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		for i, s := range got {
			w := test.want[i]
			if s.From != w.From || s.To != w.To || w.A != 0 && !almostEqual(s.A, w.A) || w.B != 0 && !almostEqual(s.B, w.B) || s.Worst > 0.1 {
				t.Errorf("%s: %+v, want %+v", name, s, w)
			}
		}
	}
	if got := Fit(nil, 0.1); len(got) != 0 {
		t.Errorf("of nothing: %+v", got)
	}
	if got, want := Fit([]Point{{64, 7}}, 0.1), []Segment{{From: 64, To: 64, A: 7, Samples: 1}}; !reflect.DeepEqual(got, want) {
		t.Errorf("of one: %+v", got)
	}
	// Faster with more bytes: the line must not fall.
	if got := Fit([]Point{{16, 105}, {32, 100}, {64, 95}}, 0.1); len(got) != 1 || got[0].B != 0 || got[0].A < 95 || got[0].A > 105 {
		t.Errorf("falling: %+v", got)
	}
	// Three samples near a line rather than two that are on one anyway.
	if got := Fit([]Point{{16, 100}, {32, 100}, {64, 106}, {128, 202}, {256, 394}, {512, 778}}, 0.1); len(got) != 2 || got[0].Samples != 3 {
		t.Errorf("two and four: %+v", got)
	}
	// If no three points are on a line, the segments show it.
	for _, s := range Fit([]Point{{16, 1}, {32, 10}, {64, 1}, {128, 10}, {256, 1}}, 0.1) {
		if s.Samples >= trusted {
			t.Errorf("no line: %+v", s)
		}
	}
}

// TestFitAnything: every sample is in one segment and no farther from its line
// than the segment says and the limit allows.
func TestFitAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		var points []Point
		for n := 1; len(points) < 1+r.IntN(14); n += 1 + r.IntN(5000) {
			points = append(points, Point{n, (30 + float64(n)*r.Float64()) * (1 + r.Float64())})
		}
		r.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
		before := slices.Clone(points)
		limit := 0.02 + r.Float64()/3
		segments := Fit(points, limit)
		if !reflect.DeepEqual(points, before) {
			t.Fatal("Fit changed its argument")
		}
		count, last := 0, 0
		for _, s := range segments {
			worst, samples := 0.0, 0
			for _, p := range points {
				if p.Bytes >= s.From && p.Bytes <= s.To {
					samples++
					worst = max(worst, math.Abs(s.NS(p.Bytes)/p.NS-1))
				}
			}
			if samples != s.Samples || s.From <= last || s.Worst > limit || math.Abs(worst-s.Worst) > 1e-9 || s.B < 0 {
				t.Fatalf("%+v of %+v: %d samples, farthest %v, limit %v", s, points, samples, worst, limit)
			}
			last = s.To
			count += samples
		}
		if count != len(points) {
			t.Fatalf("%+v of %+v", segments, points)
		}
	}
}

// TestLine: no other line nearby has less squares of relative distances.
func TestLine(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		var points []Point
		for n := 16; n <= 4096; n *= 2 {
			points = append(points, Point{n, (50 + 2*float64(n)) * (0.8 + 0.4*r.Float64())})
		}
		s, squares := line(points)
		for range 20 {
			other := Segment{A: s.A * (1 + 0.01*r.NormFloat64()), B: s.B * (1 + 0.01*r.NormFloat64())}
			sum := 0.0
			for _, p := range points {
				d := other.NS(p.Bytes)/p.NS - 1
				sum += d * d
			}
			if sum < squares-1e-12 {
				t.Fatalf("%+v has %v, %+v has %v", s, squares, other, sum)
			}
		}
	}
}
