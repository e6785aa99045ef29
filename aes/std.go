//go:build ppc64le && !purego

package aes

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"reflect"
	"runtime"
	"sync/atomic"

	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/internal/offload"
)

// The driver std is for CPUs whose instructions crypto/aes and crypto/cipher use
// but this package does not. It calls them through interfaces, and hides the buffers
// from escape analysis, which would move every caller's buffers to the heap.
//
// The round keys inside crypto/aes cannot be overwritten. To wipe them is to drop them.

// std is the row of the driver, after those of package aescore, which do not know it.
// Operations are answered here before they reach that package.
const std uint8 = 1

// rows returns the table of drivers.
// Priorities: docs/benchmarks.md, AES on ppc64le.
func rows() []drivers.Info {
	row := drivers.Info{Name: "std", Priority: 200, Timing: "independent of secrets: crypto/aes, with the CPU's instructions"}
	// All CPUs of ppc64le have the instructions, but Go might not use them.
	if !stdHasInstructions() {
		return aescore.Rows()
	}
	return append(aescore.Rows(), row)
}

var stdTraits = aescore.Traits{
	CTRShort: 4 * BlockSize, CTRAhead: ahead,
	GHASH: ghash.Generic, SIVShort: ghash.Generic, SIVLong: ghash.Generic,
	Width: 1,
}

func isStd(row uint8) bool { return row == std }

func traitsOf(row uint8) *aescore.Traits {
	if row == std {
		return &stdTraits
	}
	return aescore.TraitsOf(row)
}

// sivRow returns the driver for the message keys of GCM-SIV. crypto/aes would
// allocate memory for each key.
func sivRow(row uint8) uint8 {
	if row == std {
		return 0
	}
	return row
}

// keys are the round keys, or a cipher of crypto/aes, which has its own.
type keys struct {
	rest   *aescore.Keys // for the other drivers; nil if the plan has none
	std    cipher.Block  // nil if the plan does not have it
	chains atomic.Pointer[stdChains]
	size   int // of the key
}

func (k *keys) core() *aescore.Keys { return k.rest }

func (k *keys) expand(plan drivers.Plan, key []byte) {
	k.size = len(key)
	rest, uses := plan, 0
	for shift := 0; shift < 32; shift += 8 {
		if uint8(plan>>shift) == std {
			rest &^= 0xff << shift // that of the portable driver
			uses++
		}
	}
	if uses > 0 {
		k.expandStd(key)
	}
	if uses == 4 {
		return
	}
	if k.rest == nil {
		k.rest = new(aescore.Keys)
	}
	k.rest.Expand(rest, key)
}

func (k *keys) wipe() {
	if k.rest != nil {
		k.rest.Wipe()
	}
	if k.std != nil {
		k.expandStd(make([]byte, k.size))
	}
}

func (k *keys) rounds() int { return k.size/4 + 6 }

// stdHasInstructions reports whether crypto/aes and its GCM use the CPU's
// instructions. If not, they use tables, at addresses that depend on secrets. That
// is so on systems where Go does not detect the CPU's features, with
// GODEBUG=cpu.aes=off and the like, or in a Go with other implementations.
//
// The fields of Go's objects show which code is in use: the assembly stores round
// keys in a byte order of its own and fills a table of powers of the hash key. If
// an object has other fields, the answer is no.
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

// encryptOne and decryptOne implement [Cipher.Encrypt] and [Cipher.Decrypt] for the
// driver std. crypto/aes checks the arguments. They report whether the driver is std.
func (c *Cipher) encryptOne(dst, src []byte) bool {
	if c.plan.Short() != std {
		return false
	}
	c.keys.std.Encrypt(offload.Hidden(dst), offload.Hidden(src))
	return true
}

