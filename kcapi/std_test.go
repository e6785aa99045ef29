//go:build linux && !nokernel

package kcapi_test

import (
	"bytes"
	stdaes "crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	gohash "hash"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/chacha20poly1305"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/kcapi"
	"github.com/cipherlane/cipherlane/sm3"
	"github.com/cipherlane/cipherlane/sm4"
)

// Linux's algorithms behind Go's interfaces pass the same test suites as the other packages
// of this module. Errors become panics here, with the words that the suites expect.

func answer(t *testing.T, name string) catalog.Answer {
	a, ok := catalog.Find(name)
	if !ok {
		t.Fatalf("%s is not in the catalog", name)
	}
	return a.Answer
}

func vectors(t *testing.T, name string) []conformance.Vector {
	a := answer(t, name)
	return []conformance.Vector{{Key: a.Key, IV: a.IV, Plaintext: a.Input, Ciphertext: a.Output}}
}

func unhex(s string) []byte { return check(hex.DecodeString(s)) }

// A keyed opens an object for every key that a suite uses, and caches the last one: the
// suites make thousands of objects with the same key.
type keyed[T interface{ Close() error }] struct {
	open func(key []byte) (T, error)
	key  string
	last T
	any  bool
}

func (k *keyed[T]) get(key []byte) (T, error) {
	if k.any && k.key == string(key) {
		return k.last, nil
	}
	object, err := k.open(key)
	if err == nil {
		k.last, k.key, k.any = object, string(key), true
	}
	return object, err
}

func keyedCipher(name string) *keyed[*kcapi.Cipher] {
	return &keyed[*kcapi.Cipher]{open: func(key []byte) (*kcapi.Cipher, error) { return kcapi.OpenCipher(name, kcapi.Bytes(key)) }}
}

func TestHashInterface(t *testing.T) {
	for _, c := range []struct {
		name, abc string
		new       func() gohash.Hash
	}{
		{"sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", sha256.New},
		{"sm3", "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0", sm3.New},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := hash(t, c.name)
			conformance.Hash(t, conformance.HashCase{
				New: h.NewHash, Reference: c.new, Opaque: true,
				Vectors: []conformance.HashVector{{Message: []byte("abc"), Digest: unhex(c.abc)}},
			})
		})
	}
}

func TestMACInterface(t *testing.T) {
	for _, c := range []struct {
		name   string
		vector conformance.MACVector
		new    func(key []byte) gohash.Hash
	}{
		{"hmac(sha256)", conformance.MACVector{ // RFC 4231, 4.2
			Key: bytes.Repeat([]byte{0x0b}, 20), Message: []byte("Hi There"),
			Tag: unhex("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
		}, func(key []byte) gohash.Hash { return hmac.New(sha256.New, key) }},
		{"cmac(aes)", conformance.MACVector{
			Key: answer(t, "cmac(aes)").Key, Message: answer(t, "cmac(aes)").Input, Tag: answer(t, "cmac(aes)").Output,
		}, func(key []byte) gohash.Hash { return check(aes.New(key)).NewCMAC() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			mac(t, c.name, c.vector.Key) // or skip
			k := &keyed[*kcapi.Hash]{open: func(key []byte) (*kcapi.Hash, error) { return kcapi.OpenMAC(c.name, kcapi.Bytes(key)) }}
			conformance.MAC(t, conformance.MACCase{
				NoWipe:  true, // a key of Linux has Close
				KeySize: len(c.vector.Key), Reference: c.new, Vectors: []conformance.MACVector{c.vector},
				New: func(key []byte) gohash.Hash { return check(k.get(key)).NewHash() },
			})
		})
	}
}

func TestBlockInterface(t *testing.T) {
	for _, c := range []struct {
		name string
		new  func(key []byte) (cipher.Block, error)
	}{
		{"ecb(aes)", stdaes.NewCipher},
		{"ecb(sm4)", sm4.NewCipher},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.name != "ecb(aes)" {
				t.Skip("the longest of these, with one block at a time")
			}
			v := vectors(t, c.name)
			ciph(t, c.name, v[0].Key)
			k := keyedCipher(c.name)
			conformance.Block(t, conformance.BlockCase{
				NoWipe:  true, // a key of Linux has Close
				KeySize: len(v[0].Key), Reference: c.new, Vectors: v,
				New: func(key []byte) (conformance.BlockCipher, error) {
					c, err := k.get(key)
					if err != nil {
						return nil, err
					}
					return c.NewBlock()
				},
			})
		})
	}
}

