//go:build !purego

package aescore

import (
	"slices"

	"runtime"
	"unsafe"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/aescore/internal/arm64"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

const (
	neon uint8 = iota + 1
	ce
)

// Rows returns the table of drivers, for package aes.
// Priorities: docs/benchmarks.md, Instruction counts on arm64.
func Rows() []driver.Info { return slices.Clone(infos) }

var infos = []driver.Info{
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

func encryptBlocksKernel(row uint8, k *Keys, dst, src []byte) {
	switch row {
	case neon:
		arm64.EncryptBlocksBitslice(k.neon, dst, src)
	case ce:
		arm64.EncryptBlocksCE(&k.ce, dst, src)
	default:
		encryptBlocksPortable(row, k, dst, src)
	}
}

func decryptBlocksKernel(row uint8, k *Keys, dst, src []byte) {
	switch row {
	case neon:
		arm64.DecryptBlocksBitslice(k.neon, dst, src)
	case ce:
		arm64.DecryptBlocksCE(&k.ce, dst, src)
	default:
		decryptBlocksPortable(row, k, dst, src)
	}
}

func cbcEncryptKernel(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case neon:
		arm64.CBCEncryptNEON(&k.neon.Keys, iv, dst, src)
	case ce:
		arm64.CBCEncryptCE(&k.ce, iv, dst, src)
	default:
		cbcEncryptPortable(row, k, iv, dst, src)
	}
}

func cbcDecryptKernel(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case neon:
		arm64.CBCDecryptBitslice(k.neon, iv, dst, src)
	case ce:
		arm64.CBCDecryptCE(&k.ce, iv, dst, src)
	default:
		cbcDecryptPortable(row, k, iv, dst, src)
	}
}

func cbcMACKernel(row uint8, k *Keys, mac *[BlockSize]byte, src []byte) int {
	switch row {
	case ce:
		return arm64.CBCMACCE(&k.ce, mac, src)
	default: // neon
		return 0
	}
}

func cfbEncryptKernel(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) int {
	switch row {
	case ce:
		return arm64.CFBEncryptCE(&k.ce, iv, dst, src)
	default: // neon
		return 0
	}
}

func cfbDecryptKernel(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) int {
	switch row {
	case ce:
		return arm64.CFBDecryptCE(&k.ce, iv, dst, src)
	default: // neon
		return 0
	}
}

func ccmKernel(row uint8, k *Keys, mac, counter *[BlockSize]byte, dst, src []byte, decrypt bool) int {
	switch row {
	case ce:
		return arm64.CCMCE(&k.ce, mac, counter, dst, src, decrypt)
	default: // neon
		return 0
	}
}

func ctrKernel(row uint8, k *Keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	switch row {
	case neon:
		arm64.CTRBitslice(k.neon, counter, dst, src, rest)
	case ce:
		if len(src)%BlockSize == 0 {
			arm64.CTRBlocksCE(&k.ce, counter, dst, src)
		} else {
			arm64.CTRCE(&k.ce, counter, dst, src, rest)
		}
	default:
		ctrPortable(row, k, counter, dst, src, rest)
	}
}

func xtsKernel(row uint8, k *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	switch row {
	case neon:
		arm64.XTSBitslice(k.neon, tweak, dst, src, decrypt)
	case ce:
		arm64.XTSCE(&k.ce, nil, tweak, dst, src, decrypt)
	default:
		xtsPortable(row, k, tweak, dst, src, decrypt)
	}
}

func xtsUnitKernel(row uint8, k, first *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	switch row {
	case ce:
		arm64.XTSCE(&k.ce, &first.ce, tweak, dst, src, decrypt)
	default: // neon
		xtsUnitPortable(row, k, first, tweak, dst, src, decrypt)
	}
}

func sealKernel(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	switch row {
	case neon:
		k.gcm(row, m, dst, src, true)
	case ce:
		if len(src) > arm64.MaxPass {
			arm64.SealLongCE(&k.ce, m.Hash.Powers(), message(m), dst, src)
		} else {
			arm64.SealCE(&k.ce, m.Hash.Powers(), message(m), dst, src)
		}
	default:
		sealPortable(row, k, m, dst, src)
	}
}

func openKernel(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	switch row {
	case neon:
		k.gcm(row, m, dst, src, false)
	case ce:
		if len(src) > arm64.MaxPass {
			arm64.OpenLongCE(&k.ce, m.Hash.Powers(), message(m), dst, src)
		} else {
			arm64.OpenCE(&k.ce, m.Hash.Powers(), message(m), dst, src)
		}
	default:
		openPortable(row, k, m, dst, src)
	}
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

func cbcEncryptManyKernel(row uint8, lanes []Lane, blocks int) {
	switch row {
	case neon:
		arm64.CBCEncryptManyNEON(lanes, blocks)
	case ce:
		arm64.CBCEncryptManyCE(lanes, blocks)
	default:
		panic(noKernel)
	}
}

// ctr32 is CTR with a counter of 32 bits, for gcm.
func (k *Keys) ctr32(_ uint8, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	arm64.CTR32Bitslice(k.neon, counter, dst, src, rest)
}
