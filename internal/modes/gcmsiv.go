package modes

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"strconv"
	"sync"

	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

const (
	gcmSIVNonceSize = 12
	gcmSIVTagSize   = 16
	gcmSIVMaxSize   = 1 << 36 // of the text, and of the additional data (RFC 8452, section 6)
)

// A Rekeyer is a cipher whose key can be replaced. GCM-SIV derives new keys for
// every nonce.
type Rekeyer interface {
	Cipher
	Rekey(key []byte) // 16 or 32 bytes
	Clear()           // overwrites the key, until there is a new one

	// Counters sets dst to src XOR keystream, for at most 64 KiB in batches of
	// CounterBatch bytes. The keystream of block j is the encryption of starts[m/128],
	// m = first + j, with m%128 XORed into byte 0. first is less than 128, and starts
	// has one element more than there are batches. Counters reports whether the cipher
	// has a kernel for this; if not, or if src is empty, it does nothing else.
	Counters(starts [][blockSize]byte, first int, dst, src []byte) bool
}

// CounterBatch is how many bytes the kernels behind [Rekeyer].Counters process at a
// time.
const (
	CounterBatch  = 128 * blockSize
	counterBlocks = CounterBatch / blockSize
)

// A GCMSIVPool contains scratch memory for GCM-SIV messages. All keys of a driver share
// one pool.
type GCMSIVPool struct {
	New func() Rekeyer

	// Indices of GHASH drivers. Powers of the hash key are computed for every
	// message, and a short message does not need as many.
	Hash      uint8 // for all other messages
	HashLong  uint8 // for messages of at least LongBytes, including the additional data
	LongBytes int   // 0 if Hash is for all messages

	pool sync.Pool
}

// A GCMSIV is a block cipher in the mode of AES-GCM-SIV (RFC 8452). It implements
// [cipher.AEAD] and is safe for concurrent use.
//
// If a nonce repeats, all that is revealed is whether the messages are the same.
// Encryption makes two passes over the message.
type GCMSIV struct {
	private
	c       Cipher // the key-generating key
	row     *uint8 // of c
	keySize int
	pool    *GCMSIVPool
	errOpen error

	short   *GCMSIVPool // for messages of fewer than longMin bytes, including the data
	longMin int
}

var _ cipher.AEAD = (*GCMSIV)(nil)

// NewGCMSIV returns GCM-SIV for c, whose key has keySize bytes.
func NewGCMSIV(c Cipher, keySize int, pool *GCMSIVPool) (*GCMSIV, error) {
	if keySize != 16 && keySize != 32 {
		return nil, errors.New(c.Package() + ": invalid GCM-SIV key size " + strconv.Itoa(keySize) + ", want 16 or 32")
	}
	return &GCMSIV{c: c, row: c.WipeMark(), keySize: keySize, pool: pool, errOpen: errors.New(c.Package() + ": message authentication failed")}, nil
}

// UseBelow sets another pool for messages of fewer than n bytes, including the data.
func (g *GCMSIV) UseBelow(n int, pool *GCMSIVPool) { g.longMin, g.short = n, pool }

// NonceSize returns 12.
func (g *GCMSIV) NonceSize() int { return gcmSIVNonceSize }

// Overhead returns 16, the size of the tag in bytes.
func (g *GCMSIV) Overhead() int { return gcmSIVTagSize }

// Wipe calls the cipher's Wipe method, if it has one. Afterwards Open returns an error
// and Seal panics.
func (g *GCMSIV) Wipe() { wipe(g.c) }

// Seal encrypts plaintext, authenticates it together with data, and appends
// ciphertext and tag to dst. The plaintext and the appended output must overlap
// entirely or not at all. Seal panics if the nonce has the wrong size, or if
// plaintext or data is longer than 2^36 bytes.
func (g *GCMSIV) Seal(dst, nonce, plaintext, data []byte) []byte {
	check(g.c, g.row)
	g.checkNonce(nonce)
	if uint64(len(plaintext)) > gcmSIVMaxSize || uint64(len(data)) > gcmSIVMaxSize {
		panic(g.c.Package() + ": message too large for GCM-SIV")
	}
	whole := Extend(dst, len(plaintext)+gcmSIVTagSize)
	out := whole[len(dst):]
	if alias.InexactOverlap(out, plaintext) || alias.AnyOverlap(out, data) {
		panic(g.c.Package() + ": invalid buffer overlap")
	}
	out, tag := out[:len(plaintext)], out[len(plaintext):]
	w := g.begin(nonce, gcmSIVSize(plaintext, data))
	w.authenticate(nonce, plaintext, data)
	copy(tag, w.tag[:])
	w.crypt(out, plaintext)
	g.free(w)
	return whole
}

