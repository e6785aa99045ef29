package ghash

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
)

func TestOperations(t *testing.T) {
	key := func(row uint8) *Key {
		var k Key
		k.Init(new([16]byte), row)
		return &k
	}
	longInput := make([]byte, 100*blockSize) // needs all powers
	conformance.Operations{
		"init":           func(row uint8) { key(row) },
		"update":         func(row uint8) { key(row).Update(new([16]byte), longInput[:20]) },
		"extend":         func(row uint8) { key(row).Update(new([16]byte), longInput) },
		"updateReversed": func(row uint8) { key(row).UpdateReversed(new([16]byte), longInput) },
	}.Test(t, Drivers())
}
