package cpu

import "testing"

func TestKnown(t *testing.T) {
	for model, want := range map[string]Set{
		"sifive,u74-mc":             ZBA | ZBB,
		"SiFive U74":                ZBA | ZBB,
		"spacemit,x60":              V | ZBA | ZBB | ZBC,
		"thead,c908":                ZBA | ZBB | ZBC,
		"qemu":                      0,
		"":                          0,
		"AMD EPYC 9B45 64-Core CPU": 0,
	} {
		if got := Known(model); got != want {
			t.Errorf("%q: %v", model, got)
		}
	}
}

// TestAssertable: nothing for which the kernel must save registers, and no promise about
// time, is among the features that a profile may add.
func TestAssertable(t *testing.T) {
	for _, f := range []Set{V, ZVBB, ZVBC, ZVKB, ZVKG, ZVKNED, ZVKSED, ZVKSH, ZVKT} {
		if Assertable()&f != 0 {
			t.Error(f)
		}
	}
}
