//go:build !purego

package cpu

import "testing"

// The bits are those of Linux: UAL 2, LSX 4, LASX 5.
func TestDecode(t *testing.T) {
	for bits, want := range map[uintptr]Set{
		0x4e: 0,
		0x5e: LSX,
		0x7e: LSX | LASX,
		0x6e: 0, // LASX alone
		0x7a: 0, // without loads from any address
	} {
		if got := decode(bits); got != want {
			t.Errorf("%#x: %v, want %v", bits, got, want)
		}
	}
}
