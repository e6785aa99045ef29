//go:build (mips || mipsle || mips64 || mips64le) && !purego

package aescore

import (
	"slices"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/aescore/internal/mips"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

const mipsR2 uint8 = iota + 1

// Rows returns the table of drivers, for package aes.
// Priorities: docs/benchmarks.md, Instruction counts on mipsle.
func Rows() []driver.Info { return slices.Clone(infos) }

var infos = []driver.Info{
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

func encryptBlocksKernel(row uint8, k *Keys, dst, src []byte) {
	switch row {
	case mipsR2:
		k.blocksByPasses(dst, src, false)
	default:
		encryptBlocksPortable(row, k, dst, src)
	}
}

func decryptBlocksKernel(row uint8, k *Keys, dst, src []byte) {
	switch row {
	case mipsR2:
		k.blocksByPasses(dst, src, true)
	default:
		decryptBlocksPortable(row, k, dst, src)
	}
}

func cbcEncryptKernel(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case mipsR2:
		k.generic.cbcEncrypt(iv, dst, src)
	default:
		cbcEncryptPortable(row, k, iv, dst, src)
	}
}

func cbcDecryptKernel(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case mipsR2:
		k.cbcDecryptByPasses(iv, dst, src)
	default:
		cbcDecryptPortable(row, k, iv, dst, src)
	}
}

func ctrKernel(row uint8, k *Keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	switch row {
	case mipsR2:
		k.ctrByPasses(counter, dst, src, rest)
	default:
		ctrPortable(row, k, counter, dst, src, rest)
	}
}

func xtsKernel(row uint8, k *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	switch row {
	case mipsR2:
		xtsByBlocks(row, k, tweak, dst, src, decrypt)
	default:
		xtsPortable(row, k, tweak, dst, src, decrypt)
	}
}

func xtsUnitKernel(row uint8, k, first *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	xtsUnitPortable(row, k, first, tweak, dst, src, decrypt)
}

func sealKernel(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	switch row {
	case mipsR2:
		k.gcmByPasses(row, m, dst, src, true)
	default:
		sealPortable(row, k, m, dst, src)
	}
}

func openKernel(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	switch row {
	case mipsR2:
		k.gcmByPasses(row, m, dst, src, false)
	default:
		openPortable(row, k, m, dst, src)
	}
}

// gcmByPasses takes the portable way if the block and E(J0) are a narrow pass, or there is no block.
func (k *Keys) gcmByPasses(row uint8, m *ghash.Message, dst, src []byte, sealing bool) {
	if len(src) <= narrowSize-BlockSize {
		k.generic.gcm(m, dst, src, sealing)
		return
	}
	k.gcm(row, m, dst, src, sealing)
}

// ctr32 is CTR with a counter of 32 bits, for gcm.
func (k *Keys) ctr32(row uint8, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	switch row {
	case mipsR2:
		k.ctr32ByPasses(counter, dst, src, rest)
	default:
		panic(noKernel)
	}
}

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
