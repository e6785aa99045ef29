package aes_test

import (
	"bytes"
	stdaes "crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/vectors"
)

// eachDriver runs f for every driver of this machine, and for mixed plans.
func eachDriver(t *testing.T, f func(t *testing.T, d aes.Driver)) {
	conformance.EachDriver(t, "aes", func(t *testing.T, name string) {
		d, err := aes.On(name)
		if err != nil {
			t.Fatal(err)
		}
		f(t, d)
	})
	conformance.EachPair(t, "aes", func(t *testing.T, a, b, _ string) { f(t, aes.Mixed(a, b)) })
}

// eachKeySize runs f for every driver and key size. Short runs omit the middle size, and
// mixed plans have one size only.
func eachKeySize(t *testing.T, f func(t *testing.T, d aes.Driver, size int)) {
	eachDriver(t, func(t *testing.T, d aes.Driver) {
		for _, size := range []int{16, 24, 32} {
			if testing.Short() && size == 24 || size != 16 && strings.Contains(t.Name(), "/mixed/") {
				continue
			}
			t.Run(fmt.Sprint(8*size), func(t *testing.T) { f(t, d, size) })
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// oracle returns the block cipher that modes are compared with: that of the standard
// library, which is faster than the implementation of the specification.
func oracle(key []byte) cipher.Block { return must(stdaes.NewCipher(key)) }

// specification returns the block cipher that TestBlock compares the portable driver
// with. Other drivers, and short runs, use the oracle, because the specification is
// slow.
func specification(d aes.Driver) func(key []byte) (cipher.Block, error) {
	return func(key []byte) (cipher.Block, error) {
		if testing.Short() || d != must(aes.On("generic")) {
			return oracle(key), nil
		}
		return aes.NewSpecBlock(key), nil
	}
}

// The inputs of NIST SP 800-38A, appendix F.
const (
	counter0 = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
	iv0      = "000102030405060708090a0b0c0d0e0f"
	text64   = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)

var keys = map[int]string{
	16: "2b7e151628aed2a6abf7158809cf4f3c",
	24: "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
	32: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
}

// vector returns a test vector of SP 800-38A.
func vector(t *testing.T, size int, iv string, ciphertext map[int]string) []conformance.Vector {
	return []conformance.Vector{{
		Key: vectors.Hex(t, keys[size]), IV: vectors.Hex(t, iv),
		Plaintext: vectors.Hex(t, text64), Ciphertext: vectors.Hex(t, ciphertext[size]),
	}}
}

func TestBlock(t *testing.T) {
	eachKeySize(t, func(t *testing.T, d aes.Driver, size int) {
		key := vectors.Hex(t, iv0+"101112131415161718191a1b1c1d1e1f")[:size]
		fips197 := map[int]string{ // appendix C
			16: "69c4e0d86a7b0430d8cdb78070b4c55a",
			24: "dda97ca4864cdfe06eaf70a0ec0d7191",
			32: "8ea2b7ca516745bfeafc49904b496089",
		}
		conformance.Block(t, conformance.BlockCase{
			KeySize:   size,
			New:       func(key []byte) (conformance.BlockCipher, error) { return d.New(key) },
			Reference: specification(d),
			Vectors: append(vector(t, size, "", map[int]string{ // SP 800-38A, F.1
				16: "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4",
				24: "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eefef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e",
				32: "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7",
			}), conformance.Vector{Key: key, Plaintext: vectors.Hex(t, "00112233445566778899aabbccddeeff"), Ciphertext: vectors.Hex(t, fips197[size])}),
		})
	})
}

func TestCBC(t *testing.T) {
	eachKeySize(t, func(t *testing.T, d aes.Driver, size int) {
		conformance.BlockMode(t, conformance.BlockModeCase{
			KeySize: size, IVSize: aes.BlockSize,
			Encrypter:          func(key, iv []byte) cipher.BlockMode { return must(d.New(key)).NewCBCEncrypter(iv) },
			Decrypter:          func(key, iv []byte) cipher.BlockMode { return must(d.New(key)).NewCBCDecrypter(iv) },
			KeyedEncrypter:     conformance.Of(d.New, (*aes.Cipher).NewCBCEncrypter),
			KeyedDecrypter:     conformance.Of(d.New, (*aes.Cipher).NewCBCDecrypter),
			ReferenceEncrypter: func(key, iv []byte) cipher.BlockMode { return cipher.NewCBCEncrypter(oracle(key), iv) },
			ReferenceDecrypter: func(key, iv []byte) cipher.BlockMode { return cipher.NewCBCDecrypter(oracle(key), iv) },
			Vectors: vector(t, size, iv0, map[int]string{ // SP 800-38A, F.2
				16: "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b273bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
				24: "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd",
				32: "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b",
			}),
		})
	})
}

func TestCTR(t *testing.T) {
	eachKeySize(t, func(t *testing.T, d aes.Driver, size int) {
		conformance.Stream(t, conformance.StreamCase{
			KeySize: size, IVSize: aes.BlockSize,
			New:       func(key, iv []byte) cipher.Stream { return must(d.New(key)).NewCTR(iv) },
			Keyed:     conformance.Of(d.New, (*aes.Cipher).NewCTR),
			Reference: func(key, iv []byte) cipher.Stream { return cipher.NewCTR(oracle(key), iv) },
			Vectors: vector(t, size, counter0, map[int]string{ // SP 800-38A, F.5
				16: "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
				24: "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e941e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050",
				32: "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c52b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
			}),
		})
	})
}

func TestCFB(t *testing.T) {
	eachKeySize(t, func(t *testing.T, d aes.Driver, size int) {
		list := vector(t, size, iv0, map[int]string{ // SP 800-38A, F.3.13 to F.3.17
			16: "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b26751f67a3cbb140b1808cf187a4f4dfc04b05357c5d1c0eeac4c66f9ff7f2e6",
			24: "cdc80d6fddf18cab34c25909c99a417467ce7f7f81173621961a2b70171d3d7a2e1e8a1dd59b88b1c8e60fed1efac4c9c05f9f9ca9834fa042ae8fba584b09ff",
			32: "dc7e84bfda79164b7ecd8486985d386039ffed143b28b1c832113c6331e5407bdf10132415e54b92a13ed0a8267ae2f975a385741ab9cef82031623d55b1e471",
		})
		back := []conformance.Vector{{Key: list[0].Key, IV: list[0].IV, Plaintext: list[0].Ciphertext, Ciphertext: list[0].Plaintext}}
		t.Run("Encrypt", func(t *testing.T) {
			conformance.Stream(t, conformance.StreamCase{
				KeySize: size, IVSize: aes.BlockSize,
				New:       func(key, iv []byte) cipher.Stream { return must(d.New(key)).NewCFBEncrypter(iv) },
				Keyed:     conformance.Of(d.New, (*aes.Cipher).NewCFBEncrypter),
				Reference: func(key, iv []byte) cipher.Stream { return cipher.NewCFBEncrypter(oracle(key), iv) }, //lint:ignore SA1019 it is the reference
				Vectors:   list,
			})
		})
		t.Run("Decrypt", func(t *testing.T) {
			conformance.Stream(t, conformance.StreamCase{
				KeySize: size, IVSize: aes.BlockSize,
				New:       func(key, iv []byte) cipher.Stream { return must(d.New(key)).NewCFBDecrypter(iv) },
				Keyed:     conformance.Of(d.New, (*aes.Cipher).NewCFBDecrypter),
				Reference: func(key, iv []byte) cipher.Stream { return cipher.NewCFBDecrypter(oracle(key), iv) }, //lint:ignore SA1019 it is the reference
				Vectors:   back,
			})
		})
	})
}

func TestLongCFB(t *testing.T) {
	conformance.LongCFB(t, aes.Drivers(), func(name string, iv []byte) cipher.Stream {
		return must(must(aes.On(name)).New(make([]byte, 16))).NewCFBDecrypter(iv)
	})
}

func TestOFB(t *testing.T) {
	eachKeySize(t, func(t *testing.T, d aes.Driver, size int) {
		conformance.Stream(t, conformance.StreamCase{
			KeySize: size, IVSize: aes.BlockSize,
			New:       func(key, iv []byte) cipher.Stream { return must(d.New(key)).NewOFB(iv) },
			Keyed:     conformance.Of(d.New, (*aes.Cipher).NewOFB),
			Reference: func(key, iv []byte) cipher.Stream { return cipher.NewOFB(oracle(key), iv) }, //lint:ignore SA1019 it is the reference
			Vectors: vector(t, size, iv0, map[int]string{ // SP 800-38A, F.4
				16: "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed8259740051e9c5fecf64344f7a82260edcc304c6528f659c77866a510d9c1d6ae5e",
				24: "cdc80d6fddf18cab34c25909c99a4174fcc28b8d4c63837c09e81700c11004018d9a9aeac0f6596f559c6d4daf59a5f26d9f200857ca6c3e9cac524bd9acc92a",
				32: "dc7e84bfda79164b7ecd8486985d38604febdc6740d20b3ac88f6ad82a4fb08d71ab47a086e86eedf39d1c5bba97c4080126141d67f37be8538f5a8be740e484",
			}),
		})
	})
}

func TestGCM(t *testing.T) {
	eachKeySize(t, func(t *testing.T, d aes.Driver, size int) {
		c := conformance.AEADCase{
			KeySize:    size,
			NonceSizes: []int{12, 1, 8, 11, 13, 16, 17, 32, 100},
			TagSizes:   []int{16, 12, 13, 14, 15},
			New: func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
				return must(d.New(key)).NewGCM(nonceSize, tagSize)
			},
			Keyed: func(key []byte, nonceSize, tagSize int) (cipher.AEAD, conformance.Wiper) {
				c := must(d.New(key))
				return must(c.NewGCM(nonceSize, tagSize)), c
			},
			Reference: func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
				return conformance.ReferenceGCM(oracle(key), nonceSize, tagSize)
			},
			NonceFor:  func(key []byte, j0 [16]byte) []byte { return conformance.GCMNonce(oracle(key), j0) },
			Vectors:   gcmVectors(t, size),
			Allocates: stdAllocates(d),
		}
		conformance.AEAD(t, c)
		t.Run("Wycheproof", func(t *testing.T) {
			conformance.WycheproofAEAD(t, c, os.DirFS("testdata"), "wycheproof_aes_gcm.json.gz")
		})
	})
}

// gcmVectors returns test case 4, 10 or 16 of "The Galois/Counter Mode of
// Operation" by McGrew and Viega.
func gcmVectors(t *testing.T, size int) []conformance.AEADVector {
	const key = "feffe9928665731c6d6a8f9467308308"
	return []conformance.AEADVector{{
		Key:            vectors.Hex(t, key+key)[:size],
		Nonce:          vectors.Hex(t, "cafebabefacedbaddecaf888"),
		AdditionalData: vectors.Hex(t, "feedfacedeadbeeffeedfacedeadbeefabaddad2"),
		Plaintext:      vectors.Hex(t, "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"),
		Ciphertext: vectors.Hex(t, map[int]string{
			16: "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47",
			24: "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda27102519498e80f1478f37ba55bd6d27618c",
			32: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b",
		}[size]),
	}}
}

func TestCCM(t *testing.T) {
	eachKeySize(t, func(t *testing.T, d aes.Driver, size int) {
		c := conformance.AEADCase{
			KeySize:    size,
			NonceSizes: []int{12, 7, 8, 9, 10, 11, 13},
			TagSizes:   []int{16, 4, 6, 8, 10, 12, 14},
			New: func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
				return must(d.New(key)).NewCCM(nonceSize, tagSize)
			},
			Keyed: func(key []byte, nonceSize, tagSize int) (cipher.AEAD, conformance.Wiper) {
				c := must(d.New(key))
				return must(c.NewCCM(nonceSize, tagSize)), c
			},
			Reference: func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
				return must(must(aes.On("generic")).New(key)).NewCCM(nonceSize, tagSize)
			},
			Vectors:   ccmVectors(t, size),
			Allocates: stdAllocates(d),
		}
		if testing.Short() {
			c.NonceSizes, c.TagSizes = c.NonceSizes[:1], c.TagSizes[:1]
		}
		conformance.AEAD(t, c)
		t.Run("Wycheproof", func(t *testing.T) {
			conformance.WycheproofAEAD(t, c, os.DirFS("testdata"), "wycheproof_aes_ccm.json.gz")
		})
	})
}

