package modes_test

import (
	"bytes"
	"testing"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// A data unit in parts is the same as at once, and nothing follows its end.
func TestXTSMode(t *testing.T) {
	r := newRandom(t)
	data, tweak := newPlain(r.bytes(16)), newPlain(r.bytes(16))
	whole := modes.NewXTS(data, tweak)
	number := [16]byte(r.bytes(16))
	var encrypted [16]byte
	tweak.Encrypt(encrypted[:], number[:])
	for _, n := range []int{16, 17, 31, 32, 48, 100, 512, 1000} {
		p, want := r.bytes(n), make([]byte, n)
		whole.EncryptTweak(want, p, &number)
		for first := 0; first <= n; first += 16 {
			if rest := n - first; rest > 0 && rest < 16 {
				continue
			}
			for _, decrypt := range []bool{false, true} {
				in, out := p, want
				if decrypt {
					in, out = want, p
				}
				m := modes.NewXTSMode(data, &encrypted, decrypt)
				got := make([]byte, n)
				m.CryptBlocks(got, in[:first])
				m.CryptBlocks(got[first:], in[first:])
				m.CryptBlocks(nil, nil)
				if !bytes.Equal(got, out) || m.BlockSize() != 16 {
					t.Errorf("%d bytes after %d, decrypting: %v: wrong", n-first, first, decrypt)
				}
				after := panics(func() { m.CryptBlocks(make([]byte, 16), make([]byte, 16)) })
				if after != (n%16 != 0) {
					t.Errorf("after %d bytes: panics: %v", n, after)
				}
			}
		}
	}
	m := modes.NewXTSMode(data, &encrypted, false)
	p := make([]byte, 1<<24)
	m.CryptBlocks(p, p[:1<<24-16])
	if !panics(func() { m.CryptBlocks(p, p[:32]) }) {
		t.Error("a data unit may be longer than 16 MiB")
	}
	m.CryptBlocks(p, p[:16])
	if !panics(func() { m.CryptBlocks(p, p[:16]) }) {
		t.Error("a data unit continues after 16 MiB")
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}
