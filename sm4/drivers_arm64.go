//go:build !purego

package sm4

import (
	"runtime"
	"unsafe"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/sm4/internal/arm64"
)

const (
	neon uint8 = iota + 1
	aes
	aesSHA3
	sm4e
)

// Priorities: docs/benchmarks.md, SM4 on arm64. The difference between aes and aes-sha3 is
// EOR3. In llvm-mca's models of Neoverse V1 and V2 only one vector unit has it, and the
// driver with it is 4 to 6 percent slower.
var table = drivers.Register("sm4", []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	neon:    {Name: "neon", Priority: 120, Needs: cpu.NEON, Timing: timingARM64},
	aes:     {Name: "aes", Priority: 200, Needs: cpu.AES | cpu.PMULL, Timing: timingARM64},
	aesSHA3: {Name: "aes-sha3", Priority: 150, Needs: cpu.AES | cpu.PMULL | cpu.SHA3, Slow: cpu.SM4, Timing: timingARM64},
	sm4e:    {Name: "sm4", Priority: 400, Needs: cpu.SM4 | cpu.PMULL, Timing: timingARM64},
},
	// Apple's CPUs start four EOR3 in a cycle (dougallj.github.io/applecpu, Firestorm), and
	// in LLVM's model of AmpereOne EOR3 takes as long as EOR.
	drivers.Rule{For: driver.Bulk, On: cpu.Apple | cpu.Ampere1, Use: aesSHA3, Why: "EOR3 is as fast as EOR"})

const timingARM64 = "independent of secrets: fixed instructions, no table"

var traits = [...]trait{
	generic: genericTrait,
	aes: {
		ghash: ghash.PMULL, sivShort: ghash.PMULL, sivLong: ghash.PMULL,
		lanes: arm64.MaxLanes, chains: true,
	},
	aesSHA3: {
		ghash: ghash.PMULL, sivShort: ghash.PMULL, sivLong: ghash.PMULL,
		lanes: arm64.MaxLanes, chains: true,
	},
	neon: {
		ghash: ghash.NEON, sivShort: ghash.NEON, sivLong: ghash.NEON,
		togetherMin: 1, chains: true,
	},
	sm4e: {
		ghash: ghash.PMULL, sivShort: ghash.PMULL, sivLong: ghash.PMULL,
		lanes: arm64.MaxLanes, chains: true,
	},
}

// roundKeys are the round keys in the representation of one driver.
type roundKeys struct {
	simd    arm64.Keys
	sm4e    arm64.KeysSM4
	neon    *arm64.KeysNeon // nil for other drivers
	generic *genericKeys    // nil for other drivers
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
	case neon:
		if k.neon == nil {
			k.neon = new(arm64.KeysNeon)
		}
		var words [rounds]uint32
		expandWords(&words, key)
		arm64.ExpandNeon(k.neon, &words)
		clear(words[:])
		runtime.KeepAlive(&words)
	default:
		panic(noKernel)
	}
}

func (k *roundKeys) wipe() {
	k.simd = arm64.Keys{}
	k.sm4e = arm64.KeysSM4{}
	if k.neon != nil {
		*k.neon = arm64.KeysNeon{}
	}
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
	case neon:
		arm64.EncryptBlocksNeon(k.neon, dst, src)
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
	case neon:
		arm64.DecryptBlocksNeon(k.neon, dst, src)
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
	case neon:
		arm64.CBCEncryptNeon(k.neon, iv, dst, src)
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
	case neon:
		arm64.CBCDecryptNeon(k.neon, iv, dst, src)
	default:
		cbcDecryptPortable(row, k, iv, dst, src)
	}
}

func cfbEncryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) int {
	switch row {
	case aes, aesSHA3:
		return arm64.CFBEncryptAES(&k.simd, iv, dst, src)
	case sm4e:
		return arm64.CFBEncryptSM4(&k.sm4e, iv, dst, src)
	case neon:
		return arm64.CFBEncryptNeon(k.neon, iv, dst, src)
	default:
		return cfbEncryptPortable(row, k, iv, dst, src)
	}
}

func cfbDecryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) int {
	switch row {
	case aes:
		return arm64.CFBDecryptAES(&k.simd, iv, dst, src)
	case aesSHA3:
		return arm64.CFBDecryptAESSHA3(&k.simd, iv, dst, src)
	case neon:
		return arm64.CFBDecryptNeon(k.neon, iv, dst, src)
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
		if len(src)%BlockSize == 0 {
			arm64.CTRBlocksSM4(&k.sm4e, counter, dst, src)
		} else {
			arm64.CTRSM4(&k.sm4e, counter, dst, src, rest)
		}
	case neon:
		arm64.CTRNeon(k.neon, counter, dst, src, rest)
	default:
		ctrPortable(row, k, counter, dst, src, rest)
	}
}

// ahead is the maximum size of the keystream that is generated for a short request.
const ahead = 32 * BlockSize

