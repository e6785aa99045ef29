package peers

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"hash"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/emmansun/gmsm/cbcmac"
	gmcipher "github.com/emmansun/gmsm/cipher"
	josecipher "github.com/go-jose/go-jose/v4/cipher"
	"github.com/pion/dtls/v3/pkg/crypto/ccm"
	"golang.org/x/crypto/xts"

	ours "github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/internal/conformance"
)

// anyKey contains the sizes of AES keys.
var anyKey = []int{16, 24, 32}

// forAES runs a test for every driver and these sizes of keys.
func forAES(t *testing.T, keySizes []int, test func(t *testing.T, c aesCase)) {
	for _, d := range ours.Drivers() {
		if !d.Available() {
			continue
		}
		for _, keySize := range keySizes {
			t.Run(fmt.Sprintf("%s/%d", d.Name, 8*keySize), func(t *testing.T) {
				test(t, aesCase{must(ours.On(d.Name))(t), keySize})
			})
		}
	}
}

type aesCase struct {
	driver  ours.Driver
	keySize int
}

// new returns ours and the standard library's cipher with the same new key.
func (c aesCase) new(t *testing.T) (*ours.Cipher, cipher.Block) {
	t.Helper()
	key := random(c.keySize)
	return must(c.driver.New(key))(t), must(aes.NewCipher(key))(t)
}

func same(t *testing.T, got, want []byte, format string, args ...any) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Fatalf(format+": results differ", args...)
	}
}

// aesLengths returns fewer values than lengths, since many modes use them.
func aesLengths() []int {
	var list []int
	if !testing.Short() {
		return slices.DeleteFunc(lengths(), func(n int) bool { return n > 70000 && n != 1<<20 })
	}
	for n := 0; n < 600; n += 1 + n/16 {
		list = append(list, n)
	}
	return append(list, 1420, 4096+13, 65536+16, 65536+33)
}

// counterBefore returns a random counter that wraps around in its low 32, 64
// or 128 bits, in turn, at one of the first 40 blocks, or in none.
func counterBefore(n int) []byte {
	iv := random(16)
	switch n % 4 {
	case 1:
		copy(iv[12:], "\xff\xff\xff\xff")
	case 2:
		copy(iv[8:], "\xff\xff\xff\xff\xff\xff\xff\xff")
	case 3:
		copy(iv, bytes.Repeat([]byte{0xff}, 16))
	}
	iv[15] -= byte(n % 40)
	return iv
}

// streamed puts p through s in pieces of random sizes.
func streamed(s cipher.Stream, p []byte) []byte {
	out := make([]byte, len(p))
	for from := 0; from < len(p); {
		to := from + min(len(p)-from, rand.IntN(1+rand.IntN(2*len(p))))
		s.XORKeyStream(out[from:to], p[from:to])
		from = to
	}
	return out
}

// chained is streamed for whole blocks; it ignores a partial block at the end of p.
func chained(m cipher.BlockMode, p []byte) []byte {
	out := make([]byte, len(p)&^15)
	for from := 0; from < len(out); {
		to := from + min(len(out)-from, 16*rand.IntN(2+len(p)/16))
		m.CryptBlocks(out[from:to], p[from:to])
		from = to
	}
	return out
}

func TestAESBlocks(t *testing.T) {
	forAES(t, anyKey, func(t *testing.T, c aesCase) {
		for _, n := range aesLengths() {
			if n %= 16384; n%16 != 0 {
				continue
			}
			own, std := c.new(t)
			p := random(n)
			want, got := make([]byte, n), make([]byte, n)
			for i := 0; i < n; i += 16 {
				std.Encrypt(want[i:], p[i:])
				own.Encrypt(got[i:], p[i:])
			}
			same(t, got, want, "%d bytes, Encrypt", n)
			own.EncryptBlocks(got, p)
			same(t, got, want, "%d bytes, EncryptBlocks", n)
			own.DecryptBlocks(got, got)
			same(t, got, p, "%d bytes, DecryptBlocks in place", n)
			for i := 0; i < n; i += 16 {
				std.Decrypt(want[i:], p[i:])
				own.Decrypt(got[i:], p[i:])
			}
			same(t, got, want, "%d bytes, Decrypt", n)
		}
	})
}

