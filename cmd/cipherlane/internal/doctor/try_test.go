package doctor

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// TestTryRefused: features that no test can show are refused, each with its reason.
func TestTryRefused(t *testing.T) {
	for name, want := range map[string]string{
		"v": "must save", "zvkned": "must save", "zvbb": "must save",
		"zkt": "promise about time", "zvkt": "promise about time",
		"avx2": "only features that the system reports", "zbx": "no such feature", "": "no such feature",
	} {
		if _, err := tryable([]string{name}); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", name, err)
		}
	}
	_, err := tryable([]string{"zbb"})
	if (err == nil) != cpu.Assertable().Has(cpu.ZBB) {
		t.Errorf("zbb: %v", err)
	}
}

// TestTryFeatures has drivers that need one feature, two, and one that is not there.
func TestTryFeatures(t *testing.T) {
	needs := map[candidate]drivers.Features{
		{"a", "one"}: cpu.ZBB, {"b", "two"}: cpu.ZBA | cpu.ZBB, {"c", "bad"}: cpu.ZBC, {"d", "with"}: cpu.ZBKB | cpu.ZBC,
	}
	order := []candidate{{"a", "one"}, {"b", "two"}, {"c", "bad"}, {"d", "with"}}
	find := func(f, extra drivers.Features) (list []candidate) {
		for _, c := range order {
			if needs[c].Has(f) && extra.Has(needs[c]) {
				list = append(list, c)
			}
		}
		return list
	}
	test := func(c candidate, extra drivers.Features) error {
		if !extra.Has(needs[c]) {
			t.Errorf("%v is tested with %v", c, extra)
		}
		if c.name == "bad" {
			return errors.New("illegal instruction")
		}
		return nil
	}
	missing := (cpu.ZBA | cpu.ZBB | cpu.ZBC | cpu.ZBKB) &^ cpu.Told()
	if missing != cpu.ZBA|cpu.ZBB|cpu.ZBC|cpu.ZBKB {
		t.Skip("this system tells some of them")
	}
	passed, results := tryFeatures([]drivers.Features{cpu.ZBA, cpu.ZBB, cpu.ZBC, cpu.ZBKB}, find, test)
	var got []string
	for _, r := range results {
		got = append(got, r.Feature+" "+r.Status)
	}
	if want := []string{"zba passed", "zbb passed", "zbc failed", "zbkb untested"}; passed != cpu.ZBA|cpu.ZBB || !slices.Equal(got, want) {
		t.Errorf("%v: %q", passed, got)
	}
	// A test that does not run says nothing about the feature.
	test = func(candidate, drivers.Features) error { return untestedError{errors.New("no room for a profile")} }
	passed, results = tryFeatures([]drivers.Features{cpu.ZBB, cpu.ZBA}, find, test)
	if r := results[0]; passed != 0 || r.Status != "untested" || len(r.Drivers) != 0 || r.Why != "no room for a profile" {
		t.Errorf("%v: %+v", passed, results)
	}
}

// TestSelftestUntested: what prevents a test is not a failure of the feature.
func TestSelftestUntested(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	if err := selftestWith(candidate{"sm3", "generic"}, cpu.ZBB); !errors.As(err, new(untestedError)) {
		t.Errorf("without a folder for the profile: %v", err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv(clitest.AsCommand, "1")
	if err := selftestWith(candidate{"sm3", "nosuch"}, 0); !errors.As(err, new(untestedError)) {
		t.Errorf("a driver that is not there: %v", err)
	}
	tryEmulator = []string{"/nosuch"}
	defer func() { tryEmulator = nil }()
	if err := selftestWith(candidate{"sm3", "generic"}, 0); !errors.As(err, new(untestedError)) {
		t.Errorf("a program that does not start: %v", err)
	}
}
