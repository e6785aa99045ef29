//go:build !purego

package arm64

import (
	"encoding/binary"
	"math/bits"
	"runtime"
)

// The family CE needs the AES instructions.

// ExpandCE computes the round keys of a key of 16, 24 or 32 bytes.
func ExpandCE(k *Keys, key []byte) {
	k.Rounds = 6 + len(key)/4
	expandCE(&k.Enc, &k.Dec, &key[0], k.Rounds)
}

// EncryptBlocksCE encrypts whole blocks, at least one.
func EncryptBlocksCE(k *Keys, dst, src []byte) { encryptBlocksCE(k, &dst[0], &src[0], len(src)) }

// DecryptBlocksCE decrypts whole blocks, at least one.
func DecryptBlocksCE(k *Keys, dst, src []byte) { decryptBlocksCE(k, &dst[0], &src[0], len(src)) }

// CBCEncryptCE encrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCEncryptCE(k *Keys, iv *[16]byte, dst, src []byte) {
	cbcEncryptCE(k, &iv[0], &dst[0], &src[0], len(src))
}

// CBCDecryptCE decrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCDecryptCE(k *Keys, iv *[16]byte, dst, src []byte) {
	cbcDecryptCE(k, &iv[0], &dst[0], &src[0], len(src))
}

// XTSCE encrypts or decrypts whole blocks, at least one, from the encrypted tweak on.
// tweak becomes that of the block after them.
func XTSCE(k *Keys, tweak *[16]byte, dst, src []byte, decrypt bool) {
	if decrypt {
		xtsDecryptCE(k, &tweak[0], &dst[0], &src[0], len(src))
	} else {
		xtsEncryptCE(k, &tweak[0], &dst[0], &src[0], len(src))
	}
}

// CTRCE adds keystream to src, at least one byte, and advances the 128-bit counter.
// Unused keystream of the last block goes to the same offsets in rest.
func CTRCE(k *Keys, ctr *[16]byte, dst, src []byte, rest *[16]byte) {
	hi, lo := binary.BigEndian.Uint64(ctr[:]), binary.BigEndian.Uint64(ctr[8:])
	next, carry := bits.Add64(lo, uint64(len(src)+15)/16, 0)
	binary.BigEndian.PutUint64(ctr[:], hi+carry)
	binary.BigEndian.PutUint64(ctr[8:], next)
	if carry != 0 && next != 0 { // next blocks have the higher hi
		n := int(-lo * 16)
		ctrCE(k, hi, lo, &dst[0], &src[0], n)
		dst, src = dst[n:], src[n:]
		hi, lo = hi+1, 0
	}
	whole := len(src) &^ 15
	if whole > 0 {
		ctrCE(k, hi, lo, &dst[0], &src[0], whole)
	}
	if n := len(src) - whole; n > 0 {
		var block [16]byte
		copy(block[:], src[whole:])
		ctrCE(k, hi, lo+uint64(whole/16), &block[0], &block[0], 16)
		copy(dst[whole:], block[:n])
		copy(rest[n:], block[n:])
		clear(block[:])
		runtime.KeepAlive(&block)
	}
}

// A Lane is one of the streams that a call processes side by side.
type Lane struct {
	Keys     *Keys
	IV       *[16]byte // becomes the last ciphertext block
	Dst, Src *byte     // if Dst is nil, only IV is updated
}

// CBCEncryptManyCE encrypts n blocks, at least one, of each of 1 to 8 lanes. All keys
// have the same number of rounds.
func CBCEncryptManyCE(lanes []Lane, n int) {
	if len(lanes) == 8 {
		cbcEncrypt8CE(&lanes[0], n)
		return
	}
	if len(lanes)&4 != 0 {
		cbcEncrypt4CE(&lanes[0], n)
		lanes = lanes[4:]
	}
	if len(lanes)&2 != 0 {
		cbcEncrypt2CE(&lanes[0], n)
		lanes = lanes[2:]
	}
	if len(lanes) > 0 {
		cbcEncrypt1CE(&lanes[0], n)
	}
}

