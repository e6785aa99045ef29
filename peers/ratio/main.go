// Command ratio benchmarks cipherlane against other Go libraries in one run and
// prints how many times as fast it is. docs/machines has its figures.
//
// The two sides run alternately in slices of about a millisecond, and the best
// slice of each counts, so that noise on a shared machine affects both alike. Run
// it pinned to one core:
//
//	taskset -c 1 go run ./peers/ratio
//	taskset -c 1 go run ./peers/ratio -driver aesni -run gcm
//	taskset -c 1 go run -tags purego ./peers/ratio
//	taskset -c 1 go run ./peers/ratio -sweep
//
// The tag purego disables the assembly of both sides, including the standard
// library's: portable code is compared with portable code. Without that tag, the
// driver generic compares our portable code with the other side's assembly.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

var (
	runPattern = flag.String("run", "", "only the cases that match this regular expression")
	rounds     = flag.Int("rounds", 60, "slices per side")
	lengths    = flag.String("bytes", "", "these lengths, separated by commas, instead of those in the tables")
	driverName = flag.String("driver", "", "only the packages that have this driver of ours, with it instead of the automatic one")
	sweep      = flag.Bool("sweep", false, "look for lengths from 0 to 128 KiB at which the automatic driver is slower than the other library or than another driver; with -driver, than the other library")
	allPoints  = flag.Bool("points", false, "with -sweep, print every such length")
	share      = flag.String("part", "1/1", "with -sweep, only this part of the cases: 1/2 on one core and 2/2 on another")
)

// brief makes every measurement as short as possible; its figures are meaningless. Only
// ci/texts, which runs the commands of the documentation, sets the variable.
var brief = os.Getenv("CIPHERLANE_SECONDS") != ""

func main() {
	flag.Parse()
	runtime.GOMAXPROCS(1)
	match, err := regexp.Compile(*runPattern)
	if err != nil {
		fail(err)
	}
	sizes, err := numbers(*lengths)
	if err != nil {
		fail(err)
	}
	list, err := chosen(match, *driverName, sizes)
	if err != nil {
		fail(err)
	}
	ghz := clock()
	fmt.Printf("%s/%s, %s, clock about %.2f GHz\n", runtime.GOOS, runtime.GOARCH, runtime.Version(), ghz)
	if *sweep {
		if list, err = part(list, *share); err != nil {
			fail(err)
		}
		if slower := runSweep(list); slower > 0 {
			fmt.Printf("%d points slower\n", slower)
			os.Exit(1)
		}
		return
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "operation\tbytes\tours ns\tours MB/s\tcycles/B\tpeer\tpeer ns\tpeer MB/s\tratio\t")
	for _, c := range list {
		for _, n := range c.sizes {
			best := alternate(*rounds, time.Millisecond, c.ours(n), c.peer(n))
			a, b := best[0], best[1]
			if n == 0 {
				bytes := "0"
				if c.fixed() { // a fixed size or none
					bytes = "-"
				}
				fmt.Fprintf(w, "%s\t%s\t%.1f\t-\t-\t%s\t%.1f\t-\t%.2f\t\n", c.name, bytes, a, c.peerName, b, b/a)
				continue
			}
			size := float64(n * max(1, c.times))
			fmt.Fprintf(w, "%s\t%d\t%.1f\t%.0f\t%.2f\t%s\t%.1f\t%.0f\t%.2f\t\n",
				c.name, n, a, size/a*1e3, a*ghz/size, c.peerName, b, size/b*1e3, b/a)
		}
	}
	w.Flush()
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "ratio:", err)
	if errors.Is(err, drivers.ErrUnavailable) {
		os.Exit(3) // as the command cipherlane does
	}
	os.Exit(2)
}

// chosen returns the cases whose names match. If a driver is named, it returns only
// cases of packages that have it, and our side uses that driver. If sizes are given,
// they replace the sizes of the cases.
func chosen(match *regexp.Regexp, name string, sizes []int) ([]pair, error) {
	var list []pair
	var unknown error
	for _, c := range cases() {
		if !match.MatchString(c.name) {
			continue
		}
		if name != "" {
			if _, err := drivers.Find(c.pkg).On(name); errors.Is(err, drivers.ErrUnknown) {
				unknown = err
				continue
			} else if err != nil {
				return nil, err
			}
			c.ours = c.onDriver(name)
		}
		if len(sizes) > 0 && !c.fixed() {
			given := c
			c.chosen = true
			c.sizes = slices.DeleteFunc(slices.Clone(sizes), func(n int) bool { return !given.takes(n) })
		}
		list = append(list, c)
	}
	if len(list) == 0 && unknown != nil {
		return nil, unknown
	}
	return list, nil
}

func numbers(text string) ([]int, error) {
	var list []int
	for field := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(field)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("-bytes: %q is not a length", field)
		}
		list = append(list, n)
	}
	return list, nil
}

// table returns the drivers of a package of ours.
// alternate runs the functions in turn, each for about a slice of time, and
// returns the best time of each for one call, in nanoseconds.
func alternate(rounds int, slice time.Duration, fs ...func()) []float64 {
	if brief {
		rounds, slice = 1, 1
	}
	best := make([]float64, len(fs))
	calls := make([]int, len(fs))
	for i, f := range fs {
		calls[i] = 1
		for {
			d := run(f, calls[i])
			if d > slice/5 {
				calls[i] = max(1, int(float64(calls[i])*float64(slice)/float64(d)))
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
	best := alternate(60, time.Millisecond, func() {
		for range n {
			x *= 0x9e3779b97f4a7c15
		}
	})
	runtime.KeepAlive(x)
	return 3 * n / best[0]
}
