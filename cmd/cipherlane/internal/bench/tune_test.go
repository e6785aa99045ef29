package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/speed"
)

type tuneDocument struct {
	Schema   int
	Machine  inventory.Machine
	Fits     []tuneFit
	Packages []tunePackage
	Linux    *tuneLinux
}

func TestTuneJSON(t *testing.T) {
	dir := t.TempDir()
	var doc tuneDocument
	out := clitest.Call{Dir: dir}.OK(t, "tune", "--seconds", "0.1", "--json", "-o", "p.json", "sm3", "sm4-gcm")
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Schema != 1 || doc.Machine.CPU == "" || len(doc.Packages) != 2 {
		t.Errorf("%+v", doc)
	}
	want := 3*len(clitest.DriversOf(t, "sm3")) + 2*len(clitest.DriversOf(t, "sm4-gcm"))
	if len(doc.Fits) != want {
		t.Errorf("%d fits, want %d", len(doc.Fits), want)
	}
	for _, f := range doc.Fits {
		last := 0
		for _, s := range f.Segments {
			if s.From <= last || s.To < s.From || s.Worst > tuneLimit || s.Samples < 1 || s.B < 0 {
				t.Errorf("%s %s %s: %+v", f.Algorithm, f.Operation, f.Driver, s)
			}
			last = s.To
		}
		if from, to := f.Segments[0].From, last; from > 55 || to < 65000 {
			t.Errorf("%s %s %s: from %d to %d", f.Algorithm, f.Operation, f.Driver, from, to)
		}
	}
	var profile drivers.Profile
	if err := json.Unmarshal(clitest.Read(t, filepath.Join(dir, "p.json")), &profile); err != nil {
		t.Fatal(err)
	}
	for _, p := range doc.Packages {
		if profile.Drivers[p.Package] != p.Tuned || p.Tuned.Bulk == "" || p.Changed != (p.Tuned != p.Automatic) || p.Gain < 1 || p.Least.Gain > p.Gain || p.Most.Gain < p.Gain {
			t.Errorf("%+v, profile %+v", p, profile)
		}
	}
	if len(profile.Drivers) != 2 || profile.Arch != doc.Machine.Arch || clitest.Entries(t, dir) != "p.json" {
		t.Errorf("%+v; files %s", profile, clitest.Entries(t, dir))
	}
}

// TestTuneProfile: a profile written by tune is in force if the variable names it, and
// the verbs report it.
func TestTuneProfile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p.json")
	out := clitest.Call{}.OK(t, "tune", "--seconds", "0.05", "-o", path, "sm3")
	if !strings.HasSuffix(out, "\nCIPHERLANE_PROFILE="+path+" makes programs use this profile.\n") {
		t.Errorf("%s", out)
	}
	profile := clitest.Call{Env: []string{"CIPHERLANE_PROFILE=" + path}}
	for _, verb := range []string{"list", "doctor"} {
		text := profile.OK(t, verb)
		if !strings.Contains(text, path+", for sm3\n") || !strings.Contains(text, "the profile names it") {
			t.Errorf("%s:\n%s", verb, text)
		}
		var doc struct{ Profile *inventory.Profile }
		if err := json.Unmarshal([]byte(profile.OK(t, verb, "--json")), &doc); err != nil || doc.Profile == nil || doc.Profile.File != path || strings.Join(doc.Profile.Packages, " ") != "sm3" {
			t.Errorf("%s: %+v, %v", verb, doc.Profile, err)
		}
		if text := (clitest.Call{}).OK(t, verb); strings.Contains(text, "profile") {
			t.Errorf("%s without a profile:\n%s", verb, text)
		}
		if text := (clitest.Call{}).OK(t, verb, "--json"); !strings.Contains(text, `"profile": null`) {
			t.Errorf("%s without a profile:\n%s", verb, text)
		}
	}
	// CIPHERLANE takes precedence.
	both := clitest.Call{Env: []string{"CIPHERLANE_PROFILE=" + path, "CIPHERLANE=sm3:generic"}}
	if a := clitest.ParseJSON[inventory.Document](t, both, "list", "--json", "sm3").Algorithms[0]; a.Auto.Bulk != "generic" || a.Auto.Why != "CIPHERLANE names it" {
		t.Errorf("%+v", a.Auto)
	}
	// Any other driver that the profile names is selected, too.
	text := clitest.Read(t, path)
	for _, d := range clitest.DriversOf(t, "sm3") {
		var p drivers.Profile
		if err := json.Unmarshal(text, &p); err != nil {
			t.Fatal(err)
		}
		p.Drivers["sm3"] = drivers.Choice{Bulk: d}
		b, _ := json.Marshal(p)
		clitest.Write(t, path, b)
		if a := clitest.ParseJSON[inventory.Document](t, profile, "list", "--json", "sm3").Algorithms[0]; a.Auto.Bulk != d || a.Auto.Why != "the profile names it" {
			t.Errorf("%s: %+v", d, a.Auto)
		}
	}
}

