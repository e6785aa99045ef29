package sm4

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"runtime"
)

// NewBCEncrypter returns an encrypter for block chaining, the mode BC (GB/T
// 17964-2021, section 12). Before a block of plaintext is encrypted, the iv and all
// previous ciphertext blocks are XORed into it, so an error in one ciphertext block
// corrupts everything after it. It panics if iv is not 16 bytes long. The iv must
// be unpredictable and must never be used twice with the same key. BC does not
// authenticate; [NewGCM] does. The result is not safe for concurrent use.
//
// Every block waits for the one before it, so this is slow on any machine.
func (c *Cipher) NewBCEncrypter(iv []byte) cipher.BlockMode {
	return &bcEncrypter{c: c, sum: blockOf(iv)}
}

// NewBCDecrypter returns the decrypter for [Cipher.NewBCEncrypter]. It processes
// many blocks at once.
func (c *Cipher) NewBCDecrypter(iv []byte) cipher.BlockMode {
	c.widen()
	return &bcDecrypter{c: c, sum: blockOf(iv)}
}

type bcEncrypter struct {
	private
	c   *Cipher
	sum [BlockSize]byte // of the iv and all ciphertext blocks: F in the standard
}

func (m *bcEncrypter) BlockSize() int { return BlockSize }

// SetIV begins another message. It panics if iv is not 16 bytes long.
func (m *bcEncrypter) SetIV(iv []byte) { m.sum = blockOf(iv) }

// CryptBlocks processes two blocks at a time. Since F(2) = F(1) + C(1), CBC of P(1)
// and P(2) + F(1) with the iv F(1) gives the same ciphertext as BC of P(1) and P(2).
func (m *bcEncrypter) CryptBlocks(dst, src []byte) {
	checkBlocks(dst, src)
	var pair [2 * BlockSize]byte
	for len(src) > 0 {
		p := pair[:copy(pair[:], src)]
		subtle.XORBytes(p[BlockSize:], p[BlockSize:], m.sum[:])
		chain := m.sum
		cbcEncrypt(m.c.plan.Serial(), &m.c.keys, &chain, p, p)
		for i := 0; i < len(p); i += BlockSize {
			subtle.XORBytes(m.sum[:], m.sum[:], p[i:])
		}
		n := copy(dst, p)
		dst, src = dst[n:], src[n:]
	}
	clear(pair[:])
	runtime.KeepAlive(&pair)
}

type bcDecrypter struct {
	private
	c    *Cipher
	sum  [BlockSize]byte // as in bcEncrypter
	sums [2 << 10]byte   // those of the current blocks
}

func (m *bcDecrypter) BlockSize() int { return BlockSize }

// SetIV begins another message. It panics if iv is not 16 bytes long.
func (m *bcDecrypter) SetIV(iv []byte) { m.sum = blockOf(iv) }

func (m *bcDecrypter) CryptBlocks(dst, src []byte) {
	checkBlocks(dst, src)
	row := m.c.plan.Pick(len(src))
	a, b := binary.LittleEndian.Uint64(m.sum[:]), binary.LittleEndian.Uint64(m.sum[8:])
	for len(src) > 0 {
		n := min(len(src), len(m.sums))
		sums, p := m.sums[:n], src[:n]
		for len(sums) >= BlockSize && len(p) >= BlockSize {
			binary.LittleEndian.PutUint64(sums, a)
			binary.LittleEndian.PutUint64(sums[8:], b)
			a ^= binary.LittleEndian.Uint64(p)
			b ^= binary.LittleEndian.Uint64(p[8:])
			sums, p = sums[BlockSize:], p[BlockSize:]
		}
		decryptBlocks(row, &m.c.keys, dst[:n], src[:n])
		subtle.XORBytes(dst, dst[:n], m.sums[:])
		dst, src = dst[n:], src[n:]
	}
	binary.LittleEndian.PutUint64(m.sum[:], a)
	binary.LittleEndian.PutUint64(m.sum[8:], b)
}
