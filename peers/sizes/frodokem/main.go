// Frodokem encapsulates a key for the public key in its first argument.
package main

import (
	"os"

	"github.com/cipherlane/cipherlane/frodokem"
)

func main() {
	to, err := frodokem.FrodoKEM640SHAKE.NewEncapsulationKey([]byte(os.Args[1]))
	if err != nil {
		panic(err)
	}
	key, ciphertext := to.Encapsulate()
	os.Stdout.Write(key)
	os.Stdout.Write(ciphertext)
}
