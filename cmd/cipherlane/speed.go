package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/speed"
)

type speedCmd struct {
	Algorithms []string `arg:"" optional:"" name:"alg" help:"Algorithms (sm3, sm4-gcm, aes-256-gcm) or packages (aes); default: ${representative}."`
	Size       []int    `placeholder:"BYTES" help:"Bytes per operation, separated by commas; default: ${sizes}."`
	Driver     []string `sep:"none" placeholder:"NAME" help:"Measure only these drivers, separated by commas."`
	Linux      bool     `help:"Also measure Linux's own drivers (AF_ALG): those of engines, and what Linux takes by itself. Linux may load modules for it."`
	Seconds    float64  `default:"20" help:"How long to measure, shared by all of the work. More time, more slices, steadier medians; the method stays the same. Default: ${default}."`
	Format     string   `enum:"table,json,bench" default:"table" help:"One of table, json, bench (for benchstat)."`
	JSON       bool     `help:"The same as --format json."`
	Progress   string   `enum:"auto,on,off" default:"auto" help:"Show progress on standard error: auto (on a terminal, after a second), on, off."`
}

func (speedCmd) Help() string {
	return `Measures wall clock time in many short slices, the drivers of one algorithm taking
turns so that whatever else the machine does hits all alike. The result is the
median in MB/s (10^6 bytes per second); for SM2 and KEMs, in operations per second. Every driver has to give the known answer
of its algorithm first; the exit code is 4 if one does not. The driver that is
selected without any choice of yours is marked with *. An operation such as hash-x32
works on 32 messages at once, each of the size on top; its time is that of one.

With --linux, rows linux-engine: are Linux's drivers of engines beside the CPU and
rows linux-any: those that Linux takes by itself, each called through AF_ALG.

One core, data in memory, key set up before. Figures of a laptop on battery, of a
hot machine or of a shared one are lower and less steady.

Examples:

    cipherlane speed
    cipherlane speed aes-256-gcm --size 1420,16384 --seconds 5
    cipherlane speed sm2 frodokem
    cipherlane speed --linux aes-cbc
    cipherlane speed --format bench > new.txt && benchstat old.txt new.txt`
}

// representative is what speed measures and tune decides by if nothing is named: of each
// package what most programs use, and of FrodoKEM both ways to make its matrix.
var representative = []string{
	"sm3", "sm4-cbc", "sm4-ctr", "sm4-gcm", "aes-cbc", "aes-ctr", "aes-gcm",
	"chacha20", "chacha20-poly1305", "sm2", "frodokem-976-aes", "frodokem-976-shake",
}

const maxSize = 64 << 20

// defaultSizes has one size from packets: 1420 bytes fit a tunnel over Ethernet.
var defaultSizes = []int{16, 64, 256, 1024, 1420, 4096, 8192, 65536}

type speedResult struct {
	Algorithm string  `json:"algorithm"`
	KeyBits   int     `json:"key_bits,omitempty"`
	Driver    string  `json:"driver"`
	Operation string  `json:"operation"`
	Bytes     int     `json:"bytes"`
	Messages  int     `json:"messages,omitempty"` // at once, each of these bytes
	NS        float64 `json:"ns"`
	MBPerS    float64 `json:"mb_per_s"`
	Spread    float64 `json:"spread"`
	Slices    int     `json:"slices"`
	Auto      bool    `json:"auto"`
}

type speedUnavailable struct {
	Algorithm string   `json:"algorithm"`
	Driver    string   `json:"driver"`
	Missing   []string `json:"missing"`
	Why       string   `json:"why,omitempty"` // of Linux's own drivers
}