func TestAESStreams(t *testing.T) {
	forAES(t, anyKey, func(t *testing.T, c aesCase) {
		for _, n := range aesLengths() {
			own, std := c.new(t)
			iv, p := counterBefore(n), random(n)
			same(t, streamed(cipher.NewCTR(own, iv), p), streamed(cipher.NewCTR(std, iv), p), "%d bytes, CTR", n)
			same(t, streamed(own.NewOFB(iv), p), streamed(newOFB(std, iv), p), "%d bytes, OFB", n)
			same(t, streamed(own.NewCFBEncrypter(iv), p), streamed(newCFBEncrypter(std, iv), p), "%d bytes, CFB encryption", n)
			same(t, streamed(own.NewCFBDecrypter(iv), p), streamed(newCFBDecrypter(std, iv), p), "%d bytes, CFB decryption", n)
		}
	})
}

// The standard library deprecates these modes because they are not authenticated,
// but its implementations are still a good reference.
func newOFB(b cipher.Block, iv []byte) cipher.Stream {
	return cipher.NewOFB(b, iv) //lint:ignore SA1019 see above
}

func newCFBEncrypter(b cipher.Block, iv []byte) cipher.Stream {
	return cipher.NewCFBEncrypter(b, iv) //lint:ignore SA1019 see above
}

func newCFBDecrypter(b cipher.Block, iv []byte) cipher.Stream {
	return cipher.NewCFBDecrypter(b, iv) //lint:ignore SA1019 see above
}

func TestAESCBC(t *testing.T) {
	forAES(t, anyKey, func(t *testing.T, c aesCase) {
		for _, n := range aesLengths() {
			own, std := c.new(t)
			iv, p := random(16), random(n)
			same(t, chained(cipher.NewCBCEncrypter(own, iv), p), chained(cipher.NewCBCEncrypter(std, iv), p), "%d bytes, encryption", n)
			same(t, chained(cipher.NewCBCDecrypter(own, iv), p), chained(cipher.NewCBCDecrypter(std, iv), p), "%d bytes, decryption", n)
		}
	})
}

func TestAESGCM(t *testing.T) {
	forAES(t, anyKey, func(t *testing.T, c aesCase) {
		for _, n := range aesLengths() {
			own, std := c.new(t)
			for _, size := range []struct{ nonce, tag int }{{12, 16}, {12, 12 + n%5}, {1 + n%70, 16}} {
				agree(t, newGCM(t, own, size.nonce, size.tag), newGCM(t, std, size.nonce, size.tag), n)
			}
			if n < 5000 { // the standard library has sizes for one of them at a time
				size := max(1, n%17)
				agree(t, must(own.NewGCM(size, 12+n%5))(t), must(conformance.ReferenceGCM(std, size, 12+n%5))(t), n)
			}
			// A nonce after which the counter's 32 bits wrap within the first 40 blocks.
			j0 := [16]byte(random(16))
			binary.BigEndian.PutUint32(j0[12:], -uint32(1+n%40))
			agreeWith(t, newGCM(t, own, 16, 16), newGCM(t, std, 16, 16), conformance.GCMNonce(std, j0), random(n), nil)
		}
	})
}

func newGCM(t *testing.T, b cipher.Block, nonceSize, tagSize int) cipher.AEAD {
	t.Helper()
	if nonceSize == 12 {
		return must(cipher.NewGCMWithTagSize(b, tagSize))(t)
	}
	return must(cipher.NewGCMWithNonceSize(b, nonceSize))(t)
}

// agree compares two AEADs on a random message.
func agree(t *testing.T, own, peer cipher.AEAD, n int) {
	t.Helper()
	agreeWith(t, own, peer, random(own.NonceSize()), random(n), random(n%37))
}

