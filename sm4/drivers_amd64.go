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
	generic uint8 = iota
	aesniAVX2
	gfniAVX2
	gfniAVX512
	sm4niAVX2

	rowCount = iota
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
var table = drivers.Register("sm4", []driver.Info{
	generic:    {Name: "generic", Priority: 100, Timing: timingGeneric},
	aesniAVX2:  {Name: "aesni-avx2", Priority: 200, Needs: cpu.AVX2 | cpu.AES | cpu.PCLMULQDQ, Timing: timingAMD64},
	gfniAVX2:   {Name: "gfni-avx2", Priority: 300, Needs: cpu.AVX2 | cpu.GFNI | cpu.PCLMULQDQ | cpu.VPCLMULQDQ, Timing: timingAMD64},
	gfniAVX512: {Name: "gfni-avx512", Priority: 400, Needs: cpu.AVX512 | cpu.GFNI | cpu.VPCLMULQDQ, Timing: timingAMD64},
	sm4niAVX2:  {Name: "sm4ni-avx2", Priority: 500, Needs: cpu.AVX2 | cpu.SM4 | cpu.PCLMULQDQ | cpu.VPCLMULQDQ, Timing: timingAMD64},
})

const timingAMD64 = "independent of secrets: fixed instructions, no table"

// keys are the round keys in the representation that the driver uses.
type keys struct {
	simd    amd64.Keys
	generic *genericKeys // nil for other drivers
}

