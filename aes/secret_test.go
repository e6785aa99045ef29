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
