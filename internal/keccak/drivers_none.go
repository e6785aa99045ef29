//go:build purego || !(amd64 || arm64 || riscv64)

package keccak

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

var infos = []driver.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
}

var table = drivers.New("keccak", infos)

var widths = [...]uint8{Generic: 1}

func absorbKernel(uint8, *[25]uint64, []byte, int)          { panic(noKernel) }
func squeezeKernel(uint8, *[25]uint64, []byte, int)         { panic(noKernel) }
func absorbWideKernel(uint8, *[200]uint64, *[8]*byte, int)  { panic(noKernel) }
func squeezeWideKernel(uint8, *[200]uint64, *[8]*byte, int) { panic(noKernel) }
func permuteWideKernel(uint8, *[200]uint64, int)            { panic(noKernel) }
