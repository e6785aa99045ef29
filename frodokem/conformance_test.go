package frodokem

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
)

// kemPrivate and kemPublic adapt keys to the interfaces of the suite.
type (
	kemPrivate struct{ *DecapsulationKey }
	kemPublic  struct{ *EncapsulationKey }
)

func (k kemPrivate) PublicKey() conformance.KEMPublicKey { return kemPublic{k.EncapsulationKey()} }

func TestConformance(t *testing.T) {
	// The other sets only have other numbers.
	sets := []Set{FrodoKEM640AES, EFrodoKEM640SHAKE, FrodoKEM976SHAKE, FrodoKEM1344AES}
	if testing.Short() {
		sets = sets[:1]
	}
	eachDriver(t, func(t *testing.T, d Driver) {
		for _, s := range sets {
			t.Run(s.String(), func(t *testing.T) { conformance.KEM(t, kemCase(t, d, s)) })
		}
	})
}

func kemCase(t *testing.T, d Driver, s Set) conformance.KEMCase {
	answer, _ := firstAnswer(t, s)
	private := func(dk *DecapsulationKey, err error) (conformance.KEMPrivateKey, error) {
		if err != nil {
			return nil, err
		}
		return kemPrivate{dk}, nil
	}
	return conformance.KEMCase{
		SharedKeySize: s.SharedKeySize(), CiphertextSize: s.CiphertextSize(),
		Generate: func() (conformance.KEMPrivateKey, error) { return private(d.GenerateKey(s)) },
		Private: func(key []byte) (conformance.KEMPrivateKey, error) {
			return private(d.NewDecapsulationKey(s, key))
		},
		Public: func(key []byte) (conformance.KEMPublicKey, error) {
			ek, err := d.NewEncapsulationKey(s, key)
			if err != nil {
				return nil, err
			}
			return kemPublic{ek}, nil
		},
		Reference: newSpec(s).decapsulate,
		EncapsulateMany: func(list []conformance.KEMEncapsulation) error {
			ours := make([]Encapsulation, len(list))
			for i, e := range list {
				ours[i] = Encapsulation{e.Key.(kemPublic).EncapsulationKey, e.SharedKey, e.Ciphertext}
			}
			return EncapsulateMany(ours)
		},
		DecapsulateMany: func(list []conformance.KEMDecapsulation) error {
			ours := make([]Decapsulation, len(list))
			for i, e := range list {
				ours[i] = Decapsulation{e.Key.(kemPrivate).DecapsulationKey, e.Ciphertext, e.SharedKey}
			}
			return DecapsulateMany(ours)
		},
		Vectors: []conformance.KEMVector{{Private: answer.private, Public: answer.public,
			Ciphertext: answer.ciphertext, SharedKey: answer.sharedKey}},
	}
}
