//go:build !race && !asan

package guard

import (
	"bytes"
	"crypto/rand"
	"testing"
)

var kept [][]byte

func TestRemains(t *testing.T) {
	for n := range 4 {
		secret := make([]byte, 32) // another one each time: copies of the last one may be overwritten
		rand.Read(secret)
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
