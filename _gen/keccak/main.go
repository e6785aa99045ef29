// Command keccak writes the kernels of internal/keccak/internal/amd64.
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"

	"github.com/cipherlane/cipherlane/_gen/keccak/f1600"
)

//go:generate go run . -kernel bmi2 -out ../../internal/keccak/internal/amd64/sponge_bmi2_amd64.s
//go:generate go run . -kernel avx2 -out ../../internal/keccak/internal/amd64/lanes_avx2_amd64.s
//go:generate go run . -kernel avx512 -out ../../internal/keccak/internal/amd64/lanes_avx512_amd64.s

func main() {
	kernel := flag.String("kernel", "", "bmi2, avx2 or avx512")
	flag.Parse()
	ConstraintExpr("!purego")
	switch *kernel {
	case "bmi2":
		table := f1600.Constants("roundConstants")
		absorbBMI2(table)
		squeezeBMI2(table)
	case "avx2":
		permuteAVX2()
		absorbAVX2()
		squeezeAVX2()
	case "avx512":
		permuteAVX512()
		absorbAVX512()
		squeezeAVX512()
	default:
		panic("no such kernel: " + *kernel)
	}
	Generate()
}
