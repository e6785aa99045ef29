package modes

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
)

// A CCM is a block cipher in Counter with CBC-MAC mode (NIST SP 800-38C, RFC
// 3610). It is a [cipher.AEAD], safe for concurrent use.
//
// A nonce must never be used twice with a key. The nonce and the length of the
// message share 15 bytes: with a nonce of 13 a message has less than 64 KiB,
// with one of 12 less than 16 MiB.
type CCM struct {
	c         Cipher
	nonceSize int
	tagSize   int
	pkg       string
	errOpen   error
}

var _ cipher.AEAD = (*CCM)(nil)

// NewCCM returns CCM with nonces of 7 to 13 bytes and tags of 4, 6, 8, 10, 12,
// 14 or 16.
func NewCCM(c Cipher, nonceSize, tagSize int) (*CCM, error) {
	if c.Wiped() {
		return nil, errWiped(c)
	}
	if tagSize < 4 || tagSize > 16 || tagSize%2 != 0 {
		return nil, fmt.Errorf("%s: invalid CCM tag size %d, want an even number from 4 to 16", c.Package(), tagSize)
	}
	if nonceSize < 7 || nonceSize > 13 {
		return nil, fmt.Errorf("%s: invalid CCM nonce size %d, want 7 to 13", c.Package(), nonceSize)
	}
	pkg := c.Package()
	return &CCM{c, nonceSize, tagSize, pkg, errors.New(pkg + ": message authentication failed")}, nil
}

// NonceSize returns the size of nonces in bytes.
func (c *CCM) NonceSize() int { return c.nonceSize }

// Overhead returns the size of the tag in bytes.
func (c *CCM) Overhead() int { return c.tagSize }

// Cipher returns the cipher that NewCCM was given.
func (c *CCM) Cipher() Cipher { return c.c }

// Wipe wipes the cipher, if that has a method Wipe. Afterwards Open returns an error
// and Seal panics.
func (c *CCM) Wipe() { wipe(c.c) }

// ccmPart is how much goes through the MAC and through counter mode by turns.
// The MAC is a chain of blocks, each waiting for the one before. What counter
// mode does for a part of this size fits into the CPU's window beside the chain
// and takes hardly any time of its own.
const ccmPart = 512

// ccmWork is what a call needs for itself.
type ccmWork struct {
	CCMLane
	gather [256]byte     // parts of the input of the MAC that lie in several places
	chain  [ccmPart]byte // the output of CBC, of which only the last block counts
}

var ccmPool = sync.Pool{New: func() any { return new(ccmWork) }}

// Seal encrypts plaintext, authenticates it together with data, and appends
// ciphertext and tag to dst. Plaintext and the part of dst that is appended to
// must be the same memory or not overlap. It panics if the nonce has the wrong
// size or the plaintext is too long for its size.
func (c *CCM) Seal(dst, nonce, plaintext, data []byte) []byte {
	w := ccmPool.Get().(*ccmWork)
	w.BeginSeal(c, w.gather[:], dst, nonce, plaintext, data)
	w.mac()
	whole, _ := w.End()
	w.free()
	return whole
}

// Open checks the tag at the end of ciphertext, which covers data too, and
// appends the plaintext to dst. If the tag is wrong it returns an error, and
// what it may have written to dst is overwritten with zeros. Ciphertext and
// the part of dst that is appended to must be the same memory or not overlap.
// It panics if the nonce has the wrong size.
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
	c := w.c.c
	for p := w.next(ccmPart); len(p) > 0; p = w.next(ccmPart) {
		c.CBCEncrypt(&w.MAC, w.chain[:len(p)], p)
	}
}

func (w *ccmWork) free() {
	clear(w.chain[:min(w.used, len(w.chain))])
	w.clearGather()
	ccmPool.Put(w)
}

func (c *CCM) checkNonce(nonce []byte) {
	if len(nonce) != c.nonceSize {
		panic(fmt.Sprintf("%s: incorrect nonce length %d given to CCM, want %d", c.pkg, len(nonce), c.nonceSize))
	}
}

