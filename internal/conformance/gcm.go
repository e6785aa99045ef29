package conformance

import (
	"bytes"
	"crypto/cipher"
	"errors"
	"slices"
	"strings"
	"testing"
)

// ReferenceGCM returns crypto/cipher's GCM.
func ReferenceGCM(b cipher.Block, nonceSize, tagSize int) (cipher.AEAD, error) {
	a, err := cipher.NewGCMWithNonceSize(b, nonceSize)
	return shortTag{a, tagSize}, err
}

// shortTag is GCM with tags truncated to size bytes: crypto/cipher supports either
// such tags or nonces of other sizes, not both.
type shortTag struct {
	cipher.AEAD
	size int
}

func (s shortTag) Overhead() int { return s.size }

func (s shortTag) Seal(dst, nonce, plaintext, data []byte) []byte {
	out := s.AEAD.Seal(dst, nonce, plaintext, data)
	return out[:len(out)-s.AEAD.Overhead()+s.size]
}

func (s shortTag) Open(dst, nonce, sealed, data []byte) ([]byte, error) {
	if len(sealed) < s.size {
		return nil, errors.New("too short")
	}
	n := len(sealed) - s.size
	plaintext := s.AEAD.Seal(nil, nonce, sealed[:n], nil)[:n] // the keystream is added either way
	if !slices.Equal(s.Seal(nil, nonce, plaintext, data), sealed) {
		return nil, errors.New("wrong tag")
	}
	return append(dst, plaintext...), nil
}

// RandomNonce compares GCM that generates its own nonces with GCM under the same key.
// If allocates is set, calls may allocate memory.
func RandomNonce(t *testing.T, ours, std cipher.AEAD, allocates bool) {
	t.Helper()
	r, data := newRandom(t), []byte("data")
	if ours.NonceSize() != 0 || ours.Overhead() != 28 {
		t.Errorf("nonces of %d bytes, overhead %d", ours.NonceSize(), ours.Overhead())
	}
	for n := range 70 {
		text := r.bytes(n)
		sealed := ours.Seal([]byte("prefix"), nil, text, data)[6:]
		if resealed := ours.Seal(nil, nil, text, data); bytes.Equal(resealed, sealed) {
			t.Fatal("the same nonce twice")
		}
		if got, err := std.Open(nil, sealed[:12], sealed[12:], data); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%d bytes: std does not open it: %v", n, err)
		}
		if got, err := ours.Open([]byte("prefix"), nil, sealed, data); err != nil || string(got) != "prefix"+string(text) {
			t.Fatalf("%d bytes: Open: %v", n, err)
		}
		// In place, in both directions.
		b := append(make([]byte, 0, n+28), text...)
		b = ours.Seal(b[:0], nil, b, data)
		got, err := ours.Open(b[:0], nil, b, data)
		if err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%d bytes in place: %v", n, err)
		}
		for i := range sealed {
			sealed[i] ^= 4
			dst := bytes.Repeat([]byte{0xa5}, n)
			if _, err := ours.Open(dst[:0], nil, sealed, data); err == nil {
				t.Fatalf("%d bytes: takes a message with byte %d changed", n, i)
			}
			if zeros := bytes.Count(dst, []byte{0}); zeros != n && bytes.Count(dst, []byte{0xa5}) != n {
				t.Fatalf("%d bytes: leaves plaintext", n)
			}
			sealed[i] ^= 4
		}
	}
	for n := range 28 {
		if _, err := ours.Open(nil, nil, make([]byte, n), nil); err == nil {
			t.Errorf("opens %d bytes", n)
		}
	}
	for name, f := range map[string]func(){
		"nonce":             func() { ours.Seal(nil, make([]byte, 12), nil, nil) },
		"overlap":           func() { b := make([]byte, 100); ours.Seal(b[:0], nil, b[12:30], nil) },
		"data in the nonce": func() { b := make([]byte, 100); ours.Seal(b[:0], nil, []byte("text"), b[2:8]) },
		"data opened": func() {
			b := make([]byte, 100)
			ours.Open(b[:0], nil, ours.Seal(nil, nil, make([]byte, 50), b[2:8]), b[2:8])
		},
		"data": func() { b := make([]byte, 100); ours.Seal(b[:0], nil, []byte("text"), b[20:30]) },
	} {
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.Contains(p, ": ") {
					t.Errorf("%s: panic %v", name, p)
				}
			}()
			f()
			t.Errorf("%s: no panic", name)
		}()
	}
	b := make([]byte, 1000, 1028)
	if !allocates {
		NoAllocs(t, "Seal and Open in place", func() {
			sealed := ours.Seal(b[:0], nil, b, nil)
			if _, err := ours.Open(sealed[:0], nil, sealed, nil); err != nil {
				t.Fatal(err)
			}
		})
	}
	sealed := ours.Seal(b[:0], nil, b, nil)
	wipe(t, ours)
	Refuses(t, sealed, "Seal in place", func() { ours.Seal(sealed[:0], nil, sealed[:1000], nil) })
	Fails(t, sealed, "Open in place", func() error { _, err := ours.Open(sealed[:0], nil, sealed, nil); return err })
}
