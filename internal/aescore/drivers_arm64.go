//go:build !purego

package aescore

import (
	"slices"

	"runtime"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/aescore/internal/arm64"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

const (
	neon uint8 = iota + 1 // kernels: Bitslice, NEON, ByCTR32
	ce                    // kernels: LongCE, BlocksCE, CE
)

//switches:if len(src) > MaxPass: SealLongCE, OpenLongCE
//switches:if len(src)%BlockSize == 0: CTRBlocksCE

// Arguments of kernels.
//
//switches:argument *arm64.KeysBitslice = k.neon
//switches:argument neon *arm64.Keys = &k.neon.Keys
//switches:argument *arm64.Keys = &k.ce
//switches:argument *arm64.Powers = m.Hash.Powers()
//switches:argument *arm64.Message = message(m)

// Rows returns the table of drivers, for package aes.
// Priorities: docs/benchmarks.md, Instruction counts.
func Rows() []drivers.Info { return slices.Clone(infos) }

var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	neon:    {Name: "neon", Priority: 200, Needs: cpu.NEON, Timing: timingARM64},
	ce:      {Name: "ce", Priority: 300, Needs: cpu.AES | cpu.PMULL, Timing: timingARM64},
}

const timingARM64 = "independent of secrets: fixed instructions, no table"

var traits = [...]Traits{
	generic: genericTraits,
	neon: {
		CTRShort: MaxAhead, CTRAhead: MaxAhead,
		GHASH: ghash.NEON, SIVShort: ghash.NEON, SIVLong: ghash.NEON,
		Width: 4,
	},
	ce: {
		CTRShort: 3 * BlockSize, CTRAhead: MaxAhead,
		GHASH: ghash.PMULL, GCMClean: true, SIVShort: ghash.PMULL, SIVLong: ghash.PMULL,
		Chains: true, Width: 8,
	},
}

// Keys are the round keys in the representations that the drivers of a plan use.
type Keys struct {
	ce   arm64.Keys
	neon *arm64.KeysBitslice // nil if no driver needs them
	more *genericKeys        // likewise
	many uint8               // the driver for many messages
}

func (k *Keys) portable() *genericKeys { return k.more }

// Expand sets a key of 16, 24 or 32 bytes, in the representations for these drivers.
func (k *Keys) Expand(plan drivers.Plan, key []byte) {
	if plan.Has(generic) {
		if k.more == nil {
			k.more = new(genericKeys)
		}
		k.more.expand(key)
	}
	if plan.Has(ce) {
		arm64.ExpandCE(&k.ce, key)
	}
	if plan.Has(neon) {
		if k.neon == nil {
			k.neon = new(arm64.KeysBitslice)
		}
		var words [4 * (maxRounds + 1)]uint32
		ExpandKey(words[:len(key)+28], key)
		arm64.ExpandBitslice(k.neon, key, words[:])
		clear(words[:])
		runtime.KeepAlive(&words)
	}
	k.many = plan.Many()
}

// Wipe overwrites the round keys.
func (k *Keys) Wipe() {
	k.ce = arm64.Keys{Rounds: k.ce.Rounds} // Rounds is not secret
	if k.neon != nil {
		*k.neon = arm64.KeysBitslice{}
	}
	if k.more != nil {
		k.more.wipe()
	}
}

// Rounds returns the number of rounds.
func (k *Keys) Rounds() int {
	if k.ce.Rounds != 0 {
		return k.ce.Rounds
	}
	if k.neon != nil {
		return k.neon.Rounds
	}
	return k.more.rounds
}

// message returns m as kernels know it.
func message(m *ghash.Message) *arm64.Message { return (*arm64.Message)(unsafe.Pointer(&m.J0)) }

// These do not compile if the fields of both are not in the same places.
const (
	_ = -(unsafe.Offsetof(arm64.Message{}.Lens) ^ (unsafe.Offsetof(ghash.Message{}.Lens) - unsafe.Offsetof(ghash.Message{}.J0)))
	_ = -(unsafe.Offsetof(arm64.Message{}.Pending) ^ (unsafe.Offsetof(ghash.Message{}.Pending) - unsafe.Offsetof(ghash.Message{}.J0)))
)

// A Lane is one of the streams of blocks of [CBCEncryptMany].
type Lane = arm64.Lane

// NewLane returns a lane. iv becomes the last ciphertext block. If dst is nil, nothing
// else is written.
func NewLane(k *Keys, iv *[BlockSize]byte, dst, src *byte) Lane {
	keys := &k.ce
	if k.many == neon {
		keys = &k.neon.Keys
	}
	return Lane{Keys: keys, IV: iv, Dst: dst, Src: src}
}
