// Package frodokem implements FrodoKEM, a key encapsulation mechanism whose
// security rests on the plain learning-with-errors problem, without rings or
// modules (ISO/IEC 18033-2:2006/Amd 2:2026; draft-longa-cfrg-frodokem). Beware of
// the name: here, FrodoKEM is the salted scheme that was standardised. The scheme
// called FrodoKEM in NIST's third round, in many libraries and in the TLS code
// points of that time is called eFrodoKEM here. Its ciphertexts are shorter, and the
// two are not compatible.
//
//	dk, err := frodokem.FrodoKEM976AES.GenerateKey()
//	if err != nil {
//		return err
//	}
//	sharedKey, ciphertext := dk.EncapsulationKey().Encapsulate() // the other side
//	sharedKey, err = dk.Decapsulate(ciphertext)
//
// # Sets
//
// A [Set] is one of twelve parameter sets; BSI TR-02102-1 recommends 976 and 1344.
// The AES sets generate the public matrix with AES-128, the SHAKE sets with
// SHAKE128. AES is several times faster on machines with AES instructions, and no
// slower on others.
//
// A key of an eFrodoKEM set is for one exchange, or a few: fewer than 2^8
// ciphertexts may be created for it in total, since attacks on many ciphertexts at
// once get easier. FrodoKEM has no such limit.
//
// # Keys and many messages
//
// [EncapsulationKey] and [DecapsulationKey] contain values precomputed for the key, and
// are safe for concurrent use. [MarshalPKCS8PrivateKey], [MarshalPKIXPublicKey] and
// [MarshalEncryptedPrivateKey] encode keys for storage in files. [EncapsulateMany] and
// [DecapsulateMany] process up to eight operations together, for the same key or for
// different keys.
//
// # Drivers
//
// The package has several implementations and selects the best one for this
// machine. [Drivers] lists them, [On] selects one by name, and the command
// "cipherlane list frodokem" shows which one is selected and why.
//
// # Timing
//
// No driver branches on a secret or uses one as a memory index. The ciphertext, the
// public key and its matrix are public; portable code generates the matrix with
// table lookups. Decapsulation takes the same time for ciphertexts that it rejects.
package frodokem

import "github.com/cipherlane/cipherlane/driver"

const timingGeneric = "independent of secrets"

// A Driver is one implementation of FrodoKEM. It provides the constructors of the
// package.
type Driver struct{ row uint8 }

// On returns the driver with the given name. The error is [driver.ErrUnknown] if
// there is no such driver, or [driver.ErrUnavailable] if this machine cannot run
// it.
func On(name string) (Driver, error) {
	plan, err := table.On(name)
	return Driver{plan.Bulk()}, err
}

// Drivers lists the drivers for this architecture.
func Drivers() []driver.Info {
	t, _ := driver.Find(table.Package())
	return t.Drivers()
}

func automatic() Driver { return Driver{table.Auto().Bulk()} }
