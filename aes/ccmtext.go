package aes

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// ccmText is what a [CCM] needs if the driver has kernels for CCMText. Then it needs neither calls through an
// interface nor memory from the heap.
type ccmText struct {
	nonceSize, tagSize int // both 0 if there are no such kernels
}

func newCCMText(c *Cipher, nonceSize, tagSize int) ccmText {
	if !aescore.HasCCMText || !aescore.TraitsOf(c.plan.Serial()).CCMText {
		return ccmText{}
	}
	return ccmText{nonceSize, tagSize}
}

// Seal encrypts plaintext, authenticates it together with data, and appends ciphertext
// and tag to dst, under the same conditions as [GCM.Seal] except for the maximum
// length, which [Cipher.NewCCM] describes.
func (c *CCM) Seal(dst, nonce, plaintext, data []byte) []byte {
	if !aescore.HasCCMText || c.text.tagSize == 0 {
		return c.mode.Seal(dst, nonce, plaintext, data)
	}
	// A short message in buffers that certainly overlap as they may takes one call.
	if n := len(plaintext); n < aescore.MaxPass && len(data) <= ccmMaxData && len(nonce) == c.text.nonceSize {
		if size := n + c.text.tagSize; size <= cap(dst)-len(dst) {
			whole := dst[:len(dst)+size]
			if out := whole[len(dst):]; alias.Disjoint(out, data) && (alias.Disjoint(out, plaintext) || alias.Same(out, plaintext)) {
				var m aescore.CCMPart
				var blocks ccmBlocks
				m.Head, m.HeadSize = &blocks[0], c.first(&m, &blocks, nonce, n, data)
				m.Dst, m.Src, m.Size = unsafe.SliceData(out), unsafe.SliceData(plaintext), n
				aescore.CCMText(c.c.plan.Serial(), &c.c.keys, &m, false)
				putTag(out[n:], &m)
				return whole
			}
		}
	}
	return c.sealLong(dst, nonce, plaintext, data)
}

// Open checks the tag at the end of ciphertext, which covers data too, and appends the
// plaintext to dst, under the same conditions as [GCM.Open].
func (c *CCM) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	if !aescore.HasCCMText || c.text.tagSize == 0 {
		return c.mode.Open(dst, nonce, ciphertext, data)
	}
	row := c.c.plan.Serial()
	if n := len(ciphertext) - c.text.tagSize; uint(n) < aescore.MaxPass && n <= cap(dst)-len(dst) && len(data) <= ccmMaxData &&
		len(nonce) == c.text.nonceSize && row != wiped {
		whole := dst[:len(dst)+n]
		if out := whole[len(dst):]; alias.Disjoint(out, data) && (alias.Disjoint(out, ciphertext) || alias.Same(out, ciphertext)) {
			var m aescore.CCMPart
			var blocks ccmBlocks
			m.Head, m.HeadSize = &blocks[0], c.first(&m, &blocks, nonce, n, data)
			m.Dst, m.Src, m.Size = unsafe.SliceData(out), unsafe.SliceData(ciphertext), n
			aescore.CCMText(row, &c.c.keys, &m, true)
			if !isTag(ciphertext[n:], &m) {
				clear(out)
				return nil, errOpen
			}
			return whole, nil
		}
	}
	return c.openLong(dst, nonce, ciphertext, data)
}

// ccmBlocks are the blocks of the MAC's input with additional data, ccmMaxData bytes after their number.
type ccmBlocks [7 * BlockSize]byte

const ccmMaxData = len(ccmBlocks{}) - 2

// first sets the first block and the counter of a message with n bytes of text. It puts the data, at most
// ccmMaxData bytes, into blocks, which are zero, and returns their number of bytes.
func (c *CCM) first(m *aescore.CCMPart, blocks *ccmBlocks, nonce []byte, n int, data []byte) int {
	m.FirstLow, m.FirstHigh, m.CounterLow, m.CounterHigh = c.mode.FirstBlocks(nonce, n, len(data))
	if len(data) == 0 {
		return 0
	}
	binary.BigEndian.PutUint16(blocks[:], uint16(len(data)))
	return (2 + copy(blocks[2:], data) + BlockSize - 1) &^ (BlockSize - 1)
}

// putTag stores the tag of m.
func putTag(tag []byte, m *aescore.CCMPart) {
	low, high := takeTag(m)
	if len(tag) == BlockSize {
		binary.LittleEndian.PutUint64(tag, low)
		binary.LittleEndian.PutUint64(tag[8:], high)
		return
	}
	right := blockOfWords(low, high)
	copy(tag, right[:])
	clear(right[:])
	runtime.KeepAlive(&right)
}

