package modes

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"strconv"
	"sync"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/alias"
)

// A CCM is a block cipher in Counter with CBC-MAC mode (NIST SP 800-38C, RFC
// 3610). It implements [cipher.AEAD] and is safe for concurrent use.
//
// A nonce must never be used twice with the same key. The nonce and the length of
// the message share 15 bytes: with a 13-byte nonce, messages must be shorter than
// 64 KiB; with a 12-byte nonce, shorter than 16 MiB.
type CCM struct {
	c         Cipher
	chains    Chains // of c
	row       *uint8 // of c
	nonceSize int
	tagSize   int
	pkg       string
	errOpen   error
}

var _ cipher.AEAD = (*CCM)(nil)

// NewCCM returns CCM with nonces of 7 to 13 bytes and tags of 4, 6, 8, 10, 12, 14
// or 16 bytes.
func NewCCM(c Cipher, nonceSize, tagSize int) (*CCM, error) {
	if *c.WipeMark() == Wiped {
		return nil, errWiped(c)
	}
	if tagSize < 4 || tagSize > 16 || tagSize%2 != 0 {
		return nil, errors.New(c.Package() + ": invalid CCM tag size " + strconv.Itoa(tagSize) + ", want an even number from 4 to 16")
	}
	if nonceSize < 7 || nonceSize > 13 {
		return nil, errors.New(c.Package() + ": invalid CCM nonce size " + strconv.Itoa(nonceSize) + ", want 7 to 13")
	}
	pkg := c.Package()
	return &CCM{c, chainsMAC(c), c.WipeMark(), nonceSize, tagSize, pkg, errors.New(pkg + ": message authentication failed")}, nil
}

// NonceSize returns the size of nonces in bytes.
func (c *CCM) NonceSize() int { return c.nonceSize }

// Overhead returns the size of the tag in bytes.
func (c *CCM) Overhead() int { return c.tagSize }

// Cipher returns the cipher passed to NewCCM.
func (c *CCM) Cipher() Cipher { return c.c }

// Wipe calls the cipher's Wipe method, if it has one. Afterwards Open returns an error
// and Seal panics.
func (c *CCM) Wipe() { wipe(c.c) }

// ccmPart is how many bytes the MAC and counter mode process in turn. In the MAC,
// each block waits for the one before. The CPU can execute counter mode for a part
// of this size out of order along with that chain, so that it takes hardly any
// extra time.
const ccmPart = 512

// ccmWork is the scratch memory of a call.
type ccmWork struct {
	CCMLane
	gather [256]byte     // parts of the MAC's input that are not contiguous in memory
	chain  [ccmPart]byte // the output of CBC; only the last block is used
	wrote  bool          // something is in chain
}

var ccmPool = sync.Pool{New: func() any { return new(ccmWork) }}

// Seal encrypts plaintext, authenticates it together with data, and appends
// ciphertext and tag to dst. The plaintext and the appended output must overlap
// entirely or not at all. Seal panics if the nonce has the wrong size or the
// plaintext is too long for that size.
func (c *CCM) Seal(dst, nonce, plaintext, data []byte) []byte {
	w := ccmPool.Get().(*ccmWork)
	w.BeginSeal(c, w.gather[:], dst, nonce, plaintext, data)
	w.mac()
	whole, _ := w.End()
	w.free()
	return whole
}

// Open checks the tag at the end of ciphertext, which also covers data, and
// appends the plaintext to dst. If the tag is wrong, it returns an error, and
// anything it has written to dst is zeroed. The ciphertext and the appended output
// must overlap entirely or not at all. Open panics if the nonce has the wrong
// size.
func (c *CCM) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	w := ccmPool.Get().(*ccmWork)
	if err := w.BeginOpen(c, w.gather[:], dst, nonce, ciphertext, data); err != nil {
		ccmPool.Put(w)
		return nil, err
	}
	w.mac()
	whole, err := w.End()
	w.free()
	return whole, err
}

func (w *ccmWork) mac() {
	c, chains := w.c.c, w.c.chains
	for p := w.next(ccmPart); len(p) > 0; p = w.next(ccmPart) {
		if chains == nil {
			c.CBCEncrypt(&w.MAC, w.chain[:len(p)], p)
			w.wrote = true
			continue
		}
		if n := chains.CBCMAC(&w.MAC, p); n < len(p) {
			c.CBCEncrypt(&w.MAC, w.chain[:len(p)-n], p[n:])
			w.wrote = true
		}
		w.both()
	}
}

