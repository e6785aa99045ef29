package sm2

import (
	"bytes"
	"crypto/rand"
	"io"
	"sync"

	"github.com/cipherlane/cipherlane/sm2"

	"github.com/emmansun/gmsm/internal/bigmod"
	"github.com/emmansun/gmsm/internal/sm2ec"
)

// A PrivateKey has the fields that the original functions need, and cipherlane's key.
type PrivateKey struct {
	pub                   PublicKey
	d                     []byte
	inverseOfKeyPlus1     *bigmod.Nat
	inverseOfKeyPlus1Once sync.Once

	once    sync.Once
	private *sm2.PrivateKey
}

// own returns cipherlane's key, or nil if it is not available, as in FIPS 140-only mode.
func (priv *PrivateKey) own() *sm2.PrivateKey {
	priv.once.Do(func() {
		if k, err := sm2.NewPrivateKey(priv.d); err == nil {
			priv.private = k
		}
	})
	return priv.private
}

type PublicKey struct {
	curve  curveID
	q      []byte
	public *sm2.PublicKey // or nil
}

func (pub *PublicKey) own() *sm2.PublicKey {
	if pub.public != nil {
		return pub.public
	}
	if k, err := sm2.NewPublicKey(pub.q); err == nil {
		return k
	}
	return nil
}

// A Ciphertext is encoded when it is decrypted, and a point when it was encrypted.
type Ciphertext struct {
	C1     *sm2ec.SM2P256Point
	C2, C3 []byte
	c1     []byte
}

func NewCiphertext(c1, c2, c3 []byte) (*Ciphertext, error) {
	return &Ciphertext{C2: c2, C3: c3, c1: c1}, nil
}

func NewPublicKey(Q []byte) (*PublicKey, error) {
	k, err := sm2.NewPublicKey(Q)
	if err != nil {
		return original_NewPublicKey(Q)
	}
	return &PublicKey{curve: p256, q: Q, public: k}, nil
}

// Other random number generators than the system's are read by the original functions only.
func GenerateKey(random io.Reader) (*PrivateKey, error) {
	if random == rand.Reader {
		if k, err := sm2.GenerateKey(); err == nil {
			priv := &PrivateKey{pub: PublicKey{curve: p256, q: k.PublicKey().Bytes(), public: k.PublicKey()}, d: k.Bytes()}
			priv.once.Do(func() { priv.private = k })
			return priv, nil
		}
	}
	return original_GenerateKey(random)
}

// fixed returns the first 32 bytes of a hash, or the same number if it is shorter.
func fixed(hash []byte) []byte {
	if len(hash) >= 32 {
		return hash[:32]
	}
	return append(make([]byte, 32-len(hash)), hash...)
}

func Sign(random io.Reader, priv *PrivateKey, hash []byte) (*Signature, error) {
	if random != rand.Reader || len(hash) == 0 || priv.own() == nil {
		return original_Sign(random, priv, hash)
	}
	return sign32(priv.own().SignRaw(random, fixed(hash)))
}

func SignDeterministic(priv *PrivateKey, hash []byte) (*Signature, error) {
	if len(hash) == 0 || priv.own() == nil {
		return original_SignDeterministic(priv, hash)
	}
	return sign32(priv.own().SignRaw(nil, fixed(hash)))
}

func sign32(signature [64]byte, err error) (*Signature, error) {
	if err != nil {
		return nil, err
	}
	return &Signature{R: signature[:32], S: signature[32:]}, nil
}

func Verify(pub *PublicKey, hash []byte, sig *Signature) error {
	own := pub.own()
	if own == nil {
		return original_Verify(pub, hash, sig)
	}
	var signature [64]byte
	for i, n := range [][]byte{sig.R, sig.S} {
		n = bytes.TrimLeft(n, "\x00")
		if len(n) > 32 {
			return errInvalidSignature
		}
		copy(signature[32*i+32-len(n):], n)
	}
	if !own.VerifyRaw(fixed(hash), signature[:]) {
		return errInvalidSignature
	}
	return nil
}

func Encrypt(random io.Reader, pub *PublicKey, msg []byte) (*Ciphertext, error) {
	own := pub.own()
	if random != rand.Reader || own == nil || len(msg) == 0 || len(msg) > sm2.MaxMessage {
		return original_Encrypt(random, pub, msg)
	}
	b, err := own.Encrypt(msg, sm2.C1C3C2)
	if err != nil {
		return nil, err
	}
	c1, err := sm2ec.NewSM2P256Point().SetBytes(b[:65])
	if err != nil {
		return nil, err
	}
	return &Ciphertext{C1: c1, C3: b[65:97], C2: b[97:]}, nil
}

func Decrypt(priv *PrivateKey, ciphertext *Ciphertext) ([]byte, error) {
	own, c1 := priv.own(), ciphertext.c1
	if c1 == nil {
		c1 = ciphertext.C1.Bytes()
	}
	if own == nil {
		point, err := sm2ec.NewSM2P256Point().SetBytes(c1)
		if err != nil {
			return nil, ErrDecryption
		}
		return original_Decrypt(priv, &Ciphertext{C1: point, C2: ciphertext.C2, C3: ciphertext.C3})
	}
	if len(ciphertext.C3) != 32 {
		return nil, ErrDecryption
	}
	message, err := own.Decrypt(nil, bytes.Join([][]byte{c1, ciphertext.C3, ciphertext.C2}, nil), sm2.C1C3C2)
	if err != nil {
		return nil, ErrDecryption
	}
	return message, nil
}