// ctrAhead returns the size of the keystream for a request of n bytes, which is short if it is
// smaller. A pass over planes is 32 blocks. Other passes are 16. used is not set at the
// beginning of a message, which may be all of it.
func ctrAhead(plan drivers.Plan, n int, used bool) int {
	if plan.Short() != neon {
		return 16 * BlockSize
	}
	if !used && n <= 8*BlockSize {
		return n&^(4*BlockSize-1) + 4*BlockSize
	}
	return ahead
}

// ctrBlocksMin is the number of bytes from which [ctrBlocks] is faster than keystream that is
// generated ahead. It is 0 if no driver has ctrBlocks.
const ctrBlocksMin = 3 * BlockSize

// ctrBlocks is ctrXOR for whole blocks that are not too many for one pass. It returns false
// and does nothing if keystream for a few blocks takes almost as long as for many.
func ctrBlocks(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte) bool {
	if row != sm4e {
		return false
	}
	arm64.CTRBlocksSM4(&k.sm4e, counter, dst, src)
	return true
}

func ctr32Kernel(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	switch row {
	case aes:
		arm64.CTR32AES(&k.simd, counter, dst, src, rest)
	case aesSHA3:
		arm64.CTR32AESSHA3(&k.simd, counter, dst, src, rest)
	case sm4e:
		arm64.CTR32SM4(&k.sm4e, counter, dst, src, rest)
	case neon:
		arm64.CTR32Neon(k.neon, counter, dst, src, rest)
	default:
		ctr32Portable(row, k, counter, dst, src, rest)
	}
}

func xtsKernel(row uint8, k *keys, tweak *[BlockSize]byte, dst, src []byte, matrix uint64, decrypt bool) bool {
	switch row {
	case sm4e:
		if matrix == gbTweaks {
			arm64.XTSGBSM4(k.sm4e.Direction(decrypt), nil, tweak, dst, src)
		} else {
			arm64.XTSSM4(k.sm4e.Direction(decrypt), nil, tweak, dst, src)
		}
		return true
	case aes:
		arm64.XTSAES(&k.simd, tweak, dst, src, matrix == gbTweaks, decrypt)
		return true
	case aesSHA3:
		arm64.XTSAESSHA3(&k.simd, tweak, dst, src, matrix == gbTweaks, decrypt)
		return true
	case neon:
		arm64.XTSNeon(k.neon, nil, tweak, dst, src, matrix == gbTweaks, decrypt)
		return true
	default:
		return xtsPortable(row, k, tweak, dst, src, matrix, decrypt)
	}
}

// hasUnits says that there are drivers for which xtsUnitKernel does something.
const hasUnits = true

func xtsUnitKernel(row uint8, k, first *keys, tweak *[BlockSize]byte, dst, src []byte, gb, decrypt bool) bool {
	switch row {
	case sm4e:
		if gb {
			arm64.XTSGBSM4(k.sm4e.Direction(decrypt), &first.sm4e.Enc, tweak, dst, src)
		} else {
			arm64.XTSSM4(k.sm4e.Direction(decrypt), &first.sm4e.Enc, tweak, dst, src)
		}
		return true
	case aes:
		arm64.XTSUnitAES(&k.simd, &first.simd, tweak, dst, src, gb, decrypt)
		return true
	case aesSHA3:
		arm64.XTSUnitAESSHA3(&k.simd, &first.simd, tweak, dst, src, gb, decrypt)
		return true
	case neon:
		arm64.XTSNeon(k.neon, first.neon, tweak, dst, src, gb, decrypt)
		return true
	default:
		return xtsUnitPortable(row, k, first, tweak, dst, src, gb, decrypt)
	}
}

func countersKernel(row uint8, k *keys, starts [][BlockSize]byte, first, which int, dst, src []byte) bool {
	switch row {
	case sm4e:
		arm64.CountersSM4(&k.sm4e, starts, first, which, dst, src)
		return true
	default: // neon, aes, aesSHA3
		return countersPortable(row, k, starts, first, which, dst, src)
	}
}

func keyedBlocksKernel(row uint8, dst, src, keys []byte, decrypt bool) bool {
	switch row {
	default: // aes, aesSHA3, sm4e, neon
		return keyedBlocksPortable(row)
	}
}

func sealKernel(row uint8, k *keys, m *ghash.Message, dst, src []byte) {
	switch row {
	case sm4e:
		if len(src) > arm64.MaxPass {
			arm64.SealLongSM4(&k.sm4e, m.Hash.Powers(), message(m), dst, src)
		} else {
			arm64.SealSM4(&k.sm4e, m.Hash.Powers(), message(m), dst, src)
		}
	default: // neon, aes, aesSHA3
		sealPortable(row, k, m, dst, src)
	}
}

func openKernel(row uint8, k *keys, m *ghash.Message, dst, src []byte) {
	switch row {
	case sm4e:
		if len(src) > arm64.MaxPass {
			arm64.OpenLongSM4(&k.sm4e, m.Hash.Powers(), message(m), dst, src)
		} else {
			arm64.OpenSM4(&k.sm4e, m.Hash.Powers(), message(m), dst, src)
		}
	default: // neon, aes, aesSHA3
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
	default: // neon
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
	default: // neon
		panic(noKernel)
	}
}
