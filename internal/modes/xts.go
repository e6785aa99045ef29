package modes

import (
	"crypto/subtle"
	"encoding/binary"
	"sync"

	"github.com/cipherlane/cipherlane/internal/offload"
)

// An XTS is a pair of keys for XEX with ciphertext stealing (IEEE 1619, NIST SP
// 800-38E), the mode of disk encryption. It is safe for concurrent use.
//
// A data unit, such as a sector, has 16 bytes or more and at most 2^20 blocks
// (16 MiB), which is not checked; one without bytes is left as it is. Those that
// are not whole blocks steal from their last whole one.
//
// XTS does not authenticate, and equal units under equal numbers are equal when
// encrypted: it is for storage that has no room for more.
type XTS struct {
	data, tweak Cipher
	far         *offload.Key
}

// NewXTS returns XTS with one cipher for data and one, with a different key, for
// tweaks.
func NewXTS(data, tweak Cipher) *XTS { return &XTS{data: data, tweak: tweak} }

// Encrypt encrypts the data unit of that number.
func (x *XTS) Encrypt(dst, src []byte, sector uint64) {
	x.crypt(dst, src, sector, 0, false)
}

// Decrypt undoes [XTS.Encrypt].
func (x *XTS) Decrypt(dst, src []byte, sector uint64) {
	x.crypt(dst, src, sector, 0, true)
}

// EncryptTweak encrypts a data unit with a number of 128 bits, the first byte
// the lowest.
func (x *XTS) EncryptTweak(dst, src []byte, tweak *[16]byte) {
	x.crypt(dst, src, binary.LittleEndian.Uint64(tweak[:]), binary.LittleEndian.Uint64(tweak[8:]), false)
}

// DecryptTweak undoes [XTS.EncryptTweak].
func (x *XTS) DecryptTweak(dst, src []byte, tweak *[16]byte) {
	x.crypt(dst, src, binary.LittleEndian.Uint64(tweak[:]), binary.LittleEndian.Uint64(tweak[8:]), true)
}

// xtsState is what a call needs in memory that the cipher may see.
type xtsState struct {
	tweak, last, block [blockSize]byte
}

var xtsStates = sync.Pool{New: func() any { return new(xtsState) }}

func (x *XTS) crypt(dst, src []byte, low, high uint64, decrypt bool) {
	if len(src) == 0 {
		return
	}
	if len(src) < blockSize {
		panic(x.data.Package() + ": input shorter than a block")
	}
	checkBuffers(x.data, dst, src)
	dst = dst[:len(src)]
	s := xtsStates.Get().(*xtsState)
	binary.LittleEndian.PutUint64(s.tweak[:], low)
	binary.LittleEndian.PutUint64(s.tweak[8:], high)
	if len(src) >= offload.Floor && x.takes(len(src), decrypt) && x.far.XTS(&s.tweak, dst, src, decrypt) {
		*s = xtsState{}
		xtsStates.Put(s)
		return
	}
	x.tweak.EncryptBlocks(s.tweak[:], s.tweak[:])
	switch n := len(src) &^ (blockSize - 1); {
	case n == len(src):
		x.data.XTS(&s.tweak, dst, src, decrypt)
	case decrypt:
		x.decryptStolen(s, dst, src, n)
	default:
		x.encryptStolen(s, dst, src, n)
	}
	*s = xtsState{}
	xtsStates.Put(s)
}

// encryptStolen encrypts n bytes, the last of which is the end of a block, and
// what is behind them: that takes the place of the start of the last block's
// ciphertext, and the block is encrypted once more.
func (x *XTS) encryptStolen(s *xtsState, dst, src []byte, n int) {
	x.data.XTS(&s.tweak, dst[:n], src[:n], false)
	copy(s.block[:], dst[n-blockSize:])
	exchange(dst[n:], src[n:], &s.block)
	x.data.XTS(&s.tweak, dst[n-blockSize:n], s.block[:], false)
}

// decryptStolen undoes encryptStolen. The last two tweaks come in the other
// order.
func (x *XTS) decryptStolen(s *xtsState, dst, src []byte, n int) {
	last := n - blockSize
	x.data.XTS(&s.tweak, dst[:last], src[:last], true)
	fillTweaks(s.last[:], &s.tweak)
	x.data.XTS(&s.tweak, s.block[:], src[last:n], true)
	exchange(dst[n:], src[n:], &s.block)
	x.data.XTS(&s.last, dst[last:n], s.block[:], true)
}

// exchange moves the start of block to dst and puts src, which may be dst, in
// its place.
func exchange(dst, src []byte, block *[blockSize]byte) {
	for i, v := range src {
		dst[i], block[i] = block[i], v
	}
}

// fillTweaks fills p, which is whole blocks, with the tweaks of as many blocks,
// and leaves the next one. Each is the one before it times x in GF(2^128), as
// IEEE 1619 writes its elements, in time that does not depend on it.
func fillTweaks(p []byte, tweak *[blockSize]byte) {
	low, high := binary.LittleEndian.Uint64(tweak[:]), binary.LittleEndian.Uint64(tweak[8:])
	for len(p) >= blockSize {
		binary.LittleEndian.PutUint64(p, low)
		binary.LittleEndian.PutUint64(p[8:], high)
		low, high = low<<1^uint64(int64(high)>>63)&0x87, high<<1|low>>63
		p = p[blockSize:]
	}
	binary.LittleEndian.PutUint64(tweak[:], low)
	binary.LittleEndian.PutUint64(tweak[8:], high)
}

var xtsTweaks = sync.Pool{New: func() any { return new([1024]byte) }}

// XTSBlocks is [Cipher].XTS for ciphers that have no kernel for it.
func XTSBlocks(c Cipher, tweak *[16]byte, dst, src []byte, decrypt bool) {
	buffer := xtsTweaks.Get().(*[1024]byte)
	size := min(len(src), len(buffer))
	for len(src) > 0 {
		n := min(len(src), size)
		tweaks, out := buffer[:n], dst[:n]
		fillTweaks(tweaks, tweak)
		subtle.XORBytes(out, src[:n], tweaks)
		if decrypt {
			c.DecryptBlocks(out, out)
		} else {
			c.EncryptBlocks(out, out)
		}
		subtle.XORBytes(out, out, tweaks)
		dst, src = dst[n:], src[n:]
	}
	clear(buffer[:size])
	xtsTweaks.Put(buffer)
}
