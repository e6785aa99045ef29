package inventory

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/internal/catalog"
)

func TestListJSON(t *testing.T) {
	doc := clitest.ParseJSON[Document](t, clitest.Call{}, "list", "--json")
	if doc.Schema != 1 || doc.Machine.CPU == "" || doc.Machine.Features == nil {
		t.Errorf("schema %d, machine %+v", doc.Schema, doc.Machine)
	}
	var got, want []string
	for _, a := range doc.Algorithms {
		got = append(got, a.Name)
		i := slices.IndexFunc(a.Drivers, func(d Driver) bool { return d.Name == a.Auto.Bulk })
		if i < 0 || !a.Drivers[i].Available || !a.Drivers[i].Auto || a.Auto.Why == "" {
			t.Errorf("%s: takes %+v of %+v", a.Name, a.Auto, a.Drivers)
		}
		for _, name := range []string{a.Auto.Short, a.Auto.Serial, a.Auto.Many} {
			i := slices.IndexFunc(a.Drivers, func(d Driver) bool { return d.Name == name })
			if i < 0 || !a.Drivers[i].Available || !a.Drivers[i].Auto && (name != a.Auto.Short || a.Auto.BulkMin > 0) {
				t.Errorf("%s: takes %+v of %+v", a.Name, a.Auto, a.Drivers)
			}
		}
		for _, d := range a.Drivers {
			if d.Needs == nil || d.Missing == nil || d.Timing == "" || d.Available != (len(d.Missing) == 0) {
				t.Errorf("%s: driver %+v", a.Name, d)
			}
		}
	}
	for _, a := range catalog.All() {
		want = append(want, a.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("algorithms %q, want %q", got, want)
	}
	chosen := clitest.ParseJSON[Document](t, clitest.Call{Env: []string{"CIPHERLANE=sm4:generic"}}, "list", "--json", "sm4-gcm").Algorithms
	if len(chosen) != 1 || chosen[0].Auto.Bulk != "generic" || chosen[0].Name != "gcm(sm4)" {
		t.Errorf("with CIPHERLANE=sm4:generic: %+v", chosen)
	}
}

func TestList(t *testing.T) {
	out := clitest.Call{}.OK(t, "list")
	doc := clitest.ParseJSON[Document](t, clitest.Call{}, "list", "--json")
	if !strings.HasPrefix(out, doc.Machine.CPU+", ") {
		t.Errorf("does not begin with the CPU:\n%s", out)
	}
	for _, a := range doc.Algorithms {
		if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(a.Command) + ` +` + `(none|` + regexp.QuoteMeta(a.Name) + `) +` + regexp.QuoteMeta(a.Standard) + `$`).MatchString(out) {
			t.Errorf("no %s:\n%s", a.Name, out)
		}
		for _, d := range a.Drivers {
			words := "available"
			mark := " "
			if d.Auto {
				words, mark = "selected", `\*`
			} else if !d.Available {
				words = "not available: lacks " + strings.Join(d.Missing, " ")
			}
			if !regexp.MustCompile(`(?m)^` + mark + ` +` + d.Name + ` .*` + words).MatchString(out) {
				t.Errorf("no line for %s with %q:\n%s", d.Name, words, out)
			}
		}
	}
	if strings.ContainsAny(out, "\x1b\t") || regexp.MustCompile(`(?m) $`).MatchString(out) {
		t.Errorf("not plain text:\n%q", out)
	}
	if out := (clitest.Call{}).OK(t, "list", "sm3"); regexp.MustCompile(`(?m)^sm4|\(sm4\)`).MatchString(out) {
		t.Errorf("list sm3 has more:\n%s", out)
	}
}

func TestChoose(t *testing.T) {
	for _, test := range []struct {
		names string
		want  string
	}{
		{"sm3", "sm3"},
		{"sm3-hmac hmac(sm3)", "hmac(sm3)"},
		{"sm4-gcm", "gcm(sm4)"},
		{"gcm(sm4) sm4-gcm", "gcm(sm4)"},
		{"sm4", "ecb(sm4) cbc(sm4) bc(sm4) cts(cbc(sm4)) cfb(sm4) ofb(sm4) ofbnlf(sm4) ctr(sm4) xts(sm4) hctr(sm4) gcm(sm4) ccm(sm4) gcm-siv(sm4) siv(sm4) cmac(sm4) xcbc(sm4)"},
		{"sm4-ctr sm3 sm4-ctr", "ctr(sm4) sm3"},
	} {
		list, err := Choose(strings.Fields(test.names))
		if err != nil {
			t.Errorf("%s: %v", test.names, err)
		}
		var got []string
		for _, a := range list {
			got = append(got, a.Name)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %q, want %s", test.names, got, test.want)
		}
	}
	for _, a := range catalog.All() {
		if b, ok := Find(ShellName(a)); !ok || b.Name != a.Name {
			t.Errorf("%s does not lead back to %s", ShellName(a), a.Name)
		}
	}
	for _, name := range []string{"", "-", "sm4-", "-gcm", "sm4-xyz", "SM3", "gcm"} {
		if _, err := Choose([]string{name}); err == nil {
			t.Errorf("%q is an algorithm", name)
		}
	}
}

func TestNear(t *testing.T) {
	for name, want := range map[string]string{
		"sm4-gmc": "sm4-gcm", "sm4gcm": "sm4-gcm", "SM3": "sm3", "aes-ctrr": "aes-ctr", "sm5": "sm3", "ase-gcm": "aes-gcm", "chacha": "", "gcm": "", "frodo": "",
	} {
		_, err := Choose([]string{name})
		if did := fmt.Sprintf("did you mean %q?", want); err == nil || strings.Contains(err.Error(), did) != (want != "") || want == "" && strings.Contains(err.Error(), "did you mean") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
