package conformance

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

// EachDriver runs f as a subtest for every driver of a package that this machine
// can run. It skips the others, with a message about the missing features.
//
// CIPHERLANE_REQUIRE lists drivers that must run, as "sm4:gfni-avx512,sm3:generic":
// if one of this package is unknown, unavailable, excluded by -run or skips its
// test, the test fails. It is for machines with known features, real or emulated,
// where a driver that is silently skipped is an error.
func EachDriver(t *testing.T, pkg string, f func(t *testing.T, name string)) {
	t.Helper()
	run := func(name string, f func(t testing.TB)) { t.Run(name, func(t *testing.T) { f(t) }) }
	eachDriver(t, run, pkg, drivers.Find(pkg).Drivers(), os.Getenv("CIPHERLANE_REQUIRE"), func(t testing.TB, name string) { f(t.(*testing.T), name) })
}

var allPairs = flag.Bool("pairs", false, "test mixed plans with every pair of drivers, not only with each driver and the next one")

// EachPair runs f as the subtest mixed/a+b for pairs of drivers that this machine can run:
// each driver and the next one, or every pair with the flag -pairs. next is the driver
// after b. With CIPHERLANE_REQUIRE, it runs pairs of drivers that are listed there.
func EachPair(t *testing.T, pkg string, f func(t *testing.T, a, b, next string)) {
	t.Helper()
	require := os.Getenv("CIPHERLANE_REQUIRE")
	required, err := requirements(require, pkg)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range drivers.Find(pkg).Drivers() {
		if d.Available() && (require == "" || slices.Contains(required, d.Name)) {
			names = append(names, d.Name)
		}
	}
	for i, a := range names {
		for j, b := range names {
			if i != j && (*allPairs || j == (i+1)%len(names)) {
				t.Run("mixed/"+a+"+"+b, func(t *testing.T) { f(t, a, b, names[(j+1)%len(names)]) })
			}
		}
	}
}

// eachDriver is EachDriver over an interface, so that tests can observe it fail.
func eachDriver(t testing.TB, run func(name string, f func(t testing.TB)), pkg string, rows []drivers.Info, require string, f func(t testing.TB, name string)) {
	t.Helper()
	if len(rows) == 0 {
		t.Errorf("package %s has no drivers", pkg)
	}
	names, err := requirements(require, pkg)
	if err != nil {
		t.Error(err)
	}
	for _, name := range names {
		if !slices.ContainsFunc(rows, func(d drivers.Info) bool { return d.Name == name }) {
			t.Errorf("CIPHERLANE_REQUIRE: package %s has no driver %q", pkg, name)
		}
	}
	for _, d := range rows {
		required := slices.Contains(names, d.Name)
		ran := false
		run(d.Name, func(t testing.TB) {
			ran = true
			if required {
				t.Cleanup(func() {
					if t.Skipped() {
						t.Errorf("CIPHERLANE_REQUIRE: %s:%s was skipped", pkg, d.Name)
					}
				})
			}
			if !d.Available() {
				t.Skipf("this machine lacks %v", d.Missing)
			}
			f(t, d.Name)
		})
		if required && !ran {
			t.Errorf("CIPHERLANE_REQUIRE: %s:%s did not run", pkg, d.Name)
		}
	}
}

// requirements returns the drivers of one package in the value of
// CIPHERLANE_REQUIRE. A malformed term is an error in every package, because it may
// be meant for this one.
func requirements(value, pkg string) ([]string, error) {
	var names []string
	for term := range strings.SplitSeq(value, ",") {
		term = strings.TrimSpace(term)
		if term == "" {
			continue
		}
		p, name, ok := strings.Cut(term, ":")
		if !ok || p == "" || name == "" {
			return names, fmt.Errorf("CIPHERLANE_REQUIRE: %q is not package:driver", term)
		}
		if p == pkg {
			names = append(names, name)
		}
	}
	return names, nil
}
