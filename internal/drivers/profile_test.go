package drivers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

// profileFor returns a profile for this machine with one choice.
func profileFor(pkg string, c Choice) *Profile {
	p := NewProfile()
	p.Drivers[pkg] = c
	return p
}

// encode returns the text of a profile file.
func encode(p *Profile) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(p); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func save(t *testing.T, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "profile.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	byPriority = "highest priority of those that can run here"
	byProfile  = "the profile names it"
)

// byDefault is the plan for the drivers of rows without a profile.
var byDefault = newPlan(0, 1, 32)

func expect(t *testing.T, table *Table, plan Plan, why string) {
	t.Helper()
	if table.Auto() != plan || table.Why() != why {
		t.Errorf("%s: %+v, %q, want %+v, %q", table.Package(), table.Auto(), table.Why(), plan, why)
	}
}

// TestEncode pins the format of the file, which later versions read.
func TestEncode(t *testing.T) {
	p := &Profile{
		Schema: 1, Version: "v1.2.3", CPU: "A & B <C>", Arch: "riscv64", Features: "v zvkb",
		Drivers: map[string]Choice{"sm4": {Bulk: "zvksed", Serial: "zvkned", Many: "rvv"}, "chacha20poly1305": {Short: "zbb", Bulk: "rvv", BulkMin: 512}},
		Linux:   "6.12.1",
		Crossovers: []Crossover{{
			Algorithm: "cbc(aes)", Driver: "cbc-aes-hw", KeySize: 16, Decrypt: true,
			A: 21000, B: 0.25, SoftA: 40.5, SoftB: 7, From: 4096,
		}},
	}
	const want = `{
  "schema": 1,
  "version": "v1.2.3",
  "cpu": "A & B <C>",
  "arch": "riscv64",
  "features": "v zvkb",
  "drivers": {
    "chacha20poly1305": {
      "short": "zbb",
      "bulk": "rvv",
      "bulk_min": 512
    },
    "sm4": {
      "bulk": "zvksed",
      "serial": "zvkned",
      "many": "rvv"
    }
  },
  "linux": "6.12.1",
  "crossovers": [
    {
      "algorithm": "cbc(aes)",
      "driver": "cbc-aes-hw",
      "key_size": 16,
      "decrypt": true,
      "a": 21000,
      "b": 0.25,
      "soft_a": 40.5,
      "soft_b": 7,
      "from": 4096
    }
  ]
}
`
	if got := string(encode(p)); got != want {
		t.Errorf("\n%s", got)
	}
	p.listed = []string{"chacha20poly1305", "sm4"}
	if back, err := parseProfile(want, strconv.ParseFloat); err != nil || !reflect.DeepEqual(back, p) {
		t.Errorf("%+v, %v", back, err)
	}
}

func TestNewProfile(t *testing.T) {
	p := NewProfile()
	if p.Schema != 1 || p.Arch != runtime.GOARCH || p.CPU != cpu.Model() || p.Features != strings.Join(cpu.Features().Names(), " ") || p.Version != "devel" {
		t.Errorf("%+v", p)
	}
}

func TestLoadProfile(t *testing.T) {
	for _, early := range []bool{true, false} { // before and after the first choice
		isolate(t, "")
		table, other := Register("sm4", rows()), Register("sm3", rows())
		if !early {
			expect(t, table, byDefault, byPriority)
		}
		path := save(t, encode(profileFor("sm4", Choice{Bulk: "portable"})))
		if err := LoadProfile(path); err != nil {
			t.Fatal(err)
		}
		expect(t, table, Uniform(1), byProfile)
		expect(t, other, byDefault, byPriority)
		if table.Default() != byDefault {
			t.Errorf("Default is %+v", table.Default())
		}
		if p, from := ProfileInForce(); from != path || p.Drivers["sm4"].Bulk != "portable" {
			t.Errorf("%q, %+v", from, p)
		}
		expect(t, Register("aes", rows()), byDefault, byPriority) // linked in later
		if list := Warnings(); len(list) != 0 {
			t.Errorf("%q", list)
		}
		// The next one replaces it.
		if err := UseProfile(bytes.NewReader(encode(profileFor("sm3", Choice{Short: "portable", Bulk: "generic", BulkMin: 4096}))), "second"); err != nil {
			t.Fatal(err)
		}
		expect(t, table, byDefault, byPriority)
		expect(t, other, newPlan(1, 0, 4096), byProfile)
		if _, from := ProfileInForce(); from != "second" {
			t.Errorf("%q", from)
		}
	}
}

