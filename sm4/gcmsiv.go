package sm4

import (
	"crypto/cipher"

	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// NewGCMSIV returns SM4-GCM-SIV (RFC 8452 with SM4 in place of AES-128) for a key
// of 16 bytes, with nonces of 12 bytes and tags of 16. It is safe for concurrent
// use. No standard defines it for SM4; libgcrypt and gmsm implement the same
// construction.
//
// If a nonce is used twice with the same key, that reveals only whether the two
// messages are equal. The cost is a second pass over the message and a key
// expansion for every message.
func NewGCMSIV(key []byte) (cipher.AEAD, error) { return automatic().NewGCMSIV(key) }

// NewGCMSIV is like the package's [NewGCMSIV], with this driver.
func (d Driver) NewGCMSIV(key []byte) (cipher.AEAD, error) {
	c, err := d.New(key)
	if err != nil {
		return nil, err
	}
	g, err := modes.NewGCMSIV(c.wide(), KeySize, &sivPools[d.plan.Bulk()])
	if err != nil {
		return nil, err // not a nil *modes.GCMSIV in an interface
	}
	if n := d.plan.BulkMin(); n > 0 {
		g.UseBelow(n, &sivPools[d.plan.Short()&^ownKeys])
	}
	return g, nil
}

// sivPools holds the reusable state for messages, by driver.
var sivPools [len(traits)]modes.SIVPool

func init() {
	for row := range sivPools {
		pool := &sivPools[row]
		pool.New = func() modes.Rekeyer { return &bulk{plan: drivers.Uniform(uint8(row))} }
		t := &traits[row]
		pool.Hash, pool.HashLong, pool.LongBytes = t.sivShort, t.sivLong, int(t.sivLongBytes)
	}
}
