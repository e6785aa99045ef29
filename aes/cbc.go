package aes

import (
	"crypto/cipher"

	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/offload"
)

// NewCBCEncrypter returns an encrypter for cipher block chaining (NIST SP 800-38A
// section 6.2). It panics if iv is not 16 bytes long. The iv must be unpredictable
// and must never be used twice with the same key. CBC does not authenticate;
// [NewGCM] does. The result is not safe for concurrent use. Like that of
// crypto/cipher, it also has a method SetIV([]byte), which begins another message
// under the same key.
//
// Every block waits for the one before it, so this is slow on any machine. For
// several messages, [EncryptCBCMany] is faster.
func (c *Cipher) NewCBCEncrypter(iv []byte) cipher.BlockMode {
	return &cbcEncrypter{c: c, iv: blockOf(iv)}
}

// NewCBCDecrypter returns the decrypter for [Cipher.NewCBCEncrypter]. It processes
// many blocks at once.
func (c *Cipher) NewCBCDecrypter(iv []byte) cipher.BlockMode {
	return &cbcDecrypter{c: c, iv: blockOf(iv)}
}

func blockOf(iv []byte) [BlockSize]byte {
	if len(iv) != BlockSize {
		panic("aes: IV length must equal block size")
	}
	return [BlockSize]byte(iv)
}

type cbcEncrypter struct {
	private
	c  *Cipher
	iv [BlockSize]byte // the last ciphertext block
}

func (m *cbcEncrypter) BlockSize() int { return BlockSize }

// SetIV begins another message. It panics if iv is not 16 bytes long.
func (m *cbcEncrypter) SetIV(iv []byte) { m.iv = blockOf(iv) }

func (m *cbcEncrypter) CryptBlocks(dst, src []byte) {
	if len(src) == 0 || len(src)%BlockSize != 0 || !alias.Fits(dst, src) || m.c.engine != nil {
		m.c.cbc(&m.iv, dst, src, false) // nothing follows, so that the compiler keeps arguments in registers
		return
	}
	aescore.CBCEncrypt(m.c.plan.Serial(), &m.c.keys, &m.iv, dst[:len(src)], src)
}

type cbcDecrypter struct {
	private
	c  *Cipher
	iv [BlockSize]byte // the last ciphertext block
}

func (m *cbcDecrypter) BlockSize() int { return BlockSize }

// SetIV begins another message. It panics if iv is not 16 bytes long.
func (m *cbcDecrypter) SetIV(iv []byte) { m.iv = blockOf(iv) }

func (m *cbcDecrypter) CryptBlocks(dst, src []byte) {
	if len(src) == 0 || len(src)%BlockSize != 0 || !alias.Fits(dst, src) || m.c.engine != nil {
		m.c.cbc(&m.iv, dst, src, true) // nothing follows, so that the compiler keeps arguments in registers
		return
	}
	aescore.CBCDecrypt(m.c.plan.Pick(len(src)), &m.c.keys, &m.iv, dst[:len(src)], src)
}

// cbc is CryptBlocks for all cases.
func (c *Cipher) cbc(iv *[BlockSize]byte, dst, src []byte, decrypt bool) {
	if len(src)%BlockSize != 0 || !alias.Fits(dst, src) {
		checkBlocks(dst, src) // panics
	}
	operation := offload.CBCEncrypt
	if decrypt {
		operation = offload.CBCDecrypt
	}
	if len(src) >= offload.Floor && c.engine.Takes(operation, len(src)) {
		n := c.engine.CBC(iv, dst[:len(src)], src, decrypt)
		dst, src = dst[n:], src[n:]
	}
	switch {
	case len(src) == 0:
	case decrypt:
		aescore.CBCDecrypt(c.plan.Pick(len(src)), &c.keys, iv, dst[:len(src)], src)
	default:
		aescore.CBCEncrypt(c.plan.Serial(), &c.keys, iv, dst[:len(src)], src)
	}
}
