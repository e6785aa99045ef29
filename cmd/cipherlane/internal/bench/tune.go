package bench

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/speed"
)

// TuneCmd is the verb tune.
type TuneCmd struct {
	Algorithms []string `arg:"" optional:"" name:"alg" help:"Algorithms (sm3, sm4-gcm, aes-256-gcm) or packages (aes) to measure; default: ${representative}."`
	Output     string   `short:"o" placeholder:"FILE" help:"Write the profile to this file; - for standard output, without the report."`
	Force      bool     `short:"f" help:"Replace an existing file."`
	Seconds    float64  `default:"60" help:"Total measuring time. Default: ${default}."`
	Linux      string   `enum:"off,engine,any" default:"off" placeholder:"MODE" help:"Also find the sizes from which drivers inside Linux are faster: engine (only crypto engines separate from the CPU), any (whichever driver Linux selects), off."`
	JSON       bool     `help:"Print JSON."`
	Progress   string   `enum:"auto,on,off" default:"auto" help:"Show progress on standard error: auto (on a terminal, after a second), on, off."`
}

// Help returns the description of the verb, with examples.
func (TuneCmd) Help() string {
	return `Measures every driver that this machine can run, reports the fastest one for each
package compared with the automatic selection, and can write a profile that makes
programs use it:

    cipherlane tune -o machine.json
    CIPHERLANE_PROFILE=machine.json PROGRAM    # or drivers.LoadProfile in Go

A package uses one driver for everything, or two if on some CPUs a driver is meant for
inputs of some sizes only. The best driver has the lowest geometric mean time over all
operations and sizes from 16 bytes to 64 KiB, which have equal weight. The automatic
selection is kept if it is within 3 %, or within the noise, of the best. If most results
vary by more than 10 %, the machine is too busy: nothing is written, and the exit code
is 1. To measure only the algorithms that
you use, name them: packages without any of them are left out of the profile.

The report describes the time of an operation on n bytes by a line, a + b n
nanoseconds, and gives the largest deviation of a sample from that line. A line may
deviate by at most 10 %; where one line is not enough, as for kernels that process many
blocks at once, there are several, each for a range of sizes. A line through fewer than
three samples is marked with ~, because it fits them by construction. Hash functions
are measured at sizes that fill their last block.

With --linux, tune then measures ciphers inside Linux, which it opens through AF_ALG.
Linux may load modules and instantiate ciphers, which remain loaded. Programs that use
package linux find the resulting sizes in the profile and need not measure; on another
release of Linux they measure again.

A profile is valid only for this machine and this version of cipherlane: the library
rejects it elsewhere. The environment variable CIPHERLANE takes precedence over it.
tune ignores the profile that CIPHERLANE_PROFILE names now, so it may be out of date.

Examples:

    cipherlane tune
    cipherlane tune sm4-gcm aes-256-gcm --seconds 10 -f -o machine.json
    cipherlane tune --linux engine -o machine.json`
}

// tuneLimit is the maximum relative deviation of a sample from a line.
const tuneLimit = 0.1

// tuneMargin is the fraction of time that a driver must save to replace the automatic
// selection: results differ by as much from run to run. What the noise is larger than, does not
// count either.
const tuneMargin = 0.03

// tuneSplit is the fraction of time that two drivers must save compared with one.
const tuneSplit = 0.01

type tuneFit struct {
	Algorithm string        `json:"algorithm"`
	KeyBits   int           `json:"key_bits,omitempty"`
	Operation string        `json:"operation"`
	Driver    string        `json:"driver"`
	Segments  []tuneSegment `json:"segments"`

	samples map[int]sample // by number of bytes
}

// A sample is the time in ns of an operation, and the spread of the slices.
type sample struct{ ns, noise float64 }

type tuneSegment struct {
	From    int     `json:"from"`
	To      int     `json:"to"`
	A       float64 `json:"a_ns"`
	B       float64 `json:"b_ns_per_byte"`
	Worst   float64 `json:"worst_deviation"`
	Samples int     `json:"samples"`
}

