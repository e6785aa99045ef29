//go:build (arm64 || ppc64le) && !purego

package aes

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"reflect"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/internal/offload"
)

// The driver std is for CPUs whose instructions crypto/aes and crypto/cipher use
// and this package does not. It calls them through interfaces, with buffers
// hidden from the compiler, which would move those of every caller to the heap.
//
// What crypto/aes keeps cannot be overwritten: to wipe is to forget it.

// stdHasInstructions reports whether crypto/aes and its GCM use the CPU's
// instructions. If not, they have tables, at addresses that depend on secrets:
// on systems where Go does not look at the CPU, with GODEBUG=cpu.aes=off and the
// like, or in a Go with other implementations.
//
// What Go has chosen shows in its objects. The assembly keeps round keys in an
// order of bytes of its own, and fills a table of powers of the hash key. An
// object of another form means no.
func stdHasInstructions() bool {
	key := []byte("0123456789abcdef")
	block, err := aes.NewCipher(key)
	if err != nil {
		return false
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return false
	}
	_, e := cipher.NewCBCEncrypter(block, key).(stdChain)
	_, d := cipher.NewCBCDecrypter(block, key).(stdChain)
	words, powers := stdField(block, "enc"), stdField(gcm, "productTable")
	return e && d && words.Kind() == reflect.Array && words.Type().Elem().Kind() == reflect.Uint32 &&
		uint32(words.Index(0).Uint()) != binary.BigEndian.Uint32(key) &&
		powers.Kind() == reflect.Array && !powers.IsZero()
}

// stdField returns a field of the struct that object points to, or the zero Value.
func stdField(object any, name string) reflect.Value {
	v := reflect.Indirect(reflect.ValueOf(object))
	if v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return v.FieldByName(name)
}

// encryptOne and decryptOne are [Cipher.Encrypt] and [Cipher.Decrypt], with the
// checks of crypto/aes. They report whether the driver is std.
func (c *Cipher) encryptOne(dst, src []byte) bool {
	if c.row != std {
		return false
	}
	c.keys.std.Encrypt(offload.Hidden(dst), offload.Hidden(src))
	return true
}

func (c *Cipher) decryptOne(dst, src []byte) bool {
	if c.row != std {
		return false
	}
	c.keys.std.Decrypt(offload.Hidden(dst), offload.Hidden(src))
	return true
}

func (k *keys) expandStd(key []byte) {
	block, err := aes.NewCipher(offload.Hidden(key))
	if err != nil {
		panic(err) // its size has been checked
	}
	k.std = block
	k.chains.Store(nil)
}

func (k *keys) wipeStd() {
	if k.std != nil {
		k.expandStd(make([]byte, k.size))
	}
}

func (k *keys) encryptStd(dst, src []byte) {
	block, out, in := k.std, offload.Hidden(dst), offload.Hidden(src)
	for i := 0; i < len(in); i += BlockSize {
		block.Encrypt(out[i:], in[i:])
	}
}

func (k *keys) decryptStd(dst, src []byte) {
	block, out, in := k.std, offload.Hidden(dst), offload.Hidden(src)
	for i := 0; i < len(in); i += BlockSize {
		block.Decrypt(out[i:], in[i:])
	}
}

// A stdChain is what cipher.NewCBCEncrypter and cipher.NewCBCDecrypter return.
type stdChain interface {
	cipher.BlockMode
	SetIV(iv []byte)
}

// stdChains are those of a key. Each has a copy of the round keys, so they are
// made when first wanted, and kept for the next call.
type stdChains struct{ encrypter, decrypter stdChain }

// takeChains returns the chains of the key, or others if they are in use.
func (k *keys) takeChains() *stdChains {
	if c := k.chains.Swap(nil); c != nil {
		return c
	}
	return new(stdChains)
}

func (k *keys) cbcEncryptStd(iv *[BlockSize]byte, dst, src []byte) {
	if len(src) == 0 {
		return
	}
	hiddenIV := offload.HiddenBlock(iv)
	c := k.takeChains()
	if c.encrypter == nil {
		c.encrypter = cipher.NewCBCEncrypter(k.std, hiddenIV[:]).(stdChain)
	} else {
		c.encrypter.SetIV(hiddenIV[:])
	}
	c.encrypter.CryptBlocks(offload.Hidden(dst), offload.Hidden(src))
	k.chains.Store(c)
	*iv = [BlockSize]byte(dst[len(src)-BlockSize:])
}

func (k *keys) cbcDecryptStd(iv *[BlockSize]byte, dst, src []byte) {
	if len(src) == 0 {
		return
	}
	hiddenIV := offload.HiddenBlock(iv)
	last := [BlockSize]byte(src[len(src)-BlockSize:])
	c := k.takeChains()
	if c.decrypter == nil {
		c.decrypter = cipher.NewCBCDecrypter(k.std, hiddenIV[:]).(stdChain)
	} else {
		c.decrypter.SetIV(hiddenIV[:])
	}
	c.decrypter.CryptBlocks(offload.Hidden(dst), offload.Hidden(src))
	k.chains.Store(c)
	*iv = last
}

// A stdCBC is what a block mode has of crypto/cipher: a chain of its own, from its
// second call on. Before, that of the key serves.
type stdCBC struct {
	begun bool
	chain stdChain
	at    [BlockSize]byte // the iv that the chain has come to
}

