//go:build !purego

package sm4

import (
	"runtime"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/sm4/internal/arm64"
)

const (
	aes uint8 = iota + 1
	aesSHA3
	sm4e
)

// Priorities: docs/benchmarks.md, SM4 on arm64. The difference between aes and aes-sha3 is
// EOR3. On Apple's CPUs it takes as long as EOR (dougallj.github.io/applecpu, Firestorm:
// 2 cycles, four per cycle). In llvm-mca's models of Neoverse V1 and V2 only one vector
// unit has it, and the driver with it is 4 to 6 percent slower; on N2 it is 3 percent faster.
var table = drivers.Register("sm4", []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	aes:     {Name: "aes", Priority: 200, Needs: cpu.AES | cpu.PMULL, Timing: timingARM64},
	aesSHA3: {Name: "aes-sha3", Priority: prioritySHA3(), Needs: cpu.AES | cpu.PMULL | cpu.SHA3, Timing: timingARM64},
	sm4e:    {Name: "sm4", Priority: 400, Needs: cpu.SM4 | cpu.PMULL, Timing: timingARM64},
})

func prioritySHA3() int {
	if runtime.GOOS == "darwin" {
		return 300
	}
	return 150
}

const timingARM64 = "independent of secrets: fixed instructions, no table"

var traits = [...]trait{
	generic: genericTrait,
	aes: {
		ghash: ghash.PMULL, sivShort: ghash.PMULL, sivLong: ghash.PMULL,
		lanes: arm64.MaxLanes,
	},
	aesSHA3: {
		ghash: ghash.PMULL, sivShort: ghash.PMULL, sivLong: ghash.PMULL,
		lanes: arm64.MaxLanes,
	},
	sm4e: {
		ghash: ghash.PMULL, sivShort: ghash.PMULL, sivLong: ghash.PMULL,
		lanes: arm64.MaxLanes,
	},
}

// roundKeys are the round keys in the representation of one driver.
type roundKeys struct {
	simd    arm64.Keys
	sm4e    arm64.KeysSM4
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
	case aes, aesSHA3:
		arm64.ExpandAES(&k.simd, key)
	case sm4e:
		arm64.ExpandSM4(&k.sm4e, key)
	default:
		panic(noKernel)
	}
}

func (k *roundKeys) wipe() {
	k.simd = arm64.Keys{}
	k.sm4e = arm64.KeysSM4{}
	if k.generic != nil {
		k.generic.wipe()
	}
}

func encryptBlocksKernel(row uint8, k *keys, dst, src []byte) {
	switch row {
	case aes:
		arm64.EncryptBlocksAES(&k.simd, dst, src)
	case aesSHA3:
		arm64.EncryptBlocksAESSHA3(&k.simd, dst, src)
	case sm4e:
		arm64.EncryptBlocksSM4(&k.sm4e, dst, src)
	default:
		encryptBlocksPortable(row, k, dst, src)
	}
}

func decryptBlocksKernel(row uint8, k *keys, dst, src []byte) {
	switch row {
	case aes:
		arm64.DecryptBlocksAES(&k.simd, dst, src)
	case aesSHA3:
		arm64.DecryptBlocksAESSHA3(&k.simd, dst, src)
	case sm4e:
		arm64.DecryptBlocksSM4(&k.sm4e, dst, src)
	default:
		decryptBlocksPortable(row, k, dst, src)
	}
}

func cbcEncryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case aes, aesSHA3:
		arm64.CBCEncryptAES(&k.simd, iv, dst, src)
	case sm4e:
		arm64.CBCEncryptSM4(&k.sm4e, iv, dst, src)
	default:
		cbcEncryptPortable(row, k, iv, dst, src)
	}
}

func cbcDecryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case aes:
		arm64.CBCDecryptAES(&k.simd, iv, dst, src)
	case aesSHA3:
		arm64.CBCDecryptAESSHA3(&k.simd, iv, dst, src)
	case sm4e:
		arm64.CBCDecryptSM4(&k.sm4e, iv, dst, src)
	default:
		cbcDecryptPortable(row, k, iv, dst, src)
	}
}

func cfbDecryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) int {
	switch row {
	case aes:
		return arm64.CFBDecryptAES(&k.simd, iv, dst, src)
	case aesSHA3:
		return arm64.CFBDecryptAESSHA3(&k.simd, iv, dst, src)
	case sm4e:
		return arm64.CFBDecryptSM4(&k.sm4e, iv, dst, src)
	default:
		return cfbDecryptPortable(row, k, iv, dst, src)
	}
}

func ctrKernel(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	switch row {
	case aes:
		arm64.CTRAES(&k.simd, counter, dst, src, rest)
	case aesSHA3:
		arm64.CTRAESSHA3(&k.simd, counter, dst, src, rest)
	case sm4e:
		arm64.CTRSM4(&k.sm4e, counter, dst, src, rest)
	default:
		ctrPortable(row, k, counter, dst, src, rest)
	}
}

func ctr32Kernel(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	switch row {
	case aes:
		arm64.CTR32AES(&k.simd, counter, dst, src, rest)
	case aesSHA3:
		arm64.CTR32AESSHA3(&k.simd, counter, dst, src, rest)
	case sm4e:
		arm64.CTR32SM4(&k.sm4e, counter, dst, src, rest)
	default:
		ctr32Portable(row, k, counter, dst, src, rest)
	}
}

func xtsKernel(row uint8, k *keys, tweak *[BlockSize]byte, dst, src []byte, matrix uint64, decrypt bool) bool {
	switch row {
	case sm4e:
		arm64.XTSSM4(&k.sm4e, tweak, dst, src, matrix == gbTweaks, decrypt)
		return true
	case aes:
		arm64.XTSAES(&k.simd, tweak, dst, src, matrix == gbTweaks, decrypt)
		return true
	case aesSHA3:
		arm64.XTSAESSHA3(&k.simd, tweak, dst, src, matrix == gbTweaks, decrypt)
		return true
	default:
		return xtsPortable(row, k, tweak, dst, src, matrix, decrypt)
	}
}

func countersKernel(row uint8, k *keys, starts [][BlockSize]byte, first, which int, dst, src []byte) bool {
	switch row {
	case sm4e:
		arm64.CountersSM4(&k.sm4e, starts, first, which, dst, src)
		return true
	default: // aes, aesSHA3
		return countersPortable(row, k, starts, first, which, dst, src)
	}
}

func keyedBlocksKernel(row uint8, dst, src, keys []byte, decrypt bool) bool {
	switch row {
	default: // aes, aesSHA3, sm4e
		return keyedBlocksPortable(row)
	}
}

func sealKernel(row uint8, k *keys, m *ghash.Message, dst, src []byte) {
	switch row {
	default: // aes, aesSHA3, sm4e
		sealPortable(row, k, m, dst, src)
	}
}

func openKernel(row uint8, k *keys, m *ghash.Message, dst, src []byte) {
	switch row {
	default: // aes, aesSHA3, sm4e
		openPortable(row, k, m, dst, src)
	}
}

// A laneKernel is the arguments and memory of the kernels for lanes with different keys.
type laneKernel struct{ arm64.Lanes }

func (l *laneKernel) set(i int, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	l.Set(i, &k.simd, &k.sm4e, iv, dst, src)
}

func (l *laneKernel) chain(i int) [BlockSize]byte { return l.Chain(i) }

// worthLanesKernel reports whether the kernel is faster than one lane after the other.
func worthLanesKernel(row uint8, lanes, _ int) bool {
	switch row {
	case aes, aesSHA3, sm4e:
		return lanes > 1
	default:
		panic(noKernel)
	}
}

func encryptLanesKernel(row uint8, l *laneKernel, lanes, blocks int, _ bool) {
	switch row {
	case aes:
		l.EncryptAES(lanes, blocks)
	case aesSHA3:
		l.EncryptAESSHA3(lanes, blocks)
	case sm4e:
		l.EncryptSM4(lanes, blocks)
	default:
		panic(noKernel)
	}
}
