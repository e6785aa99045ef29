//go:build !purego

package cpu

import (
	"os"
	"testing"
)

// The CPU's own name is used, and Linux has it from there.
func TestBrand(t *testing.T) {
	name := brand()
	if Model() != name && name != "" {
		t.Errorf("%q, want %q", Model(), name)
	}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil && name == "" && model(string(text)) != "" {
		t.Errorf("no name, and Linux has %q", model(string(text)))
	}
}
