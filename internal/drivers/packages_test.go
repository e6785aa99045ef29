package drivers_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// TestPackages: a profile may name every package that registers drivers, linked
// or not.
func TestPackages(t *testing.T) {
	for _, a := range catalog.All() {
		if !drivers.Known(a.Package) {
			t.Errorf("no %s in the list of packages of profile.go", a.Package)
		}
	}
}

// TestRealProfile activates a profile for the packages of this program.
func TestRealProfile(t *testing.T) {
	if len(drivers.Choices()) > 0 {
		t.Skip("CIPHERLANE names drivers")
	}
	p := drivers.NewProfile()
	for _, table := range drivers.List() {
		p.Drivers[table.Package()] = drivers.Choice{Bulk: "generic"}
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := drivers.UseProfile(bytes.NewReader(text), "test"); err != nil {
		t.Fatal(err)
	}
	for _, table := range drivers.List() {
		if table.Auto() != drivers.Uniform(0) || table.Why() != "the profile names it" {
			t.Errorf("%s: %+v, %s", table.Package(), table.Auto(), table.Why())
		}
	}
}
