//go:build (mips || mipsle || mips64 || mips64le) && !purego

package aescore

import (
	"slices"

	"github.com/cipherlane/cipherlane/internal/aescore/internal/mips"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

const mipsR2 uint8 = 1 // kernels: ByPasses, ByGeneric, ByBlocks, ByCTR32

// E(J0) of GCM is a block, too.
//
//switches:if len(src) <= passShort-BlockSize: sealByGeneric, openByGeneric

// Rows returns the table of drivers, for package aes.
// Priorities: docs/benchmarks.md, Instruction counts.
func Rows() []drivers.Info { return slices.Clone(infos) }

var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	mipsR2:  {Name: "mips-r2", Priority: 200, Needs: cpu.MIPSR2, Timing: timingGeneric},
}

// hash is the GHASH driver of mips-r2.
var hash = ghash.Fastest()

var traits = [...]Traits{
	generic: genericTraits,
	mipsR2: {
		CTRShort: genericPass, CTRAhead: genericPass,
		GHASH: hash, SIVShort: hash, SIVLong: hash,
		Width: 1,
	},
}

// Keys are the round keys in the representations of the drivers. All have those of the
// portable one.
type Keys struct {
	generic genericKeys
	passes  *passKeys // of mips-r2, and nil for others
}

func (k *Keys) portable() *genericKeys { return &k.generic }

// Expand sets a key of 16, 24 or 32 bytes, in the representations for these drivers.
func (k *Keys) Expand(plan drivers.Plan, key []byte) {
	k.generic.expand(key)
	if plan.Has(mipsR2) {
		k.expandPasses()
	}
}

// Wipe overwrites the round keys.
func (k *Keys) Wipe() {
	k.generic.wipe()
	if k.passes != nil {
		*k.passes = passKeys{}
	}
}

// Rounds returns the number of rounds.
func (k *Keys) Rounds() int { return k.generic.rounds }

func sealByGeneric(k *Keys, m *ghash.Message, dst, src []byte) { k.generic.gcm(m, dst, src, true) }
func openByGeneric(k *Keys, m *ghash.Message, dst, src []byte) { k.generic.gcm(m, dst, src, false) }

// What passes.go needs of the driver mips-r2.

type (
	passKeys  = mips.Keys
	passState = mips.State
)

// passShort is the number of bytes up to which the portable driver is faster than a pass.
const passShort = narrowSize

func (k *Keys) arrangePasses() {}

func encryptPass(k *passKeys, s *passState, dst, src []byte) { mips.Encrypt(k, s, dst, src) }
func decryptPass(k *passKeys, s *passState, dst, src []byte) { mips.Decrypt(k, s, dst, src) }

func ctrPass(k *passKeys, s *passState, counter *[BlockSize]byte, dst, src []byte) {
	mips.CTR(k, s, counter, dst, src)
}
