package aes

import (
	"crypto/cipher"

	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// NewGCMSIV returns AES-GCM-SIV (RFC 8452) for a key of 16 or 32 bytes, with
// nonces of 12 bytes and tags of 16. It is safe for concurrent use.
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
	g, err := modes.NewGCMSIV((*bulk)(c), len(key), &sivPools[d.plan.Bulk()])
	if err != nil {
		return nil, err // not a nil *modes.GCMSIV in an interface
	}
	if n := d.plan.BulkMin(); n > 0 {
		g.UseBelow(n, &sivPools[d.plan.Short()])
	}
	return g, nil
}

// sivPools hold the reusable state for messages, by driver.
var sivPools = make([]modes.SIVPool, len(table.Drivers()))

func init() {
	for row := range sivPools {
		pool, traits := &sivPools[row], aescore.TraitsOf(uint8(row))
		pool.New = func() modes.Rekeyer { return &bulk{plan: drivers.Uniform(uint8(row))} }
		pool.Hash, pool.HashLong, pool.LongBytes = traits.SIVShort, traits.SIVLong, int(traits.SIVLongBytes)
	}
}
