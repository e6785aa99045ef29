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

// What follows has the interfaces of crypto/cipher, which know no errors. Misuse
// panics as in the standard library, with a text; a failure of Linux's panics
// with an *Error. Nothing returns with wrong output.

// A Block is a [cipher.Block] that also takes many blocks in one call. It is safe
// for concurrent use. If Linux fails, its methods panic with an [*Error].
type Block struct {
	cipher *Cipher
	size   int
}

var _ cipher.Block = (*Block)(nil)

// NewBlock returns the block cipher of a cipher in the mode ecb, such as
// "ecb(aes)"; in others the error is [ErrMode]. Every block costs two system calls,
// so that a mode which Linux has is better asked for by its name.
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

// blockSize returns the size of blocks, without which there is no telling what
// is misuse.
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

// blocks is crypt with panics in place of errors.
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

// A blockMode is one direction of a message in the mode cbc or ecb.
type blockMode struct {
	cipher  *Cipher
	encrypt bool
	size    int
	iv      []byte
}

// NewEncrypter returns a [cipher.BlockMode] that encrypts one message in pieces
// of any number of blocks. The modes are cbc and ecb, which has no iv; in others
// the error is [ErrMode]. It also has a method SetIV(iv []byte), which begins
// another message. If Linux fails, CryptBlocks panics with an [*Error], and may be
// called again with the same piece, unless that was to be encrypted in place: a part of
// it may be, then.
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

// A stream makes keystream ahead of what was asked for: the rest of a block and,
// for short pieces, some blocks more.
type stream struct {
	cipher *Cipher
	block  int
	iv     [maxIV]byte
	size   int    // of the IV
	left   uint64 // blocks until the counter ends
	err    error  // of the call that failed
	rest   []byte // keystream that was not used, at the end of ahead
	ahead  [streamAhead]byte
}

// streamAhead is what pieces are brought up to if they are shorter.
const streamAhead = 256

var zeros [streamAhead]byte

// NewStream returns a [cipher.Stream] for one message in pieces of any size. The
// modes are ctr and ChaCha ("chacha20", "xchacha20"), of whose IV a part is the
// counter; in others the error is [ErrMode]. If Linux fails, XORKeyStream panics
// with an [*Error], and so it does at the end of ChaCha's counter, after 256 GiB;
// afterwards it only panics.
func (c *Cipher) NewStream(iv []byte) (cipher.Stream, error) {
	if !c.object.facts.known() {
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
		s.left = math.MaxUint64 // as long as anybody waits
	}
	return s, nil
}

// Format shows no keystream.
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

// xor is for what begins with a block. The last piece is followed by zeros, which
// become keystream.
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

// A std is an AEAD without errors.
type std struct{ aead *AEAD }

// NewAEAD returns the AEAD as a [cipher.AEAD], which is safe for concurrent use.
// Nonces have [AEAD.NonceSize] bytes; if /proc/crypto does not tell it, the error
// is [ErrMode]. If Linux fails, Open returns an [*Error], and so it does for a tag that
// is wrong, but Seal, which cannot, panics with it; also if a message is larger
// than [AEAD.MaxSize].
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
