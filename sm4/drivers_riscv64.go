//go:build !purego

package sm4

import (
	"runtime"
	"unsafe"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/sm4/internal/riscv64"
)

const (
	rvv uint8 = iota + 1
	zvksed
	zksed
	zbb
)

// Priorities: docs/benchmarks.md, Instruction counts on riscv64.
var table = drivers.Register("sm4", rows())

func rows() []driver.Info {
	rows := []driver.Info{
		generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
		zbb:     {Name: "zbb", Priority: 150, Needs: cpu.ZBB, Timing: "length only"},
		rvv:     {Name: "rvv", Priority: 200, Needs: cpu.V, Timing: timingRVV},
		zksed:   {Name: "zksed", Priority: 250, Needs: cpu.ZKSED | cpu.ZBKB, Timing: "length only"},
		zvksed:  {Name: "zvksed", Priority: 300, Needs: cpu.ZVKSED | cpu.ZVKB, Timing: "length only"},
	}
	if cpu.Microarchitecture() == cpu.SiFive7 {
		rows[rvv].Slow = cpu.V // vrgather takes a cycle for each element
	}
	return rows
}

const timingRVV = "independent of secrets where the CPU's look-ups inside registers (vrgather) are, which Zvkt does not promise"

// ghashRow is the GHASH driver of all drivers that are not portable: what the machine has for it
// does not depend on what it has for SM4.
var ghashRow = ghash.Fastest()

// hashLanes says that zvksed has its kernels that need Zvkg.
var hashLanes = ghash.Lanes(ghashRow)

// shifts says that zvksed has its kernels of XTS that do not.
var shifts = cpu.Features().Has(cpu.V) && cpu.VectorBytes() <= riscv64.MaxShifts

var traits = [...]trait{
	generic: genericTrait,
	rvv:     {ghash: ghashRow, sivShort: ghashRow, sivLong: ghashRow, togetherMin: togetherMinGeneric},
	zvksed:  {ghash: ghashRow, sivShort: ghashRow, sivLong: ghashRow, togetherMin: maxLanes, chains: true, macs: true}, // a chain takes less than copying its blocks
	zksed:   {ghash: ghashRow, sivShort: ghashRow, sivLong: ghashRow, togetherMin: togetherMinGeneric},
	zbb:     {ghash: ghashRow, sivShort: ghashRow, sivLong: ghashRow, togetherMin: togetherMinGeneric},
}

// roundKeys are the round keys in the representations of the drivers. All but zksed
// have those of the portable one.
type roundKeys struct {
	generic genericKeys
	rvv     riscv64.KeysRVV
	zvksed  riscv64.PairZvksed
	zksed   riscv64.PairZksed
	zbb     *riscv64.KeysZbb // nil for other drivers
}

func (k *roundKeys) portable() *genericKeys { return &k.generic }

// narrow reports whether narrow passes of the portable driver are faster than a pass of zbb.
func narrow(src []byte) bool { return len(src) < wideMin*BlockSize }

func (k *roundKeys) expand(row uint8, key *[KeySize]byte) {
	if row == zksed {
		riscv64.ExpandZksed(&k.zksed, key)
		return
	}
	k.generic.expand(key)
	if row == rvv {
		riscv64.ExpandRVV(&k.rvv, &k.generic.words, cpu.Microarchitecture() == cpu.SpacemitX60)
	}
	if row == zbb {
		if k.zbb == nil {
			k.zbb = new(riscv64.KeysZbb)
		}
		(*wideKeys)(unsafe.Pointer(k.zbb)).fill(&k.generic.words)
	}
	if row == zvksed {
		words := k.generic.words
		for i := range words {
			words[i] ^= circuitConstant(i)
		}
		riscv64.ExpandZvksed(&k.zvksed, &words)
		clear(words[:])
		runtime.KeepAlive(&words)
	}
}

func (k *roundKeys) wipe() {
	k.generic.wipe()
	k.rvv = riscv64.KeysRVV{}
	k.zvksed = riscv64.PairZvksed{}
	k.zksed = riscv64.PairZksed{}
	if k.zbb != nil {
		*k.zbb = riscv64.KeysZbb{}
	}
}

