package conformance

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"slices"
	"testing"
)

// The framing of these modes is tested in package modes; here it is tested with the
// kernels of every driver. The expected results are computed once for all drivers,
// because reference ciphers are slow.

// Lengths are those of messages for modes that take them whole and need a block.
func Lengths() (list []int) {
	for n := 16; n < 1200; n++ {
		list = append(list, n)
		if testing.Short() {
			n += 12
		}
	}
	return append(list, 4096, 65536-1, 65536, 65536+17, 200_000)
}

// XTSCipher is XTS under one key.
type XTSCipher interface {
	Encrypt(dst, src []byte, sector uint64)
	Decrypt(dst, src []byte, sector uint64)
	EncryptTweak(dst, src []byte, tweak *[16]byte)
	DecryptTweak(dst, src []byte, tweak *[16]byte)
	Wipe()
}

// An XTSCase describes XTS with a block cipher, and caches the expected results.
type XTSCase struct {
	KeySize   int // of both keys
	Reference func(key []byte) cipher.Block
	Double    func(tweak *[16]byte) // DoubleIEEE, or that of another standard

	key, text []byte
	answers   []xtsAnswer
}

type xtsAnswer struct {
	n                 int
	tweak             [16]byte
	numbered, tweaked []byte
}

// maxXTS is the maximum size of a data unit: 2^20 blocks (NIST SP 800-38E).
const maxXTS = 1 << 24

func (c *XTSCase) prepare(t *testing.T) {
	if c.answers != nil {
		return
	}
	r := newRandom(t)
	c.key, c.text = r.bytes(c.KeySize), r.bytes(200_000)
	for _, n := range Lengths() {
		a := xtsAnswer{n: n, tweak: [16]byte(r.bytes(16))}
		var tweak [16]byte
		binary.LittleEndian.PutUint64(tweak[:], a.sector())
		a.numbered = c.spec(c.text[:n], tweak)
		a.tweaked = c.spec(c.text[:n], a.tweak)
		c.answers = append(c.answers, a)
	}
}

func (a xtsAnswer) sector() uint64 { return uint64(a.n)<<40 | 7 }

// Test is for one driver.
func (c *XTSCase) Test(t *testing.T, new func(key []byte) (XTSCipher, error)) {
	t.Helper()
	c.prepare(t)
	x, buffer := must(new(c.key)), make([]byte, len(c.text))
	for _, a := range c.answers {
		src, got, tweak := c.text[:a.n], buffer[:a.n], a.tweak
		if x.Encrypt(got, src, a.sector()); !bytes.Equal(got, a.numbered) {
			t.Fatalf("Encrypt of %d bytes is wrong", a.n)
		}
		if x.Decrypt(got, got, a.sector()); !bytes.Equal(got, src) {
			t.Fatalf("Decrypt of %d bytes in place is wrong", a.n)
		}
		if x.EncryptTweak(got, src, &tweak); !bytes.Equal(got, a.tweaked) {
			t.Fatalf("EncryptTweak of %d bytes is wrong", a.n)
		}
		if x.DecryptTweak(got, got, &tweak); !bytes.Equal(got, src) {
			t.Fatalf("DecryptTweak of %d bytes is wrong", a.n)
		}
		if tweak != a.tweak {
			t.Fatalf("%d bytes: the tweak has changed", a.n)
		}
	}
	tooLong := make([]byte, maxXTS+1)
	misuse(t, "longer than 16 MiB", tooLong, "Encrypt of 16 MiB and a byte", func() { x.Encrypt(tooLong, tooLong, 1) })
	misuse(t, "longer than 16 MiB", tooLong, "DecryptTweak of 16 MiB and a byte", func() { x.DecryptTweak(tooLong, tooLong, &[16]byte{}) })
	for _, n := range []int{4096, 4096 + 5} {
		NoAllocs(t, "Encrypt", func() { x.Encrypt(buffer[:n], buffer[:n], 1) })
	}
	var tweak [16]byte
	wipe(t, x)
	for _, n := range []int{16, 100, 4096} {
		Refuses(t, buffer, "Encrypt", func() { x.Encrypt(buffer[:n], c.text[:n], 1) })
		Refuses(t, buffer, "Decrypt", func() { x.Decrypt(buffer[:n], c.text[:n], 1) })
		Refuses(t, buffer, "EncryptTweak", func() { x.EncryptTweak(buffer[:n], c.text[:n], &tweak) })
		Refuses(t, buffer, "DecryptTweak", func() { x.DecryptTweak(buffer[:n], c.text[:n], &tweak) })
	}
}