func agreeWith(t *testing.T, own, peer cipher.AEAD, nonce, p, data []byte) {
	t.Helper()
	what := fmt.Sprintf("%d bytes, data %d, nonce %d, overhead %d", len(p), len(data), own.NonceSize(), own.Overhead())
	if own.NonceSize() != peer.NonceSize() || own.Overhead() != peer.Overhead() {
		t.Fatalf("%s: the peer says %d and %d", what, peer.NonceSize(), peer.Overhead())
	}
	want := peer.Seal([]byte("before"), nonce, p, data)
	got := own.Seal([]byte("before"), nonce, p, data)
	same(t, got, want, "%s: Seal", what)
	sealed := got[len("before"):]

	same(t, must(own.Open([]byte("before"), nonce, sealed, data))(t)[len("before"):], p, "%s: Open", what)
	same(t, must(peer.Open(nil, nonce, sealed, data))(t), p, "%s: the peer's Open", what)

	place := append(make([]byte, 0, len(sealed)), p...)
	same(t, own.Seal(place[:0], nonce, place, data), sealed, "%s: Seal in place", what)
	place = bytes.Clone(sealed)
	same(t, must(own.Open(place[:0], nonce, place, data))(t), p, "%s: Open in place", what)

	sealed[rand.IntN(len(sealed))] ^= 1 << rand.IntN(8)
	if _, err := own.Open(nil, nonce, sealed, data); err == nil {
		t.Fatalf("%s: Open takes a forgery", what)
	}
}

func TestAESGCMRandomNonce(t *testing.T) {
	forAES(t, anyKey, func(t *testing.T, c aesCase) {
		key := random(c.keySize)
		own := must(c.driver.NewGCMWithRandomNonce(key))(t)
		std := must(cipher.NewGCMWithRandomNonce(must(aes.NewCipher(key))(t)))(t)
		for _, n := range []int{0, 1, 11, 12, 13, 15, 16, 17, 28, 29, 255, 256, 1420, 4096, 70000} {
			p, data := random(n), random(n%37)
			place := append(make([]byte, 0, n+own.Overhead()), p...)
			for what, sealed := range map[string][]byte{
				"ours": own.Seal(nil, nil, p, data), "ours in place": own.Seal(place[:0], nil, place, data), "std": std.Seal(nil, nil, p, data),
			} {
				same(t, must(own.Open(nil, nil, sealed, data))(t), p, "%d bytes: we open %s", n, what)
				same(t, must(std.Open(nil, nil, sealed, data))(t), p, "%d bytes: std opens %s", n, what)
				same(t, must(own.Open(sealed[:0], nil, sealed, data))(t), p, "%d bytes: we open %s in place", n, what)
			}
		}
	})
}

func TestAESXTS(t *testing.T) {
	forAES(t, []int{16, 32}, func(t *testing.T, c aesCase) {
		key := random(2 * c.keySize)
		data, tweakKey := key[:c.keySize], key[c.keySize:]
		own, whole := must(c.driver.NewXTS(key))(t), must(xts.NewCipher(aes.NewCipher, key))(t)
		for _, n := range aesLengths() {
			if n < 16 {
				continue
			}
			sector := rand.Uint64() >> rand.IntN(64)
			p, got, want := random(n), make([]byte, n), make([]byte, n)
			must(gmcipher.NewXTSEncrypterWithSector(aes.NewCipher, data, tweakKey, sector))(t).CryptBlocks(want, p)
			own.Encrypt(got, p, sector)
			same(t, got, want, "%d bytes, encryption", n)
			own.Decrypt(got, got, sector)
			same(t, got, p, "%d bytes, decryption in place", n)

			// gmsm's framing over our block, which provides the rest of XTS.
			must(gmcipher.NewXTSEncrypterWithSector(c.driver.NewCipher, data, tweakKey, sector))(t).CryptBlocks(got, p)
			same(t, got, want, "%d bytes, encryption by gmsm with our block", n)
			must(gmcipher.NewGBXTSEncrypterWithSector(c.driver.NewCipher, data, tweakKey, sector))(t).CryptBlocks(got, p)
			must(gmcipher.NewGBXTSEncrypterWithSector(aes.NewCipher, data, tweakKey, sector))(t).CryptBlocks(want, p)
			same(t, got, want, "%d bytes, encryption of GB/T 17964 by gmsm with our block", n)
			must(gmcipher.NewGBXTSDecrypterWithSector(c.driver.NewCipher, data, tweakKey, sector))(t).CryptBlocks(got, got)
			same(t, got, p, "%d bytes, decryption of GB/T 17964 by gmsm with our block", n)

			must(gmcipher.NewXTSDecrypterWithSector(aes.NewCipher, data, tweakKey, sector))(t).CryptBlocks(want, p)
			own.Decrypt(got, p, sector)
			same(t, got, want, "%d bytes, decryption", n)

			if n%16 == 0 { // x/crypto does not implement ciphertext stealing
				whole.Encrypt(want, p, sector)
				own.Encrypt(got, p, sector)
				same(t, got, want, "%d bytes, encryption, against x/crypto", n)
				whole.Decrypt(want, p, sector)
				own.Decrypt(got, p, sector)
				same(t, got, want, "%d bytes, decryption, against x/crypto", n)
			}
		}
	})
}

