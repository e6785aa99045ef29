//go:build !purego

package aescore

import (
	"slices"

	"runtime"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/aescore/internal/arm"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

const (
	armv6 uint8 = iota + 1 // kernels: ByGeneric, ByPasses, ByBlocks, ByCTR32
	neon                   // kernels: NEON, ByCTR32
	ce                     // kernels: CE, ByCTR32
)

// E(J0) of GCM is a block, too. There is no kernel for decryption.
//
//switches:if decrypt || len(src) <= passShort: xtsByGeneric
//switches:if len(src) <= passShort-BlockSize: sealByGeneric, openByGeneric

// Arguments of kernels.
//
//switches:argument *arm.Keys = k.neon
//switches:argument *arm.KeysCE = k.ce

// Rows returns the table of drivers, for package aes.
// Priorities: docs/benchmarks.md, Instruction counts.
func Rows() []drivers.Info { return slices.Clone(infos) }

var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	armv6:   {Name: "armv6", Priority: 150, Needs: cpu.ARMV6, Timing: "length only"},
	neon:    {Name: "neon", Priority: 200, Needs: cpu.NEON, Timing: "length only"},
	ce:      {Name: "ce", Priority: 300, Needs: cpu.NEON | cpu.AES, Timing: "length only"},
}

// hash is the GHASH driver of all drivers that are not portable.
var hash = ghash.Fastest()

var traits = [...]Traits{
	generic: genericTraits,
	armv6: {
		CTRShort: genericPass, CTRAhead: genericPass,
		GHASH: hash, SIVShort: hash, SIVLong: hash,
		Width: 1,
	},
	neon: {
		CTRShort: MaxAhead, CTRAhead: MaxAhead,
		GHASH: hash, SIVShort: hash, SIVLong: hash,
		Width: 1,
	},
	ce: {
		CTRShort: 3 * BlockSize, CTRAhead: MaxAhead,
		GHASH: hash, SIVShort: hash, SIVLong: hash,
		Width: 1,
	},
}

// Keys are the round keys in the representations that the drivers of a plan use.
type Keys struct {
	ce      *arm.KeysCE  // nil if no driver needs them
	neon    *arm.Keys    // likewise
	passes  *passKeys    // likewise, of armv6
	generic *genericKeys // likewise, of armv6 too
}

func (k *Keys) portable() *genericKeys { return k.generic }

// Expand sets a key of 16, 24 or 32 bytes, in the representations for these drivers.
func (k *Keys) Expand(plan drivers.Plan, key []byte) {
	if plan.Has(generic) || plan.Has(armv6) {
		if k.generic == nil {
			k.generic = new(genericKeys)
		}
		k.generic.expand(key)
	}
	if plan.Has(armv6) {
		k.expandPasses()
	}
	if !plan.Has(neon) && !plan.Has(ce) {
		return
	}
	var memory [4 * (maxRounds + 1)]uint32
	words := memory[:len(key)+28]
	ExpandKey(words, key)
	if plan.Has(neon) {
		if k.neon == nil {
			k.neon = new(arm.Keys)
		}
		arm.ExpandNEON(k.neon, words)
	}
	if plan.Has(ce) {
		if k.ce == nil {
			k.ce = new(arm.KeysCE)
		}
		arm.ExpandCE(k.ce, words)
	}
	clear(words)
	runtime.KeepAlive(&memory)
}

// Wipe overwrites the round keys.
func (k *Keys) Wipe() {
	if k.ce != nil {
		*k.ce = arm.KeysCE{Rounds: k.ce.Rounds} // Rounds is not secret
	}
	if k.neon != nil {
		*k.neon = arm.Keys{Rounds: k.neon.Rounds}
	}
	if k.passes != nil {
		*k.passes = passKeys{}
	}
	if k.generic != nil {
		k.generic.wipe()
	}
}

// Rounds returns the number of rounds.
func (k *Keys) Rounds() int {
	if k.ce != nil {
		return k.ce.Rounds
	}
	if k.neon != nil {
		return k.neon.Rounds
	}
	return k.generic.rounds
}

func decryptBlocksByGeneric(k *Keys, dst, src []byte) { k.generic.decryptBlocks(dst, src) }

func cbcDecryptByGeneric(k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	k.generic.cbcDecrypt(iv, dst, src)
}

func xtsByGeneric(k *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	k.generic.xts(tweak, dst, src, decrypt)
}

func sealByGeneric(k *Keys, m *ghash.Message, dst, src []byte) { k.generic.gcm(m, dst, src, true) }
func openByGeneric(k *Keys, m *ghash.Message, dst, src []byte) { k.generic.gcm(m, dst, src, false) }

// What passes.go needs of the driver armv6, which has no kernel for decryption.

type (
	passKeys  = arm.KeysV6
	passState struct{}
)

// passShort is the number of bytes up to which the portable driver is faster than a pass.
const passShort = 2 * narrowSize

// arrangePasses puts the rows of each bit next to each other.
func (k *Keys) arrangePasses() {
	var w wideState
	for i := range k.passes.Planes {
		p := &k.passes.Planes[i]
		w = *(*wideState)(unsafe.Pointer(p))
		for b := range p {
			for r := range p[b] {
				p[b][r] = uint32(w[r][b])
			}
		}
	}
	copy(k.passes.First[:], k.generic.words[:])
	w = wideState{}
	runtime.KeepAlive(&w)
}

func encryptPass(k *passKeys, _ *passState, dst, src []byte) { arm.EncryptV6(k, dst, src) }
func decryptPass(*passKeys, *passState, []byte, []byte)      { panic(noKernel) }

func ctrPass(k *passKeys, _ *passState, counter *[BlockSize]byte, dst, src []byte) {
	arm.CTRV6(k, counter, dst, src)
}
