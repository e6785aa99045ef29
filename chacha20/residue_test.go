//go:build !race

package chacha20_test

import (
	"bytes"
	"testing"

	"github.com/cipherlane/cipherlane/chacha20"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// heap keeps objects away from the stack.
var heap []any

// TestNoKeyOnTheStack looks for the key, and for the key derived from it for a 24-byte
// nonce, in the stack memory that calls have used.
func TestNoKeyOnTheStack(t *testing.T) {
	eachDriver(t, func(t *testing.T, d chacha20.Driver) {
		key, nonce := random(1, 32), random(2, 24)
		derived := chacha20.SpecHChaCha20(key, nonce[:16])
		c, x := must(d.NewUnauthenticatedCipher(key, nonce[:12])), must(d.NewUnauthenticatedCipher(key, nonce))
		text := make([]byte, 3000)
		heap = []any{key, derived, c, x, nil}
		for name, f := range map[string]func(){
			"NewUnauthenticatedCipher":   func() { heap[4], _ = d.NewUnauthenticatedCipher(key, nonce[:12]) },
			"X NewUnauthenticatedCipher": func() { heap[4], _ = d.NewUnauthenticatedCipher(key, nonce) },
			"HChaCha20":                  func() { heap[4], _ = d.HChaCha20(key, nonce[:16]) },
			"XORKeyStream":               func() { c.XORKeyStream(text, text[:1000]); x.XORKeyStream(text, text[:100]) },
			"XORKeyStreamAt":             func() { c.XORKeyStreamAt(text, text, 77); x.XORKeyStreamAt(text[:9], text[:9], 60) },
		} {
			if guard.Leaves(f, func(stack []byte) (found bool) {
				for i := range len(key) - 7 {
					found = found || bytes.Contains(stack, key[i:i+8]) || bytes.Contains(stack, derived[i:i+8])
				}
				return found
			}) {
				t.Errorf("%s leaves 8 bytes of a key on the stack", name)
			}
		}
	})
}
