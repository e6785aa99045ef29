package aes

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/ctgrind"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// secret returns a copy of b that valgrind treats as secret, like everything computed
// from it.
func secret(b []byte) []byte {
	s := slices.Clone(b)
	ctgrind.Secret(s)
	return s
}

// random returns n bytes that are the same in every run.
func random(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n)}).Read(b)
	return b
}

// reveal checks a result, which is not secret any more.
func reveal(t *testing.T, name string, got, want []byte) {
	t.Helper()
	ctgrind.Public(got)
	if !bytes.Equal(got, want) {
		t.Fatalf("%s, %d bytes: wrong", name, len(want))
	}
}

func eachSecretKey(t *testing.T, f func(t *testing.T, key []byte, spec cipher.Block)) {
	for size := 16; size <= 32; size += 8 {
		t.Run(fmt.Sprint("AES-", 8*size), func(t *testing.T) {
			key := random(size)
			f(t, key, NewSpecBlock(key))
		})
	}
}

// GCM on every driver that valgrind supports. With a nonce that does not have 12
// bytes, the counter is secret, too.
func TestSecretGCM(t *testing.T) {
	for _, info := range Drivers() {
		if !info.Available() {
			continue
		}
		t.Log("driver", info.Name) // for ci/checks
		d, err := On(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		eachSecretKey(t, func(t *testing.T, key []byte, block cipher.Block) {
			for _, nonceSize := range []int{modes.GCMNonceSize, 16} {
				nonce, data := random(nonceSize), random(33)
				spec, err := cipher.NewGCMWithNonceSize(block, nonceSize)
				if err != nil {
					t.Fatal(err)
				}
				c, err := d.New(secret(key))
				if err != nil {
					t.Fatal(err)
				}
				g := new(GCM)
				g.init(c, nonceSize, modes.GCMTagSize)
				for _, n := range []int{0, 1, 100, 5000} {
					plain := random(n)
					sealed := g.Seal(nil, nonce, secret(plain), data)
					reveal(t, info.Name, sealed, spec.Seal(nil, nonce, plain, data))
					if g.whole != nil {
						continue // no part of Open can be called
					}
					// Open, up to the branch on whether the tag is right.
					m := ghash.Message{Hash: &g.hash}
					m.Begin(nonce, n, data)
					opened := make([]byte, n)
					aescore.Open(c.plan.Bulk(), &c.keys, &m, opened, sealed[:n])
					reveal(t, info.Name, opened, plain)
					reveal(t, info.Name, m.Y[:], sealed[n:])
				}
			}
		})
	}
}

// The modes of package modes on every driver that valgrind supports, with a secret key
// and secret data. Decryption is tested up to the branch on whether a tag is right.
func TestSecretModes(t *testing.T) {
	for _, info := range Drivers() {
		if !info.Available() {
			continue
		}
		t.Log("driver", info.Name) // for ci/checks
		d, err := On(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		key, other, iv, data := random(32), random(32), random(BlockSize), random(33)
		made := func(key []byte) *Cipher {
			c, err := d.New(key)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		c, plain := made(secret(key)), made(key)
		// run calls f with secrets and without, and compares the results.
		run := func(name string, f func(c *Cipher, other, text []byte) []byte) {
			text := random(1000)
			reveal(t, info.Name+": "+name, f(c, secret(other), secret(text)), f(plain, other, text))
		}
		streams := map[string]func(c *Cipher) cipher.Stream{
			"CFB":           func(c *Cipher) cipher.Stream { return c.NewCFBEncrypter(iv) },
			"CFB backwards": func(c *Cipher) cipher.Stream { return c.NewCFBDecrypter(iv) },
			"OFB":           func(c *Cipher) cipher.Stream { return c.NewOFB(iv) },
		}
		for name, stream := range streams {
			run(name, func(c *Cipher, _, text []byte) []byte { stream(c).XORKeyStream(text, text); return text })
		}
		run("CTS", func(c *Cipher, _, text []byte) []byte { c.EncryptCTS(text, text, iv, 3); return text })
		run("XTS", func(c *Cipher, other, text []byte) []byte {
			x := modes.NewXTS((*bulk)(c), (*bulk)(made(other)))
			x.Encrypt(text, text, 5)
			x.Decrypt(text[:300], text[:300], 6)
			return text
		})
		run("CMAC", func(c *Cipher, _, text []byte) []byte {
			h := c.NewCMAC()
			h.Write(text[:100])
			h.Write(text[100:])
			return h.Sum(nil)
		})
		run("CMAC of many", func(c *Cipher, _, text []byte) []byte {
			messages := []CMACMessage{{Cipher: c, Data: text}, {Cipher: c, Data: text[:100]}, {Cipher: c}}
			CMACMany(messages)
			return slices.Concat(messages[0].Sum[:], messages[1].Sum[:], messages[2].Sum[:])
		})
		run("CCM", func(c *Cipher, _, text []byte) []byte {
			a, err := c.NewCCM(12, 16)
			if err != nil {
				t.Fatal(err)
			}
			return a.Seal(nil, iv[:12], text, data)
		})
		run("key wrap", func(c *Cipher, _, text []byte) []byte {
			wrapped, err := c.WrapKeyPadded(nil, text[:100])
			if err != nil {
				t.Fatal(err)
			}
			return wrapped
		})
		run("SIV", func(_ *Cipher, other, text []byte) []byte {
			a, err := d.NewSIV(other)
			if err != nil {
				t.Fatal(err)
			}
			return slices.Concat(a.Seal(nil, iv, text, data), a.SealDeterministic(nil, text[:5], text[:40], text[50:60]))
		})
		run("GCM-SIV", func(_ *Cipher, other, text []byte) []byte {
			a, err := d.NewGCMSIV(other)
			if err != nil {
				t.Fatal(err)
			}
			return a.Seal(nil, iv[:12], text, data)
		})
	}
}