func TestAESCCM(t *testing.T) {
	forAES(t, anyKey, func(t *testing.T, c aesCase) {
		for _, n := range aesLengths() {
			own, std := c.new(t)
			nonceSize, tagSize := 7+n%7, 4+2*(n/3%7)
			if most := 1 << (8 * min(15-nonceSize, 4)); n >= most { // two bytes for the length
				nonceSize = 12
			}
			a := must(own.NewCCM(nonceSize, tagSize))(t)
			agree(t, a, must(ccm.NewCCM(std, tagSize, nonceSize))(t), n)
			if n < 5000 {
				agree(t, a, must(gmcipher.NewCCMWithNonceAndTagSize(std, nonceSize, tagSize))(t), n)
			}
		}
		// For 0xff00 bytes and more, the length of additional data is encoded differently.
		own, std := c.new(t)
		a, b := must(own.NewCCM(13, 8))(t), must(ccm.NewCCM(std, 8, 13))(t)
		for _, n := range []int{1, 13, 14, 15, 30, 31, 0xfeff, 0xff00, 0xff01, 0x10000} {
			agreeWith(t, a, b, random(13), random(40), random(n))
		}
	})
}

func TestAESGCMSIV(t *testing.T) {
	forAES(t, []int{16, 32}, func(t *testing.T, c aesCase) {
		for _, n := range aesLengths() {
			key := random(c.keySize)
			agree(t, must(c.driver.NewGCMSIV(key))(t), must(gmcipher.NewGCMSIV(aes.NewCipher, key))(t), n)
		}
	})
}

// maced puts p through h in pieces of random sizes.
func maced(h hash.Hash, p []byte) []byte {
	h.Reset()
	for len(p) > 0 {
		n := min(len(p), rand.IntN(1+rand.IntN(2*len(p))))
		h.Write(p[:n])
		p = p[n:]
	}
	return h.Sum(nil)
}

func TestAESCMAC(t *testing.T) {
	forAES(t, anyKey, func(t *testing.T, c aesCase) {
		for _, n := range aesLengths() {
			own, std := c.new(t)
			p := random(n)
			// gmsm v0.44.1 is correct only if given one piece: a short last piece is hashed with
			// stale bytes of the buffer.
			same(t, maced(own.NewCMAC(), p), cbcmac.NewCMAC(std, 16).MAC(p), "%d bytes", n)
		}
	})
}

// plainXCBC implements RFC 3566, section 4, on CBC, since no other library has XCBC.
func plainXCBC(t *testing.T, key, p []byte) []byte {
	var derived [3][]byte
	b := must(aes.NewCipher(key))(t)
	for i := range derived {
		derived[i] = bytes.Repeat([]byte{byte(i + 1)}, 16)
		b.Encrypt(derived[i], derived[i])
	}
	last := derived[1]
	if p = bytes.Clone(p); len(p) == 0 || len(p)%16 != 0 {
		p = append(p, 0x80)
		p = append(p, make([]byte, -len(p)&15)...)
		last = derived[2]
	}
	for i := range last {
		p[len(p)-16+i] ^= last[i]
	}
	cipher.NewCBCEncrypter(must(aes.NewCipher(derived[0]))(t), make([]byte, 16)).CryptBlocks(p, p)
	return p[len(p)-16:]
}

func TestAESXCBC(t *testing.T) {
	forAES(t, []int{16}, func(t *testing.T, c aesCase) {
		for _, n := range aesLengths() {
			key, p := random(16), random(n)
			same(t, maced(must(c.driver.NewXCBC(key))(t), p), plainXCBC(t, key, p), "%d bytes", n)
		}
	})
}

