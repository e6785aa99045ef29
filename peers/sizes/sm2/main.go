// Sm2 signs.
package main

import (
	"crypto/rand"
	"os"

	"github.com/cipherlane/cipherlane/sm2"
)

func main() {
	key, err := sm2.GenerateKey()
	if err != nil {
		panic(err)
	}
	signature, err := key.SignMessage(rand.Reader, []byte("text"), nil)
	if err != nil {
		panic(err)
	}
	os.Stdout.Write(signature)
}