func encryptBlocksKernel(row uint8, k *keys, dst, src []byte) {
	switch row {
	case rvv:
		riscv64.CryptBlocksRVV(&k.rvv.Forward, dst, src)
	case zvksed:
		riscv64.CryptBlocksZvksed(&k.zvksed.Forward, dst, src)
	case zksed:
		riscv64.CryptBlocksZksed(&k.zksed.Forward, dst, src)
	case zbb:
		if narrow(src) {
			k.generic.encryptBlocks(dst, src)
		} else {
			riscv64.CryptBlocksZbb(k.zbb, dst, src, false)
		}
	default:
		encryptBlocksPortable(row, k, dst, src)
	}
}

func decryptBlocksKernel(row uint8, k *keys, dst, src []byte) {
	switch row {
	case rvv:
		riscv64.CryptBlocksRVV(&k.rvv.Backward, dst, src)
	case zvksed:
		riscv64.CryptBlocksZvksed(&k.zvksed.Backward, dst, src)
	case zksed:
		riscv64.CryptBlocksZksed(&k.zksed.Backward, dst, src)
	case zbb:
		if narrow(src) {
			k.generic.decryptBlocks(dst, src)
		} else {
			riscv64.CryptBlocksZbb(k.zbb, dst, src, true)
		}
	default:
		decryptBlocksPortable(row, k, dst, src)
	}
}

func cbcEncryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case rvv:
		riscv64.CBCEncryptRVV(&k.rvv, iv, dst, src)
	case zvksed:
		riscv64.CBCEncryptZvksed(&k.zvksed, iv, dst, src)
	case zksed:
		riscv64.CBCEncryptZksed(&k.zksed, iv, dst, src)
	case zbb:
		k.generic.cbcEncrypt(iv, dst, src)
	default:
		cbcEncryptPortable(row, k, iv, dst, src)
	}
}

func cbcDecryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	switch row {
	case rvv:
		riscv64.CBCDecryptRVV(&k.rvv, iv, dst, src)
	case zvksed:
		riscv64.CBCDecryptZvksed(&k.zvksed, iv, dst, src)
	case zksed:
		riscv64.CBCDecryptZksed(&k.zksed, iv, dst, src)
	case zbb:
		if narrow(src) {
			k.generic.cbcDecrypt(iv, dst, src)
		} else {
			riscv64.CBCDecryptZbb(k.zbb, iv, dst, src)
		}
	default:
		cbcDecryptPortable(row, k, iv, dst, src)
	}
}

func cbcMACKernel(row uint8, k *keys, mac *[BlockSize]byte, src []byte) int {
	switch row {
	case zvksed:
		riscv64.CBCMACZvksed(&k.zvksed, mac, src)
		return len(src)
	default: // rvv, zksed, zbb
		return cbcMACPortable(row, k, mac, src)
	}
}

func ccmKernel(row uint8, k *keys, mac, counter *[BlockSize]byte, dst, src []byte, decrypt bool) int {
	switch row {
	case zvksed:
		return riscv64.CCMZvksed(&k.zvksed, mac, counter, dst, src, decrypt)
	default: // rvv, zksed, zbb
		return ccmPortable(row, k, mac, counter, dst, src, decrypt)
	}
}

func cfbEncryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) int {
	switch row {
	case zvksed:
		riscv64.CFBEncryptZvksed(&k.zvksed, iv, dst, src)
		return len(src)
	default: // rvv, zksed, zbb
		return cfbEncryptPortable(row, k, iv, dst, src)
	}
}

func cfbDecryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) int {
	switch row {
	case rvv:
		return riscv64.CFBDecryptRVV(&k.rvv, iv, dst, src)
	case zvksed:
		return riscv64.CFBDecryptZvksed(&k.zvksed, iv, dst, src)
	case zksed:
		return riscv64.CFBDecryptZksed(&k.zksed, iv, dst, src)
	default: // zbb
		return cfbDecryptPortable(row, k, iv, dst, src)
	}
}

func ctrKernel(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	switch row {
	case rvv:
		riscv64.CTRRVV(&k.rvv, counter, dst, src, rest)
	case zvksed:
		riscv64.CTRZvksed(&k.zvksed, counter, dst, src, rest)
	case zksed:
		riscv64.CTRZksed(&k.zksed, counter, dst, src, rest)
	case zbb:
		if narrow(src) {
			k.generic.ctr(counter, dst, src, rest)
		} else {
			riscv64.CTRZbb(k.zbb, counter, dst, src, rest)
		}
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
	case rvv:
		riscv64.CTR32RVV(&k.rvv, counter, dst, src, rest)
	case zvksed:
		riscv64.CTR32Zvksed(&k.zvksed, counter, dst, src, rest)
	case zksed:
		riscv64.CTR32Zksed(&k.zksed, counter, dst, src, rest)
	case zbb:
		if narrow(src) {
			k.generic.ctr32(counter, dst, src, rest)
		} else {
			riscv64.CTR32Zbb(k.zbb, counter, dst, src, rest)
		}
	default:
		ctr32Portable(row, k, counter, dst, src, rest)
	}
}

