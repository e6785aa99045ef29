//go:build !purego

package ghash

import (
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash/internal/arm64"
)

// Rows of the table.
const (
	NEON uint8 = iota + 1
	PMULL
)

var infos = []drivers.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	NEON:    {Name: "neon", Priority: 200, Needs: cpu.NEON, Timing: timingARM64},
	PMULL:   {Name: "pmull", Priority: 300, Needs: cpu.PMULL, Timing: timingARM64},
}

var table = drivers.New("ghash", infos)

//switches:argument *arm64.Powers = k.powers()
//switches:argument *arm64.PowersNEON = neon(k.Table(len(p) / blockSize))

const timingARM64 = "independent of secrets: fixed instructions, no table"

// Powers are those of the hash key in the form that the kernels of PMULL need. NEON has a
// form of its own.
type Powers = arm64.Powers

type keyMemory [max(unsafe.Sizeof(genericKey{}), unsafe.Sizeof(Powers{}), unsafe.Sizeof(arm64.PowersNEON{})) / 8]uint64

func (k *Key) powers() *Powers { return (*Powers)(unsafe.Pointer(&k.memory)) }

func neon(t *Powers) *arm64.PowersNEON { return (*arm64.PowersNEON)(unsafe.Pointer(t)) }

// firstPowers is the number of blocks for which initKernel provides the powers if there is
// an extendKernel.
const firstPowers = arm64.FirstNEON

func hasExtend(row uint8) bool { return row == NEON }

func multiplies(row uint8) bool { return row == PMULL }

func initNEON(t *Powers, h *[16]byte) { arm64.InitNEON(neon(t), h) }

func extendNEON(t *Powers) { arm64.ExtendNEON(neon(t)) }

func update(row uint8, k *Key, y *[16]byte, p []byte) {
	switch row {
	case NEON:
		arm64.UpdateNEON(neon(k.Table(len(p)/blockSize)), y, p)
	case PMULL:
		if len(p)%blockSize == 0 {
			arm64.UpdateBlocksPMULL(k.powers(), y, p)
		} else {
			arm64.UpdatePMULL(k.powers(), y, p)
		}
	default:
		updatePortable(row, k, y, p)
	}
}