func TestBlockModeInterface(t *testing.T) {
	for _, c := range []struct {
		name string
		new  func(key []byte) (cipher.Block, error)
	}{
		{"cbc(aes)", stdaes.NewCipher},
		{"cbc(sm4)", sm4.NewCipher},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := vectors(t, c.name)
			ciph(t, c.name, v[0].Key)
			k := keyedCipher(c.name)
			mode := func(f func(c *kcapi.Cipher, iv []byte) (cipher.BlockMode, error)) func(key, iv []byte) cipher.BlockMode {
				return func(key, iv []byte) cipher.BlockMode {
					m, err := f(check(k.get(key)), iv)
					return orPanic(m, err)
				}
			}
			conformance.BlockMode(t, conformance.BlockModeCase{
				NoWipe:  true, // a key of Linux has Close
				KeySize: len(v[0].Key), IVSize: 16, Vectors: v,
				Encrypter: mode((*kcapi.Cipher).NewEncrypter), Decrypter: mode((*kcapi.Cipher).NewDecrypter),
				ReferenceEncrypter: func(key, iv []byte) cipher.BlockMode { return cipher.NewCBCEncrypter(check(c.new(key)), iv) },
				ReferenceDecrypter: func(key, iv []byte) cipher.BlockMode { return cipher.NewCBCDecrypter(check(c.new(key)), iv) },
			})

			// SetIV starts a new message, as crypto/tls uses it.
			key, iv, text := random(50, len(v[0].Key)), random(51, 16), random(52, 96)
			m := orPanic(ciph(t, c.name, key).NewEncrypter(make([]byte, 16)))
			got, want := make([]byte, 96), make([]byte, 96)
			m.CryptBlocks(got, text)
			m.(interface{ SetIV([]byte) }).SetIV(iv)
			m.CryptBlocks(got, text)
			cipher.NewCBCEncrypter(check(c.new(key)), iv).CryptBlocks(want, text)
			same(t, "after SetIV", got, want)
		})
	}
}

// orPanic panics with the words that the suites expect.
func orPanic[T any](v T, err error) T {
	if errors.Is(err, kcapi.ErrSize) {
		panic("IV length: " + err.Error())
	}
	return check(v, err)
}

func TestStreamInterface(t *testing.T) {
	ctr := func(new func(key []byte) (cipher.Block, error)) func(key, iv []byte) cipher.Stream {
		return func(key, iv []byte) cipher.Stream { return cipher.NewCTR(check(new(key)), iv) }
	}
	for _, c := range []struct {
		name  string
		start int // bytes of the IV that are a counter, which must not wrap
		new   func(key, iv []byte) cipher.Stream
	}{
		{"ctr(aes)", 0, ctr(stdaes.NewCipher)},
		{"ctr(sm4)", 0, ctr(sm4.NewCipher)},
		{"chacha20", 4, chacha},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := vectors(t, c.name)
			ciph(t, c.name, v[0].Key)
			k := keyedCipher(c.name)
			start := v[0].IV[:c.start]
			v[0].IV = v[0].IV[c.start:]
			from := func(iv []byte) []byte { return append(start[:c.start:c.start], iv...) }
			conformance.Stream(t, conformance.StreamCase{
				NoWipe:  true, // a key of Linux has Close
				KeySize: len(v[0].Key), IVSize: len(v[0].IV), Vectors: v,
				New:       func(key, iv []byte) cipher.Stream { return orPanic(check(k.get(key)).NewStream(from(iv))) },
				Reference: func(key, iv []byte) cipher.Stream { return c.new(key, from(iv)) },
			})
		})
	}
}

