package sm4_test

import (
	"bytes"
	"crypto/cipher"
	"hash"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/vectors"
	"github.com/cipherlane/cipherlane/sm4"
)

// The framing of these modes is tested in internal/modes; here it is tested with the
// kernels of every driver.

// random returns bytes that are the same in every run.
func random(seed byte, n int) []byte {
	b := make([]byte, n)
	stream := must(must(sm4.On("generic")).New(bytes.Repeat([]byte{seed}, 16))).NewCTR(make([]byte, 16))
	stream.XORKeyStream(b, b)
	return b
}

func TestCFB(t *testing.T) {
	spec := sm4.NewSpecBlock
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		list := []conformance.Vector{ // draft-ribose-cfrg-sm4-10, A.2.4
			vector(t, key1, iv0, text32, "ac3236cb861dd316e6413b4e3c7524b769d4c54ed433b9a0346009beb37b2b3f"),
			vector(t, key2, iv0, text32, "5dcccd25a84ba16560d7f265887068490d9b86ff20c3bfe115ffa02ca6192cc5"),
		}
		var back []conformance.Vector
		for _, v := range list {
			v.Plaintext, v.Ciphertext = v.Ciphertext, v.Plaintext
			back = append(back, v)
		}
		t.Run("Encrypt", func(t *testing.T) {
			conformance.Stream(t, conformance.StreamCase{
				KeySize: sm4.KeySize, IVSize: sm4.BlockSize,
				New:       func(key, iv []byte) cipher.Stream { return must(d.New(key)).NewCFBEncrypter(iv) },
				Keyed:     conformance.Of(d.New, (*sm4.Cipher).NewCFBEncrypter),
				Reference: func(key, iv []byte) cipher.Stream { return cipher.NewCFBEncrypter(spec(key), iv) }, //lint:ignore SA1019 it is the reference
				Vectors:   list,
			})
		})
		t.Run("Decrypt", func(t *testing.T) {
			conformance.Stream(t, conformance.StreamCase{
				KeySize: sm4.KeySize, IVSize: sm4.BlockSize,
				New:       func(key, iv []byte) cipher.Stream { return must(d.New(key)).NewCFBDecrypter(iv) },
				Keyed:     conformance.Of(d.New, (*sm4.Cipher).NewCFBDecrypter),
				Reference: func(key, iv []byte) cipher.Stream { return cipher.NewCFBDecrypter(spec(key), iv) }, //lint:ignore SA1019 it is the reference
				Vectors:   back,
			})
		})
	})
}

func TestLongCFB(t *testing.T) {
	conformance.LongCFB(t, sm4.Drivers(), func(name string, iv []byte) cipher.Stream {
		return must(must(sm4.On(name)).New(make([]byte, sm4.KeySize))).NewCFBDecrypter(iv)
	})
}

func TestOFB(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		conformance.Stream(t, conformance.StreamCase{
			KeySize: sm4.KeySize, IVSize: sm4.BlockSize,
			New:       func(key, iv []byte) cipher.Stream { return must(d.New(key)).NewOFB(iv) },
			Keyed:     conformance.Of(d.New, (*sm4.Cipher).NewOFB),
			Reference: func(key, iv []byte) cipher.Stream { return cipher.NewOFB(sm4.NewSpecBlock(key), iv) }, //lint:ignore SA1019 it is the reference
			Vectors: []conformance.Vector{ // draft-ribose-cfrg-sm4-10, A.2.3
				vector(t, key1, iv0, text32, "ac3236cb861dd316e6413b4e3c7524b71d01aca2487ca582cbf5463e6698539b"),
				vector(t, key2, iv0, text32, "5dcccd25a84ba16560d7f2658870684933fa16bd5cd9c856cacaa1e101897a97"),
			},
		})
	})
}

