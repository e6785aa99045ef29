//go:build !purego

package sm3

import (
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

const (
	zbb uint8 = iota + 1
	zksh
	zvksh
)

// Priorities: docs/benchmarks.md, Instruction counts.
var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: "length only"},
	zbb:     {Name: "zbb", Priority: 200, Needs: cpu.ZBB, Timing: "length only"},
	zksh:    {Name: "zksh", Priority: 300, Needs: cpu.ZBB | cpu.ZKSH, Timing: "length only"},
	zvksh:   {Name: "zvksh", Priority: 400, Needs: cpu.ZVKSH | cpu.ZVKB, Timing: "length only"},
}

var table = drivers.Register("sm3", infos)
