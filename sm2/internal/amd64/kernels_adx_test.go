//go:build amd64 && !purego

package amd64

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/sm2/internal/kerneltest"
)

var kernels = kerneltest.Kernels{
	Mul: MulADX, Square: SquaresADX, Double: DoubleADX, Add: AddADX, AddAffine: AddAffineADX,
	Get: GetADX, MultiplyBase: SumBaseADX,
}

// needADX skips a test on a CPU that cannot run these kernels. The tests of package sm2
// check whether the CPU must be able to.
func needADX(t testing.TB) {
	if missing := (cpu.BMI2 | cpu.ADX | cpu.AVX2) &^ cpu.Features(); missing != 0 {
		t.Skipf("this CPU lacks %v", missing)
	}
}

func TestADX(t *testing.T) {
	needADX(t)
	kernels.Test(t)
}

func FuzzADX(f *testing.F) {
	needADX(f)
	kernels.Fuzz(f)
}
