package conformance

import (
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// nowhere is a set that no machine has: features of two architectures.
const nowhere = cpu.GFNI | cpu.AVX512 | cpu.SVE

var table = []drivers.Info{
	{Name: "generic"},
	{Name: "aesni-avx2"},
	{Name: "gfni-avx512", Needs: nowhere, Missing: nowhere},
}

func TestEachDriver(t *testing.T) {
	t.Setenv("CIPHERLANE_REQUIRE", "x:aesni-avx2, y:gfni-avx512")
	var ran []string
	drivers.New("x", table)
	EachDriver(t, "x", func(t *testing.T, name string) {
		ran = append(ran, name)
		if !strings.HasSuffix(t.Name(), "/"+name) {
			t.Errorf("subtest %s for driver %s", t.Name(), name)
		}
	})
	if !slices.Equal(ran, []string{"generic", "aesni-avx2"}) {
		t.Errorf("ran %v", ran)
	}
}

func TestRequirements(t *testing.T) {
	pass := func(testing.TB, string) {}
	for _, c := range []struct {
		require    string
		drivers    []drivers.Info
		f          func(t testing.TB, name string)
		runPattern string // what -run lets through
		want       string // part of the complaint
	}{
		{require: "", drivers: table},
		{require: " , x:generic,,y:none", drivers: table},
		{require: "x:generic,x:aesni-avx2", drivers: table},
		{require: "", drivers: nil, want: "no drivers"},
		{require: "x:gfni-avx512", drivers: table, want: "x:gfni-avx512 was skipped"},
		{require: "x:gfni", drivers: table, want: `no driver "gfni"`},
		{require: "generic", drivers: table, want: "not package:driver"},
		{require: "y:none,:generic", drivers: table, want: "not package:driver"},
		{require: "x:", drivers: table, want: "not package:driver"},
		{require: "x:generic", drivers: table, runPattern: "aesni-avx2", want: "x:generic did not run"},
		{require: "x:aesni-avx2", drivers: table, runPattern: "aesni-avx2"},
		{require: "x:generic", drivers: table, f: func(t testing.TB, _ string) { t.Skip() }, want: "x:generic was skipped"},
		{require: "", drivers: table, f: func(t testing.TB, _ string) { t.Skip() }},
		{require: "", drivers: table, f: func(t testing.TB, _ string) { t.Fatal("the driver fails") }, want: "the driver fails"},
	} {
		if c.f == nil {
			c.f = pass
		}
		r := &recorder{TB: t}
		run := func(name string, f func(t testing.TB)) {
			if c.runPattern == "" || c.runPattern == name {
				sub := &recorder{TB: t}
				sub.run(f)
				if sub.said != "" {
					r.Error(sub.said)
				}
			}
		}
		r.run(func(t testing.TB) { eachDriver(t, run, "x", c.drivers, c.require, c.f) })
		if (c.want == "") != (r.said == "") || !strings.Contains(r.said, c.want) {
			t.Errorf("CIPHERLANE_REQUIRE=%s, -run %q: got %q, want %q", c.require, c.runPattern, r.said, c.want)
		}
	}
}
