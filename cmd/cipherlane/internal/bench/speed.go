// Package bench has the verbs that measure drivers: speed, with its tables, pages and comparisons,
// and tune, which writes a profile for this machine.
package bench

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/selftest"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/speed"
)

// SpeedCmd is the verb speed.
type SpeedCmd struct {
	Algorithms []string `arg:"" optional:"" name:"alg" help:"Algorithms (sm3, sm4-gcm, aes-256-gcm) or packages (aes); default: ${representative}. With --compare: two files."`
	Size       []int    `placeholder:"BYTES" help:"Bytes per operation, separated by commas; default: ${sizes}."`
	Driver     []string `sep:"none" placeholder:"NAME" help:"Measure only these drivers, separated by commas."`
	Linux      bool     `help:"Also measure the drivers inside Linux, called through AF_ALG: those for crypto engines, and the one that Linux selects. Linux may load modules."`
	Seconds    float64  `default:"20" help:"Total measuring time. A longer time gives more stable medians. Default: ${default}."`
	Compare    bool     `help:"Measure nothing, but compare two files that speed --json has written, of two machines or versions."`
	Format     string   `enum:"table,json,bench,html" default:"table" help:"One of table, json, bench (for benchstat), html (a page with plots)."`
	JSON       bool     `help:"Same as --format json."`
	Output     string   `short:"o" placeholder:"FILE" help:"Write to this file, which appears only when it is complete; default: standard output."`
	Force      bool     `short:"f" help:"Replace an existing output file."`
	Progress   string   `enum:"auto,on,off" default:"auto" help:"Show progress on standard error: auto (on a terminal, after a second), on, off."`

	load float64 // before the measurement
}

// Help returns the description of the verb, with examples.
func (SpeedCmd) Help() string {
	return `Measures time in many short slices. The drivers of an algorithm take turns, so that
other load on the machine affects all of them equally. The slower half of the slices is
left out, and on Linux the time that other programs have the CPU. Results are medians of
the faster half, in MB/s (10^6 bytes per second), or in operations per second for SM2 and
KEMs. What varies by more than 10 % is marked with ~ and gets no ratio; if most of it
does, the machine is too busy and the exit code is 1. Each driver
must first pass a known-answer test; if one fails, nothing is measured and the exit
code is 4. The driver that is selected on this machine is marked with *. An operation
such as hash-x32 processes 32 messages at once, each of the size at the head of the
column; the result is per message.

With --linux, the drivers inside Linux are measured too, each called through AF_ALG.
In the table, "linux-engine:" marks a driver for a crypto engine, which is hardware
separate from the CPU, and "linux-any:" the driver that Linux selects by itself.

Each measurement uses one core, data in memory, and a key that was set up beforehand.
Results are lower and less stable on a laptop running on battery, on a hot machine and
on a shared one.

Examples:

    cipherlane speed
    cipherlane speed aes-256-gcm --size 1420,16384 --seconds 5
    cipherlane speed sm2 frodokem
    cipherlane speed --linux aes-cbc
    cipherlane speed --format bench > new.txt && benchstat old.txt new.txt
    cipherlane speed --format html -o page.html
    cipherlane speed --json -o new.json
    cipherlane speed --compare old.json new.json
    cipherlane speed --compare old.json new.json --format html -o page.html`
}

// representative lists the algorithms that speed and tune measure by default: the most
// widely used ones of each package, and FrodoKEM with both ways to generate its matrix.
var representative = []string{
	"sm3", "sm4-cbc", "sm4-ctr", "sm4-gcm", "aes-cbc", "aes-ctr", "aes-gcm",
	"chacha20", "chacha20-poly1305", "sm2", "frodokem-976-aes", "frodokem-976-shake",
}

const maxSize = 64 << 20

// defaultSizes includes one packet size: 1420 bytes fit a tunnel over Ethernet.
var defaultSizes = []int{16, 64, 256, 1024, 1420, 4096, 8192, 65536}

