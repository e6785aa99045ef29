//go:build !purego

package ghash

import (
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash/internal/riscv64"
)

// Rows of the table.
const (
	ZBC uint8 = iota + 1
	ZVBC
	ZVKG
)

var infos = []drivers.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	ZBC:     {Name: "zbc", Priority: 200, Needs: cpu.ZBB | cpu.ZBKC, Timing: timingRISCV64},
	ZVBC:    {Name: "zvbc", Priority: 250, Needs: cpu.ZVBC | cpu.ZVKB, Timing: timingRISCV64},
	ZVKG:    {Name: "zvkg", Priority: 300, Needs: cpu.V | cpu.ZVKG, Timing: timingRISCV64},
}

var table = drivers.New("ghash", infos)

//switches:argument int = cpu.VectorBytes()

const timingRISCV64 = "independent of secrets: fixed instructions, no table"

// Powers are those of the hash key in the form that the kernels need.
type Powers = riscv64.Powers

type keyMemory [max(unsafe.Sizeof(genericKey{}), unsafe.Sizeof(Powers{})) / 8]uint64

func (k *Key) powers() *Powers { return (*Powers)(unsafe.Pointer(&k.memory)) }

const firstPowers = 0

// Lanes reports whether the kernels that hash several blocks at once work with this row. They
// are not for registers of more than 512 bits.
func Lanes(row uint8) bool { return row == ZVKG && hasLanes }

var hasLanes = cpu.Features().Has(cpu.V) && cpu.VectorBytes() <= riscv64.MaxVector

func hasExtend(row uint8) bool { return Lanes(row) }

func multiplies(row uint8) bool { return Lanes(row) }

func initZBC(t *Powers, h *[16]byte) { riscv64.InitZBC(zbcPowers(t), h) }

func zbcPowers(t *Powers) *riscv64.PowersZBC { return (*riscv64.PowersZBC)(t[:]) }

// Messages of so many bytes are worth the powers of the hash key for lanes, and of fewer only if
// these are there. Fewer than lanesMin are not worth a call.
const (
	lanesMin    = 16 * blockSize
	lanesExtend = 2048
)

// hasZBC says that zvbc uses the kernels of zbc for fewer than zvbcMin bytes: they take fewer
// instructions.
var hasZBC = cpu.Features().Has(cpu.ZBB | cpu.ZBKC)

const zvbcMin = 2 * blockSize

func update(row uint8, k *Key, y *[16]byte, p []byte) {
	switch row {
	case ZBC:
		riscv64.UpdateZBC(zbcPowers(k.powers()), y, p)
	case ZVBC:
		if len(p) < zvbcMin && hasZBC {
			riscv64.UpdateZBC(zbcPowers(k.powers()), y, p)
		} else {
			riscv64.UpdateZvbc(k.powers(), y, p)
		}
	case ZVKG:
		if len(p) >= lanesMin && hasLanes && (len(p) >= lanesExtend || k.hasAll()) {
			riscv64.UpdateLanesZvkg(k.Table(len(p)/blockSize), y, p)
		} else {
			riscv64.UpdateZvkg(k.powers(), y, p)
		}
	default:
		updatePortable(row, k, y, p)
	}
}

func updateReversed(row uint8, k *Key, y *[16]byte, p []byte) {
	switch row {
	case ZBC:
		riscv64.UpdateReversedZBC(zbcPowers(k.powers()), y, p)
	case ZVBC:
		if len(p) < zvbcMin && hasZBC {
			riscv64.UpdateReversedZBC(zbcPowers(k.powers()), y, p)
		} else {
			riscv64.UpdateReversedZvbc(k.powers(), y, p)
		}
	case ZVKG:
		riscv64.UpdateReversedZvkg(k.powers(), y, p)
	default:
		updateReversedPortable(row, k, y, p)
	}
}