// both processes blocks of the text with a kernel for counter mode and the MAC, if it is their
// turn.
func (w *ccmWork) both() {
	in := &w.in
	if in.ready > 0 || len(in.data) > 0 || w.done != in.taken {
		return
	}
	for len(in.text) >= blockSize {
		whole := len(in.text) &^ (blockSize - 1)
		n := w.c.chains.CCM(&w.MAC, w.counter.bytes(), w.out[w.done:][:whole], w.src[w.done:][:whole], w.open)
		if n == 0 {
			return
		}
		w.done += n
		in.taken += n
		in.text = in.text[n:]
	}
}

func (w *ccmWork) free() {
	if w.wrote {
		clear(w.chain[:min(w.used, len(w.chain))])
		w.wrote = false
	}
	w.clearGather()
	ccmPool.Put(w)
}

// BuffersToSeal panics in the cases where [CCM.Seal] does. It returns the result, and the part of it that is
// appended.
func (c *CCM) BuffersToSeal(dst, nonce, plaintext, data []byte) (whole, out []byte) {
	check(c.c, c.row)
	c.checkNonce(nonce)
	if c.tooLong(len(plaintext)) {
		panic(c.pkg + ": message too large for CCM")
	}
	whole = Extend(dst, len(plaintext)+c.tagSize)
	out = whole[len(dst):]
	if alias.InexactOverlap(out, plaintext) || alias.AnyOverlap(out, data) {
		panic(c.pkg + ": invalid buffer overlap")
	}
	return whole, out
}

// BuffersToOpen is for [CCM.Open] what BuffersToSeal is for [CCM.Seal]. It returns an error if the key was
// wiped or the length of the ciphertext is impossible.
func (c *CCM) BuffersToOpen(dst, nonce, ciphertext, data []byte) (whole, out []byte, err error) {
	if *c.row == Wiped {
		return nil, nil, errWiped(c.c)
	}
	c.checkNonce(nonce)
	n := len(ciphertext) - c.tagSize
	if n < 0 || c.tooLong(n) {
		return nil, nil, c.errOpen
	}
	whole = Extend(dst, n)
	out = whole[len(dst):]
	if alias.InexactOverlap(out, ciphertext) || alias.AnyOverlap(out, data) {
		panic(c.pkg + ": invalid buffer overlap")
	}
	return whole, out, nil
}

func (c *CCM) checkNonce(nonce []byte) {
	if len(nonce) != c.nonceSize {
		panic(c.pkg + ": incorrect nonce length " + strconv.Itoa(len(nonce)) + " given to CCM, want " + strconv.Itoa(c.nonceSize))
	}
}

// tooLong reports whether the length of a message is too large for the bytes that
// the nonce leaves for it.
func (c *CCM) tooLong(n int) bool { return uint64(n)>>(8*(15-c.nonceSize)) != 0 }

// A CCMLane processes one message in CCM. It splits Seal and Open into steps, for
// callers that compute the MACs of several messages in parallel:
//
//	l.BeginSeal(…) or l.BeginOpen(…)
//	for each part that l.Next() returns:
//		continue CBC encryption over the part; l.MAC is the chaining value
//	l.End()
//
// Dst must not be accessed in between. After End, the lane can be used for another
// message.
type CCMLane struct {
	MAC [blockSize]byte // the last CBC ciphertext block of the parts that Next has returned; first, where it is aligned

	c       *CCM
	in      ccmInput
	counter words
	mask    words  // XORed into the MAC
	first   words  // counter block 0, then a copy of mask: the output of CBC
	whole   []byte // the result of the call
	out     []byte // the output text
	src     []byte // the input text
	tag     []byte // where the tag goes, or the tag to compare with
	done    int    // bytes of src that counter mode has processed
	open    bool
	used    int // at least the length of the longest input of the MAC
}

func (l *CCMLane) mac() *words { return (*words)(unsafe.Pointer(&l.MAC)) }

// BeginSeal starts the work of [CCM.Seal], and panics in the same cases. Parts of
// the MAC's input that are not whole blocks are assembled in gather. Its length is
// a multiple of 16 from 64 bytes to 16 KiB, and it is the same for all messages of
// the lane until [CCMLane.Wipe]. An input that fits into gather is a single part.
func (l *CCMLane) BeginSeal(c *CCM, gather, dst, nonce, plaintext, data []byte) {
	whole, out := c.BuffersToSeal(dst, nonce, plaintext, data)
	out, tag := out[:len(plaintext)], out[len(plaintext):]
	l.c, l.whole, l.out, l.src, l.tag, l.open = c, whole, out, plaintext, tag, false
	l.begin(gather, nonce, plaintext, data)
}

// BeginOpen starts the work of [CCM.Open], and panics in the same cases. Gather is
// as for BeginSeal. BeginOpen returns an error if the key was wiped or the length
// of the ciphertext is impossible; nothing has been started then.
func (l *CCMLane) BeginOpen(c *CCM, gather, dst, nonce, ciphertext, data []byte) error {
	whole, out, err := c.BuffersToOpen(dst, nonce, ciphertext, data)
	if err != nil {
		return err
	}
	ciphertext, tag := ciphertext[:len(out)], ciphertext[len(out):]
	l.c, l.whole, l.out, l.src, l.tag, l.open = c, whole, out, ciphertext, tag, true
	l.begin(gather, nonce, out, data)
	return nil
}