// Powers are the powers of the hash key, as package ghash has them.
type Powers = [12][16]byte

// The kernels of GCM process passes of 8 blocks, in calls of at most 64 KiB.
const (
	pass    = 8 * 16
	maxPass = 64 << 10
)

// SealCE encrypts src, of any length, with the counters after j0, continues the hash y
// over the ciphertext and lens, and sets y to the tag.
func SealCE(k *Keys, h *Powers, j0, y, lens *[16]byte, dst, src []byte) {
	counter := *j0
	add32(&counter, 1)
	for len(src) >= pass {
		n := min(len(src)&^(pass-1), maxPass)
		sealCE(k, h, &counter[0], &y[0], &dst[0], &src[0], n)
		dst, src = dst[n:], src[n:]
	}
	var t tail
	t.crypt(k, &counter, dst, src)
	clear(t.last[t.n:])
	t.finish(k, h, j0, y, lens, dst)
	clear(counter[:])
	runtime.KeepAlive(&counter)
}

// OpenCE is like SealCE, with the ciphertext in src.
func OpenCE(k *Keys, h *Powers, j0, y, lens *[16]byte, dst, src []byte) {
	counter := *j0
	add32(&counter, 1)
	for len(src) >= pass {
		n := min(len(src)&^(pass-1), maxPass)
		openCE(k, h, &counter[0], &y[0], &dst[0], &src[0], n)
		dst, src = dst[n:], src[n:]
	}
	var t tail
	t.whole = len(src) &^ 15
	t.n = copy(t.last[:], src[t.whole:])
	t.finish(k, h, j0, y, lens, src)
	t.crypt(k, &counter, dst, src)
	clear(t.last[:])
	clear(counter[:])
	runtime.KeepAlive(&t)
	runtime.KeepAlive(&counter)
}

// A tail is the end of a message: less than a pass.
type tail struct {
	whole, n int      // bytes of whole blocks, and behind them
	last     [16]byte // the last block, if it is not whole
}

// crypt adds keystream to src. The last block stays in t, with keystream behind it.
func (t *tail) crypt(k *Keys, counter *[16]byte, dst, src []byte) {
	t.whole = len(src) &^ 15
	if t.whole > 0 {
		ctr32(k, counter, dst[:t.whole], src)
	}
	if t.n = copy(t.last[:], src[t.whole:]); t.n > 0 {
		ctr32(k, counter, t.last[:], t.last[:])
		copy(dst[t.whole:], t.last[:t.n])
	}
}

// finish hashes the ciphertext, of which t has the last block, and makes the tag.
func (t *tail) finish(k *Keys, h *Powers, j0, y, lens *[16]byte, ciphertext []byte) {
	p, last := &t.last[0], (*byte)(nil)
	if t.n > 0 {
		last = p
	}
	if t.whole > 0 {
		p = &ciphertext[0]
	}
	finishCE(k, h, &j0[0], &y[0], p, t.whole, last, &lens[0])
}

// ctr32 adds keystream to src, whole blocks, and advances the last 32 bits of the
// counter.
func ctr32(k *Keys, counter *[16]byte, dst, src []byte) {
	hi, lo := binary.BigEndian.Uint64(counter[:]), binary.BigEndian.Uint64(counter[8:])
	n := len(dst)
	if left := 16 * (1<<32 - int(uint32(lo))); n > left {
		ctrCE(k, hi, lo, &dst[0], &src[0], left)
		add32(counter, left/16)
		ctr32(k, counter, dst[left:], src[left:])
		return
	}
	ctrCE(k, hi, lo, &dst[0], &src[0], n)
	add32(counter, n/16)
}

// add32 adds n to the last 32 bits of a counter (inc_32 of NIST SP 800-38D, section 6.2).
func add32(counter *[16]byte, n int) {
	p := counter[12:]
	binary.BigEndian.PutUint32(p, binary.BigEndian.Uint32(p)+uint32(n))
}
