package ghash

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/ctgrind"
)

// Key, state and message are secret.
func TestSecret(t *testing.T) {
	eachHasher(t, func(t *testing.T, k hasher) {
		eachCase(500, func(name string, h, start [16]byte, message []byte) {
			for _, n := range []int{0, 1, 16, 17, 64, 100, 500} {
				want := specUpdate(h, start, message[:n])
				h, y := h, start
				ctgrind.Secret(h[:])
				ctgrind.Secret(y[:])
				ctgrind.Secret(message)
				k.Init(&h)
				k.Update(&y, message[:n])
				ctgrind.Public(message)
				if ctgrind.Public(y[:]); y != want {
					t.Fatalf("%s, %d bytes: got %x, want %x", name, n, y, want)
				}
			}
		})
	})
}
