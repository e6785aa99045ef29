package selftest

import (
	"strings"
	"testing"
)

func TestFMA(t *testing.T) {
	if err := checkFMA(compiledFMA, 2000); err != nil {
		t.Error(err)
	}
}

// TestFMAPlanted has wrong signs and a second rounding.
func TestFMAPlanted(t *testing.T) {
	for want, plant := range map[string]func(*fusedOps){
		"x*y + z is":         func(o *fusedOps) { o.f64[0] = sub64 },
		"x*y - z is":         func(o *fusedOps) { o.f64[1] = negSub64 },
		"z - x*y is":         func(o *fusedOps) { o.f64[2] = negSub64 },
		"-(x*y) - z is":      func(o *fusedOps) { o.f64[3] = negAdd64 },
		"x*y - z in float32": func(o *fusedOps) { o.f32[1] = add32 },
		"z - x*y in float32": func(o *fusedOps) { o.f32[2] = sub32 },
		"math.FMA for z - x*y is": func(o *fusedOps) {
			o.fma[2] = func(x, y, z float64) float64 { return z - float64(x*y) }
		},
		"math.FMA for x*y + z is":    func(o *fusedOps) { o.fma[0] = fmaSub },
		"math.FMA for x*y - z is":    func(o *fusedOps) { o.fma[1] = fmaNegSub },
		"math.FMA for -(x*y) - z is": func(o *fusedOps) { o.fma[3] = fmaNegAdd },
	} {
		ops := compiledFMA
		plant(&ops)
		if err := checkFMA(ops, 200); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
