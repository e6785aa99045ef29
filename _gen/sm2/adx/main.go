// Command adx writes the kernels of sm2/internal/amd64 that need BMI2 and ADX: arithmetic modulo
// p on four limbs of 64 bits, and on points of the curve.
//
// # Algorithm
//
// Numbers modulo p = 2^256 - 2^224 - 2^96 + 2^64 - 1 are in Montgomery's form with 2^256.
// A product t = x y is a row of MULX for each limb of y, added in two chains of carries (ADCX and
// ADOX). The reduction adds m p, which makes two limbs 0 at a time; with m = m0 + 2^64 m1,
//
//	m0 = t0                   m1 = t1 + t0 - 2^32 t0
//	m p + m = m (2^256 - 2^224 - 2^96 + 2^64)          shifts and subtractions only
//
// twice, and then subtracts p if that is needed (field.go). Points are Jacobian (point.go):
//
//	doubling   M = 3/2 (X - Z^2)(X + Z^2), S = X Y^2
//	           X' = M^2 - 2 S,  Y' = M (S - X') - Y^4,  Z' = Y Z
//	addition   H = U2 - U1, S = S2 - S1
//	           X' = S^2 - H^3 - 2 U1 H^2,  Y' = S (U1 H^2 - X') - S1 H^3,  Z' = Z1 Z2 H
//
// base.go computes k G with a sum in coordinates X, Y, Z^2, Z^3, while the vector units read all
// entries of the next row of its table (table.go). Values that are not wanted are replaced by
// conditional moves.
//
// # Registers
//
//	R8 ... R11             result of every operation (low), and limbs 0 to 3 of a product
//	AX, BX, CX, R12        limbs 4 to 7 of a product
//	SI, DI, DX, R14, BP    temporary; R14 points to an operand at first
//	R13                    32, for shifts that leave the flags alone
//	R15                    pointer to the result
//	Y0 ... Y5              sums of table entries of even and of odd number
//	Y8, Y9, Y10, Y11       number wanted, of the even entry, 2, of the odd entry
//	Y6, Y7, Y12, Y13, Y14  parts of an entry, masks
//	stack                  temporary numbers, wiped at the end
//
// # Bound
//
// The multiplier. Zen 4 begins a MULX in each cycle, but among additions only one in 1.7 to 1.9
// cycles: 16 take about 30 cycles, the 10 of a squaring 19. A product has a hundred other
// instructions, and a latency of 50 cycles.
// Measured on Zen 4: 37 cycles for a product, 30 for a squaring, 320 for a doubling (4 products, 4
// squarings), 690 for an addition (12 and 4), 485 for one of an affine point (8 and 3), 465 for a
// digit of the base point (8 and 2, with its row of the table).
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	. "github.com/mmcloughlin/avo/build"
)

//go:generate go run . -kernel field -out ../../../sm2/internal/amd64/field_adx_amd64.s
//go:generate go run . -kernel point -out ../../../sm2/internal/amd64/point_adx_amd64.s
//go:generate go run . -kernel base -out ../../../sm2/internal/amd64/base_adx_amd64.s
//go:generate go run . -kernel table -out ../../../sm2/internal/amd64/table_adx_amd64.s

func main() {
	kernel := flag.String("kernel", "", "which file")
	flag.Parse()
	ConstraintExpr("!purego")
	switch *kernel {
	case "field":
		globals()
		mul()
		square()
	case "point":
		globals()
		double()
		add()
		addAffine()
	case "base":
		globals()
		multiplyBase()
	case "table":
		get()
	default:
		panic("no such kernel: " + *kernel)
	}
	amd64.Generate()
}
