//go:build !purego

package sm2

import (
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

const (
	la64 uint8 = iota + 1
	lsx        // kernels: LSX, LA64
)

// Priorities: docs/benchmarks.md, Instruction counts.
var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timing},
	la64:    {Name: "la64", Priority: 200, Timing: timing},
	lsx:     {Name: "lsx", Priority: 300, Needs: cpu.LSX, Timing: timing},
}

var table = drivers.Register("sm2", infos)
