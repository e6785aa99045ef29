// Command ratio times cipherlane against other Go libraries in one run and
// prints how many times as fast it is. docs/benchmarks.md shows its tables.
//
// The two sides take turns in slices of about a millisecond, and the best
// slice of each counts: on a shared machine the neighbours' noise then hits
// both alike. Run it pinned to one core:
//
//	taskset -c 1 go run ./peers/ratio
//	taskset -c 1 go run -tags purego ./peers/ratio
//	taskset -c 1 go run ./peers/ratio -sweep
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"text/tabwriter"
	"time"
)

var (
	only   = flag.String("run", "", "only the cases that match this regular expression")
	rounds = flag.Int("rounds", 60, "slices per side")
	sweep  = flag.Bool("sweep", false, "look for lengths from 0 to 64 KiB at which the automatic driver is slower than gmsm or than another driver")
)

func main() {
	flag.Parse()
	runtime.GOMAXPROCS(1)
	match := regexp.MustCompile(*only)
	ghz := clock()
	fmt.Printf("%s/%s, %s, clock about %.2f GHz\n", runtime.GOOS, runtime.GOARCH, runtime.Version(), ghz)
	if *sweep {
		if slower := runSweep(match); slower > 0 {
			fmt.Printf("%d points slower\n", slower)
			os.Exit(1)
		}
		return
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "operation\tbytes\tours ns\tours MB/s\tcycles/B\tpeer\tpeer ns\tpeer MB/s\tratio\t")
	for _, c := range cases() {
		if !match.MatchString(c.name) {
			continue
		}
		for _, n := range c.sizes {
			best := alternate(*rounds, c.ours(n), c.peer(n))
			a, b := best[0], best[1]
			if n == 0 { // an operation without a size
				fmt.Fprintf(w, "%s\t-\t%.1f\t-\t-\t%s\t%.1f\t-\t%.2f\t\n", c.name, a, c.peerName, b, b/a)
				continue
			}
			size := float64(n)
			fmt.Fprintf(w, "%s\t%d\t%.1f\t%.0f\t%.2f\t%s\t%.1f\t%.0f\t%.2f\t\n",
				c.name, n, a, size/a*1e3, a*ghz/size, c.peerName, b, size/b*1e3, b/a)
		}
	}
	w.Flush()
}

// alternate runs the functions in turn and returns the best time of each for
// one call, in nanoseconds.
func alternate(rounds int, fs ...func()) []float64 {
	best := make([]float64, len(fs))
	calls := make([]int, len(fs))
	for i, f := range fs {
		calls[i] = 1
		for {
			d := run(f, calls[i])
			if d > 200*time.Microsecond {
				calls[i] = max(1, int(float64(calls[i])*float64(time.Millisecond)/float64(d)))
				break
			}
			calls[i] *= 4
		}
		best[i] = 1e18
	}
	for range rounds {
		for i, f := range fs {
			best[i] = min(best[i], float64(run(f, calls[i]))/float64(calls[i]))
		}
	}
	return best
}

func run(f func(), calls int) time.Duration {
	start := time.Now()
	for range calls {
		f()
	}
	return time.Since(start)
}

// clock estimates the core's frequency in GHz from a chain of multiplications,
// each of which takes three cycles on current CPUs.
func clock() float64 {
	const n = 100_000
	x := uint64(time.Now().UnixNano())
	best := alternate(60, func() {
		for range n {
			x *= 0x9e3779b97f4a7c15
		}
	})
	runtime.KeepAlive(x)
	return 3 * n / best[0]
}
