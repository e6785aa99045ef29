package modes

import (
	"encoding/hex"
	"math"
	"testing"
)

// The lengths of additional data at which its encoding becomes longer. Tests cannot have as
// much data.
func TestCCMDataSize(t *testing.T) {
	for n, want := range map[uint64]string{
		1: "0001", 0xff: "00ff", 0x100: "0100", 0xfeff: "feff",
		0xff00: "fffe0000ff00", 0xffff: "fffe0000ffff", 1 << 16: "fffe00010000", math.MaxUint32: "fffeffffffff",
		1 << 32: "ffff0000000100000000", 0x0102030405060708: "ffff0102030405060708", math.MaxInt64: "ffff7fffffffffffffff",
	} {
		b := make([]byte, 16)
		size := putDataSize(b, n)
		if got := hex.EncodeToString(b[:size]); got != want {
			t.Errorf("%#x bytes: %s, want %s", n, got, want)
		}
		for _, v := range b[size:] {
			if v != 0 {
				t.Errorf("%#x bytes: more is written: %x", n, b)
			}
		}
	}
}
