package tweaks

import (
	"bytes"
	"math/big"
	"slices"
	"testing"
)

// TestFill compares with arithmetic of large integers, at aligned and other addresses.
func TestFill(t *testing.T) {
	start := [16]byte{0x01, 0x80, 15: 0xc0}
	var want []byte
	x, modulus := new(big.Int), new(big.Int).SetBit(big.NewInt(0x87), 128, 1)
	reversed := slices.Clone(start[:])
	slices.Reverse(reversed)
	x.SetBytes(reversed)
	for range 41 {
		b := x.FillBytes(make([]byte, 16))
		slices.Reverse(b)
		want = append(want, b...)
		if x.Lsh(x, 1); x.Bit(128) == 1 {
			x.Xor(x, modulus)
		}
	}
	for shift := range 9 {
		for _, n := range []int{0, 1, 2, 40} {
			tweak, p := start, make([]byte, 16*40+shift)[shift:][:16*n]
			Fill(p, &tweak)
			if !bytes.Equal(append(p, tweak[:]...), want[:16*n+16]) {
				t.Errorf("%d blocks at an address + %d are wrong", n, shift)
			}
		}
	}
}
