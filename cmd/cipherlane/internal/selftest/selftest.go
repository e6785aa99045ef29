// Package selftest has the verb selftest: it runs the drivers of all algorithms on known answers,
// and compares each with the portable one on random inputs.
package selftest

import (
	"fmt"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// Cmd is the verb selftest.
type Cmd struct {
	Algorithms []string `arg:"" optional:"" name:"alg" help:"Algorithms (sm3, aes-gcm) or packages (sm4); default: all."`
	Driver     string   `placeholder:"NAME" help:"Test only this driver."`
	Verbose    bool     `short:"v" help:"Print a line for every driver of every algorithm."`
	JSON       bool     `help:"Print JSON."`
	Progress   string   `enum:"auto,on,off" default:"auto" help:"Show progress on standard error: auto (on a terminal, after a second), on, off."`
}

// Help returns the description of the verb, with examples.
func (Cmd) Help() string {
	return `Tests every driver that this machine can run with a known answer from the standard, and
compares it with the portable driver on random keys and on random inputs of several
hundred lengths. Ciphertexts must decrypt to the plaintext, and authenticated messages
with a changed bit must be rejected. Packages that can process several messages at once
are tested with that, too. SM2 and KEMs are tested with random keys: what one driver
signs, encrypts or encapsulates, the other must verify, decrypt or decapsulate. Without
arguments it also tests Go's fused multiplication and addition (x*y+z), whose signs
toolchains and emulators for riscv64 have confused.

Prints the failures and a summary; with -v, all results. The exit code is 4 if a test
fails.

Example:

    cipherlane selftest && echo this machine computes correctly`
}

// A Result is what the tests of a driver of an algorithm found.
type Result struct {
	Algorithm string   `json:"algorithm"`
	Driver    string   `json:"driver"`
	Status    string   `json:"status"` // ok, failed or unavailable
	Checks    int      `json:"checks"`
	Error     string   `json:"error,omitempty"`
	Missing   []string `json:"missing,omitempty"`
}

// Run runs the verb.
func (c *Cmd) Run(p *cli.Program) error {
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	list, err := inventory.Choose(c.Algorithms)
	if err == nil {
		list, err = inventory.WithDrivers(list, c.Driver != "", len(c.Algorithms) > 0, c.Driver)
	}
	if err != nil {
		return err
	}
	results := c.test(p, list)
	return c.report(p, results)
}

// Failures tests all drivers of algorithms, or of all algorithms, and returns what the tests found of
// those that failed. Then the error is not nil.
func Failures(p *cli.Program, algorithms []string, progress string) (failed []Result, sum Summary, err error) {
	list, err := inventory.Choose(algorithms)
	if err != nil {
		return nil, Summary{}, err
	}
	results := (&Cmd{Algorithms: algorithms, Progress: progress}).test(p, list)
	for _, r := range results {
		if r.Status == "failed" {
			failed = append(failed, r)
		}
	}
	sum = summarize(results)
	return failed, sum, verdict(sum, results)
}

// test returns a result for each driver of the algorithms.
func (c *Cmd) test(p *cli.Program, list []catalog.Algorithm) (results []Result) {
	bar := p.Progress(c.Progress, "checking", int64(len(list)), false)
	defer bar.Stop()
	for _, a := range list {
		for _, d := range a.Table().Drivers() {
			if c.Driver == "" || d.Name == c.Driver {
				results = append(results, selftest(a, d))
			}
		}
		bar.Add(1)
	}
	if len(c.Algorithms) == 0 && c.Driver == "" {
		results = append(results, selftestFMA())
	}
	return results
}

// selftestFMA is for a mistake of toolchains and emulators that has been seen on riscv64.
func selftestFMA() Result {
	r := Result{Algorithm: "x*y+z", Driver: "go", Status: "ok", Checks: 1}
	if err := checkFMA(compiledFMA, 1000); err != nil {
		r.Status, r.Error = "failed", err.Error()
	}
	return r
}

func selftest(a catalog.Algorithm, d drivers.Info) Result {
	r := Result{Algorithm: a.Name, Driver: d.Name, Status: "ok"}
	if !d.Available() {
		r.Status, r.Missing = "unavailable", inventory.FeatureNames(d.Missing)
		return r
	}
	err := CheckAnswer(a, d.Name)
	r.Checks++
	for _, n := range selftestSizes(a) {
		if err != nil {
			break
		}
		err = crossCheck(a, d.Name, n)
		r.Checks++
	}
	for _, n := range selftestMany(a, d.Name) {
		if err != nil {
			break
		}
		err = crossCheckMany(a, d.Name, n)
		r.Checks++
	}
	if err != nil {
		r.Status, r.Error = "failed", err.Error()
	}
	return r
}

// selftestSizes returns the sizes for which kernels may behave differently: all possible
// tails of the widest kernel, and several passes of it.
func selftestSizes(a catalog.Algorithm) []int {
	switch {
	case a.KEM != nil:
		return make([]int, 1) // one key
	case a.Signer != nil:
		return make([]int, 16)
	}
	var sizes []int
	for n := range 320 {
		sizes = append(sizes, n)
	}
	for _, n := range []int{512, 1024, 1420, 2048, 4096, 8192, 16384, 65536} {
		sizes = append(sizes, n-17, n-1, n, n+1, n+15)
	}
	return sizes
}

// selftestMany returns numbers of messages, or of KEM ciphertexts, to process at once.
// Kernels process up to 64 messages, or eight KEM ciphertexts.
func selftestMany(a catalog.Algorithm, driver string) []int {
	switch {
	case a.KEM != nil && driver == "generic": // it is slow, and has no such kernels
		return nil
	case a.KEM != nil:
		return []int{2, 5, 8}
	case a.Many == nil:
		return nil
	}
	return []int{1, 2, 3, 8, 9, 16, 17, 33, 64, 65}
}

// crossCheck compares a driver with the portable one on a random message of n bytes, or
// of a nearby length that the mode supports. The key size depends on n, so that all are
// used.
func crossCheck(a catalog.Algorithm, driver string, n int) error {
	key := inventory.Random(0)
	if len(a.KeySizes) > 0 {
		key = inventory.Random(a.KeySizes[n%len(a.KeySizes)])
	}
	n = inventory.Fit(a, n)
	switch {
	case a.KEM != nil:
		return crossCheckKEM(a, driver)
	case a.Signer != nil:
		return crossCheckSigner(a, driver)
	}
	in := Input{key, inventory.Random(a.IVSize), nil, inventory.Random(n)}
	if a.AEAD != nil {
		in.Data = inventory.Random(n % 67)
	}
	want, err := Apply(a, "generic", in)
	if err == nil {
		err = checkOutput(a, driver, in, want)
	}
	if err != nil {
		return fmt.Errorf("%d bytes: %w", n, err)
	}
	return nil
}

// crossCheckMany processes n random messages at once with a driver, and compares the
// results with those of the portable driver for single messages. If n is odd, several
// keys are used.
func crossCheckMany(a catalog.Algorithm, driver string, n int) error {
	if a.KEM != nil {
		return checkManyKEM(a, driver, n)
	}
	keySize := 0
	if len(a.KeySizes) > 0 {
		keySize = a.KeySizes[n%len(a.KeySizes)]
	}
	keys := [3][]byte{inventory.Random(keySize), inventory.Random(keySize), inventory.Random(keySize)}
	messages, same := make([]catalog.Message, n), randomLength()
	for i := range messages {
		m := &messages[i]
		m.Key, m.IV = keys[n%2*i*len(keys)/n], inventory.Random(a.IVSize)
		length := same
		if i%4 > 0 {
			length = randomLength()
		}
		if inventory.WholeBlocks(a) { // round up, because kernels skip empty messages
			length += inventory.BlockSize - 1
		}
		m.Text = inventory.Random(inventory.Fit(a, length))
		if a.AEAD != nil {
			m.Data = inventory.Random(length % 67)
		}
	}
	return checkMany(a, driver, messages)
}

// randomLength returns a length up to 3097 bytes. Short lengths are more frequent, but 0
// is rare.
func randomLength() int {
	b := int(inventory.Random(1)[0])
	return (b*b + 20) / 21
}

// A Summary is the summary at the end of the report.
type Summary struct {
	Passed      int `json:"passed"` // checks
	Failed      int `json:"failed"`
	Unavailable int `json:"unavailable"` // drivers, counted once per package
}

func (s Summary) String() string {
	text := fmt.Sprintf("%s passed, %d failed", count(s.Passed, "check"), s.Failed)
	if s.Unavailable > 0 {
		text += fmt.Sprintf(", %s not available here", count(s.Unavailable, "driver"))
	}
	return text
}

// count formats a number of things.
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// summarize counts results.
func summarize(results []Result) (sum Summary) {
	missing := map[string]bool{}
	for _, r := range results {
		switch r.Status {
		case "ok":
			sum.Passed += r.Checks
		case "failed":
			sum.Passed += r.Checks - 1
			sum.Failed++
		default:
			a, _ := catalog.Find(r.Algorithm)
			missing[a.Package+":"+r.Driver] = true
		}
	}
	sum.Unavailable = len(missing)
	return sum
}

func (c *Cmd) report(p *cli.Program, results []Result) error {
	sum := summarize(results)
	rows := cli.Table{Header: []string{"", "algorithm", "driver", "result"}}
	for _, r := range results {
		switch {
		case r.Status == "failed":
			rows.Add("!", r.Algorithm, r.Driver, "FAILED: "+r.Error)
		case !c.Verbose:
		case r.Status == "ok":
			rows.Add("", r.Algorithm, r.Driver, "ok, "+count(r.Checks, "check"))
		default:
			rows.Add("", r.Algorithm, r.Driver, "not on this machine: lacks "+strings.Join(r.Missing, " "))
		}
	}
	if c.JSON {
		err := p.JSON(struct {
			Schema  int               `json:"schema"`
			Machine inventory.Machine `json:"machine"`
			Results []Result          `json:"results"`
			Summary Summary           `json:"summary"`
		}{1, inventory.ThisMachine(), results, sum})
		if err != nil {
			return err
		}
	} else {
		if len(rows.Rows) > 0 {
			p.Table(rows)
		}
		p.Say("%v\n", sum)
	}
	return verdict(sum, results)
}

// verdict returns an error if a test failed.
func verdict(sum Summary, results []Result) error {
	if sum.Failed == 0 {
		return nil
	}
	return cli.AsSelftest(fmt.Errorf("selftest: %d of %d drivers give wrong results: do not use them", sum.Failed, len(results)))
}
