//go:build !purego

package ghash

import (
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash/internal/loong64"
)

// Rows of the table.
const (
	LSX uint8 = iota + 1
	LASX
)

// Priorities: docs/benchmarks.md, Instruction counts.
var infos = []drivers.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	LSX:     {Name: "lsx", Priority: 200, Needs: cpu.LSX, Timing: timingLSX},
	LASX:    {Name: "lasx", Priority: 300, Needs: cpu.LASX, Timing: timingLSX},
}

var table = drivers.New("ghash", infos)

//switches:argument *loong64.Powers = k.Table((len(p) + blockSize - 1) / blockSize)

const timingLSX = "independent of secrets where the CPU's look-ups inside registers (VSHUFB) are, which LoongArch does not promise"

// Powers are those of the hash key in the form that the kernels need.
type Powers = loong64.Powers

type keyMemory [max(unsafe.Sizeof(genericKey{}), unsafe.Sizeof(Powers{})) / 8]uint64

func (k *Key) powers() *Powers { return (*Powers)(unsafe.Pointer(&k.memory)) }

// firstPowers is the number of blocks for which initKernel provides the powers if there is
// an extendKernel.
const firstPowers = loong64.First

func hasExtend(row uint8) bool { return row != Generic }