// plainCTS implements CBC-CS1 of the Addendum to SP 800-38A on CBC with zero padding: the last
// block but one is truncated to the length of the message.
func plainCTS(std cipher.Block, p, iv []byte, variant int) []byte {
	short := len(p) % 16
	c := append(bytes.Clone(p), make([]byte, -len(p)&15)...)
	cipher.NewCBCEncrypter(std, iv).CryptBlocks(c, c)
	if len(c) == 16 {
		return c
	}
	before, last := c[len(c)-32:len(c)-16], c[len(c)-16:]
	if short != 0 {
		before = before[:short]
	}
	head := c[: len(c)-32 : len(c)-32]
	if variant == 3 || variant == 2 && short != 0 {
		before, last = last, before
	}
	return append(append(head, before...), last...)
}

func TestAESCTS(t *testing.T) {
	forAES(t, anyKey, func(t *testing.T, c aesCase) {
		for _, n := range aesLengths() {
			if n < 16 {
				continue
			}
			own, std := c.new(t)
			p, iv, got := random(n), random(16), make([]byte, n)
			for variant := 1; variant <= 3; variant++ {
				own.EncryptCTS(got, p, iv, variant)
				same(t, got, plainCTS(std, bytes.Clone(p), iv, variant), "%d bytes, CBC-CS%d", n, variant)
				own.DecryptCTS(got, got, iv, variant)
				same(t, got, p, "%d bytes, CBC-CS%d, decryption in place", n, variant)
			}
		}
	})
}

func TestAESKeyWrap(t *testing.T) {
	forAES(t, anyKey, func(t *testing.T, c aesCase) {
		for n := 16; n <= 1024; n += 8 {
			own, std := c.new(t)
			key := random(n)
			wrapped := must(own.WrapKey([]byte("before"), key))(t)[len("before"):]
			same(t, wrapped, must(josecipher.KeyWrap(std, key))(t), "%d bytes", n)
			same(t, must(own.UnwrapKey(nil, wrapped))(t), key, "%d bytes, UnwrapKey", n)
			wrapped[rand.IntN(len(wrapped))] ^= 1 << rand.IntN(8)
			if got, err := own.UnwrapKey(nil, wrapped); err == nil || got != nil {
				t.Fatalf("%d bytes: UnwrapKey takes a forgery", n)
			}
		}
	})
}

// Messages processed together, with different keys, sizes and drivers, give the same
// results as one by one.
func TestAESMany(t *testing.T) {
	var drivers []string
	for _, d := range ours.Drivers() {
		if d.Available() {
			drivers = append(drivers, d.Name)
		}
	}
	for _, count := range []int{0, 1, 2, 7, 8, 9, 15, 16, 17, 33, 100} {
		var (
			std    []cipher.Block
			peers  []cipher.AEAD
			chains []ours.CBCMessage
			macs   []ours.CMACMessage
			sealed []ours.CCMMessage
			opened []ours.CCMMessage
			bad    = rand.IntN(max(count, 1))
		)
		for i := range count {
			d := must(ours.On(drivers[rand.IntN(len(drivers))]))(t)
			own, b := aesCase{d, 16 + 8*rand.IntN(3)}.new(t)
			n := rand.IntN(1 << rand.IntN(18))
			p, nonce, data := random(n), random(12), random(rand.IntN(40))
			peer := must(ccm.NewCCM(b, 8, 12))(t)
			std, peers = append(std, b), append(peers, peer)
			chains = append(chains, ours.CBCMessage{Cipher: own, IV: random(16), Dst: make([]byte, n&^15), Src: p[:n&^15]})
			macs = append(macs, ours.CMACMessage{Cipher: own, Data: p})
			a := must(own.NewCCM(12, 8))(t)
			sealed = append(sealed, ours.CCMMessage{AEAD: a, Nonce: nonce, Text: p, AdditionalData: data})
			foreign := peer.Seal(nil, nonce, p, data)
			if i == bad {
				foreign[rand.IntN(len(foreign))] ^= 1
			}
			opened = append(opened, ours.CCMMessage{AEAD: a, Nonce: nonce, Text: foreign, AdditionalData: data})
		}
		ours.EncryptCBCMany(chains)
		ours.CMACMany(macs)
		ours.SealCCMMany(sealed)
		if err := ours.OpenCCMMany(opened); (err == nil) != (count == 0) {
			t.Fatalf("%d messages, one a forgery: OpenCCMMany returns %v", count, err)
		}
		for i, m := range chains {
			want := make([]byte, len(m.Src))
			cipher.NewCBCEncrypter(std[i], m.IV).CryptBlocks(want, m.Src)
			same(t, m.Dst, want, "%d messages, %d: CBC of %d bytes", count, i, len(want))
		}
		for i, m := range macs {
			same(t, m.Sum[:], cbcmac.NewCMAC(std[i], 16).MAC(m.Data), "%d messages, %d: CMAC of %d bytes", count, i, len(m.Data))
		}
		for i, m := range sealed {
			if m.Err != nil {
				t.Fatalf("%d messages, %d: SealCCMMany: %v", count, i, m.Err)
			}
			same(t, m.Out, peers[i].Seal(nil, m.Nonce, m.Text, m.AdditionalData), "%d messages, %d: CCM of %d bytes", count, i, len(m.Text))
		}
		for i, m := range opened {
			if (m.Err != nil) != (i == bad) {
				t.Fatalf("%d messages, %d, the forgery is %d: OpenCCMMany: %v", count, i, bad, m.Err)
			}
			if i == bad {
				same(t, m.Out, nil, "%d messages, %d: output for a forgery", count, i)
			} else {
				same(t, m.Out, sealed[i].Text, "%d messages, %d: CCM of %d bytes, opened", count, i, len(sealed[i].Text))
			}
		}
	}
}

