//go:build !purego

package aes

import (
	"github.com/cipherlane/cipherlane/aes/internal/amd64"
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
)

const (
	generic uint8 = iota
	ssse3
	aesni
	vaesAVX2
	vaesAVX512
	rowCount = iota
)

// Priorities: docs/benchmarks.md, AES by driver.
var table = drivers.Register("aes", []driver.Info{
	generic:    {Name: "generic", Priority: 100, Timing: timingGeneric},
	ssse3:      {Name: "ssse3", Priority: 150, Needs: cpu.SSSE3, Timing: timingSSSE3},
	aesni:      {Name: "aesni", Priority: 300, Needs: cpu.AES | cpu.SSSE3 | cpu.PCLMULQDQ, Timing: timingAMD64},
	vaesAVX2:   {Name: "vaes-avx2", Priority: 350, Needs: cpu.AES | cpu.AVX2 | cpu.VAES | cpu.PCLMULQDQ | cpu.VPCLMULQDQ, Timing: timingAMD64},
	vaesAVX512: {Name: "vaes-avx512", Priority: 400, Needs: cpu.AES | cpu.AVX512 | cpu.VAES | cpu.PCLMULQDQ | cpu.VPCLMULQDQ, Timing: timingAMD64},
})

const (
	timingSSSE3 = "independent of secrets: look-ups inside registers; GCM also wants the CPU's multiplication to be"
	timingAMD64 = "independent of secrets: fixed instructions, no table"
)

// keys are the round keys in the representation that the driver uses.
type keys struct {
	simd    amd64.Keys
	generic *genericKeys // nil for other drivers
}

func (k *keys) expand(row uint8, key []byte) {
	switch row {
	case generic:
		if k.generic == nil {
			k.generic = new(genericKeys)
		}
		k.generic.expand(key)
	case ssse3:
		amd64.ExpandSSSE3(&k.simd, key)
	case aesni, vaesAVX2, vaesAVX512:
		amd64.ExpandAESNI(&k.simd, key)
	default:
		panic(noKernel)
	}
}

func (k *keys) wipe() {
	k.simd = amd64.Keys{Rounds: k.simd.Rounds} // Rounds is not secret
	if k.generic != nil {
		k.generic.wipe()
	}
}

func (k *keys) rounds() int {
	if k.generic != nil {
		return k.generic.rounds
	}
	return k.simd.Rounds
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
		case ssse3:
			amd64.EncryptBlocksSSSE3(&k.simd, dst[:n], src[:n])
		case aesni:
			amd64.EncryptBlocksAESNI(&k.simd, dst[:n], src[:n])
		case vaesAVX2:
			amd64.EncryptBlocksVAES256(&k.simd, dst[:n], src[:n])
		case vaesAVX512:
			amd64.EncryptBlocksVAES512(&k.simd, dst[:n], src[:n])
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
		case ssse3:
			amd64.DecryptBlocksSSSE3(&k.simd, dst[:n], src[:n])
		case aesni:
			amd64.DecryptBlocksAESNI(&k.simd, dst[:n], src[:n])
		case vaesAVX2:
			amd64.DecryptBlocksVAES256(&k.simd, dst[:n], src[:n])
		case vaesAVX512:
			amd64.DecryptBlocksVAES512(&k.simd, dst[:n], src[:n])
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
		case ssse3:
			amd64.CBCEncryptSSSE3(&k.simd, iv, dst[:n], src[:n])
		case aesni, vaesAVX2, vaesAVX512: // a chain cannot use wide registers
			amd64.CBCEncryptAESNI(&k.simd, iv, dst[:n], src[:n])
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
		case ssse3:
			amd64.CBCDecryptSSSE3(&k.simd, iv, dst[:n], src[:n])
		case aesni:
			amd64.CBCDecryptAESNI(&k.simd, iv, dst[:n], src[:n])
		case vaesAVX2:
			amd64.CBCDecryptVAES256(&k.simd, iv, dst[:n], src[:n])
		case vaesAVX512:
			if n <= 10*BlockSize { // too little for loading the keys into wide registers
				amd64.CBCDecryptVAES256(&k.simd, iv, dst[:n], src[:n])
			} else {
				amd64.CBCDecryptVAES512(&k.simd, iv, dst[:n], src[:n])
			}
		default:
			panic(noKernel)
		}
		dst, src = dst[n:], src[n:]
	}
}

// aheadOf returns how counter mode handles small requests: for those of fewer than
// short bytes it generates size bytes of keystream, and keeps the rest for later
// requests.
func aheadOf(row uint8) (short, size int) {
	switch row {
	case generic:
		return genericPass, genericPass
	case ssse3:
		return 4 * BlockSize, 4 * BlockSize
	case aesni, vaesAVX2, vaesAVX512:
		return 3 * BlockSize, ahead
	default:
		panic(noKernel)
	}
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
		case ssse3:
			amd64.CTRSSSE3(&k.simd, counter, dst[:n], src[:n], rest)
		case aesni:
			amd64.CTRAESNI(&k.simd, counter, dst[:n], src[:n], rest)
		case vaesAVX2:
			amd64.CTRVAES256(&k.simd, counter, dst[:n], src[:n], rest)
		case vaesAVX512:
			amd64.CTRVAES512(&k.simd, counter, dst[:n], src[:n], rest)
		default:
			panic(noKernel)
		}
		dst, src = dst[n:], src[n:]
	}
}

