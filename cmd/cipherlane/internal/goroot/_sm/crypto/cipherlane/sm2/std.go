package sm2

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"errors"
	"io"
)

// Crypto/x509 and crypto/tls get private keys as a crypto.Signer. Its public key may have the type
// that another copy of this package has, in a program that imports it, or be an ecdsa.PublicKey on
// this curve.

// PublicOf returns the public key that a value is, or nil if it is none on this curve.
func PublicOf(key crypto.PublicKey) *PublicKey {
	var point []byte
	switch k := key.(type) {
	case *PublicKey:
		return k
	case *ecdsa.PublicKey:
		if k == nil || k.X == nil || k.Y == nil || k.X.Sign() < 0 || k.Y.Sign() < 0 || k.X.BitLen() > 256 || k.Y.BitLen() > 256 {
			return nil
		}
		switch k.Curve {
		case elliptic.P224(), elliptic.P256(), elliptic.P384(), elliptic.P521():
			return nil
		}
		point = make([]byte, 65)
		point[0] = 4
		k.X.FillBytes(point[1:33])
		k.Y.FillBytes(point[33:])
	case interface {
		Bytes() []byte
		BytesCompressed() []byte
	}:
		if point = k.Bytes(); len(point) != 65 {
			return nil
		}
	default:
		return nil
	}
	public, err := NewPublicKey(point)
	if err != nil {
		return nil
	}
	return public
}

// SignWith signs a message with the ID of the signer. Signers other than a [PrivateKey] get the
// digest, as all of their kind expect it, and their signature is verified.
func SignWith(signer crypto.Signer, random io.Reader, message, id []byte) ([]byte, error) {
	public := PublicOf(signer.Public())
	if public == nil {
		return nil, errors.New("sm2: the signer has no SM2 key")
	}
	digest, err := public.Digest(message, &SignatureOptions{ID: id})
	if err != nil {
		return nil, err
	}
	if k, ok := signer.(*PrivateKey); ok {
		return k.Sign(random, digest[:], nil)
	}
	signature, err := signer.Sign(random, digest[:], crypto.Hash(0))
	if err == nil && !public.Verify(digest[:], signature) {
		err = errors.New("sm2: the signer does not sign digests of SM2")
	}
	return signature, err
}