// isTag reports whether the tag is that of m.
func isTag(tag []byte, m *aescore.CCMPart) bool {
	right := blockOfWords(takeTag(m))
	good := modes.EqualTag(&right, tag)
	clear(right[:]) // it would allow a forgery
	runtime.KeepAlive(&right)
	return good
}

// takeTag returns the tag and clears the results in m.
func takeTag(m *aescore.CCMPart) (low, high uint64) {
	low, high = words(&m.MAC)
	maskLow, maskHigh := words(&m.Mask)
	m.MAC, m.Mask = [BlockSize]byte{}, [BlockSize]byte{}
	runtime.KeepAlive(m)
	return low ^ maskLow, high ^ maskHigh
}

// blockOfWords returns a block. The first byte of a number is its lowest one.
func blockOfWords(low, high uint64) (b [BlockSize]byte) {
	binary.LittleEndian.PutUint64(b[:], low)
	binary.LittleEndian.PutUint64(b[8:], high)
	return b
}

// words is the inverse of blockOfWords.
func words(b *[BlockSize]byte) (low, high uint64) {
	return binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])
}

// sealLong is Seal for all messages.
func (c *CCM) sealLong(dst, nonce, plaintext, data []byte) []byte {
	whole, out := c.mode.BuffersToSeal(dst, nonce, plaintext, data)
	m := c.cryptLong(nonce, out[:len(plaintext)], plaintext, data, false)
	putTag(out[len(plaintext):], &m)
	return whole
}

// openLong is Open for all messages.
func (c *CCM) openLong(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	whole, out, err := c.mode.BuffersToOpen(dst, nonce, ciphertext, data)
	if err != nil {
		return nil, err
	}
	m := c.cryptLong(nonce, out, ciphertext[:len(out)], data, true)
	if !isTag(ciphertext[len(out):], &m) {
		clear(out)
		return nil, errOpen
	}
	return whole, nil
}

// cryptLong encrypts or decrypts src. The result is for takeTag.
func (c *CCM) cryptLong(nonce, dst, src, data []byte, decrypt bool) (m aescore.CCMPart) {
	row, k := c.c.plan.Serial(), &c.c.keys
	m.FirstLow, m.FirstHigh, m.CounterLow, m.CounterHigh = c.mode.FirstBlocks(nonce, len(src), len(data))
	var stream, block [BlockSize]byte
	if len(data) > 0 {
		data = modes.CCMData(&block, data)
		for {
			aescore.CCMText(row, k, &m, decrypt)
			addMAC(&m, &block)
			n := min(len(data)&^(BlockSize-1), aescore.MaxPass)
			m.Head, m.HeadSize = unsafe.SliceData(data), n
			if data = data[n:]; len(data) == 0 {
				break
			}
			clear(block[:])
			data = data[copy(block[:], data):]
		}
	}
	n := min(len(src), aescore.MaxPass)
	m.Dst, m.Src, m.Size = unsafe.SliceData(dst), unsafe.SliceData(src), n
	aescore.CCMText(row, k, &m, decrypt)
	mask := m.Mask
	for dst, src = dst[n:], src[n:]; len(src) > 0; dst, src = dst[n:], src[n:] {
		// A part begins with a block that is not text, so this is the first block of text.
		m.CounterHigh = bits.ReverseBytes64(bits.ReverseBytes64(m.CounterHigh) + uint64(n/BlockSize) + 1)
		stream = blockOfWords(m.CounterLow, m.CounterHigh)
		aescore.EncryptBlock(row, k, stream[:], stream[:])
		clear(block[:])
		n = copy(block[:], src)
		subtle.XORBytes(stream[:], stream[:], block[:])
		copy(dst, stream[:n])
		if decrypt {
			copy(block[:n], stream[:])
		}
		addMAC(&m, &block)
		m.HeadSize = 0
		dst, src = dst[n:], src[n:]
		n = min(len(src), aescore.MaxPass)
		m.Dst, m.Src, m.Size = unsafe.SliceData(dst), unsafe.SliceData(src), n
		aescore.CCMText(row, k, &m, decrypt)
	}
	m.Mask = mask
	m.FirstLow, m.FirstHigh = 0, 0
	clear(stream[:])
	clear(block[:])
	runtime.KeepAlive(&stream)
	runtime.KeepAlive(&block)
	return m
}

// addMAC makes the block the first of the next part.
func addMAC(m *aescore.CCMPart, block *[BlockSize]byte) {
	low, high := words(&m.MAC)
	m.FirstLow, m.FirstHigh = words(block)
	m.FirstLow ^= low
	m.FirstHigh ^= high
}
