// Aes-gcm uses AES-GCM of this library.
package main

import (
	"os"

	"github.com/cipherlane/cipherlane/aes"
)

func main() {
	var key [16]byte
	var nonce [12]byte
	aead, err := aes.NewGCM(key[:])
	if err != nil {
		panic(err)
	}
	sealed := aead.Seal(nil, nonce[:], []byte("text"), nil)
	if _, err := aead.Open(sealed[:0], nonce[:], sealed, nil); err != nil {
		panic(err)
	}
	os.Stdout.Write(sealed)
}
