//go:build !purego

package ghash

import (
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash/internal/arm"
)

// Rows of the table.
const (
	NEON uint8 = iota + 1
	PMULL
)

var infos = []drivers.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	NEON:    {Name: "neon", Priority: 200, Needs: cpu.NEON, Timing: timingARM},
	PMULL:   {Name: "pmull", Priority: 300, Needs: cpu.NEON | cpu.PMULL, Timing: timingARM},
}

var table = drivers.New("ghash", infos)

//switches:argument *arm.Powers = k.Table(len(p) / blockSize)
//switches:argument *arm.PowersPMULL = pmull(k.powers())

const timingARM = "independent of secrets: fixed instructions, no table"

// Powers are those of the hash key in the form that the kernels of NEON need. PMULL has a
// form of its own.
type Powers = arm.Powers

type keyMemory [max(unsafe.Sizeof(genericKey{}), unsafe.Sizeof(Powers{}), unsafe.Sizeof(arm.PowersPMULL{})) / 8]uint64

func (k *Key) powers() *Powers { return (*Powers)(unsafe.Pointer(&k.memory)) }

func pmull(t *Powers) *arm.PowersPMULL { return (*arm.PowersPMULL)(unsafe.Pointer(t)) }

// firstPowers is the number of blocks for which initKernel provides the powers if there is
// an extendKernel.
const firstPowers = arm.FirstNEON

func hasExtend(row uint8) bool { return row == NEON }

func initPMULL(t *Powers, h *[16]byte) { arm.InitPMULL(pmull(t), h) }