func TestCCM(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		c := conformance.AEADCase{
			KeySize:    sm4.KeySize,
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
				return must(must(sm4.On("generic")).New(key)).NewCCM(nonceSize, tagSize)
			},
			Vectors: []conformance.AEADVector{{ // RFC 8998, A.2
				Key:            vectors.Hex(t, key1),
				Nonce:          vectors.Hex(t, "00001234567800000000abcd"),
				AdditionalData: vectors.Hex(t, "feedfacedeadbeeffeedfacedeadbeefabaddad2"),
				Plaintext:      vectors.Hex(t, "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccddddddddddddddddeeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa"),
				Ciphertext: vectors.Hex(t, "48af93501fa62adbcd414cce6034d895dda1bf8f132f042098661572e7483094fd12e518ce062c98acee28d95df4416bed31a2f04476c18bb40c84a74b97dc5b"+
					"16842d4fa186f56ab33256971fa110f4"),
			}},
		}
		if testing.Short() {
			c.NonceSizes, c.TagSizes = c.NonceSizes[:1], c.TagSizes[:1]
		}
		conformance.AEAD(t, c)
		t.Run("Wycheproof", func(t *testing.T) {
			conformance.WycheproofAEAD(t, c, os.DirFS("testdata"), "wycheproof_sm4_ccm.json.gz")
		})
	})
}

// No standard defines GCM-SIV for SM4. The inputs are from RFC 8452, appendix C.1, the
// outputs from gmsm v0.44.1.
func TestGCMSIV(t *testing.T) {
	var list []conformance.AEADVector
	add := func(key, nonce, data, plaintext, ciphertext string) {
		list = append(list, conformance.AEADVector{Key: vectors.Hex(t, key), Nonce: vectors.Hex(t, nonce), AdditionalData: vectors.Hex(t, data),
			Plaintext: vectors.Hex(t, plaintext), Ciphertext: vectors.Hex(t, ciphertext)})
	}
	add("01000000000000000000000000000000", "030000000000000000000000", "", "", "1a8a0d12690856bd81e73d4b49a484a6")
	add("01000000000000000000000000000000", "030000000000000000000000", "", "0100000000000000", "16e66877e329088e4f4d87a1f8258ae12df0f22b62350000")
	add("01000000000000000000000000000000", "030000000000000000000000", "", "01000000000000000000000000000000020000000000000000000000000000000300000000000000000000000000000004000000000000000000000000000000", "d2fc375faff7ce4798de2129954c207e028e300de472059696291cb3f529f724be1ec5d82551351b6a7c6b7483fe9ed2029d2ef186c0c8ccf900eb1e67387305c9ca5c81b55ac70ac23f83e6af0ab9cc")
	add("01000000000000000000000000000000", "030000000000000000000000", "01", "02000000000000000000000000000000030000000000000000000000000000000400000000000000000000000000000005000000000000000000000000000000", "08317d0ed54b67dbd7e57519a0b17f1b419e5a9af874cb98216d0a0539d510f308740c76e9350e55087b1d3c0570a9ef7ac92f1361fc3a6eb260744913c4c71385a1b818cbcc7fc6292f65f68b93a896")
	add("01000000000000000000000000000000", "030000000000000000000000", "010000000000000000000000000000000200", "0300000000000000000000000000000004000000", "fb9569aedbd94d84cffeb6a1154c8837d0cde03cd8c3c0a97dac687871ca89a5cdd6797b")
	add("36864200e0eaf5284d884a0e77d31646", "bae8e37fc83441b16034566b", "46bb91c3c5", "7a806c", "871295e3f05e22dbfc975bae33c608d143a363")
	add("f901cfe8a69615a93fdf7a98cad48179", "6245709fb18853f68d833640", "7576f7028ec6eb5ea7e298342a94d4b202b370ef9768ec6561c4fe6b7e7296fa859c21", "e42a3c02c25b64869e146d7b233987bddfc240871d", "53405fa1b85adc9e6fc576d7a119c74bd6f4787049387c276bf06ef5420fb302723d2bc26f")
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		for _, size := range []int{0, 15, 17, 24, 32} {
			if a, err := d.NewGCMSIV(make([]byte, size)); a != nil || err == nil {
				t.Errorf("a key of %d bytes: %v", size, err)
			}
		}
		conformance.AEAD(t, conformance.AEADCase{
			KeySize:    sm4.KeySize,
			NonceSizes: []int{12},
			TagSizes:   []int{16},
			New:        func(key []byte, _, _ int) (cipher.AEAD, error) { return d.NewGCMSIV(key) },
			Reference:  func(key []byte, _, _ int) (cipher.AEAD, error) { return must(sm4.On("generic")).NewGCMSIV(key) },
			Vectors:    list,
		})
	})
}

