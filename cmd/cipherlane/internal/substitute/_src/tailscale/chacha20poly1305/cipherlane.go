package chacha20poly1305

import (
	"crypto/cipher"

	"github.com/cipherlane/cipherlane/chacha20poly1305"
)

// A cipherlane has the methods of cipherlane's AEAD. It is a type of this package because a
// test of package device looks where the type is from.
type cipherlane struct{ *chacha20poly1305.AEAD }

func New(key []byte) (cipher.AEAD, error) {
	a, err := chacha20poly1305.NewAEAD(key)
	if err != nil {
		return nil, err
	}
	return cipherlane{a}, nil
}
