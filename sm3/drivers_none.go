//go:build purego || !amd64

package sm3

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

const generic uint8 = 0

var table = drivers.Register("sm3", []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: "length only"},
})

func blocks(_ uint8, v *[8]uint32, p []byte) { blocksGeneric(v, p) }

// There are no kernels for several messages side by side.

const maxKernelBytes = 64 << 10

func sideBySide(uint8, int) int { return 1 }

func digests(uint8, int, []byte, *[8][maxLanes]uint32) bool { return false }

func kdfLanes(uint8, int) int { return 0 }

func kdfDigests(uint8, int, []byte, *[8]uint32, *blockWords, *blockWords, *kdfTable) {
	panic("sm3: no kernel for KDF")
}

func compress(uint8, int, *[8][maxLanes]uint32, *[32][maxLanes]uint32, *[maxLanes][]byte, int) {
	panic("sm3: no kernel for many messages")
}

func iterateLanes(uint8, int) int { return 1 }

func iterate(uint8, int, *pbkdf2Memory, int) { panic("sm3: no kernel for many keys") }