func TestAEADInterface(t *testing.T) {
	gcm := func(new func(key []byte) (cipher.Block, error)) func(key []byte, tag int) (cipher.AEAD, error) {
		return func(key []byte, tag int) (cipher.AEAD, error) { return cipher.NewGCMWithTagSize(check(new(key)), tag) }
	}
	for _, c := range []struct {
		name string
		tags []int
		new  func(key []byte, tag int) (cipher.AEAD, error)
	}{
		{"gcm(aes)", []int{16}, gcm(stdaes.NewCipher)},
		{"gcm(sm4)", []int{16}, gcm(sm4.NewCipher)},
		{"ccm(aes)", []int{16, 4, 6, 8, 10, 12, 14}, func(key []byte, tag int) (cipher.AEAD, error) {
			return check(aes.New(key)).NewCCM(12, tag)
		}},
		{"rfc7539(chacha20,poly1305)", []int{16}, func(key []byte, tag int) (cipher.AEAD, error) { return chacha20poly1305.New(key) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := answer(t, c.name)
			k := aead(t, c.name, v.Key, 16)
			conformance.AEAD(t, conformance.AEADCase{
				NoWipe:  true, // a key of Linux has Close
				KeySize: len(v.Key), NonceSizes: []int{12}, TagSizes: c.tags, MaxSize: k.MaxSize(),
				New: func(key []byte, _, tag int) (cipher.AEAD, error) {
					k, err := kcapi.OpenAEAD(c.name, kcapi.Bytes(key), tag)
					if err != nil {
						return nil, err
					}
					return k.NewAEAD()
				},
				Reference: func(key []byte, _, tag int) (cipher.AEAD, error) { return c.new(key, tag) },
				Vectors: []conformance.AEADVector{{
					Key: v.Key, Nonce: v.IV, AdditionalData: v.Data, Plaintext: v.Input, Ciphertext: v.Output,
				}},
			})
		})
	}
}

// panics returns the *kcapi.Error that f panics with.
func panics(t *testing.T, what string, f func()) (err error) {
	t.Helper()
	defer func() {
		t.Helper()
		e, ok := recover().(*kcapi.Error)
		if !ok {
			t.Errorf("%s: no panic with an *Error", what)
			return
		}
		err = e
	}()
	f()
	return nil
}

// Errors that the interfaces cannot return cause panics, also with a deadline.
func TestInterfaceErrors(t *testing.T) {
	b := make([]byte, 64)
	h := hash(t, "sha256")
	d := h.NewHash()
	d.Write(b)
	h.Close()
	wantReason(t, panics(t, "Sum", func() { d.Sum(nil) }), kcapi.ErrClosed)
	if n, err := d.Write(make([]byte, 5000)); n != 0 || !errors.Is(err, kcapi.ErrClosed) {
		t.Errorf("Write: %d, %v", n, err)
	}
	wantReason(t, d.(interface{ Err() error }).Err(), kcapi.ErrClosed)
	wantReason(t, panics(t, "Sum", func() { d.Sum(nil) }), kcapi.ErrClosed)

	for _, opts := range [][]kcapi.Option{nil, {kcapi.Timeout(time.Minute)}} {
		c := ciph(t, "ctr(aes)", b[:16], opts...)
		_, err := c.NewBlock()
		wantReason(t, err, kcapi.ErrMode)
		_, err = c.NewEncrypter(b[:16])
		wantReason(t, err, kcapi.ErrMode)
		s := check(c.NewStream(b[:16]))
		s.XORKeyStream(b[:3], b[:3])
		c.Close()
		s.XORKeyStream(b[:3], b[:3]) // generated ahead
		wantReason(t, panics(t, "XORKeyStream", func() { s.XORKeyStream(make([]byte, 300), make([]byte, 300)) }), kcapi.ErrClosed)
		wantReason(t, panics(t, "XORKeyStream", func() { s.XORKeyStream(b[:1], b[:1]) }), kcapi.ErrClosed)
	}
	c := ciph(t, "cbc(aes)", b[:16])
	_, err := c.NewStream(b[:16])
	wantReason(t, err, kcapi.ErrMode)
	m := check(c.NewEncrypter(b[:16]))
	c.Close()
	wantReason(t, panics(t, "CryptBlocks", func() { m.CryptBlocks(b, b) }), kcapi.ErrClosed)
	_, err = ciph(t, "xts(aes)", make([]byte, 32)).NewStream(b[:16])
	wantReason(t, err, kcapi.ErrMode)

	a := aead(t, "gcm(aes)", b[:16], 16)
	std := check(a.NewAEAD())
	large := make([]byte, a.MaxSize()+1)
	wantReason(t, panics(t, "Seal", func() { std.Seal(nil, b[:12], large, nil) }), kcapi.ErrTooLarge)
	_, err = std.Open(nil, b[:12], large, nil)
	wantReason(t, err, kcapi.ErrTooLarge)
}

