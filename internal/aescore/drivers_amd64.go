//go:build !purego

package aescore

import (
	"slices"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/aescore/internal/amd64"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

const (
	ssse3      uint8 = iota + 1 // kernels: SSSE3, ByBlocks
	aesni                       // kernels: AESNI, DecryptAESNI, EncryptAESNI
	vaesAVX2                    // kernels: VAES256, DecryptVAES256, EncryptVAES256, AESNI
	vaesAVX512                  // kernels: LongVAES512, VAES512, DecryptVAES512, EncryptVAES512, VAES256, AESNI
)

// A chain cannot use wide registers. For a few blocks, it is not worth to load the keys into them:
// on Zen 5 (docs/machines/zen5-sweep.json), AES-NI decrypts four or five blocks in up to 10 % less
// time, and on Sapphire Rapids in the same.
//
//switches:if decrypt: XTSDecryptAESNI, XTSDecryptVAES256, XTSDecryptVAES512, XTSUnitDecryptVAES512
//switches:if len(src) > 5*BlockSize || len(src) == 2*BlockSize || len(src) == 3*BlockSize: CBCDecryptVAES256
//switches:if len(src) > 10*BlockSize: CBCDecryptVAES512
//switches:if len(src) > MaxPass: SealLongVAES512, OpenLongVAES512

// Arguments of kernels.
//
//switches:argument ssse3 *amd64.Keys = k.ssse3()
//switches:argument *amd64.Keys = &k.simd
//switches:argument *amd64.Powers = m.Hash.Powers()
//switches:argument *amd64.Message = message(m)
//switches:argument *amd64.Packet = packet(m)

// Rows returns the table of drivers, for package aes.
// Priorities: docs/benchmarks.md, AES by driver.
func Rows() []drivers.Info { return slices.Clone(infos) }

var infos = []drivers.Info{
	generic:    {Name: "generic", Priority: 100, Timing: timingGeneric},
	ssse3:      {Name: "ssse3", Priority: 150, Needs: cpu.SSSE3, Timing: timingSSSE3},
	aesni:      {Name: "aesni", Priority: 300, Needs: cpu.AES | cpu.SSSE3 | cpu.PCLMULQDQ, Timing: timingAMD64},
	vaesAVX2:   {Name: "vaes-avx2", Priority: 350, Needs: cpu.AES | cpu.AVX2 | cpu.VAES | cpu.PCLMULQDQ | cpu.VPCLMULQDQ, Timing: timingAMD64},
	vaesAVX512: {Name: "vaes-avx512", Priority: 400, Needs: cpu.AES | cpu.AVX512 | cpu.BMI2 | cpu.VAES | cpu.PCLMULQDQ | cpu.VPCLMULQDQ, Timing: timingAMD64},
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
		PacketTag: BlockSize, PacketLimit: 2*ghash.MaxPacket + 1,
		CCMText: true,
		Width:   8,
	},
	vaesAVX2: {
		CTRShort: 3 * BlockSize, CTRAhead: MaxAhead,
		GHASH: ghash.VPCLMULQDQ256, SIVShort: ghash.PCLMULQDQ, SIVLong: ghash.VPCLMULQDQ256, SIVLongBytes: 256,
		PacketTag: BlockSize, PacketLimit: 256, // measured on Zen 3
		CCMText: true,
		Width:   8,
	},
	vaesAVX512: {
		CTRShort: 3 * BlockSize, CTRAhead: MaxAhead, CTRInCCM: vaesAVX2,
		GHASH: ghash.VPCLMULQDQ512, SIVShort: ghash.VPCLMULQDQ256, SIVLong: ghash.VPCLMULQDQ512, SIVLongBytes: 1024,
		PacketTag: 12, PacketLimit: 2*ghash.MaxPacket + 1,
		CCMText: true,
		Width:   MaxLanes, NarrowBelow: 6,
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

// message returns m as kernels know it.
func message(m *ghash.Message) *amd64.Message { return (*amd64.Message)(unsafe.Pointer(&m.J0)) }

// These do not compile if the fields of both are not in the same places.
const (
	_ = -(unsafe.Offsetof(amd64.Message{}.Lens) ^ (unsafe.Offsetof(ghash.Message{}.Lens) - unsafe.Offsetof(ghash.Message{}.J0)))
	_ = -(unsafe.Offsetof(amd64.Message{}.Pending) ^ (unsafe.Offsetof(ghash.Message{}.Pending) - unsafe.Offsetof(ghash.Message{}.J0)))
)

// HasPackets says that there are drivers with the trait PacketTag.
const HasPackets = true

// HasCCMText says that there are drivers with the trait CCMText.
const HasCCMText = true

// packet returns m as kernels know it.
func packet(m *ghash.Packet) *amd64.Packet { return (*amd64.Packet)(unsafe.Pointer(&m.Dst)) }

// This does not compile if the fields of both are not in the same places.
const _ = -(unsafe.Offsetof(amd64.Packet{}.TagBits) ^ (unsafe.Offsetof(ghash.Packet{}.TagBits) - unsafe.Offsetof(ghash.Packet{}.Dst)))

// A Lane is one of the streams of blocks of [CBCEncryptMany].
type Lane = amd64.Lane

// NewLane returns a lane. iv becomes the last ciphertext block. If dst is nil, nothing
// else is written.
func NewLane(k *Keys, iv *[BlockSize]byte, dst, src *byte) Lane {
	return Lane{Keys: &k.simd, IV: iv, Dst: dst, Src: src}
}