// TestTuneTakenAway: tune writes no profile if CIPHERLANE disables features, because a
// profile does not record that.
func TestTuneTakenAway(t *testing.T) {
	if runtime.GOARCH != "amd64" || len(clitest.DriversOf(t, "sm3")) < 2 {
		t.Skip("no feature to take away")
	}
	dir := t.TempDir()
	limited := clitest.Call{Dir: dir, Env: []string{"CIPHERLANE=-bmi2"}}
	o := limited.Fails(t, cli.ExitUnavailable, "CIPHERLANE disables bmi2", "tune", "--seconds", "0.05", "-o", "p.json", "sm3")
	if o.Stdout != "" || clitest.Entries(t, dir) != "" {
		t.Errorf("printed %q; files %s", o.Stdout, clitest.Entries(t, dir))
	}
	limited.OK(t, "tune", "--seconds", "0.05", "sm3")
}

func TestTuneFiles(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "there"), []byte("mine"))
	start := time.Now()
	c.Fails(t, 1, "there: exists already; use -f", "tune", "-o", "there")
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("said so after measuring, %v", took)
	}
	if got := clitest.Read(t, filepath.Join(dir, "there")); string(got) != "mine" {
		t.Errorf("%q", got)
	}
	c.Fails(t, 1, "no such file", "tune", "-o", "nosuch/file")
	c.Fails(t, 2, "--seconds", "tune", "--seconds", "0")
	c.Fails(t, 2, "standard output", "tune", "--json", "-o", "-")
	c.Fails(t, 2, "is empty", "tune", "-o", "")
	c.Fails(t, cli.ExitUsage, "no such algorithm", "tune", "nosuch")
	out := c.OK(t, "tune", "--seconds", "0.05", "-o", "-", "sm3")
	var p drivers.Profile
	if err := json.Unmarshal([]byte(out), &p); err != nil || p.Drivers["sm3"].Bulk == "" {
		t.Errorf("%v:\n%s", err, out)
	}
	if out := c.OK(t, "tune", "--seconds", "0.05", "sm3"); !strings.HasSuffix(out, "\nNothing was written: -o FILE writes a profile.\n") {
		t.Errorf("%s", out)
	}
	if got := clitest.Entries(t, dir); got != "there" {
		t.Errorf("files: %s", got)
	}
}

func TestTuneInterrupted(t *testing.T) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT) // if it is ignored
	defer signal.Reset(syscall.SIGINT)
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "p.json"), []byte("old"))
	for _, args := range [][]string{{"tune", "sm3", "--seconds", "600"}, {"tune", "sm3", "--seconds", "600", "-f", "-o", "p.json"}} {
		cmd := clitest.Call{Dir: dir}.Command(t, args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(400 * time.Millisecond)
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
		if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGINT {
			t.Errorf("%q: %v", args, cmd.ProcessState)
		}
	}
	if got := clitest.Entries(t, dir); got != "p.json" || string(clitest.Read(t, filepath.Join(dir, got))) != "old" {
		t.Errorf("files: %s", got)
	}
}