// macVectors returns vectors with the key of GB/T 15852.1-2020, appendix B.
// No standard defines SIV for SM4. The inputs are from RFC 5297, appendix A, the outputs from
// libgcrypt.
func TestSIV(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		conformance.SIV(t, conformance.SIVCase{
			KeySize:   2 * sm4.KeySize,
			New:       func(key []byte) conformance.SIVCipher { return must(d.NewSIV(key)) },
			Reference: sm4.NewSpecBlock,
			Vectors: []conformance.SIVVector{{
				Key:        vectors.Hex(t, "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
				Data:       [][]byte{vectors.Hex(t, "101112131415161718191a1b1c1d1e1f2021222324252627")},
				Plaintext:  vectors.Hex(t, "112233445566778899aabbccddee"),
				Ciphertext: vectors.Hex(t, "9a12a8d7bd932d583b0e02e45e836a7c3df7b452319cdda38530d3182a66"),
			}, {
				Key: vectors.Hex(t, "7f7e7d7c7b7a79787776757473727170404142434445464748494a4b4c4d4e4f"),
				Data: [][]byte{
					vectors.Hex(t, "00112233445566778899aabbccddeeffdeaddadadeaddadaffeeddccbbaa99887766554433221100"),
					vectors.Hex(t, "102030405060708090a0"),
					vectors.Hex(t, "09f911029d74e35bd84156c5635688c0"),
				},
				Plaintext:  []byte("this is some plaintext to encrypt using SIV-AES"),
				Ciphertext: vectors.Hex(t, "ff1180d27c75af4950aadb9dbd4c42f2956b0f048f40fe23aa108d3f62dcf34e2ac9fc0d2ab510b6a3108f3f32d75f26bdda9d6c7cee27f897f29ae5baff16"),
			}},
		})
		s := must(d.NewSIV(random(1, 32)))
		a, b, dst := random(2, 20), random(3, 16), make([]byte, 0, 100)
		conformance.NoAllocs(t, "with strings as arguments", func() {
			sealed := s.SealDeterministic(dst, a, a, b, nil)
			must(s.OpenDeterministic(sealed[:0], sealed, a, b, nil))
		})
	})
}

func macVectors(t *testing.T, tags map[string]string) []conformance.MACVector {
	var list []conformance.MACVector
	for message, tag := range tags {
		list = append(list, conformance.MACVector{Key: vectors.Hex(t, key1), Message: []byte(message), Tag: vectors.Hex(t, tag)})
	}
	return list
}

func TestCMAC(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		conformance.MAC(t, conformance.MACCase{
			KeySize: sm4.KeySize,
			New:     func(key []byte) hash.Hash { return must(d.New(key)).NewCMAC() },
			Keyed: func(key []byte) (hash.Hash, conformance.Wiper) {
				c := must(d.New(key))
				return c.NewCMAC(), c
			},
			Reference: func(key []byte) hash.Hash { return must(must(sm4.On("generic")).New(key)).NewCMAC() },
			Vectors: macVectors(t, map[string]string{ // GB/T 15852.1-2020, appendix B
				"":                                 "29e154322e5c7bd8ee6a25ba549b24bc",
				"This is the test message for mac": "692c437100f3b5ee2b8abcef373d990c",
				"This is the test message ":        "4738a6c760b280fc0c8a8af3886e9f5d",
			}),
		})
	})
}