func (c *Cipher) decryptOne(dst, src []byte) bool {
	if c.plan.Short() != std {
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

// The methods that return whether they did it report whether the driver is std.

func (k *keys) stdEncrypt(row uint8, dst, src []byte) bool {
	if row != std {
		return false
	}
	block, out, in := k.std, offload.Hidden(dst), offload.Hidden(src)
	for i := 0; i < len(in); i += BlockSize {
		block.Encrypt(out[i:], in[i:])
	}
	return true
}

func (k *keys) stdDecrypt(row uint8, dst, src []byte) bool {
	if row != std {
		return false
	}
	block, out, in := k.std, offload.Hidden(dst), offload.Hidden(src)
	for i := 0; i < len(in); i += BlockSize {
		block.Decrypt(out[i:], in[i:])
	}
	return true
}

// A stdChain is what cipher.NewCBCEncrypter and cipher.NewCBCDecrypter return.
type stdChain interface {
	cipher.BlockMode
	SetIV(iv []byte)
}

// stdChains are the chains of a key. Each contains a copy of the round keys, so they
// are created when first needed and kept for later calls.
type stdChains struct{ encrypter, decrypter stdChain }

// takeChains returns the chains of the key, or new ones if those are in use.
func (k *keys) takeChains() *stdChains {
	if c := k.chains.Swap(nil); c != nil {
		return c
	}
	return new(stdChains)
}

func (k *keys) stdCBCEncrypt(row uint8, iv *[BlockSize]byte, dst, src []byte) bool {
	if row != std {
		return false
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
	return true
}

func (k *keys) stdCBCDecrypt(row uint8, iv *[BlockSize]byte, dst, src []byte) bool {
	if row != std {
		return false
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
	return true
}

// A stdCBC is the part of a CBC mode that is in crypto/cipher. The first call uses
// the chain of the key; from the second call on, the mode has its own.
type stdCBC struct {
	begun bool
	chain stdChain
	at    [BlockSize]byte // the current iv of the chain
}

// ready reports whether a chain can process size bytes, and sets its iv.
func (s *stdCBC) ready(c *Cipher, iv *[BlockSize]byte, size int, decrypt bool) bool {
	row := c.plan.Serial()
	if decrypt {
		row = c.plan.Pick(size)
	}
	if row != std || c.engine != nil || size < BlockSize {
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

// encrypt and decrypt implement CryptBlocks if the mode has its own chain.
// crypto/cipher checks the arguments. They report whether they did it.
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

// stdCTR is counter mode by single blocks, for callers without a stream to continue.
func (k *keys) stdCTR(row uint8, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) bool {
	if row != std {
		return false
	}
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
		k.stdEncrypt(std, blocks, blocks)
		used = subtle.XORBytes(dst, src, blocks)
	}
	if used%BlockSize != 0 {
		copy(rest[used%BlockSize:], stream[used:])
	}
	binary.BigEndian.PutUint64(counter[:], high)
	binary.BigEndian.PutUint64(counter[8:], low)
	clear(stream[:])
	runtime.KeepAlive(&stream)
	return true
}

// stdGCM is GCM for sizes that crypto/cipher does not support.
func (k *keys) stdGCM(row uint8, m *ghash.Message, dst, src []byte, sealing bool) bool {
	if row != std {
		return false
	}
	var stream aescore.GCMStream
	stream.Crypt(func(n int) { k.stdEncrypt(std, stream[:n], stream[:n]) }, m, dst, src, sealing)
	return true
}

// A stdCTR is the part of a CTR stream that is in crypto/cipher.
type stdCTR struct {
	stream cipher.Stream
	at     [BlockSize]byte // the stream's current counter; only used if others may also advance the stream
}

// xor is counter mode for the stream s, whose state it is.
func (state *stdCTR) xor(row uint8, s *ctr, dst, src []byte, rest *[BlockSize]byte) bool {
	if row != std {
		return false
	}
	alone := s.c.engine == nil && s.c.plan.BulkMin() == 0
	if state.stream == nil || !alone && state.at != s.counter {
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
	if alone {
		return true
	}
	high, low := binary.BigEndian.Uint64(s.counter[:]), binary.BigEndian.Uint64(s.counter[8:])
	low, carry := bits.Add64(low, uint64(len(src)+BlockSize-1)/BlockSize, 0)
	binary.BigEndian.PutUint64(s.counter[:], high+carry)
	binary.BigEndian.PutUint64(s.counter[8:], low)
	state.at = s.counter
	return true
}

// A stdGCM is the GCM of crypto/cipher.
type stdGCM struct {
	aead cipher.AEAD // nil for other drivers, and for combinations of sizes that crypto/cipher does not support
}

// init reports whether the plan has the driver std for short messages or for bulk, and
// crypto/cipher supports nonces and tags of these sizes.
func (g *stdGCM) init(plan drivers.Plan, k *keys, nonceSize, tagSize int) bool {
	if plan.Short() != std && plan.Bulk() != std {
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

// serves reports whether to use this GCM. It returns false if the key was wiped.
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
