//go:build !race && !asan

package guard

import (
	"bytes"
	"testing"
)

var kept [][]byte

func TestRemains(t *testing.T) {
	secret := bytes.Repeat([]byte("a secret in 32 b"), 2)
	for i := range secret {
		secret[i] ^= 0x80 // unlike the constant
	}
	for n := range 4 {
		if got := Remains(t, func() {
			for i := range n {
				kept = append(kept, bytes.Clone(secret))
				if i == 2 {
					clear(kept[len(kept)-1])
				}
			}
			kept = nil // still there
		}, secret); got != min(n, 2) {
			t.Errorf("%d copies, of which the third one is wiped: found %d", n, got)
		}
	}
}
