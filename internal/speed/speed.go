// Package speed compares the speed of operations. It times them alternately in
// many short slices. Other programs slow some slices down and never speed one up, so
// that the slower half is left out: the result is the median of the faster half. Where
// the system has a clock for the CPU time of a thread, time for which the thread waited
// for a CPU does not count. The package is independent of cryptography and prints nothing.
package speed

import (
	"context"
	"math"
	"runtime"
	"slices"
	"time"
)

// A Case is one thing to time.
type Case struct {
	Algorithm, Driver, Operation string
	Bytes                        int         // bytes per operation, or per message if there are several
	Messages                     int         // number of messages processed at once; 0 means 1
	Auto                         bool        // users get this if they make no choice
	Waits                        bool        // for something other than a CPU: wall clock time counts
	Run                          func(n int) // performs the operation n times
}

// A Result is the result for a case.
type Result struct {
	Case
	Slices []float64 // ns per operation, or per message of it, in the order of measurement
}

// NS returns the time in nanoseconds of one operation, or of one of its messages: the median
// of the faster half of the slices.
func (r Result) NS() float64 { return quantile(r.Slices, 0.25) }

// MBPerS returns the speed in megabytes (10^6 bytes) per second.
func (r Result) MBPerS() float64 { return float64(r.Bytes) * 1e3 / r.NS() }

// Spread returns half the distance between the quartiles of the faster half, relative to NS:
// about half of the faster half of the slices are that close to it.
func (r Result) Spread() float64 {
	return (quantile(r.Slices, 0.375) - quantile(r.Slices, 0.125)) / 2 / r.NS()
}

// Varies reports whether the slices differ so much that the result says little.
func (r Result) Varies() bool { return r.Spread() > Acceptable }

// Acceptable is the largest spread of a result that does not vary.
const Acceptable = 0.1

// Samples returns n medians, each of consecutive slices, for tools that compute
// their own statistics. It returns fewer if there are fewer slices.
func (r Result) Samples(n int) []float64 {
	n = min(n, len(r.Slices))
	var list []float64
	for i := range n {
		list = append(list, Median(r.Slices[i*len(r.Slices)/n:(i+1)*len(r.Slices)/n]))
	}
	return list
}

// Median returns the median of a list, or NaN if the list is empty.
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
	fewestSlices  = 5 // even if time is short: fewer do not give a meaningful median
)

// Measure times all cases in about the given time and returns the results in the
// same order. It keeps its goroutine on one thread. The cases of a group take turns, so that other activity on the
// machine affects all of them equally. Groups are measured one after the other,
// each for a time proportional to its number of cases. If progress is not nil, it
// is called from time to time with the fraction of the work that is done. If ctx
// is cancelled, Measure returns its error.
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
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	results := make([][]Result, len(groups))
	finished := 0
	deadline := now()
	each := total / time.Duration(cases)
	slice := min(max(each/wantedSlices, shortestSlice), longestSlice)
	for i, g := range groups {
		start := deadline
		share := each * time.Duration(len(g))
		deadline = deadline.Add(share)
		var err error
		results[i], err = measureGroup(ctx, g, slice, deadline, func() {
			part := min(float64(now().Sub(start))/float64(share), 1)
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
	for round := 0; len(group) > 0 && (round < fewestSlices || now().Before(deadline)); round++ {
		for k := range group {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			i := k
			if round%2 == 1 { // alternate directions, so that a drift of the clock rate cancels out
				i = len(group) - 1 - k
			}
			results[i].Slices = append(results[i].Slices, float64(run(group[i], repeat[i]))/float64(repeat[i]*max(group[i].Messages, 1)))
		}
		tick()
	}
	return results, nil
}

// calibrate returns how many operations fill a slice. It also warms up caches and
// branch predictors.
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
	if !c.Waits {
		if start := cpuTime(); start > 0 {
			c.Run(n)
			return cpuTime() - start
		}
	}
	start := now()
	c.Run(n)
	return now().Sub(start)
}

// now is the wall clock and cpuTime the CPU time of the thread, or 0 if there is no such clock.
// They are variables so that tests can have clocks of their own.
var (
	now     = time.Now
	cpuTime = threadTime
)
