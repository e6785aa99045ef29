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
	block := k.std
	for out, in := offload.Hidden(dst), offload.Hidden(src); len(in) > 0; out, in = out[BlockSize:], in[BlockSize:] {
		block.Encrypt(out, in)
	}
}

func (k *keys) decryptStd(dst, src []byte) {
	block := k.std
	for out, in := offload.Hidden(dst), offload.Hidden(src); len(in) > 0; out, in = out[BlockSize:], in[BlockSize:] {
		block.Decrypt(out, in)
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

// A stdCTR is what a stream has of crypto/cipher, which cannot be told to begin
// elsewhere.
type stdCTR struct {
	stream cipher.Stream
	at     [BlockSize]byte // the counter that it has come to
}

// xor is ctrXOR for a stream.
func (s *ctr) xor(dst, src []byte, rest *[BlockSize]byte) {
	if s.c.row != std {
		ctrXOR(s.c.row, &s.c.keys, &s.counter, dst, src, rest)
		return
	}
	if s.std.stream == nil || s.std.at != s.counter {
		from := offload.HiddenBlock(&s.counter)
		s.std.stream = cipher.NewCTR(s.c.keys.std, from[:])
	}
	whole := len(src) &^ (BlockSize - 1)
	if whole > 0 {
		s.std.stream.XORKeyStream(offload.Hidden(dst[:whole]), offload.Hidden(src[:whole]))
	}
	if whole < len(src) {
		clear(rest[:])
		left := offload.HiddenBlock(rest)
		s.std.stream.XORKeyStream(left[:], left[:])
		subtle.XORBytes(dst[whole:], src[whole:], rest[:])
	}
	high, low := binary.BigEndian.Uint64(s.counter[:]), binary.BigEndian.Uint64(s.counter[8:])
	low, carry := bits.Add64(low, uint64(len(src)+BlockSize-1)/BlockSize, 0)
	binary.BigEndian.PutUint64(s.counter[:], high+carry)
	binary.BigEndian.PutUint64(s.counter[8:], low)
	s.std.at = s.counter
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

// seal and open are for the driver that the key has now: none if it is wiped.
// Buffers have been checked; out has the size of the result.
func (g *stdGCM) seal(row uint8, out, nonce, plaintext, data []byte) bool {
	if row != std || g.aead == nil {
		return false
	}
	g.aead.Seal(offload.Hidden(out)[:0], offload.Hidden(nonce), offload.Hidden(plaintext), offload.Hidden(data))
	return true
}

func (g *stdGCM) open(row uint8, out, nonce, sealed, data []byte) (done, ok bool) {
	if row != std || g.aead == nil {
		return false, false
	}
	_, err := g.aead.Open(offload.Hidden(out)[:0], offload.Hidden(nonce), offload.Hidden(sealed), offload.Hidden(data))
	return true, err == nil
}

func (g *stdGCM) wipe() { g.aead = nil }
