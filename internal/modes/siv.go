package modes

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"strconv"
	"sync"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/ctgrind"
)

const (
	sivNonceSize = 16
	sivTagSize   = blockSize
	sivStrings   = 126 // of associated data, at most (RFC 5297, section 2.6)
)

// A SIV is a block cipher in the mode SIV (RFC 5297): CMAC of the strings of associated data
// and of the plaintext makes a synthetic IV, for counter mode. The IV is the tag, too, and comes
// before the ciphertext. A SIV implements [cipher.AEAD], with the nonce as the last of the
// strings, and is safe for concurrent use.
//
// If a nonce repeats, or if there is none, all that is revealed is whether the messages are
// the same. Encryption makes two passes over the message.
type SIV struct {
	private
	mac     Cipher // with the first key, K1
	ctr     Cipher // with the second key, K2
	chains  Chains // of mac
	row     *uint8 // of mac
	whole   words  // the subkeys of CMAC, as in a MAC
	partial words
	zero    words // the CMAC of the zero block
	errOpen error
}

var _ cipher.AEAD = (*SIV)(nil)

// NewSIV returns SIV for two keys: mac has the first and ctr the second. They belong to the SIV from
// then on.
func NewSIV(mac, ctr Cipher) *SIV {
	s := &SIV{mac: mac, ctr: ctr, chains: chainsMAC(mac), row: mac.WipeMark()}
	s.errOpen = errors.New(mac.Package() + ": message authentication failed")
	cmacSubkeys(mac, &s.whole, &s.partial)
	s.zero = s.whole
	mac.EncryptBlocks(s.zero.bytes()[:], s.zero.bytes()[:])
	return s
}

// NonceSize returns 16.
func (s *SIV) NonceSize() int { return sivNonceSize }

// Overhead returns 16, the size of the tag in bytes.
func (s *SIV) Overhead() int { return sivTagSize }

// Wipe overwrites the subkeys and calls the Wipe methods of the ciphers, if they have one.
// Afterwards Open returns an error and Seal panics.
func (s *SIV) Wipe() {
	wipe(s.mac)
	wipe(s.ctr)
	s.whole, s.partial, s.zero = words{}, words{}, words{}
}

// Seal encrypts plaintext, authenticates it together with data and nonce, and appends tag and
// ciphertext to dst. The plaintext and the appended output must begin at the same byte or not
// overlap. Seal panics if the nonce is empty.
func (s *SIV) Seal(dst, nonce, plaintext, data []byte) []byte {
	s.checkNonce(nonce)
	strings := [...][]byte{data, nonce}
	return s.seal(dst, plaintext, strings[:], 1)
}

// Open checks the tag at the beginning of ciphertext, which also covers data and nonce, and
// appends the plaintext to dst. If the tag is wrong, it returns an error, and anything it has
// written to dst is zeroed. The ciphertext and the appended output must begin at the same byte or
// not overlap. Open panics if the nonce is empty.
func (s *SIV) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	s.checkNonce(nonce)
	strings := [...][]byte{data, nonce}
	return s.open(dst, ciphertext, strings[:], 1)
}

// SealDeterministic is Seal with any number of strings, up to 126, in place of data and nonce.
func (s *SIV) SealDeterministic(dst, plaintext []byte, data ...[]byte) []byte {
	return s.seal(dst, plaintext, data, len(data))
}

// OpenDeterministic is Open with any number of strings, up to 126, in place of data and nonce.
func (s *SIV) OpenDeterministic(dst, ciphertext []byte, data ...[]byte) ([]byte, error) {
	return s.open(dst, ciphertext, data, len(data))
}

func (s *SIV) checkNonce(nonce []byte) {
	if len(nonce) == 0 {
		panic(s.mac.Package() + ": incorrect nonce length 0 given to SIV, want at least 1")
	}
}

// extend appends n bytes to dst, which may not overlap the data, nor the text but from its
// beginning on.
func (s *SIV) extend(dst []byte, n int, text []byte, data [][]byte) (whole, out []byte) {
	whole = Extend(dst, n)
	out = whole[len(dst):]
	bad := alias.InexactOverlap(out, text)
	for _, p := range data {
		bad = bad || alias.AnyOverlap(out, p)
	}
	if bad {
		panic(s.mac.Package() + ": invalid buffer overlap")
	}
	return whole, out
}

// seal is Seal. Only the first strings must not be where the output goes: separate of them.
func (s *SIV) seal(dst, plaintext []byte, strings [][]byte, separate int) []byte {
	check(s.mac, s.row)
	s.checkStrings(strings)
	whole, out := s.extend(dst, len(plaintext)+sivTagSize, plaintext, strings[:separate])
	w := s.begin()
	w.strings(strings)
	n := chained(plaintext)
	w.blocks(plaintext[:n])
	w.finish(plaintext[n:])

	// All inputs have been read. The text moves by the length of the tag.
	text := out[sivTagSize:]
	if alias.AnyOverlap(out, plaintext) {
		copy(text, plaintext)
		plaintext = text
	}
	copy(out, w.chain.bytes()[:])
	w.start(out)
	s.ctr.CTR(w.counter.bytes(), text, plaintext)
	w.free()
	return whole
}

