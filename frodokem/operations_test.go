package frodokem

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
)

func TestOperations(t *testing.T) {
	use := func(set Set, keys int) func(row uint8) {
		return func(row uint8) {
			dk, err := Driver{row}.GenerateKey(set)
			if err != nil {
				panic(err)
			}
			encapsulations, decapsulations := make([]Encapsulation, keys), make([]Decapsulation, keys)
			for i := range keys {
				ss, ct := make([]byte, set.SharedKeySize()), make([]byte, set.CiphertextSize())
				encapsulations[i] = Encapsulation{dk.EncapsulationKey(), ss, ct}
				decapsulations[i] = Decapsulation{dk, ct, ss}
			}
			if err := EncapsulateMany(encapsulations); err != nil {
				panic(err)
			}
			if err := DecapsulateMany(decapsulations); err != nil {
				panic(err)
			}
		}
	}
	conformance.Operations{
		"prepare, finish":                 use(FrodoKEM640AES, 1),
		"pairs, mulSA, mulAS":             use(FrodoKEM640AES, 2),
		"rows, addRows":                   use(FrodoKEM640AES, 4),
		"dots, sample":                    use(FrodoKEM640SHAKE, 1),
		"mulSB, pack, unpack, difference": use(FrodoKEM976SHAKE, 1),
	}.Test(t, table.Drivers())
}
