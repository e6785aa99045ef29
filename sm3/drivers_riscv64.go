//go:build !purego

package sm3

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/sm3/internal/riscv64"
)

const (
	zbb uint8 = iota + 1
	zksh
	zvksh
)

// Priorities: docs/benchmarks.md, Instruction counts on riscv64.
var infos = []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: "length only"},
	zbb:     {Name: "zbb", Priority: 200, Needs: cpu.ZBB, Timing: "length only"},
	zksh:    {Name: "zksh", Priority: 300, Needs: cpu.ZBB | cpu.ZKSH, Timing: "length only"},
	zvksh:   {Name: "zvksh", Priority: 400, Needs: cpu.ZVKSH | cpu.ZVKB, Timing: "length only"},
}

var table = drivers.Register("sm3", infos)

func blocksKernel(row uint8, v *[8]uint32, p []byte) {
	switch row {
	case zbb:
		riscv64.BlocksZBB(v, p)
	case zksh:
		riscv64.BlocksZKSH(v, p)
	case zvksh:
		riscv64.BlocksZVKSH(v, p)
	default:
		blocksPortable(row, v, p)
	}
}

// There are no kernels for many inputs.

var lanes [zvksh + 1]struct{ messages, keys, digests widths }

const maxLanes = 32 // messages side by side, at most

func compressKernel(uint8, int, *[8][maxLanes]uint32, *[32][maxLanes]uint32, *[maxLanes][]byte, int) {
	panic(noKernel)
}

func iterateKernel(uint8, int, *pbkdf2Memory, int) { panic(noKernel) }

func kdfDigestsKernel(uint8, int, []byte, *[8]uint32, *blockWords, *blockWords, *kdfTable) {
	panic(noKernel)
}

func digestsKernel(row uint8, count int, dst []byte, v *[8][maxLanes]uint32) {
	digestsPortable(row, count, dst, v)
}