// The additional data may fit into the first blocks that a kernel gets, or not, and so may the text
// into one call.
func TestCCMParts(t *testing.T) {
	p := random(2, 3<<16)
	generic := must(must(must(aes.On("generic")).New(p[:16])).NewCCM(12, 16))
	eachDriver(t, func(t *testing.T, d aes.Driver) {
		c := must(must(d.New(p[:16])).NewCCM(12, 16))
		check := func(n, size int) {
			t.Helper()
			want := generic.Seal(nil, p[:12], p[:n], p[:size])
			if got := c.Seal(nil, p[:12], p[:n], p[:size]); !bytes.Equal(got, want) {
				t.Errorf("%d bytes of text and %d of data: wrong", n, size)
			}
			if got, err := c.Open(nil, p[:12], want, p[:size]); err != nil || !bytes.Equal(got, p[:n]) {
				t.Errorf("%d bytes of text and %d of data: Open: %v", n, size, err)
			}
			want[n/2] ^= 1
			if _, err := c.Open(want[:0], p[:12], want, p[:size]); err == nil {
				t.Errorf("%d bytes of text and %d of data: no error for another ciphertext", n, size)
			} else if n > 0 && !bytes.Equal(want[:n], make([]byte, n)) {
				t.Errorf("%d bytes of text and %d of data: plaintext is left", n, size)
			}
		}
		for size := range 300 {
			check(20, size)
		}
		for n := range 100 {
			check(n, 13)
		}
		for _, n := range []int{0, 1, 15, 16, 17, 31, 1<<16 - 1, 1 << 16, 1<<16 + 15, 1<<16 + 16, 1<<16 + 17} {
			check(1<<16+n, 13)
			check(n, 1<<16+20)
		}
	})
}

