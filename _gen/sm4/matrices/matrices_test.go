package matrices

import (
	"math/bits"
	"testing"
)

// TestRound computes both round functions byte by byte in the basis T and
// compares them with the text of the standard.
func TestRound(t *testing.T) {
	s := Derive()
	for i := range uint32(20000) {
		w := i * 0x9e3779b1
		var b uint32
		for j := range 4 {
			b |= uint32(SBox[byte(w>>(8*j))]) << (8 * j)
		}
		rot := bits.RotateLeft32
		l := b ^ rot(b, 2) ^ rot(b, 10) ^ rot(b, 18) ^ rot(b, 24)
		lk := b ^ rot(b, 13) ^ rot(b, 23)
		var v [4]byte // 1/t
		for j := range v {
			v[j] = Inverse(s.T.Apply(byte(w>>(8*j)))^s.KeyConstant, AESPoly)
		}
		var got, gotKey uint32
		for j := range 4 {
			x := s.U0.Apply(v[j]) ^ s.U1.Apply(v[(j+3)%4]) ^ s.U1.Apply(v[(j+2)%4]) ^ s.U3.Apply(v[(j+1)%4])
			got |= uint32(s.TInverse.Apply(x)) << (8 * j)
			x = 0
			for r := range 4 {
				x ^= s.V[r].Apply(v[(j-r+4)%4])
			}
			gotKey |= uint32(s.TInverse.Apply(x)) << (8 * j)
		}
		if got != l || gotKey != lk {
			t.Fatalf("word %#08x: L %#08x, want %#08x; L' %#08x, want %#08x", w, got, l, gotKey, lk)
		}
	}
}

func TestGFNI(t *testing.T) {
	m := Derive().T
	q := m.GFNI()
	for x := range 256 {
		var r byte
		for i := range 8 {
			r |= byte(bits.OnesCount8(byte(q>>(8*(7-i)))&byte(x))&1) << i
		}
		if r != m.Apply(byte(x)) {
			t.Fatalf("%#02x: %#02x, want %#02x", x, r, m.Apply(byte(x)))
		}
	}
}

func TestNibbles(t *testing.T) {
	low, high := AESAffine.Nibbles()
	if AESAffine.Apply(Inverse(0x53, AESPoly)) != 0xed {
		t.Fatal("wrong S-box of AES")
	}
	for x := range 256 {
		if low[x&15]^high[x>>4] != AESAffine.Apply(byte(x)) {
			t.Fatalf("wrong tables at %#02x", x)
		}
	}
}
