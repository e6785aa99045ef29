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
	long := make([]byte, 100*blockSize) // needs all powers
	conformance.Operations{
		"init":           func(row uint8) { key(row) },
		"update":         func(row uint8) { key(row).Update(new([16]byte), long[:20]) },
		"extend":         func(row uint8) { key(row).Update(new([16]byte), long) },
		"updateReversed": func(row uint8) { key(row).UpdateReversed(new([16]byte), long) },
	}.Test(t, Drivers())
}