type tunePackage struct {
	Package   string         `json:"package"`
	Automatic drivers.Choice `json:"automatic"`
	Tuned     drivers.Choice `json:"tuned"`
	Changed   bool           `json:"changed"`
	Gain      float64        `json:"gain"` // time with Automatic divided by time with Tuned, geometric mean
	Most      tuneGain       `json:"most"`
	Least     tuneGain       `json:"least"` // below 1 if Automatic is faster there
}

type tuneGain struct {
	Gain float64 `json:"gain"`
	tuneWork
}

// A tuneWork is an operation of a package at one size.
type tuneWork struct {
	Algorithm string `json:"algorithm"`
	KeyBits   int    `json:"key_bits,omitempty"`
	Operation string `json:"operation"`
	Bytes     int    `json:"bytes"`
}

// Run runs the verb.
func (c *TuneCmd) Run(p *cli.Program) error {
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	if err := CheckSeconds(c.Seconds); err != nil {
		return err
	}
	if c.JSON && c.Output == "-" {
		return cli.Usagef("--json and -o -: both print to standard output")
	}
	if c.Linux != "off" && runtime.GOOS != "linux" {
		return cli.AsUnavailable(fmt.Errorf("--linux: only works on Linux, and this is %s", runtime.GOOS))
	}
	if disabled := takenAway(); c.Output != "" && disabled != 0 {
		return cli.AsUnavailable(fmt.Errorf("-o: CIPHERLANE disables %v, which a profile cannot record: unset it, or leave out -o", disabled))
	}
	list, err := c.algorithms()
	if err != nil {
		return err
	}
	// If a profile with the automatic selections is not valid, the new one will not be either.
	profile := drivers.NewProfile()
	tables, _ := inventory.Packages(list)
	for _, t := range tables {
		profile.Drivers[t.Package()] = choiceOf(t.Drivers(), t.Default())
	}
	if _, err := c.encode(profile); err != nil {
		return err
	}
	var out *cli.Outputs
	if c.Output != "" { // before measuring, whose results would be lost
		if c.Output != "-" { // the report goes to standard output
			if _, err := p.Check(c.Force, cli.Target{}, cli.Target{Path: c.Output}); err != nil {
				return err
			}
		}
		if out, err = p.Create(c.Force, cli.Target{Path: c.Output, Mode: 0o666}); err != nil {
			return err
		}
		defer out.Discard()
	}
	fits, err := c.measure(p, list)
	if err != nil {
		return err
	}
	var results []tunePackage
	for _, t := range tables {
		r := decide(t, slices.DeleteFunc(slices.Clone(fits), func(f tuneFit) bool { return !belongsTo(t, f.Algorithm) }))
		profile.Drivers[t.Package()] = r.Tuned
		results = append(results, r)
	}
	text, err := c.encode(profile)
	if err != nil {
		return err
	}
	var kernel *tuneLinux
	if c.Linux != "off" { // compared with the profile's drivers, which encode has put in force
		if kernel, err = c.offload(p, list); err != nil {
			return err
		}
		profile.Linux, profile.Crossovers = kernel.crossovers()
		if text, err = c.encode(profile); err != nil {
			return err
		}
	}
	if c.Output != "-" {
		if err := c.report(p, list, fits, results, kernel); err != nil {
			return err
		}
	}
	if out == nil {
		return nil
	}
	return out.Commit(text)
}

// takenAway returns the features that drivers need and the CPU has, but that CIPHERLANE
// disables.
func takenAway() (disabled drivers.Features) {
	for _, t := range drivers.List() {
		for _, d := range t.Drivers() {
			disabled |= d.Missing & cpu.Features()
		}
	}
	return disabled
}

// encode returns the text of a profile and puts it in force, which proves that it is
// valid.
func (c *TuneCmd) encode(profile *drivers.Profile) ([]byte, error) {
	text, err := json.MarshalIndent(profile, "", "  ")
	if err == nil {
		text = append(text, '\n')
		err = drivers.UseProfile(bytes.NewReader(text), cmp.Or(c.Output, "just measured"))
	}
	return text, err
}

// algorithms returns the algorithms to measure.
func (c *TuneCmd) algorithms() ([]catalog.Algorithm, error) {
	if len(c.Algorithms) == 0 {
		return inventory.Choose(representative)
	}
	return inventory.Choose(c.Algorithms)
}

