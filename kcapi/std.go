package kcapi

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"
)

// The types below implement the interfaces of crypto/cipher, most of whose methods
// return no error. Misuse panics with a string, as in the standard library; a failure
// of Linux panics with an *Error. No method returns with wrong output.

// A Block is a [cipher.Block] that can also process many blocks in one call. It is safe
// for concurrent use. If Linux fails, its methods panic with an [*Error].
type Block struct {
	cipher *Cipher
	size   int
}

var _ cipher.Block = (*Block)(nil)

// NewBlock returns the block cipher of a cipher in ecb mode, such as "ecb(aes)"; for
// other modes the error is [ErrMode]. Every block costs two system calls, so if Linux
// has the mode that you need, open that mode by name instead.
func (c *Cipher) NewBlock() (*Block, error) {
	size, err := c.blockSize()
	if err != nil {
		return nil, err
	}
	if c.mode != ecbMode {
		return nil, c.object.error(ErrMode, "it is not ecb")
	}
	return &Block{c, size}, nil
}

// blockSize returns the block size, or an error if it is not known: misuse could not
// be detected then.
func (c *Cipher) blockSize() (int, *Error) {
	if n := c.object.facts.blockSize; n > 0 {
		return n, nil
	}
	return 0, c.object.error(ErrMode, "/proc/crypto does not tell the size of its blocks")
}

// BlockSize returns the size of blocks in bytes.
func (b *Block) BlockSize() int { return b.size }

// Encrypt encrypts the first block of src into dst.
func (b *Block) Encrypt(dst, src []byte) { b.one(true, dst, src) }

// Decrypt decrypts the first block of src into dst.
func (b *Block) Decrypt(dst, src []byte) { b.one(false, dst, src) }

// EncryptBlocks encrypts all blocks of src into dst.
func (b *Block) EncryptBlocks(dst, src []byte) { b.cipher.blocks(true, dst, src, nil, b.size) }

// DecryptBlocks decrypts all blocks of src into dst.
func (b *Block) DecryptBlocks(dst, src []byte) { b.cipher.blocks(false, dst, src, nil, b.size) }

func (b *Block) one(encrypt bool, dst, src []byte) {
	if len(src) < b.size {
		panic("kcapi: input not full block")
	}
	if len(dst) < b.size {
		panic("kcapi: output not full block")
	}
	b.cipher.blocks(encrypt, dst[:b.size], src[:b.size], nil, b.size)
}

// blocks is like crypt but panics instead of returning an error.
func (c *Cipher) blocks(encrypt bool, dst, src, iv []byte, size int) {
	if len(src)%size != 0 {
		panic("kcapi: input not full blocks")
	}
	checkOutput(dst, src)
	err := c.crypt(encrypt, dst, src, iv, true)
	runtime.KeepAlive(c)
	if err != nil {
		panic(err)
	}
}

const overlap = "kcapi: invalid buffer overlap"

func checkOutput(dst, src []byte) {
	if len(dst) < len(src) {
		panic("kcapi: output smaller than input")
	}
	if inexactOverlap(dst[:len(src)], src) {
		panic(overlap)
	}
}

// A blockMode encrypts or decrypts one message in cbc or ecb mode.
type blockMode struct {
	cipher  *Cipher
	encrypt bool
	size    int
	iv      []byte
}

// NewEncrypter returns a [cipher.BlockMode] that encrypts one message in pieces
// of any number of blocks. It supports cbc and ecb, for which iv must be empty; for
// other modes the error is [ErrMode]. The result also has a method SetIV(iv []byte),
// which starts another message. If Linux fails, CryptBlocks panics with an [*Error]
// and may be called again with the same piece, unless it works in place: a part of the
// piece may have been overwritten then.
func (c *Cipher) NewEncrypter(iv []byte) (cipher.BlockMode, error) { return c.newMode(true, iv) }

// NewDecrypter is the inverse of [Cipher.NewEncrypter], with the same rules.
func (c *Cipher) NewDecrypter(iv []byte) (cipher.BlockMode, error) { return c.newMode(false, iv) }

func (c *Cipher) newMode(encrypt bool, iv []byte) (cipher.BlockMode, error) {
	size, err := c.blockSize()
	if err != nil {
		return nil, err
	}
	if c.mode != cbcMode && c.mode != ecbMode {
		return nil, c.object.error(ErrMode, "it is neither cbc nor ecb")
	}
	if n := c.object.facts.ivSize; len(iv) != n {
		return nil, c.object.sizeError("IV of ", len(iv), n)
	}
	return &blockMode{c, encrypt, size, append([]byte(nil), iv...)}, nil
}

func (m *blockMode) BlockSize() int { return m.size }

func (m *blockMode) CryptBlocks(dst, src []byte) {
	m.cipher.blocks(m.encrypt, dst, src, m.iv, m.size)
}

func (m *blockMode) SetIV(iv []byte) {
	if len(iv) != len(m.iv) {
		panic("kcapi: IV of " + strconv.Itoa(len(iv)) + " bytes, want " + strconv.Itoa(len(m.iv)))
	}
	copy(m.iv, iv)
}

// A stream generates keystream ahead of need: the rest of a block and, for short
// pieces, some more blocks.
type stream struct {
	cipher *Cipher
	block  int
	iv     [maxIV]byte
	size   int    // of the IV
	left   uint64 // blocks until the counter wraps around
	err    error  // of the call that failed
	rest   []byte // unused keystream, at the end of ahead
	ahead  [streamAhead]byte
}

