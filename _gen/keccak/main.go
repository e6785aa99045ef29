// Command keccak writes the kernels of internal/keccak/internal/amd64: Keccak-f[1600] of one,
// four and eight states, and the sponge around it.
//
// # Algorithm
//
// A round of FIPS 202, section 3, for lanes a[x,y] of 64 bits, with package f1600:
//
//	theta   C[x] = a[x,0] ^ a[x,1] ^ ... ^ a[x,4]       D[x] = C[x-1] ^ (C[x+1] <<< 1)
//	rho, pi b[y',x'] = (a[x,y] ^ D[x]) <<< r[x,y]        five lanes at a time: a plane of b
//	chi     a'[x,y] = b[x,y] ^ (^b[x+1,y] & b[x+2,y])
//	iota    a'[0,0] ^= constant of the round
//
// bmi2.go (one state) and avx2.go (four, a lane of each in a register) add up the C of the next
// round while the lanes of a' come out, and write these to a second state in memory. avx512.go
// (four or eight) keeps the state in registers; results of chi stay where the inputs were, so
// that lanes change places, and are back after 24 rounds. VPTERNLOGQ is three-way exclusive or,
// and chi.
//
// # Registers
//
//	            bmi2                avx2           avx512
//	state       two on the stack    two in memory  Z0 ... Z24
//	C           AX BX CX DX SI      Y0 ... Y4      Z25 ... Z29
//	D           DI R8 R9 R10 BP     Y5 ... Y9      Z26, Z30, Z28, Z29, Z25, in place of C
//	b           R11 ... R15         Y10 ... Y14    in place of the state
//	temporary   BP, after plane 0   Y15            Z27, Z31
//	constants   pointer on stack    BX             BX
//
// # Bound
//
//	                            operations in a round      limit in 24 rounds, cycles
//	bmi2, one state             130, 25 stores             780 on Zen 4 (four integer units)
//	avx2, four states           190                        1140 (four vector units)
//	avx512, eight states        95, 29 of them rotations   570 on Zen 5, 1140 on Zen 4
//	avx512, four states in YMM  95                         570
//
// The path through a round is seven operations long, and little runs beside its end (bmi2) or its
// first half (avx512). llvm-mca gives 902 cycles for bmi2 and 1344 for avx2 on Zen 4. Measured, for
// the permutation or, with one state, for a block, in the order of the table: on Zen 4 892, 1320,
// 1440 and 760 cycles; on Zen 5 845, 1415 and 800 (eight states).
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
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
	amd64.Generate()
}