// tooLong reports whether the length of a message does not fit into the bytes
// that the nonce leaves for it.
func (c *CCM) tooLong(n int) bool { return uint64(n)>>(8*(15-c.nonceSize)) != 0 }

// A CCMLane is one message on its way through CCM. It is what Seal and Open are
// made of, in steps, for callers that run the MACs of several messages side by
// side:
//
//	l.BeginSeal(…) or l.BeginOpen(…)
//	for each part that l.Next() returns:
//		continue CBC encryption over the part; l.MAC is the chaining value
//	l.End()
//
// Dst must not be touched in between. A lane that has come to its end takes
// another message.
type CCMLane struct {
	MAC [blockSize]byte // the last ciphertext block of what Next has returned

	c       *CCM
	in      ccmInput
	counter [blockSize]byte
	mask    [blockSize]byte // is added to the MAC
	first   [blockSize]byte // the same: where CBC writes it
	whole   []byte          // what the call returns
	out     []byte          // the text at its destination
	src     []byte          // the text before
	tag     []byte          // where the tag goes, or the one to compare with
	done    int             // bytes of src that have gone through counter mode
	open    bool
	used    int // at least the length of the longest input of the MAC
}

// BeginSeal starts what [CCM.Seal] does, with its panics. Parts of the message
// that are not whole blocks are put together in gather: 64 bytes to 16 KiB, a
// multiple of 16, the same for all messages of the lane until [CCMLane.Wipe]. A
// message that fits into it as a whole is one part.
func (l *CCMLane) BeginSeal(c *CCM, gather, dst, nonce, plaintext, data []byte) {
	check(c.c)
	c.checkNonce(nonce)
	if c.tooLong(len(plaintext)) {
		panic(c.pkg + ": message too large for CCM")
	}
	whole, out, tag := SealBuffers(c.pkg, dst, plaintext, data, c.tagSize)
	l.c, l.whole, l.out, l.src, l.tag, l.open = c, whole, out, plaintext, tag, false
	l.begin(gather, nonce, plaintext, data)
}

// BeginOpen starts what [CCM.Open] does, with its panics and with gather as for
// BeginSeal. An error means that the ciphertext cannot be right, and that nothing
// has begun.
func (l *CCMLane) BeginOpen(c *CCM, gather, dst, nonce, ciphertext, data []byte) error {
	if c.c.Wiped() {
		return errWiped(c.c)
	}
	c.checkNonce(nonce)
	n := len(ciphertext) - c.tagSize
	if n < 0 || c.tooLong(n) {
		return c.errOpen
	}
	ciphertext, tag := ciphertext[:n], ciphertext[n:]
	whole, out := OpenBuffers(c.pkg, dst, ciphertext, tag, data)
	l.c, l.whole, l.out, l.src, l.tag, l.open = c, whole, out, ciphertext, tag, true
	l.begin(gather, nonce, out, data)
	return nil
}

func (l *CCMLane) begin(gather, nonce, text, data []byte) {
	l.used = max(l.used, min(len(data), lanePart)+min(len(text), lanePart)+4*blockSize) // no overflow
	l.done = 0
	clear(l.MAC[:])

	// What the MAC begins with comes first: its chain starts when these stores
	// are done, and they wait for all before them.
	l.in.begin(gather, nonce, text, data, l.c.tagSize)
	if !l.open {
		l.in.gatherText()
	}

	// Counter block 0 is for the tag (SP 800-38C, A.3). CBC has the kernel that
	// takes the least time for a block.
	clear(l.counter[:])
	l.counter[0] = byte(15-len(nonce)) - 1
	copy(l.counter[1:], nonce)
	clear(l.mask[:])
	l.c.c.CBCEncrypt(&l.mask, l.first[:], l.counter[:])
	l.counter[blockSize-1] = 1

	if l.open && 0 < len(text) && len(text) <= len(gather) {
		l.crypt(len(text))
		l.in.gatherText()
	}
}

// lanePart is how far a lane goes without counter mode: so far that calls of a
// kernel for many lanes are not cut short by it, and within the caches.
const lanePart = 16 << 10

