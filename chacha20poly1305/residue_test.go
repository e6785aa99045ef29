//go:build !race

package chacha20poly1305_test

import (
	"bytes"
	"testing"

	"github.com/cipherlane/cipherlane/chacha20"
	"github.com/cipherlane/cipherlane/chacha20poly1305"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// heap keeps objects away from the stack.
var heap []any

// TestNoKeyOnTheStack looks for the key, and for the key derived from it for a 24-byte
// nonce, in the stack memory that calls have used.
func TestNoKeyOnTheStack(t *testing.T) {
	eachDriver(t, func(t *testing.T, d chacha20poly1305.Driver) {
		key, nonce := random(1, 32), random(2, 24)
		derived := must(chacha20.HChaCha20(key, nonce[:16]))
		a, x := must(d.NewAEAD(key)), must(d.NewXAEAD(key))
		text, out := make([]byte, 1420), make([]byte, 0, 1500)
		batch := func(n int) []chacha20poly1305.Packet {
			packets := make([]chacha20poly1305.Packet, 20)
			for i := range packets {
				packets[i] = chacha20poly1305.Packet{Dst: make([]byte, 0, 1500), Nonce: nonce[:n], Text: text}
			}
			return packets
		}
		packets, packetsX := batch(12), batch(24)
		heap = []any{a, x, key, derived, packets, packetsX, nil}
		for name, f := range map[string]func(){
			"NewAEAD":    func() { heap[6], _ = d.NewAEAD(key) },
			"Seal":       func() { a.Seal(out, nonce[:12], text, nil) },
			"SealMany":   func() { a.SealMany(packets) },
			"OpenMany":   func() { a.OpenMany(packets) },
			"X Seal":     func() { x.Seal(out, nonce, text, nil) },
			"X Open":     func() { x.Open(out, nonce, text, nil) },
			"X SealMany": func() { x.SealMany(packetsX) },
			"X OpenMany": func() { x.OpenMany(packetsX) },
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
