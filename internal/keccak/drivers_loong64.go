//go:build !purego

package keccak

import (
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// Rows of the table.
const (
	LSX  uint8 = iota + 1 // kernels: LSX
	LASX                  // kernels: LASX, LSX
)

// Priorities: docs/benchmarks.md, Instruction counts.
var infos = []drivers.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	LSX:     {Name: "lsx", Priority: 200, Needs: cpu.LSX, Timing: timingLSX},
	LASX:    {Name: "lasx", Priority: 300, Needs: cpu.LASX, Timing: timingLSX},
}

var table = drivers.New("keccak", infos)

const timingLSX = "independent of secrets: fixed instructions, no table"

var widths = [...]uint8{Generic: 1, LSX: 2, LASX: 4}
