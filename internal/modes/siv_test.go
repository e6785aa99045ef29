package modes_test

import (
	"crypto/cipher"
	"fmt"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/internal/vectors"
)

func TestSIV(t *testing.T) {
	for _, size := range []int{32, 48, 64} {
		eachCipher(t, fmt.Sprint(8*size), func(t *testing.T, newCipher func(key []byte) wiper) {
			c := conformance.SIVCase{
				KeySize: size,
				New: func(key []byte) conformance.SIVCipher {
					return modes.NewSIV(newCipher(key[:len(key)/2]), newCipher(key[len(key)/2:]))
				},
				Reference: func(key []byte) cipher.Block { return newPlain(key).Block },
				Vectors: []conformance.SIVVector{{ // RFC 5297, A.1
					Key:        vectors.Hex(t, "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
					Data:       [][]byte{vectors.Hex(t, "101112131415161718191a1b1c1d1e1f2021222324252627")},
					Plaintext:  vectors.Hex(t, "112233445566778899aabbccddee"),
					Ciphertext: vectors.Hex(t, "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c"),
				}},
			}
			conformance.SIV(t, c)
			t.Run("Wycheproof", func(t *testing.T) {
				conformance.WycheproofSIV(t, c, testdata, "wycheproof_aes_siv_cmac.json.gz", "wycheproof_aead_aes_siv_cmac.json.gz")
			})
		})
	}
}

// Neither form allocates memory, also for strings that are arguments.
func TestSIVAllocations(t *testing.T) {
	s := modes.NewSIV(newPlain(count(1, 16)), newPlain(count(2, 17)))
	a, b, text, dst := count(3, 22), count(4, 19), count(5, 104), make([]byte, 0, 200)
	conformance.NoAllocs(t, "both forms", func() {
		sealed := s.SealDeterministic(dst, text, a, b, nil)
		if _, err := s.OpenDeterministic(sealed[:0], sealed, a, b, nil); err != nil {
			t.Fatal(err)
		}
		sealed = s.Seal(dst, b, text, a)
		if _, err := s.Open(sealed[:0], b, sealed, a); err != nil {
			t.Fatal(err)
		}
	})
}

// Wipe wipes both keys.
func TestSIVWipe(t *testing.T) {
	mac, ctr := newPlain(count(1, 16)), newPlain(count(2, 17))
	modes.NewSIV(mac, ctr).Wipe()
	if *mac.WipeMark() != modes.Wiped || *ctr.WipeMark() != modes.Wiped {
		t.Error("a cipher was not wiped")
	}
}
