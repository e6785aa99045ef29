//go:build !purego

package aescore

import (
	"slices"
	"unsafe"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/aescore/internal/amd64"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

const (
	ssse3 uint8 = iota + 1
	aesni
	vaesAVX2
	vaesAVX512
)

// Rows returns the table of drivers, for package aes.
// Priorities: docs/benchmarks.md, AES by driver.
func Rows() []driver.Info { return slices.Clone(infos) }

var infos = []driver.Info{
	generic:    {Name: "generic", Priority: 100, Timing: timingGeneric},
	ssse3:      {Name: "ssse3", Priority: 150, Needs: cpu.SSSE3, Timing: timingSSSE3},
	aesni:      {Name: "aesni", Priority: 300, Needs: cpu.AES | cpu.SSSE3 | cpu.PCLMULQDQ, Timing: timingAMD64},
	vaesAVX2:   {Name: "vaes-avx2", Priority: 350, Needs: cpu.AES | cpu.AVX2 | cpu.VAES | cpu.PCLMULQDQ | cpu.VPCLMULQDQ, Timing: timingAMD64},
	vaesAVX512: {Name: "vaes-avx512", Priority: 400, Needs: cpu.AES | cpu.AVX512 | cpu.VAES | cpu.PCLMULQDQ | cpu.VPCLMULQDQ, Timing: timingAMD64},
}

const (
	timingSSSE3 = "independent of secrets: look-ups inside registers; GCM also wants the CPU's multiplication to be"
	timingAMD64 = "independent of secrets: fixed instructions, no table"
)

var traits = [...]Traits{
	generic: genericTraits,
	ssse3: {
		CTRShort: 4 * BlockSize, CTRAhead: 4 * BlockSize,
		GHASH: ghash.Generic, SIVShort: ghash.Generic, SIVLong: ghash.Generic,
		Width: 1,
	},
	aesni: {
		CTRShort: 3 * BlockSize, CTRAhead: MaxAhead,
		GHASH: ghash.PCLMULQDQ, SIVShort: ghash.PCLMULQDQ, SIVLong: ghash.PCLMULQDQ,
		Width: 8,
	},
	vaesAVX2: {
		CTRShort: 3 * BlockSize, CTRAhead: MaxAhead,
		GHASH: ghash.VPCLMULQDQ256, SIVShort: ghash.PCLMULQDQ, SIVLong: ghash.VPCLMULQDQ256, SIVLongBytes: 256,
		Width: 8,
	},
	vaesAVX512: {
		CTRShort: 3 * BlockSize, CTRAhead: MaxAhead, CTRInCCM: vaesAVX2,
		GHASH: ghash.VPCLMULQDQ512, SIVShort: ghash.VPCLMULQDQ256, SIVLong: ghash.VPCLMULQDQ512, SIVLongBytes: 1024,
		Width: MaxLanes, NarrowBelow: 6,
	},
}

// Keys are the round keys in the representations that the drivers of a plan use. All
// drivers with AES-NI share one.
type Keys struct {
	simd amd64.Keys
	more *moreKeys // nil if simd is enough
}

// moreKeys are round keys that have no place in Keys.
type moreKeys struct {
	generic genericKeys
	ssse3   *amd64.Keys // if drivers with AES-NI use simd, or nil
}

func (k *Keys) portable() *genericKeys { return &k.more.generic }

// ssse3 returns the round keys of the driver.
func (k *Keys) ssse3() *amd64.Keys {
	if k.more != nil && k.more.ssse3 != nil {
		return k.more.ssse3
	}
	return &k.simd
}

// Expand sets a key of 16, 24 or 32 bytes, in the representations for these drivers.
func (k *Keys) Expand(plan drivers.Plan, key []byte) {
	if !plan.IsUniform() {
		k.expandMixed(plan, key)
		return
	}
	switch row := plan.Short(); row {
	case generic:
		if k.more == nil {
			k.more = new(moreKeys)
		}
		k.more.generic.expand(key)
	case ssse3:
		amd64.ExpandSSSE3(k.ssse3(), key)
	case aesni, vaesAVX2, vaesAVX512:
		amd64.ExpandAESNI(&k.simd, key)
	default:
		panic(noKernel)
	}
}

func (k *Keys) expandMixed(plan drivers.Plan, key []byte) {
	uses := 1<<plan.Short() | 1<<plan.Bulk() | 1<<plan.Serial() | 1<<plan.Many()
	if uses&(1<<generic) != 0 {
		k.Expand(drivers.Uniform(generic), key)
	}
	if uses&(1<<ssse3) != 0 {
		if uses>>aesni != 0 {
			if k.more == nil {
				k.more = new(moreKeys)
			}
			k.more.ssse3 = new(amd64.Keys)
		}
		k.Expand(drivers.Uniform(ssse3), key)
	}
	if uses>>aesni != 0 {
		k.Expand(drivers.Uniform(aesni), key)
	}
}

// Wipe overwrites the round keys.
func (k *Keys) Wipe() {
	k.simd = amd64.Keys{Rounds: k.simd.Rounds} // Rounds is not secret
	if k.more == nil {
		return
	}
	k.more.generic.wipe()
	if k.more.ssse3 != nil {
		*k.more.ssse3 = amd64.Keys{}
	}
}

// Rounds returns the number of rounds.
func (k *Keys) Rounds() int {
	if k.simd.Rounds == 0 {
		return k.more.generic.rounds
	}
	return k.simd.Rounds
}

func encryptBlocksKernel(row uint8, k *Keys, dst, src []byte) {
	switch row {
	case ssse3:
		amd64.EncryptBlocksSSSE3(k.ssse3(), dst, src)
	case aesni:
		amd64.EncryptBlocksAESNI(&k.simd, dst, src)
	case vaesAVX2:
		amd64.EncryptBlocksVAES256(&k.simd, dst, src)
	case vaesAVX512:
		amd64.EncryptBlocksVAES512(&k.simd, dst, src)
	default:
		encryptBlocksPortable(row, k, dst, src)
	}
}

func decryptBlocksKernel(row uint8, k *Keys, dst, src []byte) {
	switch row {
	case ssse3:
		amd64.DecryptBlocksSSSE3(k.ssse3(), dst, src)
	case aesni:
		amd64.DecryptBlocksAESNI(&k.simd, dst, src)
	case vaesAVX2:
		amd64.DecryptBlocksVAES256(&k.simd, dst, src)
	case vaesAVX512:
		amd64.DecryptBlocksVAES512(&k.simd, dst, src)
	default:
		decryptBlocksPortable(row, k, dst, src)
	}
}

func cbcEncryptKernel(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case ssse3:
		amd64.CBCEncryptSSSE3(k.ssse3(), iv, dst, src)
	case aesni, vaesAVX2, vaesAVX512: // a chain cannot use wide registers
		amd64.CBCEncryptAESNI(&k.simd, iv, dst, src)
	default:
		cbcEncryptPortable(row, k, iv, dst, src)
	}
}

