// Command keccak writes the kernels of internal/keccak/internal/amd64.
package main

import (
	"flag"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
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
		table := constants("roundConstants")
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

// plane lists, for each plane of the result, the lanes that theta, rho and pi
// bring into it, and by how much they are rotated (FIPS 202 sections 3.2.1 to
// 3.2.3). Lane x+5y belongs to column x.
var plane = [5][5]struct {
	lane   int
	rotate uint8
}{
	{{0, 0}, {6, 44}, {12, 43}, {18, 21}, {24, 14}},
	{{3, 28}, {9, 20}, {10, 3}, {16, 45}, {22, 61}},
	{{1, 1}, {7, 6}, {13, 25}, {19, 8}, {20, 18}},
	{{4, 27}, {5, 36}, {11, 10}, {17, 15}, {23, 56}},
	{{2, 62}, {8, 55}, {14, 39}, {15, 41}, {21, 2}},
}

// constants are those of iota.
func constants(name string) Mem {
	table := GLOBL(name, attr.RODATA|attr.NOPTR)
	state := byte(1) // the LFSR of section 3.2.5
	for round := range 24 {
		var c uint64
		for j := range 7 {
			if state&1 != 0 {
				c |= 1 << (1<<j - 1)
			}
			feedback := state >> 7
			state = state << 1
			if feedback != 0 {
				state ^= 0x71
			}
		}
		DATA(8*round, U64(c))
	}
	return table
}
