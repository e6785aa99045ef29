package aescore

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"runtime"
)

// The portable driver. Reading an S-box from a table would leak secrets: the
// address depends on them, and it shows in the timing of caches. So the S-box is
// computed by a circuit of logic gates (circuit.go) that works on all bits of a
// machine word at once. There are two ways to fill the words:
//
//   - narrow: one bit of all bytes of four blocks (two on 32-bit machines), in
//     generic_narrow.go;
//   - wide: one bit of the bytes of one row of the state, for sixteen blocks (eight
//     on 32-bit machines), in generic_wide.go. MixColumns is cheaper there, but the
//     round keys are four times as large.

const timingGeneric = "independent of secrets: logic only, no table, no branch"

const maxRounds = 14

// genericKeys are the round keys of the portable driver, with the S-box's constant,
// which the circuit omits, added to all but the first.
type genericKeys struct {
	rounds int
	words  [4 * (maxRounds + 2)]uint32 // columns; the byte of row 0 is the lowest
	narrow [maxRounds + 2]planes       // the same keys for narrow passes
}

const bytes4 = 0x01010101 // times a byte: a word of four such bytes

// expand sets a key of 16, 24 or 32 bytes.
func (k *genericKeys) expand(key []byte) {
	*k = genericKeys{rounds: len(key)/4 + 6}
	w := k.words[:4*(k.rounds+1)]
	ExpandKey(w, key)
	for i := range w[4:] {
		w[4+i] ^= sboxOut * bytes4
	}
	k.fillNarrow()
}

// ExpandKey sets w to the round keys of a key of 16, 24 or 32 bytes (FIPS 197, section
// 5.2): columns with the byte of row 0 as the lowest, four for the beginning and for each round.
func ExpandKey(w []uint32, key []byte) {
	nk := len(key) / 4
	for i := range nk {
		w[i] = binary.LittleEndian.Uint32(key[4*i:])
	}
	rcon := uint32(1)
	for done, next := w, w[nk:]; ; done, next = done[nk:], next[nk:] {
		t := substituteWord(bits.RotateLeft32(done[nk-1], -8)) ^ sboxOut*bytes4 ^ rcon
		rcon = rcon<<1 ^ rcon>>7*0x11b
		for j, old := range done[:min(nk, len(next))] {
			if j == 4 && nk == 8 {
				t = substituteWord(t) ^ sboxOut*bytes4
			}
			t ^= old
			next[j] = t
		}
		if len(next) <= nk {
			break
		}
	}
}

// wipe overwrites the keys.
func (k *genericKeys) wipe() {
	*k = genericKeys{}
	runtime.KeepAlive(k)
}

// wideMin is the number of bytes from which preparing for wide passes pays off.
const wideMin = 3*wideSize - narrowSize

// forWide returns how many of n bytes wide passes should process. A wide pass takes
// longer than two narrow ones.
func forWide(n int) int {
	if n%wideSize <= 2*narrowSize {
		return n - n%wideSize
	}
	return n
}

// Encryption and decryption are in separate functions, so that programs with GCM alone, which
// never decrypts a block, contain only the former.

func (k *genericKeys) encryptBlocks(dst, src []byte) {
	if len(src) < wideMin {
		k.encryptPasses(nil, dst, src)
		return
	}
	var w wideCipher
	w.init(k)
	k.encryptPasses(&w, dst, src)
	w.wipe()
}

func (k *genericKeys) decryptBlocks(dst, src []byte) {
	if len(src) < wideMin {
		k.decryptPasses(nil, dst, src)
		return
	}
	var w wideCipher
	w.init(k)
	k.decryptPasses(&w, dst, src)
	w.wipe()
}

// blocks encrypts or decrypts every block, with wide passes if w is not nil.
func (k *genericKeys) blocks(w *wideCipher, dst, src []byte, decrypt bool) {
	if decrypt {
		k.decryptPasses(w, dst, src)
	} else {
		k.encryptPasses(w, dst, src)
	}
}

func (k *genericKeys) encryptPasses(w *wideCipher, dst, src []byte) {
	if w != nil {
		n := forWide(len(src))
		w.encryptBlocks(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
	var b [narrowSize]byte
	for len(src) > 0 {
		n := copy(b[:], src)
		k.encryptNarrow(&b, &b)
		copy(dst, b[:n])
		dst, src = dst[n:], src[n:]
	}
	clear(b[:])
	runtime.KeepAlive(&b)
}

func (k *genericKeys) decryptPasses(w *wideCipher, dst, src []byte) {
	if w != nil {
		n := forWide(len(src))
		w.decryptBlocks(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
	var b [narrowSize]byte
	for len(src) > 0 {
		n := copy(b[:], src)
		k.decryptNarrow(&b, &b)
		copy(dst, b[:n])
		dst, src = dst[n:], src[n:]
	}
	clear(b[:])
	runtime.KeepAlive(&b)
}

func (w *wideCipher) encryptBlocks(dst, src []byte) {
	var b [wideSize]byte
	for len(src) > 0 {
		n := copy(b[:], src)
		w.encrypt(&b, &b)
		copy(dst, b[:n])
		dst, src = dst[n:], src[n:]
	}
	clear(b[:])
	runtime.KeepAlive(&b)
}

func (w *wideCipher) decryptBlocks(dst, src []byte) {
	var b [wideSize]byte
	for len(src) > 0 {
		n := copy(b[:], src)
		w.decrypt(&b, &b)
		copy(dst, b[:n])
		dst, src = dst[n:], src[n:]
	}
	clear(b[:])
	runtime.KeepAlive(&b)
}

// In cbcEncrypt and cbcDecrypt, iv becomes the last ciphertext block.
func (k *genericKeys) cbcEncrypt(iv *[BlockSize]byte, dst, src []byte) {
	var b [narrowSize]byte // only the first block matters
	copy(b[:], iv[:])
	for ; len(src) > 0; dst, src = dst[BlockSize:], src[BlockSize:] {
		subtle.XORBytes(b[:], b[:], src[:BlockSize])
		k.encryptNarrow(&b, &b)
		copy(dst, b[:BlockSize])
	}
	copy(iv[:], b[:])
	clear(b[:])
	runtime.KeepAlive(&b)
}

func (k *genericKeys) cbcDecrypt(iv *[BlockSize]byte, dst, src []byte) {
	if len(src) < wideMin {
		k.cbcDecryptBlocks(nil, iv, dst, src)
	} else {
		k.cbcDecryptWide(iv, dst, src)
	}
}

func (k *genericKeys) cbcDecryptWide(iv *[BlockSize]byte, dst, src []byte) {
	var w wideCipher
	w.init(k)
	k.cbcDecryptBlocks(&w, iv, dst, src)
	w.wipe()
}

func (k *genericKeys) cbcDecryptBlocks(w *wideCipher, iv *[BlockSize]byte, dst, src []byte) {
	var b [wideSize]byte
	for len(src) > 0 {
		n := min(len(src), wideSize)
		next := [BlockSize]byte(src[n-BlockSize:])
		k.decryptPasses(w, b[:n], src[:n])
		subtle.XORBytes(b[:], b[:BlockSize], iv[:])
		subtle.XORBytes(b[BlockSize:], b[BlockSize:n], src)
		copy(dst, b[:n])
		*iv = next
		dst, src = dst[n:], src[n:]
	}
	clear(b[:])
	runtime.KeepAlive(&b)
}
