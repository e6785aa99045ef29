package chunked

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"testing"
)

// Messages made with OpenSSL 4.0 through pyca/cryptography 50.0: HKDF-Expand
// with SM3, then SM4 in GCM, with the key, salt and context of the tests and a
// plaintext of i mod 251.
func TestSM4GCMVectors(t *testing.T) {
	s := SM4GCM()
	for _, c := range []struct {
		size int
		sum  string // SHA-256 of the message
	}{
		{0, "5edb4c4279b0636ae2dfb04589b5fb4f75342f4920324f835ddfd64c5356e4d9"},
		{3, "a4eacabd3b4db729d487d4dbb1f2c9355f255dd5e6fa17d566e07ce1859aa273"},
		{16384, "f25ee049ec6d1d13a9688ea8f3b39186adf6f8c0479d21dd42bf666907204125"},
		{40000, "b51de59ded2acb58da544db4d3e8430760384d9183ac129bde536540a84ee536"},
	} {
		p := make([]byte, c.size)
		for i := range p {
			p[i] = byte(i % 251)
		}
		sealed := seal(t, s, p)
		if sum := sha256.Sum256(sealed); hex.EncodeToString(sum[:]) != c.sum {
			t.Errorf("%d bytes: another message", c.size)
		}
		got, err := io.ReadAll(newTestReader(t, bytes.NewReader(sealed), s, 2))
		if err != nil || !bytes.Equal(got, p) {
			t.Errorf("%d bytes: %d bytes, %v", c.size, len(got), err)
		}
	}

	const message = "73616c74206f66207477656e74792d666f75722062797465" + // salt
		"34323ae4b5046aee19eea2d6e9c85e79a3533c0b046bb9e9856935661a203d43" + // commitment
		"ffa2ea" + // chunk 0
		"e1c4af4bcd2640c23313f729b9e09cd1" // its tag
	if got := hex.EncodeToString(seal(t, s, []byte{0, 1, 2})); got != message {
		t.Errorf("message %s, want %s", got, message)
	}
}