// tuneSizes returns the sizes at which an algorithm is measured.
func tuneSizes(a catalog.Algorithm) []int {
	var sizes []int
	for n := 16; n <= 64<<10; n *= 2 {
		switch {
		case a.Hash == nil:
			sizes = append(sizes, n)
		case n >= 64:
			sizes = append(sizes, n-9) // padding, one byte and the 8-byte length, fills the last block
		}
	}
	return sizes
}

// belongsTo reports whether an algorithm belongs to the package of a table.
func belongsTo(t *drivers.Table, algorithm string) bool {
	a, ok := catalog.Find(algorithm)
	return ok && a.Package == t.Package()
}

func (c *TuneCmd) measure(p *cli.Program, list []catalog.Algorithm) ([]tuneFit, error) {
	var groups [][]speed.Case
	for _, a := range list {
		cases, _, err := (&SpeedCmd{}).cases([]catalog.Algorithm{a}, tuneSizes(a))
		if err != nil {
			return nil, err
		}
		groups = append(groups, cases...)
	}
	bar := p.Progress(c.Progress, "measuring", 1000, false)
	results, err := speed.Measure(context.Background(), groups, measuringTime(c.Seconds), func(part float64) { bar.Set(int64(part * 1000)) })
	bar.Stop()
	if err = cmp.Or(err, busy(results)); err != nil {
		return nil, err
	}
	var fits []tuneFit
	for i, group := range results {
		if len(group) == 0 {
			continue
		}
		for _, row := range speed.Tabulate(group).Rows {
			f := tuneFit{
				Algorithm: list[i].Name, KeyBits: inventory.KeyBits(list[i], keySize(list[i])),
				Operation: row.Operation, Driver: row.Driver, samples: map[int]sample{},
			}
			var points []speed.Point
			for _, r := range row.Results {
				if len(r.Slices) == 0 { // a size of other operations: keys and ciphertexts differ
					continue
				}
				points = append(points, speed.Point{Bytes: r.Bytes, NS: r.NS()})
				f.samples[r.Bytes] = sample{r.NS(), r.Spread()}
			}
			for _, s := range speed.Fit(points, tuneLimit) {
				f.Segments = append(f.Segments, tuneSegment(s))
			}
			fits = append(fits, f)
		}
	}
	return fits, nil
}

// A workload is an operation with the time that each driver needs for it.
type workload struct {
	tuneWork
	by map[string]sample
}

// decide finds the best drivers of a package from their times.
func decide(t *drivers.Table, fits []tuneFit) tunePackage {
	work := workloads(fits)
	rows := t.Drivers()
	r := tunePackage{Package: t.Package(), Automatic: choiceOf(rows, t.Default())}
	r.Tuned = best(rows, work, t.Splits())
	r.Tuned.Serial, r.Tuned.Many = r.Automatic.Serial, r.Automatic.Many // not measured on their own
	if mean(work, r.Tuned) > mean(work, r.Automatic)-max(-math.Log(1-tuneMargin), noise(work, r.Tuned)+noise(work, r.Automatic)) {
		r.Tuned = r.Automatic
	}
	r.Tuned = refine(r.Tuned, r.Automatic, work, fits)
	r.Changed = r.Tuned != r.Automatic
	r.Gain = math.Exp(mean(work, r.Automatic) - mean(work, r.Tuned))
	for i, w := range work {
		g := tuneGain{w.by[pick(r.Automatic, w.Bytes)].ns / w.by[pick(r.Tuned, w.Bytes)].ns, w.tuneWork}
		if i == 0 || g.Gain > r.Most.Gain {
			r.Most = g
		}
		if i == 0 || g.Gain < r.Least.Gain {
			r.Least = g
		}
	}
	return r
}

// workloads returns the operations of fits, from the shortest on.
func workloads(fits []tuneFit) []workload {
	var work []workload
	for _, f := range fits {
		for n, s := range f.samples {
			this := tuneWork{f.Algorithm, f.KeyBits, f.Operation, n}
			i := slices.IndexFunc(work, func(w workload) bool { return w.tuneWork == this })
			if i < 0 {
				i = len(work)
				work = append(work, workload{this, map[string]sample{}})
			}
			work[i].by[f.Driver] = s
		}
	}
	slices.SortFunc(work, func(a, b workload) int {
		return cmp.Or(cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Algorithm, b.Algorithm), cmp.Compare(a.KeyBits, b.KeyBits), cmp.Compare(a.Operation, b.Operation))
	})
	return work
}

