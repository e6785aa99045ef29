package selftest

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
)

// Multiplication and addition with one rounding, as Go's compiler uses it on riscv64, arm64,
// ppc64le and s390x. Assemblers and emulators have confused the four instructions, which
// differ in signs. No kernel of cipherlane uses floating point, but programs around it do.

// fusedOps are the functions under test. Operands arrive at run time.
type fusedOps struct {
	f64 [4]func(x, y, z float64) float64
	f32 [4]func(x, y, z float32) float32
	fma [4]func(x, y, z float64) float64 // by math.FMA, which is one instruction with signs
}

// signs are those of the product and of the addend.
var signs = [4]struct {
	product, addend float64
	text            string
}{{1, 1, "x*y + z"}, {1, -1, "x*y - z"}, {-1, 1, "z - x*y"}, {-1, -1, "-(x*y) - z"}}

var compiledFMA = fusedOps{
	f64: [4]func(x, y, z float64) float64{add64, sub64, negAdd64, negSub64},
	f32: [4]func(x, y, z float32) float32{add32, sub32, negAdd32, negSub32},
	fma: [4]func(x, y, z float64) float64{fmaAdd, fmaSub, fmaNegAdd, fmaNegSub},
}

//go:noinline
func add64(x, y, z float64) float64 { return x*y + z }

//go:noinline
func sub64(x, y, z float64) float64 { return x*y - z }

//go:noinline
func negAdd64(x, y, z float64) float64 { return z - x*y }

//go:noinline
func negSub64(x, y, z float64) float64 { return -(x * y) - z }

//go:noinline
func add32(x, y, z float32) float32 { return x*y + z }

//go:noinline
func sub32(x, y, z float32) float32 { return x*y - z }

//go:noinline
func negAdd32(x, y, z float32) float32 { return z - x*y }

//go:noinline
func negSub32(x, y, z float32) float32 { return -(x * y) - z }

//go:noinline
func fmaAdd(x, y, z float64) float64 { return math.FMA(x, y, z) }

//go:noinline
func fmaSub(x, y, z float64) float64 { return math.FMA(x, y, -z) }

//go:noinline
func fmaNegAdd(x, y, z float64) float64 { return math.FMA(-x, y, z) }

//go:noinline
func fmaNegSub(x, y, z float64) float64 { return math.FMA(-x, y, -z) }

// checkFMA compares n random operands with exact results.
func checkFMA(ops fusedOps, n int) error {
	for range n {
		x, y, z := operand(), operand(), operand()
		for i, sign := range signs {
			// Go's compiler may fuse, but need not.
			exact := exactFMA(sign.product*x, y, sign.addend*z)
			want, _ := exact.Float64()
			if got := ops.f64[i](x, y, z); got != want && got != sign.product*float64(x*y)+sign.addend*z {
				return fmt.Errorf("%s is %v, want %v: x, y, z = %v, %v, %v", sign.text, got, want, x, y, z)
			}
			if got := ops.fma[i](x, y, z); got != want {
				return fmt.Errorf("math.FMA for %s is %v, want %v: x, y, z = %v, %v, %v", sign.text, got, want, x, y, z)
			}
			a, b, c := float32(x), float32(y), float32(z)
			short, _ := exactFMA(sign.product*float64(a), float64(b), sign.addend*float64(c)).Float32()
			if got := ops.f32[i](a, b, c); got != short && got != float32(sign.product)*float32(a*b)+float32(sign.addend)*c {
				return fmt.Errorf("%s in float32 is %v, want %v: x, y, z = %v, %v, %v", sign.text, got, short, a, b, c)
			}
		}
	}
	return nil
}

// operand returns a number that is not small or large, so that all bits of a product and
// a sum fit into exactly's.
func operand() float64 {
	x := math.Ldexp(1+rand.Float64(), rand.IntN(40)-20)
	if rand.IntN(2) == 0 {
		return -x
	}
	return x
}

func exactFMA(x, y, z float64) *big.Float {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }
	product := number(x)
	return product.Add(product.Mul(product, number(y)), number(z))
}
