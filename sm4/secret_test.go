package sm4

import (
	"crypto/cipher"
	"hash"
	"slices"
	"testing"

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

// reveal checks a result, which is not secret any more.
func reveal(t *testing.T, name string, got, want []byte) {
	t.Helper()
	ctgrind.Public(got)
	if d := diff(got, want); d != "" {
		t.Fatalf("%s: %s", name, d)
	}
}

// All code paths of the portable driver with a secret key and secret data, with and
// without planes.
func TestSecretGeneric(t *testing.T) {
	key, iv := random(KeySize), random(BlockSize)
	spec := NewSpecBlock(key)
	for _, blocks := range []int{1, 2, 3, 2*wideBlocks + 5} {
		plain := random(blocks * BlockSize)
		ecb, cbc, ctr := make([]byte, len(plain)), make([]byte, len(plain)), make([]byte, len(plain)-5)
		for i := 0; i < len(plain); i += BlockSize {
			spec.Encrypt(ecb[i:], plain[i:])
		}
		cipher.NewCBCEncrypter(spec, iv).CryptBlocks(cbc, plain)
		cipher.NewCTR(spec, iv).XORKeyStream(ctr, plain[:len(ctr)])
		for _, wide := range []bool{false, true} {
			var k genericKeys
			k.expand((*[KeySize]byte)(secret(key)))
			if wide {
				k.widen()
			}
			b := secret(plain)
			k.encryptBlocks(b, b)
			reveal(t, "ECB", b, ecb)
			b = secret(ecb)
			k.decryptBlocks(b, b)
			reveal(t, "ECB backwards", b, plain)
			b, chain := secret(plain), [BlockSize]byte(iv)
			k.cbcEncrypt(&chain, b, b)
			reveal(t, "CBC", b, cbc)
			b, chain = secret(cbc), [BlockSize]byte(iv)
			k.cbcDecrypt(&chain, b, b)
			reveal(t, "CBC backwards", b, plain)
			b, counter, rest := secret(plain[:len(ctr)]), [BlockSize]byte(iv), new([BlockSize]byte)
			k.ctr(&counter, b, b, rest)
			reveal(t, "CTR", b, ctr)
			k.wipe()
		}
	}
}

// GCM on every driver that valgrind supports. With a nonce that does not have 12
// bytes, the counter is secret, too.
func TestSecretGCM(t *testing.T) {
	for _, info := range Drivers() {
		for _, nonceSize := range []int{modes.GCMNonceSize, 16} {
			if !info.Available() {
				continue
			}
			t.Log("driver", info.Name) // for ci/checks
			d, err := On(info.Name)
			if err != nil {
				t.Fatal(err)
			}
			key, nonce, data := random(KeySize), random(nonceSize), random(33)
			spec, err := cipher.NewGCMWithNonceSize(NewSpecBlock(key), nonceSize)
			if err != nil {
				t.Fatal(err)
			}
			c, err := d.New(secret(key))
			if err != nil {
				t.Fatal(err)
			}
			g := c.newGCM(nonceSize, modes.GCMTagSize)
			for _, n := range []int{0, 1, 100, 5000} {
				plain := random(n)
				sealed := g.Seal(nil, nonce, secret(plain), data)
				reveal(t, info.Name, sealed, spec.Seal(nil, nonce, plain, data))
				// Open, up to the branch on whether the tag is right.
				m := ghash.Message{Hash: &g.hash}
				m.Begin(nonce, n, data)
				opened := make([]byte, n)
				open(c.plan.Bulk(), &c.keys, &m, opened, sealed[:n])
				reveal(t, info.Name, opened, plain)
				reveal(t, info.Name, m.Y[:], sealed[n:])
			}
		}
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
		key, other, iv, data := random(KeySize), random(KeySize), random(BlockSize), random(33)
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
		for name, mode := range map[string]func(c *Cipher) cipher.BlockMode{
			"BC":               func(c *Cipher) cipher.BlockMode { return c.NewBCEncrypter(iv) },
			"BC backwards":     func(c *Cipher) cipher.BlockMode { return c.NewBCDecrypter(iv) },
			"OFBNLF":           func(c *Cipher) cipher.BlockMode { return c.NewOFBNLFEncrypter(iv) },
			"OFBNLF backwards": func(c *Cipher) cipher.BlockMode { return c.NewOFBNLFDecrypter(iv) },
		} {
			run(name, func(c *Cipher, _, text []byte) []byte {
				text = text[:992]
				mode(c).CryptBlocks(text, text)
				return text
			})
		}
		run("HCTR", func(c *Cipher, other, text []byte) []byte {
			h, err := d.NewHCTR(slices.Concat(other, text[:16]))
			if err != nil {
				t.Fatal(err)
			}
			long := slices.Concat(text, text, text)
			h.Encrypt(long, long, (*[16]byte)(iv))
			h.Decrypt(long[:300], long[:300], (*[16]byte)(iv))
			return long
		})
		run("SIV", func(_ *Cipher, other, text []byte) []byte {
			a, err := d.NewSIV(slices.Concat(other, text[:16]))
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
		run("CTS", func(c *Cipher, _, text []byte) []byte {
			c.EncryptCTS(text, text, iv, 3)
			c.DecryptCTS(text[:300], text[:300], iv, 3)
			return text
		})
		// NewXTS itself branches on whether the halves of the key are equal.
		for name, mode := range map[string]func(data, tweak *Cipher) *modes.XTS{
			"XTS":       func(data, tweak *Cipher) *modes.XTS { return modes.NewXTS(data.wide(), (*bulk)(tweak)) },
			"XTS of GB": func(data, tweak *Cipher) *modes.XTS { return modes.NewXTS(bulkGB{data.wide()}, bulkGB{(*bulk)(tweak)}) },
		} {
			run(name, func(c *Cipher, other, text []byte) []byte {
				x := mode(c, made(other))
				x.Encrypt(text, text, 5)
				x.Decrypt(text[:300], text[:300], 6)
				return text
			})
		}
		macs := map[string]func(c *Cipher, key []byte) (hash.Hash, error){
			"CMAC":    func(c *Cipher, _ []byte) (hash.Hash, error) { return c.NewCMAC(), nil },
			"CBC-MAC": func(c *Cipher, _ []byte) (hash.Hash, error) { return c.NewCBCMAC(), nil },
			"XCBC":    func(_ *Cipher, key []byte) (hash.Hash, error) { return d.NewXCBC(key) },
		}
		for name, mac := range macs {
			run(name, func(c *Cipher, other, text []byte) []byte {
				h, err := mac(c, other)
				if err != nil {
					t.Fatal(err)
				}
				h.Write(text[:100])
				h.Write(text[100:])
				return h.Sum(nil)
			})
		}
		run("CMAC of many", func(c *Cipher, other, text []byte) []byte {
			messages := []CMACMessage{{Cipher: c, Data: text}, {Cipher: c, Data: text[:100]}, {Cipher: c}, {Cipher: made(other), Data: text}, {Cipher: c, Data: text}}
			CMACMany(messages)
			return slices.Concat(messages[0].Sum[:], messages[1].Sum[:], messages[2].Sum[:], messages[3].Sum[:], messages[4].Sum[:])
		})
		run("CBC of many", func(c *Cipher, other, text []byte) []byte {
			messages := []CBCMessage{{Cipher: c}, {Cipher: made(other)}, {Cipher: c}, {Cipher: c}}
			for i := range messages {
				part := text[240*i:][:240]
				messages[i].IV, messages[i].Dst, messages[i].Src = iv, part, part
			}
			EncryptCBCMany(messages)
			return text
		})
		run("CCM", func(c *Cipher, _, text []byte) []byte {
			a, err := c.NewCCM(12, 16)
			if err != nil {
				t.Fatal(err)
			}
			return a.Seal(nil, iv[:12], text, data)
		})
	}
}
