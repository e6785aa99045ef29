//go:build !purego

package sm4

import (
	"runtime"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/sm4/internal/riscv64"
)

const (
	rvv    uint8 = iota + 1
	zvksed       // kernels: Zvksed, ShiftsZvksed
	zksed
	zbb // kernels: Narrow, Zbb
)

//switches:if hashLanes: XTSZvksed, SealZvksed, OpenZvksed
//switches:if shifts: XTSShiftsZvksed
//switches:if narrow(src): encryptBlocksNarrow, decryptBlocksNarrow, cbcDecryptNarrow, ctrNarrow, ctr32Narrow

// Arguments of kernels.
//
//switches:argument *riscv64.KeysRVV = &k.rvv
//switches:argument *riscv64.PairZvksed = &k.zvksed
//switches:argument *riscv64.PairZksed = &k.zksed
//switches:argument *riscv64.KeysZbb = k.zbb
//switches:argument bool = matrix == gbTweaks
//switches:argument *riscv64.Powers = (*riscv64.Powers)(m.Hash.Powers())
//switches:argument *riscv64.Message = message(m)

// Priorities: docs/benchmarks.md, Instruction counts.
var table = drivers.Register("sm4", rows())

func rows() []drivers.Info {
	rows := []drivers.Info{
		generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
		zbb:     {Name: "zbb", Priority: 150, Needs: cpu.ZBB, Timing: "length only"},
		rvv:     {Name: "rvv", Priority: 200, Needs: cpu.V, Timing: timingRVV},
		zksed:   {Name: "zksed", Priority: 250, Needs: cpu.ZKSED | cpu.ZBKB, Timing: "length only"},
		zvksed:  {Name: "zvksed", Priority: 300, Needs: cpu.ZVKSED | cpu.ZVKB, Timing: "length only"},
	}
	if cpu.Microarchitecture() == cpu.SiFive7 {
		rows[rvv].Slow = cpu.V // vrgather takes a cycle for each element
	}
	return rows
}

const timingRVV = "independent of secrets where the CPU's look-ups inside registers (vrgather) are, which Zvkt does not promise"

// ghashRow is the GHASH driver of all drivers that are not portable: what the machine has for it
// does not depend on what it has for SM4.
var ghashRow = ghash.Fastest()

// hashLanes says that zvksed has its kernels that need Zvkg.
var hashLanes = ghash.Lanes(ghashRow)

// shifts says that zvksed has its kernels of XTS that do not.
var shifts = cpu.Features().Has(cpu.V) && cpu.VectorBytes() <= riscv64.MaxShifts

var traits = [...]trait{
	generic: genericTrait,
	rvv:     {ghash: ghashRow, sivShort: ghashRow, sivLong: ghashRow, togetherMin: togetherMinGeneric},
	zvksed:  {ghash: ghashRow, sivShort: ghashRow, sivLong: ghashRow, togetherMin: maxLanes, hasChains: true, hasMACs: true}, // a chain takes less than copying its blocks
	zksed:   {ghash: ghashRow, sivShort: ghashRow, sivLong: ghashRow, togetherMin: togetherMinGeneric},
	zbb:     {ghash: ghashRow, sivShort: ghashRow, sivLong: ghashRow, togetherMin: togetherMinGeneric},
}

// roundKeys are the round keys in the representations of the drivers. All but zksed
// have those of the portable one.
type roundKeys struct {
	generic genericKeys
	rvv     riscv64.KeysRVV
	zvksed  riscv64.PairZvksed
	zksed   riscv64.PairZksed
	zbb     *riscv64.KeysZbb // nil for other drivers
}

func (k *roundKeys) portable() *genericKeys { return &k.generic }

// narrow reports whether narrow passes of the portable driver are faster than a pass of zbb.
func narrow(src []byte) bool { return len(src) < wideMin*BlockSize }

func (k *roundKeys) expand(row uint8, key *[KeySize]byte) {
	if row == zksed {
		riscv64.ExpandZksed(&k.zksed, key)
		return
	}
	k.generic.expand(key)
	if row == rvv {
		riscv64.ExpandRVV(&k.rvv, &k.generic.words, cpu.Microarchitecture() == cpu.SpacemitX60)
	}
	if row == zbb {
		if k.zbb == nil {
			k.zbb = new(riscv64.KeysZbb)
		}
		(*wideKeys)(unsafe.Pointer(k.zbb)).fill(&k.generic.words)
	}
	if row == zvksed {
		words := k.generic.words
		for i := range words {
			words[i] ^= circuitConstant(i)
		}
		riscv64.ExpandZvksed(&k.zvksed, &words)
		clear(words[:])
		runtime.KeepAlive(&words)
	}
}

func (k *roundKeys) wipe() {
	k.generic.wipe()
	k.rvv = riscv64.KeysRVV{}
	k.zvksed = riscv64.PairZvksed{}
	k.zksed = riscv64.PairZksed{}
	if k.zbb != nil {
		*k.zbb = riscv64.KeysZbb{}
	}
}

const hasUnits = true

func xtsUnit(row uint8, k, first *keys, tweak *[BlockSize]byte, dst, src []byte, gb, decrypt bool) bool {
	switch row {
	case zvksed:
		if !hashLanes && !shifts {
			return false
		}
		riscv64.EncryptBlocksZvksed(&first.zvksed, tweak[:], tweak[:])
		matrix := uint64(ieeeTweaks)
		if gb {
			matrix = gbTweaks
			modes.TurnTweaks(tweak[:])
		}
		return xtsKernel(row, k, tweak, dst, src, matrix, decrypt)
	default: // rvv, zksed, zbb
		return xtsUnitDefault(row, k, first, tweak, dst, src, gb, decrypt)
	}
}

// message returns m as kernels know it.
func message(m *ghash.Message) *riscv64.Message { return (*riscv64.Message)(unsafe.Pointer(&m.J0)) }

// These do not compile if the fields of both are not in the same places.
const (
	_ = -(unsafe.Offsetof(riscv64.Message{}.Lens) ^ (unsafe.Offsetof(ghash.Message{}.Lens) - unsafe.Offsetof(ghash.Message{}.J0)))
	_ = -(unsafe.Offsetof(riscv64.Message{}.Pending) ^ (unsafe.Offsetof(ghash.Message{}.Pending) - unsafe.Offsetof(ghash.Message{}.J0)))
)
