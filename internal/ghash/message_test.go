package ghash

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// The state of a message before its ciphertext: NIST SP 800-38D, section 7.1, steps 2 to 5.
func TestMessage(t *testing.T) {
	const most = 40
	var h [16]byte
	rnd := rand.NewChaCha8([32]byte{})
	rnd.Read(h[:])
	lengths := func(a, b int) (block [16]byte) {
		binary.BigEndian.PutUint64(block[:], uint64(a)*8)
		binary.BigEndian.PutUint64(block[8:], uint64(b)*8)
		return block
	}
	conformance.EachDriver(t, "ghash", func(t *testing.T, name string) {
		d, err := On(name)
		if err != nil {
			t.Fatal(err)
		}
		var k Key
		k.Init(&h, d)
		after, before := guard.After(t, most), guard.Before(t, most)
		rnd.Read(after)
		rnd.Read(before)
		for n := range most + 1 {
			for _, p := range [][]byte{guard.Tail(after, n), before[:n]} { // the nonce, and the data
				const size = 1000
				var want Message
				want.Lens, want.Y = lengths(n, size), specUpdate(h, want.Y, p)
				if n == nonceSize {
					copy(want.J0[:], p)
					want.J0[15] = 1
				} else {
					last := lengths(0, n)
					want.J0 = specUpdate(h, specUpdate(h, want.J0, p), last[:])
				}
				m := Message{Hash: &k}
				m.Begin(p, size, p)
				m.Settle()
				if m.J0 != want.J0 || m.Y != want.Y || m.Lens != want.Lens || m.Pending {
					t.Fatalf("%d bytes: %+v, want %+v", n, m, want)
				}
			}
		}
	})
}

func TestTag(t *testing.T) {
	m := Message{J0: [16]byte{15: 1}, Y: [16]byte([]byte("0123456789abcdef"))}
	for n := 12; n <= 16; n++ {
		tag := make([]byte, n)
		if m.Tag(tag); string(tag) != "0123456789abcdef"[:n] {
			t.Errorf("a tag of %d bytes: %q", n, tag)
		}
	}
	if m.Wipe(false); m.J0 != [16]byte{} {
		t.Error("J0 is not wiped")
	}
}