// streamAhead is the length up to which keystream is generated for shorter pieces.
const streamAhead = 256

var zeros [streamAhead]byte

// NewStream returns a [cipher.Stream] for one message in pieces of any size. It
// supports ctr and ChaCha ("chacha20", "xchacha20"), whose IV contains the counter;
// for other modes the error is [ErrMode]. If Linux fails, or if ChaCha's counter
// would wrap around, which it does after 256 GiB when it starts at zero, XORKeyStream
// panics with an [*Error], and so does every later call.
func (c *Cipher) NewStream(iv []byte) (cipher.Stream, error) {
	if !c.object.facts.isKnown() {
		return nil, c.object.error(ErrMode, "/proc/crypto does not tell the size of its IV")
	}
	s := &stream{cipher: c, size: c.object.facts.ivSize, block: chachaBlock}
	at := 0
	switch c.mode {
	case ctrMode:
		s.block = s.size
	case chachaMode:
	case xchachaMode:
		at = 24
	default:
		return nil, c.object.error(ErrMode, "it is neither ctr nor ChaCha")
	}
	if len(iv) != s.size {
		return nil, c.object.sizeError("IV of ", len(iv), s.size)
	}
	copy(s.iv[:], iv)
	if s.left = 1<<32 - uint64(binary.LittleEndian.Uint32(s.iv[at:])); c.mode == ctrMode {
		s.left = math.MaxUint64 // more than anybody can encrypt
	}
	return s, nil
}

// Format prints the name of the algorithm and never the keystream.
func (s *stream) Format(f fmt.State, _ rune) { io.WriteString(f, "stream of "+s.cipher.object.name) }

func (s *stream) XORKeyStream(dst, src []byte) {
	checkOutput(dst, src)
	if s.err != nil {
		panic(s.err)
	}
	n := subtle.XORBytes(dst, src, s.rest)
	clear(s.rest[:n])
	s.rest = s.rest[n:]
	if n == len(src) {
		return
	}
	if s.err = s.xor(dst[n:len(src)], src[n:]); s.err != nil {
		panic(s.err)
	}
}

// xor processes src, which begins at a block boundary. It appends zeros to the last
// part, which become keystream for the following calls.
func (s *stream) xor(dst, src []byte) error {
	b := s.cipher.object
	t, o, err := b.get()
	if err != nil {
		return err
	}
	most := min(chunk, o.limit/s.block*s.block-streamAhead)
	if most <= 0 {
		t.put(o, true)
		return b.error(ErrTooLarge, strconv.Itoa(len(src))+" bytes")
	}
	deadline := b.deadline()
	for len(src) > 0 {
		n := min(most, len(src))
		more := 0
		if n == len(src) {
			more = (s.block - n%s.block) % s.block
			if short := streamAhead/s.block*s.block - n - more; short > 0 && uint64((n+more+short)/s.block) <= s.left {
				more += short
			}
		}
		blocks := uint64((n + more) / s.block)
		if blocks > s.left {
			t.put(o, true)
			return b.error(ErrTooLarge, "the counter is at its end")
		}
		s.rest = s.ahead[len(s.ahead)-more:]
		m := message{
			sends: true, control: true, encrypt: true, iv: s.iv[:s.size], data: src[:n], in: zeros[:more],
			receives: true, head: dst[:n], out: s.rest,
		}
		got, call, errno := o.do(&m, deadline)
		if errno != 0 || got != n+more {
			t.put(o, false)
			if errno != 0 {
				return b.failed(call, errno)
			}
			return b.odd(got, n+more)
		}
		s.cipher.mode.advance(s.iv[:s.size], n+more)
		s.left -= blocks
		src, dst = src[n:], dst[n:]
	}
	t.put(o, true)
	runtime.KeepAlive(s.cipher)
	return nil
}

// A std implements cipher.AEAD.
type std struct{ aead *AEAD }

// NewAEAD returns the AEAD as a [cipher.AEAD], which is safe for concurrent use.
// Nonces have [AEAD.NonceSize] bytes; if that is not known from /proc/crypto, the
// error is [ErrMode]. If Linux fails, the tag is wrong, or the message is larger than
// [AEAD.MaxSize], Open returns an [*Error]. Seal cannot return an error and panics
// with the [*Error] instead.
func (a *AEAD) NewAEAD() (cipher.AEAD, error) {
	if a.NonceSize() < 0 {
		return nil, a.object.error(ErrMode, "/proc/crypto does not tell the size of its nonces")
	}
	return std{a}, nil
}

func (s std) NonceSize() int { return s.aead.NonceSize() }
func (s std) Overhead() int  { return s.aead.Overhead() }

func (s std) Seal(dst, nonce, plaintext, data []byte) []byte {
	s.checkNonce(nonce)
	out, err := s.aead.Seal(dst, nonce, plaintext, data)
	if err != nil {
		checkOverlap(err)
		panic(err)
	}
	return out
}

func (s std) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	s.checkNonce(nonce)
	out, err := s.aead.Open(dst, nonce, ciphertext, data)
	checkOverlap(err)
	return out, err
}

func (s std) checkNonce(nonce []byte) {
	if len(nonce) != s.NonceSize() {
		panic("kcapi: incorrect nonce length given to " + s.aead.object.name)
	}
}

func checkOverlap(err error) {
	if e, ok := err.(*Error); ok && e.Reason == ErrOverlap {
		panic(overlap)
	}
}
