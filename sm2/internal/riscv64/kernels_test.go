//go:build riscv64 && !purego

package riscv64

import (
	"testing"

	"github.com/cipherlane/cipherlane/sm2/internal/kerneltest"
)

var kernels = kerneltest.Kernels{
	Mul: MulRV64, Square: SquaresRV64, Double: DoubleRV64, Add: AddRV64, AddAffine: AddAffineRV64,
	Get: GetRV64, BasePoints: BasePointsRV64, MultiplyBase: SumBaseRV64,
}

func TestRV64(t *testing.T) {
	kernels.Test(t)
}

func FuzzRV64(f *testing.F) {
	kernels.Fuzz(f)
}