// Open checks the tag at the end of ciphertext, which also covers data, and
// appends the plaintext to dst. If the tag is wrong, it returns an error, and
// anything it has written to dst is zeroed. The ciphertext and the appended output
// must overlap entirely or not at all. Open panics if the nonce has the wrong
// size.
func (g *GCMSIV) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	if *g.row == Wiped {
		return nil, errWiped(g.c)
	}
	g.checkNonce(nonce)
	n := len(ciphertext) - gcmSIVTagSize
	if n < 0 || uint64(n) > gcmSIVMaxSize || uint64(len(data)) > gcmSIVMaxSize {
		return nil, g.errOpen
	}
	whole := Extend(dst, n)
	out := whole[len(dst):]
	if alias.InexactOverlap(out, ciphertext) || alias.AnyOverlap(out, data) {
		panic(g.c.Package() + ": invalid buffer overlap")
	}
	ciphertext, tag := ciphertext[:n], ciphertext[n:]
	saved := [gcmSIVNonceSize]byte(nonce) // out may overlap it
	w := g.begin(nonce, gcmSIVSize(ciphertext, data))
	copy(w.tag[:], tag)
	w.crypt(out, ciphertext)
	w.authenticate(saved[:], out, data)
	ok := subtle.ConstantTimeCompare(w.tag[:], tag)
	g.free(w)
	if ok != 1 {
		clear(out)
		return nil, g.errOpen
	}
	return whole, nil
}

// gcmSIVSize returns the total length of a and b, each capped at gcmSIVMost so that the
// sum does not overflow.
func gcmSIVSize(a, b []byte) int { return min(len(a), gcmSIVMost) + min(len(b), gcmSIVMost) }

const gcmSIVMost = 1 << 20 // larger than any size that makes a difference

func (g *GCMSIV) checkNonce(nonce []byte) {
	if len(nonce) != gcmSIVNonceSize {
		panic(g.c.Package() + ": incorrect nonce length " + strconv.Itoa(len(nonce)) + " given to GCM-SIV, want " + strconv.Itoa(gcmSIVNonceSize))
	}
}

const (
	gcmSIVPart   = 2 << 10 // bytes of keystream generated at once
	gcmSIVGather = 1 << 10 // longest message, with its data, that is hashed in one piece
)

// gcmSIVWork is the scratch memory for one message.
type gcmSIVWork struct {
	c        Rekeyer
	pool     *GCMSIVPool // where it belongs
	hash     ghash.Key
	y        [blockSize]byte // the state of POLYVAL
	tag      [blockSize]byte
	part     [gcmSIVPart]byte // keys, input of the hash, keystream
	used     int              // bytes of part that may hold secrets
	counters [gcmSIVPart]byte // counter blocks of the keystream; not secret, as the tag is not
	starts   [gcmSIVPasses + 1][blockSize]byte
}

const gcmSIVPasses = 32 // batches in one call of a kernel: 64 KiB

// begin derives the keys of a nonce (RFC 8452, section 4).
func (g *GCMSIV) begin(nonce []byte, size int) *gcmSIVWork {
	pool := g.pool
	if size < g.longMin {
		pool = g.short
	}
	w, _ := pool.pool.Get().(*gcmSIVWork)
	if w == nil {
		w = &gcmSIVWork{c: pool.New(), pool: pool}
	}
	w.used = min(size+6*blockSize, gcmSIVPart)

	// Only the first half of each block is used.
	derived := w.part[:(2+g.keySize/8)*blockSize]
	for i := 0; i < len(derived); i += blockSize {
		binary.LittleEndian.PutUint32(derived[i:], uint32(i/blockSize))
		copy(derived[i+4:], nonce)
	}
	g.c.EncryptBlocks(derived, derived)
	for i := 1; i < len(derived)/blockSize; i++ {
		binary.NativeEndian.PutUint64(derived[8*i:], binary.NativeEndian.Uint64(derived[blockSize*i:]))
	}
	row := pool.Hash
	if pool.LongBytes > 0 && size >= pool.LongBytes {
		row = pool.HashLong
	}
	clear(w.y[:])
	polyvalKey(&w.tag, derived)
	w.hash.Init(&w.tag, row)
	w.c.Rekey(derived[blockSize:][:g.keySize])
	return w
}

func (g *GCMSIV) free(w *gcmSIVWork) {
	w.c.Clear()
	w.hash.Wipe()
	clear(w.y[:])
	clear(w.tag[:])
	clear(w.part[:w.used])
	w.pool.pool.Put(w)
}

// polyvalKey sets h to the key with which GHASH of byte-reversed blocks is POLYVAL:
// the byte-reversed key of POLYVAL, times x (RFC 8452, appendix A).
func polyvalKey(h *[blockSize]byte, key []byte) {
	lo, hi := binary.LittleEndian.Uint64(key), binary.LittleEndian.Uint64(key[8:])
	// In GHASH's bit order, multiplication by x is a right shift.
	carry := lo & 1
	lo = lo>>1 | hi<<63
	hi = hi>>1 ^ -carry&(0xe1<<56)
	binary.BigEndian.PutUint64(h[:], hi)
	binary.BigEndian.PutUint64(h[8:], lo)
}

