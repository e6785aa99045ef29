package ecdh

import (
	"sync"

	"github.com/cipherlane/cipherlane/sm2"
)

// A PrivateKey has the fields that the original functions need, and cipherlane's key.
type PrivateKey struct {
	curve         Curve
	privateKey    []byte
	publicKey     *PublicKey
	publicKeyOnce sync.Once

	once    sync.Once
	private *sm2.PrivateKey
}

// own returns cipherlane's key, or nil if it is not available, as in FIPS 140-only mode.
func (k *PrivateKey) own() *sm2.PrivateKey {
	k.once.Do(func() {
		if own, err := sm2.NewPrivateKey(k.privateKey); err == nil {
			k.private = own
		}
	})
	return k.private
}

type PublicKey struct {
	curve     Curve
	publicKey []byte
	public    *sm2.PublicKey // or nil
}

func (c *sm2Curve) NewPublicKey(key []byte) (*PublicKey, error) {
	if len(key) == 65 {
		if own, err := sm2.NewPublicKey(key); err == nil {
			return &PublicKey{curve: c, publicKey: own.Bytes(), public: own}, nil
		}
	}
	return c.original_NewPublicKey(key)
}

func (c *sm2Curve) privateKeyToPublicKey(key *PrivateKey) *PublicKey {
	own := key.own()
	if key.curve != c || own == nil {
		return c.original_privateKeyToPublicKey(key)
	}
	public := own.PublicKey()
	return &PublicKey{curve: c, publicKey: public.Bytes(), public: public}
}

func (c *sm2Curve) ecdh(local *PrivateKey, remote *PublicKey) ([]byte, error) {
	own := local.own()
	if own == nil || remote.public == nil {
		return c.original_ecdh(local, remote)
	}
	return own.ECDH(remote.public)
}