// Variables returns the variables in the help texts of this package's verbs.
func Variables() kong.Vars {
	return kong.Vars{
		"representative": strings.Join(representative, ", "),
		"sizes":          strings.Trim(strings.Join(strings.Fields(fmt.Sprint(defaultSizes)), ", "), "[]"),
	}
}

type speedResult struct {
	Algorithm string  `json:"algorithm"`
	KeyBits   int     `json:"key_bits,omitempty"`
	Driver    string  `json:"driver"`
	Operation string  `json:"operation"`
	Bytes     int     `json:"bytes"`
	Messages  int     `json:"messages,omitempty"` // processed at once, each of Bytes bytes
	NS        float64 `json:"ns"`
	MBPerS    float64 `json:"mb_per_s"`
	Spread    float64 `json:"spread"`
	Slices    int     `json:"slices"`
	Auto      bool    `json:"auto"`
}

func (r *speedResult) varies() bool { return r.Spread > speed.Acceptable }

// mark returns what marks a result that varies.
func (r *speedResult) mark() string {
	if r.varies() {
		return "~"
	}
	return ""
}

type speedUnavailable struct {
	Algorithm string   `json:"algorithm"`
	Driver    string   `json:"driver"`
	Missing   []string `json:"missing"`
	Why       string   `json:"why,omitempty"` // for drivers inside Linux
}

// Run runs the verb.
func (c *SpeedCmd) Run(p *cli.Program) error {
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	if c.Output == "" {
		return c.run(p)
	}
	if c.Compare {
		for _, file := range c.Algorithms {
			p.Reads(file)
		}
	}
	outs, err := p.Create(c.Force, cli.Target{Path: c.Output, Mode: 0o666})
	if err != nil {
		return err
	}
	defer outs.Discard()
	defer func(w *bufio.Writer, f *os.File) { p.Stdout, p.Out = w, f }(p.Stdout, p.Out)
	p.Stdout, p.Out = bufio.NewWriter(outs.List[0]), outs.List[0].File
	if err := c.run(p); err != nil {
		return err
	}
	if err := p.Stdout.Flush(); err != nil {
		return err
	}
	return outs.Commit()
}

func (c *SpeedCmd) run(p *cli.Program) error {
	if len(c.Driver) > 0 { // kong would drop empty names, and then all drivers would be measured
		c.Driver = strings.Split(strings.Join(c.Driver, ","), ",")
	}
	if c.JSON {
		c.Format = "json"
	}
	if c.Compare {
		return c.compare(p)
	}
	list, results, absent, err := c.measure(p)
	if err != nil {
		return err
	}
	switch c.Format {
	case "json":
		err = p.JSON(c.document(list, results, absent))
	case "html":
		p.Print(speedPage(c.document(list, results, absent)))
		err = p.Flush()
	case "bench":
		speedBench(p, list, results)
	default:
		speedTables(p, list, results, absent, c.sizes())
	}
	return cmp.Or(err, busy(results))
}

// Measure measures algorithms, or those that speed measures by default, with all their drivers.
// The error is not nil, but there is a document, if the machine is too busy.
func Measure(p *cli.Program, algorithms []string, seconds float64, progress string) (*Document, error) {
	c := SpeedCmd{Algorithms: algorithms, Seconds: seconds, Progress: progress}
	list, results, absent, err := c.measure(p)
	if err != nil {
		return nil, err
	}
	return c.document(list, results, absent), busy(results)
}

// sizes returns the numbers of bytes to measure with.
func (c *SpeedCmd) sizes() []int {
	if len(c.Size) == 0 {
		return defaultSizes
	}
	return c.Size
}

// CheckSeconds returns an error if a measurement cannot take so long.
func CheckSeconds(seconds float64) error {
	if !(seconds > 0 && seconds <= 86400) {
		return cli.Usagef("--seconds %v: want more than 0 and at most 86400", seconds)
	}
	return nil
}