func TestCBCMAC(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		conformance.MAC(t, conformance.MACCase{
			KeySize: sm4.KeySize,
			New:     func(key []byte) hash.Hash { return must(d.New(key)).NewCBCMAC() },
			Keyed: func(key []byte) (hash.Hash, conformance.Wiper) {
				c := must(d.New(key))
				return c.NewCBCMAC(), c
			},
			Reference: func(key []byte) hash.Hash { return must(must(sm4.On("generic")).New(key)).NewCBCMAC() },
			// The standard also pads whole blocks, with a one bit before the zeros; here
			// the messages include that padding. The last one lacks three zeros.
			Vectors: macVectors(t, map[string]string{
				"\x80" + strings.Repeat("\x00", 15):                                 "8c338e5a27e349beae39214feda97099",
				"This is the test message for mac\x80" + strings.Repeat("\x00", 15): "4b6553af3c4e27448412315ac7849535",
				"This is the test message \x80\x00\x00\x00":                         "421ad1690aa152e2846fa2a5d83445a9",
			}),
		})
	})
}

// specXCBC is RFC 3566, section 4, with SM4.
func specXCBC(key, message []byte) []byte {
	var derived [3][]byte
	for i := range derived {
		derived[i] = bytes.Repeat([]byte{byte(i + 1)}, 16)
		sm4.NewSpecBlock(key).Encrypt(derived[i], derived[i])
	}
	message, last := slices.Clone(message), derived[1]
	if n := len(message); n == 0 || n%16 != 0 {
		message = append(message, 0x80)
		message = append(message, make([]byte, -len(message)&15)...)
		last = derived[2]
	}
	for i, v := range last {
		message[len(message)-16+i] ^= v
	}
	cipher.NewCBCEncrypter(sm4.NewSpecBlock(derived[0]), make([]byte, 16)).CryptBlocks(message, message)
	return message[len(message)-16:]
}

func TestXCBC(t *testing.T) {
	key, message := vectors.Hex(t, iv0), random(1, 100)
	var list []conformance.MACVector
	for n := range message {
		list = append(list, conformance.MACVector{Key: key, Message: message[:n], Tag: specXCBC(key, message[:n])})
	}
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		conformance.MAC(t, conformance.MACCase{
			KeySize:   sm4.KeySize,
			New:       func(key []byte) hash.Hash { return must(d.NewXCBC(key)) },
			Reference: func(key []byte) hash.Hash { return must(must(sm4.On("generic")).NewXCBC(key)) },
			Vectors:   list,
		})
	})
}

func TestXTS(t *testing.T) {
	for name, kind := range map[string]struct {
		new    func(d sm4.Driver, key []byte) (*sm4.XTS, error)
		double func(tweak *[16]byte)
	}{
		"IEEE": {sm4.Driver.NewXTS, conformance.DoubleIEEE},
		"GB":   {sm4.Driver.NewXTSGB, conformance.DoubleGB},
	} {
		t.Run(name, func(t *testing.T) {
			c := conformance.XTSCase{KeySize: 32, Reference: sm4.NewSpecBlock, Double: kind.double}
			eachDriver(t, func(t *testing.T, d sm4.Driver) {
				c.Test(t, func(key []byte) (conformance.XTSCipher, error) { return kind.new(d, key) })
				c.TestMode(t, name == "GB", func(key []byte) (conformance.XTSBlock, error) { return d.New(key) })
			})
		})
	}
}

