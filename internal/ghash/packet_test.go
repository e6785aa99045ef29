package ghash

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
)

// Provide computes the powers that only long packets need: not for short ones, and not with drivers that have
// all powers from the beginning.
func TestProvide(t *testing.T) {
	conformance.EachDriver(t, "ghash", func(t *testing.T, name string) {
		d, err := On(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			text, data int
			more       bool
		}{
			{0, 0, firstPowers < 3},
			{MaxPacket, 0, MaxPacket/blockSize+3 > firstPowers},
			{0, MaxPacket, MaxPacket/blockSize+3 > firstPowers},
			{MaxPacket, MaxPacket, 2*MaxPacket/blockSize+3 > firstPowers},
		} {
			var k Key
			k.Init(&[16]byte{1, 2, 3}, d)
			m := Packet{Hash: &k, Size: c.text, DataSize: c.data}
			if m.Provide(); k.hasAll() != (c.more && hasExtend(d)) {
				t.Errorf("%d bytes of text and %d of data: all powers: %v", c.text, c.data, k.hasAll())
			}
		}
	})
}