// measure returns results for each algorithm, and the drivers that cannot run here.
func (c *SpeedCmd) measure(p *cli.Program) ([]catalog.Algorithm, [][]speed.Result, []speedUnavailable, error) {
	sizes := c.sizes()
	for _, n := range sizes {
		if n < 1 || n > maxSize {
			return nil, nil, nil, cli.Usagef("--size %d: want 1 to %d bytes", n, maxSize)
		}
	}
	if err := CheckSeconds(c.Seconds); err != nil {
		return nil, nil, nil, err
	}
	wanted := c.Algorithms
	if len(wanted) == 0 {
		wanted = representative
	}
	list, err := inventory.Choose(wanted)
	if err == nil {
		list, err = inventory.WithDrivers(list, len(c.Driver) > 0, len(c.Algorithms) > 0, c.Driver...)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	for _, a := range list {
		if n := slices.Max(sizes); a.MaxBytes > 0 && n > a.MaxBytes {
			return nil, nil, nil, cli.Usagef("--size %d: %s takes at most %d bytes", n, inventory.ShellName(a), a.MaxBytes)
		}
	}
	groups, absent, err := c.cases(list, sizes)
	if err != nil {
		return nil, nil, nil, err
	}
	c.load = loadAverage()
	var inLinux linuxDrivers
	defer inLinux.close()
	if c.Linux {
		if err := inLinux.add(list, sizes, groups); err != nil {
			return nil, nil, nil, err
		}
		absent = append(absent, inLinux.absent...)
	}
	bar := p.Progress(c.Progress, "measuring", 1000, false)
	results, err := speed.Measure(context.Background(), groups, measuringTime(c.Seconds), func(part float64) { bar.Set(int64(part * 1000)) })
	bar.Stop()
	if err == nil {
		err = inLinux.close()
	}
	return list, results, absent, err
}

// busy returns an error if most results vary. Measurements that CIPHERLANE_SECONDS has
// shortened are not judged.
func busy(groups [][]speed.Result) error {
	vary, all := 0, 0
	for _, group := range groups {
		for _, r := range group {
			if all++; r.Varies() {
				vary++
			}
		}
	}
	if 2*vary <= all || os.Getenv(secondsVariable) != "" {
		return nil
	}
	return fmt.Errorf("the machine is busy: %d of %d results vary by more than %.0f %%: try again", vary, all, speed.Acceptable*100)
}

// secondsVariable limits the measuring time. Only ci/texts, which runs the commands of the
// documentation, and tests set it.
const secondsVariable = "CIPHERLANE_SECONDS"

// loadAverage returns how many programs were running or waiting for a CPU in the last minute, on
// average, or 0 where that is not known.
func loadAverage() (load float64) {
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		minute, _, _ := strings.Cut(string(text), " ")
		load, _ = strconv.ParseFloat(minute, 64)
	}
	return load
}

// measuringTime returns the duration given by --seconds, or that of CIPHERLANE_SECONDS
// if it is shorter.
func measuringTime(seconds float64) time.Duration {
	if limit, err := strconv.ParseFloat(os.Getenv(secondsVariable), 64); err == nil && limit > 0 {
		seconds = min(seconds, limit)
	}
	return time.Duration(seconds * float64(time.Second))
}

// cases returns what to measure, one group per algorithm, after checking that each
// driver computes the known answer.
func (c *SpeedCmd) cases(list []catalog.Algorithm, sizes []int) ([][]speed.Case, []speedUnavailable, error) {
	groups := make([][]speed.Case, len(list))
	absent := []speedUnavailable{}
	src := make([]byte, slices.Max(sizes)+16)
	dst := make([]byte, len(src)+16)
	for i, a := range list {
		for row, d := range a.Table().Drivers() {
			if len(c.Driver) > 0 && !slices.Contains(c.Driver, d.Name) {
				continue
			}
			if !d.Available() {
				absent = append(absent, speedUnavailable{Algorithm: a.Name, Driver: d.Name, Missing: inventory.FeatureNames(d.Missing)})
				continue
			}
			if err := selftest.CheckAnswer(a, d.Name); err != nil {
				return nil, nil, cli.AsSelftest(fmt.Errorf("%s: driver %s: %w: nothing was measured", a.Name, d.Name, err))
			}
			cases, err := operations(a, d.Name, sizes, src, dst)
			if err != nil {
				return nil, nil, err
			}
			for k := range cases {
				cases[k].Auto = int(a.Table().Auto().Pick(cases[k].Bytes)) == row
			}
			groups[i] = append(groups[i], cases...)
		}
	}
	return groups, absent, nil
}

