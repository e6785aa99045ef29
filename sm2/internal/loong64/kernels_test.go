//go:build loong64 && !purego

package loong64

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/sm2/internal/kerneltest"
)

var kernels = kerneltest.Kernels{
	Mul: MulLA64, Square: SquaresLA64, Double: DoubleLA64, Add: AddLA64, AddAffine: AddAffineLA64,
	Get: GetLA64, BasePoints: BasePointsLA64, MultiplyBase: SumBaseLA64,
}

// withLSX are those of the driver lsx.
var withLSX = kernels

func init() {
	withLSX.Get, withLSX.BasePoints, withLSX.MultiplyBase = GetLSX, BasePointsLSX, SumBaseLSX
}

func TestLSX(t *testing.T) {
	if !cpu.Features().Has(cpu.LSX) {
		t.Skip("no LSX")
	}
	withLSX.Test(t)
}

func TestLA64(t *testing.T) {
	kernels.Test(t)
}

func FuzzLA64(f *testing.F) {
	kernels.Fuzz(f)
}