func TestNoProfile(t *testing.T) {
	isolate(t, "")
	if p, from := ProfileInForce(); p != nil || from != "" || Crossovers() != nil {
		t.Errorf("%+v, %q, %v", p, from, Crossovers())
	}
}

func TestProfileIsCopied(t *testing.T) {
	isolate(t, "")
	table := Register("sm4", rows())
	if err := UseProfile(bytes.NewReader(encode(profileFor("sm4", Choice{Bulk: "generic"}))), "x"); err != nil {
		t.Fatal(err)
	}
	p, _ := ProfileInForce()
	p.Drivers["sm4"] = Choice{Bulk: "portable"}
	p.Schema = 7
	if second, _ := ProfileInForce(); second.Schema != 1 || second.Drivers["sm4"].Bulk != "generic" || table.Auto() != Uniform(0) {
		t.Errorf("%+v, %+v", second, table.Auto())
	}
}

// TestProfilePrecedence: CIPHERLANE takes precedence over the profile, unless the driver
// that it names cannot be used.
func TestProfilePrecedence(t *testing.T) {
	for term, want := range map[string]Plan{
		"sm4:portable": Uniform(1),
		"sm4:chimera":  Uniform(0), // cannot run here
		"sm4:nosuch":   Uniform(0),
		"sm3:portable": Uniform(0),
		"":             Uniform(0),
	} {
		isolate(t, term)
		table := Register("sm4", rows())
		if err := UseProfile(bytes.NewReader(encode(profileFor("sm4", Choice{Bulk: "generic"}))), "x"); err != nil {
			t.Fatal(err)
		}
		why := byProfile
		if term == "sm4:portable" {
			why = "CIPHERLANE names it"
		}
		expect(t, table, want, why)
	}
	// CIPHERLANE disables a feature: the profile is valid, but the driver that it names
	// is not available.
	for _, name := range cpu.Features().Names() {
		isolate(t, "-"+name)
		feature := cpu.Parse(name)
		table := Register("sm4", []Info{{Name: "generic", Priority: 100}, {Name: "vector", Priority: 90, Needs: feature}})
		if err := UseProfile(bytes.NewReader(encode(profileFor("sm4", Choice{Bulk: "vector"}))), "x"); err != nil {
			t.Fatal(err)
		}
		expect(t, table, Uniform(0), "no other can run here")
		if err := UseProfile(bytes.NewReader(encode(profileFor("sm4", Choice{Bulk: "generic", Many: "vector"}))), "x"); err != nil {
			t.Fatal(err)
		}
		expect(t, table, Uniform(0), "no other can run here")
		if list := Warnings(); len(list) != 0 {
			t.Errorf("%q", list)
		}
	}
}