// operations returns the operations of an algorithm to measure. All of them use the
// same memory, so that no driver has an advantage from its placement.
func operations(a catalog.Algorithm, driver string, sizes []int, src, dst []byte) ([]speed.Case, error) {
	if a.KEM != nil {
		return operationsKEM(a, driver)
	}
	if a.Signer != nil {
		return operationsSigner(a, driver)
	}
	var cases []speed.Case
	done := map[int]bool{}
	for _, n := range sizes {
		n = inventory.Fit(a, n)
		if inventory.WholeBlocks(a) {
			n = max(n, inventory.BlockSize)
		}
		if done[n] {
			continue
		}
		done[n] = true
		list, err := operationsOf(a, driver, src[:n], dst[:n:n+16])
		if err != nil {
			return nil, err
		}
		cases = append(cases, list...)
	}
	return cases, nil
}

// keySize returns the first of the requested key sizes, or 0 without keys.
func keySize(a catalog.Algorithm) int {
	if len(a.KeySizes) == 0 {
		return 0
	}
	return a.KeySizes[0]
}

func direction(encrypt bool) string {
	if encrypt {
		return "encrypt"
	}
	return "decrypt"
}

func operationsOf(a catalog.Algorithm, driver string, src, dst []byte) ([]speed.Case, error) {
	var cases []speed.Case
	add := func(operation string, run func(n int)) {
		cases = append(cases, speed.Case{Algorithm: a.Name, Driver: driver, Operation: operation, Bytes: len(src), Run: run})
	}
	key, iv := inventory.Random(keySize(a)), inventory.Random(a.IVSize)
	switch {
	case a.Hash != nil:
		newHash, err := a.Hash(driver)
		if err != nil {
			return nil, err
		}
		h := newHash()
		sum := make([]byte, 0, h.Size())
		add("hash", func(n int) {
			for range n {
				h.Reset()
				h.Write(src)
				h.Sum(sum)
			}
		})
	case a.ECB != nil:
		c, err := a.ECB(driver, key)
		if err != nil {
			return nil, err
		}
		add("encrypt", func(n int) {
			for range n {
				c.EncryptBlocks(dst, src)
			}
		})
		add("decrypt", func(n int) {
			for range n {
				c.DecryptBlocks(dst, src)
			}
		})
	case a.BlockMode != nil:
		for _, encrypt := range []bool{true, false} {
			m, err := a.BlockMode(driver, key, iv, encrypt)
			if err != nil {
				return nil, err
			}
			add(direction(encrypt), func(n int) {
				for range n {
					m.CryptBlocks(dst, src)
				}
			})
		}
	case a.Stream != nil:
		clear(iv[:4]) // ChaCha20's counter, which must not overflow
		for _, encrypt := range []bool{true, false} {
			if _, err := a.Stream(driver, key, iv, encrypt); err != nil {
				return nil, err
			}
			if !encrypt && !strings.HasPrefix(a.Name, "cfb(") {
				break // other stream modes are the same in both directions
			}
			add(direction(encrypt), func(n int) {
				s, err := a.Stream(driver, key, iv, encrypt) // once a slice: ChaCha20's ends after 256 GiB
				if err != nil {
					panic(err) // it worked before
				}
				for range n {
					s.XORKeyStream(dst, src)
				}
			})
		}
	case a.Whole != nil:
		for _, encrypt := range []bool{true, false} {
			f, err := a.Whole(driver, key, iv, encrypt)
			if err != nil {
				return nil, err
			}
			add(direction(encrypt), func(n int) {
				for range n {
					f(dst, src)
				}
			})
		}
	case a.MAC != nil:
		h, err := a.MAC(driver, key)
		if err != nil {
			return nil, err
		}
		sum := make([]byte, 0, h.Size())
		add("authenticate", func(n int) {
			for range n {
				h.Reset()
				h.Write(src)
				h.Sum(sum)
			}
		})
	case a.Wrap != nil:
		w, err := a.Wrap(driver, key)
		if err != nil {
			return nil, err
		}
		if _, err := w.WrapKey(nil, src); err != nil {
			return nil, err
		}
		add("wrap", func(n int) {
			for range n {
				w.WrapKey(dst[:0], src)
			}
		})
	case a.AEAD != nil:
		c, err := a.AEAD(driver, key)
		if err != nil {
			return nil, err
		}
		sealed := c.Seal(nil, iv, src, nil)
		add("seal", func(n int) {
			for range n {
				c.Seal(dst[:0], iv, src, nil)
			}
		})
		add("open", func(n int) {
			for range n {
				if _, err := c.Open(dst[:0], iv, sealed, nil); err != nil {
					panic(err) // it passed the known answer
				}
			}
		})
	default:
		panic("catalog entry " + a.Name + " has no constructor")
	}
	for _, o := range a.Others {
		f, err := o.New(driver, len(src))
		if err != nil {
			return nil, err
		}
		add(o.Name, func(n int) {
			for range n {
				f()
			}
		})
		cases[len(cases)-1].Messages = o.Messages
	}
	return cases, nil
}

