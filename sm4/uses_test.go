package sm4_test

import (
	"maps"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/sm4"
)

// uses does everything that programs can do with a driver.
func uses(t *testing.T, name string, in conformance.Input) map[string][]byte {
	d := must(sm4.On(name))
	outputs := conformance.Uses(t, d, in)
	maps.Copy(outputs, sideBySide.Uses(t, d.New, in))
	return outputs
}

// FuzzDrivers compares every driver with the portable one, in all modes.
func FuzzDrivers(f *testing.F) {
	conformance.FuzzUses(f, sm4.Drivers(), uses, func(*testing.T, conformance.Input, map[string][]byte) {})
}

// Everything with secret keys and texts, with every driver that valgrind supports.
func TestSecretUses(t *testing.T) {
	for _, info := range sm4.Drivers() {
		if info.Available() {
			t.Log("driver", info.Name) // for ci/checks
			d := must(sm4.On(info.Name))
			conformance.Secrets(t, d, func(in conformance.Input) map[string][]byte { return sideBySide.Uses(t, d.New, in) })
		}
	}
}

func TestKeys(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm4.Driver) { conformance.Keys(t, d) })
}