// realTables returns the tables of the algorithms, without those that tests have made.
func realTables() []*drivers.Table {
	return slices.DeleteFunc(drivers.List(), func(t *drivers.Table) bool { return t.Package() == "invented" })
}

// TestTuneEverything runs tune to completion, for less time than users would. Every
// package that registers drivers must be in the profile, and another process must use
// all of it.
func TestTuneEverything(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.json")
	var doc tuneDocument
	if err := json.Unmarshal([]byte(clitest.Call{}.OK(t, "tune", "--seconds", "0.1", "--json", "-o", path)), &doc); err != nil {
		t.Fatal(err)
	}
	for _, f := range doc.Fits {
		if len(f.Segments) == 0 {
			t.Errorf("no line for %s %s %s", f.Algorithm, f.Operation, f.Driver)
		}
	}
	var profile drivers.Profile
	if err := json.Unmarshal(clitest.Read(t, path), &profile); err != nil {
		t.Fatal(err)
	}
	reloaded := clitest.ParseJSON[inventory.Document](t, clitest.Call{Env: []string{"CIPHERLANE_PROFILE=" + path}}, "list", "--json")
	for _, table := range realTables() {
		choice, named := profile.Drivers[table.Package()]
		if !named {
			t.Errorf("nothing of %s in the profile", table.Package())
		}
		for _, a := range reloaded.Algorithms {
			if a.Package == table.Package() && (a.Auto.Why != "the profile names it" || a.Auto.Bulk != choice.Bulk) {
				t.Errorf("%s: %+v, profile %+v", a.Name, a.Auto, choice)
			}
		}
	}
}

// TestRepresentative: speed and tune measure every package by default.
func TestRepresentative(t *testing.T) {
	list, err := inventory.Choose(representative)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != len(representative) {
		t.Errorf("%d algorithms for %q", len(list), representative)
	}
	for _, table := range realTables() {
		if !slices.ContainsFunc(list, func(a catalog.Algorithm) bool { return a.Package == table.Package() }) {
			t.Errorf("nothing of %s", table.Package())
		}
	}
	for _, a := range list {
		for _, n := range tuneSizes(a) {
			if n < 1 || n > maxSize {
				t.Errorf("%s: %d bytes", a.Name, n)
			}
		}
	}
}

// synthetic returns the fits of drivers with known times: for each driver, its time for
// n bytes.
func synthetic(times map[string]func(n float64) float64) []tuneFit {
	var fits []tuneFit
	for _, operation := range []string{"seal", "open"} {
		for _, name := range []string{"generic", "small", "wide"} {
			if times[name] == nil {
				continue
			}
			f := tuneFit{Algorithm: "gcm(x)", KeyBits: 128, Operation: operation, Driver: name, samples: map[int]sample{}}
			var points []speed.Point
			for n := 16; n <= 65536; n *= 2 {
				ns := times[name](float64(n))
				f.samples[n] = sample{ns: ns}
				points = append(points, speed.Point{Bytes: n, NS: ns})
			}
			for _, s := range speed.Fit(points, tuneLimit) {
				f.Segments = append(f.Segments, tuneSegment(s))
			}
			fits = append(fits, f)
		}
	}
	return fits
}

func linear(a, b float64) func(n float64) float64 {
	return func(n float64) float64 { return a + b*n }
}

