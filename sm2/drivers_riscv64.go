//go:build !purego

package sm2

import (
	"github.com/cipherlane/cipherlane/internal/drivers"
)

const rv64 uint8 = 1

// Priorities: docs/benchmarks.md, Instruction counts.
var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timing},
	rv64:    {Name: "rv64", Priority: 200, Timing: timing},
}

var table = drivers.Register("sm2", infos)