func cbcDecryptKernel(row uint8, k *Keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case ssse3:
		amd64.CBCDecryptSSSE3(k.ssse3(), iv, dst, src)
	case aesni:
		amd64.CBCDecryptAESNI(&k.simd, iv, dst, src)
	case vaesAVX512:
		if len(src) > 10*BlockSize {
			amd64.CBCDecryptVAES512(&k.simd, iv, dst, src)
			return
		}
		fallthrough // too little for loading the keys into wide registers
	case vaesAVX2:
		if len(src) > BlockSize {
			amd64.CBCDecryptVAES256(&k.simd, iv, dst, src)
		} else {
			amd64.CBCDecryptAESNI(&k.simd, iv, dst, src)
		}
	default:
		cbcDecryptPortable(row, k, iv, dst, src)
	}
}

func ctrKernel(row uint8, k *Keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	switch row {
	case ssse3:
		amd64.CTRSSSE3(k.ssse3(), counter, dst, src, rest)
	case aesni:
		amd64.CTRAESNI(&k.simd, counter, dst, src, rest)
	case vaesAVX2:
		amd64.CTRVAES256(&k.simd, counter, dst, src, rest)
	case vaesAVX512:
		amd64.CTRVAES512(&k.simd, counter, dst, src, rest)
	default:
		ctrPortable(row, k, counter, dst, src, rest)
	}
}

