// Command adx writes the kernels of sm2/internal/amd64 that need BMI2 and ADX.
package main

import (
	"flag"

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
	Generate()
}
