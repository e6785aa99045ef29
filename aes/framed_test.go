package aes_test

import (
	"bytes"
	"crypto/cipher"
	"hash"
	"os"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/vectors"
)

// The framing of these modes is tested in internal/modes; here it is tested with the
// kernels of every driver.

// random returns bytes that are the same in every run.
func random(seed byte, n int) []byte {
	b := make([]byte, n)
	stream := must(must(aes.On("generic")).New(bytes.Repeat([]byte{seed}, 16))).NewCTR(make([]byte, 16))
	stream.XORKeyStream(b, b)
	return b
}

func TestMAC(t *testing.T) {
	cmac := func(d aes.Driver, key []byte) hash.Hash { return must(d.New(key)).NewCMAC() }
	generic := must(aes.On("generic"))
	eachKeySize(t, func(t *testing.T, d aes.Driver, size int) {
		var list []conformance.MACVector
		for i, tag := range map[int][]string{ // NIST SP 800-38B, appendix D
			16: {"bb1d6929e95937287fa37d129b756746", "070a16b46b4d4144f79bdd9dd04a287c", "dfa66747de9ae63030ca32611497c827", "51f0bebf7e3b9d92fc49741779363cfe"},
			24: {"d17ddf46adaacde531cac483de7a9367", "9e99a7bf31e710900662f65e617c5184", "8a1de5be2eb31aad089a82e6ee908b0e", "a1d5df0eed790f794d77589659f39a11"},
			32: {"028962f61b7bf89efc6b551f4667d983", "28a7023f452e8f82bd4bf28d8c37c35c", "aaf3d8f1de5640c232f5b169b9c911e6", "e1992190549f6ed5696a2c056c315410"},
		}[size] {
			list = append(list, conformance.MACVector{
				Key: vectors.Hex(t, keys[size]), Message: vectors.Hex(t, text64)[:[]int{0, 16, 40, 64}[i]], Tag: vectors.Hex(t, tag)})
		}
		c := conformance.MACCase{
			KeySize: size,
			New:     func(key []byte) hash.Hash { return cmac(d, key) },
			Keyed: func(key []byte) (hash.Hash, conformance.Wiper) {
				c := must(d.New(key))
				return c.NewCMAC(), c
			},
			Reference: func(key []byte) hash.Hash { return cmac(generic, key) },
			Vectors:   list,
		}
		conformance.MAC(t, c)
		t.Run("Wycheproof", func(t *testing.T) {
			conformance.WycheproofMAC(t, c, os.DirFS("testdata"), "wycheproof_aes_cmac.json.gz")
		})
	})
}

func TestXCBC(t *testing.T) {
	key := vectors.Hex(t, iv0)
	var message []byte
	for i := range 34 {
		message = append(message, byte(i))
	}
	var list []conformance.MACVector
	for n, tag := range map[int]string{ // RFC 3566, section 4.6
		0:  "75f0251d528ac01c4573dfd584d79f29",
		3:  "5b376580ae2f19afe7219ceef172756f",
		16: "d2a246fa349b68a79998a4394ff7a263",
		20: "47f51b4564966215b8985c63055ed308",
		32: "f54f0ec8d2b9f3d36807734bd5283fd4",
		34: "becbb3bccdb518a30677d5481fb6b4d8",
	} {
		list = append(list, conformance.MACVector{Key: key, Message: message[:n], Tag: vectors.Hex(t, tag)})
	}
	eachDriver(t, func(t *testing.T, d aes.Driver) {
		conformance.MAC(t, conformance.MACCase{
			KeySize:   16,
			New:       func(key []byte) hash.Hash { return must(d.NewXCBC(key)) },
			Reference: func(key []byte) hash.Hash { return must(must(aes.On("generic")).NewXCBC(key)) },
			Vectors:   list,
		})
	})
}

