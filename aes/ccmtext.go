package aes

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// hasCCMText reports whether the driver of c has kernels for CCMText.
func hasCCMText(c *Cipher) bool {
	return aescore.HasCCMText && aescore.TraitsOf(c.plan.Serial()).CCMText
}

// sealText is Seal with kernels for CCMText. It needs neither calls through an interface nor memory from
// the heap.
func (c *CCM) sealText(dst, nonce, plaintext, data []byte) []byte {
	whole, out := c.mode.BuffersToSeal(dst, nonce, plaintext, data)
	out, tag := out[:len(plaintext)], out[len(plaintext):]
	low, high := c.crypt(nonce, out, plaintext, data, false)
	if len(tag) == BlockSize {
		binary.LittleEndian.PutUint64(tag, low)
		binary.LittleEndian.PutUint64(tag[8:], high)
		return whole
	}
	right := blockOfWords(low, high)
	copy(tag, right[:])
	clear(right[:])
	runtime.KeepAlive(&right)
	return whole
}

// openText is Open with kernels for CCMText.
func (c *CCM) openText(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	whole, out, err := c.mode.BuffersToOpen(dst, nonce, ciphertext, data)
	if err != nil {
		return nil, err
	}
	ciphertext, tag := ciphertext[:len(out)], ciphertext[len(out):]
	right := blockOfWords(c.crypt(nonce, out, ciphertext, data, true))
	good := modes.EqualTag(&right, tag)
	clear(right[:]) // the right tag would allow a forgery
	runtime.KeepAlive(&right)
	if !good {
		clear(out)
		return nil, errOpen
	}
	return whole, nil
}

// blockOfWords returns a block, the first byte of a number being its lowest one.
func blockOfWords(low, high uint64) (b [BlockSize]byte) {
	binary.LittleEndian.PutUint64(b[:], low)
	binary.LittleEndian.PutUint64(b[8:], high)
	return b
}

// crypt encrypts or decrypts src, and returns the tag as for blockOfWords.
func (c *CCM) crypt(nonce, dst, src, data []byte, decrypt bool) (low, high uint64) {
	row, k := c.c.plan.Serial(), &c.c.keys
	var m aescore.CCMPart
	var blocks [7 * BlockSize]byte
	m.FirstLow, m.FirstHigh, m.CounterLow, m.CounterHigh = c.mode.FirstBlocks(nonce, len(src), len(data))
	if len(data) > 0 {
		var head []byte
		head, data = modes.CCMData(blocks[:], data)
		m.Head, m.HeadSize = &head[0], len(head)
		for len(data) > 0 {
			aescore.CCMText(row, k, &m, decrypt)
			var block [BlockSize]byte
			data = data[copy(block[:], data):]
			addMAC(&m, &block)
			n := min(len(data)&^(BlockSize-1), aescore.MaxPass)
			m.Head, m.HeadSize = unsafe.SliceData(data), n
			data = data[n:]
		}
	}
	n := min(len(src), aescore.MaxPass)
	m.Dst, m.Src, m.Size = unsafe.SliceData(dst), unsafe.SliceData(src), n
	aescore.CCMText(row, k, &m, decrypt)
	if n < len(src) {
		cryptMore(row, k, &m, dst[n:], src[n:], decrypt)
	}
	low, high = words(&m.MAC)
	maskLow, maskHigh := words(&m.Mask)
	m = aescore.CCMPart{}
	runtime.KeepAlive(&m)
	return low ^ maskLow, high ^ maskHigh
}

// cryptMore processes the text after MaxPass bytes. As a part begins with a block that is not text, it encrypts the
// first block of each part, and gives the plaintext to the kernel as such a block.
func cryptMore(row uint8, k *aescore.Keys, m *aescore.CCMPart, dst, src []byte, decrypt bool) {
	next := *m
	var stream, block [BlockSize]byte
	for n := aescore.MaxPass; len(src) > 0; dst, src = dst[n:], src[n:] {
		next.CounterHigh = bits.ReverseBytes64(bits.ReverseBytes64(next.CounterHigh) + uint64(n/BlockSize) + 1)
		stream = blockOfWords(next.CounterLow, next.CounterHigh)
		aescore.EncryptBlock(row, k, stream[:], stream[:])
		clear(block[:])
		n = copy(block[:], src)
		subtle.XORBytes(stream[:], stream[:], block[:])
		copy(dst, stream[:n])
		if decrypt {
			clear(block[:])
			copy(block[:], stream[:n])
		}
		addMAC(&next, &block)
		dst, src = dst[n:], src[n:]
		n = min(len(src), aescore.MaxPass)
		next.HeadSize = 0
		next.Dst, next.Src, next.Size = unsafe.SliceData(dst), unsafe.SliceData(src), n
		aescore.CCMText(row, k, &next, decrypt)
	}
	m.MAC = next.MAC
	next = aescore.CCMPart{}
	clear(stream[:])
	clear(block[:])
	runtime.KeepAlive(&next)
	runtime.KeepAlive(&stream)
	runtime.KeepAlive(&block)
}

// addMAC makes the block the first of the next part.
func addMAC(m *aescore.CCMPart, block *[BlockSize]byte) {
	low, high := words(&m.MAC)
	m.FirstLow, m.FirstHigh = words(block)
	m.FirstLow ^= low
	m.FirstHigh ^= high
}

// words is the inverse of blockOfWords.
func words(b *[BlockSize]byte) (low, high uint64) {
	return binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])
}