func (c *speedCmd) Run(p *program) error {
	if err := refuseFIPS(); err != nil {
		return err
	}
	if len(c.Driver) > 0 { // kong would drop empty names, and then measure all
		c.Driver = strings.Split(strings.Join(c.Driver, ","), ",")
	}
	if c.JSON {
		c.Format = "json"
	}
	sizes := c.Size
	if len(sizes) == 0 {
		sizes = defaultSizes
	}
	for _, n := range sizes {
		if n < 1 || n > maxSize {
			return usagef("--size %d: want 1 to %d bytes", n, maxSize)
		}
	}
	if !(c.Seconds > 0 && c.Seconds <= 86400) {
		return usagef("--seconds %v: want more than 0 and at most 86400", c.Seconds)
	}
	wanted := c.Algorithms
	if len(wanted) == 0 {
		wanted = representative
	}
	list, err := choose(wanted)
	if err == nil {
		list, err = withDrivers(list, len(c.Driver) > 0, len(c.Algorithms) > 0, c.Driver...)
	}
	if err != nil {
		return err
	}
	for _, a := range list {
		if n := slices.Max(sizes); a.MaxBytes > 0 && n > a.MaxBytes {
			return usagef("--size %d: %s takes at most %d bytes", n, shellName(a), a.MaxBytes)
		}
	}
	groups, absent, err := c.cases(list, sizes)
	if err != nil {
		return err
	}
	var inLinux linuxDrivers
	defer inLinux.close()
	if c.Linux {
		if err := inLinux.add(list, sizes, groups); err != nil {
			return err
		}
		absent = append(absent, inLinux.absent...)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	bar := p.progress(c.Progress, "measuring", 1000, false)
	results, err := speed.Measure(ctx, groups, measuringTime(c.Seconds), func(part float64) { bar.set(int64(part * 1000)) })
	bar.stop()
	if err != nil {
		return fmt.Errorf("speed: interrupted")
	}
	if err := inLinux.close(); err != nil {
		return err
	}
	switch c.Format {
	case "json":
		return speedJSON(p, list, results, absent)
	case "bench":
		speedBench(p, list, results)
	default:
		speedTables(p, list, results, absent, sizes)
	}
	return nil
}

// measuringTime is what --seconds says, or less if CIPHERLANE_SECONDS does, with which
// ci/texts runs the commands of the documentation. Nothing else is to set it.
func measuringTime(seconds float64) time.Duration {
	if less, err := strconv.ParseFloat(os.Getenv("CIPHERLANE_SECONDS"), 64); err == nil && less > 0 {
		seconds = min(seconds, less)
	}
	return time.Duration(seconds * float64(time.Second))
}

// cases returns what to measure, one group for every algorithm, after checking
// that it computes correctly.
func (c *speedCmd) cases(list []catalog.Algorithm, sizes []int) ([][]speed.Case, []speedUnavailable, error) {
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
				absent = append(absent, speedUnavailable{Algorithm: a.Name, Driver: d.Name, Missing: names(d.Missing)})
				continue
			}
			if err := checkAnswer(a, d.Name); err != nil {
				return nil, nil, selftestError{fmt.Errorf("%s: driver %s: %w: nothing was measured", a.Name, d.Name, err)}
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

// withDrivers returns those algorithms that have one of the named drivers. It
// fails if a driver cannot run here, if no algorithm has it, or, where the
// algorithms were named too, if one of them has not.
func withDrivers(list []catalog.Algorithm, limited, strict bool, drivers ...string) ([]catalog.Algorithm, error) {
	if !limited {
		return list, nil
	}
	var with []catalog.Algorithm
	for _, name := range drivers {
		found := false
		var unknown error
		for _, a := range list {
			_, err := a.Table().On(name)
			switch {
			case err == nil:
				found = true
				if !slices.ContainsFunc(with, func(o catalog.Algorithm) bool { return o.Name == a.Name }) {
					with = append(with, a)
				}
			case strict || !errors.Is(err, driver.ErrUnknown):
				return nil, err
			default:
				unknown = err
			}
		}
		switch tables, _ := packages(list); {
		case !found && len(tables) > 1: // the error names only the last one
			return nil, usagef("%w: %q in any package; \"cipherlane list\" shows them", driver.ErrUnknown, name)
		case !found:
			return nil, unknown
		}
	}
	return with, nil
}

// operations returns what there is to time of an algorithm. All of it works on
// the same memory, so that no driver has the better place.
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
		n = fit(a, n)
		if wholeBlocks(a) {
			n = max(n, blockSize)
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

// keySize is the first of the sizes that were asked for.
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
	key, iv := random(keySize(a)), random(a.IVSize)
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
		for _, encrypt := range []bool{true, false} {
			s, err := a.Stream(driver, key, iv, encrypt)
			if err != nil {
				return nil, err
			}
			if !encrypt && !strings.HasPrefix(a.Name, "cfb(") {
				break // the others are the same in both directions
			}
			add(direction(encrypt), func(n int) {
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

func speedJSON(p *program, list []catalog.Algorithm, groups [][]speed.Result, absent []speedUnavailable) error {
	doc := struct {
		Schema      int                `json:"schema"`
		Machine     machine            `json:"machine"`
		Results     []speedResult      `json:"results"`
		Unavailable []speedUnavailable `json:"unavailable"`
	}{1, thisMachine(), []speedResult{}, absent}
	for i, group := range groups {
		bits := keyBits(list[i], keySize(list[i]))
		for _, r := range group {
			doc.Results = append(doc.Results, speedResult{
				r.Algorithm, bits, r.Driver, r.Operation, r.Bytes, r.Messages, r.NS(), r.MBPerS(), r.Spread(), len(r.Slices), r.Auto})
		}
	}
	return p.json(doc)
}

// benchSamples is how many lines there are for every case: enough for
// benchstat to tell a difference from noise.
const benchSamples = 10

// speedBench prints the format of Go's benchmarks (golang.org/design/14313).
func speedBench(p *program, list []catalog.Algorithm, groups [][]speed.Result) {
	m := thisMachine()
	fmt.Fprintf(p.stdout, "goos: %s\ngoarch: %s\ncpu: %s\n", m.OS, m.Arch, m.CPU)
	for i, group := range groups {
		key := ""
		if bits := keyBits(list[i], keySize(list[i])); bits > 0 {
			key = fmt.Sprintf("/key=%d", bits)
		}
		for _, r := range group {
			for _, ns := range r.Samples(benchSamples) {
				fmt.Fprintf(p.stdout, "BenchmarkSpeed/alg=%s%s/op=%s/bytes=%d/driver=%s 1 %.5g ns/op %.2f MB/s\n",
					r.Algorithm, key, r.Operation, r.Bytes, r.Driver, ns, float64(r.Bytes)*1e3/ns)
			}
		}
	}
}

func speedTables(p *program, list []catalog.Algorithm, groups [][]speed.Result, absent []speedUnavailable, sizes []int) {
	unit := "MB/s (10^6 bytes per second), median"
	if !slices.ContainsFunc(list, func(a catalog.Algorithm) bool { return !a.PublicKey() }) {
		unit = "median"
	}
	p.say("%s\n%s; * is selected on this machine\n", thisMachine(), unit)
	for i, a := range list {
		p.say("\n")
		about := a.Standard
		if len(a.KeySizes) > 0 {
			about = fmt.Sprintf("%s; keys of %d bits", about, keyBits(a, keySize(a)))
		}
		p.title(a.Name, about)
		switch {
		case a.KEM != nil:
			speedTableOperations(p, groups[i], true)
			p.say("KB/s: 1000 bytes of public keys generated, of ciphertexts made or read; keys are parsed before\n")
		case a.Signer != nil:
			speedTableOperations(p, groups[i], false)
			p.say("messages of 32 bytes, digests to sign made before, random nonces; keys are parsed before; many: 16 at once\n")
		default:
			speedTable(p, a, groups[i])
		}
		if wholeBlocks(a) && slices.ContainsFunc(sizes, func(n int) bool { return n%blockSize != 0 }) {
			p.say("sizes are rounded to whole blocks of %d bytes\n", blockSize)
		}
		for _, u := range absent {
			if u.Algorithm == a.Name && u.Why != "" {
				p.say("not in Linux: %s: %s\n", u.Driver, u.Why)
			} else if u.Algorithm == a.Name {
				p.say("not on this machine: %s (lacks %s)\n", u.Driver, strings.Join(u.Missing, " "))
			}
		}
	}
}

func speedTable(p *program, a catalog.Algorithm, results []speed.Result) {
	if len(results) == 0 {
		return
	}
	t := speed.Tabulate(results)
	rows := table{header: []string{"", "driver", "operation"}, tight: true}
	for _, n := range t.Sizes {
		rows.header = append(rows.header, fmt.Sprint(n))
	}
	rows.header = append(rows.header, "×generic")
	for i := 3; i < len(rows.header); i++ {
		rows.right = append(rows.right, i)
	}
	for _, r := range t.Rows {
		row := []string{"", r.Driver, r.Operation}
		for _, c := range r.Results {
			if c.Auto {
				row[0] = "*"
			}
			row = append(row, digits(c.MBPerS()))
		}
		if ratio, ok := t.Ratio(r, "generic"); ok {
			row = append(row, fmt.Sprintf("×%.1f", ratio))
		} else {
			row = append(row, "")
		}
		rows.add(row...)
	}
	p.table(rows)
	usual, worst := t.Spread()
	p.say("half of the slices are within ±%.1f %% of the median, in the worst case ±%.1f %%\n", usual*100, worst*100)
	if plan := a.Table().Auto(); plan.BulkMin > 0 && plan.Short != plan.Bulk {
		drivers := a.Table().Drivers()
		p.say("selected: %s below %d bytes, %s from there\n", drivers[plan.Short].Name, plan.BulkMin, drivers[plan.Bulk].Name)
	}
}

// digits prints a speed with three significant digits, as a whole number if
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