// Next returns the next part of the MAC's input, whole blocks, and none at the
// end. The caller is done with the part before. The part is valid until the next
// call.
func (l *CCMLane) Next() []byte { return l.next(lanePart) }

func (l *CCMLane) next(limit int) []byte {
	n := l.in.taken
	if l.open {
		n = min(n+limit+blockSize, len(l.out))
	}
	if n > l.done {
		l.crypt(n)
	}
	return l.in.next(limit)
}

// crypt takes the first n bytes of the text through counter mode: a multiple of
// 16, or all.
func (l *CCMLane) crypt(n int) {
	l.c.c.CTR(&l.counter, l.out[l.done:n], l.src[l.done:n])
	l.done = n
}

// End returns what [CCM.Seal] or [CCM.Open] returns. The lane keeps nothing of
// the buffers.
func (l *CCMLane) End() (whole []byte, err error) {
	order := binary.NativeEndian
	order.PutUint64(l.MAC[:8], order.Uint64(l.MAC[:8])^order.Uint64(l.mask[:8]))
	order.PutUint64(l.MAC[8:], order.Uint64(l.MAC[8:])^order.Uint64(l.mask[8:]))
	whole = l.whole
	switch {
	case !l.open:
		copy(l.tag, l.MAC[:])
	case subtle.ConstantTimeCompare(l.tag, l.MAC[:len(l.tag)]) != 1:
		clear(l.out)
		whole, err = nil, l.c.errOpen
	}
	clear(l.MAC[:]) // the right tag, which would make a forgery
	clear(l.mask[:])
	clear(l.first[:])
	l.c, l.whole, l.out, l.src, l.tag = nil, nil, nil, nil, nil
	l.in.data, l.in.text = nil, nil
	return whole, err
}

// Wipe clears what lane and gather may still hold of messages.
func (l *CCMLane) Wipe() {
	if l.open { // and cut short by a panic: nothing says that this is authentic
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
	data   []byte // additional data and text, without what has been returned or
	text   []byte // is in gather
	taken  int    // bytes of text that have been returned or are in gather
}

func (in *ccmInput) begin(gather, nonce, text, data []byte, tagSize int) {
	in.gather, in.data, in.text, in.taken = gather, data, text, 0
	b := gather[:2*blockSize]
	size := 15 - len(nonce) // of the length
	binary.BigEndian.PutUint64(b[8:], uint64(len(text)))
	copy(b[1:], nonce) // over the zeros in front of the length
	b[0] = byte(tagSize-2)/2<<3 | byte(size-1)
	in.ready = blockSize
	if len(data) == 0 {
		return
	}
	b[0] |= 1 << 6
	b = b[blockSize:]
	switch n := uint64(len(data)); {
	case n < 0xff00:
		binary.BigEndian.PutUint16(b, uint16(n))
		in.ready += 2
	case n <= math.MaxUint32:
		b[0], b[1] = 0xff, 0xfe
		binary.BigEndian.PutUint32(b[2:], uint32(n))
		in.ready += 6
	default:
		b[0], b[1] = 0xff, 0xff
		binary.BigEndian.PutUint64(b[2:], n)
		in.ready += 10
	}
	in.gatherData()
}

// gatherData adds additional data to the next part as long as there is room, and
// zeros if these were all.
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
			// The last block is made now, for the reason that is given in
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

// cut cuts p behind as many whole blocks as it has within limit.
func cut(p []byte, limit int) (blocks, rest []byte) {
	n := min(limit, len(p)) &^ (blockSize - 1)
	return p[:n], p[n:]
}

// pad puts zeros behind the first n bytes of gather, up to a block.
func (in *ccmInput) pad(n int) int {
	end := (n + blockSize - 1) &^ (blockSize - 1)
	if p := in.gather[n:]; len(p) >= blockSize {
		clear(p[:blockSize]) // quicker than as many as it takes
	} else {
		clear(in.gather[n:end])
	}
	return end
}

// wipe wipes what has a method for it.
func wipe(c Cipher) {
	if w, ok := c.(interface{ Wipe() }); ok {
		w.Wipe()
	}
}
