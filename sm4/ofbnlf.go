package sm4

import (
	"crypto/cipher"
	"runtime"
)

// NewOFBNLFEncrypter returns output feedback with a nonlinear function, the mode
// OFBNLF (GB/T 17964-2021, section 13), in the encrypting direction: every block
// has a key of its own, which is the encryption of the key before it, the first
// that of the iv. An error in a block of ciphertext spoils that block only.
// OFBNLF does not authenticate; [NewGCM] does. It panics if iv is not 16 bytes
// long. An iv is never used twice with a key. The result must not be used from
// several goroutines at once.
//
// Every key waits for the one before it, so this is slow on any machine.
func (c *Cipher) NewOFBNLFEncrypter(iv []byte) cipher.BlockMode {
	return &ofbnlf{c: c, last: blockOf(iv)}
}

// NewOFBNLFDecrypter is the other direction of [Cipher.NewOFBNLFEncrypter].
func (c *Cipher) NewOFBNLFDecrypter(iv []byte) cipher.BlockMode {
	return &ofbnlf{c: c, last: blockOf(iv), decrypt: true}
}

type ofbnlf struct {
	private
	c       *Cipher
	decrypt bool
	last    [BlockSize]byte            // the last key, or the iv
	keys    [maxLanes * BlockSize]byte // of the blocks at work; zero between calls
	one     keys                       // round keys of one of them
}

func (m *ofbnlf) BlockSize() int { return BlockSize }

// SetIV begins another message. It panics if iv is not 16 bytes long.
func (m *ofbnlf) SetIV(iv []byte) { m.last = blockOf(iv) }

// CryptBlocks takes the chain of keys from the CBC kernel, which makes it out of
// zeros.
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
		cbcEncrypt(m.c.row, &m.c.keys, &m.last, keys, keys)
		m.crypt(dst[:n], src[:n], keys)
		dst, src = dst[n:], src[n:]
	}
	clear(m.keys[:used])
	m.one.wipe()
	runtime.KeepAlive(m)
}

// crypt processes blocks, each under the key at the same place.
func (m *ofbnlf) crypt(dst, src, keys []byte) {
	if len(src) > 2*BlockSize && keyedBlocks(m.c.row, dst, src, keys, m.decrypt) {
		return
	}
	for i := 0; i < len(src); i += BlockSize {
		m.one.expand(m.c.row, (*[KeySize]byte)(keys[i:]))
		if m.decrypt {
			decryptBlocks(m.c.row, &m.one, dst[i:i+BlockSize], src[i:i+BlockSize])
		} else {
			encryptBlocks(m.c.row, &m.one, dst[i:i+BlockSize], src[i:i+BlockSize])
		}
	}
}
