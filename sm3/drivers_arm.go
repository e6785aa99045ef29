//go:build !purego

package sm3

import (
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

const armv6 uint8 = 1 // kernels: V6

// Priorities: docs/benchmarks.md, Instruction counts.
var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: "length only"},
	armv6:   {Name: "armv6", Priority: 200, Needs: cpu.ARMV6, Timing: "length only"},
}

var table = drivers.Register("sm3", infos)
