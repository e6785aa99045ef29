package modes_test

import (
	"bytes"
	"testing"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// CMACLast makes the last block of the MAC that NewCMAC computes.
func TestCMACLast(t *testing.T) {
	r := newRandom(t)
	for n := range 17 {
		for range 8 { // the top bit of the subkeys is set or not
			c := newPlain(r.bytes(16))
			var l [16]byte
			c.Encrypt(l[:], l[:])
			message := r.bytes(n)
			block := [16]byte(r.bytes(16))
			copy(block[:], message)
			modes.CMACLast(&block, &l, n)
			c.Encrypt(block[:], block[:])
			h := modes.NewCMAC(c)
			h.Write(message)
			if want := h.Sum(nil); !bytes.Equal(block[:], want) {
				t.Errorf("%d bytes: %x, want %x", n, block, want)
			}
		}
	}
}
