package linux_test

import (
	"crypto/rand"
	"fmt"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/linux"
)

// A program that enables engines, unless CIPHERLANE=linux=off is set, and prints why
// Linux is not used. Its results do not depend on that.
func Example() {
	if err := linux.Enable(linux.Engine); err != nil {
		fmt.Println(err)
	}
	defer linux.Enable(linux.Off)
	linux.Prepare("cbc(aes)") // optional: the first long message would start it

	key, iv := make([]byte, 16), make([]byte, aes.BlockSize)
	rand.Read(key)
	rand.Read(iv)
	c, err := aes.New(key)
	if err != nil {
		panic(err)
	}
	defer c.Wipe() // closes its sockets
	message := make([]byte, 1<<20)
	c.NewCBCEncrypter(iv).CryptBlocks(message, message)
	c.NewCBCDecrypter(iv).CryptBlocks(message, message)
	fmt.Println(message[0], message[1<<20-1])

	for _, u := range linux.Status() {
		if u.Algorithm == "cbc(aes)" && u.From == 0 && u.Why == "" {
			fmt.Println(u) // prints why Linux is not used
		}
	}
	// Output: 0 0
}
