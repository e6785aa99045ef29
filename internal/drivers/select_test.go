package drivers

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/wrap"
)

// isolate gives a test its own list of linked packages and its own CIPHERLANE, and no
// profile.
func isolate(t *testing.T, text string) {
	oldEnvironment, oldTables, oldForce := environment, linked.tables, inForce
	t.Cleanup(func() { environment, linked.tables, inForce = oldEnvironment, oldTables, oldForce })
	environment, linked.tables = parse(text), nil
	inForce = profileState{}
	t.Setenv(variable, "")
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text     string
		use      map[string]string
		disabled Features
		linux    LinuxMode
		warnings []string // the terms
	}{
		{text: ""},
		{text: " , ,,\t"},
		{text: "sm4:gfni-avx2", use: map[string]string{"sm4": "gfni-avx2"}},
		{text: " sm4:generic ,\tchacha20poly1305:avx2\n", use: map[string]string{"sm4": "generic", "chacha20poly1305": "avx2"}},
		{text: "sm4:generic,sm4:aesni", use: map[string]string{"sm4": "aesni"}},
		{text: "sm4:a:b", use: map[string]string{"sm4": "a:b"}}, // On returns an error
		{text: "-avx512", disabled: cpu.AVX512},
		{text: "-avx512,-gfni , -zvksed", disabled: cpu.AVX512 | cpu.GFNI | cpu.ZVKSED},
		{text: "sm4:generic,-aes,nonsense", use: map[string]string{"sm4": "generic"}, disabled: cpu.AES, warnings: []string{"nonsense"}},
		{text: "sm4", warnings: []string{"sm4"}},
		{text: ":", warnings: []string{":"}},
		{text: "sm4:", warnings: []string{"sm4:"}},
		{text: ":generic", warnings: []string{":generic"}},
		{text: "sm4 :generic", warnings: []string{"sm4 :generic"}},
		{text: "SM4:generic", warnings: []string{"SM4:generic"}},
		{text: "sm4=generic", warnings: []string{"sm4=generic"}},
		{text: "-", warnings: []string{"-"}},
		{text: "--avx2", warnings: []string{"--avx2"}},
		{text: "- avx2", warnings: []string{"- avx2"}},
		{text: "-AVX2", warnings: []string{"-AVX2"}},
		{text: "-avx1024,-avx2", disabled: cpu.AVX2, warnings: []string{"-avx1024"}},
		{text: "-avx2:generic", warnings: []string{"-avx2:generic"}},
		{text: "linux", warnings: []string{"linux"}},
		{text: "linux:off", warnings: []string{"linux:off"}}, // not a package, so without a warning it would have no effect silently
		{text: "linux=", warnings: []string{"linux="}},
		{text: "linux=on", warnings: []string{"linux=on"}},
		{text: "linux=sm4:generic", warnings: []string{"linux=sm4:generic"}},
		{text: "linux= any", warnings: []string{"linux= any"}},
		{text: "linux=Any", warnings: []string{"linux=Any"}},
		{text: "linux=any", linux: LinuxAny},
		{text: "-avx2, linux=engine ,sm4:generic", linux: LinuxEngine, disabled: cpu.AVX2, use: map[string]string{"sm4": "generic"}},
		{text: "linux=any,linux=off", linux: LinuxOff},
		{text: "linux=any,linux=on", linux: LinuxOff, warnings: []string{"linux=on"}},
		{text: "a;b, \"\x00\", ü", warnings: []string{"a;b", "\"\x00\"", "ü"}},
	} {
		want := settings{use: c.use, disabled: c.disabled, linux: c.linux, linuxSet: strings.Contains(c.text, "linux=")}
		if want.use == nil {
			want.use = map[string]string{}
		}
		for _, term := range c.warnings {
			want.warnings = append(want.warnings, "CIPHERLANE: unknown term "+wrap.Quote(term))
		}
		if got := parse(c.text); !reflect.DeepEqual(got, want) {
			t.Errorf("parse(%q) =\n%+v, want\n%+v", c.text, got, want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	if want := parse(os.Getenv("CIPHERLANE")); !reflect.DeepEqual(environment, want) {
		t.Errorf("environment is %+v, want %+v", environment, want)
	}
}

// row returns a driver whose Missing is as Register sets it on a machine with AES and
// AVX2.
func row(name string, priority int, needs, slow Features, minBytes int) Info {
	return Info{Name: name, Priority: priority, Needs: needs, Slow: slow, MinBytes: minBytes, Missing: needs &^ (cpu.AES | cpu.AVX2)}
}

func TestChoose(t *testing.T) {
	const highest = "highest priority of those that can run here"
	generic := row("generic", 100, 0, 0, 0)
	for _, c := range []struct {
		name   string
		rows   []Info
		wanted string
		plan   Plan
		why    string
	}{
		{"one row", []Info{generic}, "",
			newPlan(0, 0, 0), "the only driver in this build"},
		{"nothing else runs", []Info{generic, row("gfni", 400, cpu.GFNI, 0, 0)}, "",
			newPlan(0, 0, 0), "no other can run here"},
		{"one needed feature of two", []Info{generic, row("both", 400, cpu.AVX2|cpu.GFNI, 0, 0)}, "",
			newPlan(0, 0, 0), "no other can run here"},
		{"highest priority", []Info{generic, row("aes", 200, cpu.AES, 0, 0), row("avx2", 300, cpu.AVX2, 0, 0), row("gfni", 400, cpu.GFNI, 0, 0)}, "",
			newPlan(2, 2, 0), highest},
		{"in any order", []Info{generic, row("avx2", 300, cpu.AVX2, 0, 0), row("aes", 200, cpu.AES, 0, 0)}, "",
			newPlan(1, 1, 0), highest},
		{"first of equals", []Info{generic, row("avx2", 300, cpu.AVX2, 0, 0), row("aes", 300, cpu.AES, 0, 0)}, "",
			newPlan(1, 1, 0), highest},
		{"below generic", []Info{generic, row("reference", 50, 0, 0, 0)}, "",
			newPlan(0, 0, 0), highest},
		{"floor over generic", []Info{generic, row("avx2", 300, cpu.AVX2, 0, 256)}, "",
			newPlan(0, 1, 256), highest},
		{"floor over aes", []Info{generic, row("aes", 200, cpu.AES, 0, 0), row("avx2", 300, cpu.AVX2, 0, 256)}, "",
			newPlan(1, 2, 256), highest},
		{"floor of 1", []Info{generic, row("avx2", 300, cpu.AVX2, 0, 1)}, "",
			newPlan(0, 1, 1), highest},
		{"two floors", []Info{generic, row("aes", 200, cpu.AES, 0, 64), row("avx2", 300, cpu.AVX2, 0, 1024)}, "",
			newPlan(0, 2, 1024), highest},
		{"floor below the priority", []Info{generic, row("aes", 200, cpu.AES, 0, 64), row("avx2", 300, cpu.AVX2, 0, 0)}, "",
			newPlan(2, 2, 0), highest},
		{"floor of one that cannot run", []Info{generic, row("gfni", 400, cpu.GFNI, 0, 64)}, "",
			newPlan(0, 0, 0), "no other can run here"},
		{"slow here", []Info{generic, row("aes", 200, cpu.AES, 0, 0), row("avx2", 300, cpu.AVX2, cpu.AES, 0)}, "",
			newPlan(1, 1, 0), highest + " and are not slow on this CPU"},
		{"slow on one of two", []Info{generic, row("avx2", 300, cpu.AVX2, cpu.GFNI|cpu.AES, 0)}, "",
			newPlan(0, 0, 0), highest + " and are not slow on this CPU"},
		{"slow elsewhere", []Info{generic, row("aes", 200, cpu.AES, 0, 0), row("avx2", 300, cpu.AVX2, cpu.GFNI, 0)}, "",
			newPlan(2, 2, 0), highest},
		{"slow and lower", []Info{generic, row("aes", 200, cpu.AES, cpu.AVX2, 0), row("avx2", 300, cpu.AVX2, 0, 0)}, "",
			newPlan(2, 2, 0), highest},
		{"slow below the floor", []Info{generic, row("aes", 200, cpu.AES, cpu.AVX2, 0), row("avx2", 300, cpu.AVX2, 0, 64)}, "",
			newPlan(0, 2, 64), highest},
		{"wanted", []Info{generic, row("aes", 200, cpu.AES, 0, 0), row("avx2", 300, cpu.AVX2, 0, 256)}, "aes",
			newPlan(1, 1, 0), "CIPHERLANE names it"},
		{"wanted for all sizes", []Info{generic, row("avx2", 300, cpu.AVX2, 0, 256)}, "avx2",
			newPlan(1, 1, 0), "CIPHERLANE names it"},
		{"wanted though slow", []Info{generic, row("avx2", 300, cpu.AVX2, cpu.AES, 0)}, "avx2",
			newPlan(1, 1, 0), "CIPHERLANE names it"},
		{"generic wanted", []Info{generic, row("avx2", 300, cpu.AVX2, 0, 0)}, "generic",
			newPlan(0, 0, 0), "CIPHERLANE names it"},
		{"wanted, cannot run", []Info{generic, row("avx2", 300, cpu.AVX2, 0, 0), row("gfni", 400, cpu.GFNI, 0, 0)}, "gfni",
			newPlan(1, 1, 0), highest},
		{"wanted, unknown", []Info{generic, row("avx2", 300, cpu.AVX2, 0, 0)}, "avx3",
			newPlan(1, 1, 0), highest},
	} {
		if got, want := choose(c.rows, nil, cpu.AES|cpu.AVX2, 0, c.wanted), (choice{plan: c.plan, why: c.why}); got != want {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
}

// Invented models for rules.
const (
	pear cpu.Uarch = 1 << (iota + 29)
	plum
	quince
)

// TestRules: row 1 runs on the invented machine, row 2 only there and with the highest
// priority, 3 has a floor, 4 cannot run, and 5 is slow.
func TestRules(t *testing.T) {
	drivers := []Info{
		row("generic", 100, 0, 0, 0),
		row("aes", 200, cpu.AES, 0, 0),
		row("avx2", 300, cpu.AVX2, 0, 0),
		row("wide", 250, cpu.AVX2, 0, 256),
		row("gfni", 400, cpu.GFNI, 0, 0),
		row("slow", 500, 0, cpu.AES, 0),
	}
	serial := Rule{For: Serial, On: plum, Use: 1, Why: "s"}
	many := Rule{For: Many, Use: 3, Why: "m"}
	short := Rule{For: Short, Below: 64, Use: 1, Why: "x"}
	bulk := Rule{For: Bulk, Use: 1, Why: "b"}
	bulkWide := Rule{For: Bulk, On: pear | plum, Use: 3, Why: "w"}
	for _, c := range []struct {
		name   string
		rules  []Rule
		uarch  cpu.Uarch
		wanted string
		plan   Plan
		kinds  [kinds]string // the reasons
	}{
		{"none", nil, plum, "", newPlan(2, 2, 0), [kinds]string{}},
		{"serial", []Rule{serial}, plum, "", NewPlan(2, 2, 1, 2, 0), [kinds]string{Serial: "s"}},
		{"another model", []Rule{serial}, pear, "", newPlan(2, 2, 0), [kinds]string{}},
		{"an unknown model", []Rule{serial}, 0, "", newPlan(2, 2, 0), [kinds]string{}},
		{"many on any model", []Rule{many}, 0, "", NewPlan(2, 2, 2, 3, 0), [kinds]string{Many: "m"}},
		{"both", []Rule{many, serial}, plum, "", NewPlan(2, 2, 1, 3, 0), [kinds]string{Serial: "s", Many: "m"}},
		{"short", []Rule{short}, plum, "", NewPlan(1, 2, 1, 2, 64), [kinds]string{Short: "x"}},
		{"short, and serial as before", []Rule{short, {For: Serial, Use: 2, Why: "s"}}, plum, "", NewPlan(1, 2, 2, 2, 64), [kinds]string{Short: "x"}},
		{"bulk is for all sizes", []Rule{bulk}, plum, "", Uniform(1), [kinds]string{Bulk: "b"}},
		{"bulk with a floor", []Rule{bulkWide}, plum, "", NewPlan(2, 3, 2, 3, 256), [kinds]string{Bulk: "w"}},
		{"bulk with a floor, elsewhere", []Rule{bulkWide}, quince, "", newPlan(2, 2, 0), [kinds]string{}},
		{"short below the floor", []Rule{bulkWide, short}, pear, "", NewPlan(1, 3, 1, 3, 256), [kinds]string{Short: "x", Bulk: "w"}},
		{"short above the floor", []Rule{bulkWide, {For: Short, Below: 500, Use: 1, Why: "x"}}, pear, "", NewPlan(1, 3, 1, 3, 500), [kinds]string{Short: "x", Bulk: "w"}},
		{"short, a floor, on a model", []Rule{{For: Short, Below: 64, On: plum, Use: 3, Why: "f"}}, plum, "", NewPlan(3, 2, 3, 2, 64), [kinds]string{Short: "f"}},
		{"short from a size on", []Rule{{For: Short, From: 16, Below: 64, Use: 1, Why: "x"}}, plum, "", NewPlan(1, 2, 2, 2, 64).From(16), [kinds]string{Short: "x"}},
		{"the first that applies", []Rule{serial, {For: Serial, Use: 0, Why: "second"}}, plum, "", NewPlan(2, 2, 1, 2, 0), [kinds]string{Serial: "s"}},
		{"the second", []Rule{serial, {For: Serial, Use: 0, Why: "second"}}, quince, "", NewPlan(2, 2, 0, 2, 0), [kinds]string{Serial: "second"}},
		{"cannot run", []Rule{{For: Many, Use: 4, Why: "m"}, many}, 0, "", NewPlan(2, 2, 2, 3, 0), [kinds]string{Many: "m"}},
		{"slow", []Rule{{For: Serial, Use: 5, Why: "s"}}, 0, "", newPlan(2, 2, 0), [kinds]string{}},
		{"nothing new", []Rule{{For: Serial, Use: 2, Why: "s"}}, 0, "", newPlan(2, 2, 0), [kinds]string{}},
		{"CIPHERLANE", []Rule{serial, many, short}, plum, "generic", Uniform(0), [kinds]string{}},
		{"CIPHERLANE, cannot run", []Rule{serial, many}, plum, "gfni", NewPlan(2, 2, 1, 3, 0), [kinds]string{Serial: "s", Many: "m"}},
	} {
		got := choose(drivers, c.rules, cpu.AES|cpu.AVX2, c.uarch, c.wanted)
		if got.plan != c.plan || got.rules != c.kinds {
			t.Errorf("%s: %+v, want %+v, %q", c.name, got, c.plan, c.kinds)
		}
		for i := range drivers {
			used := false
			for _, n := range []int{0, 63, 255, 1 << 20} {
				used = used || int(got.plan.Pick(n)) == i
			}
			used = used || int(got.plan.Serial()) == i || int(got.plan.Many()) == i
			if got.plan.Has(uint8(i)) != used {
				t.Errorf("%s: %+v uses %d: %v", c.name, got.plan, i, !used)
			}
		}
	}
}

// TestRulePrecedence: a table's rules yield to the profile and to CIPHERLANE.
func TestRulePrecedence(t *testing.T) {
	rule := Rule{For: Serial, Use: 0, Why: "the rule"}
	ruled := NewPlan(0, 1, 0, 0, 32)
	rules := []Rule{rule, {For: Many, Use: 0, Why: "lanes"}}
	isolate(t, "")
	table := Register("sm4", rows(), rules...)
	expect(t, table, ruled, byPriority)
	if table.Default() != ruled || table.Rule(Many) != "lanes" || table.Rule(Serial) != "" || table.Rule(Short) != "" || table.Rule(Bulk) != "" {
		t.Errorf("%+v, %q", table.Default(), table.choice.Load().rules)
	}
	for c, want := range map[Choice]Plan{
		{Bulk: "portable"}: Uniform(1), // as in profiles without the fields
		{Short: "generic", Bulk: "portable", BulkMin: 9}:                                      newPlan(0, 1, 9),
		{Bulk: "portable", Serial: "generic"}:                                                 NewPlan(1, 1, 0, 1, 0),
		{Bulk: "generic", Many: "portable"}:                                                   NewPlan(0, 0, 0, 1, 0),
		{Short: "portable", Bulk: "generic", BulkMin: 7, Serial: "generic", Many: "portable"}: NewPlan(1, 0, 0, 1, 7),
		{Short: "portable", Bulk: "generic", BulkMin: 7, ShortMin: 3}:                         NewPlan(1, 0, 0, 0, 7).From(3),
		{Short: "portable", Bulk: "generic", BulkMin: 7, Serial: "portable", Many: "generic"}: NewPlan(1, 0, 1, 0, 7),
	} {
		if err := UseProfile(bytes.NewReader(encode(profileFor("sm4", c))), "x"); err != nil {
			t.Fatal(err)
		}
		expect(t, table, want, byProfile)
		if table.Rule(Many) != "" || table.Default() != ruled {
			t.Errorf("%+v: %q, %+v", c, table.Rule(Many), table.Default())
		}
	}
	isolate(t, "sm4:portable")
	table = Register("sm4", rows(), rules...)
	expect(t, table, Uniform(1), "CIPHERLANE names it")
	if table.Rule(Many) != "" {
		t.Error("a rule in spite of CIPHERLANE")
	}
}

func TestBadRules(t *testing.T) {
	for name, rule := range map[string]Rule{
		"no such driver":    {For: Serial, Use: 3, Why: "x"},
		"no reason":         {For: Serial, Use: 0},
		"no kind":           {For: kinds, Use: 0, Why: "x"},
		"short of any size": {For: Short, Use: 0, Why: "x"},
		"serial of a size":  {For: Serial, Below: 64, Use: 0, Why: "x"},
		"short of no size":  {For: Short, From: 64, Below: 64, Use: 0, Why: "x"},
		"from below 0":      {For: Short, From: -1, Below: 64, Use: 0, Why: "x"},
		"from a large size": {For: Short, From: 4096, Below: 5000, Use: 0, Why: "x"},
		"serial, from":      {For: Serial, From: 5, Use: 0, Why: "x"},
		"serial, a floor":   {For: Serial, Use: 1, Why: "x"},
		"short, a floor":    {For: Short, Below: 64, Use: 1, Why: "x"},
	} {
		t.Run(name, func(t *testing.T) {
			isolate(t, "")
			defer func() {
				if recover() == nil || len(List()) != 0 {
					t.Error("accepted")
				}
			}()
			Register("sm4", rows(), rule)
		})
	}
}

// TestChooseAnything: for any table and any input size, the selected driver is an
// eligible one, and for large sizes there is no better one.
func TestChooseAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	features := cpu.AES | cpu.AVX2
	for range 20000 {
		rows := []Info{row("generic", 100, 0, 0, 0)}
		for len(rows) < 1+r.IntN(6) {
			some := []Features{0, cpu.AES, cpu.AVX2, cpu.GFNI, cpu.AES | cpu.GFNI}
			slow, mask := some[r.IntN(5)], some[r.IntN(5)]
			rows = append(rows, row("other", 50*r.IntN(10), some[r.IntN(5)], slow&mask, []int{0, 0, 1, 16, 256}[r.IntN(5)]))
		}
		plan := choose(rows, nil, features, 0, "").plan
		for _, n := range []int{0, 1, 15, 16, 17, 255, 256, 257, 1 << 20} {
			got := rows[plan.Pick(n)]
			if !got.Available() || got.Slow&features != 0 || got.MinBytes > n {
				t.Fatalf("%+v: %d bytes go to %+v", rows, n, got)
			}
			for _, other := range rows {
				usable := other.Available() && other.Slow&features == 0 && other.MinBytes <= n
				if usable && other.Priority > got.Priority && (n == 1<<20 || other.MinBytes == 0) {
					t.Fatalf("%+v: %d bytes go to %+v, not to %+v", rows, n, got, other)
				}
			}
		}
	}
}

// nowhere is a set that no machine has: features of three architectures.
const nowhere = cpu.AVX512 | cpu.SVE | cpu.ZVKSED

func rows() []Info {
	return []Info{
		{Name: "generic", Priority: 100},
		{Name: "portable", Priority: 200, MinBytes: 32},
		{Name: "chimera", Priority: 500, Needs: nowhere},
	}
}

func TestRegister(t *testing.T) {
	isolate(t, "")
	table := Register("sm4", rows())
	if table.Package() != "sm4" || table.Auto() != (newPlan(0, 1, 32)) || table.Why() != "highest priority of those that can run here" {
		t.Errorf("%q, %+v, %q", table.Package(), table.Auto(), table.Why())
	}
	drivers := table.Drivers()
	missing := nowhere &^ cpu.Features()
	if !drivers[0].Available() || !drivers[1].Available() || drivers[2].Available() || drivers[2].Missing != missing {
		t.Errorf("%+v, want the last to miss %v", drivers, missing)
	}
	drivers[0].Name = "changed"
	if table.Drivers()[0].Name != "generic" {
		t.Error("Drivers gives away the table itself")
	}
}

func TestRegisterEnvironment(t *testing.T) {
	isolate(t, "sm4:generic,sm3:chimera")
	if table := Register("sm4", rows()); table.Auto() != Uniform(0) || table.Why() != "CIPHERLANE names it" {
		t.Errorf("sm4: %+v, %q", table.Auto(), table.Why())
	}
	if table := Register("sm3", rows()); table.Auto() != (newPlan(0, 1, 32)) {
		t.Errorf("sm3: %+v", table.Auto())
	}
	if table := Register("aes", rows()); table.Auto() != (newPlan(0, 1, 32)) {
		t.Errorf("aes: %+v", table.Auto())
	}
}

// TestRegisterWithout disables every feature of this machine in turn: drivers that need
// it, or a feature that depends on it, become unavailable; others stay available.
func TestRegisterWithout(t *testing.T) {
	for _, name := range cpu.Features().Names() {
		isolate(t, "-"+name)
		left := cpu.Features().Without(cpu.Parse(name))
		table := Register("sm4", []Info{
			{Name: "generic", Priority: 100},
			{Name: "left", Priority: 200, Needs: left},
			{Name: "all", Priority: 300, Needs: cpu.Features()},
		})
		drivers := table.Drivers()
		if !drivers[1].Available() || drivers[2].Missing != cpu.Features()&^left || !drivers[2].Missing.Has(cpu.Parse(name)) {
			t.Errorf("-%s: %+v", name, drivers)
		}
		if table.Auto() != Uniform(1) {
			t.Errorf("-%s: %+v", name, table.Auto())
		}
	}
}

func TestRegisterBad(t *testing.T) {
	for name, rows := range map[string][]Info{
		"none":  nil,
		"needs": {{Name: "aes", Needs: cpu.AES}},
		"slow":  {{Name: "generic", Slow: cpu.AES}},
		"floor": {{Name: "generic", MinBytes: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			isolate(t, "")
			defer func() {
				if recover() == nil || len(List()) != 0 {
					t.Error("taken")
				}
			}()
			Register("sm4", rows)
		})
	}
}

func TestOn(t *testing.T) {
	isolate(t, "")
	table := Register("sm4", rows())
	for i, name := range []string{"generic", "portable"} {
		if plan, err := table.On(name); plan != Uniform(uint8(i)) || err != nil {
			t.Errorf("On(%q) = %+v, %v", name, plan, err)
		}
	}
	for name, want := range map[string]error{"chimera": ErrUnavailable, "": ErrUnknown, "Generic": ErrUnknown, "gfni": ErrUnknown} {
		plan, err := table.On(name)
		if plan != 0 || !errors.Is(err, want) || errors.Is(err, ErrUnknown) && errors.Is(err, ErrUnavailable) {
			t.Errorf("On(%q) = %+v, %v, want %v", name, plan, err, want)
		}
	}
	_, err := table.On("gfni")
	if want := `sm4: no such driver: "gfni" (known here: generic, portable, chimera)`; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	_, err = table.On("chimera")
	if want := "sm4: driver not available on this machine: chimera lacks " + (nowhere &^ cpu.Features()).String(); err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}

func TestList(t *testing.T) {
	isolate(t, "")
	if got := List(); len(got) != 0 {
		t.Errorf("%d tables before any is registered", len(got))
	}
	for _, pkg := range []string{"sm4", "aes", "sm3", "chacha20poly1305"} {
		Register(pkg, rows())
	}
	list := List()
	var got []string
	for _, table := range list {
		got = append(got, table.Package())
	}
	if want := []string{"aes", "chacha20poly1305", "sm3", "sm4"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	clear(list)
	if List()[0] == nil {
		t.Error("List gives away its own slice")
	}
}

func TestWarnings(t *testing.T) {
	isolate(t, "nonsense,-avx1024,sm4:chimera,sm3:gfni,aes:portable,absent:generic,-neon")
	for _, pkg := range []string{"sm4", "aes", "sm3"} {
		Register(pkg, rows())
	}
	want := []string{
		`CIPHERLANE: unknown term "nonsense"`,
		`CIPHERLANE: unknown term "-avx1024"`,
		`CIPHERLANE: sm3: no such driver: "gfni" (known here: generic, portable, chimera)`,
		`CIPHERLANE: sm4: driver not available on this machine: chimera lacks `,
	}
	got := Warnings()
	if len(got) != len(want) || !slices.Equal(got[:3], want[:3]) || !strings.HasPrefix(got[3], want[3]) {
		t.Errorf("warnings\n%q, want\n%q", got, want)
	}
	got[0] = "changed"
	if second := Warnings(); second[0] != want[0] || len(second) != len(want) {
		t.Errorf("the second time: %q", second)
	}
}

func TestNewTable(t *testing.T) {
	isolate(t, "part:portable,-avx2")
	table := newTable("part", []Info{{Name: "generic"}, {Name: "portable"}, {Name: "vector", Priority: 1, Needs: cpu.AVX2}})
	if len(List()) != 0 {
		t.Error("a part is in the list")
	}
	if plan, err := table.On("portable"); err != nil || plan != Uniform(1) {
		t.Errorf("On: %v, %v", plan, err)
	}
	if _, err := table.On("vector"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a driver whose feature is taken away: %v", err)
	}
}

func TestChoices(t *testing.T) {
	isolate(t, "sm4:generic,-avx512,absent:x,nonsense")
	want := map[string]string{"sm4": "generic", "absent": "x"}
	got := Choices()
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	clear(got)
	if second := Choices(); !maps.Equal(second, want) {
		t.Errorf("Choices gives away its own map")
	}
}

// A program without package linux, such as this test, warns that the term has no effect.
func TestLinux(t *testing.T) {
	isolate(t, "linux=engine")
	if mode, ok := Linux(); mode != LinuxEngine || !ok || mode.String() != "engine" || LinuxMode(9).String() != "unknown" {
		t.Errorf("mode %v, %v", mode, ok)
	}
	want := []string{"CIPHERLANE: linux=engine: this program does not import package linux"}
	if got := Warnings(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	isolate(t, "linux=off")
	if mode, ok := Linux(); mode != LinuxOff || !ok || len(Warnings()) != 0 {
		t.Errorf("%v, %v, %q", mode, ok, Warnings())
	}
	isolate(t, "sm4:generic")
	if mode, ok := Linux(); mode != LinuxOff || ok {
		t.Errorf("%v, %v", mode, ok)
	}
}

func TestNoWarnings(t *testing.T) {
	isolate(t, "sm4:generic,-avx512")
	Register("sm4", rows())
	if got := Warnings(); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// TestFeatures checks the text of sets, which other programs read.
func TestFeatures(t *testing.T) {
	text, err := json.Marshal(Info{Needs: cpu.AES | cpu.AVX2})
	if err != nil || !strings.Contains(string(text), `"Needs":"aes avx2"`) || !strings.Contains(string(text), `"Missing":""`) {
		t.Errorf("%s, %v", text, err)
	}
}