func (l *CCMLane) begin(gather, nonce, text, data []byte) {
	l.used = max(l.used, min(len(data), lanePart)+min(len(text), lanePart)+4*blockSize) // no overflow
	l.done = 0
	*l.mac() = words{}

	// Store the first part of the MAC's input and the counters early: kernels cannot start until
	// these stores are done, and they wait for all earlier instructions.
	low, high := nonceBlock(nonce)
	l.in.begin(gather, low, high, len(nonce), text, data, l.c.tagSize)
	if !l.open {
		l.in.gatherText()
	}

	// Counter block 0 is for the tag (SP 800-38C, A.3). CBC has the fastest kernel
	// for a single block. It comes after what the MAC waits for.
	low |= uint64(14 - len(nonce))
	l.mask = words{}
	l.first.set(low, high)
	l.counter.set(low, high|1<<56)
	if l.open && 0 < len(text) && len(text) <= len(gather) {
		l.crypt(len(text))
	}
	l.c.c.CBCEncrypt(l.mask.bytes(), l.first.bytes()[:], l.first.bytes()[:])
	if l.done > 0 {
		l.in.gatherText()
	}
}

// lanePart is how many bytes of a lane the MAC processes before counter mode has
// its turn: enough not to cut short the calls of a kernel for many lanes, and few
// enough for the caches.
const lanePart = 16 << 10

// Next returns the next part of the MAC's input, which is whole blocks and empty
// at the end. The part is valid until the next call.
func (l *CCMLane) Next() []byte { return l.next(lanePart) }

func (l *CCMLane) next(limit int) []byte {
	n := l.in.taken
	if l.open && (l.c.chains == nil || l.in.wantsText()) {
		n = min(n+limit+blockSize, len(l.out))
	}
	if n > l.done {
		l.crypt(n)
	}
	return l.in.next(limit)
}

// crypt applies counter mode up to byte n of the text. n is a multiple of 16 or
// the length of the text.
func (l *CCMLane) crypt(n int) {
	l.c.c.CTR(l.counter.bytes(), l.out[l.done:n], l.src[l.done:n])
	l.done = n
}

// End returns the results of [CCM.Seal] or [CCM.Open]. The lane retains no
// reference to the buffers.
func (l *CCMLane) End() (whole []byte, err error) {
	l.mac().add(&l.mask)
	whole = l.whole
	switch {
	case !l.open:
		copy(l.tag, l.MAC[:])
	case subtle.ConstantTimeCompare(l.tag, l.MAC[:len(l.tag)]) != 1:
		clear(l.out)
		whole, err = nil, l.c.errOpen
	}
	*l.mac() = words{} // the correct tag would allow a forgery
	l.mask, l.first = words{}, words{}
	l.c, l.whole, l.out, l.src, l.tag = nil, nil, nil, nil, nil
	l.in.data, l.in.text = nil, nil
	return whole, err
}

// Wipe clears any message data left in the lane and in gather.
func (l *CCMLane) Wipe() {
	if l.open { // a panic may have prevented the check of the tag
		clear(l.out)
	}
	l.clearGather()
	*l = CCMLane{}
}

func (l *CCMLane) clearGather() {
	clear(l.in.gather[:min(l.used, len(l.in.gather))])
	l.used = 0
}

// A ccmInput is the input of the MAC (SP 800-38C, A.2): a block with flags,
// nonce and length of the text, the length of the additional data, the data,
// zeros up to a block, the text, zeros up to a block.
type ccmInput struct {
	gather []byte
	ready  int    // bytes in gather that will be the next part
	data   []byte // the rest of the additional data and of the text, without
	text   []byte // the bytes that have been returned or are in gather
	taken  int    // bytes of text that have been returned or are in gather
}

// nonceBlock returns a block whose bytes 1 to 13 begin with a nonce of 7 to 13 bytes and are otherwise 0, as
// two numbers, the first byte of each being its lowest one. So it need not be put together in memory.
func nonceBlock(nonce []byte) (low, high uint64) {
	low = uint64(binary.LittleEndian.Uint32(nonce))<<8 | uint64(binary.LittleEndian.Uint32(nonce[3:]))<<32
	if n := len(nonce); n > 7 {
		high = binary.LittleEndian.Uint64(nonce[n-8:]) >> (8 * (15 - n))
	}
	return low, high
}