// XTSBlock is a block cipher with XTS from an encrypted tweak.
type XTSBlock interface {
	cipher.Block
	NewXTSEncrypter(encryptedTweak *[16]byte, gb bool) cipher.BlockMode
	NewXTSDecrypter(encryptedTweak *[16]byte, gb bool) cipher.BlockMode
}

// TestMode tests the block cipher of one driver, with whole data units and in pieces.
func (c *XTSCase) TestMode(t *testing.T, gb bool, new func(key []byte) (XTSBlock, error)) {
	t.Helper()
	c.prepare(t)
	half := c.KeySize / 2
	data, second := must(new(c.key[:half])), must(new(c.key[half:]))
	buffer := make([]byte, len(c.text))
	for _, a := range c.answers {
		src, got, tweak := c.text[:a.n], buffer[:a.n], a.tweak
		second.Encrypt(tweak[:], tweak[:])
		before := tweak
		for _, cut := range []int{0, 16, a.n / 2 &^ 15, (a.n - 1) &^ 15} {
			if rest := a.n - cut; rest < 16 && rest > 0 {
				cut -= 16
			}
			m := data.NewXTSEncrypter(&tweak, gb)
			m.CryptBlocks(got, src[:cut])
			if m.CryptBlocks(got[cut:], src[cut:]); !bytes.Equal(got, a.tweaked) {
				t.Fatalf("encrypting %d and %d bytes is wrong", cut, a.n-cut)
			}
			m = data.NewXTSDecrypter(&tweak, gb)
			m.CryptBlocks(got, got[:cut])
			if m.CryptBlocks(got[cut:], got[cut:]); !bytes.Equal(got, src) {
				t.Fatalf("decrypting %d and %d bytes in place is wrong", cut, a.n-cut)
			}
		}
		if tweak != before {
			t.Fatalf("%d bytes: the tweak has changed", a.n)
		}
	}
	m, p := data.NewXTSEncrypter(&[16]byte{}, gb), make([]byte, maxXTS+1)
	head := p[:4096] // what is compared: all of it takes long under an emulator
	misuse(t, "shorter than a block", head, "15 bytes", func() { m.CryptBlocks(p, p[:15]) })
	misuse(t, "output smaller", head, "a short destination", func() { m.CryptBlocks(p[:16], p[:32]) })
	misuse(t, "overlap", head, "an overlap", func() { m.CryptBlocks(p[1:], p[:32]) })
	misuse(t, "longer than 16 MiB", head, "16 MiB and a byte", func() { m.CryptBlocks(p, p) })
	m.CryptBlocks(p, p[:32])
	misuse(t, "longer than 16 MiB", head, "16 MiB in two calls", func() { m.CryptBlocks(p, p[32:]) })
	m.CryptBlocks(p, p[:17])
	misuse(t, "after the end", head, "a block after a part of one", func() { m.CryptBlocks(p, p[:16]) })
	m.CryptBlocks(nil, nil)
	if m = data.NewXTSDecrypter(&[16]byte{}, gb); m.BlockSize() != 16 {
		t.Errorf("blocks of %d bytes", m.BlockSize())
	}
	NoAllocs(t, "CryptBlocks", func() { m.CryptBlocks(p[:32], p[:32]) })
	block := must(new(c.key[:half]))
	modes := []cipher.BlockMode{block.NewXTSEncrypter(&c.answers[0].tweak, gb), block.NewXTSDecrypter(&c.answers[0].tweak, gb)}
	wipe(t, block)
	for _, n := range []int{16, 17, 500} {
		for _, m := range modes {
			Refuses(t, buffer, "CryptBlocks", func() { m.CryptBlocks(buffer[:n], c.text[:n]) })
		}
	}
}

// spec is IEEE 1619, section 5.3, for sectors of whole blocks and others.
func (c *XTSCase) spec(src []byte, tweak [16]byte) (out []byte) {
	half := c.KeySize / 2
	data := c.Reference(c.key[:half])
	c.Reference(c.key[half:]).Encrypt(tweak[:], tweak[:])
	block := func(p []byte) []byte {
		b := make([]byte, 16)
		for i := range b {
			b[i] = p[i] ^ tweak[i]
		}
		data.Encrypt(b, b)
		for i := range b {
			b[i] ^= tweak[i]
		}
		c.Double(&tweak)
		return b
	}
	for ; len(src) >= 16; src = src[16:] {
		out = append(out, block(src)...)
	}
	if n := len(src); n > 0 { // steal from the block before
		last := out[len(out)-16:]
		stolen := block(slices.Concat(src, last[n:]))
		out = append(out[:len(out)-16:len(out)-16], slices.Concat(stolen, last[:n])...)
	}
	return out
}

