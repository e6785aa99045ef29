package aes

import (
	"crypto/cipher"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// NewGCMSIV returns AES-GCM-SIV (RFC 8452) for a key of 16 or 32 bytes, with
// nonces of 12 bytes and tags of 16. It is safe for concurrent use.
//
// If a nonce comes twice with a key, nothing is lost but this: one sees
// whether the two messages were the same. The price is a second pass over the
// message and a key expansion for each.
func NewGCMSIV(key []byte) (cipher.AEAD, error) { return automatic().NewGCMSIV(key) }

// NewGCMSIV is the package's [NewGCMSIV] with this driver.
func (d Driver) NewGCMSIV(key []byte) (cipher.AEAD, error) {
	c, err := d.New(key)
	if err != nil {
		return nil, err
	}
	g, err := modes.NewGCMSIV((*bulk)(c), len(key), &sivPools[d.row])
	if err != nil {
		return nil, err // not a nil *modes.GCMSIV in an interface
	}
	return g, nil
}

// sivPools have what messages need, by driver.
var sivPools [rowCount]modes.SIVPool

func init() {
	for row := range sivPools {
		pool := &sivPools[row]
		pool.New = func() modes.Rekeyer { return &bulk{row: sivRow(uint8(row))} }
		pool.Hash, pool.HashLong, pool.LongBytes = sivHash(uint8(row))
	}
}
