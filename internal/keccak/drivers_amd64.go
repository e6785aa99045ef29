//go:build !purego

package keccak

import (
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/keccak/internal/amd64"
)

// Rows of the table.
const (
	BMI2   uint8 = iota + 1
	AVX2         // kernels: AVX2, BMI2
	AVX512       // kernels: AVX512, BMI2
)

var infos = []drivers.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	BMI2:    {Name: "bmi2", Priority: 200, Needs: cpu.BMI1 | cpu.BMI2, Timing: timingAMD64},
	AVX2: {Name: "avx2", Priority: 300, Timing: timingAMD64,
		Needs: cpu.BMI1 | cpu.BMI2 | cpu.AVX2},
	AVX512: {Name: "avx512", Priority: 400, Timing: timingAMD64,
		Needs: cpu.BMI1 | cpu.BMI2 | cpu.AVX512},
}

var table = drivers.New("keccak", infos)

const timingAMD64 = "independent of secrets: fixed instructions, no table"

// widths is the table of widthOf.
var widths = [...]uint8{Generic: 1, BMI2: 1, AVX2: 4, AVX512: 8}

func absorbBMI2(a *[25]uint64, p []byte, words int) {
	amd64.AbsorbBMI2(a, &p[0], words, len(p)/(8*words))
}

func squeezeBMI2(a *[25]uint64, p []byte, words int) {
	amd64.SqueezeBMI2(a, &p[0], words, len(p)/(8*words))
}
