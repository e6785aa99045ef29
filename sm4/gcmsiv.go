package sm4

import (
	"crypto/cipher"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// NewGCMSIV returns GCM-SIV (RFC 8452 with SM4 in the place of AES-128) for a key
// of 16 bytes, with nonces of 12 bytes and tags of 16. It authenticates the
// message and the additional data, and is safe for concurrent use. No standard
// has it for SM4; libgcrypt and gmsm have it in this form, too.
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
	g, err := modes.NewGCMSIV(c.wide(), KeySize, &sivPools[d.row])
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
		pool.New = func() modes.Rekeyer { return &bulk{row: uint8(row)} }
		pool.Hash, pool.HashLong, pool.LongBytes = sivHash(uint8(row))
	}
}
