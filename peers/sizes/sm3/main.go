// Sm3 hashes.
package main

import (
	"os"

	"github.com/cipherlane/cipherlane/sm3"
)

func main() {
	sum := sm3.Sum([]byte("text"))
	os.Stdout.Write(sum[:])
}