func xtsKernel(row uint8, k *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	switch row {
	case aesni:
		if decrypt {
			amd64.XTSDecryptAESNI(&k.simd, tweak, dst, src)
		} else {
			amd64.XTSEncryptAESNI(&k.simd, tweak, dst, src)
		}
	case vaesAVX2:
		if decrypt {
			amd64.XTSDecryptVAES256(&k.simd, tweak, dst, src)
		} else {
			amd64.XTSEncryptVAES256(&k.simd, tweak, dst, src)
		}
	case vaesAVX512:
		if decrypt {
			amd64.XTSDecryptVAES512(&k.simd, tweak, dst, src)
		} else {
			amd64.XTSEncryptVAES512(&k.simd, tweak, dst, src)
		}
	default: // ssse3
		xtsPortable(row, k, tweak, dst, src, decrypt)
	}
}

func xtsUnitKernel(row uint8, k, first *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	xtsUnitPortable(row, k, first, tweak, dst, src, decrypt)
}

func sealKernel(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	switch row {
	case aesni:
		amd64.SealAESNI(&k.simd, m.Hash.Powers(), &m.J0, &m.Y, &m.Lens, dst, src)
	case vaesAVX2:
		amd64.SealVAES256(&k.simd, m.Hash.Powers(), &m.J0, &m.Y, &m.Lens, dst, src)
	case vaesAVX512:
		if len(src) > amd64.MaxPass {
			amd64.SealLongVAES512(&k.simd, m.Hash.Powers(), message(m), dst, src)
		} else {
			amd64.SealVAES512(&k.simd, m.Hash.Powers(), message(m), dst, src)
		}
	default: // ssse3
		sealPortable(row, k, m, dst, src)
	}
}

func openKernel(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	switch row {
	case aesni:
		amd64.OpenAESNI(&k.simd, m.Hash.Powers(), &m.J0, &m.Y, &m.Lens, dst, src)
	case vaesAVX2:
		amd64.OpenVAES256(&k.simd, m.Hash.Powers(), &m.J0, &m.Y, &m.Lens, dst, src)
	case vaesAVX512:
		if len(src) > amd64.MaxPass {
			amd64.OpenLongVAES512(&k.simd, m.Hash.Powers(), message(m), dst, src)
		} else {
			amd64.OpenVAES512(&k.simd, m.Hash.Powers(), message(m), dst, src)
		}
	default: // ssse3
		openPortable(row, k, m, dst, src)
	}
}

// message returns m as kernels know it.
func message(m *ghash.Message) *amd64.Message { return (*amd64.Message)(unsafe.Pointer(&m.J0)) }

// These do not compile if the fields of both are not in the same places.
const (
	_ = -(unsafe.Offsetof(amd64.Message{}.Lens) ^ (unsafe.Offsetof(ghash.Message{}.Lens) - unsafe.Offsetof(ghash.Message{}.J0)))
	_ = -(unsafe.Offsetof(amd64.Message{}.Pending) ^ (unsafe.Offsetof(ghash.Message{}.Pending) - unsafe.Offsetof(ghash.Message{}.J0)))
)

// A Lane is one of the streams of blocks of [CBCEncryptMany].
type Lane = amd64.Lane

// NewLane returns a lane. iv becomes the last ciphertext block. If dst is nil, nothing
// else is written.
func NewLane(k *Keys, iv *[BlockSize]byte, dst, src *byte) Lane {
	return Lane{Keys: &k.simd, IV: iv, Dst: dst, Src: src}
}

func cbcEncryptManyKernel(row uint8, lanes []Lane, blocks int) {
	switch row {
	case aesni, vaesAVX2:
		amd64.CBCEncryptManyAESNI(lanes, blocks)
	case vaesAVX512:
		amd64.CBCEncryptManyVAES512(lanes, blocks)
	default: // ssse3
		panic(noKernel)
	}
}