// TestBadProfiles: the error is one line about what is wrong, and nothing changes.
func TestBadProfiles(t *testing.T) {
	good := profileFor("sm4", Choice{Bulk: "generic"})
	variant := func(f func(*Profile)) string {
		p := *good
		p.Drivers = map[string]Choice{"sm4": {Bulk: "generic"}}
		f(&p)
		return string(encode(&p))
	}
	other := cpu.Features().Names()
	if len(other) > 0 {
		other = other[1:]
	} else {
		other = []string{"neon"}
	}
	for _, c := range []struct{ what, text, words string }{
		{"empty", "", "is not a profile: byte 0: want '{'"},
		{"text", "# profile\n", "is not a profile: byte"},
		{"two", string(encode(good)) + string(encode(good)), "is not a profile: byte"},
		{"an array", "[]", "is not a profile"},
		{"null", "null", "is not a profile"},
		{"no schema", "{}", "no schema"},
		{"a later schema", `{"schema": 2, "machines": []}`, "has schema 2, and this version of cipherlane reads schema 1"},
		{"schema only", `{"schema": 1}`, "no version, architecture or drivers"},
		{"an unknown field", strings.Replace(string(encode(good)), `"arch"`, `"march"`, 1), `unknown field "march"`},
		{"wrong type", strings.Replace(string(encode(good)), `"generic"`, `7`, 1), "is not a profile"},
		{"a field twice", strings.Replace(string(encode(good)), `"arch"`, `"schema": 1, "arch"`, 1), `"schema" for the second time`},
		{"another case", strings.Replace(string(encode(good)), `"arch"`, `"Arch"`, 1), `unknown field "Arch"`},
		{"broken UTF-8", strings.Replace(string(encode(good)), "generic", "gen\xffric", 1), "not for strings"},
		{"deep", `{"schema": 1, "x": ` + strings.Repeat("[", 1000000) + "}", "too deep"},
		{"infinite", strings.Replace(string(encode(good)), `"drivers"`, `"crossovers": [{"a": 1e999}], "drivers"`, 1), "want a number"},
		{"too long", string(encode(good)) + strings.Repeat(" ", maxProfile), "too long"},
		{"another version", variant(func(p *Profile) { p.Version = "v0.0.9" }), `another version of cipherlane: "v0.0.9", and this is "devel"`},
		{"another architecture", variant(func(p *Profile) { p.Arch = "pdp11" }), `another architecture: "pdp11", and this is "` + runtime.GOARCH + `"`},
		{"another CPU", variant(func(p *Profile) { p.CPU += "+" }), "another CPU"},
		{"other features", variant(func(p *Profile) { p.Features = strings.Join(other, " ") }), "another set of CPU features"},
		{"an unknown package", variant(func(p *Profile) { p.Drivers["rot13"] = Choice{Bulk: "generic"} }), `no package "rot13"`},
		{"an unknown driver", variant(func(p *Profile) { p.Drivers["sm4"] = Choice{Bulk: "vector"} }), `sm4: no such driver: "vector" (known here: generic, portable, chimera)`},
		{"an unknown short driver", variant(func(p *Profile) { p.Drivers["sm4"] = Choice{Short: "vector", Bulk: "generic", BulkMin: 16} }), `sm4: no such driver: "vector"`},
		{"a driver that cannot run", variant(func(p *Profile) { p.Drivers["sm4"] = Choice{Bulk: "chimera"} }), "sm4: driver not available on this machine: chimera lacks "},
		{"that for short inputs", variant(func(p *Profile) { p.Drivers["sm4"] = Choice{Short: "chimera", Bulk: "generic", BulkMin: 16} }), "sm4: driver not available on this machine: chimera lacks "},
		{"no driver", variant(func(p *Profile) { p.Drivers["sm4"] = Choice{} }), `package "sm4": no choice of drivers`},
		{"no size", variant(func(p *Profile) { p.Drivers["sm4"] = Choice{Short: "generic", Bulk: "portable"} }), "no choice of drivers"},
		{"a size alone", variant(func(p *Profile) { p.Drivers["sm4"] = Choice{Bulk: "portable", BulkMin: 5} }), "no choice of drivers"},
		{"a range that is empty", variant(func(p *Profile) {
			p.Drivers["sm4"] = Choice{Short: "generic", Bulk: "portable", BulkMin: 5, ShortMin: 5}
		}), "no choice of drivers"},
		{"a start alone", variant(func(p *Profile) { p.Drivers["sm4"] = Choice{Bulk: "portable", ShortMin: 5} }), "no choice of drivers"},
		{"a start below 0", variant(func(p *Profile) {
			p.Drivers["sm4"] = Choice{Short: "generic", Bulk: "portable", BulkMin: 5, ShortMin: -5}
		}), "no choice of drivers"},
		{"a size below 0", variant(func(p *Profile) { p.Drivers["sm4"] = Choice{Short: "generic", Bulk: "portable", BulkMin: -5} }), "no choice of drivers"},
		{"an unknown serial driver", variant(func(p *Profile) { p.Drivers["sm4"] = Choice{Bulk: "generic", Serial: "vector"} }), `sm4: no such driver: "vector"`},
		{"an unknown driver for many", variant(func(p *Profile) { p.Drivers["sm4"] = Choice{Bulk: "generic", Many: "vector"} }), `sm4: no such driver: "vector"`},
		{"a driver for many that cannot run", variant(func(p *Profile) { p.Drivers["sm4"] = Choice{Bulk: "generic", Many: "chimera"} }), "sm4: driver not available on this machine: chimera lacks "},
		{"serial only", variant(func(p *Profile) { p.Drivers["sm4"] = Choice{Serial: "generic"} }), "no choice of drivers"},
		{"crossovers without a release", variant(func(p *Profile) { p.Crossovers = []Crossover{{Algorithm: "sm3", Driver: "d"}} }), "no crossover"},
		{"a crossover of nothing", variant(func(p *Profile) { p.Linux, p.Crossovers = "6.1", []Crossover{{Driver: "d"}} }), "no crossover"},
		{"a crossover below 0", variant(func(p *Profile) {
			p.Linux, p.Crossovers = "6.1", []Crossover{{Algorithm: "sm3", Driver: "d", From: -1}}
		}), "no crossover"},
		{"a time below 0", variant(func(p *Profile) {
			p.Linux, p.Crossovers = "6.1", []Crossover{{Algorithm: "sm3", Driver: "d", SoftB: -1}}
		}), "a time is negative"},
	} {
		t.Run(c.what, func(t *testing.T) {
			isolate(t, "")
			table := Register("sm4", rows())
			if err := UseProfile(bytes.NewReader(encode(profileFor("sm4", Choice{Bulk: "portable"}))), "before"); err != nil {
				t.Fatal(err)
			}
			path := save(t, []byte(c.text))
			err := LoadProfile(path)
			if err == nil || !strings.HasPrefix(err.Error(), "driver: profile "+path+": ") || !strings.Contains(err.Error(), c.words) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want %q", err, c.words)
			}
			expect(t, table, Uniform(1), byProfile)
			if _, from := ProfileInForce(); from != "before" {
				t.Errorf("in force: %q", from)
			}

			// By the variable.
			isolate(t, "")
			t.Setenv(variable, path)
			table = Register("sm4", rows())
			expect(t, table, byDefault, byPriority)
			list := Warnings()
			if len(list) != 1 || !strings.HasPrefix(list[0], "CIPHERLANE_PROFILE: "+path+": ") || !strings.Contains(list[0], c.words) {
				t.Errorf("warnings %q, want %q", list, c.words)
			}
		})
	}
	_, err := parseProfile(string(encode(good)), strconv.ParseFloat)
	if err != nil {
		t.Error(err)
	}
	isolate(t, "")
	Register("sm4", rows())
	if err := LoadProfile(save(t, []byte(variant(func(p *Profile) { p.Drivers["sm4"] = Choice{Bulk: "chimera"} })))); !errors.Is(err, ErrUnavailable) {
		t.Errorf("%v is no ErrUnavailable", err)
	}
	if err := LoadProfile(save(t, []byte(variant(func(p *Profile) { p.Drivers["sm4"] = Choice{Bulk: "x"} })))); !errors.Is(err, ErrUnknown) {
		t.Errorf("%v is no ErrUnknown", err)
	}
}

