package sm4_test

import (
	"crypto/cipher"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/vectors"
	"github.com/cipherlane/cipherlane/sm4"
)

// eachDriver runs f for every driver of this machine, and for mixed plans.
func eachDriver(t *testing.T, f func(t *testing.T, d sm4.Driver)) {
	conformance.EachDriver(t, "sm4", func(t *testing.T, name string) {
		d, err := sm4.On(name)
		if err != nil {
			t.Fatal(err)
		}
		f(t, d)
	})
	conformance.EachPair(t, "sm4", func(t *testing.T, a, b, c string) { f(t, sm4.Mixed(a, b, c, a)) })
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func vector(t *testing.T, key, iv, plaintext, ciphertext string) conformance.Vector {
	return conformance.Vector{Key: vectors.Hex(t, key), IV: vectors.Hex(t, iv), Plaintext: vectors.Hex(t, plaintext), Ciphertext: vectors.Hex(t, ciphertext)}
}

const (
	key1 = "0123456789abcdeffedcba9876543210"
	key2 = "fedcba98765432100123456789abcdef"
	iv0  = "000102030405060708090a0b0c0d0e0f"
	// The plaintexts of draft-ribose-cfrg-sm4-10, appendix A.2.
	text32 = "aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffffaaaaaaaabbbbbbbb"
	text64 = "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccddddddddddddddddeeeeeeeeeeeeeeeeffffffffffffffffaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb"
)

func TestBlock(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		conformance.Block(t, conformance.BlockCase{
			KeySize:   sm4.KeySize,
			New:       func(key []byte) (conformance.BlockCipher, error) { return d.New(key) },
			Reference: func(key []byte) (cipher.Block, error) { return sm4.NewSpecBlock(key), nil },
			Vectors: []conformance.Vector{
				vector(t, key1, "", key1, "681edf34d206965e86b3e94f536e4246"), // GB/T 32907-2016, A.1
				vector(t, key1, "", text32, "5ec8143de509cff7b5179f8f474b86192f1d305a7fb17df985f81c8482192304"),
				vector(t, key2, "", text32, "c5876897e4a59bbba72a10c83872245b12dd90bc2d200692b529a4155ac9e600"),
			},
		})
	})
}

// One million times in a row, GB/T 32907-2016, A.2.
func TestMillion(t *testing.T) {
	if testing.Short() {
		t.Skip("a million blocks one after the other")
	}
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		t.Parallel()
		b := vectors.Hex(t, key1)
		c := must(d.New(b))
		for range 1_000_000 {
			c.Encrypt(b, b)
		}
		if got := hex.EncodeToString(b); got != "595298c7c6fd271f0402f804c33d3f66" {
			t.Fatalf("got %s", got)
		}
		for range 1_000_000 {
			c.Decrypt(b, b)
		}
		if got := hex.EncodeToString(b); got != key1 {
			t.Fatalf("back again: got %s", got)
		}
	})
}

func TestCBC(t *testing.T) {
	spec := sm4.NewSpecBlock
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		conformance.BlockMode(t, conformance.BlockModeCase{
			KeySize: sm4.KeySize, IVSize: sm4.BlockSize,
			Encrypter:          func(key, iv []byte) cipher.BlockMode { return must(d.New(key)).NewCBCEncrypter(iv) },
			Decrypter:          func(key, iv []byte) cipher.BlockMode { return must(d.New(key)).NewCBCDecrypter(iv) },
			KeyedEncrypter:     conformance.Of(d.New, (*sm4.Cipher).NewCBCEncrypter),
			KeyedDecrypter:     conformance.Of(d.New, (*sm4.Cipher).NewCBCDecrypter),
			ReferenceEncrypter: func(key, iv []byte) cipher.BlockMode { return cipher.NewCBCEncrypter(spec(key), iv) },
			ReferenceDecrypter: func(key, iv []byte) cipher.BlockMode { return cipher.NewCBCDecrypter(spec(key), iv) },
			Vectors: []conformance.Vector{ // draft-ribose-cfrg-sm4-10, A.2.2
				vector(t, key1, iv0, text32, "78ebb11cc40b0a48312aaeb2040244cb4cb7016951909226979b0d15dc6a8f6d"),
				vector(t, key2, iv0, text32, "0d3a6ddc2d21c698857215587b7bb59a91f2c147911a4144665e1fa1d40bae38"),
			},
		})
	})
}

