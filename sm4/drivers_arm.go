//go:build !purego

package sm4

import (
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/sm4/internal/arm"
)

const neon uint8 = 1 // kernels: Narrow, NEON

//switches:if narrow(src): encryptBlocksNarrow, decryptBlocksNarrow, cbcDecryptNarrow, ctrNarrow, ctr32Narrow
//switches:argument *arm.Keys = k.neon

// Priorities: docs/benchmarks.md, Instruction counts.
var infos = []drivers.Info{
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
