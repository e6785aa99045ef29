//go:build !s390x && !ppc64 && !ppc64le

package aes

import (
	"crypto/internal/cipherlane/aes"
	"crypto/internal/fips140"
	"crypto/internal/fips140/alias"
	"crypto/internal/fips140deps/byteorder"
	"crypto/internal/impl"
)

// useCipherlane says that cipherlane's AES is in use. In FIPS 140-3 mode, Go's is.
var useCipherlane = !fips140.Enabled

func init() { impl.Register("aes", "cipherlane", &useCipherlane) }

// CipherlaneKeys returns the round keys for cipherlane's AES, or nil if Go's is in use. It is
// not a method because programs would see that.
func CipherlaneKeys(c *Block) *aes.Keys {
	if !useCipherlane {
		return nil
	}
	return c.keys()
}

func encryptBlock(c *Block, dst, src []byte) {
	if useCipherlane && !keepsStd() {
		aes.EncryptBlock(c.keys(), dst, src)
	} else {
		encryptBlockStd(c, dst, src)
	}
}

func decryptBlock(c *Block, dst, src []byte) {
	if useCipherlane && !keepsStd() {
		aes.DecryptBlock(c.keys(), dst, src)
	} else {
		decryptBlockStd(c, dst, src)
	}
}

func cryptBlocksEnc(b *Block, civ *[BlockSize]byte, dst, src []byte) {
	if useCipherlane {
		aes.CBCEncrypt(b.keys(), civ, dst, src)
	} else {
		cryptBlocksEncStd(b, civ, dst, src)
	}
}

func cryptBlocksDec(b *Block, civ *[BlockSize]byte, dst, src []byte) {
	if useCipherlane {
		aes.CBCDecrypt(b.keys(), civ, dst, src)
	} else {
		cryptBlocksDecStd(b, civ, dst, src)
	}
}

// XORKeyStreamAt behaves like XORKeyStream but keeps no state, and instead seeks into the
// keystream by the given offset in bytes.
func (c *CTR) XORKeyStreamAt(dst, src []byte, offset uint64) {
	if !useCipherlane || len(src) < ctrFloor() {
		c.xorKeyStreamAtStd(dst, src, offset)
		return
	}
	if len(dst) < len(src) {
		panic("crypto/aes: len(dst) < len(src)")
	}
	dst = dst[:len(src)]
	if alias.InexactOverlap(dst, src) {
		panic("crypto/aes: invalid buffer overlap")
	}
	fips140.RecordApproved()

	var counter, rest [BlockSize]byte
	ivlo, ivhi := add128(c.ivlo, c.ivhi, offset/BlockSize)
	byteorder.BEPutUint64(counter[:8], ivhi)
	byteorder.BEPutUint64(counter[8:], ivlo)
	if n := offset % BlockSize; n != 0 && len(src) > 0 {
		var block [BlockSize]byte
		end := copy(block[n:], src)
		aes.CTR(c.b.keys(), &counter, &rest, block[:], block[:])
		copy(dst, block[n:][:end])
		dst, src = dst[end:], src[end:]
	}
	if len(src) > 0 {
		aes.CTR(c.b.keys(), &counter, &rest, dst, src)
	}
}
