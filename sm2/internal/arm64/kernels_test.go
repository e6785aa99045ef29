//go:build arm64 && !purego

package arm64

import (
	"testing"

	"github.com/cipherlane/cipherlane/sm2/internal/kerneltest"
)

var kernels = kerneltest.Kernels{
	Mul: MulARM64, Square: SquaresARM64, Double: DoubleARM64, Add: AddARM64, AddAffine: AddAffineARM64,
	Get: GetARM64, MultiplyBase: SumBaseARM64,
	BasePoints: BasePointsARM64, Products: ProductsARM64, AddPairs: AddPairsARM64, Invert: InvertARM64,
}

func TestARM64(t *testing.T) {
	kernels.Test(t)
}

func FuzzARM64(f *testing.F) {
	kernels.Fuzz(f)
}
