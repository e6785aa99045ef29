package driver_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// TestPackages: a profile may name every package that registers drivers, linked
// or not.
func TestPackages(t *testing.T) {
	for _, a := range catalog.All() {
		if !driver.Known(a.Package) {
			t.Errorf("no %s in the list of packages of profile.go", a.Package)
		}
	}
}

// TestWord: objects of this program get the drivers of Auto.
func TestWord(t *testing.T) {
	for _, table := range driver.List() {
		if got, want := drivers.Plan(table.Word()), drivers.Compact(table.Auto()); got != want {
			t.Errorf("%s: %#x, want %#x", table.Package(), got, want)
		}
	}
}

// TestRealProfile activates a profile for the packages of this program.
func TestRealProfile(t *testing.T) {
	if len(driver.Choices()) > 0 {
		t.Skip("CIPHERLANE names drivers")
	}
	p := driver.NewProfile()
	for _, table := range driver.List() {
		p.Drivers[table.Package()] = driver.Choice{Bulk: "generic"}
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := driver.UseProfile(bytes.NewReader(text), "test"); err != nil {
		t.Fatal(err)
	}
	for _, table := range driver.List() {
		if table.Auto() != drivers.Only(0) || table.Why() != "the profile names it" {
			t.Errorf("%s: %+v, %s", table.Package(), table.Auto(), table.Why())
		}
	}
	TestWord(t)
}