// fmt prints neither keystream nor hashed data.
func TestInterfacesPrinted(t *testing.T) {
	h := hash(t, "sha256").NewHash()
	h.Write(bytes.Repeat([]byte{0xa7}, 100))
	s := check(ciph(t, "ctr(aes)", make([]byte, 16)).NewStream(make([]byte, 16)))
	b := make([]byte, 80)
	s.XORKeyStream(b[:16], b[:16])
	for _, verb := range []string{"%v", "%+v", "%#v", "%x", "%d", "%s"} {
		if text := fmt.Sprintf(verb, h); strings.Count(text, "a7")+strings.Count(text, "167") > 10 {
			t.Errorf("%s of a hash: %s", verb, text)
		}
		text := fmt.Sprintf(verb, s)
		s.XORKeyStream(b[16:], make([]byte, 64))
		for i := 16; i+3 <= len(b); i++ {
			for _, form := range []string{"%x", "%d", "%#v"} {
				if part := strings.Trim(fmt.Sprintf(form, b[i:i+3]), "[]"); strings.Contains(text, part) {
					t.Fatalf("%s of a stream: %s", verb, text)
				}
			}
		}
	}
}

// ChaCha's counter limits how much may be encrypted under one nonce.
func TestStreamEnd(t *testing.T) {
	key := random(53, 32)
	for name, iv := range map[string][]byte{"chacha20": make([]byte, 16), "xchacha20": make([]byte, 32)} {
		if _, err := kcapi.Probe("skcipher", name); name != "chacha20" && err != nil {
			continue // not every kernel has it
		}
		at := 0
		if len(iv) == 32 {
			at = 24
		}
		copy(iv[at:], "\xfd\xff\xff\xff")
		s := check(ciph(t, name, key).NewStream(iv))
		b := make([]byte, 192)
		s.XORKeyStream(b[:100], b[:100])
		s.XORKeyStream(b[100:], b[100:])
		want := make([]byte, 192)
		if err := ciph(t, name, key).Encrypt(want, want, iv); err != nil {
			t.Fatal(err)
		}
		same(t, "the last three blocks", b, want)
		wantReason(t, panics(t, "XORKeyStream", func() { s.XORKeyStream(b[:1], b[:1]) }), kcapi.ErrTooLarge)
	}
}

// Go's own code over Linux's: HMAC, a stream reader.
func TestInterfacesInUse(t *testing.T) {
	key, text := random(54, 32), random(55, 100000)
	h := hash(t, "sha256")
	m := hmac.New(h.NewHash, key)
	n, err := io.Copy(m, bytes.NewReader(text))
	if n != int64(len(text)) || err != nil {
		t.Errorf("io.Copy: %d, %v", n, err)
	}
	want := hmac.New(sha256.New, key)
	want.Write(text)
	same(t, "HMAC", m.Sum(nil), want.Sum(nil))

	d := h.NewHash()
	if n, err := d.(io.ReaderFrom).ReadFrom(bytes.NewReader(text)); n != int64(len(text)) || err != nil {
		t.Errorf("ReadFrom: %d, %v", n, err)
	}
	sum := sha256.Sum256(text)
	same(t, "ReadFrom", d.Sum(nil), sum[:])

	c := ciph(t, "ctr(aes)", key)
	got := check(io.ReadAll(cipher.StreamReader{S: check(c.NewStream(key[:16])), R: bytes.NewReader(text)}))
	plain := make([]byte, len(text))
	cipher.NewCTR(check(stdaes.NewCipher(key)), key[:16]).XORKeyStream(plain, got)
	same(t, "StreamReader", plain, text)
}
