//go:build purego || !(amd64 || arm || arm64 || riscv64)

package sm3

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

var infos = []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: "length only"},
}

var table = drivers.Register("sm3", infos)

func blocksKernel(row uint8, v *[8]uint32, p []byte) { blocksPortable(row, v, p) }

// There are no kernels for many inputs.

var lanes [1]struct{ messages, keys, digests widths }

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