// best returns the fastest choice: a single driver or two, where one is used from one size to
// another. Two must save more than noise, and the package must be one that may split.
func best(rows []drivers.Info, work []workload, split bool) drivers.Choice {
	var one, two drivers.Choice
	least, leastTwo := math.Inf(1), math.Inf(1)
	for _, bulk := range rows {
		if c := (drivers.Choice{Bulk: bulk.Name}); bulk.Available() && mean(work, c) < least {
			one, least = c, mean(work, c)
		}
	}
	if !split {
		return one
	}
	var sizes []int // where drivers can change, and 0
	for _, w := range work {
		if len(sizes) == 0 || w.Bytes > sizes[len(sizes)-1] {
			sizes = append(sizes, w.Bytes)
		}
	}
	if len(sizes) > 0 {
		sizes[0] = 0
	}
	for _, short := range rows {
		for _, bulk := range rows {
			if short.Name == bulk.Name || !short.Available() || !bulk.Available() {
				continue
			}
			for i, from := range sizes {
				if from > drivers.MaxShortMin {
					break
				}
				for _, to := range sizes[i+1:] {
					c := drivers.Choice{Short: short.Name, Bulk: bulk.Name, BulkMin: to, ShortMin: from}
					if m := mean(work, c); m < leastTwo {
						two, leastTwo = c, m
					}
				}
			}
		}
	}
	if leastTwo < least+math.Log(1-tuneSplit) {
		return two
	}
	return one
}

// refine lowers the size from which a choice uses its second driver to where the lines
// say that it becomes faster. It stays above the largest measured size for which the
// first driver is used.
func refine(c, automatic drivers.Choice, work []workload, fits []tuneFit) drivers.Choice {
	if c.BulkMin == 0 || c == automatic {
		return c
	}
	largest := 0
	for _, w := range work {
		if w.Bytes < c.BulkMin {
			largest = max(largest, w.Bytes)
		}
	}
	for n := largest + 1; n < c.BulkMin; n++ {
		logRatio := 0.0 // logarithm of the first driver's time divided by the second's
		for _, f := range fits {
			switch f.Driver {
			case c.Short:
				logRatio += math.Log(at(f.Segments, n))
			case c.Bulk:
				logRatio -= math.Log(at(f.Segments, n))
			}
		}
		if logRatio >= 0 {
			c.BulkMin = n
		}
	}
	return c
}

// at returns the time for n bytes. Between two segments, the first one applies.
func at(segments []tuneSegment, n int) float64 {
	i := len(segments) - 1
	for i > 0 && segments[i].From > n {
		i--
	}
	return max(speed.Segment(segments[i]).NS(n), 1)
}

// mean returns the logarithm of the geometric mean of the times with a choice.
func mean(work []workload, c drivers.Choice) float64 {
	sum := 0.0
	for _, w := range work {
		sum += math.Log(w.by[pick(c, w.Bytes)].ns)
	}
	return sum / float64(len(work))
}

// noise returns the mean spread of the times with a choice.
func noise(work []workload, c drivers.Choice) float64 {
	sum := 0.0
	for _, w := range work {
		sum += w.by[pick(c, w.Bytes)].noise
	}
	return sum / float64(len(work))
}

// pick returns the driver of a choice for n bytes.
func pick(c drivers.Choice, n int) string {
	if n < c.BulkMin && n >= c.ShortMin {
		return c.Short
	}
	return c.Bulk
}

// choiceOf converts a plan to a choice, with the names of drivers.
func choiceOf(rows []drivers.Info, plan drivers.Plan) drivers.Choice {
	c := drivers.Choice{Bulk: rows[plan.Bulk()].Name}
	short := plan.Bulk()
	if plan.Short() != plan.Bulk() && plan.BulkMin() > 0 {
		c.Short, c.BulkMin, c.ShortMin = rows[plan.Short()].Name, plan.BulkMin(), plan.ShortMin()
		short = plan.Pick(0)
	}
	if plan.Serial() != short {
		c.Serial = rows[plan.Serial()].Name
	}
	if plan.Many() != plan.Bulk() {
		c.Many = rows[plan.Many()].Name
	}
	return c
}

