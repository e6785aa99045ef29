//go:build !s390x && !ppc64 && !ppc64le

package aes

import (
	"crypto/internal/cipherlane/aes"
	"crypto/internal/fips140"
	"crypto/internal/fips140deps/byteorder"
	"crypto/internal/impl"
)

// useCipherlane says that cipherlane's AES is in use. In FIPS 140-3 mode, Go's is.
var useCipherlane = hasKernels && !fips140.Enabled

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

// ctrFrom is the size from which ctrBulk does the rest of a request in counter mode.
var ctrFrom = func() int {
	if keepsStd() {
		return ctrFaster
	}
	return 1
}()

func ctrBulk(c *CTR, dst, src []byte, ivlo, ivhi uint64) {
	var counter, rest [BlockSize]byte
	byteorder.BEPutUint64(counter[:8], ivhi)
	byteorder.BEPutUint64(counter[8:], ivlo)
	aes.CTR(c.b.keys(), &counter, &rest, dst, src)
}
