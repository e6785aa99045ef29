package sm3

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// KDF is what the standard says, digest by digest, also where key overlaps z. It uses no kernel that
// computes digests side by side: those for one block need a table.
func TestSMKDF(t *testing.T) {
	for n := range 3*BlockSize + 1 {
		z := bytes.Repeat([]byte{byte(n)}, n)
		var want []byte
		for counter := uint32(1); counter <= 40; counter++ {
			sum := Sum(binary.BigEndian.AppendUint32(bytes.Clone(z), counter))
			want = append(want, sum[:]...)
		}
		for _, size := range []int{0, 1, Size - 1, Size, Size + 1, 4*Size + 7, 5 * Size, 40 * Size} {
			key := make([]byte, size)
			KDF(key, z)
			if !bytes.Equal(key, want[:size]) {
				t.Errorf("%d bytes from %d: %x, want %x", size, n, key, want[:size])
			}
		}
		KDF(z, z)
		if m := min(n, len(want)); !bytes.Equal(z[:m], want[:m]) {
			t.Errorf("%d bytes in place: %x, want %x", n, z[:m], want[:m])
		}
	}
	for i := range kdfTables {
		for at := range kdfTables[i] {
			if kdfTables[i][at].table != nil {
				t.Fatalf("a table for digests side by side, with the counter at %d", at)
			}
		}
	}
}
