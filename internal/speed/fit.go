package speed

import (
	"cmp"
	"math"
	"slices"
)

// A Point is the time that an operation took for some bytes.
type Point struct {
	Bytes int
	NS    float64
}

// A Segment is a straight line for the time of an operation, T(n) = A + B n, for
// sizes from From to To.
type Segment struct {
	From, To int     // bytes in its first and last sample
	A        float64 // ns
	B        float64 // ns per byte
	Worst    float64 // largest distance of a sample from the line, relative to the sample
	Samples  int
}

// NS returns the time for n bytes.
func (s Segment) NS(n int) float64 { return s.A + float64(s.B*float64(n)) }

// trusted is the smallest number of samples that shows whether a line fits: there
// is a line through any two.
const trusted = 3

// Fit describes times by as few lines as possible, such that no sample is farther
// than limit, relative to its time, from the line for its size. One line is not
// always enough: a kernel that processes sixteen blocks at once takes just as long
// for two. Where not even three neighbours are on a line, segments have fewer
// samples.
func Fit(points []Point, limit float64) []Segment {
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.Bytes, b.Bytes) })
	// best[i] is the best way to describe the first i points.
	type way struct {
		last   Segment
		before int
		score  [3]float64 // samples in segments of fewer than trusted samples, segments, squares
	}
	best := make([]way, len(points)+1)
	for i := 1; i <= len(points); i++ {
		best[i].score[0] = math.Inf(1)
		for j := range i {
			s, squares := line(points[j:i])
			if s.Worst > limit {
				continue
			}
			score := best[j].score
			if s.Samples < trusted {
				score[0] += float64(s.Samples)
			}
			score[1]++
			score[2] += squares
			if slices.Compare(score[:], best[i].score[:]) < 0 {
				best[i] = way{s, j, score}
			}
		}
	}
	var segments []Segment
	for i := len(points); i > 0; i = best[i].before {
		segments = append(segments, best[i].last)
	}
	slices.Reverse(segments)
	return segments
}

// line returns the line with the least squares of relative distances, and their sum.
// The line never falls: more bytes never take less time.
func line(points []Point) (Segment, float64) {
	s := Segment{From: points[0].Bytes, To: points[len(points)-1].Bytes, Samples: len(points)}
	// The unknowns of A x + B y = 1 with x = 1/t and y = n/t.
	var xx, xy, yy, x, y float64
	for _, p := range points {
		u, v := 1/p.NS, float64(p.Bytes)/p.NS
		xx, xy, yy = xx+float64(u*u), xy+float64(u*v), yy+float64(v*v)
		x, y = x+u, y+v
	}
	if d := float64(xx*yy) - float64(xy*xy); d > 1e-12*float64(xx*yy) { // two sizes at least
		s.A = (float64(x*yy) - float64(y*xy)) / d
		s.B = (float64(y*xx) - float64(x*xy)) / d
	}
	if s.B <= 0 {
		s.A, s.B = x/xx, 0
	}
	squares := 0.0
	for _, p := range points {
		r := s.NS(p.Bytes)/p.NS - 1
		s.Worst = max(s.Worst, math.Abs(r))
		squares += float64(r * r)
	}
	return s, squares
}
