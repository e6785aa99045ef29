package sm4

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"runtime"
	"sync/atomic"
)

// The portable driver. Reading an S-box from a table would leak secrets: the
// address depends on them, and it shows in the timing of caches. So the S-box is
// computed by a circuit of logic gates (circuit.go) that works on all bits of a
// machine word at once. There are two ways to fill the word:
//
//   - narrow: one word of the state, or the same word of two blocks. The inputs of
//     the circuit are x, x>>1, ... x>>7, and only one bit in every byte of the
//     results is meaningful.
//   - wide: one bit of every byte of one word of the state, for many blocks
//     (generic_planes.go). This uses every bit and takes little longer.

const timingGeneric = "independent of secrets: logic only, no table, no branch"

// genericKeys are the round keys of the portable driver, with circuitConstant added.
type genericKeys struct {
	words [rounds]uint32
	wide  atomic.Pointer[wideKeys] // the same as planes; nil before widen
}

const (
	rounds = 32
	bytes4 = 0x01010101 // times a byte: a word of four such bytes
)

// fk is the system parameter FK, which is added to the key.
var fk = [4]uint32{0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc}

// ck returns the fixed parameter CK of round i: byte j is 7(4i+j) mod 256.
func ck(i int) uint32 {
	b := uint32(28 * i)
	return b&0xff<<24 | (b+7)&0xff<<16 | (b+14)&0xff<<8 | (b+21)&0xff
}

// expand sets the key. Until widen is called, only narrow passes are used. If it was
// called for a previous key, expand also sets the wide keys, in the same memory.
func (k *genericKeys) expand(key *[KeySize]byte) {
	expandWords(&k.words, key)
	if wide := k.wide.Load(); wide != nil {
		wide.fill(&k.words)
	}
}

// expandWords computes round keys for the circuit.
func expandWords(words *[rounds]uint32, key *[KeySize]byte) {
	a := binary.BigEndian.Uint32(key[0:]) ^ fk[0]
	b := binary.BigEndian.Uint32(key[4:]) ^ fk[1]
	c := binary.BigEndian.Uint32(key[8:]) ^ fk[2]
	d := binary.BigEndian.Uint32(key[12:]) ^ fk[3]
	for i := range words {
		t := substitute(b^c^d^ck(i)^sboxIn*bytes4) ^ sboxOut*bytes4
		t ^= bits.RotateLeft32(t, 13) ^ bits.RotateLeft32(t, 23) // L'
		a, b, c, d = b, c, d, a^t
		words[i] = d ^ circuitConstant(i)
	}
}

// circuitConstant returns the constant to add to round key i, because the circuit
// omits two constants. sboxIn must be added to every input. sboxOut is missing from
// every output, so L(sboxOut) is missing from X4 to X7. From X8 to X11 it is missing
// twice, which cancels out, and so on; round i adds three of these words. Nothing is
// missing from X32 to X35, and the sequence of constants is the same backwards, so
// decryption uses the same round keys in reverse order.
func circuitConstant(i int) uint32 {
	const missing = (sboxOut<<2 | sboxOut>>6) & 0xff // L rotates a word of four equal bytes by 2
	times := uint32((i+1)/4 + (i+2)/4 + (i+3)/4)
	return (sboxIn ^ times&1*missing) * bytes4
}

// widen prepares for wide passes. It may be called repeatedly and concurrently.
func (k *genericKeys) widen() {
	if k.wide.Load() != nil {
		return
	}
	wide := new(wideKeys)
	wide.fill(&k.words)
	if !k.wide.CompareAndSwap(nil, wide) {
		clear(wide[:]) // another goroutine was faster
	}
}

func (k *genericKeys) wipe() {
	if wide := k.wide.Load(); wide != nil {
		clear(wide[:])
	}
	clear(k.words[:])
	runtime.KeepAlive(k)
}

// A direction is XORed with the number of a round to get the index of its key.
const (
	encrypting = 0
	decrypting = rounds - 1
)

func (k *genericKeys) encryptBlocks(dst, src []byte) { k.blocks(dst, src, encrypting) }
func (k *genericKeys) decryptBlocks(dst, src []byte) { k.blocks(dst, src, decrypting) }

// wideMin is the number of blocks from which a wide pass is faster than narrow ones.
// A narrow pass processes one block on 32-bit machines, and up to two on others.
const wideMin = 1 + bits.UintSize/32

// togetherMinGeneric is [trait].togetherMin of this driver.
const togetherMinGeneric = 1

