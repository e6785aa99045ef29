package peers

import (
	"bytes"
	"testing"

	"github.com/cloudflare/circl/kem/frodo/frodo640shake"

	"github.com/cipherlane/cipherlane/frodokem"
)

// TestFrodoKEM compares eFrodoKEM-640-SHAKE with circl's FrodoKEM-640-SHAKE, which is
// that of NIST's third round. Each must accept the keys and ciphertexts of the other.
func TestFrodoKEM(t *testing.T) {
	const s = frodokem.EFrodoKEM640SHAKE
	peer := frodo640shake.Scheme()
	if peer.CiphertextSize() != s.CiphertextSize() || peer.PublicKeySize() != s.EncapsulationKeySize() || peer.SharedKeySize() != s.SharedKeySize() {
		t.Fatalf("circl has ciphertexts of %d bytes, public keys of %d and shared keys of %d", peer.CiphertextSize(), peer.PublicKeySize(), peer.SharedKeySize())
	}
	for _, info := range frodokem.Drivers() {
		d, err := frodokem.On(info.Name)
		if err != nil {
			t.Log(err)
			continue
		}
		for range 3 {
			dk, err := d.GenerateKey(s)
			if err != nil {
				t.Fatal(err)
			}
			public, err := peer.UnmarshalBinaryPublicKey(dk.EncapsulationKey().Bytes())
			if err != nil {
				t.Fatal(err)
			}
			private, err := peer.UnmarshalBinaryPrivateKey(dk.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			// The same key, made from the same seeds.
			if _, derived := peer.DeriveKeyPair(dk.Seed()); !private.Equal(derived) {
				t.Errorf("%s: circl makes another key of the seeds", info.Name)
			}
			ct, want, err := peer.Encapsulate(public)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := dk.Decapsulate(ct); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s decapsulates what circl made to %x, %v, want %x", info.Name, got, err, want)
			}
			want, ct = dk.EncapsulationKey().Encapsulate()
			for changed := range 2 {
				if ct[9000] ^= byte(changed); changed == 1 {
					if want, err = dk.Decapsulate(ct); err != nil {
						t.Fatal(err)
					}
				}
				if got, err := peer.Decapsulate(private, ct); err != nil || !bytes.Equal(got, want) {
					t.Errorf("circl decapsulates what %s made to %x, %v, want %x", info.Name, got, err, want)
				}
			}
		}
	}
}
