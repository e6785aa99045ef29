package main

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/ci/figures/data"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

const machines = "../../docs/machines"

// complete reports whether this build has the drivers that most files are about.
func complete() bool {
	return runtime.GOARCH == "amd64" && len(drivers.Find("chacha20poly1305").Drivers()) > 1
}

// Rules and figures agree.
func TestRules(t *testing.T) {
	if !complete() {
		t.Skip("the figures are of drivers that this build lacks")
	}
	list, err := compare(machines)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range list {
		t.Error(text)
	}
}

// Without the rules of Zen 5, its figures show which one is missing.
func TestMissingRule(t *testing.T) {
	if !complete() {
		t.Skip("the figures are of drivers that this build lacks")
	}
	files, err := read(machines)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Machine.Name == "Zen 5" {
			f.Machine.Name = "a CPU without rules"
		}
	}
	found := differences(files)
	for _, want := range []struct {
		file, operation, driver string
		from, to                int
		ratio                   float64
	}{
		{"zen5-sweep", "ChaCha20-Poly1305 seal", "bmi2-avx512", 65, 3072, 1.13},
		{"zen5-sweep", "ChaCha20-Poly1305 open", "bmi2-avx512", 368, 3071, 1.11},
		{"zen5-sweep", "AES-128-CBC encrypt, 16 messages", "aesni", 16, 80, 1.12},
		{"zen5-sweep", "SM3 KDF", "bmi2-avx", 128, 144, 1.13},
		{"zen5", "ChaCha20-Poly1305 seal", "bmi2-avx512", 1420, 1420, 1.65},
	} {
		if !slices.ContainsFunc(found, func(d difference) bool {
			return d.file == want.file && d.operation == want.operation && d.driver == want.driver && d.from == want.from && d.to == want.to &&
				d.ratio > want.ratio-0.01 && d.ratio < want.ratio+0.01 && strings.Contains(d.text, "rule")
		}) {
			t.Errorf("%+v is not found", want)
		}
	}
}

// A rule that picks the slower driver is found, and so is one whose file is gone.
func TestWrongRule(t *testing.T) {
	if !complete() {
		t.Skip("the figures are of drivers that this build lacks")
	}
	files, err := read(machines)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range files["zen5"].Rows {
		if r.Operation == "ChaCha20-Poly1305 seal" && r.Bytes == 1024 && r.Driver == "avx512" {
			files["zen5"].Rows[i].Value /= 2
		}
	}
	if !slices.ContainsFunc(differences(files), func(d difference) bool {
		return d.file == "zen5" && d.operation == "ChaCha20-Poly1305 seal" && d.from == 1024 && d.driver == "avx512"
	}) {
		t.Error("the rule of Zen 5 is still right when avx512 takes half of the time")
	}
	delete(files, "zen5-sweep")
	if list := withoutFigures(files); len(list) != 1 || !strings.Contains(list[0], "chacha20poly1305: the rule for bmi2-avx512") {
		t.Errorf("%q", list)
	}
	if list := withoutFigures(map[string]*data.File{}); len(list) < 4 {
		t.Errorf("%q", list)
	}
}