func TestSIV(t *testing.T) {
	eachKeySize(t, func(t *testing.T, d aes.Driver, size int) {
		c := conformance.SIVCase{
			KeySize:   2 * size,
			Allocates: stdAllocates(d),
			New:       func(key []byte) conformance.SIVCipher { return must(d.NewSIV(key)) },
			Reference: oracle,
			Vectors: []conformance.SIVVector{{
				Key:        vectors.Hex(t, "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
				Data:       [][]byte{vectors.Hex(t, "101112131415161718191a1b1c1d1e1f2021222324252627")},
				Plaintext:  vectors.Hex(t, "112233445566778899aabbccddee"),
				Ciphertext: vectors.Hex(t, "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c"),
			}, {
				Key: vectors.Hex(t, "7f7e7d7c7b7a79787776757473727170404142434445464748494a4b4c4d4e4f"),
				Data: [][]byte{
					vectors.Hex(t, "00112233445566778899aabbccddeeffdeaddadadeaddadaffeeddccbbaa99887766554433221100"),
					vectors.Hex(t, "102030405060708090a0"),
					vectors.Hex(t, "09f911029d74e35bd84156c5635688c0"),
				},
				Plaintext:  []byte("this is some plaintext to encrypt using SIV-AES"),
				Ciphertext: vectors.Hex(t, "7bdb6e3b432667eb06f4d14bff2fbd0fcb900f2fddbe404326601965c889bf17dba77ceb094fa663b7a3f748ba8af829ea64ad544a272e9c485b62a3fd5c0d"),
			}}, // RFC 5297, appendix A
		}
		conformance.SIV(t, c)
		t.Run("Wycheproof", func(t *testing.T) {
			conformance.WycheproofSIV(t, c, os.DirFS("testdata"), "wycheproof_aes_siv_cmac.json.gz", "wycheproof_aead_aes_siv_cmac.json.gz")
		})
		if c.Allocates {
			return
		}
		s := must(d.NewSIV(random(1, 2*size)))
		a, b, dst := random(2, 20), random(3, 16), make([]byte, 0, 100)
		conformance.NoAllocs(t, "with strings as arguments", func() {
			sealed := s.SealDeterministic(dst, a, a, b, nil)
			must(s.OpenDeterministic(sealed[:0], sealed, a, b, nil))
		})
	})
}

func TestXTS(t *testing.T) {
	cases, gb := map[int]*conformance.XTSCase{}, map[int]*conformance.XTSCase{}
	for _, size := range []int{16, 24, 32} {
		cases[size] = &conformance.XTSCase{KeySize: 2 * size, Reference: oracle, Double: conformance.DoubleIEEE}
		gb[size] = &conformance.XTSCase{KeySize: 2 * size, Reference: oracle, Double: conformance.DoubleGB}
	}
	eachKeySize(t, func(t *testing.T, d aes.Driver, size int) {
		block := func(key []byte) (conformance.XTSBlock, error) { return d.New(key) }
		cases[size].TestMode(t, false, block)
		gb[size].TestMode(t, true, block)
		cases[size].Test(t, func(key []byte) (conformance.XTSCipher, error) { return d.NewXTS(key) })
		for _, g := range vectors.Wycheproof[vectors.AEADGroup](t, os.DirFS("testdata"), "wycheproof_aes_xts.json.gz") {
			for _, v := range g.Tests {
				if len(v.Key) != 2*size {
					continue
				}
				x := must(d.NewXTS(v.Key))
				var tweak [16]byte
				copy(tweak[:], v.IV)
				got := make([]byte, len(v.Plaintext))
				if x.EncryptTweak(got, v.Plaintext, &tweak); !bytes.Equal(got, v.Ciphertext) || v.Result != vectors.Valid {
					t.Errorf("Wycheproof test %d: %x", v.ID, got)
				}
			}
		}
	})
	if _, err := aes.NewXTS(make([]byte, 32)); err == nil || !strings.Contains(err.Error(), "halves") {
		t.Errorf("takes a key whose halves are equal: %v", err)
	}
}

func TestCTS(t *testing.T) {
	c := conformance.CTSCase{KeySize: 16, Reference: oracle}
	eachDriver(t, func(t *testing.T, d aes.Driver) {
		c.Test(t, func(key []byte) conformance.CTSCipher { return must(d.New(key)) })
	})
}

// The vectors are for CBC with PKCS #7 padding: the plaintext is the padded message.
func TestCBCWycheproof(t *testing.T) {
	eachDriver(t, func(t *testing.T, d aes.Driver) {
		ran := 0
		for _, g := range vectors.Wycheproof[vectors.AEADGroup](t, os.DirFS("testdata"), "wycheproof_aes_cbc_pkcs5.json.gz") {
			for _, v := range g.Tests {
				if v.Result != vectors.Valid {
					continue
				}
				ran++
				padded := append([]byte(v.Plaintext), bytes.Repeat([]byte{byte(16 - len(v.Plaintext)%16)}, 16-len(v.Plaintext)%16)...)
				c := must(d.New(v.Key))
				got := make([]byte, len(padded))
				if c.NewCBCEncrypter(v.IV).CryptBlocks(got, padded); !bytes.Equal(got, v.Ciphertext) {
					t.Errorf("test %d: encrypted %x", v.ID, got)
				}
				if c.NewCBCDecrypter(v.IV).CryptBlocks(got, v.Ciphertext); !bytes.Equal(got, padded) {
					t.Errorf("test %d: decrypted %x", v.ID, got)
				}
			}
		}
		if ran < 70 {
			t.Errorf("only %d tests", ran)
		}
	})
}

func TestKeyWrap(t *testing.T) {
	eachDriver(t, func(t *testing.T, d aes.Driver) {
		for _, file := range []string{"wrap", "kwp"} {
			ran := map[vectors.Result]int{}
			for _, g := range vectors.Wycheproof[vectors.AEADGroup](t, os.DirFS("testdata"), "wycheproof_aes_"+file+".json.gz") {
				for _, v := range g.Tests {
					c := must(d.New(v.Key))
					wrap, unwrap := c.WrapKey, c.UnwrapKey
					if file == "kwp" {
						wrap, unwrap = c.WrapKeyPadded, c.UnwrapKeyPadded
					}
					ran[v.Result]++
					got, err := unwrap([]byte("x"), v.Ciphertext)
					if v.Result == vectors.Invalid {
						if err == nil {
							t.Errorf("%s: test %d (%s): accepted", file, v.ID, v.Comment)
						}
						continue
					}
					if v.Result == vectors.Valid && (err != nil || !bytes.Equal(got, append([]byte("x"), v.Plaintext...))) {
						t.Errorf("%s: test %d: unwrapped %x, %v", file, v.ID, got, err)
					}
					if got, err := wrap(nil, v.Plaintext); v.Result == vectors.Valid && (err != nil || !bytes.Equal(got, v.Ciphertext)) {
						t.Errorf("%s: test %d: wrapped %x, %v", file, v.ID, got, err)
					}
				}
			}
			if ran[vectors.Valid] < 30 || ran[vectors.Invalid] < 100 {
				t.Errorf("%s: only %v", file, ran)
			}
		}
	})
}

func TestRandomNonce(t *testing.T) {
	eachDriver(t, func(t *testing.T, d aes.Driver) {
		key := random(6, 32)
		conformance.RandomNonce(t, must(d.NewGCMWithRandomNonce(key)), must(cipher.NewGCM(oracle(key))), stdAllocates(d))
	})
}

// The first message under a key must open like any other: the powers of the hash key
// for long messages must have been computed.
func TestGCMFirstOpen(t *testing.T) {
	eachDriver(t, func(t *testing.T, d aes.Driver) {
		key, nonce := random(8, 32), make([]byte, 12)
		std := must(cipher.NewGCM(oracle(key)))
		for n := range 1200 {
			if n > 300 && n%53 != 0 {
				continue
			}
			text := random(9, n)
			sealed := std.Seal(nil, nonce, text, nil)
			if got, err := must(d.NewGCM(key)).Open(nil, nonce, sealed, nil); err != nil || !bytes.Equal(got, text) {
				t.Fatalf("%d bytes: %v", n, err)
			}
			if got := must(d.NewGCM(key)).Seal(nil, nonce, text, nil); !bytes.Equal(got, sealed) {
				t.Fatalf("Seal of %d bytes is wrong", n)
			}
		}
	})
}

func TestNonceInDestination(t *testing.T) {
	eachDriver(t, func(t *testing.T, d aes.Driver) {
		c := must(d.New(random(1, 16)))
		conformance.NonceInDestination(t, must(c.NewGCM(12, 16)), must(c.NewCCM(12, 16)), must(d.NewGCMSIV(random(1, 16))), must(d.NewSIV(random(1, 32))))
	})
}

// The plaintext must not overwrite the tag before it is checked.
func TestOpenOverTag(t *testing.T) {
	c := must(aes.New(random(1, 16)))
	for name, a := range map[string]cipher.AEAD{
		"GCM": must(c.NewGCM(12, 16)), "CCM": must(c.NewCCM(12, 16)), "GCM-SIV": must(aes.NewGCMSIV(random(1, 16))), "SIV": must(aes.NewSIV(random(1, 32))),
	} {
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.Contains(p, ": invalid buffer overlap") { // of crypto/cipher, with std
					t.Errorf("%s: panic %v", name, p)
				}
			}()
			b := make([]byte, 200)
			a.Open(b[58:58], make([]byte, 12), a.Seal(b[:0], make([]byte, 12), make([]byte, 50), nil), nil)
		}()
	}
}