// authenticate sets the tag of a plaintext (RFC 8452, section 4).
func (w *gcmSIVWork) authenticate(nonce, plaintext, data []byte) {
	end := w.part[:0]
	if len(plaintext)+len(data) <= gcmSIVGather { // one call of the hash instead of three
		end = padded(append(padded(append(end, data...)), plaintext...))
	} else {
		w.hash.UpdateReversed(&w.y, data)
		w.hash.UpdateReversed(&w.y, plaintext)
	}
	end = binary.LittleEndian.AppendUint64(end, uint64(len(data))*8)
	end = binary.LittleEndian.AppendUint64(end, uint64(len(plaintext))*8)
	w.hash.UpdateReversed(&w.y, end)
	subtle.XORBytes(w.tag[:], w.y[:], nonce)
	copy(w.tag[gcmSIVNonceSize:], w.y[gcmSIVNonceSize:])
	w.tag[blockSize-1] &= 0x7f
	w.c.EncryptBlocks(w.tag[:], w.tag[:])
}

// padded appends zeros up to the end of a block.
func padded(p []byte) []byte {
	return append(p, make([]byte, -len(p)&(blockSize-1))...)
}

// crypt is counter mode, starting from the tag. The counter is the first four bytes
// of the block, and wraps around within them (RFC 8452, section 4).
func (w *gcmSIVWork) crypt(dst, src []byte) {
	lo, hi := binary.LittleEndian.Uint64(w.tag[:]), binary.LittleEndian.Uint64(w.tag[8:])|1<<63
	count, lo := uint32(lo), lo&^(1<<32-1)
	if len(src) >= CounterBatch && w.c.Counters(nil, 0, nil, nil) {
		// Starts are multiples of the blocks in a batch, so adding only sets bits.
		first := count % counterBlocks
		for len(src) >= CounterBatch {
			batches := min(len(src)/CounterBatch, gcmSIVPasses)
			starts := w.starts[:batches+1]
			for i := range starts {
				binary.LittleEndian.PutUint64(starts[i][:], lo|uint64(count-first+uint32(i)*counterBlocks))
				binary.LittleEndian.PutUint64(starts[i][8:], hi)
			}
			n := batches * CounterBatch
			w.c.Counters(starts, int(first), dst[:n], src[:n])
			dst, src, count = dst[n:], src[n:], count+uint32(batches)*counterBlocks
		}
	}
	w.cryptBlocks(dst, src, lo, hi, count)
}

// cryptBlocks is crypt for a counter block of lo, with count in its low 32 bits, and
// hi.
func (w *gcmSIVWork) cryptBlocks(dst, src []byte, lo, hi uint64, count uint32) {
	counters := w.counters[:min(len(src)+blockSize-1, gcmSIVPart)&^(blockSize-1)]
	p := counters
	for ; len(p) >= 4*blockSize; p = p[4*blockSize:] {
		d := (*[4 * blockSize]byte)(p)
		binary.LittleEndian.PutUint64(d[0:], lo|uint64(count))
		binary.LittleEndian.PutUint64(d[8:], hi)
		binary.LittleEndian.PutUint64(d[16:], lo|uint64(count+1))
		binary.LittleEndian.PutUint64(d[24:], hi)
		binary.LittleEndian.PutUint64(d[32:], lo|uint64(count+2))
		binary.LittleEndian.PutUint64(d[40:], hi)
		binary.LittleEndian.PutUint64(d[48:], lo|uint64(count+3))
		binary.LittleEndian.PutUint64(d[56:], hi)
		count += 4
	}
	for ; len(p) >= blockSize; p = p[blockSize:] {
		binary.LittleEndian.PutUint64(p, lo|uint64(count))
		binary.LittleEndian.PutUint64(p[8:], hi)
		count++
	}
	for len(src) > 0 {
		n := min(len(src), gcmSIVPart)
		stream := w.part[:(n+blockSize-1)&^(blockSize-1)]
		w.c.EncryptBlocks(stream, counters[:len(stream)])
		subtle.XORBytes(dst[:n], src[:n], stream)
		if dst, src = dst[n:], src[n:]; len(src) > 0 {
			count = advance(counters, count)
		}
	}
}

// advance writes new counters to the blocks of p, starting with count, and returns
// the next count.
func advance(p []byte, count uint32) uint32 {
	for ; len(p) >= 8*blockSize; p = p[8*blockSize:] { // unrolled to save bounds checks
		d := (*[8 * blockSize]byte)(p)
		binary.LittleEndian.PutUint32(d[0*blockSize:], count)
		binary.LittleEndian.PutUint32(d[1*blockSize:], count+1)
		binary.LittleEndian.PutUint32(d[2*blockSize:], count+2)
		binary.LittleEndian.PutUint32(d[3*blockSize:], count+3)
		binary.LittleEndian.PutUint32(d[4*blockSize:], count+4)
		binary.LittleEndian.PutUint32(d[5*blockSize:], count+5)
		binary.LittleEndian.PutUint32(d[6*blockSize:], count+6)
		binary.LittleEndian.PutUint32(d[7*blockSize:], count+7)
		count += 8
	}
	return count
}