// NewDocument returns a document without results.
func NewDocument(seconds float64) *Document {
	version, revision := inventory.Versions()
	return &Document{Schema: 1, Version: version + ", revision " + revision, Date: time.Now().UTC().Format(time.DateOnly),
		Seconds: measuringTime(seconds).Seconds(), Cipherlane: os.Getenv("CIPHERLANE"), Machine: inventory.ThisMachine(), Results: []speedResult{}}
}

func (c *SpeedCmd) document(list []catalog.Algorithm, groups [][]speed.Result, absent []speedUnavailable) *Document {
	doc := NewDocument(c.Seconds)
	doc.Load, doc.Unavailable = c.load, absent
	for i, group := range groups {
		bits := inventory.KeyBits(list[i], keySize(list[i]))
		for _, r := range group {
			doc.Results = append(doc.Results, speedResult{
				r.Algorithm, bits, r.Driver, r.Operation, r.Bytes, r.Messages, r.NS(), r.MBPerS(), r.Spread(), len(r.Slices), r.Auto})
		}
	}
	return doc
}

// benchSamples is the number of lines per case: enough for benchstat to tell a
// difference from noise.
const benchSamples = 10

// speedBench prints the format of Go's benchmarks (golang.org/design/14313).
func speedBench(p *cli.Program, list []catalog.Algorithm, groups [][]speed.Result) {
	m := inventory.ThisMachine()
	fmt.Fprintf(p.Stdout, "goos: %s\ngoarch: %s\ncpu: %s\n", m.OS, m.Arch, m.CPU)
	for i, group := range groups {
		key := ""
		if bits := inventory.KeyBits(list[i], keySize(list[i])); bits > 0 {
			key = fmt.Sprintf("/key=%d", bits)
		}
		for _, r := range group {
			for _, ns := range r.Samples(benchSamples) {
				fmt.Fprintf(p.Stdout, "BenchmarkSpeed/alg=%s%s/op=%s/bytes=%d/driver=%s 1 %.5g ns/op %.2f MB/s\n",
					r.Algorithm, key, r.Operation, r.Bytes, r.Driver, ns, float64(r.Bytes)*1e3/ns)
			}
		}
	}
}

