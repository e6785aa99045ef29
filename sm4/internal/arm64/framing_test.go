//go:build arm64 && !purego

package arm64

import (
	"bytes"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

// Few groups at once give the same as many, in place, too.
func TestInOrder(t *testing.T) {
	if !cpu.Features().Has(cpu.AES) {
		t.Skip("no AES instructions")
	}
	defer func(old bool) { inOrder = old }(inOrder)
	families := []family{aes}
	if cpu.Features().Has(cpu.SHA3) {
		families = append(families, aesSHA3)
	}
	var k Keys
	for i := range k {
		k[i] = [4]byte{byte(7 * i), byte(i * i), byte(3 * i), byte(200 - i)}
	}
	for _, f := range families {
		for _, n := range []int{1, 2, 3, 4, 5, 7} {
			for _, more := range []int{0, 16, 240} {
				src := make([]byte, n*group+more)
				for i := range src {
					src[i] = byte(i*i>>4 + i)
				}
				for name, mode := range map[string]func(b []byte) [16]byte{
					"encrypt":     func(b []byte) (iv [16]byte) { f.ecb(&k, forward, b, b); return },
					"decrypt":     func(b []byte) (iv [16]byte) { f.ecb(&k, backward, b, b); return },
					"CBC decrypt": func(b []byte) (iv [16]byte) { f.cbcDecrypt(&k, &iv, b, b); return },
					"CFB decrypt": func(b []byte) (iv [16]byte) { f.cfbDecrypt(&k, &iv, b, b); return },
					"CTR": func(b []byte) [16]byte {
						ctr := [16]byte{12: 0xff, 13: 0xff, 14: 0xff, 15: 0xe0}
						var rest [16]byte
						f.ctr(&k, &ctr, b, b, &rest)
						return ctr
					},
				} {
					var out [2][]byte
					var state [2][16]byte
					for i := range out {
						inOrder = i == 1
						out[i] = bytes.Clone(src)
						state[i] = mode(out[i])
					}
					if !bytes.Equal(out[0], out[1]) || state[0] != state[1] {
						t.Errorf("%s of %d bytes differs", name, len(src))
					}
				}
			}
		}
	}
}
