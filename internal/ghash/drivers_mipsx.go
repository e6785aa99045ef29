//go:build (mips || mipsle || mips64 || mips64le) && !purego

package ghash

import (
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash/internal/mips"
)

// MIPSR2 is the row of the driver mips-r2.
const MIPSR2 uint8 = 1

// Priorities: docs/benchmarks.md, Instruction counts.
var infos = []drivers.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	MIPSR2:  {Name: "mips-r2", Priority: 200, Needs: cpu.MIPSR2, Timing: timingGeneric},
}

var table = drivers.New("ghash", infos)

//switches:argument *mips.Powers = k.Table((len(p) + blockSize - 1) / blockSize)

// Powers are those of the hash key in the form that the kernels need.
type Powers = mips.Powers

type keyMemory [max(unsafe.Sizeof(genericKey{}), unsafe.Sizeof(Powers{})) / 8]uint64

func (k *Key) powers() *Powers { return (*Powers)(unsafe.Pointer(&k.memory)) }
