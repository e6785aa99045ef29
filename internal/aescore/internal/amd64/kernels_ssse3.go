//go:build amd64 && !purego

package amd64

import "crypto/subtle"

// The family SSSE3 needs only SSSE3.

// ExpandSSSE3 computes the round keys from a key of 16, 24 or 32 bytes, in a
// representation that only this family can use.
//
//go:noescape
//ct:secret k key
//ct:public k.Rounds
//ct:cases key=16|24|32
//prove:aes.ssse3 rounds=10,12,14
func ExpandSSSE3(k *Keys, key []byte)

// EncryptBlocksSSSE3 encrypts whole blocks.
//
//go:noescape
//ct:secret k dst src
//ct:public k.Rounds
//prove:ecb.encrypt keys=aes-ssse3 rounds=10,12,14 n=16,32,48,64,128
func EncryptBlocksSSSE3(k *Keys, dst, src []byte)

// DecryptBlocksSSSE3 decrypts whole blocks.
//
//go:noescape
//ct:secret k dst src
//ct:public k.Rounds
//prove:ecb.decrypt keys=aes-ssse3 rounds=10,12,14 n=16,32,48,64,128
func DecryptBlocksSSSE3(k *Keys, dst, src []byte)

// CBCEncryptSSSE3 encrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
//
//go:noescape
//ct:secret k iv dst src
//ct:public k.Rounds
//prove:cbc.encrypt keys=aes-ssse3 rounds=10,12,14 n=16,32
func CBCEncryptSSSE3(k *Keys, iv *[16]byte, dst, src []byte)

// CBCDecryptSSSE3 decrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
//
//go:noescape
//ct:secret k iv dst src
//ct:public k.Rounds
//prove:cbc.decrypt keys=aes-ssse3 rounds=10,12,14 n=16,32,48,64,128
func CBCDecryptSSSE3(k *Keys, iv *[16]byte, dst, src []byte)

// CTRSSSE3 adds keystream to src, at least one byte, and advances the 128-bit
// counter. Unused keystream of the last block goes to the same offsets in rest.
func CTRSSSE3(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	n := len(src)
	if n%16 != 0 {
		n &^= 63 // the end goes through the kernel in one call
	}
	if n > 0 {
		ctrSSSE3(k, counter, &dst[0], &src[0], n/16)
	}
	if n == len(src) {
		return
	}
	dst, src = dst[n:], src[n:]
	var keystream [64]byte
	blocks := (len(src) + 15) / 16
	ctrSSSE3(k, counter, &keystream[0], &keystream[0], blocks)
	n = subtle.XORBytes(dst, src, keystream[:])
	copy(rest[n%16:], keystream[n:])
	clear(keystream[:])
}

// ctrSSSE3 processes whole blocks, at least one.
//
//go:noescape
//ct:secret k ctr dst src
//ct:public k.Rounds
//prove:ctr keys=aes-ssse3 rounds=10,12,14 counter=ctr+ inc=128 blocks=1..4,8
func ctrSSSE3(k *Keys, ctr *[16]byte, dst, src *byte, blocks int)