func TestCTR(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		conformance.Stream(t, conformance.StreamCase{
			KeySize: sm4.KeySize, IVSize: sm4.BlockSize,
			New:       func(key, iv []byte) cipher.Stream { return must(d.New(key)).NewCTR(iv) },
			Keyed:     conformance.Of(d.New, (*sm4.Cipher).NewCTR),
			Reference: func(key, iv []byte) cipher.Stream { return cipher.NewCTR(sm4.NewSpecBlock(key), iv) },
			Vectors: []conformance.Vector{ // draft-ribose-cfrg-sm4-10, A.2.5
				vector(t, key1, iv0, text64, "ac3236cb970cc20791364c395a1342d1a3cbc1878c6f30cd074cce385cdd70c7f234bc0e24c11980fd1286310ce37b926e02fcd0faa0baf38b2933851d824514"),
				vector(t, key2, iv0, text64, "5dcccd25b95ab07417a08512ee160e2f8f661521cbbab44cc87138445bc29e5c0ae0297205d62704173b21239b887f6c8cb5b800917a2488284bde9e16ea2906"),
			},
		})
	})
}

func TestGCM(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		c := gcmCase(d)
		c.Vectors = []conformance.AEADVector{{ // RFC 8998, A.1
			Key:            vectors.Hex(t, key1),
			Nonce:          vectors.Hex(t, "00001234567800000000abcd"),
			AdditionalData: vectors.Hex(t, "feedfacedeadbeeffeedfacedeadbeefabaddad2"),
			Plaintext:      vectors.Hex(t, "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccddddddddddddddddeeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa"),
			Ciphertext: vectors.Hex(t, "17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735d82710ca5c22f0ccfa7cbf93d496ac15a56834cbcf98c397b4024a2691233b8d"+
				"83de3541e4c2b58177e065a9bf7b62ec"),
		}}
		conformance.AEAD(t, c)
		t.Run("Wycheproof", func(t *testing.T) {
			conformance.WycheproofAEAD(t, c, os.DirFS("testdata"), "wycheproof_sm4_gcm.json")
		})
	})
}

func gcmCase(d sm4.Driver) conformance.AEADCase {
	return conformance.AEADCase{
		KeySize:    sm4.KeySize,
		NonceSizes: []int{12, 1, 8, 11, 13, 16, 17, 32, 100},
		TagSizes:   []int{16, 12, 13, 14, 15},
		New: func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
			c, err := d.New(key)
			if err != nil {
				return nil, err
			}
			return c.NewGCM(nonceSize, tagSize)
		},
		Keyed: func(key []byte, nonceSize, tagSize int) (cipher.AEAD, conformance.Wiper) {
			c := must(d.New(key))
			return must(c.NewGCM(nonceSize, tagSize)), c
		},
		Reference: func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
			return conformance.ReferenceGCM(sm4.NewSpecBlock(key), nonceSize, tagSize)
		},
		NonceFor: func(key []byte, j0 [16]byte) []byte { return conformance.GCMNonce(sm4.NewSpecBlock(key), j0) },
	}
}

// crypto/cipher must find the fast paths of a Cipher.
func TestSeams(t *testing.T) {
	b := must(sm4.NewCipher(make([]byte, sm4.KeySize)))
	iv := make([]byte, sm4.BlockSize)
	c := b.(*sm4.Cipher)
	for _, pair := range [][2]any{
		{must(cipher.NewGCM(b)), must(c.NewGCM(12, 16))},
		{must(cipher.NewGCMWithTagSize(b, 12)), must(c.NewGCM(12, 12))},
		{cipher.NewCTR(b, iv), c.NewCTR(iv)},
		{cipher.NewCBCEncrypter(b, iv), c.NewCBCEncrypter(iv)},
		{cipher.NewCBCDecrypter(b, iv), c.NewCBCDecrypter(iv)},
	} {
		if got, want := fmt.Sprintf("%T", pair[0]), fmt.Sprintf("%T", pair[1]); got != want {
			t.Errorf("crypto/cipher returns a %s, want %s", got, want)
		}
	}
}

func TestKeySize(t *testing.T) {
	conformance.KeySizes(t, "sm4", must(sm4.On("generic")))
	var size sm4.KeySizeError
	if _, err := sm4.New(make([]byte, 17)); !errors.As(err, &size) || size != 17 {
		t.Errorf("error %v", err)
	}
}

func TestFIPS(t *testing.T) { conformance.NotInFIPS(t, "sm4", must(sm4.On("generic"))) }
