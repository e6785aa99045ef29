package sm4

import (
	"crypto/cipher"
	"runtime"
)

// NewOFBNLFEncrypter returns an encrypter for output feedback with a nonlinear
// function, the mode OFBNLF (GB/T 17964-2021, section 13). Every block has its own
// key: the first is the encryption of the iv, each later one the encryption of the
// key before it. An error in a ciphertext block corrupts only that block. It panics
// if iv is not 16 bytes long. The iv must never be used twice with the same key.
// OFBNLF does not authenticate; [NewGCM] does. The result is not safe for
// concurrent use.
//
// Every key waits for the one before it, so this is slow on any machine.
func (c *Cipher) NewOFBNLFEncrypter(iv []byte) cipher.BlockMode {
	return &ofbnlf{c: c, last: blockOf(iv)}
}

// NewOFBNLFDecrypter returns the decrypter for [Cipher.NewOFBNLFEncrypter].
func (c *Cipher) NewOFBNLFDecrypter(iv []byte) cipher.BlockMode {
	return &ofbnlf{c: c, last: blockOf(iv), decrypt: true}
}

type ofbnlf struct {
	private
	c       *Cipher
	decrypt bool
	last    [BlockSize]byte            // the last key, or the iv
	keys    [maxLanes * BlockSize]byte // of the current blocks; zero between calls
	one     keys                       // round keys of one of them
}

func (m *ofbnlf) BlockSize() int { return BlockSize }

// SetIV begins another message. It panics if iv is not 16 bytes long.
func (m *ofbnlf) SetIV(iv []byte) { m.last = blockOf(iv) }

// CryptBlocks computes the chain of keys by CBC encryption of zeros.
func (m *ofbnlf) CryptBlocks(dst, src []byte) {
	checkBlocks(dst, src)
	if len(src) == 0 {
		return
	}
	used := min(len(src), len(m.keys))
	for len(src) > 0 {
		n := min(len(src), len(m.keys))
		keys := m.keys[:n]
		clear(keys)
		cbcEncrypt(m.c.plan.Serial(), &m.c.keys, &m.last, keys, keys)
		m.crypt(dst[:n], src[:n], keys)
		dst, src = dst[n:], src[n:]
	}
	clear(m.keys[:used])
	m.one.wipe()
	runtime.KeepAlive(m)
}

// crypt processes blocks, each under the key at the same offset.
func (m *ofbnlf) crypt(dst, src, keys []byte) {
	row := m.c.plan.Pick(len(src)) &^ ownKeys // the round keys are those of one
	if len(src) > 2*BlockSize && keyedBlocks(row, dst, src, keys, m.decrypt) {
		return
	}
	for i := 0; i < len(src); i += BlockSize {
		m.one.roundKeys.expand(row, (*[KeySize]byte)(keys[i:]))
		if m.decrypt {
			decryptBlock(row, &m.one, dst[i:i+BlockSize], src[i:i+BlockSize])
		} else {
			encryptBlock(row, &m.one, dst[i:i+BlockSize], src[i:i+BlockSize])
		}
	}
}