// ccmVectors returns example 3 of NIST SP 800-38C, appendix C. For longer keys, the
// input is the same and the output is from OpenSSL 4.0.0.
func ccmVectors(t *testing.T, size int) []conformance.AEADVector {
	return []conformance.AEADVector{{
		Key:            vectors.Hex(t, "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f")[:size],
		Nonce:          vectors.Hex(t, "101112131415161718191a1b"),
		AdditionalData: vectors.Hex(t, "000102030405060708090a0b0c0d0e0f10111213"),
		Plaintext:      vectors.Hex(t, "202122232425262728292a2b2c2d2e2f3031323334353637"),
		Ciphertext: vectors.Hex(t, map[int]string{
			16: "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5484392fbc1b09951",
			24: "8081316fd89624d62ce7637fb94995b6631c50d61586de0142366952505f995a",
			32: "04f883aeb3bd0730eaf50bb6de4fa2212034e4e41b0e75e52b48c8766f7e7649",
		}[size]),
	}}
}

func TestGCMSIV(t *testing.T) {
	eachKeySize(t, func(t *testing.T, d aes.Driver, size int) {
		if size == 24 {
			if _, err := d.NewGCMSIV(make([]byte, size)); err == nil {
				t.Error("takes a key of 24 bytes")
			}
			return
		}
		c := conformance.AEADCase{
			KeySize: size, NonceSizes: []int{12}, TagSizes: []int{16},
			New:       func(key []byte, _, _ int) (cipher.AEAD, error) { return d.NewGCMSIV(key) },
			Reference: func(key []byte, _, _ int) (cipher.AEAD, error) { return must(aes.On("generic")).NewGCMSIV(key) },
			Vectors:   gcmSIVVectors(t, size),
			Allocates: stdAllocates(d),
		}
		conformance.AEAD(t, c)
		t.Run("Wycheproof", func(t *testing.T) {
			conformance.WycheproofAEAD(t, c, os.DirFS("testdata"), "wycheproof_aes_gcm_siv.json.gz")
		})
	})
}

