package modes_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/internal/vectors"
)

// Keys, IV and plaintext of NIST SP 800-38A, appendix F, and SP 800-38B,
// appendix D.
var (
	nistKeys = []string{
		"2b7e151628aed2a6abf7158809cf4f3c",
		"8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
		"603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
	}
	nistIV   = "000102030405060708090a0b0c0d0e0f"
	nistText = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)

// streamCases runs the suite of streams for the three sizes of keys, each with
// one vector. With backwards the vector's ciphertext is the input.
func streamCases(t *testing.T, ciphertexts []string, backwards bool,
	subject func(c modes.Cipher, iv []byte) cipher.Stream, reference func(b cipher.Block, iv []byte) cipher.Stream) {
	for i, key := range nistKeys {
		v := conformance.Vector{
			Key: vectors.Hex(t, key), IV: vectors.Hex(t, nistIV),
			Plaintext: vectors.Hex(t, nistText), Ciphertext: vectors.Hex(t, ciphertexts[i]),
		}
		if backwards {
			v.Plaintext, v.Ciphertext = v.Ciphertext, v.Plaintext
		}
		eachCipher(t, fmt.Sprint(8*len(v.Key)), func(t *testing.T, newCipher func(key []byte) wiper) {
			conformance.Stream(t, conformance.StreamCase{
				KeySize: len(v.Key), IVSize: 16,
				New: func(key, iv []byte) cipher.Stream { return subject(newCipher(key), iv) },
				Keyed: func(key, iv []byte) (cipher.Stream, conformance.Wiper) {
					c := newCipher(key)
					return subject(c, iv), c
				},
				Reference: func(key, iv []byte) cipher.Stream {
					b, err := aes.NewCipher(key)
					if err != nil {
						t.Fatal(err)
					}
					return reference(b, iv)
				},
				Vectors: []conformance.Vector{v},
			})
		})
	}
}

func TestCFB(t *testing.T) {
	ciphertexts := []string{ // SP 800-38A, F.3.13, F.3.15, F.3.17
		"3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b26751f67a3cbb140b1808cf187a4f4dfc04b05357c5d1c0eeac4c66f9ff7f2e6",
		"cdc80d6fddf18cab34c25909c99a417467ce7f7f81173621961a2b70171d3d7a2e1e8a1dd59b88b1c8e60fed1efac4c9c05f9f9ca9834fa042ae8fba584b09ff",
		"dc7e84bfda79164b7ecd8486985d386039ffed143b28b1c832113c6331e5407bdf10132415e54b92a13ed0a8267ae2f975a385741ab9cef82031623d55b1e471",
	}
	t.Run("Encrypt", func(t *testing.T) {
		//lint:ignore SA1019 it is the reference
		streamCases(t, ciphertexts, false, modes.NewCFBEncrypter, cipher.NewCFBEncrypter)
	})
	t.Run("Decrypt", func(t *testing.T) {
		//lint:ignore SA1019 it is the reference
		streamCases(t, ciphertexts, true, modes.NewCFBDecrypter, cipher.NewCFBDecrypter)
	})
}

// unaided is a cipher without a kernel for CFB.
type unaided struct{ *plain }

func (unaided) CFBDecrypt(iv *[16]byte, dst, src []byte) int { return 0 }

// Messages that are whole passes, or end a block away from one.
func TestCFBPasses(t *testing.T) {
	key, iv := make([]byte, 16), make([]byte, 16)
	for _, n := range []int{2032, 2048, 2064, 4080, 4096, 4112, 8192} {
		text := bytes.Repeat([]byte("a message. "), n/11+1)[:n]
		want, back := make([]byte, n), make([]byte, n)
		//lint:ignore SA1019 it is the reference
		cipher.NewCFBEncrypter(newPlain(key).Block, iv).XORKeyStream(want, text)
		c := unaided{newPlain(key)}
		got := make([]byte, n)
		if modes.NewCFBEncrypter(c, iv).XORKeyStream(got, text); !bytes.Equal(got, want) {
			t.Errorf("%d bytes: wrong", n)
		}
		if modes.NewCFBDecrypter(c, iv).XORKeyStream(back, got); !bytes.Equal(back, text) {
			t.Errorf("%d bytes: wrong after decrypting", n)
		}
	}
}