func TestDecide(t *testing.T) {
	nowhere := cpu.AVX512 | cpu.SVE | cpu.ZVKSED
	flat := []drivers.Info{{Name: "generic", Priority: 100}, {Name: "small", Priority: 200}, {Name: "wide", Priority: 300}}
	floor := []drivers.Info{{Name: "generic", Priority: 100}, {Name: "small", Priority: 200}, {Name: "wide", Priority: 300, MinBytes: 512}}
	absent := []drivers.Info{{Name: "generic", Priority: 100}, {Name: "small", Priority: 200}, {Name: "wide", Priority: 300, Needs: nowhere}}
	generic := linear(100, 10)
	for name, test := range map[string]struct {
		rows             []drivers.Info
		small, wide      func(n float64) float64
		automatic, tuned drivers.Choice
	}{
		"as it is":                  {flat, linear(50, 2), linear(40, 1), drivers.Choice{Bulk: "wide"}, drivers.Choice{Bulk: "wide"}},
		"slower here":               {flat, linear(50, 2), linear(60, 3), drivers.Choice{Bulk: "wide"}, drivers.Choice{Bulk: "small"}},
		"a little slower":           {flat, linear(50, 2), linear(51, 2.04), drivers.Choice{Bulk: "wide"}, drivers.Choice{Bulk: "wide"}},
		"no floor, no split":        {flat, linear(30, 2), linear(5000, 0.5), drivers.Choice{Bulk: "wide"}, drivers.Choice{Bulk: "small"}},
		"generic is best":           {flat, linear(500, 20), linear(700, 30), drivers.Choice{Bulk: "wide"}, drivers.Choice{Bulk: "generic"}},
		"a floor":                   {floor, linear(30, 2), linear(3030, 0.5), drivers.Choice{Short: "small", Bulk: "wide", BulkMin: 512}, drivers.Choice{Short: "small", Bulk: "wide", BulkMin: 2000}},
		"a floor that is right":     {floor, linear(30, 2), linear(800, 0.5), drivers.Choice{Short: "small", Bulk: "wide", BulkMin: 512}, drivers.Choice{Short: "small", Bulk: "wide", BulkMin: 512}},
		"a floor for nothing":       {floor, linear(30, 2), linear(20, 0.5), drivers.Choice{Short: "small", Bulk: "wide", BulkMin: 512}, drivers.Choice{Bulk: "wide"}},
		"long is for the other one": {floor, linear(500, 0.5), linear(30, 2), drivers.Choice{Short: "small", Bulk: "wide", BulkMin: 512}, drivers.Choice{Short: "wide", Bulk: "small", BulkMin: 314}},
		"not on this machine":       {absent, linear(50, 2), nil, drivers.Choice{Bulk: "small"}, drivers.Choice{Bulk: "small"}},
	} {
		times := map[string]func(float64) float64{"generic": generic, "small": test.small}
		if test.wide != nil {
			times["wide"] = test.wide
		}
		r := decide(drivers.New("x", test.rows), synthetic(times))
		if r.Automatic != test.automatic || r.Tuned != test.tuned || r.Changed != (test.automatic != test.tuned) {
			t.Errorf("%s: %+v, want %+v and %+v", name, r, test.automatic, test.tuned)
		}
		if r.Changed && (r.Gain < 1+tuneMargin || r.Most.Gain < r.Gain) || !r.Changed && r.Gain != 1 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	// Selections by rules of the table are not measured, and stay.
	ruled := drivers.Register("invented", flat, drivers.Rule{For: drivers.Serial, Use: 0, Why: "s"}, drivers.Rule{For: drivers.Many, Use: 1, Why: "m"})
	kept := decide(ruled, synthetic(map[string]func(float64) float64{"generic": generic, "small": linear(500, 20), "wide": linear(700, 30)}))
	if want := (drivers.Choice{Bulk: "generic", Serial: "generic", Many: "small"}); kept.Tuned != want || !kept.Changed {
		t.Errorf("%+v, want %+v", kept, want)
	}
	// A gain of 9 % counts if the noise of the two is smaller.
	for spread, want := range map[float64]string{0: "small", 0.04: "small", 0.05: "wide"} {
		fits := synthetic(map[string]func(float64) float64{"generic": generic, "small": linear(50, 2), "wide": linear(55, 2.2)})
		for _, f := range fits {
			for n, s := range f.samples {
				f.samples[n] = sample{s.ns, spread}
			}
		}
		if r := decide(drivers.New("x", flat), fits); r.Tuned.Bulk != want {
			t.Errorf("with a spread of %v: %+v", spread, r)
		}
	}
	// The gain: exactly half the time.
	r := decide(drivers.New("x", flat), synthetic(map[string]func(float64) float64{"generic": generic, "small": linear(50, 2), "wide": linear(100, 4)}))
	if fmt.Sprintf("%.9f %.9f %.9f", r.Gain, r.Least.Gain, r.Most.Gain) != "2.000000000 2.000000000 2.000000000" {
		t.Errorf("%+v", r)
	}
}

// TestTuneReport compares the report with the expected text.
func TestTuneReport(t *testing.T) {
	steps := func(n float64) float64 {
		if n < 1024 {
			return 90 + n/100
		}
		return 20 + 0.2*n
	}
	fits := synthetic(map[string]func(float64) float64{"generic": linear(100, 10), "small": linear(-5, 2), "wide": steps})
	table := drivers.New("x", []drivers.Info{{Name: "generic", Priority: 100}, {Name: "small", Priority: 200}, {Name: "wide", Priority: 150}})
	same := drivers.New("y", []drivers.Info{{Name: "generic", Priority: 100}})
	results := []tunePackage{decide(table, fits), decide(same, synthetic(map[string]func(float64) float64{"generic": linear(1, 1)}))}
	list := []catalog.Algorithm{{Name: "gcm(x)", Package: "x", Standard: "A standard", KeySizes: []int{16, 32}}}
	var b bytes.Buffer
	p := &cli.Program{Name: "cipherlane", Stdout: bufio.NewWriter(&b), Out: clitest.DevNull(t), Stderr: os.Stderr}
	if err := (&TuneCmd{Output: "/etc/my machine.json"}).report(p, list, fits, results, nil); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprint(inventory.ThisMachine()) + `
time for n bytes: a + b n nanoseconds; off: largest deviation of a sample from the line

gcm(x)  A standard; keys of 128 bits
driver   operation       bytes      a     b    off
generic  seal         16-65536    100    10  0.0 %
small    seal         16-65536  -5.00     2  0.0 %
wide     seal           16-512   90.0  0.01  0.0 %
                    1024-65536   20.0   0.2  0.0 %
generic  open         16-65536    100    10  0.0 %
small    open         16-65536  -5.00     2  0.0 %
wide     open           16-512   90.0  0.01  0.0 %
                    1024-65536   20.0   0.2  0.0 %

  package  automatic  best here  speed  at least                       at most
* x        small      wide       ×4.55  ×0.30 (gcm(x) open, 16 bytes)  ×10.71 (gcm(x) open, 512 bytes)
  y        generic    the same

CIPHERLANE_PROFILE="/etc/my machine.json" makes programs use this profile.
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestTuneLinux: measured operations are in the profile, and a reason is given for the
// others.
func TestTuneLinux(t *testing.T) {
	if runtime.GOOS != "linux" {
		clitest.Call{}.Fails(t, cli.ExitUnavailable, "--linux", "tune", "--linux", "any")
		return
	}
	dir := t.TempDir()
	clitest.Call{Dir: dir}.Fails(t, 2, "--linux", "tune", "--linux", "some")
	for _, mode := range []string{"engine", "any"} {
		var doc tuneDocument
		out := clitest.Call{Dir: dir}.OK(t, "tune", "--seconds", "0.05", "--linux", mode, "--json", "-f", "-o", "p.json", "sm3", "aes-cbc")
		if err := json.Unmarshal([]byte(out), &doc); err != nil {
			t.Fatal(err)
		}
		if doc.Linux == nil || doc.Linux.Mode != mode || doc.Linux.Release == "" || len(doc.Linux.Operations) != 7 {
			t.Fatalf("%+v", doc.Linux)
		}
		var profile drivers.Profile
		if err := json.Unmarshal(clitest.Read(t, filepath.Join(dir, "p.json")), &profile); err != nil {
			t.Fatal(err)
		}
		measured := 0
		for _, o := range doc.Linux.Operations {
			if o.Model == nil {
				if o.Why == "" || o.From != 0 {
					t.Errorf("%+v", o)
				}
				continue
			}
			if c := profile.Crossovers[measured]; c != *o.Model || c.From != o.From || c.KeySize != o.KeySize || c.Driver == "" || c.A < 0 || c.SoftB <= 0 {
				t.Errorf("%+v, profile %+v", o, c)
			}
			measured++
		}
		if measured != len(profile.Crossovers) || (profile.Linux != "") != (measured > 0) {
			t.Errorf("%d measured, profile %+v", measured, profile)
		}
		t.Logf("%s: %d measured", mode, measured)
		clitest.Call{Dir: dir, Env: []string{"CIPHERLANE_PROFILE=p.json"}}.OK(t, "list")
	}
	var doc tuneDocument
	if err := json.Unmarshal([]byte(clitest.Call{}.OK(t, "tune", "--seconds", "0.05", "--json", "sm3")), &doc); err != nil || doc.Linux != nil {
		t.Errorf("%+v, %v", doc.Linux, err)
	}
}

func TestTuneLinuxReport(t *testing.T) {
	fast := drivers.Crossover{Algorithm: "cbc(aes)", Driver: "cbc-aes-hw", KeySize: 16, A: 21000, B: 2.5, SoftA: 80, SoftB: 14, From: 2112}
	slow := drivers.Crossover{Algorithm: "cbc(aes)", Driver: "cbc-aes-hw", KeySize: 16, Decrypt: true, A: 21000, B: 2.5, SoftA: 300, SoftB: 0.5}
	k := &tuneLinux{Mode: "engine", Release: "6.12.1", Operations: []tuneOffload{
		{Algorithm: "cbc(aes)", KeySize: 16, Operation: "encrypt", Driver: "cbc-aes-hw", Engine: true, From: 2112, Model: &fast},
		{Algorithm: "cbc(aes)", KeySize: 16, Operation: "decrypt", Driver: "cbc-aes-hw", Engine: true, Why: "software is faster", Model: &slow},
		{Algorithm: "gcm(aes)", KeySize: 16, Operation: "seal", Why: "there is none"},
		{Algorithm: "gcm(aes)", KeySize: 16, Operation: "open", Why: "there is none"},
		{Algorithm: "sm3", Operation: "hash", Why: "there is none"},
		{Algorithm: "cbc(sm4)", Operation: "encrypt", Why: "wrong results"},
	}}
	var b bytes.Buffer
	p := &cli.Program{Name: "cipherlane", Stdout: bufio.NewWriter(&b), Out: clitest.DevNull(t), Stderr: os.Stderr}
	k.print(p)
	p.Flush()
	const want = `
Linux 6.12.1  --linux engine
  algorithm               operation  Linux's driver      a    b  here a    b  faster in Linux
* cbc(aes), 128-bit keys  encrypt    cbc-aes-hw      21000  2.5    80.0   14  from 2112 bytes
  cbc(aes), 128-bit keys  decrypt    cbc-aes-hw      21000  2.5     300  0.5  never
not measured: gcm(aes), sm3: there is none
not measured: cbc(sm4): wrong results
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if release, list := k.crossovers(); release != "6.12.1" || len(list) != 2 || list[0] != fast || list[1] != slow {
		t.Errorf("%q, %+v", release, list)
	}
	if release, list := (&tuneLinux{Release: "6.12.1", Operations: k.Operations[2:]}).crossovers(); release != "" || list != nil {
		t.Errorf("%q, %+v", release, list)
	}
}