// ready reports whether there is a chain to process so many bytes, and sets its iv.
func (s *stdCBC) ready(c *Cipher, iv *[BlockSize]byte, size int, decrypt bool) bool {
	if c.row != std || c.engine != nil || size < BlockSize {
		return false
	}
	hiddenIV := offload.HiddenBlock(iv)
	switch {
	case !s.begun:
		s.begun = true
		return false
	case s.chain == nil && decrypt:
		s.chain = cipher.NewCBCDecrypter(c.keys.std, hiddenIV[:]).(stdChain)
	case s.chain == nil:
		s.chain = cipher.NewCBCEncrypter(c.keys.std, hiddenIV[:]).(stdChain)
	case s.at != *iv:
		s.chain.SetIV(hiddenIV[:])
	}
	return true
}

// encrypt and decrypt are CryptBlocks, with the checks of crypto/cipher. They report
// whether they have done it.
func (s *stdCBC) encrypt(c *Cipher, iv *[BlockSize]byte, dst, src []byte) bool {
	if !s.ready(c, iv, len(src), false) {
		return false
	}
	s.chain.CryptBlocks(offload.Hidden(dst), offload.Hidden(src))
	*iv = [BlockSize]byte(dst[len(src)-BlockSize:])
	s.at = *iv
	return true
}

func (s *stdCBC) decrypt(c *Cipher, iv *[BlockSize]byte, dst, src []byte) bool {
	if !s.ready(c, iv, len(src), true) {
		return false
	}
	last := [BlockSize]byte(src[len(src)-BlockSize:])
	s.chain.CryptBlocks(offload.Hidden(dst), offload.Hidden(src))
	*iv, s.at = last, last
	return true
}

// ctrStd is counter mode block by block, where there is no stream to continue.
func (k *keys) ctrStd(counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	var stream [8 * BlockSize]byte
	high, low := binary.BigEndian.Uint64(counter[:]), binary.BigEndian.Uint64(counter[8:])
	used := 0
	for ; len(src) > 0; dst, src = dst[used:], src[used:] {
		blocks := stream[:min(len(stream), (len(src)+BlockSize-1)&^(BlockSize-1))]
		for i := 0; i < len(blocks); i += BlockSize {
			binary.BigEndian.PutUint64(blocks[i:], high)
			binary.BigEndian.PutUint64(blocks[i+8:], low)
			if low++; low == 0 {
				high++
			}
		}
		k.encryptStd(blocks, blocks)
		used = subtle.XORBytes(dst, src, blocks)
	}
	if used%BlockSize != 0 {
		copy(rest[used%BlockSize:], stream[used:])
	}
	binary.BigEndian.PutUint64(counter[:], high)
	binary.BigEndian.PutUint64(counter[8:], low)
	clear(stream[:])
	runtime.KeepAlive(&stream)
}

// A stdCTR is what a stream has of crypto/cipher.
type stdCTR struct {
	stream cipher.Stream
	at     [BlockSize]byte // the counter that it has come to, if Linux can take the stream further
}

// xor is ctrXOR for a stream.
func (s *ctr) xor(dst, src []byte, rest *[BlockSize]byte) {
	state := &s.std
	if s.c.row != std {
		ctrXOR(s.c.row, &s.c.keys, &s.counter, dst, src, rest)
		return
	}
	if state.stream == nil || s.c.engine != nil && state.at != s.counter {
		from := offload.HiddenBlock(&s.counter)
		state.stream = cipher.NewCTR(s.c.keys.std, from[:])
	}
	whole := len(src) &^ (BlockSize - 1)
	if whole > 0 {
		state.stream.XORKeyStream(offload.Hidden(dst[:whole]), offload.Hidden(src[:whole]))
	}
	if whole < len(src) {
		clear(rest[:])
		left := offload.HiddenBlock(rest)
		state.stream.XORKeyStream(left[:], left[:])
		subtle.XORBytes(dst[whole:], src[whole:], rest[:])
	}
	if s.c.engine == nil {
		return
	}
	high, low := binary.BigEndian.Uint64(s.counter[:]), binary.BigEndian.Uint64(s.counter[8:])
	low, carry := bits.Add64(low, uint64(len(src)+BlockSize-1)/BlockSize, 0)
	binary.BigEndian.PutUint64(s.counter[:], high+carry)
	binary.BigEndian.PutUint64(s.counter[8:], low)
	state.at = s.counter
}

// A stdGCM is GCM of crypto/cipher.
type stdGCM struct {
	aead cipher.AEAD // nil for other drivers, and for sizes that crypto/cipher does not have together
}

// init reports whether crypto/cipher has GCM with nonces and tags of these sizes.
func (g *stdGCM) init(row uint8, k *keys, nonceSize, tagSize int) bool {
	if row != std {
		return false
	}
	var err error
	switch {
	case tagSize == modes.GCMTagSize:
		g.aead, err = cipher.NewGCMWithNonceSize(k.std, nonceSize)
	case nonceSize == modes.GCMNonceSize:
		g.aead, err = cipher.NewGCMWithTagSize(k.std, tagSize)
	}
	return g.aead != nil && err == nil
}

// serves reports whether to use this GCM: not if the key of that driver is wiped.
func (g *stdGCM) serves(row uint8) bool { return row == std && g.aead != nil }

func (g *stdGCM) seal(dst, nonce, plaintext, data []byte) []byte {
	return g.aead.Seal(offload.Hidden(dst), offload.Hidden(nonce), offload.Hidden(plaintext), offload.Hidden(data))
}

func (g *stdGCM) open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	out, err := g.aead.Open(offload.Hidden(dst), offload.Hidden(nonce), offload.Hidden(ciphertext), offload.Hidden(data))
	if err != nil {
		return nil, errOpen
	}
	return out, nil
}

func (g *stdGCM) wipe() { g.aead = nil }