func (k *keys) expand(row uint8, key *[KeySize]byte) {
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

// widen prepares for modes that process many blocks at once.
func (k *keys) widen(row uint8) {
	if row == generic {
		k.generic.widen()
	}
}

func (k *keys) wipe() {
	k.simd = amd64.Keys{}
	if k.generic != nil {
		k.generic.wipe()
	}
}

// maxPass is the number of bytes that one call of a kernel processes at most,
// because the runtime cannot preempt assembly.
const maxPass = 64 << 10

func encryptBlocks(row uint8, k *keys, dst, src []byte) {
	for len(src) > 0 {
		n := min(len(src), maxPass)
		switch row {
		case generic:
			k.generic.encryptBlocks(dst[:n], src[:n])
		case aesniAVX2:
			amd64.EncryptBlocksAESNIAVX2(&k.simd, dst[:n], src[:n])
		case gfniAVX2:
			amd64.EncryptBlocksGFNIAVX2(&k.simd, dst[:n], src[:n])
		case gfniAVX512:
			amd64.EncryptBlocksGFNI512(&k.simd, dst[:n], src[:n])
		case sm4niAVX2:
			amd64.EncryptBlocksSM4NIAVX2(&k.simd, dst[:n], src[:n])
		default:
			panic(noKernel)
		}
		dst, src = dst[n:], src[n:]
	}
}

func decryptBlocks(row uint8, k *keys, dst, src []byte) {
	for len(src) > 0 {
		n := min(len(src), maxPass)
		switch row {
		case generic:
			k.generic.decryptBlocks(dst[:n], src[:n])
		case aesniAVX2:
			amd64.DecryptBlocksAESNIAVX2(&k.simd, dst[:n], src[:n])
		case gfniAVX2:
			amd64.DecryptBlocksGFNIAVX2(&k.simd, dst[:n], src[:n])
		case gfniAVX512:
			amd64.DecryptBlocksGFNI512(&k.simd, dst[:n], src[:n])
		case sm4niAVX2:
			amd64.DecryptBlocksSM4NIAVX2(&k.simd, dst[:n], src[:n])
		default:
			panic(noKernel)
		}
		dst, src = dst[n:], src[n:]
	}
}

func cbcEncrypt(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	for len(src) > 0 {
		n := min(len(src), maxPass)
		switch row {
		case generic:
			k.generic.cbcEncrypt(iv, dst[:n], src[:n])
		case aesniAVX2:
			amd64.CBCEncryptAESNIAVX2(&k.simd, iv, dst[:n], src[:n])
		case gfniAVX2:
			amd64.CBCEncryptGFNIAVX2(&k.simd, iv, dst[:n], src[:n])
		case gfniAVX512:
			amd64.CBCEncryptGFNI512(&k.simd, iv, dst[:n], src[:n])
		case sm4niAVX2:
			amd64.CBCEncryptSM4NIAVX2(&k.simd, iv, dst[:n], src[:n])
		default:
			panic(noKernel)
		}
		dst, src = dst[n:], src[n:]
	}
}

func cbcDecrypt(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) {
	for len(src) > 0 {
		n := min(len(src), maxPass)
		switch row {
		case generic:
			k.generic.cbcDecrypt(iv, dst[:n], src[:n])
		case aesniAVX2:
			amd64.CBCDecryptAESNIAVX2(&k.simd, iv, dst[:n], src[:n])
		case gfniAVX2:
			amd64.CBCDecryptGFNIAVX2(&k.simd, iv, dst[:n], src[:n])
		case gfniAVX512:
			amd64.CBCDecryptGFNI512(&k.simd, iv, dst[:n], src[:n])
		case sm4niAVX2:
			amd64.CBCDecryptSM4NIAVX2(&k.simd, iv, dst[:n], src[:n])
		default:
			panic(noKernel)
		}
		dst, src = dst[n:], src[n:]
	}
}

// cfbDecrypt decrypts whole blocks at the beginning of src in CFB mode and returns
// their length, which is 0 if the driver has no kernel. iv becomes the last of these
// ciphertext blocks.
func cfbDecrypt(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) (done int) {
	switch row {
	case generic, aesniAVX2, gfniAVX2, sm4niAVX2:
		return 0
	case gfniAVX512:
	default:
		panic(noKernel)
	}
	for done < len(src) {
		end := min(len(src), done+maxPass)
		n := amd64.CFBDecryptGFNI512(&k.simd, iv, dst[done:end], src[done:end])
		if n == 0 {
			break
		}
		done += n
	}
	return done
}

// ctrXOR is counter mode over any number of bytes. The counter advances past the
// last block. Unused keystream of that block goes to the same offsets in rest,
// which may be nil if src is whole blocks.
func ctrXOR(row uint8, k *keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	for len(src) > 0 {
		n := min(len(src), maxPass)
		switch row {
		case generic:
			k.generic.ctr(counter, dst[:n], src[:n], rest)
		case aesniAVX2:
			amd64.CTRAESNIAVX2(&k.simd, counter, dst[:n], src[:n], rest)
		case gfniAVX2:
			amd64.CTRGFNIAVX2(&k.simd, counter, dst[:n], src[:n], rest)
		case gfniAVX512:
			amd64.CTRGFNI512(&k.simd, counter, dst[:n], src[:n], rest)
		case sm4niAVX2:
			amd64.CTRSM4NIAVX2(&k.simd, counter, dst[:n], src[:n], rest)
		default:
			panic(noKernel)
		}
		dst, src = dst[n:], src[n:]
	}
}

// xts encrypts or decrypts whole blocks. tweak becomes that of the block after them.
// The bytes of tweaks are multiplied by matrix before they are added to the data. If
// the driver has no kernel for XTS, xts returns false and does nothing.
func xts(row uint8, k *keys, tweak *[BlockSize]byte, dst, src []byte, matrix uint64, decrypt bool) bool {
	switch row {
	case generic, aesniAVX2, gfniAVX2, sm4niAVX2:
		return false
	case gfniAVX512:
	default:
		panic(noKernel)
	}
	for len(src) > 0 {
		n := min(len(src), maxPass)
		amd64.XTSGFNI512(&k.simd, tweak, matrix, dst[:n], src[:n], decrypt)
		dst, src = dst[n:], src[n:]
	}
	return true
}

// counters adds keystream to src, which is batches of modes.CounterBatch bytes, at
// most 64 KiB. The keystream of block j is the encryption of starts[m/128] with m%128
// XORed into byte which, where m = first + j. first is less than 128; if it is not 0,
// there is one start more than batches. counters reports whether the driver has a
// kernel for this. If not, or if src is empty, it does nothing.
func counters(row uint8, k *keys, starts [][BlockSize]byte, first, which int, dst, src []byte) bool {
	switch row {
	case generic, aesniAVX2, gfniAVX2, sm4niAVX2:
		return false
	case gfniAVX512:
	default:
		panic(noKernel)
	}
	if len(src) > 0 {
		amd64.CountersGFNI512(&k.simd, starts, first, which, dst, src)
	}
	return true
}

// keyedBlocks encrypts or decrypts at most maxLanes blocks, each under the key at the
// same offset in keys. It reports whether the driver has a kernel for this. If not, or
// if there are no blocks, it does nothing.
func keyedBlocks(row uint8, dst, src, keys []byte, decrypt bool) bool {
	switch row {
	case generic, aesniAVX2, gfniAVX2, sm4niAVX2:
		return false
	case gfniAVX512:
	default:
		panic(noKernel)
	}
	if len(src) > 0 {
		amd64.KeyedBlocksGFNI512(keys, dst, src, decrypt)
	}
	return true
}

// ghashRow returns the GHASH driver whose table of powers the driver's GCM uses.
func ghashRow(row uint8) uint8 {
	switch row {
	case generic:
		return ghash.Generic
	case aesniAVX2:
		return ghash.PCLMULQDQ
	case gfniAVX2, sm4niAVX2:
		return ghash.VPCLMULQDQ256
	case gfniAVX512:
		return ghash.VPCLMULQDQ512
	default:
		panic(noKernel)
	}
}

// sivHash returns the GHASH drivers for GCM-SIV. Since every message has its own
// hash key, short messages use a driver that needs fewer powers of it. The
// thresholds are for Zen 5.
func sivHash(row uint8) (short, long uint8, longBytes int) {
	switch row {
	case gfniAVX2, sm4niAVX2:
		return ghash.PCLMULQDQ, ghash.VPCLMULQDQ256, 256
	case gfniAVX512:
		return ghash.VPCLMULQDQ256, ghash.VPCLMULQDQ512, 1024
	default:
		hash := ghashRow(row)
		return hash, hash, 0
	}
}

func seal(row uint8, k *keys, hash *ghash.Key, m *modes.GCMMessage, dst, src []byte) {
	switch row {
	case generic:
		k.generic.gcm(hash, m, dst, src, true)
	case aesniAVX2:
		amd64.SealAESNIAVX2(&k.simd, hash.Table(len(src)/BlockSize+2), &m.J0, &m.Y, &m.Lens, dst, src)
	case gfniAVX2:
		amd64.SealGFNIAVX2(&k.simd, hash.Table(len(src)/BlockSize+2), &m.J0, &m.Y, &m.Lens, dst, src)
	case gfniAVX512:
		amd64.SealGFNI512(&k.simd, hash.Table(len(src)/BlockSize+2), &m.J0, &m.Y, &m.Lens, dst, src)
	case sm4niAVX2:
		amd64.SealSM4NIAVX2(&k.simd, hash.Table(len(src)/BlockSize+2), &m.J0, &m.Y, &m.Lens, dst, src)
	default:
		panic(noKernel)
	}
}

func open(row uint8, k *keys, hash *ghash.Key, m *modes.GCMMessage, dst, src []byte) {
	switch row {
	case generic:
		k.generic.gcm(hash, m, dst, src, false)
	case aesniAVX2:
		amd64.OpenAESNIAVX2(&k.simd, hash.Table(len(src)/BlockSize+2), &m.J0, &m.Y, &m.Lens, dst, src)
	case gfniAVX2:
		amd64.OpenGFNIAVX2(&k.simd, hash.Table(len(src)/BlockSize+2), &m.J0, &m.Y, &m.Lens, dst, src)
	case gfniAVX512:
		amd64.OpenGFNI512(&k.simd, hash.Table(len(src)/BlockSize+2), &m.J0, &m.Y, &m.Lens, dst, src)
	case sm4niAVX2:
		amd64.OpenSM4NIAVX2(&k.simd, hash.Table(len(src)/BlockSize+2), &m.J0, &m.Y, &m.Lens, dst, src)
	default:
		panic(noKernel)
	}
}

// A laneKernel is the memory of the kernel for lanes with different keys.
type laneKernel struct {
	simd amd64.Lanes
	used bool
}

func (k *laneKernel) wipe() {
	if k.used {
		k.simd.Wipe()
		k.used = false
	}
}

// togetherMin returns the number of lanes under one key up to which encryptTogether
// would be no faster than encryptAlone.
func togetherMin(row uint8) int {
	switch row {
	case generic:
		return togetherMinGeneric
	case aesniAVX2, gfniAVX2, gfniAVX512, sm4niAVX2:
		return 2
	default:
		panic(noKernel)
	}
}

// encrypt continues the first count lanes by the given number of blocks.
func (l *lanes) encrypt(row uint8, count, blocks int) {
	n := blocks * BlockSize
	switch row {
	case generic, aesniAVX2, gfniAVX2:
		l.encryptTogether(row, count, n)
		return
	case sm4niAVX2:
		for from := 0; from < count; from += 8 {
			l.encryptEight(l.lane[from:min(from+8, count)], blocks)
		}
		return
	case gfniAVX512:
	default:
		panic(noKernel)
	}
	// Interleaving the keys takes as long as one and a half blocks of a single lane,
	// and so does one block of all lanes side by side.
	if 2*count*blocks <= 3*(blocks+1) {
		for i := range l.lane[:count] {
			l.lane[i].encryptAlone(row, n)
		}
		return
	}
	simd := &l.kernel.simd
	l.kernel.used = true
	store := l.lane[0].dst != nil
	changed := false
	for i := range l.lane[:count] {
		lane := &l.lane[i]
		if k := &lane.keys.simd; simd.Keys[i] != k {
			simd.Keys[i], changed = k, true
		}
		simd.Chain[i] = *lane.iv
		simd.Src[i] = &lane.src[0]
		if store {
			simd.Dst[i] = &lane.dst[0]
		}
		lane.advance(n)
	}
	// The unused lanes do the same as the first one, with any keys: the first lane
	// overwrites what they write.
	for i := count; i < maxLanes; i++ {
		if simd.Keys[i] == nil {
			simd.Keys[i], changed = simd.Keys[0], true
		}
		simd.Chain[i], simd.Src[i], simd.Dst[i] = simd.Chain[0], simd.Src[0], simd.Dst[0]
	}
	if changed {
		simd.SetKeysGFNI512()
	}
	simd.CBCEncryptGFNI512(blocks, store)
	for i := range l.lane[:count] {
		*l.lane[i].iv = simd.Chain[i]
	}
}

// encryptEight continues at most eight lanes by the given number of blocks with the
// driver sm4ni-avx2. The unused lanes of the kernel do the same as the first one.
func (l *lanes) encryptEight(some []stream, blocks int) {
	n := blocks * BlockSize
	if len(some) == 1 {
		some[0].encryptAlone(sm4niAVX2, n)
		return
	}
	simd := &l.kernel.simd
	l.kernel.used = true
	store := some[0].dst != nil
	for i := range 8 {
		lane := &some[0]
		if i < len(some) {
			lane = &some[i]
		}
		simd.Keys[i], simd.Chain[i], simd.Src[i] = &lane.keys.simd, *lane.iv, &lane.src[0]
		if store {
			simd.Dst[i] = &lane.dst[0]
		}
	}
	simd.CBCEncryptSM4NIAVX2(blocks, store)
	for i := range some {
		*some[i].iv = simd.Chain[i]
		some[i].advance(n)
	}
}
