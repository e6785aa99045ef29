package chacha20_test

import (
	"fmt"
	"log"

	"github.com/cipherlane/cipherlane/chacha20"
)

// A part of a long message can be decrypted without the parts before it.
func ExampleCipher_XORKeyStreamAt() {
	key, nonce := make([]byte, chacha20.KeySize), make([]byte, chacha20.NonceSize)
	text := []byte("the beginning, the middle and the end")
	c, err := chacha20.NewUnauthenticatedCipher(key, nonce)
	if err != nil {
		log.Fatal(err)
	}
	c.XORKeyStream(text, text)

	part := make([]byte, 10)
	c.XORKeyStreamAt(part, text[15:25], 15)
	fmt.Printf("%s\n", part)
	// Output: the middle
}