// begin starts with the block with flags. low and high are the block of the nonce, of nonceSize bytes.
func (in *ccmInput) begin(gather []byte, low, high uint64, nonceSize int, text, data []byte, tagSize int) {
	in.gather, in.data, in.text, in.taken = gather, data, text, 0
	b := gather[:2*blockSize]
	low, high = firstBlock(low, high, nonceSize, len(text), len(data), tagSize)
	binary.LittleEndian.PutUint64(b, low)
	binary.LittleEndian.PutUint64(b[8:], high)
	in.ready = blockSize
	if len(data) == 0 {
		return
	}
	in.ready += putDataSize(b[blockSize:], uint64(len(data)))
	in.gatherData()
}

// firstBlock returns the block with flags, nonce, and length of the text, as nonceBlock does.
func firstBlock(low, high uint64, nonceSize, textSize, dataSize, tagSize int) (uint64, uint64) {
	low |= uint64(tagSize-2)/2<<3 | uint64(14-nonceSize)
	if dataSize > 0 {
		low |= 1 << 6
	}
	return low, high | bits.ReverseBytes64(uint64(textSize))
}

// FirstBlocks returns the first block of the MAC's input, and counter block 0. The first byte of a number is
// its lowest one.
func (c *CCM) FirstBlocks(nonce []byte, textSize, dataSize int) (low, high, counterLow, counterHigh uint64) {
	low, high = nonceBlock(nonce)
	counterLow, counterHigh = low|uint64(14-len(nonce)), high
	low, high = firstBlock(low, high, len(nonce), textSize, dataSize, c.tagSize)
	return low, high, counterLow, counterHigh
}

// CCMData puts the first additional data with its length into a block of zeros. It returns the rest.
func CCMData(b *[blockSize]byte, data []byte) []byte {
	n := putDataSize(b[:], uint64(len(data)))
	return data[copy(b[n:], data):]
}

// putDataSize encodes the length of additional data, and returns how many bytes that takes
// (SP 800-38C, A.2.2).
func putDataSize(b []byte, n uint64) int {
	switch {
	case n < 0xff00:
		binary.BigEndian.PutUint16(b, uint16(n))
		return 2
	case n <= math.MaxUint32:
		b[0], b[1] = 0xff, 0xfe
		binary.BigEndian.PutUint32(b[2:], uint32(n))
		return 6
	default:
		b[0], b[1] = 0xff, 0xff
		binary.BigEndian.PutUint64(b[2:], n)
		return 10
	}
}

// gatherData adds as much additional data to the next part as there is room for,
// and pads it with zeros if none is left.
func (in *ccmInput) gatherData() {
	n := in.ready + copy(in.gather[in.ready:], in.data)
	if in.data = in.data[n-in.ready:]; len(in.data) == 0 {
		n = in.pad(n)
	}
	in.ready = n
}

// gatherText adds the text to the next part if there is room for all of it.
func (in *ccmInput) gatherText() {
	if len(in.data) == 0 && 0 < len(in.text) && len(in.text) <= len(in.gather)-in.ready {
		n := copy(in.gather[in.ready:], in.text)
		in.ready = in.pad(in.ready + n)
		in.taken += n
		in.text = nil
	}
}

// next returns the next part: whole blocks, at most limit bytes unless they are
// in gather.
func (in *ccmInput) next(limit int) (p []byte) {
	switch {
	case in.ready > 0:
	case len(in.data) >= blockSize:
		p, in.data = cut(in.data, limit)
		return p
	case len(in.data) > 0:
		in.gatherData()
		in.gatherText()
	case len(in.text) >= blockSize:
		p, in.text = cut(in.text, limit)
		in.taken += len(p)
		if len(in.text) < blockSize {
			// The last block is stored now for the reason given in
			// CCMLane.begin.
			in.gatherText()
		}
		return p
	default:
		in.gatherText()
	}
	p, in.ready = in.gather[:in.ready], 0
	return p
}

// wantsText reports whether the next part will have text in it.
func (in *ccmInput) wantsText() bool {
	return in.ready == 0 && (len(in.data) == 0 || len(in.data) < blockSize && len(in.text) <= len(in.gather))
}

// cut splits p after as many whole blocks as there are within limit.
func cut(p []byte, limit int) (blocks, rest []byte) {
	n := min(limit, len(p)) &^ (blockSize - 1)
	return p[:n], p[n:]
}

// pad appends zeros to the first n bytes of gather, up to the end of a block.
func (in *ccmInput) pad(n int) int {
	end := (n + blockSize - 1) &^ (blockSize - 1)
	if p := in.gather[n:]; len(p) >= blockSize {
		clear(p[:blockSize]) // faster than clearing only the bytes needed
	} else {
		clear(in.gather[n:end])
	}
	return end
}

// wipe calls the cipher's Wipe method, if it has one.
func wipe(c Cipher) {
	if w, ok := c.(interface{ Wipe() }); ok {
		w.Wipe()
	}
}
