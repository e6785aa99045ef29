//go:build go1.26

package frodokem

import (
	"crypto"
	"testing"
)

// The interfaces of package crypto reach the same keys.
func TestEncapsulator(t *testing.T) {
	dk, err := FrodoKEM640AES.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	var d crypto.Decapsulator = dk
	ss, ct := d.Encapsulator().Encapsulate()
	got, err := d.Decapsulate(ct)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, got, ss, "shared key")
	equal(t, d.Encapsulator().Bytes(), dk.EncapsulationKey().Bytes(), "public key")
}