func (c *TuneCmd) report(p *cli.Program, list []catalog.Algorithm, fits []tuneFit, results []tunePackage, kernel *tuneLinux) error {
	if c.JSON {
		return p.JSON(struct {
			Schema   int               `json:"schema"`
			Machine  inventory.Machine `json:"machine"`
			Fits     []tuneFit         `json:"fits"`
			Packages []tunePackage     `json:"packages"`
			Linux    *tuneLinux        `json:"linux"` // null unless asked for
		}{1, inventory.ThisMachine(), fits, results, kernel})
	}
	p.Say("%s\ntime for n bytes: a + b n nanoseconds; off: largest deviation of a sample from the line\n", inventory.ThisMachine())
	for _, a := range list {
		p.Say("\n")
		about := a.Standard
		if len(a.KeySizes) > 0 {
			about = fmt.Sprintf("%s; keys of %d bits", about, inventory.KeyBits(a, keySize(a)))
		}
		p.Title(a.Name, about)
		p.Table(fitTable(a, fits))
	}
	p.Say("\n")
	rows := cli.Table{Header: []string{"", "package", "automatic", "best here"}}
	if slices.ContainsFunc(results, func(r tunePackage) bool { return r.Changed }) {
		rows.Header = append(rows.Header, "speed", "at least", "at most")
	}
	for _, r := range results {
		if !r.Changed {
			rows.Add("", r.Package, inventory.Taking(planOf(r.Automatic)), "the same")
			continue
		}
		rows.Add("*", r.Package, inventory.Taking(planOf(r.Automatic)), inventory.Taking(planOf(r.Tuned)), fmt.Sprintf("×%.2f", r.Gain), r.Least.String(), r.Most.String())
	}
	p.Table(rows)
	if kernel != nil {
		kernel.print(p)
	}
	if c.Output == "" {
		p.Say("\nNothing was written: -o FILE writes a profile.\n")
	} else {
		path, err := filepath.Abs(c.Output) // programs have other working directories
		if err != nil {
			path = c.Output
		}
		p.Say("\nCIPHERLANE_PROFILE=%s makes programs use this profile.\n", cli.Quote(path))
	}
	return p.Flush()
}

// planOf converts a choice for function taking.
func planOf(c drivers.Choice) inventory.Plan {
	short := cmp.Or(c.Short, c.Bulk)
	return inventory.Plan{Short: short, Bulk: c.Bulk, BulkMin: c.BulkMin, ShortMin: c.ShortMin, Serial: cmp.Or(c.Serial, pick(c, 0), c.Bulk), Many: cmp.Or(c.Many, c.Bulk)}
}

func (g tuneGain) String() string {
	return fmt.Sprintf("×%.2f (%s %s, %d bytes)", g.Gain, g.Algorithm, g.Operation, g.Bytes)
}

// signed is digits that also accepts negative numbers: a line that fits long inputs may
// have a negative intercept.
func signed(x float64) string {
	if x < 0 {
		return "-" + digits(-x)
	}
	return digits(x)
}

// fitTable returns a table of the lines of one algorithm.
func fitTable(a catalog.Algorithm, fits []tuneFit) cli.Table {
	rows := cli.Table{Header: []string{"", "driver", "operation", "bytes", "a", "b", "off"}, Right: []int{3, 4, 5, 6}}
	for _, f := range fits {
		if f.Algorithm != a.Name || f.KeyBits != inventory.KeyBits(a, keySize(a)) {
			continue
		}
		for i, s := range f.Segments {
			cells := []string{"", f.Driver, f.Operation, fmt.Sprintf("%d-%d", s.From, s.To), signed(s.A), fmt.Sprintf("%.3g", s.B), fmt.Sprintf("%.1f %%", s.Worst*100)}
			if i > 0 {
				cells[1], cells[2] = "", ""
			}
			if s.From == s.To {
				cells[3] = fmt.Sprint(s.From)
			}
			if s.Samples < 3 {
				cells[6] = "~"
			}
			rows.Add(cells...)
		}
	}
	return rows
}
