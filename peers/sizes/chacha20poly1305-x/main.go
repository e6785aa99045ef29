// Chacha20poly1305-x uses ChaCha20-Poly1305 of golang.org/x/crypto.
package main

import (
	"os"

	"golang.org/x/crypto/chacha20poly1305"
)

func main() {
	var key [32]byte
	var nonce [12]byte
	aead, err := chacha20poly1305.New(key[:])
	if err != nil {
		panic(err)
	}
	sealed := aead.Seal(nil, nonce[:], []byte("text"), nil)
	if _, err := aead.Open(sealed[:0], nonce[:], sealed, nil); err != nil {
		panic(err)
	}
	os.Stdout.Write(sealed)
}
