package modes_test

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// EqualTag notices a change of any bit of tags of all sizes, and ignores what follows.
func TestEqualTag(t *testing.T) {
	right := [16]byte(newRandom(t).bytes(16))
	for n := range 17 {
		tag := append([]byte(nil), right[:n]...)
		if !modes.EqualTag(&right, tag) {
			t.Errorf("%d bytes: not equal", n)
		}
		for bit := range 8 * n {
			tag[bit/8] ^= 1 << (bit % 8)
			if modes.EqualTag(&right, tag) {
				t.Errorf("%d bytes: bit %d does not matter", n, bit)
			}
			tag[bit/8] ^= 1 << (bit % 8)
		}
	}
}