// TestTruncatedProfile cuts a profile at every byte.
func TestTruncatedProfile(t *testing.T) {
	isolate(t, "")
	table := Register("sm4", rows())
	text := bytes.TrimSpace(encode(profileFor("sm4", Choice{Short: "generic", Bulk: "portable", BulkMin: 99})))
	for n := range text {
		if err := UseProfile(bytes.NewReader(text[:n]), "cut"); err == nil || table.Auto() != byDefault {
			t.Fatalf("%d of %d bytes: %v, %+v", n, len(text), err, table.Auto())
		}
	}
	if err := UseProfile(bytes.NewReader(text), "whole"); err != nil || table.Auto() != (newPlan(0, 1, 99)) {
		t.Errorf("%v, %+v", err, table.Auto())
	}
}

func TestProfileFiles(t *testing.T) {
	isolate(t, "")
	dir := t.TempDir()
	for path, words := range map[string]string{
		filepath.Join(dir, "nosuch"): "no",
		dir:                          "is not a regular file",
		os.DevNull:                   "is not a regular file",
	} {
		if err := LoadProfile(path); err == nil || strings.Count(err.Error(), path) != 1 || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A package that this program does not link may have any drivers; if a plug-in links it
// later, they are checked.
func TestProfileOfOtherPackages(t *testing.T) {
	isolate(t, "")
	if err := UseProfile(bytes.NewReader(encode(profileFor("sm3", Choice{Bulk: "nosuch"}))), "x"); err != nil {
		t.Fatal(err)
	}
	if list := Warnings(); len(list) != 0 {
		t.Errorf("%q", list)
	}
	expect(t, Register("sm3", rows()), byDefault, byPriority)
	if list := Warnings(); len(list) != 1 || !strings.HasPrefix(list[0], `profile x: sm3: no such driver: "nosuch"`) {
		t.Errorf("%q", list)
	}
}

// TestVariable: the file is read once, when the first driver is selected. It need not
// exist before.
func TestVariable(t *testing.T) {
	for name, first := range map[string]func(*Table){
		"Auto":           func(t *Table) { t.Auto() },
		"Why":            func(t *Table) { t.Why() },
		"Warnings":       func(*Table) { Warnings() },
		"ProfileInForce": func(*Table) { ProfileInForce() },
		"a bad LoadProfile": func(*Table) {
			good := profileFor("sm4", Choice{Bulk: "chimera"})
			UseProfile(bytes.NewReader(encode(good)), "x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			isolate(t, "")
			path := filepath.Join(t.TempDir(), "later.json")
			t.Setenv(variable, path)
			table := Register("sm4", rows())
			newTable("part", rows()).Auto()
			List()
			table.On("generic")
			table.Drivers()
			table.Default()
			if err := os.WriteFile(path, encode(profileFor("sm4", Choice{Bulk: "portable"})), 0o600); err != nil {
				t.Fatal(err)
			}
			first(table)
			os.Remove(path)
			expect(t, table, Uniform(1), byProfile)
			if p, from := ProfileInForce(); from != path || p == nil {
				t.Errorf("%q", from)
			}
			if list := Warnings(); len(list) != 0 {
				t.Errorf("%q", list)
			}
		})
	}
	t.Run("LoadProfile", func(t *testing.T) { // replaces it, whichever is first
		for range 2 {
			isolate(t, "")
			t.Setenv(variable, save(t, encode(profileFor("sm4", Choice{Bulk: "portable"}))))
			table := Register("sm4", rows())
			if err := UseProfile(bytes.NewReader(encode(profileFor("sm4", Choice{Bulk: "generic"}))), "x"); err != nil {
				t.Fatal(err)
			}
			expect(t, table, Uniform(0), byProfile)
			expect(t, table, Uniform(0), byProfile)
		}
	})
}

func TestCrossovers(t *testing.T) {
	for _, release := range []string{linuxRelease(), "1.0"} {
		isolate(t, "")
		p := NewProfile()
		p.Linux, p.Crossovers = release, []Crossover{{Algorithm: "cbc(aes)", Driver: "hw", KeySize: 16, From: 4096}}
		if release == "" { // not Linux: a profile with crossovers cannot match
			p.Linux = "2.0"
		}
		if err := UseProfile(bytes.NewReader(encode(p)), "x"); err != nil {
			t.Fatal(err)
		}
		got := Crossovers()
		if want := release != "1.0" && release != ""; (len(got) == 1) != want || want && got[0] != p.Crossovers[0] {
			t.Errorf("release %q: %+v", release, got)
		}
	}
}

// TestConcurrent changes the profile while other goroutines get plans: every plan is that
// of one of the profiles, and in the end that of the last one.
func TestConcurrent(t *testing.T) {
	isolate(t, "")
	t.Setenv(variable, save(t, encode(profileFor("sm4", Choice{Bulk: "generic"}))))
	table := Register("sm4", rows())
	texts := [][]byte{
		encode(profileFor("sm4", Choice{Bulk: "portable"})),
		encode(profileFor("sm4", Choice{Short: "portable", Bulk: "generic", BulkMin: 7})),
		encode(profileFor("sm4", Choice{Bulk: "generic"})),
	}
	plans := []Plan{Uniform(1), newPlan(1, 0, 7), Uniform(0)}
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Add(1)
		go func() {
			defer wait.Done()

			for i := range 300 {
				switch plan := table.Auto(); {
				case plan != plans[0] && plan != plans[1] && plan != plans[2]:
					t.Errorf("%+v", plan)
				case table.Why() != byProfile:
					t.Error(table.Why())
				}
				switch {
				case g < 2:
					if err := UseProfile(bytes.NewReader(texts[i%3]), fmt.Sprint(g)); err != nil {
						t.Error(err)
					}
				case g == 2:
					Warnings()
					ProfileInForce()
					Crossovers()
				case g == 3 && i%30 == 0:
					Register(fmt.Sprintf("sm%d", i), rows()).Auto()
				}
			}
		}()
	}
	wait.Wait()
	if table.Auto() != plans[2] {
		t.Errorf("%+v in the end", table.Auto())
	}
}

func TestAutoAllocations(t *testing.T) {
	isolate(t, "")
	table := Register("sm4", rows())
	if n := testing.AllocsPerRun(100, func() { table.Auto() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAuto(b *testing.B) {
	table := newTable("sm4", rows())
	for b.Loop() {
		table.Auto()
	}
}

// FuzzProfile: any text gives either an error of one line, and nothing changes, or a
// profile that survives encoding and decoding and names drivers that can run.
func FuzzProfile(f *testing.F) {
	p := profileFor("sm4", Choice{Short: "generic", Bulk: "portable", BulkMin: 64})
	p.Linux, p.Crossovers = "6.1", []Crossover{{Algorithm: "cbc(aes)", Driver: "hw", From: 4096, A: 1e4, B: 0.5, SoftB: 1.5}}
	f.Add(encode(p))
	f.Add(encode(profileFor("sm4", Choice{Bulk: "chimera"})))
	f.Add(encode(profileFor("sm4", Choice{Bulk: "generic", Serial: "portable", Many: "portable"})))
	f.Add([]byte(`{"schema":1,"version":"devel","cpu":"","arch":"amd64","features":"","drivers":{}}`))
	f.Add([]byte(`{"schema":1e0,"drivers":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		isolate(t, "")
		table := Register("sm4", rows())
		err := UseProfile(bytes.NewReader(text), "fuzz")
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
			expect(t, table, byDefault, byPriority)
		}
		for kind := range kinds {
			if plan := table.Auto(); !table.rows[plan.For(kind)].Available() || plan.BulkMin() < 0 {
				t.Errorf("%#x", plan)
			}
		}
		parsed, err := parseProfile(string(text), strconv.ParseFloat)
		if err != nil {
			return
		}
		other := new(Profile)
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(other); err != nil || !bytes.Equal(encode(other), encode(parsed)) {
			t.Errorf("encoding/json reads %+v, not %+v: %v", other, parsed, err)
		}
		back, err := parseProfile(string(encode(parsed)), strconv.ParseFloat)
		if err != nil || !bytes.Equal(encode(back), encode(parsed)) {
			t.Errorf("%+v is not %+v: %v", back, parsed, err)
		}
	})
}

// The same profiles are valid whether or not numbers are converted.
func TestProfileWithoutNumbers(t *testing.T) {
	isolate(t, "")
	table := Register("sm4", rows())
	good := profileFor("sm4", Choice{Bulk: "generic"})
	good.Linux, good.Crossovers = "6.1", []Crossover{{Algorithm: "sm3", Driver: "d", A: 1.5}}
	for number, words := range map[string]string{
		"1.5":                           "",
		"15e-1":                         "",
		"1e999":                         "want a number",
		"1e100":                         "want a number",
		strings.Repeat("1", 100) + ".5": "want a number",
		"-1.5":                          "a time is negative",
		"true":                          "want a value of another kind",
	} {
		inForce = profileState{}
		table.choice.Store(nil)
		text := strings.Replace(string(encode(good)), "1.5", number, 1)
		t.Setenv(variable, save(t, []byte(text)))
		if got := table.Auto() == Uniform(0); got != (words == "") {
			t.Errorf("%s: valid is %v", number, got)
		}
		p, _ := ProfileInForce()
		if (p != nil) != (words == "") || p != nil && p.Crossovers[0].A != 1.5 {
			t.Errorf("%s: profile is %+v", number, p)
		}
		if err := UseProfile(strings.NewReader(text), "test"); (err == nil) != (words == "") || err != nil && !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v, want %q", number, err, words)
		}
		if list := strings.Join(profileWarnings(), "\n"); words == "" && list != "" || !strings.Contains(list, words) {
			t.Errorf("%s: warnings are %q, want %q", number, list, words)
		}
	}
}
