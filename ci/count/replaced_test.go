//go:build linux

package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestReplacedFiles: the table of the command and the documents are those of the counts.
func TestReplacedFiles(t *testing.T) {
	t.Chdir("../..")
	list, _, err := readPairs()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if !slices.Contains(units, p.unit()) {
			t.Errorf("%s: is in no table", p)
		}
	}
	want := replacedSections(list)
	want[tableFile] = choices(list)
	for file, text := range want {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), text) {
			t.Errorf("%s is not what go run ./ci/count -replaced -write makes of %s", file, countsFile)
		}
	}
}

// TestDecide has each kind of decision.
func TestDecide(t *testing.T) {
	at := func(goarch, machine, library, operation string, theirs, ours float64) pair {
		return pair{goarch, machine, library, 64, theirs, ours, operation}
	}
	list := []pair{
		at("arm", "m", "gmsm", "SM3", 100, 105),
		at("mips", "m", "gmsm", "SM3", 100, 106),
		at("arm", "m", "gmsm", "SM4-CTR", 100, 50),
		at("arm", "m", "gmsm", "SM4-CBC encrypt", 100, 600),
		at("ppc64le", "m", "gmsm", "SM4-CBC encrypt", 100, 600),
		at("amd64", "old", "gmsm", "SM3", 100, 200),
		at("amd64", "times", "gmsm", "SM3", 100, 90),
	}
	gmsm := modules["gmsm"]
	for _, c := range []struct{ algorithm, goarch, want string }{
		{"SM3", "arm", "yes"},
		{"SM3", "mips", "no"},
		{"SM4", "arm", "tables"},
		{"SM4", "ppc64le", "no"},
		{"SM3", "amd64", "yes"}, // times decide
		{"SM3", "wasm", "no"},   // nobody has counted
	} {
		if got, _, _ := (unit{gmsm, c.algorithm}).decide(list, c.goarch); got != c.want {
			t.Errorf("%s on %s: %s, want %s", c.algorithm, c.goarch, got, c.want)
		}
	}
}
