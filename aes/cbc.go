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
		m.checked(dst, src) // nothing follows, so that the compiler keeps arguments in registers
		return
	}
	aescore.CBCEncrypt(m.c.plan.Serial(), &m.c.keys, &m.iv, dst[:len(src)], src)
}

// checked is CryptBlocks for all cases.
func (m *cbcEncrypter) checked(dst, src []byte) {
	if len(src)%BlockSize != 0 || !alias.Fits(dst, src) {
		checkBlocks(dst, src) // panics
	}
	if len(src) >= offload.Floor && m.c.engine.Takes(offload.CBCEncrypt, len(src)) {
		n := m.c.engine.CBC(&m.iv, dst[:len(src)], src, false)
		dst, src = dst[n:], src[n:]
	}
	if len(src) > 0 {
		aescore.CBCEncrypt(m.c.plan.Serial(), &m.c.keys, &m.iv, dst[:len(src)], src)
	}
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
		m.checked(dst, src) // nothing follows, so that the compiler keeps arguments in registers
		return
	}
	aescore.CBCDecrypt(m.c.plan.Pick(len(src)), &m.c.keys, &m.iv, dst[:len(src)], src)
}

// checked is CryptBlocks for all cases.
func (m *cbcDecrypter) checked(dst, src []byte) {
	if len(src)%BlockSize != 0 || !alias.Fits(dst, src) {
		checkBlocks(dst, src) // panics
	}
	if len(src) >= offload.Floor && m.c.engine.Takes(offload.CBCDecrypt, len(src)) {
		n := m.c.engine.CBC(&m.iv, dst[:len(src)], src, true)
		dst, src = dst[n:], src[n:]
	}
	if len(src) > 0 {
		aescore.CBCDecrypt(m.c.plan.Pick(len(src)), &m.c.keys, &m.iv, dst[:len(src)], src)
	}
}
