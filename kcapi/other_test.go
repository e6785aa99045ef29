//go:build !linux || nokernel

package kcapi_test

import (
	"errors"
	"testing"

	"github.com/cipherlane/cipherlane/kcapi"
)

func TestUnsupported(t *testing.T) {
	key := kcapi.Bytes(make([]byte, 16))
	_, hash := kcapi.OpenHash("sha256")
	_, mac := kcapi.OpenMAC("hmac(sha256)", key)
	_, cipher := kcapi.OpenCipher("cbc(aes)", key)
	_, aead := kcapi.OpenAEAD("gcm(aes)", key, 16)
	_, rng := kcapi.OpenRNG("stdrng")
	_, seeded := kcapi.OpenSeededRNG("stdrng", nil, make([]byte, 48))
	_, hkdf := kcapi.HKDF("hmac(sha256)", make([]byte, 16), nil, nil, 16)
	_, pbkdf2 := kcapi.PBKDF2("hmac(sha256)", make([]byte, 16), nil, 1, 16)
	for i, err := range []error{hash, mac, cipher, aead, rng, seeded, hkdf, pbkdf2} {
		if !errors.Is(err, kcapi.ErrUnsupported) {
			t.Errorf("%d: %v", i, err)
		}
	}
}
