//go:build !purego

package sm2

import (
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

const (
	adx    uint8 = iota + 1
	avx512       // kernels: IFMA, ADX
)

// Priorities: docs/benchmarks.md, SM2 by driver.
var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timing},
	adx:     {Name: "adx", Priority: 200, Needs: cpu.BMI2 | cpu.ADX | cpu.AVX2, Timing: timing},
	avx512: {Name: "avx512", Priority: 300, Timing: timing,
		Needs: cpu.AVX512 | cpu.AVX512IFMA | cpu.BMI2 | cpu.ADX},
}

var table = drivers.Register("sm2", infos)

func sideBySide(row uint8) bool { return row == avx512 }
