package drivers

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

// The first driver is for all machines and sizes; others need not be.
func TestFirstDriver(t *testing.T) {
	other := Info{Name: "other", Needs: cpu.AVX2, Slow: cpu.AVX2, MinBytes: 5}
	for name, c := range map[string]struct {
		rows []Info
		ok   bool
	}{
		"none":              {nil, false},
		"one":               {[]Info{{Name: "generic"}}, true},
		"another":           {[]Info{{Name: "generic"}, other}, true},
		"needs a feature":   {[]Info{{Name: "generic", Needs: cpu.AVX2}, {Name: "second"}}, false},
		"slow with another": {[]Info{{Name: "generic", Slow: cpu.AVX2}, {Name: "second"}}, false},
		"not for one byte":  {[]Info{{Name: "generic", MinBytes: 1}, {Name: "second"}}, false},
	} {
		func() {
			defer func() {
				if p := recover(); (p == nil) != c.ok {
					t.Errorf("%s: %v", name, p)
				}
			}()
			newTable("part", c.rows)
		}()
	}
}
