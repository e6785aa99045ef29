package conformance

import (
	"bytes"
	"crypto/cipher"
	"testing"

	"github.com/cipherlane/cipherlane/internal/guard"
)

// GCMResidue tests that GCM with nonces of 16 bytes leaves no pre-counter block on the
// stack: together with the nonce, it would reveal the hash key. b is the cipher of a.
func GCMResidue(t *testing.T, a cipher.AEAD, b cipher.Block) {
	if raceDetector() {
		t.Skip("copies more to the stack")
	}
	r := newRandom(t)
	for _, n := range []int{0, 16, 100, 1000, 5000} {
		j0, text := [16]byte(r.bytes(16)), r.bytes(n)
		nonce := GCMNonce(b, j0)
		buffer, sealed := make([]byte, 0, n+16), a.Seal(nil, nonce, text, nil)
		forged := bytes.Clone(sealed)
		forged[n]++
		for name, f := range map[string]func(){
			"Seal":              func() { a.Seal(buffer, nonce, text, nil) },
			"Open":              func() { a.Open(buffer, nonce, sealed, nil) },
			"Open of a forgery": func() { a.Open(buffer, nonce, forged, nil) },
		} {
			if guard.Leaves(f, func(stack []byte) bool {
				// The last four bytes count blocks.
				return bytes.Contains(stack, j0[:8]) || bytes.Contains(stack, j0[4:12])
			}) {
				t.Errorf("%s of %d bytes leaves the pre-counter block on the stack", name, n)
			}
		}
	}
}
