//go:build !purego

package sm4

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/sm4/internal/arm"
)

const (
	neon uint8 = iota + 1
)

// Priorities: docs/benchmarks.md, Instruction counts on arm.
var infos = []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	neon:    {Name: "neon", Priority: 200, Needs: cpu.NEON, Timing: "length only"},
}

var table = drivers.Register("sm4", infos)

// ghashRow is the GHASH driver of all drivers that are not portable.
var ghashRow = ghash.Fastest()

var traits = [...]trait{
	generic: genericTrait,
	neon:    {ghash: ghashRow, sivShort: ghashRow, sivLong: ghashRow, togetherMin: togetherMinGeneric},
}

// roundKeys are the round keys in the representations of the drivers. All have those of the
// portable one.
type roundKeys struct {
	generic genericKeys
	neon    *arm.Keys // nil for other drivers
}

func (k *roundKeys) portable() *genericKeys { return &k.generic }

// narrow reports whether the portable driver is faster than a pass of neon over 32 blocks, which
// takes as many instructions as 1.2 of its narrow passes over one block.
func narrow(src []byte) bool { return len(src) == BlockSize }

func (k *roundKeys) expand(row uint8, key *[KeySize]byte) {
	k.generic.expand(key)
	if row == neon {
		if k.neon == nil {
			k.neon = new(arm.Keys)
		}
		arm.Expand(k.neon, &k.generic.words)
	}
}

func (k *roundKeys) wipe() {
	k.generic.wipe()
	if k.neon != nil {
		*k.neon = arm.Keys{}
	}
}

func encryptBlocksKernel(row uint8, k *keys, dst, src []byte) {
	switch row {
	case neon:
		if narrow(src) {
			k.generic.encryptBlocks(dst, src)
		} else {
			arm.CryptBlocks(k.neon, dst, src, false)
		}
	default:
		encryptBlocksPortable(row, k, dst, src)
	}
}

func decryptBlocksKernel(row uint8, k *keys, dst, src []byte) {
	switch row {
	case neon:
		if narrow(src) {
			k.generic.decryptBlocks(dst, src)
		} else {
			arm.CryptBlocks(k.neon, dst, src, true)
		}
	default:
		decryptBlocksPortable(row, k, dst, src)
	}
}

func cbcEncryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case neon:
		k.generic.cbcEncrypt(iv, dst, src)
	default:
		cbcEncryptPortable(row, k, iv, dst, src)
	}
}

func cbcDecryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case neon:
		if narrow(src) {
			k.generic.cbcDecrypt(iv, dst, src)
		} else {
			arm.CBCDecrypt(k.neon, iv, dst, src)
		}
	default:
		cbcDecryptPortable(row, k, iv, dst, src)
	}
}

func cfbDecryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) int {
	switch row {
	default: // neon
		return cfbDecryptPortable(row, k, iv, dst, src)
	}
}

func ctrKernel(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	switch row {
	case neon:
		if narrow(src) {
			k.generic.ctr(counter, dst, src, rest)
		} else {
			arm.CTR(k.neon, counter, dst, src, rest)
		}
	default:
		ctrPortable(row, k, counter, dst, src, rest)
	}
}

// ahead is the maximum size of the keystream that is generated for a short request: a pass of neon
// is 32 blocks.
const ahead = 32 * BlockSize

// ctrAhead returns the size of the keystream for a request of n bytes, which is short if it is
// smaller.
func ctrAhead(plan drivers.Plan, _ int, _ bool) int {
	if plan.Short() == neon {
		return ahead
	}
	return 16 * BlockSize
}

const ctrBlocksMin = 0 // there is no ctrBlocks

func ctrBlocks(uint8, *keys, *[BlockSize]byte, []byte, []byte) bool { return false }

func ctr32Kernel(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	switch row {
	case neon:
		if narrow(src) {
			k.generic.ctr32(counter, dst, src, rest)
		} else {
			arm.CTR32(k.neon, counter, dst, src, rest)
		}
	default:
		ctr32Portable(row, k, counter, dst, src, rest)
	}
}

func xtsKernel(row uint8, k *keys, tweak *[BlockSize]byte, dst, src []byte, matrix uint64, decrypt bool) bool {
	switch row {
	default: // neon
		return xtsPortable(row, k, tweak, dst, src, matrix, decrypt)
	}
}

// hasUnits says that there are drivers for which xtsUnitKernel does something.
const hasUnits = false

func xtsUnitKernel(row uint8, k, first *keys, tweak *[BlockSize]byte, dst, src []byte, gb, decrypt bool) bool {
	return xtsUnitPortable(row, k, first, tweak, dst, src, gb, decrypt)
}

func countersKernel(row uint8, k *keys, starts [][BlockSize]byte, first, which int, dst, src []byte) bool {
	return countersPortable(row, k, starts, first, which, dst, src)
}

func keyedBlocksKernel(row uint8, dst, src, keys []byte, decrypt bool) bool {
	return keyedBlocksPortable(row)
}

func sealKernel(row uint8, k *keys, m *ghash.Message, dst, src []byte) {
	sealPortable(row, k, m, dst, src)
}

func openKernel(row uint8, k *keys, m *ghash.Message, dst, src []byte) {
	openPortable(row, k, m, dst, src)
}

// A laneKernel is empty: there is no kernel for lanes with different keys.
type laneKernel struct{}

func (*laneKernel) set(int, *keys, *[BlockSize]byte, []byte, []byte) {}
func (*laneKernel) chain(int) (chain [BlockSize]byte)                { return chain }
func (*laneKernel) Wipe()                                            {}

func worthLanesKernel(uint8, int, int) bool { panic(noKernel) }

func encryptLanesKernel(uint8, *laneKernel, int, int, bool) { panic(noKernel) }