// Our package panics or returns an error where the standard library does.
func TestAESMisuse(t *testing.T) {
	iv, buffer := random(16), make([]byte, 128)
	type use = func(b cipher.Block) error
	cbc := func(dst, src []byte) use {
		return func(b cipher.Block) error { cipher.NewCBCEncrypter(b, iv).CryptBlocks(dst, src); return nil }
	}
	uncbc := func(dst, src []byte) use {
		return func(b cipher.Block) error { cipher.NewCBCDecrypter(b, iv).CryptBlocks(dst, src); return nil }
	}
	ctr := func(dst, src []byte) use {
		return func(b cipher.Block) error { cipher.NewCTR(b, iv).XORKeyStream(dst, src); return nil }
	}
	gcm := func(nonceSize, tagSize int, f func(a cipher.AEAD) error) use {
		return func(b cipher.Block) error {
			a, err := cipher.NewGCMWithNonceSize(b, nonceSize)
			if tagSize != 16 {
				a, err = cipher.NewGCMWithTagSize(b, tagSize)
			}
			if err != nil {
				return err
			}
			return f(a)
		}
	}
	seal := func(dst, nonce, p, data []byte) use {
		return gcm(12, 16, func(a cipher.AEAD) error { a.Seal(dst, nonce, p, data); return nil })
	}
	open := func(dst, nonce, sealed, data []byte) use {
		return gcm(12, 16, func(a cipher.AEAD) error { _, err := a.Open(dst, nonce, sealed, data); return err })
	}
	nothing := func(cipher.AEAD) error { return nil }
	for name, f := range map[string]use{
		"Encrypt":                   func(b cipher.Block) error { b.Encrypt(buffer[:20], buffer[64:]); return nil },
		"Encrypt, short src":        func(b cipher.Block) error { b.Encrypt(buffer, buffer[64:79]); return nil },
		"Encrypt, short dst":        func(b cipher.Block) error { b.Encrypt(buffer[:15], buffer[64:]); return nil },
		"Encrypt, nil":              func(b cipher.Block) error { b.Encrypt(nil, nil); return nil },
		"Encrypt, in place":         func(b cipher.Block) error { b.Encrypt(buffer, buffer); return nil },
		"Encrypt, overlap":          func(b cipher.Block) error { b.Encrypt(buffer[1:], buffer); return nil },
		"Encrypt, adjacent":         func(b cipher.Block) error { b.Encrypt(buffer[16:], buffer); return nil },
		"Decrypt, short src":        func(b cipher.Block) error { b.Decrypt(buffer, buffer[64:79]); return nil },
		"Decrypt, short dst":        func(b cipher.Block) error { b.Decrypt(buffer[:15], buffer[64:]); return nil },
		"Decrypt, overlap":          func(b cipher.Block) error { b.Decrypt(buffer, buffer[15:]); return nil },
		"CBC, longer dst":           cbc(buffer[:40], buffer[64:80]),
		"CBC, short dst":            cbc(buffer[:31], buffer[64:96]),
		"CBC, not full blocks":      cbc(buffer[:64], buffer[64:80+1]),
		"CBC, empty":                cbc(nil, nil),
		"CBC, overlap":              cbc(buffer[16:64], buffer[:48]),
		"CBC decryption, short dst": uncbc(buffer[:31], buffer[64:96]),
		"CBC decryption, not full":  uncbc(buffer[:64], buffer[64:80+1]),
		"CBC decryption, empty":     uncbc(nil, nil),
		"CBC decryption, overlap":   uncbc(buffer[16:64], buffer[:48]),
		"CBC, short IV":             func(b cipher.Block) error { cipher.NewCBCEncrypter(b, iv[:15]); return nil },
		"CBC decryption, no IV":     func(b cipher.Block) error { cipher.NewCBCDecrypter(b, nil); return nil },
		"CTR, short IV":             func(b cipher.Block) error { cipher.NewCTR(b, iv[:12]); return nil },
		"CTR, longer dst":           ctr(buffer[:60], buffer[64:100]),
		"CTR, short dst":            ctr(buffer[:35], buffer[64:100]),
		"CTR, empty":                ctr(nil, nil),
		"CTR, overlap":              ctr(buffer[1:], buffer[:100]),
		"GCM, no nonce":             gcm(0, 16, nothing),
		"GCM, nonce of 1 byte":      gcm(1, 16, nothing),
		"GCM, tag of 11 bytes":      gcm(12, 11, nothing),
		"GCM, tag of 12 bytes":      gcm(12, 12, nothing),
		"GCM, tag of 17 bytes":      gcm(12, 17, nothing),
		"Seal, all nil":             seal(nil, iv[:12], nil, nil),
		"Seal, short nonce":         seal(nil, iv[:11], nil, nil),
		"Seal, long nonce":          seal(nil, iv[:13], nil, nil),
		"Seal, in place":            seal(buffer[:0], iv[:12], buffer[:60], nil),
		"Seal, overlap":             seal(buffer[:0], iv[:12], buffer[1:60], nil),
		"Seal, overlap behind dst":  seal(buffer[:8], iv[:12], buffer[:60], nil),
		"Seal, data in the way":     seal(buffer[:0], iv[:12], buffer[:60], buffer[30:40]),
		"Seal, data under the tag":  seal(buffer[:0], iv[:12], buffer[:60], buffer[70:80]),
		"Open, short nonce":         open(nil, iv[:11], buffer[:60], nil),
		"Open, nil":                 open(nil, iv[:12], nil, nil),
		"Open, shorter than a tag":  open(nil, iv[:12], buffer[:15], nil),
		"Open, a tag":               open(nil, iv[:12], buffer[:16], nil),
		"Open, overlap":             open(buffer[:0], iv[:12], buffer[1:60], nil),
		"Open, overlap behind dst":  open(buffer[:8], iv[:12], buffer[:60], nil),
		"Open, data in the way":     open(buffer[:0], iv[:12], buffer[:60], buffer[30:40]),
	} {
		outcome := func(b cipher.Block) (result string) {
			defer func() {
				if r := recover(); r != nil {
					result = "a panic"
				}
			}()
			if err := f(b); err != nil {
				return "an error"
			}
			return "nothing"
		}
		want := outcome(must(aes.NewCipher(iv))(t))
		for _, d := range ours.Drivers() {
			if !d.Available() {
				continue
			}
			if got := outcome(must(must(ours.On(d.Name))(t).NewCipher(iv))(t)); got != want {
				t.Errorf("%s: %s: %s, std has %s", d.Name, name, got, want)
			}
		}
	}
	for n := range 40 {
		_, err := ours.NewCipher(make([]byte, n))
		if _, want := aes.NewCipher(make([]byte, n)); (err == nil) != (want == nil) {
			t.Errorf("key of %d bytes: %v, std has %v", n, err, want)
		}
	}
}
