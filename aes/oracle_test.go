package aes_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/cipherlane/cipherlane/aes"
)

// The oracle must agree with the specification, so that tests can use either.
func TestOracle(t *testing.T) {
	source := rand.NewChaCha8([32]byte{})
	for _, size := range []int{16, 24, 32} {
		key, in, want, got := make([]byte, size), make([]byte, 16), make([]byte, 16), make([]byte, 16)
		for range 300 {
			source.Read(key)
			source.Read(in)
			spec, oracle := aes.NewSpecBlock(key), oracle(key)
			spec.Encrypt(want, in)
			if oracle.Encrypt(got, in); !bytes.Equal(got, want) {
				t.Fatalf("%d bits: key %x, block %x: encrypted to %x, want %x", 8*size, key, in, got, want)
			}
			spec.Decrypt(want, in)
			if oracle.Decrypt(got, in); !bytes.Equal(got, want) {
				t.Fatalf("%d bits: key %x, block %x: decrypted to %x, want %x", 8*size, key, in, got, want)
			}
		}
	}
}
