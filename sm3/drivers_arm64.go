//go:build !purego

package sm3

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/sm3/internal/arm64"
)

const (
	neon uint8 = iota + 1
	sm3CE
)

// Priorities: docs/benchmarks.md, SM3 on arm64.
var table = drivers.Register("sm3", []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: "length only"},
	neon:    {Name: "neon", Priority: 200, Needs: cpu.NEON, Timing: "length only"},
	sm3CE:   {Name: "sm3", Priority: 300, Needs: cpu.SM3, Timing: "length only"},
})

func blocksKernel(row uint8, v *[8]uint32, p []byte) {
	switch row {
	case neon:
		arm64.BlocksNEON(v, p)
	case sm3CE:
		arm64.BlocksSM3(v, p)
	default:
		blocksPortable(row, v, p)
	}
}

// There are no kernels for many inputs.

var lanes [3]struct{ messages, keys, digests widths }

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
