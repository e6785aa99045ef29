//go:build !purego

package sm4

import (
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/sm4/internal/amd64"
)

const (
	aesni uint8 = iota + 1
	aesniAVX2
	gfniAVX2
	gfniAVX512 // kernels: GFNI512
	sm4niAVX2
)

// Arguments of kernels.
//
//switches:argument *amd64.Keys = &k.simd
//switches:argument *[64][16]byte = m.Hash.Powers()
//switches:argument *amd64.Message = message(m)
//switches:argument *amd64.Lanes = &l.Lanes

// Priorities: docs/benchmarks.md, SM4 by driver. That of sm4ni-avx2 is from a model,
// not from a CPU: llvm-mca of LLVM 22 predicts, in cycles per byte for CBC decryption
// or CTR and for CBC encryption,
//
//	sm4ni-avx2   0.26 and 2.7  Arrow Lake, Diamond Rapids (Lunar Lake: 0.16 and 2.7)
//	gfni-avx2    0.95 and 33   Arrow Lake
//	gfni-avx512  0.57 and 21   Diamond Rapids
//
// The model treats VSM4RNDS4 as a multiplication, with a latency of 5 cycles and a
// throughput of one or two per cycle. The order of priorities would be wrong only if
// the instruction were three times as slow on a CPU without AVX-512, or twice with it.
var infos = []drivers.Info{
	generic:    {Name: "generic", Priority: 100, Timing: timingGeneric},
	aesni:      {Name: "aesni", Priority: 150, Needs: cpu.SSSE3 | cpu.AES | cpu.PCLMULQDQ, Timing: timingAMD64},
	aesniAVX2:  {Name: "aesni-avx2", Priority: 200, Needs: cpu.AVX2 | cpu.AES | cpu.PCLMULQDQ, Timing: timingAMD64},
	gfniAVX2:   {Name: "gfni-avx2", Priority: 300, Needs: cpu.AVX2 | cpu.GFNI | cpu.PCLMULQDQ | cpu.VPCLMULQDQ, Timing: timingAMD64},
	gfniAVX512: {Name: "gfni-avx512", Priority: 400, Needs: cpu.AVX512 | cpu.AVX512VBMI2 | cpu.GFNI | cpu.VPCLMULQDQ, Timing: timingAMD64},
	sm4niAVX2:  {Name: "sm4ni-avx2", Priority: 500, Needs: cpu.AVX2 | cpu.SM4 | cpu.PCLMULQDQ | cpu.VPCLMULQDQ, Timing: timingAMD64},
}

var table = drivers.Register("sm4", infos)

const timingAMD64 = "independent of secrets: fixed instructions, no table"

var traits = [...]trait{
	generic: genericTrait,
	aesni: {
		ghash: ghash.PCLMULQDQ, sivShort: ghash.PCLMULQDQ, sivLong: ghash.PCLMULQDQ,
		togetherMin: 2, keys: aesni,
	},
	aesniAVX2: {
		ghash: ghash.PCLMULQDQ, sivShort: ghash.PCLMULQDQ, sivLong: ghash.PCLMULQDQ,
		togetherMin: 2, keys: aesni,
	},
	gfniAVX2: {
		ghash: ghash.VPCLMULQDQ256, sivShort: ghash.PCLMULQDQ, sivLong: ghash.VPCLMULQDQ256, sivLongBytes: 256,
		togetherMin: 2, keys: aesni,
	},
	gfniAVX512: {
		ghash: ghash.VPCLMULQDQ512, sivShort: ghash.VPCLMULQDQ256, sivLong: ghash.VPCLMULQDQ512, sivLongBytes: 1024,
		lanes: 64, keys: aesni,
	},
	sm4niAVX2: {
		ghash: ghash.VPCLMULQDQ256, sivShort: ghash.PCLMULQDQ, sivLong: ghash.VPCLMULQDQ256, sivLongBytes: 256,
		lanes: 8,
	},
}

// roundKeys are the round keys in the representation of one driver.
type roundKeys struct {
	simd    amd64.Keys
	generic *genericKeys // nil for other drivers
}

func (k *roundKeys) portable() *genericKeys { return k.generic }

func (k *roundKeys) expand(row uint8, key *[KeySize]byte) {
	switch row {
	case generic:
		if k.generic == nil {
			k.generic = new(genericKeys)
		}
		k.generic.expand(key)
	case aesni:
		amd64.ExpandAESNI(&k.simd, key)
	case aesniAVX2:
		amd64.ExpandAESNIAVX2(&k.simd, key)
	case gfniAVX2:
		amd64.ExpandGFNIAVX2(&k.simd, key)
	case gfniAVX512:
		amd64.ExpandGFNI512(&k.simd, key)
	case sm4niAVX2:
		amd64.ExpandSM4NIAVX2(&k.simd, key)
	default:
		panic(noKernel)
	}
}

func (k *roundKeys) wipe() {
	k.simd = amd64.Keys{}
	if k.generic != nil {
		k.generic.wipe()
	}
}

const hasUnits = true

func xtsUnit(row uint8, k, first *keys, tweak *[BlockSize]byte, dst, src []byte, gb, decrypt bool) bool {
	switch row {
	case gfniAVX512:
		amd64.EncryptBlocksGFNI512(&first.simd, tweak[:], tweak[:])
		matrix := uint64(ieeeTweaks)
		if gb {
			modes.TurnTweaks(tweak[:])
			matrix = gbTweaks
		}
		amd64.XTSGFNI512(&k.simd, tweak, matrix, dst, src, decrypt)
		return true
	default: // aesni, aesniAVX2, gfniAVX2, sm4niAVX2
		return xtsUnitDefault(row, k, first, tweak, dst, src, gb, decrypt)
	}
}

// message returns m as kernels know it.
func message(m *ghash.Message) *amd64.Message { return (*amd64.Message)(unsafe.Pointer(&m.J0)) }

// These do not compile if the fields of both are not in the same places.
const (
	_ = -(unsafe.Offsetof(amd64.Message{}.Lens) ^ (unsafe.Offsetof(ghash.Message{}.Lens) - unsafe.Offsetof(ghash.Message{}.J0)))
	_ = -(unsafe.Offsetof(amd64.Message{}.Pending) ^ (unsafe.Offsetof(ghash.Message{}.Pending) - unsafe.Offsetof(ghash.Message{}.J0)))
)

// A laneKernel is the memory of the kernel for lanes with different keys.
type laneKernel struct{ amd64.Lanes }

func (l *laneKernel) set(i int, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	l.Set(i, &k.simd, iv, dst, src)
}

func (l *laneKernel) chain(i int) [BlockSize]byte { return l.Chain[i] }

func worthLanesSM4NIAVX2(lanes, blocks int) bool { return lanes > 1 }