// open is Open, with strings like seal.
func (s *SIV) open(dst, ciphertext []byte, strings [][]byte, separate int) ([]byte, error) {
	if *s.row == Wiped {
		return nil, errWiped(s.mac)
	}
	s.checkStrings(strings)
	if len(ciphertext) < sivTagSize {
		return nil, s.errOpen
	}
	text := ciphertext[sivTagSize:]
	whole, out := s.extend(dst, len(text), ciphertext, strings[:separate])
	w := s.begin()
	w.strings(strings) // the nonce may be in out
	tag := [sivTagSize]byte(ciphertext)
	w.start(tag[:])
	if alias.AnyOverlap(out, ciphertext) {
		copy(out, text)
		text = out
	}
	n := chained(text)
	for at := 0; at < n; {
		end := min(at+ccmPart, n) // for the reason given there
		s.ctr.CTR(w.counter.bytes(), out[at:end], text[at:end])
		w.blocks(out[at:end])
		at = end
	}
	s.ctr.CTR(w.counter.bytes(), out[n:], text[n:])
	w.finish(out[n:])
	ok := EqualTag(w.chain.bytes(), tag[:])
	w.free()
	if !ok {
		clear(out)
		return nil, s.errOpen
	}
	return whole, nil
}

func (s *SIV) checkStrings(strings [][]byte) {
	if len(strings) > sivStrings {
		panic(s.mac.Package() + ": " + strconv.Itoa(len(strings)) + " strings of associated data given to SIV, want at most " + strconv.Itoa(sivStrings))
	}
}

// sivGather is how many bytes CMAC processes in one call, with all that is done to the last
// ones. For a longer text there are two.
const sivGather = 16 * blockSize

// sivWork is the scratch memory of a message.
type sivWork struct {
	macChain                               // under K1; its value becomes the synthetic IV
	s         *SIV                         // whose message it is
	high, low uint64                       // D of S2V (section 2.4), in big-endian order
	counter   words                        // of counter mode
	ends      [sivGather / blockSize]words // the inputs of CMAC's last encryptions, and their outputs
	used      int                          // blocks of ends that may hold secrets
}

var sivPool = sync.Pool{New: func() any { return new(sivWork) }}

func (s *SIV) begin() *sivWork {
	w := sivPool.Get().(*sivWork)
	w.s, w.c, w.chains = s, s.mac, s.chains
	w.high, w.low = load(s.zero.bytes()[:])
	return w
}

func (w *sivWork) free() {
	clear(w.ends[:w.used])
	w.s, w.c, w.chains, w.used = nil, nil, nil, 0
	w.high, w.low, w.chain = 0, 0, words{}
	sivPool.Put(w)
}

// bytes returns the blocks of ends.
func (w *sivWork) bytes() *[sivGather]byte { return (*[sivGather]byte)(unsafe.Pointer(&w.ends)) }

// strings does what S2V does for all strings but the last: D is doubled, and the CMAC of the
// string is added. The last encryptions of several CMACs are one call, because none waits for
// another.
func (w *sivWork) strings(list [][]byte) {
	for len(list) > 0 {
		part := list[:min(len(list), len(w.ends))]
		list = list[len(part):]
		w.used = max(w.used, len(part))
		ends := w.bytes()[:len(part)*blockSize]
		for i, p := range part {
			w.chain = words{}
			if n := (len(p) - 1) &^ (blockSize - 1); n > 0 {
				w.blocks(p[:n])
				p = p[n:]
			}
			w.end(i, copy(ends[i*blockSize:][:blockSize], p))
			w.ends[i].add(&w.chain)
		}
		w.c.EncryptBlocks(ends, ends)
		for ; len(ends) > 0; ends = ends[blockSize:] {
			w.high, w.low = doubled(w.high, w.low)
			high, low := load(ends)
			w.high, w.low = w.high^high, w.low^low
		}
	}
	w.chain = words{}
}

// chained returns how many of the first bytes of a text are processed by blocks, and not by finish.
func chained(text []byte) int {
	if len(text) <= sivGather {
		return 0
	}
	return (len(text) - blockSize) &^ (blockSize - 1) // D is added to the last 16 bytes
}

// finish is the end of S2V: rest is what chained leaves of the text.
func (w *sivWork) finish(rest []byte) {
	blocks := w.bytes()
	n := copy(blocks[:], rest)
	if n < blockSize {
		w.pad(0, n)
		n = blockSize
		w.high, w.low = doubled(w.high, w.low)
	}
	last := blocks[n-blockSize:][:blockSize]
	high, low := load(last)
	binary.BigEndian.PutUint64(last, high^w.high)
	binary.BigEndian.PutUint64(last[8:], low^w.low)
	i := (n - 1) / blockSize
	w.end(i, n-i*blockSize)
	w.used = max(w.used, i+1)
	w.c.CBCEncrypt(w.chain.bytes(), blocks[:(i+1)*blockSize], blocks[:(i+1)*blockSize])
}

// end makes block i, of which the first n bytes are set, the input of CMAC's last encryption.
func (w *sivWork) end(i, n int) {
	if n == blockSize {
		w.ends[i].add(&w.s.whole)
		return
	}
	w.pad(i, n)
	w.ends[i].add(&w.s.partial)
}

// pad completes block i, of which the first n bytes are set.
func (w *sivWork) pad(i, n int) {
	block := w.ends[i].bytes()
	clear(block[n:])
	block[n] = 0x80
}

// start sets the counter to the tag without bits 31 and 63 (section 2.5), so that adding to it
// carries into no other word.
func (w *sivWork) start(tag []byte) {
	counter := w.counter.bytes()
	copy(counter[:], tag)
	ctgrind.Public(counter[:]) // as the tag is: where a counter wraps around may be a branch
	counter[8] &= 0x7f
	counter[12] &= 0x7f
}
