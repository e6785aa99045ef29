package modes

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"sync"

	"github.com/cipherlane/cipherlane/internal/offload"
	"github.com/cipherlane/cipherlane/internal/tweaks"
)

// An XTS is a pair of keys for XEX with ciphertext stealing (IEEE 1619, NIST SP
// 800-38E), the mode used for disk encryption. It is safe for concurrent use.
//
// A data unit, such as a sector, has at least 16 bytes and at most 2^20 blocks
// (16 MiB); an empty one is accepted and ignored. Ciphertext stealing is used if
// its length is not a multiple of 16.
//
// XTS does not authenticate, and equal data units with equal numbers have equal
// ciphertexts. Use it only for storage without room for nonces and tags.
type XTS struct {
	data, tweak Cipher
	engine      *offload.Key
}

// NewXTS returns XTS with a cipher for data and a cipher with a different key for
// tweaks.
func NewXTS(data, tweak Cipher) *XTS { return &XTS{data: data, tweak: tweak} }

// Encrypt encrypts the data unit with the number sector.
func (x *XTS) Encrypt(dst, src []byte, sector uint64) {
	x.crypt(dst, src, sector, 0, false)
}

// Decrypt is the inverse of [XTS.Encrypt].
func (x *XTS) Decrypt(dst, src []byte, sector uint64) {
	x.crypt(dst, src, sector, 0, true)
}

// EncryptTweak encrypts a data unit with a 128-bit number in little-endian order.
func (x *XTS) EncryptTweak(dst, src []byte, tweak *[16]byte) {
	x.crypt(dst, src, binary.LittleEndian.Uint64(tweak[:]), binary.LittleEndian.Uint64(tweak[8:]), false)
}

// DecryptTweak is the inverse of [XTS.EncryptTweak].
func (x *XTS) DecryptTweak(dst, src []byte, tweak *[16]byte) {
	x.crypt(dst, src, binary.LittleEndian.Uint64(tweak[:]), binary.LittleEndian.Uint64(tweak[8:]), true)
}

// maxUnit is the largest number of bytes in a data unit: 2^20 blocks (IEEE 1619; SP
// 800-38E, section 4).
const maxUnit = 1 << 20 * blockSize

// xtsState is the memory of a call that is passed to the cipher.
type xtsState struct {
	tweak, last, block [blockSize]byte
}

var xtsStates = sync.Pool{New: func() any { return new(xtsState) }}

func (x *XTS) crypt(dst, src []byte, low, high uint64, decrypt bool) {
	if len(src) == 0 {
		return
	}
	x.check(dst, src, maxUnit)
	dst = dst[:len(src)]
	s := xtsStates.Get().(*xtsState)
	binary.LittleEndian.PutUint64(s.tweak[:], low)
	binary.LittleEndian.PutUint64(s.tweak[8:], high)
	if len(src) >= offload.Floor && x.takes(len(src), decrypt) && x.engine.XTS(&s.tweak, dst, src, decrypt) {
		*s = xtsState{}
		xtsStates.Put(s)
		return
	}
	x.tweak.EncryptBlocks(s.tweak[:], s.tweak[:])
	x.cryptUnit(s, dst, src, decrypt)
	*s = xtsState{}
	xtsStates.Put(s)
}

// check panics if src is shorter than a block or longer than max bytes, or if dst is
// too short or overlaps src inexactly.
func (x *XTS) check(dst, src []byte, max int) {
	if len(src) < blockSize {
		panic(x.data.Package() + ": input shorter than a block")
	}
	if len(src) > max {
		panic(x.data.Package() + ": XTS data unit longer than 16 MiB")
	}
	checkBuffers(x.data, dst, src)
}

// cryptUnit processes a data unit or the end of one, from an encrypted tweak.
func (x *XTS) cryptUnit(s *xtsState, dst, src []byte, decrypt bool) {
	switch n := len(src) &^ (blockSize - 1); {
	case n == len(src):
		x.data.XTS(&s.tweak, dst, src, decrypt)
	case decrypt:
		x.decryptStolen(s, dst, src, n)
	default:
		x.encryptStolen(s, dst, src, n)
	}
}

