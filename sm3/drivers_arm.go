//go:build !purego

package sm3

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/sm3/internal/arm"
)

const (
	armv6 uint8 = iota + 1
)

// Priorities: docs/benchmarks.md, Instruction counts on arm.
var infos = []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: "length only"},
	armv6:   {Name: "armv6", Priority: 200, Needs: cpu.ARMV6, Timing: "length only"},
}

var table = drivers.Register("sm3", infos)

func blocksKernel(row uint8, v *[8]uint32, p []byte) {
	switch row {
	case armv6:
		arm.BlocksV6(v, p)
	default:
		blocksPortable(row, v, p)
	}
}

// There are no kernels for many inputs.

var lanes [armv6 + 1]struct{ messages, keys, digests widths }

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
