// Aes-gcm-std uses AES-GCM of the standard library.
package main

import (
	"crypto/aes"
	"crypto/cipher"
	"os"
)

func main() {
	var key [16]byte
	var nonce [12]byte
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	sealed := aead.Seal(nil, nonce[:], []byte("text"), nil)
	if _, err := aead.Open(sealed[:0], nonce[:], sealed, nil); err != nil {
		panic(err)
	}
	os.Stdout.Write(sealed)
}
