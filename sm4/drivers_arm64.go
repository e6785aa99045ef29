//go:build !purego

package sm4

import (
	"runtime"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/sm4/internal/arm64"
)

const (
	neon uint8 = iota + 1
	aes
	aesSHA3 // kernels: AESSHA3, AES
	sm4e    // kernels: LongSM4, GBSM4, BlocksSM4, SM4
)

//switches:if len(src) > maxPass: SealLongSM4, OpenLongSM4
//switches:if matrix == gbTweaks: XTSGBSM4
//switches:if gb: XTSUnitGBSM4
//switches:if len(src)%BlockSize == 0: CTRBlocksSM4

// Arguments of kernels.
//
//switches:argument *arm64.Keys = &k.simd
//switches:argument *arm64.KeysSM4 = &k.sm4e
//switches:argument *arm64.KeysNeon = k.neon
//switches:argument bool = matrix == gbTweaks
//switches:argument *arm64.Powers = m.Hash.Powers()
//switches:argument *arm64.Message = message(m)
//switches:argument *arm64.Lanes = &l.Lanes

// Priorities: docs/benchmarks.md, SM4 on arm64. The difference between aes and aes-sha3 is
// EOR3. In llvm-mca's models of Neoverse V1 and V2 only one vector unit has it, and the
// driver with it is 7 to 14 percent slower.
var table = drivers.Register("sm4", []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	neon:    {Name: "neon", Priority: 120, Needs: cpu.NEON, Timing: timingARM64},
	aes:     {Name: "aes", Priority: 200, Needs: cpu.AES | cpu.PMULL, Timing: timingARM64},
	aesSHA3: {Name: "aes-sha3", Priority: 150, Needs: cpu.AES | cpu.PMULL | cpu.SHA3, Slow: cpu.SM4, Timing: timingARM64},
	sm4e:    {Name: "sm4", Priority: 400, Needs: cpu.SM4 | cpu.PMULL, Timing: timingARM64},
},
	// Apple's CPUs start four EOR3 in a cycle (dougallj.github.io/applecpu, Firestorm), and
	// in LLVM's model of AmpereOne EOR3 takes as long as EOR.
	drivers.Rule{For: drivers.Bulk, On: cpu.Apple | cpu.Ampere1, Use: aesSHA3, Why: "EOR3 is as fast as EOR",
		Data: "model-sm4-arm64"})

const timingARM64 = "independent of secrets: fixed instructions, no table"

var traits = [...]trait{
	generic: genericTrait,
	aes: {
		ghash: ghash.PMULL, sivShort: ghash.PMULL, sivLong: ghash.PMULL,
		lanes: arm64.MaxLanes, hasChains: true,
	},
	aesSHA3: {
		ghash: ghash.PMULL, sivShort: ghash.PMULL, sivLong: ghash.PMULL,
		lanes: arm64.MaxLanes, hasChains: true,
	},
	neon: {
		ghash: ghash.NEON, sivShort: ghash.NEON, sivLong: ghash.NEON,
		togetherMin: 1, hasChains: true,
	},
	sm4e: {
		ghash: ghash.PMULL, sivShort: ghash.PMULL, sivLong: ghash.PMULL,
		lanes: arm64.MaxLanes, hasChains: true,
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

const hasUnits = true

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

func worthLanesAES(lanes, blocks int) bool { return lanes > 1 }
func worthLanesSM4(lanes, blocks int) bool { return lanes > 1 }