func xtsKernel(row uint8, k *keys, tweak *[BlockSize]byte, dst, src []byte, matrix uint64, decrypt bool) bool {
	switch row {
	case rvv:
		words := &k.rvv.Forward
		if decrypt {
			words = &k.rvv.Backward
		}
		riscv64.XTSRVV(words, tweak, dst, src, matrix == gbTweaks)
		return true
	case zksed:
		words := &k.zksed.Forward
		if decrypt {
			words = &k.zksed.Backward
		}
		riscv64.XTSZksed(words, tweak, dst, src, matrix == gbTweaks)
		return true
	case zvksed:
		words := &k.zvksed.Forward
		if decrypt {
			words = &k.zvksed.Backward
		}
		switch {
		case hashLanes:
			riscv64.XTSZvksed(words, tweak, dst, src, matrix == gbTweaks)
		case shifts:
			riscv64.XTSShiftsZvksed(words, tweak, dst, src, matrix == gbTweaks)
		default:
			return false
		}
		return true
	default: // zbb
		return xtsPortable(row, k, tweak, dst, src, matrix, decrypt)
	}
}

// hasUnits says that there are drivers for which xtsUnitKernel does something.
const hasUnits = true

func xtsUnitKernel(row uint8, k, first *keys, tweak *[BlockSize]byte, dst, src []byte, gb, decrypt bool) bool {
	switch row {
	case zvksed:
		if !hashLanes && !shifts {
			return false
		}
		riscv64.CryptBlocksZvksed(&first.zvksed.Forward, tweak[:], tweak[:])
		matrix := uint64(ieeeTweaks)
		if gb {
			matrix = gbTweaks
			modes.TurnTweaks(tweak[:])
		}
		return xtsKernel(row, k, tweak, dst, src, matrix, decrypt)
	default: // rvv, zksed, zbb
		return xtsUnitPortable(row, k, first, tweak, dst, src, gb, decrypt)
	}
}

func countersKernel(row uint8, k *keys, starts [][BlockSize]byte, first, which int, dst, src []byte) bool {
	return countersPortable(row, k, starts, first, which, dst, src)
}

func keyedBlocksKernel(row uint8, dst, src, keys []byte, decrypt bool) bool {
	return keyedBlocksPortable(row)
}

func sealKernel(row uint8, k *keys, m *ghash.Message, dst, src []byte) {
	if row == zvksed && hashLanes {
		riscv64.SealZvksed(&k.zvksed, (*riscv64.Powers)(m.Hash.Powers()), message(m), dst, src)
		return
	}
	sealPortable(row, k, m, dst, src)
}

func openKernel(row uint8, k *keys, m *ghash.Message, dst, src []byte) {
	if row == zvksed && hashLanes {
		riscv64.OpenZvksed(&k.zvksed, (*riscv64.Powers)(m.Hash.Powers()), message(m), dst, src)
		return
	}
	openPortable(row, k, m, dst, src)
}

// message returns m as kernels know it.
func message(m *ghash.Message) *riscv64.Message { return (*riscv64.Message)(unsafe.Pointer(&m.J0)) }

// These do not compile if the fields of both are not in the same places.
const (
	_ = -(unsafe.Offsetof(riscv64.Message{}.Lens) ^ (unsafe.Offsetof(ghash.Message{}.Lens) - unsafe.Offsetof(ghash.Message{}.J0)))
	_ = -(unsafe.Offsetof(riscv64.Message{}.Pending) ^ (unsafe.Offsetof(ghash.Message{}.Pending) - unsafe.Offsetof(ghash.Message{}.J0)))
)

// A laneKernel is empty: there is no kernel for lanes with different keys.
type laneKernel struct{}

func (*laneKernel) set(int, *keys, *[BlockSize]byte, []byte, []byte) {}
func (*laneKernel) chain(int) (chain [BlockSize]byte)                { return chain }
func (*laneKernel) Wipe()                                            {}

func worthLanesKernel(uint8, int, int) bool { panic(noKernel) }

func encryptLanesKernel(uint8, *laneKernel, int, int, bool) { panic(noKernel) }
