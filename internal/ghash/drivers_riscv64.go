//go:build !purego

package ghash

import (
	"unsafe"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash/internal/riscv64"
)

// Rows of the table.
const (
	ZBC uint8 = iota + 1
	ZVKG
)

var table = drivers.New("ghash", []driver.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	ZBC:     {Name: "zbc", Priority: 200, Needs: cpu.ZBB | cpu.ZBKC, Timing: timingRISCV64},
	ZVKG:    {Name: "zvkg", Priority: 300, Needs: cpu.V | cpu.ZVKG, Timing: timingRISCV64},
})

const timingRISCV64 = "independent of secrets: fixed instructions, no table"

// Powers are those of the hash key in the form that the kernels need.
type Powers = riscv64.PowersZBC

type keyMemory [max(unsafe.Sizeof(genericKey{}), unsafe.Sizeof(Powers{})) / 8]uint64

func (k *Key) powers() *Powers { return (*Powers)(unsafe.Pointer(&k.memory)) }

const firstPowers = 0

func hasExtend(uint8) bool { return false }

// multiplies says that kernels of GCM multiply a state that is pending.
func multiplies(uint8) bool { return false }

func initKernel(row uint8, t *Powers, h *[16]byte) {
	switch row {
	case ZBC:
		riscv64.InitZBC(t, h)
	case ZVKG:
		riscv64.InitZvkg(t, h)
	default:
		panic(noKernel)
	}
}

func extendKernel(uint8, *Powers) { panic(noKernel) }

func updateKernel(row uint8, k *Key, y *[16]byte, p []byte, reversed bool) {
	switch row {
	case ZBC:
		if reversed {
			riscv64.UpdateReversedZBC(k.powers(), y, p)
		} else {
			riscv64.UpdateZBC(k.powers(), y, p)
		}
	case ZVKG:
		if reversed {
			riscv64.UpdateReversedZvkg(k.powers(), y, p)
		} else {
			riscv64.UpdateZvkg(k.powers(), y, p)
		}
	default:
		k.updatePortable(row, y, p, reversed)
	}
}
