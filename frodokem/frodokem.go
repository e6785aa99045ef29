// Package frodokem implements FrodoKEM, a key encapsulation mechanism whose
// security rests on the plain learning-with-errors problem, without rings or
// modules (ISO/IEC 18033-2:2006/Amd 2:2026; draft-longa-cfrg-frodokem). Beware of
// the name: FrodoKEM here is the scheme with a salt that was standardised. What
// NIST's third round called FrodoKEM, and with it many libraries and the TLS code
// points of that time, is eFrodoKEM here: its ciphertexts are shorter, and the two
// do not understand each other.
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
// A [Set] is one of twelve sets of parameters; BSI TR-02102-1 recommends 976 and
// 1344. The sets with AES make the public matrix with AES-128, those with SHAKE
// with SHAKE128: AES is several times faster on machines with AES instructions,
// and no slower without.
//
// A key of an eFrodoKEM set is for one exchange, or a few: fewer than 2^8
// ciphertexts may ever be made for it, or attacks on many of them at once get
// easier. FrodoKEM has no such limit.
//
// # Keys and many messages
//
// [EncapsulationKey] and [DecapsulationKey] hold what is computed once for a key, and
// are safe for concurrent use. [MarshalPKCS8PrivateKey], [MarshalPKIXPublicKey] and
// [MarshalEncryptedPrivateKey] write them for files. [EncapsulateMany] and
// [DecapsulateMany] do up to eight operations side by side, for the same key or different
// ones.
//
// # Drivers
//
// The package has several implementations and takes the best one for this
// machine; [Drivers] lists them, [On] picks one by name, and the command
// "cipherlane list frodokem" shows which one is taken and why.
//
// # Timing
//
// No driver indexes memory by a secret or branches on one. Public are the public
// key with its matrix, which portable code makes with tables, and the ciphertext.
// Decapsulation takes as long for a ciphertext that is rejected.
package frodokem

import "github.com/cipherlane/cipherlane/driver"

const (
	timingGeneric = "independent of secrets"
	noKernel      = "frodokem: no such driver"
)

// A Driver is one implementation of FrodoKEM; it has the constructors of the
// package.
type Driver struct{ row uint8 }

// On returns the driver of that name, or an error if there is none
// ([driver.ErrUnknown]) or this machine cannot run it
// ([driver.ErrUnavailable]).
func On(name string) (Driver, error) {
	plan, err := table.On(name)
	return Driver{plan.Bulk}, err
}

// Drivers lists the drivers that there are for this architecture.
func Drivers() []driver.Info { return table.Drivers() }

func automatic() Driver { return Driver{table.Auto().Bulk} }