// DoubleIEEE multiplies by alpha: coefficient 8i+j is bit j of byte i.
func DoubleIEEE(tweak *[16]byte) {
	carry := byte(0)
	for i := range tweak {
		tweak[i], carry = tweak[i]<<1|carry, tweak[i]>>7
	}
	tweak[0] ^= 0x87 * carry
}

// DoubleGB is [DoubleIEEE] where coefficient 8i+j is bit 7-j of byte i (GB/T
// 17964-2021).
func DoubleGB(tweak *[16]byte) {
	carry := byte(0)
	for i := range tweak {
		tweak[i], carry = tweak[i]>>1|carry<<7, tweak[i]&1
	}
	tweak[0] ^= 0xe1 * carry
}

// CTSCipher is a block cipher with ciphertext stealing of three variants.
type CTSCipher interface {
	EncryptCTS(dst, src, iv []byte, variant int)
	DecryptCTS(dst, src, iv []byte, variant int)
	Wipe()
}

// A CTSCase describes ciphertext stealing with a block cipher, and caches the expected
// results.
type CTSCase struct {
	KeySize   int
	Reference func(key []byte) cipher.Block

	key, iv, text []byte
	answers       []ctsAnswer
}

type ctsAnswer struct {
	n, variant int
	want       []byte
}

// Test is for one driver.
func (c *CTSCase) Test(t *testing.T, x func(key []byte) CTSCipher) {
	t.Helper()
	if c.answers == nil {
		r := newRandom(t)
		c.key, c.iv, c.text = r.bytes(c.KeySize), r.bytes(16), r.bytes(200_000)
		b := c.Reference(c.key)
		for _, n := range Lengths() {
			for variant := 1; variant <= 3; variant++ {
				c.answers = append(c.answers, ctsAnswer{n, variant, specCTS(b, c.iv, c.text[:n], variant)})
			}
		}
	}
	b, buffer := x(c.key), make([]byte, len(c.text))
	for _, a := range c.answers {
		src, got := c.text[:a.n], buffer[:a.n]
		if b.EncryptCTS(got, src, c.iv, a.variant); !bytes.Equal(got, a.want) {
			t.Fatalf("EncryptCTS of %d bytes, variant %d", a.n, a.variant)
		}
		if b.DecryptCTS(got, got, c.iv, a.variant); !bytes.Equal(got, src) {
			t.Fatalf("DecryptCTS of %d bytes in place, variant %d", a.n, a.variant)
		}
	}
	wipe(t, b)
	for _, n := range []int{16, 100} {
		Refuses(t, buffer, "EncryptCTS", func() { b.EncryptCTS(buffer[:n], c.text[:n], c.iv, 3) })
		Refuses(t, buffer, "DecryptCTS", func() { b.DecryptCTS(buffer[:n], c.text[:n], c.iv, 3) })
	}
}

// specCTS is CBC-CS3 of the Addendum to NIST SP 800-38A, section 3; the others
// are permutations of it.
func specCTS(b cipher.Block, iv, src []byte, variant int) []byte {
	n := len(src)
	padded := append(slices.Clone(src), make([]byte, -n&15)...)
	cipher.NewCBCEncrypter(b, iv).CryptBlocks(padded, padded)
	if n == 16 {
		return padded
	}
	whole := len(padded) - 32
	last, before := padded[whole+16:], padded[whole : whole+16][:16-(len(padded)-n)]
	if variant == 1 || variant == 2 && n%16 == 0 {
		return slices.Concat(padded[:whole], before, last)
	}
	return slices.Concat(padded[:whole], last, before)
}

// NonceInDestination checks that AEADs with 12-byte nonces open a message whose nonce
// is in the memory that the text is written to.
func NonceInDestination(t *testing.T, list ...cipher.AEAD) {
	t.Helper()
	r := newRandom(t)
	for _, a := range list {
		b, text := r.bytes(100), r.bytes(60)
		sealed := a.Seal(nil, b[:12], text, nil)
		if got, err := a.Open(b[:0], b[:12], sealed, nil); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%T: %v", a, err)
		}
	}
}
