//go:build !purego

package ghash

import (
	"unsafe"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash/internal/arm64"
)

// PMULL is a row of the table.
const PMULL uint8 = 1

var table = drivers.New("ghash", []driver.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	PMULL: {Name: "pmull", Priority: 200, Needs: cpu.PMULL,
		Timing: "independent of secrets: fixed instructions, no table"},
})

// Powers are those of the hash key in the form that the kernels need.
type Powers = arm64.Powers

type keyMemory [max(unsafe.Sizeof(genericKey{}), unsafe.Sizeof(Powers{})) / 8]uint64

func (k *Key) powers() *Powers { return (*Powers)(unsafe.Pointer(&k.memory)) }

const firstPowers = 0 // no driver leaves any out

func hasExtend(uint8) bool { return false }

// multiplies says that kernels of GCM multiply a state that is pending.
func multiplies(row uint8) bool { return row == PMULL }

func initKernel(row uint8, t *Powers, h *[16]byte) {
	switch row {
	case PMULL:
		arm64.InitPMULL(t, h)
	default:
		panic(noKernel)
	}
}

func extendKernel(uint8, *Powers) { panic(noKernel) }

func updateKernel(row uint8, k *Key, y *[16]byte, p []byte, reversed bool) {
	switch row {
	case PMULL:
		if reversed {
			arm64.UpdateReversedPMULL(k.powers(), y, p)
		} else {
			arm64.UpdatePMULL(k.powers(), y, p)
		}
	default:
		k.updatePortable(row, y, p, reversed)
	}
}