// encryptStolen encrypts n bytes of whole blocks and the partial block after them.
// The partial block replaces the beginning of the last ciphertext block, which is
// then encrypted again.
func (x *XTS) encryptStolen(s *xtsState, dst, src []byte, n int) {
	x.data.XTS(&s.tweak, dst[:n], src[:n], false)
	copy(s.block[:], dst[n-blockSize:])
	exchange(dst[n:], src[n:], &s.block)
	x.data.XTS(&s.tweak, dst[n-blockSize:n], s.block[:], false)
}

// decryptStolen is the inverse of encryptStolen. It uses the last two tweaks in
// reverse order.
func (x *XTS) decryptStolen(s *xtsState, dst, src []byte, n int) {
	last := n - blockSize
	x.data.XTS(&s.tweak, dst[:last], src[:last], true)
	tweaks.Fill(s.last[:], &s.tweak)
	x.data.XTS(&s.tweak, s.block[:], src[last:n], true)
	exchange(dst[n:], src[n:], &s.block)
	x.data.XTS(&s.last, dst[last:n], s.block[:], true)
}

// exchange copies the beginning of block to dst and replaces it with src, which may
// be dst.
func exchange(dst, src []byte, block *[blockSize]byte) {
	for i, v := range src {
		dst[i], block[i] = block[i], v
	}
}

// An XTSMode processes one data unit, given its encrypted tweak. It implements
// cipher.BlockMode.
type XTSMode struct {
	private
	x       XTS // without a tweak key
	s       xtsState
	decrypt bool
	left    int // maximum number of bytes left in the data unit; 0 after its end
}

// NewXTSMode returns an XTSMode for the data unit with this encrypted tweak.
func NewXTSMode(data Cipher, tweak *[16]byte, decrypt bool) *XTSMode {
	return &XTSMode{x: XTS{data: data}, s: xtsState{tweak: *tweak}, decrypt: decrypt, left: maxUnit}
}

// BlockSize returns 16.
func (m *XTSMode) BlockSize() int { return blockSize }

// CryptBlocks processes the next part of the data unit. A part that is not whole
// blocks must be the last one.
func (m *XTSMode) CryptBlocks(dst, src []byte) {
	if len(src) == 0 {
		return
	}
	if m.left == 0 {
		panic(m.x.data.Package() + ": XTS after the end of the data unit")
	}
	m.x.check(dst, src, m.left)
	m.x.cryptUnit(&m.s, dst[:len(src)], src, m.decrypt)
	m.left -= len(src)
	if len(src)%blockSize != 0 {
		m.left = 0
		m.s = xtsState{}
	}
}

// TurnTweaks converts tweaks between the bit orders of IEEE 1619 and GB/T 17964-2021:
// it reverses the bits in every byte of p, which is whole blocks. It does not use
// bits.Reverse8, which looks up a table.
func TurnTweaks(p []byte) {
	for ; len(p) >= 8; p = p[8:] {
		binary.BigEndian.PutUint64(p, bits.Reverse64(binary.LittleEndian.Uint64(p)))
	}
}

var xtsTweaks = sync.Pool{New: func() any { return new([1024]byte) }}

// XTSBlocks implements [Cipher].XTS for ciphers without a kernel for it. If gb is set,
// tweaks are converted by [TurnTweaks] before they are XORed with the data.
func XTSBlocks(c Cipher, tweak *[16]byte, dst, src []byte, decrypt, gb bool) {
	check(c, c.WipeMark()) // before dst is written
	buffer := xtsTweaks.Get().(*[1024]byte)
	size := min(len(src), len(buffer))
	for len(src) > 0 {
		n := min(len(src), size)
		t, out := buffer[:n], dst[:n]
		tweaks.Fill(t, tweak)
		if gb {
			TurnTweaks(t)
		}
		subtle.XORBytes(out, src[:n], t)
		if decrypt {
			c.DecryptBlocks(out, out)
		} else {
			c.EncryptBlocks(out, out)
		}
		subtle.XORBytes(out, out, t)
		dst, src = dst[n:], src[n:]
	}
	clear(buffer[:size])
	xtsTweaks.Put(buffer)
}
