//go:build !purego

package sm4

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/sm4/internal/amd64"
)

const (
	aesniAVX2 uint8 = iota + 1
	gfniAVX2
	gfniAVX512
	sm4niAVX2
)

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
var infos = []driver.Info{
	generic:    {Name: "generic", Priority: 100, Timing: timingGeneric},
	aesniAVX2:  {Name: "aesni-avx2", Priority: 200, Needs: cpu.AVX2 | cpu.AES | cpu.PCLMULQDQ, Timing: timingAMD64},
	gfniAVX2:   {Name: "gfni-avx2", Priority: 300, Needs: cpu.AVX2 | cpu.GFNI | cpu.PCLMULQDQ | cpu.VPCLMULQDQ, Timing: timingAMD64},
	gfniAVX512: {Name: "gfni-avx512", Priority: 400, Needs: cpu.AVX512 | cpu.AVX512VBMI2 | cpu.GFNI | cpu.VPCLMULQDQ, Timing: timingAMD64},
	sm4niAVX2:  {Name: "sm4ni-avx2", Priority: 500, Needs: cpu.AVX2 | cpu.SM4 | cpu.PCLMULQDQ | cpu.VPCLMULQDQ, Timing: timingAMD64},
}

var table = drivers.Register("sm4", infos)

const timingAMD64 = "independent of secrets: fixed instructions, no table"

var traits = [...]trait{
	generic: genericTrait,
	aesniAVX2: {
		ghash: ghash.PCLMULQDQ, sivShort: ghash.PCLMULQDQ, sivLong: ghash.PCLMULQDQ,
		togetherMin: 2, keys: aesniAVX2,
	},
	gfniAVX2: {
		ghash: ghash.VPCLMULQDQ256, sivShort: ghash.PCLMULQDQ, sivLong: ghash.VPCLMULQDQ256, sivLongBytes: 256,
		togetherMin: 2, keys: aesniAVX2,
	},
	gfniAVX512: {
		ghash: ghash.VPCLMULQDQ512, sivShort: ghash.VPCLMULQDQ256, sivLong: ghash.VPCLMULQDQ512, sivLongBytes: 1024,
		lanes: 64, keys: aesniAVX2,
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

func encryptBlocksKernel(row uint8, k *keys, dst, src []byte) {
	switch row {
	case aesniAVX2:
		amd64.EncryptBlocksAESNIAVX2(&k.simd, dst, src)
	case gfniAVX2:
		amd64.EncryptBlocksGFNIAVX2(&k.simd, dst, src)
	case gfniAVX512:
		amd64.EncryptBlocksGFNI512(&k.simd, dst, src)
	case sm4niAVX2:
		amd64.EncryptBlocksSM4NIAVX2(&k.simd, dst, src)
	default:
		encryptBlocksPortable(row, k, dst, src)
	}
}

func decryptBlocksKernel(row uint8, k *keys, dst, src []byte) {
	switch row {
	case aesniAVX2:
		amd64.DecryptBlocksAESNIAVX2(&k.simd, dst, src)
	case gfniAVX2:
		amd64.DecryptBlocksGFNIAVX2(&k.simd, dst, src)
	case gfniAVX512:
		amd64.DecryptBlocksGFNI512(&k.simd, dst, src)
	case sm4niAVX2:
		amd64.DecryptBlocksSM4NIAVX2(&k.simd, dst, src)
	default:
		decryptBlocksPortable(row, k, dst, src)
	}
}

func cbcEncryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case aesniAVX2:
		amd64.CBCEncryptAESNIAVX2(&k.simd, iv, dst, src)
	case gfniAVX2:
		amd64.CBCEncryptGFNIAVX2(&k.simd, iv, dst, src)
	case gfniAVX512:
		amd64.CBCEncryptGFNI512(&k.simd, iv, dst, src)
	case sm4niAVX2:
		amd64.CBCEncryptSM4NIAVX2(&k.simd, iv, dst, src)
	default:
		cbcEncryptPortable(row, k, iv, dst, src)
	}
}

func cbcDecryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case aesniAVX2:
		amd64.CBCDecryptAESNIAVX2(&k.simd, iv, dst, src)
	case gfniAVX2:
		amd64.CBCDecryptGFNIAVX2(&k.simd, iv, dst, src)
	case gfniAVX512:
		amd64.CBCDecryptGFNI512(&k.simd, iv, dst, src)
	case sm4niAVX2:
		amd64.CBCDecryptSM4NIAVX2(&k.simd, iv, dst, src)
	default:
		cbcDecryptPortable(row, k, iv, dst, src)
	}
}

func cfbDecryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) int {
	switch row {
	case gfniAVX512:
		return amd64.CFBDecryptGFNI512(&k.simd, iv, dst, src)
	default: // aesniAVX2, gfniAVX2, sm4niAVX2
		return cfbDecryptPortable(row, k, iv, dst, src)
	}
}

func ctrKernel(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	switch row {
	case aesniAVX2:
		amd64.CTRAESNIAVX2(&k.simd, counter, dst, src, rest)
	case gfniAVX2:
		amd64.CTRGFNIAVX2(&k.simd, counter, dst, src, rest)
	case gfniAVX512:
		amd64.CTRGFNI512(&k.simd, counter, dst, src, rest)
	case sm4niAVX2:
		amd64.CTRSM4NIAVX2(&k.simd, counter, dst, src, rest)
	default:
		ctrPortable(row, k, counter, dst, src, rest)
	}
}

