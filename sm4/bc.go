package sm4

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"runtime"
)

// NewBCEncrypter returns block chaining, the mode BC (GB/T 17964-2021, section
// 12), in the encrypting direction: to each block of plaintext the iv and all
// ciphertext blocks before it are added. So an error in one block of ciphertext
// spoils all that follows. BC does not authenticate; [NewGCM] does. It panics if
// iv is not 16 bytes long. An iv must be unpredictable and is never used twice
// with a key. The result must not be used from several goroutines at once.
//
// Every block waits for the one before it, so this is slow on any machine.
func (c *Cipher) NewBCEncrypter(iv []byte) cipher.BlockMode {
	return &bcEncrypter{c: c, sum: blockOf(iv)}
}

// NewBCDecrypter is the other direction of [Cipher.NewBCEncrypter], which works
// on many blocks at once.
func (c *Cipher) NewBCDecrypter(iv []byte) cipher.BlockMode {
	c.keys.widen(c.row)
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

// CryptBlocks takes two blocks at a time. With F(1) as its iv, CBC makes of P(1)
// and P(2) + F(1) what BC makes of P(1) and P(2), because F(2) = F(1) + C(1).
func (m *bcEncrypter) CryptBlocks(dst, src []byte) {
	checkBlocks(dst, src)
	var pair [2 * BlockSize]byte
	for len(src) > 0 {
		p := pair[:copy(pair[:], src)]
		subtle.XORBytes(p[BlockSize:], p[BlockSize:], m.sum[:])
		chain := m.sum
		cbcEncrypt(m.c.row, &m.c.keys, &chain, p, p)
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
	sum  [BlockSize]byte // as that of bcEncrypter
	sums [2 << 10]byte   // those of the blocks at work
}

func (m *bcDecrypter) BlockSize() int { return BlockSize }

// SetIV begins another message. It panics if iv is not 16 bytes long.
func (m *bcDecrypter) SetIV(iv []byte) { m.sum = blockOf(iv) }

func (m *bcDecrypter) CryptBlocks(dst, src []byte) {
	checkBlocks(dst, src)
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
		decryptBlocks(m.c.row, &m.c.keys, dst[:n], src[:n])
		subtle.XORBytes(dst, dst[:n], m.sums[:])
		dst, src = dst[n:], src[n:]
	}
	binary.LittleEndian.PutUint64(m.sum[:], a)
	binary.LittleEndian.PutUint64(m.sum[8:], b)
}