func TestXTSVectors(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		for _, v := range []struct {
			new                                    func(key []byte) (*sm4.XTS, error)
			name, key, tweak, plaintext, encrypted string
		}{
			{
				d.NewXTSGB, "GB/T 17964-2021, B.7",
				"2b7e151628aed2a6abf7158809cf4f3c000102030405060708090a0b0c0d0e0f", "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
				"6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17",
				"e9538251c71d7b80bbe4483fef497bd12c5c581bd6242fc51e08964fb4f60fdb0ba42f63499279213d318d2c11f6886e903be7f93a1b3479",
			},
			{
				d.NewXTS, "the same, as IEEE 1619 has it, by OpenSSL (evpciph_sm4.txt)",
				"2b7e151628aed2a6abf7158809cf4f3c000102030405060708090a0b0c0d0e0f", "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
				"6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17",
				"e9538251c71d7b80bbe4483fef497bd1b3db1a3e60408c575d63ff7db39f83260869f9e2585fec9f0b863bf8fd784b8627d16c0db6d2cfc7",
			},
			{
				d.NewXTS, "IEEE 1619, B, vector 2, with SM4 by gmsm v0.44.1",
				"1111111111111111111111111111111122222222222222222222222222222222", "33333333330000000000000000000000",
				"4444444444444444444444444444444444444444444444444444444444444444",
				"a74d726c11196a32be04e001ff29d0c7932f9f3ec29bfcb64dd17f63cbd3ea31",
			},
		} {
			x, got, tweak := must(v.new(vectors.Hex(t, v.key))), vectors.Hex(t, v.plaintext), [16]byte(vectors.Hex(t, v.tweak))
			if x.EncryptTweak(got, got, &tweak); !bytes.Equal(got, vectors.Hex(t, v.encrypted)) {
				t.Errorf("%s: encrypted to %x", v.name, got)
			}
			if x.DecryptTweak(got, got, &tweak); !bytes.Equal(got, vectors.Hex(t, v.plaintext)) {
				t.Errorf("%s: decrypted to %x", v.name, got)
			}
		}
	})
}

func TestXTSKeys(t *testing.T) {
	for name, f := range map[string]func(key []byte) (*sm4.XTS, error){"NewXTS": sm4.NewXTS, "NewXTSGB": sm4.NewXTSGB} {
		if x, err := f(make([]byte, 32)); x != nil || err == nil || !strings.Contains(err.Error(), "halves") {
			t.Errorf("%s takes a key whose halves are equal: %v", name, err)
		}
		for n := range 70 {
			if x, err := f(random(1, n)); n != 32 && (x != nil || err == nil || !strings.Contains(err.Error(), "invalid XTS key size")) {
				t.Errorf("%s takes a key of %d bytes: %v", name, n, err)
			}
		}
	}
	for n := range 70 {
		if s, err := sm4.NewSIV(random(1, n)); n != 32 && (s != nil || err == nil || !strings.Contains(err.Error(), "invalid SIV key size")) {
			t.Errorf("NewSIV takes a key of %d bytes: %v", n, err)
		}
	}
	for n := range 40 {
		if h, err := sm4.NewXCBC(random(1, n)); n != 16 && (h != nil || err == nil || !strings.Contains(err.Error(), "invalid XCBC key size")) {
			t.Errorf("NewXCBC takes a key of %d bytes: %v", n, err)
		}
	}
}

func TestCTS(t *testing.T) {
	c := conformance.CTSCase{KeySize: sm4.KeySize, Reference: sm4.NewSpecBlock}
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		c.Test(t, func(key []byte) conformance.CTSCipher { return must(d.New(key)) })
	})
}

func TestRandomNonce(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		key := random(6, 16)
		conformance.RandomNonce(t, must(d.NewGCMWithRandomNonce(key)), must(cipher.NewGCM(sm4.NewSpecBlock(key))), false)
	})
}

func TestNonceInDestination(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		c := must(d.New(random(1, 16)))
		conformance.NonceInDestination(t, must(c.NewGCM(12, 16)), must(c.NewCCM(12, 16)), must(d.NewGCMSIV(random(1, 16))), must(d.NewSIV(random(1, 32))))
	})
}