// ahead is the size of the keystream that is generated for a short request: on every driver
// a pass over 16 blocks takes hardly longer than one over a single block.
const ahead = 16 * BlockSize

func ctrAhead(drivers.Plan, int, bool) int { return ahead }

const ctrBlocksMin = 0 // there is no ctrBlocks

func ctrBlocks(uint8, *keys, *[BlockSize]byte, []byte, []byte) bool { return false }

func ctr32Kernel(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	switch row {
	default: // aesniAVX2, gfniAVX2, gfniAVX512, sm4niAVX2
		ctr32Portable(row, k, counter, dst, src, rest)
	}
}

func xtsKernel(row uint8, k *keys, tweak *[BlockSize]byte, dst, src []byte, matrix uint64, decrypt bool) bool {
	switch row {
	case gfniAVX512:
		amd64.XTSGFNI512(&k.simd, tweak, matrix, dst, src, decrypt)
		return true
	default: // aesniAVX2, gfniAVX2, sm4niAVX2
		return xtsPortable(row, k, tweak, dst, src, matrix, decrypt)
	}
}

// hasUnits says that there are drivers for which xtsUnitKernel does something.
const hasUnits = true

func xtsUnitKernel(row uint8, k, first *keys, tweak *[BlockSize]byte, dst, src []byte, gb, decrypt bool) bool {
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
	default: // aesniAVX2, gfniAVX2, sm4niAVX2
		return xtsUnitPortable(row, k, first, tweak, dst, src, gb, decrypt)
	}
}

func countersKernel(row uint8, k *keys, starts [][BlockSize]byte, first, which int, dst, src []byte) bool {
	switch row {
	case gfniAVX512:
		amd64.CountersGFNI512(&k.simd, starts, first, which, dst, src)
		return true
	default: // aesniAVX2, gfniAVX2, sm4niAVX2
		return countersPortable(row, k, starts, first, which, dst, src)
	}
}

func keyedBlocksKernel(row uint8, dst, src, keys []byte, decrypt bool) bool {
	switch row {
	case gfniAVX512:
		amd64.KeyedBlocksGFNI512(keys, dst, src, decrypt)
		return true
	default: // aesniAVX2, gfniAVX2, sm4niAVX2
		return keyedBlocksPortable(row)
	}
}

func sealKernel(row uint8, k *keys, m *ghash.Message, dst, src []byte) {
	switch row {
	case aesniAVX2:
		amd64.SealAESNIAVX2(&k.simd, m.Hash.Powers(), &m.J0, &m.Y, &m.Lens, dst, src)
	case gfniAVX2:
		amd64.SealGFNIAVX2(&k.simd, m.Hash.Powers(), &m.J0, &m.Y, &m.Lens, dst, src)
	case gfniAVX512:
		if len(src) > amd64.TailGFNI512 {
			m.Settle()
		}
		amd64.SealGFNI512(&k.simd, m.Hash.Powers(), &m.J0, &m.Y, &m.Lens, dst, src, m.Pending)
	case sm4niAVX2:
		amd64.SealSM4NIAVX2(&k.simd, m.Hash.Powers(), &m.J0, &m.Y, &m.Lens, dst, src)
	default:
		sealPortable(row, k, m, dst, src)
	}
}

func openKernel(row uint8, k *keys, m *ghash.Message, dst, src []byte) {
	switch row {
	case aesniAVX2:
		amd64.OpenAESNIAVX2(&k.simd, m.Hash.Powers(), &m.J0, &m.Y, &m.Lens, dst, src)
	case gfniAVX2:
		amd64.OpenGFNIAVX2(&k.simd, m.Hash.Powers(), &m.J0, &m.Y, &m.Lens, dst, src)
	case gfniAVX512:
		if len(src) > amd64.TailGFNI512 {
			m.Settle()
		}
		amd64.OpenGFNI512(&k.simd, m.Hash.Powers(), &m.J0, &m.Y, &m.Lens, dst, src, m.Pending)
	case sm4niAVX2:
		amd64.OpenSM4NIAVX2(&k.simd, m.Hash.Powers(), &m.J0, &m.Y, &m.Lens, dst, src)
	default:
		openPortable(row, k, m, dst, src)
	}
}

// A laneKernel is the memory of the kernel for lanes with different keys.
type laneKernel struct{ amd64.Lanes }

func (l *laneKernel) set(i int, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	l.Set(i, &k.simd, iv, dst, src)
}

func (l *laneKernel) chain(i int) [BlockSize]byte { return l.Chain[i] }

// worthLanesKernel reports whether the kernel is faster than one lane after the other.
func worthLanesKernel(row uint8, lanes, blocks int) bool {
	switch row {
	case gfniAVX512:
		return amd64.WorthLanesGFNI512(lanes, blocks)
	case sm4niAVX2:
		return lanes > 1
	default: // aesniAVX2, gfniAVX2
		panic(noKernel)
	}
}

func encryptLanesKernel(row uint8, l *laneKernel, lanes, blocks int, store bool) {
	switch row {
	case gfniAVX512:
		l.EncryptGFNI512(lanes, blocks, store)
	case sm4niAVX2:
		l.EncryptSM4NIAVX2(lanes, blocks, store)
	default: // aesniAVX2, gfniAVX2
		panic(noKernel)
	}
}
