// Package speed times operations against each other: many short slices of wall
// clock time, taken in turns, of which the median counts. It knows nothing of
// cryptography and prints nothing.
package speed

import (
	"context"
	"math"
	"slices"
	"time"
)

// A Case is one thing to time.
type Case struct {
	Algorithm, Driver, Operation string
	Bytes                        int         // that one operation processes, of each message if there are several
	Messages                     int         // that it works on at once; 0 stands for 1
	Auto                         bool        // this is what users get who do not choose
	Run                          func(n int) // does the operation n times
}

// A Result is what came out for a case.
type Result struct {
	Case
	Slices []float64 // ns for one operation, or one message of it, in the order in which they were taken
}

// NS returns the median time of one operation in nanoseconds, or of one of its
// messages.
func (r Result) NS() float64 { return Median(r.Slices) }

// MBPerS returns the speed in megabytes (10^6 bytes) per second.
func (r Result) MBPerS() float64 { return float64(r.Bytes) * 1e3 / r.NS() }

// Spread returns half the distance between the quartiles as a share of the
// median: half of all slices are about that close to it.
func (r Result) Spread() float64 {
	return (quantile(r.Slices, 0.75) - quantile(r.Slices, 0.25)) / 2 / r.NS()
}

// Samples returns n medians, each of the slices of one stretch of time, for
// tools that do their own statistics; fewer if there are fewer slices.
func (r Result) Samples(n int) []float64 {
	n = min(n, len(r.Slices))
	var list []float64
	for i := range n {
		list = append(list, Median(r.Slices[i*len(r.Slices)/n:(i+1)*len(r.Slices)/n]))
	}
	return list
}

// Median returns the middle of a list, or the mean of the two in the middle;
// NaN if the list is empty.
func Median(list []float64) float64 { return quantile(list, 0.5) }

// quantile interpolates between neighbours.
func quantile(list []float64, q float64) float64 {
	if len(list) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(list))
	at := float64(q * float64(len(sorted)-1)) // the conversion keeps every GOARCH from fusing it with what follows
	i := int(at)
	if i == len(sorted)-1 {
		return sorted[i]
	}
	return sorted[i] + float64((at-float64(i))*(sorted[i+1]-sorted[i]))
}

const (
	longestSlice  = time.Millisecond       // short enough that an interrupt spoils few of them
	shortestSlice = 100 * time.Microsecond // long enough that reading the clock does not count
	wantedSlices  = 25
	fewestSlices  = 5 // whatever the time allowed: fewer give no median worth the name
)

// Measure times all cases in about the given time and returns the results in
// the same order. The cases of one group take turns, so that whatever else the
// machine does hits all of them alike; groups come one after the other and
// share the time by their number of cases. Progress, which may be nil, is told
// now and then which part of the work is done, from 0 to 1. If ctx is
// cancelled, Measure returns its error.
func Measure(ctx context.Context, groups [][]Case, total time.Duration, progress func(float64)) ([][]Result, error) {
	if progress == nil {
		progress = func(float64) {}
	}
	cases := 0
	for _, g := range groups {
		cases += len(g)
	}
	if cases == 0 {
		return make([][]Result, len(groups)), ctx.Err()
	}
	results := make([][]Result, len(groups))
	finished := 0
	deadline := time.Now()
	each := total / time.Duration(cases)
	slice := min(max(each/wantedSlices, shortestSlice), longestSlice)
	for i, g := range groups {
		start := deadline
		share := each * time.Duration(len(g))
		deadline = deadline.Add(share)
		var err error
		results[i], err = measureGroup(ctx, g, slice, deadline, func() {
			part := min(float64(time.Since(start))/float64(share), 1)
			progress((float64(finished) + part*float64(len(g))) / float64(cases))
		})
		if err != nil {
			return nil, err
		}
		finished += len(g)
	}
	progress(1)
	return results, nil
}

func measureGroup(ctx context.Context, group []Case, slice time.Duration, deadline time.Time, tick func()) ([]Result, error) {
	results := make([]Result, len(group))
	repeat := make([]int, len(group))
	for i, c := range group {
		results[i] = Result{Case: c, Slices: make([]float64, 0, 4*wantedSlices)}
		repeat[i] = calibrate(c, slice)
	}
	for round := 0; len(group) > 0 && (round < fewestSlices || time.Now().Before(deadline)); round++ {
		for k := range group {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			i := k
			if round%2 == 1 { // there and back: a drift of the clock rate cancels out
				i = len(group) - 1 - k
			}
			results[i].Slices = append(results[i].Slices, float64(run(group[i], repeat[i]))/float64(repeat[i]*max(group[i].Messages, 1)))
		}
		tick()
	}
	return results, nil
}

// calibrate returns how many operations fill a slice. Finding out warms up
// caches and branch predictors.
func calibrate(c Case, slice time.Duration) int {
	for n := 1; ; n *= 2 {
		t := run(c, n)
		if t >= slice/2 { // or was it an interruption?
			t = min(t, run(c, n))
		}
		if t >= slice/2 || n > math.MaxInt32 {
			return max(int(float64(n)*float64(slice)/float64(max(t, 1))), 1)
		}
	}
}

func run(c Case, n int) time.Duration {
	start := time.Now()
	c.Run(n)
	return time.Since(start)
}
