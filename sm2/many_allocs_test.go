//go:build !race

package sm2

import (
	"crypto/rand"
	"testing"
)

// The documented allocations. Under the race detector pools drop objects at random.
func TestManyAllocations(t *testing.T) { eachDriver(t, testManyAllocations) }

func testManyAllocations(t *testing.T, d Driver) {
	k := newKey(d, annexKey)
	batch := make([]Signing, 8)
	list := make([]Verification, len(batch))
	for i := range batch {
		batch[i] = Signing{Key: k, Digest: randomBytes(32)}
	}
	SignMany(nil, batch)
	for i := range batch {
		list[i] = Verification{Key: k.PublicKey(), Digest: batch[i].Digest, Signature: batch[i].Signature[:], Raw: true}
	}
	if n := testing.AllocsPerRun(20, func() {
		SignMany(nil, batch)
		SignMany(rand.Reader, batch)
		VerifyMany(list)
	}); n >= 1 {
		t.Errorf("%v allocations", n)
	}
}
