// Choice compares the rules that select drivers with the figures in docs/machines, and says which
// rule is missing, wrong or without a figure. It measures nothing.
//
//	go run ./ci/choice
//
// Priorities and rules are in the tables of drivers_<goarch>.go; the field Data of a rule names its
// files. A file with times by driver is compared with the driver that the table would select for
// each operation and size on that machine's CPU. A file with the ratios of a sweep (peers/ratio
// -sweep) says which driver is faster than the selected one, from where to where.
// The list accepted has the differences that stay, with reasons.
// Only machines of this GOARCH are compared, because a program has only its own tables.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/ci/figures/data"
	_ "github.com/cipherlane/cipherlane/internal/catalog" // all tables
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// tolerance is the ratio of times up to which a driver is as fast as another, as in a sweep. The
// spread of both is added.
const tolerance = 1.03

// A difference says that figures and selection disagree.
type difference struct {
	file, operation string
	from, to        int    // bytes
	driver          string // the faster one
	ratio           float64
	text            string
}

// accepted has the differences that stay. One that figures no longer show is an error.
var accepted = []struct{ file, operation, driver, why string }{
	{"zen5", "AES-128-CBC decrypt", "aesni", "since that sweep, vaes-avx2 and vaes-avx512 take the kernel of aesni for 4 and 5 blocks"},
	{"zen5-sweep", "AES-128-CBC decrypt", "aesni", "since that sweep, vaes-avx2 and vaes-avx512 take the kernel of aesni for 4 and 5 blocks"},
	{"zen5-sweep", "SM3 KDF", "bmi2-avx", "since that sweep, four digests are made one after the other on Zen 5"},
	{"zen5-sweep", "AES-128-CBC encrypt, 16 messages", "aesni", "not explained: below 6 blocks both drivers take the same kernel; there is no difference on Sapphire Rapids"},
	{"zen5-sweep", "AES-128-CBC encrypt, 16 messages", "vaes-avx2", "as for aesni"},
	{"zen5-sweep", "ChaCha20-Poly1305 seal, 16 messages", "bmi2-avx512", "a rule for many messages has no sizes, and avx512 takes less time from 65 to 1472 bytes"},
	{"zen5-sweep", "ChaCha20-Poly1305 seal, 16 messages", "avx2", "as for bmi2-avx512"},
	{"zen5-sweep", "ChaCha20-Poly1305 open, 16 messages", "bmi2-avx512", "as for sealing"},
}

func main() {
	list, err := compare("docs/machines")
	for _, text := range list {
		fmt.Println(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "choice:", err)
	}
	if err != nil || list != nil {
		os.Exit(1)
	}
}

// compare returns a line for each difference that is not accepted, each that is accepted and is not
// there, and each rule without a figure.
func compare(dir string) (list []string, err error) {
	files, err := read(dir)
	if err != nil {
		return nil, err
	}
	list = withoutFigures(files)
	found := differences(files)
	used := make([]bool, len(accepted))
	for _, d := range found {
		ok := false
		for i, a := range accepted {
			if a.file == d.file && a.operation == d.operation && a.driver == d.driver {
				used[i], ok = true, true
			}
		}
		if !ok {
			list = append(list, d.text)
		}
	}
	for i, a := range accepted {
		if !used[i] && files[a.file] != nil && files[a.file].Machine.Arch == runtime.GOARCH {
			list = append(list, fmt.Sprintf("%s: %s: %s is not faster any more: delete its line from accepted", a.file, a.operation, a.driver))
		}
	}
	return list, nil
}

func read(dir string) (map[string]*data.File, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no files in %s", dir)
	}
	files := map[string]*data.File{}
	for _, name := range names {
		f, err := data.Read(name)
		if err != nil {
			return nil, err
		}
		files[f.Name] = f
	}
	return files, nil
}

// withoutFigures returns a line for each rule whose Data names no file.
func withoutFigures(files map[string]*data.File) (list []string) {
	for _, t := range drivers.List() {
		for _, r := range t.Rules() {
			names := strings.Fields(r.Data)
			if len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return files[name] == nil }) {
				list = append(list, fmt.Sprintf("%s: the rule for %s (%q) is without a figure: its Data is %q, which is no file of docs/machines",
					t.Package(), t.Drivers()[r.Use].Name, r.Why, r.Data))
			}
		}
	}
	return list
}

