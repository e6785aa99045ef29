//go:build arm64 && !purego

package arm64

import (
	"runtime"
	"unsafe"
)

// The family CE needs the AES instructions.

// ExpandCE computes the round keys of a key of 16, 24 or 32 bytes.
func ExpandCE(k *Keys, key []byte) {
	k.Rounds = 6 + len(key)/4
	expandCE(&k.Enc, &k.Dec, &key[0], k.Rounds)
}

// EncryptBlocksCE encrypts whole blocks, at least one.
func EncryptBlocksCE(k *Keys, dst, src []byte) { encryptBlocksCE(k, &dst[0], &src[0], len(src)) }

// DecryptBlocksCE decrypts whole blocks, at least one.
func DecryptBlocksCE(k *Keys, dst, src []byte) { decryptBlocksCE(k, &dst[0], &src[0], len(src)) }

// CBCEncryptCE encrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCEncryptCE(k *Keys, iv *[16]byte, dst, src []byte) {
	cbcEncryptCE(k, &iv[0], &dst[0], &src[0], len(src))
}

// CBCDecryptCE decrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCDecryptCE(k *Keys, iv *[16]byte, dst, src []byte) {
	cbcDecryptCE(k, &iv[0], &dst[0], &src[0], len(src))
}

// CBCMACCE is CBCEncryptCE without its output: mac is the iv. Like the next functions, it
// processes at most MaxPass bytes and returns their number.
func CBCMACCE(k *Keys, mac *[16]byte, src []byte) int {
	n := min(len(src), MaxPass)
	cbcMACCE(k, &mac[0], unsafe.SliceData(src), n)
	return n
}

// CFBEncryptCE encrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CFBEncryptCE(k *Keys, iv *[16]byte, dst, src []byte) int {
	n := min(len(src), MaxPass)
	cfbEncryptCE(k, &iv[0], unsafe.SliceData(dst), unsafe.SliceData(src), n)
	return n
}

// CFBDecryptCE decrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CFBDecryptCE(k *Keys, iv *[16]byte, dst, src []byte) int {
	n := min(len(src), MaxPass)
	cfbDecryptCE(k, &iv[0], unsafe.SliceData(dst), unsafe.SliceData(src), n)
	return n
}

// CCMCE encrypts or decrypts whole blocks, at least one, in counter mode, and continues the
// CBC-MAC of the plaintext. The lower 64 bits of the counter must not wrap around.
func CCMCE(k *Keys, mac, counter *[16]byte, dst, src []byte, decrypt bool) int {
	n := min(len(src), MaxPass)
	if decrypt {
		ccmOpenCE(k, mac, counter, unsafe.SliceData(dst), unsafe.SliceData(src), n)
	} else {
		ccmSealCE(k, mac, counter, unsafe.SliceData(dst), unsafe.SliceData(src), n)
	}
	return n
}

// XTSCE encrypts or decrypts whole blocks, at least one, from the encrypted tweak on.
// tweak becomes that of the block after them.
func XTSCE(k *Keys, tweak *[16]byte, dst, src []byte, decrypt bool) {
	xtsCE(k, nil, tweak, dst, src, decrypt)
}

// XTSUnitCE is XTSCE from the tweak on that the keys first encrypt.
func XTSUnitCE(k, first *Keys, tweak *[16]byte, dst, src []byte, decrypt bool) {
	xtsCE(k, first, tweak, dst, src, decrypt)
}

func xtsCE(k, first *Keys, tweak *[16]byte, dst, src []byte, decrypt bool) {
	if decrypt {
		xtsDecryptCE(k, first, tweak, &dst[0], &src[0], len(src))
	} else {
		xtsEncryptCE(k, first, tweak, &dst[0], &src[0], len(src))
	}
}

// CTRBlocksCE is CTRCE for whole blocks.
func CTRBlocksCE(k *Keys, counter *[16]byte, dst, src []byte) {
	ctrCE(k, counter, unsafe.SliceData(dst), unsafe.SliceData(src), len(src))
}

// CTRCE adds keystream to src, at least one byte, and advances the 128-bit counter.
// Unused keystream of the last block goes to the same offsets in rest.
func CTRCE(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	if whole := len(src) &^ 15; whole > 0 {
		ctrCE(k, counter, &dst[0], &src[0], whole)
		dst, src = dst[whole:], src[whole:]
	}
	if n := len(src); n > 0 {
		var block [16]byte
		copy(block[:], src)
		ctrCE(k, counter, &block[0], &block[0], 16)
		copy(dst, block[:n])
		copy(rest[n:], block[n:])
		clear(block[:])
		runtime.KeepAlive(&block)
	}
}

// A Lane is one of the streams that a call processes side by side.
type Lane struct {
	Keys     *Keys
	IV       *[16]byte // becomes the last ciphertext block
	Dst, Src *byte     // if Dst is nil, only IV is updated
}

// CBCEncryptManyCE encrypts n blocks, at least one, of each of 1 to 8 lanes. All keys
// have the same number of rounds, and either all lanes have a Dst or none has.
func CBCEncryptManyCE(lanes []Lane, n int) {
	keys, shared := lanes[0].Keys, true
	for i := range lanes {
		if lanes[i].Keys != keys {
			shared = false
			break
		}
	}
	switch {
	case len(lanes) == 8 && shared:
		cbcEncryptShared8CE(&lanes[0], n)
		return
	case len(lanes) == 8:
		cbcEncrypt8CE(&lanes[0], n)
		return
	case len(lanes) == 1:
	case shared:
		if len(lanes)&4 != 0 {
			cbcEncryptShared4CE(&lanes[0], n)
			lanes = lanes[4:]
		}
		if len(lanes)&2 != 0 {
			cbcEncryptShared2CE(&lanes[0], n)
			lanes = lanes[2:]
		}
	default:
		if len(lanes)&4 != 0 {
			cbcEncrypt4CE(&lanes[0], n)
			lanes = lanes[4:]
		}
		if len(lanes)&2 != 0 {
			cbcEncrypt2CE(&lanes[0], n)
			lanes = lanes[2:]
		}
	}
	if len(lanes) > 0 {
		if l := &lanes[0]; l.Dst != nil {
			cbcEncryptCE(l.Keys, &l.IV[0], l.Dst, l.Src, 16*n)
		} else {
			cbcMACCE(l.Keys, &l.IV[0], l.Src, 16*n)
		}
	}
}