// gcmSIVVectors returns vectors of RFC 8452, C.1 and C.2.
func gcmSIVVectors(t *testing.T, size int) []conformance.AEADVector {
	key := make([]byte, size)
	key[0] = 1
	return []conformance.AEADVector{{
		Key:            key,
		Nonce:          vectors.Hex(t, "030000000000000000000000"),
		AdditionalData: vectors.Hex(t, "01"),
		Plaintext:      vectors.Hex(t, "0200000000000000"),
		Ciphertext: vectors.Hex(t, map[int]string{
			16: "1e6daba35669f4273b0a1a2560969cdf790d99759abd1508",
			32: "1de22967237a813291213f267e3b452f02d01ae33e4ec854",
		}[size]),
	}}
}

// Code that accepts a cipher.Block finds the fast paths of a Cipher.
func TestSeams(t *testing.T) {
	b := must(aes.NewCipher(make([]byte, 16)))
	iv := make([]byte, aes.BlockSize)
	c := b.(*aes.Cipher)
	for _, pair := range [][2]any{
		{must(cipher.NewGCM(b)), must(c.NewGCM(12, 16))},
		{must(cipher.NewGCMWithTagSize(b, 12)), must(c.NewGCM(12, 12))},
		{must(cipher.NewGCMWithNonceSize(b, 13)), must(c.NewGCM(13, 16))},
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
	conformance.KeySizes(t, "aes", must(aes.On("generic")))
	var size aes.KeySizeError
	if _, err := aes.New(make([]byte, 17)); !errors.As(err, &size) || size != 17 {
		t.Errorf("error %v", err)
	}
}

func TestXCBCKeySize(t *testing.T) {
	for _, n := range []int{24, 32} {
		if _, err := aes.NewXCBC(make([]byte, n)); err == nil {
			t.Errorf("takes a key of %d bytes", n)
		}
	}
}

func TestFIPS(t *testing.T) { conformance.NotInFIPS(t, "aes", must(aes.On("generic"))) }

// A wiped key is refused, also by what was made from it.
func TestWipe(t *testing.T) {
	eachDriver(t, func(t *testing.T, d aes.Driver) {
		key := random(9, 32)
		c, r := must(d.New(key)), must(d.NewGCMWithRandomNonce(key))
		for _, x := range []any{c, r} {
			x.(conformance.Wiper).Wipe()
		}
		conformance.Refuses(t, nil, "NewCMAC", func() { c.NewCMAC() })
		conformance.Refuses(t, nil, "Seal with a random nonce", func() { r.Seal(nil, nil, nil, nil) })
		conformance.Fails(t, nil, "Open with a random nonce", func() error { _, err := r.Open(nil, nil, key, nil); return err })
		for name, f := range map[string]func(dst, p []byte) ([]byte, error){"WrapKey": c.WrapKey, "UnwrapKey": c.UnwrapKey, "WrapKeyPadded": c.WrapKeyPadded, "UnwrapKeyPadded": c.UnwrapKeyPadded} {
			conformance.Fails(t, nil, name, func() error { _, err := f(nil, key); return err })
		}
		conformance.Fails(t, nil, "NewGCM", func() error { _, err := c.NewGCM(12, 16); return err })
	})
}

// stdAllocates reports whether modes of a driver may allocate memory for every message: crypto/cipher does for
// GCM, and for a counter that does not follow the last one.
func stdAllocates(d aes.Driver) bool { return aes.Uses(d, "std") }