// differences returns where another driver is faster than the selected one.
func differences(files map[string]*data.File) (list []difference) {
	features := map[string]drivers.Features{} // by machine
	for _, f := range files {
		for _, name := range f.Machine.Features {
			features[f.Machine.Name] |= cpu.Parse(name)
		}
	}
	names := make([]string, 0, len(files))
	for name, f := range files {
		if f.Machine.Arch == runtime.GOARCH && features[f.Machine.Name] != 0 && !f.Imported {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		f := files[name]
		uarch := uarchOf(f.Machine.Name)
		type point struct {
			operation string
			bytes     int
		}
		var points []point
		times := map[point]map[string]data.Row{}
		for _, r := range f.Rows {
			t := tableOf(r.Operation)
			if t == nil || r.Driver == "" {
				continue
			}
			if r.Points > 0 { // of a sweep
				plan := t.PlanOn(features[f.Machine.Name], uarch)
				if pick := t.Drivers()[rowFor(plan, r)].Name; pick != r.Driver {
					list = append(list, difference{file: name, operation: r.Operation, from: r.From, to: r.To, driver: r.Driver, ratio: r.Value,
						text: fmt.Sprintf("%s: %s: %s is selected at %d bytes; %s is faster at %d points from %d to %d bytes, by up to %.2f: a rule for %v is missing",
							name, r.Operation, pick, r.Bytes, r.Driver, r.Points, r.From, r.To, r.Value, uarch)})
				}
				continue
			}
			p := point{r.Operation, r.Bytes}
			if times[p] == nil {
				times[p] = map[string]data.Row{}
				points = append(points, p)
			}
			times[p][r.Driver] = r
		}
		for _, p := range points {
			t := tableOf(p.operation)
			var fastest data.Row
			for _, r := range times[p] {
				if fastest.Driver == "" || r.Value < fastest.Value {
					fastest = r
				}
			}
			pick := t.Drivers()[rowFor(t.PlanOn(features[f.Machine.Name], uarch), fastest)].Name
			selected, ok := times[p][pick]
			if !ok || selected.Unit != "ns" {
				continue
			}
			if ratio := selected.Value / fastest.Value; ratio > tolerance+selected.Spread+fastest.Spread {
				list = append(list, difference{file: name, operation: p.operation, from: p.bytes, to: p.bytes, driver: fastest.Driver, ratio: ratio,
					text: fmt.Sprintf("%s: %s: %s is selected for %d bytes on %v, and takes %.2f times as long as %s: a rule is missing or wrong",
						name, p.operation, pick, p.bytes, uarch, ratio, fastest.Driver)})
			}
		}
	}
	return list
}

// rowFor returns the driver of a plan for what a row measures.
func rowFor(p drivers.Plan, r data.Row) uint8 {
	switch {
	case strings.HasSuffix(r.Operation, " messages"):
		return p.Many()
	case strings.HasSuffix(r.Operation, "-CBC encrypt"):
		return p.Serial()
	}
	return p.Pick(r.Bytes)
}

// uarchOf returns the microarchitecture with the name that documents use, as in Zen 5.
func uarchOf(machine string) cpu.Uarch {
	name := strings.ToLower(strings.ReplaceAll(machine, " ", ""))
	for u := cpu.Uarch(1); u.String() != "unknown"; u <<= 1 {
		if u.String() == name {
			return u
		}
	}
	return 0
}

// tableOf returns the table of the package that has an operation, or nil.
func tableOf(operation string) *drivers.Table {
	for _, p := range [][2]string{{"AES-", "aes"}, {"SM4-", "sm4"}, {"SM3", "sm3"}, {"SM2", "sm2"}, {"FrodoKEM-", "frodokem"},
		{"ChaCha20-Poly1305", "chacha20poly1305"}, {"ChaCha20", "chacha20"}} {
		if strings.HasPrefix(operation, p[0]) {
			return drivers.Find(p[1])
		}
	}
	return nil
}