// xts encrypts or decrypts whole blocks. tweak becomes that of the block after them.
func xts(b *bulk, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	k := &b.keys
	for len(src) > 0 {
		n := min(len(src), maxPass)
		switch b.row {
		case generic:
			k.generic.xts(tweak, dst[:n], src[:n], decrypt)
		case ssse3:
			modes.XTSBlocks(b, tweak, dst[:n], src[:n], decrypt, false)
		case aesni:
			if decrypt {
				amd64.XTSDecryptAESNI(&k.simd, tweak, dst[:n], src[:n])
			} else {
				amd64.XTSEncryptAESNI(&k.simd, tweak, dst[:n], src[:n])
			}
		case vaesAVX2:
			if decrypt {
				amd64.XTSDecryptVAES256(&k.simd, tweak, dst[:n], src[:n])
			} else {
				amd64.XTSEncryptVAES256(&k.simd, tweak, dst[:n], src[:n])
			}
		case vaesAVX512:
			if decrypt {
				amd64.XTSDecryptVAES512(&k.simd, tweak, dst[:n], src[:n])
			} else {
				amd64.XTSEncryptVAES512(&k.simd, tweak, dst[:n], src[:n])
			}
		default:
			panic(noKernel)
		}
		dst, src = dst[n:], src[n:]
	}
}

// ghashRow returns the GHASH driver whose table of powers the driver's GCM uses.
func ghashRow(row uint8) uint8 {
	switch row {
	case generic, ssse3:
		return ghash.Generic
	case aesni:
		return ghash.PCLMULQDQ
	case vaesAVX2:
		return ghash.VPCLMULQDQ256
	case vaesAVX512:
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
	case vaesAVX2:
		return ghash.PCLMULQDQ, ghash.VPCLMULQDQ256, 256
	case vaesAVX512:
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
	case ssse3:
		gcmByBlocks(row, k, hash, m, dst, src, true)
	case aesni:
		amd64.SealAESNI(&k.simd, hash.Table(len(src)/BlockSize+2), &m.J0, &m.Y, &m.Lens, dst, src)
	case vaesAVX2:
		amd64.SealVAES256(&k.simd, hash.Table(len(src)/BlockSize+2), &m.J0, &m.Y, &m.Lens, dst, src)
	case vaesAVX512:
		amd64.SealVAES512(&k.simd, hash.Table(len(src)/BlockSize+2), &m.J0, &m.Y, &m.Lens, dst, src)
	default:
		panic(noKernel)
	}
}

func open(row uint8, k *keys, hash *ghash.Key, m *modes.GCMMessage, dst, src []byte) {
	switch row {
	case generic:
		k.generic.gcm(hash, m, dst, src, false)
	case ssse3:
		gcmByBlocks(row, k, hash, m, dst, src, false)
	case aesni:
		amd64.OpenAESNI(&k.simd, hash.Table(len(src)/BlockSize+2), &m.J0, &m.Y, &m.Lens, dst, src)
	case vaesAVX2:
		amd64.OpenVAES256(&k.simd, hash.Table(len(src)/BlockSize+2), &m.J0, &m.Y, &m.Lens, dst, src)
	case vaesAVX512:
		amd64.OpenVAES512(&k.simd, hash.Table(len(src)/BlockSize+2), &m.J0, &m.Y, &m.Lens, dst, src)
	default:
		panic(noKernel)
	}
}

// widthOf returns the number of streams that the driver's kernel processes side by
// side.
func widthOf(row uint8) int {
	switch row {
	case generic, ssse3:
		return 1
	case aesni, vaesAVX2:
		return 8
	case vaesAVX512:
		return maxLanes
	default:
		panic(noKernel)
	}
}

// encrypt continues the first count lanes by the given number of blocks.
func (l *lanes) encrypt(row uint8, count, blocks int) {
	n := blocks * BlockSize
	if widthOf(row) == 1 {
		l[0].encryptAlone(row, n)
		return
	}
	var simd [maxLanes]amd64.Lane
	for i := range l[:count] {
		lane := &l[i]
		simd[i] = amd64.Lane{Keys: &lane.keys.simd, IV: lane.iv, Src: &lane.src[0]}
		if lane.dst != nil {
			simd[i].Dst = &lane.dst[0]
		}
		lane.advance(n)
	}
	switch row {
	case aesni, vaesAVX2:
		amd64.CBCEncryptManyAESNI(simd[:count], blocks)
	case vaesAVX512:
		amd64.CBCEncryptManyVAES512(simd[:count], blocks)
	default:
		panic(noKernel)
	}
}
