package sm2

import (
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"io"
	"math/big"

	"github.com/cipherlane/cipherlane/sm2"
)

// system reports whether random is the system's random number generator. Others are read by
// the original functions only.
func system(random io.Reader) bool { return random == nil || random == rand.Reader }

// number encodes a number in 32 bytes, or returns nil if that is not possible.
func number(x *big.Int) []byte {
	if x == nil || x.Sign() < 0 || x.BitLen() > 256 {
		return nil
	}
	return x.FillBytes(make([]byte, 32))
}

// private returns a private key. It returns nil if the key is not valid or not of this curve.
func private(k *PrivateKey) *sm2.PrivateKey {
	if _, ok := k.Curve.(sm2P256Curve); !ok {
		return nil
	}
	d := number(k.D)
	own, err := sm2.NewPrivateKey(d)
	for i := range d {
		d[i] = 0
	}
	if err != nil {
		return nil
	}
	return own
}

// public returns a public key, or nil if it is not valid. If it is not of this curve, it
// also returns false.
func public(k *PublicKey) (own *sm2.PublicKey, ok bool) {
	if _, ok = k.Curve.(sm2P256Curve); !ok {
		return nil, false
	}
	own, err := sm2.NewPublicKey(append(append([]byte{4}, number(k.X)...), number(k.Y)...))
	if err != nil {
		own = nil
	}
	return own, true
}

func coordinates(k *sm2.PublicKey) (x, y *big.Int) {
	b := k.Bytes()
	return new(big.Int).SetBytes(b[1:33]), new(big.Int).SetBytes(b[33:])
}

func GenerateKey(random io.Reader) (*PrivateKey, error) {
	if !system(random) {
		return original_GenerateKey(random)
	}
	own, err := sm2.GenerateKey()
	if err != nil {
		return nil, err
	}
	defer own.Wipe()
	k := new(PrivateKey)
	k.Curve = P256Sm2()
	k.D = new(big.Int).SetBytes(own.Bytes())
	k.X, k.Y = coordinates(own.PublicKey())
	return k, nil
}

func Sm2Sign(priv *PrivateKey, msg, uid []byte, random io.Reader) (r, s *big.Int, err error) {
	var own *sm2.PrivateKey
	if system(random) {
		own = private(priv)
	}
	if own == nil {
		return original_Sm2Sign(priv, msg, uid, random)
	}
	defer own.Wipe()
	digest, err := priv.PublicKey.Sm3Digest(msg, uid)
	if err != nil {
		return nil, nil, err
	}
	signature, err := own.SignRaw(rand.Reader, number(new(big.Int).SetBytes(digest)))
	if err != nil {
		return nil, nil, err
	}
	return new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]), nil
}

func Sm2Verify(pub *PublicKey, msg, uid []byte, r, s *big.Int) bool {
	own, ok := public(pub)
	if !ok {
		return original_Sm2Verify(pub, msg, uid, r, s)
	}
	digest, err := pub.Sm3Digest(msg, uid)
	return err == nil && verify(own, digest, r, s)
}

func Verify(pub *PublicKey, hash []byte, r, s *big.Int) bool {
	own, ok := public(pub)
	if !ok || len(hash) > 32 {
		return original_Verify(pub, hash, r, s)
	}
	return verify(own, hash, r, s)
}

func verify(own *sm2.PublicKey, digest []byte, r, s *big.Int) bool {
	signature := append(number(r), number(s)...)
	return own != nil && own.VerifyRaw(number(new(big.Int).SetBytes(digest)), signature)
}

func format(mode int) sm2.Format {
	if mode == C1C2C3 {
		return sm2.C1C2C3
	}
	return sm2.C1C3C2
}

// Encrypt, unlike the original function, returns from an empty message, which has no ciphertext.
func Encrypt(pub *PublicKey, data []byte, random io.Reader, mode int) ([]byte, error) {
	if len(data) == 0 {
		return nil, errors.New("Encrypt: the message is empty")
	}
	own, ok := public(pub)
	if !ok || !system(random) || len(data) > sm2.MaxMessage {
		return original_Encrypt(pub, data, random, mode)
	}
	if own == nil {
		return nil, errors.New("Encrypt: the public key is not a point of the curve")
	}
	return own.Encrypt(data, format(mode))
}

// Decrypt, unlike the original function, never returns a plaintext with an error.
func Decrypt(priv *PrivateKey, data []byte, mode int) ([]byte, error) {
	own := private(priv)
	if own == nil {
		return original_Decrypt(priv, data, mode)
	}
	defer own.Wipe()
	if len(data) > 0 { // the original function ignores the first byte
		data = append([]byte{4}, data[1:]...)
	}
	message, err := own.Decrypt(nil, data, format(mode))
	if err != nil {
		return nil, errors.New("Decrypt: failed to decrypt")
	}
	return message, nil
}

func (curve sm2P256Curve) ScalarBaseMult(k []byte) (x, y *big.Int) {
	n := new(big.Int).SetBytes(k)
	if n.Cmp(sm2P256.N) >= 0 {
		n.Mod(n, sm2P256.N)
	}
	own, err := sm2.NewPrivateKey(number(n))
	if err != nil { // 0 and n-1
		return curve.original_ScalarBaseMult(k)
	}
	defer own.Wipe()
	return coordinates(own.PublicKey())
}

var _ elliptic.Curve = sm2P256Curve{}
