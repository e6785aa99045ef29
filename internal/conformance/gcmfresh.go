package conformance

import (
	"bytes"
	"crypto/cipher"
	"testing"
)

// GCMFresh tests the first message of each length under a key: some drivers compute
// powers of the hash key when a message first needs them.
func GCMFresh(t *testing.T, create func() cipher.AEAD, want cipher.AEAD) {
	r := newRandom(t)
	nonce, data := r.bytes(want.NonceSize()), r.bytes(20)
	for n := 0; n < 1300; n++ {
		if n > 300 && n%16 > 1 && n%16 < 15 {
			continue
		}
		text := r.bytes(n)
		for _, data := range [][]byte{data, data[:13]} { // kernels hash a single block with the text
			sealed := want.Seal(nil, nonce, text, data)
			if got := create().Seal(nil, nonce, text, data); !bytes.Equal(got, sealed) {
				t.Errorf("Seal of %d bytes, and %d of data, with a new key: wrong", n, len(data))
			}
			if got, err := create().Open(nil, nonce, sealed, data); err != nil || !bytes.Equal(got, text) {
				t.Errorf("Open of %d bytes, and %d of data, with a new key: %v", n, len(data), err)
			}
		}
		if len(text) > 0 {
			sealed := want.Seal(nil, nonce, nil, text)
			if got := create().Seal(nil, nonce, nil, text); !bytes.Equal(got, sealed) {
				t.Errorf("the tag of %d bytes of additional data with a new key: wrong", n)
			}
		}
	}
}
