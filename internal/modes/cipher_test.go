package modes_test

import (
	"crypto/aes"
	"crypto/cipher"
	"sync"
	"testing"

	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// plain is AES of the standard library as a modes.Cipher, one block after the
// other. Unlike others it checks what it is given.
type plain struct {
	cipher.Block
	row uint8
}

var _ modes.Cipher = (*plain)(nil)

func newPlain(key []byte) *plain {
	b, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	return &plain{Block: b}
}

func (c *plain) Package() string { return "plain" }

func (c *plain) Wipe()            { c.row = modes.Wiped }
func (c *plain) WipeMark() *uint8 { return &c.row }

func (c *plain) Encrypt(dst, src []byte) { c.block().Encrypt(dst, src) }
func (c *plain) Decrypt(dst, src []byte) { c.block().Decrypt(dst, src) }

func (c *plain) block() cipher.Block {
	if c.row == modes.Wiped {
		panic("plain: use of a wiped key")
	}
	return c.Block
}

func (c *plain) EncryptBlocks(dst, src []byte) {
	checkBlocks(dst, src)
	for i := 0; i < len(src); i += 16 {
		c.Encrypt(dst[i:], src[i:])
	}
}

func (c *plain) DecryptBlocks(dst, src []byte) {
	checkBlocks(dst, src)
	for i := 0; i < len(src); i += 16 {
		c.Decrypt(dst[i:], src[i:])
	}
}

func (c *plain) CBCEncrypt(iv *[16]byte, dst, src []byte) {
	checkBlocks(dst, src)
	checkState(iv, dst, src)
	for i := 0; i < len(src); i += 16 {
		for j := range iv {
			iv[j] ^= src[i+j]
		}
		c.Encrypt(iv[:], iv[:])
		copy(dst[i:], iv[:])
	}
}

func (c *plain) CBCDecrypt(iv *[16]byte, dst, src []byte) {
	checkBlocks(dst, src)
	checkState(iv, dst, src)
	for i := 0; i < len(src); i += 16 {
		next := [16]byte(src[i:])
		c.Decrypt(dst[i:], src[i:])
		for j := range iv {
			dst[i+j] ^= iv[j]
		}
		*iv = next
	}
}

// CFBDecrypt takes two blocks of three.
func (c *plain) CFBDecrypt(iv *[16]byte, dst, src []byte) int {
	checkBlocks(dst, src)
	checkState(iv, dst, src)
	n := len(src) / 48 * 32
	for i := 0; i < n; i += 16 {
		next := [16]byte(src[i:])
		c.Encrypt(iv[:], iv[:])
		for j, v := range iv {
			dst[i+j] = next[j] ^ v
		}
		*iv = next
	}
	return n
}

// chained is a plain cipher with kernels for chains, which take two blocks of three.
type chained struct{ *plain }

var _ modes.Chains = chained{}

type wiper interface {
	modes.Cipher
	Wipe()
}

// eachCipher runs f with ciphers that have kernels for chains and with those that have not.
func eachCipher(t *testing.T, name string, f func(t *testing.T, newCipher func(key []byte) wiper)) {
	t.Run(name, func(t *testing.T) { f(t, func(key []byte) wiper { return newPlain(key) }) })
	t.Run(name+", chains", func(t *testing.T) { f(t, func(key []byte) wiper { return chained{newPlain(key)} }) })
}

func (chained) ChainsCFB() bool { return true }
func (chained) ChainsMAC() bool { return true }

func (c chained) CBCMAC(mac *[16]byte, src []byte) int {
	n := len(src) / 48 * 32
	c.chain(mac, src[:n])
	return n
}

func (c chained) chain(mac *[16]byte, src []byte) {
	for i, v := range src {
		if mac[i%16] ^= v; i%16 == 15 {
			c.Encrypt(mac[:], mac[:])
		}
	}
}

func (c chained) CFBEncrypt(iv *[16]byte, dst, src []byte) int {
	checkBlocks(dst, src)
	checkState(iv, dst, src)
	n := len(src) / 48 * 32
	for i := 0; i < n; i += 16 {
		c.Encrypt(iv[:], iv[:])
		for j, v := range src[i : i+16] {
			iv[j] ^= v
		}
		copy(dst[i:], iv[:])
	}
	return n
}

func (c chained) CCM(mac, counter *[16]byte, dst, src []byte, decrypt bool) int {
	checkBlocks(dst, src)
	n := len(src) / 48 * 32
	if !decrypt {
		c.chain(mac, src[:n])
	}
	c.CTR(counter, dst[:n], src[:n])
	if decrypt {
		c.chain(mac, dst[:n])
	}
	return n
}

var streams = sync.Pool{New: func() any { return new([16]byte) }}

func (c *plain) CTR(counter *[16]byte, dst, src []byte) {
	checkBuffers(dst, src)
	checkState(counter, dst, src)
	stream := streams.Get().(*[16]byte)
	defer streams.Put(stream)
	for i := range src {
		if i%16 == 0 {
			c.Encrypt(stream[:], counter[:])
			for j := 15; j >= 0; j-- {
				counter[j]++
				if counter[j] != 0 {
					break
				}
			}
		}
		dst[i] = src[i] ^ stream[i%16]
	}
}

func (c *plain) XTS(tweak *[16]byte, dst, src []byte, decrypt bool) {
	checkBlocks(dst, src)
	checkState(tweak, dst, src)
	modes.XTSBlocks(c, tweak, dst, src, decrypt, false)
}

func checkBuffers(dst, src []byte) {
	if len(dst) != len(src) {
		panic("a cipher was given buffers of different lengths")
	}
	if alias.InexactOverlap(dst, src) {
		panic("a cipher was given buffers that overlap")
	}
}

func checkBlocks(dst, src []byte) {
	checkBuffers(dst, src)
	if len(src)%16 != 0 {
		panic("a cipher was given a partial block")
	}
}

func checkState(state *[16]byte, dst, src []byte) {
	if alias.AnyOverlap(state[:], dst) || alias.AnyOverlap(state[:], src) {
		panic("a cipher was given buffers that overlap its IV")
	}
}
