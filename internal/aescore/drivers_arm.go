//go:build !purego

package aescore

import (
	"slices"

	"runtime"
	"unsafe"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/aescore/internal/arm"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

const (
	armv6 uint8 = iota + 1
	neon
	ce
)

// Rows returns the table of drivers, for package aes.
// Priorities: docs/benchmarks.md, Instruction counts on arm.
func Rows() []driver.Info { return slices.Clone(infos) }

var infos = []driver.Info{
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

func encryptBlocksKernel(row uint8, k *Keys, dst, src []byte) {
	switch row {
	case armv6:
		k.blocksByPasses(dst, src, false)
	case neon:
		arm.EncryptBlocksNEON(k.neon, dst, src)
	case ce:
		arm.EncryptBlocksCE(k.ce, dst, src)
	default:
		encryptBlocksPortable(row, k, dst, src)
	}
}

func decryptBlocksKernel(row uint8, k *Keys, dst, src []byte) {
	switch row {
	case armv6:
		k.generic.decryptBlocks(dst, src)
	case neon:
		arm.DecryptBlocksNEON(k.neon, dst, src)
	case ce:
		arm.DecryptBlocksCE(k.ce, dst, src)
	default:
		decryptBlocksPortable(row, k, dst, src)
	}
}

func cbcEncryptKernel(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case armv6:
		k.generic.cbcEncrypt(iv, dst, src)
	case neon:
		arm.CBCEncryptNEON(k.neon, iv, dst, src)
	case ce:
		arm.CBCEncryptCE(k.ce, iv, dst, src)
	default:
		cbcEncryptPortable(row, k, iv, dst, src)
	}
}

func cbcDecryptKernel(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case armv6:
		k.generic.cbcDecrypt(iv, dst, src)
	case neon:
		arm.CBCDecryptNEON(k.neon, iv, dst, src)
	case ce:
		arm.CBCDecryptCE(k.ce, iv, dst, src)
	default:
		cbcDecryptPortable(row, k, iv, dst, src)
	}
}

func ctrKernel(row uint8, k *Keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	switch row {
	case armv6:
		k.ctrByPasses(counter, dst, src, rest)
	case neon:
		arm.CTRNEON(k.neon, counter, dst, src, rest)
	case ce:
		arm.CTRCE(k.ce, counter, dst, src, rest)
	default:
		ctrPortable(row, k, counter, dst, src, rest)
	}
}

func xtsKernel(row uint8, k *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	switch row {
	case armv6:
		if decrypt || len(src) <= passShort {
			k.generic.xts(tweak, dst, src, decrypt)
		} else {
			xtsByBlocks(row, k, tweak, dst, src, false)
		}
	case neon:
		arm.XTSNEON(k.neon, tweak, dst, src, decrypt)
	case ce:
		arm.XTSCE(k.ce, tweak, dst, src, decrypt)
	default:
		xtsPortable(row, k, tweak, dst, src, decrypt)
	}
}

func xtsUnitKernel(row uint8, k, first *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	xtsUnitPortable(row, k, first, tweak, dst, src, decrypt) // armv6, neon, ce
}

func sealKernel(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	switch row {
	case armv6:
		if len(src) <= passShort-BlockSize { // and E(J0)
			sealPortable(generic, k, m, dst, src)
		} else {
			k.gcm(row, m, dst, src, true)
		}
	case neon, ce:
		k.gcm(row, m, dst, src, true)
	default:
		sealPortable(row, k, m, dst, src)
	}
}

func openKernel(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	switch row {
	case armv6:
		if len(src) <= passShort-BlockSize {
			openPortable(generic, k, m, dst, src)
		} else {
			k.gcm(row, m, dst, src, false)
		}
	case neon, ce:
		k.gcm(row, m, dst, src, false)
	default:
		openPortable(row, k, m, dst, src)
	}
}

// ctr32 is CTR with a counter of 32 bits, for gcm.
func (k *Keys) ctr32(row uint8, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	switch row {
	case armv6:
		k.ctr32ByPasses(counter, dst, src, rest)
	case neon:
		arm.CTR32NEON(k.neon, counter, dst, src, rest)
	case ce:
		arm.CTR32CE(k.ce, counter, dst, src, rest)
	default:
		panic(noKernel)
	}
}

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