func (k *genericKeys) blocks(dst, src []byte, direction int) {
	if wide := k.wide.Load(); wide != nil {
		for ; len(src) >= wideSize; dst, src = dst[wideSize:], src[wideSize:] {
			wide.blocks((*[wideSize]byte)(dst), (*[wideSize]byte)(src), direction)
		}
		if len(src) >= wideMin*BlockSize {
			var b [wideSize]byte
			copy(b[:], src)
			wide.blocks(&b, &b, direction)
			copy(dst, b[:len(src)])
			clear(b[:])
			runtime.KeepAlive(&b)
			return
		}
	}
	for ; bits.UintSize == 64 && len(src) >= 2*BlockSize; dst, src = dst[2*BlockSize:], src[2*BlockSize:] {
		k.block2((*[2 * BlockSize]byte)(dst), (*[2 * BlockSize]byte)(src), direction)
	}
	for ; len(src) > 0; dst, src = dst[BlockSize:], src[BlockSize:] {
		k.block((*[BlockSize]byte)(dst), (*[BlockSize]byte)(src), direction)
	}
}

// block is a narrow pass over one block.
func (k *genericKeys) block(dst, src *[BlockSize]byte, direction int) {
	a := binary.BigEndian.Uint32(src[0:])
	b := binary.BigEndian.Uint32(src[4:])
	c := binary.BigEndian.Uint32(src[8:])
	d := binary.BigEndian.Uint32(src[12:])
	for i := 0; i < rounds; i += 4 {
		a ^= linear(substitute(b ^ c ^ d ^ k.words[(i^direction)%rounds]))
		b ^= linear(substitute(c ^ d ^ a ^ k.words[((i+1)^direction)%rounds]))
		c ^= linear(substitute(d ^ a ^ b ^ k.words[((i+2)^direction)%rounds]))
		d ^= linear(substitute(a ^ b ^ c ^ k.words[((i+3)^direction)%rounds]))
	}
	binary.BigEndian.PutUint32(dst[0:], d)
	binary.BigEndian.PutUint32(dst[4:], c)
	binary.BigEndian.PutUint32(dst[8:], b)
	binary.BigEndian.PutUint32(dst[12:], a)
}

// linear is L(s) = s ^ s<<<2 ^ s<<<10 ^ s<<<18 ^ s<<<24.
func linear(s uint32) uint32 {
	u := s ^ bits.RotateLeft32(s, 24)
	return u ^ bits.RotateLeft32(u, 10) ^ bits.RotateLeft32(s, 18)
}

// block2 is a narrow pass over two blocks, one in the low and one in the high
// halves of 64-bit words.
func (k *genericKeys) block2(dst, src *[2 * BlockSize]byte, direction int) {
	a, b, c, d := pair(src, 0), pair(src, 4), pair(src, 8), pair(src, 12)
	const both = 1<<32 + 1
	for i := 0; i < rounds; i += 4 {
		a ^= linear2(substitute2(b ^ c ^ d ^ uint64(k.words[(i^direction)%rounds])*both))
		b ^= linear2(substitute2(c ^ d ^ a ^ uint64(k.words[((i+1)^direction)%rounds])*both))
		c ^= linear2(substitute2(d ^ a ^ b ^ uint64(k.words[((i+2)^direction)%rounds])*both))
		d ^= linear2(substitute2(a ^ b ^ c ^ uint64(k.words[((i+3)^direction)%rounds])*both))
	}
	putPair(dst, 0, d)
	putPair(dst, 4, c)
	putPair(dst, 8, b)
	putPair(dst, 12, a)
}

func pair(src *[2 * BlockSize]byte, at int) uint64 {
	return uint64(binary.BigEndian.Uint32(src[BlockSize+at:]))<<32 | uint64(binary.BigEndian.Uint32(src[at:]))
}

func putPair(dst *[2 * BlockSize]byte, at int, w uint64) {
	binary.BigEndian.PutUint32(dst[BlockSize+at:], uint32(w>>32))
	binary.BigEndian.PutUint32(dst[at:], uint32(w))
}

func linear2(s uint64) uint64 { return uint64(linear(uint32(s>>32)))<<32 | uint64(linear(uint32(s))) }

// In cbcEncrypt and cbcDecrypt, iv becomes the last ciphertext block.
func (k *genericKeys) cbcEncrypt(iv *[BlockSize]byte, dst, src []byte) {
	for ; len(src) > 0; dst, src = dst[BlockSize:], src[BlockSize:] {
		subtle.XORBytes(iv[:], iv[:], src[:BlockSize])
		k.block(iv, iv, encrypting)
		copy(dst, iv[:])
	}
}

func (k *genericKeys) cbcDecrypt(iv *[BlockSize]byte, dst, src []byte) {
	var b [wideSize]byte
	for len(src) > 0 {
		n := min(len(src), wideSize)
		next := [BlockSize]byte(src[n-BlockSize:])
		k.decryptBlocks(b[:n], src[:n])
		subtle.XORBytes(b[:], b[:BlockSize], iv[:])
		subtle.XORBytes(b[BlockSize:], b[BlockSize:n], src)
		copy(dst, b[:n])
		*iv = next
		dst, src = dst[n:], src[n:]
	}
	clear(b[:])
	runtime.KeepAlive(&b)
}
