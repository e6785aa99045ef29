//go:build !purego

package drivers_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	_ "github.com/cipherlane/cipherlane/internal/catalog" // all tables
	"github.com/cipherlane/cipherlane/internal/drivers"
)

var update = flag.Bool("update", false, "write testdata/plans_GOARCH.txt")

// TestPlansOfCPUs: a change of a priority, a rule or what a driver needs is seen in testdata. It
// has a line for each driver, on a CPU that has just what the driver needs, and for each
// microarchitecture that has rules, with all features. Write it anew with
//
//	go test ./internal/drivers -run TestPlansOfCPUs -update
func TestPlansOfCPUs(t *testing.T) {
	var b strings.Builder
	for _, table := range drivers.List() {
		rows := table.Drivers()
		fmt.Fprintf(&b, "%s\n", table.Package())
		var all drivers.Features
		for _, r := range rows {
			needs := r.Needs.String()
			if needs == "" {
				needs = "nothing"
			}
			fmt.Fprintf(&b, "\t%s: %s\n", needs, table.DescribeOn(drivers.With(r.Needs), 0))
			all |= drivers.With(r.Needs)
		}
		for _, uarch := range table.Microarchitectures() {
			name, plan := uarch.String(), table.DescribeOn(all, uarch)
			if uarch == 0 {
				name = "another CPU"
			}
			fmt.Fprintf(&b, "\teverything, %s: %s\n", name, plan)
		}
	}
	name := "testdata/plans_" + runtime.GOARCH + ".txt"
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Skipf("no architecture with rules: %v", err)
	}
	if b.String() != string(want) {
		t.Errorf("the plans are not those of %s but\n%s", name, b.String())
	}
}

// TestEveryRuleCounts: whatever is changed in a table of drivers, a plan changes, on a CPU with just
// what a driver needs, on one that lacks a feature of these, or on one with all features.
func TestEveryRuleCounts(t *testing.T) {
	for _, table := range drivers.List() {
		var all drivers.Features
		cpus := map[drivers.Features]bool{}
		for _, r := range table.Drivers() {
			has := drivers.With(r.Needs)
			all |= has
			cpus[has] = true
			for rest := r.Needs; rest != 0; rest &= rest - 1 {
				cpus[has.Without(rest&-rest)] = true
			}
		}
		cpus[all] = true
		for what, changed := range table.Changed() {
			seen := false
			for features := range cpus {
				for _, uarch := range table.Microarchitectures() {
					seen = seen || changed.DescribeOn(features, uarch) != table.DescribeOn(features, uarch)
				}
			}
			if !seen {
				t.Errorf("%s: %s changes no plan", table.Package(), what)
			}
		}
	}
}