func speedTables(p *cli.Program, list []catalog.Algorithm, groups [][]speed.Result, absent []speedUnavailable, sizes []int) {
	unit := "MB/s (10^6 bytes per second); "
	if !slices.ContainsFunc(list, func(a catalog.Algorithm) bool { return !a.PublicKey() }) {
		unit = ""
	}
	p.Say("%s\n%s* is selected on this machine, ~ varies by more than 10 %%\n", inventory.ThisMachine(), unit)
	for i, a := range list {
		p.Say("\n")
		about := a.Standard
		if len(a.KeySizes) > 0 {
			about = fmt.Sprintf("%s; keys of %d bits", about, inventory.KeyBits(a, keySize(a)))
		}
		p.Title(a.Name, about)
		switch {
		case a.KEM != nil:
			speedTableOperations(p, groups[i], true)
			p.Say("KB/s: 1000 bytes per second of public keys generated, or of ciphertexts made or read; keys are parsed beforehand\n")
		case a.Signer != nil:
			speedTableOperations(p, groups[i], false)
			p.Say("messages of 32 bytes, random nonces; digests and parsed keys are prepared beforehand; sign-many, verify-many: 16 at once\n")
		default:
			speedTable(p, a, groups[i])
		}
		if inventory.WholeBlocks(a) && slices.ContainsFunc(sizes, func(n int) bool { return n%inventory.BlockSize != 0 }) {
			p.Say("sizes are rounded to whole blocks of %d bytes\n", inventory.BlockSize)
		}
		for _, u := range absent {
			if u.Algorithm == a.Name && u.Why != "" {
				p.Say("not in Linux: %s: %s\n", u.Driver, u.Why)
			} else if u.Algorithm == a.Name {
				p.Say("not on this machine: %s (lacks %s)\n", u.Driver, strings.Join(u.Missing, " "))
			}
		}
	}
}

func speedTable(p *cli.Program, a catalog.Algorithm, results []speed.Result) {
	if len(results) == 0 {
		return
	}
	t := speed.Tabulate(results)
	rows := cli.Table{Header: []string{"", "driver", "operation"}, Tight: true}
	for _, n := range t.Sizes {
		rows.Header = append(rows.Header, fmt.Sprint(n))
	}
	rows.Header = append(rows.Header, "×generic")
	for i := 3; i < len(rows.Header); i++ {
		rows.Right = append(rows.Right, i)
	}
	for _, r := range t.Rows {
		row := []string{"", r.Driver, r.Operation}
		for _, c := range r.Results {
			if c.Auto {
				row[0] = "*"
			}
			row = append(row, digits(c.MBPerS())+mark(c))
		}
		row = append(row, timesGeneric(t, r))
		rows.Add(row...)
	}
	p.Table(rows)
	usual, worst := t.Spread()
	p.Say("noise: ±%.1f %%, at worst ±%.1f %%\n", usual*100, worst*100)
	if plan := a.Table().Auto(); plan.BulkMin() > 0 && plan.Short() != plan.Bulk() {
		rows := a.Table().Drivers()
		from := ""
		if n := plan.ShortMin(); n > 0 {
			from = fmt.Sprintf("from %d and ", n)
		}
		p.Say("selected: %s %sbelow %d bytes, %s otherwise\n", rows[plan.Short()].Name, from, plan.BulkMin(), rows[plan.Bulk()].Name)
	}
}

// mark returns what marks a result that varies.
func mark(r speed.Result) string {
	if len(r.Slices) > 0 && r.Varies() {
		return "~"
	}
	return ""
}

// timesGeneric returns the text of a row's ratio.
func timesGeneric(t speed.Table, r speed.Row) string {
	switch ratio, ok := t.Ratio(r, "generic"); {
	case !ok:
		return ""
	case math.IsNaN(ratio):
		return "~"
	default:
		return fmt.Sprintf("×%.1f", ratio)
	}
}

// digits formats a speed with three significant digits, or as a whole number if
// it has more.
func digits(x float64) string {
	switch {
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	case x < 100:
		return fmt.Sprintf("%.1f", x)
	default:
		return fmt.Sprintf("%.0f", x)
	}
}
