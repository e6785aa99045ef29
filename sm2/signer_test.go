package sm2

import (
	"bytes"
	"io"
	"math/big"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
)

type signerPrivate struct{ *PrivateKey }

func (k signerPrivate) PublicKey() conformance.SignerPublicKey {
	return signerPublic{k.PrivateKey.PublicKey()}
}

func (k signerPrivate) SignRaw(random io.Reader, digest []byte) ([64]byte, error) {
	return k.PrivateKey.SignRaw(random, digest)
}

func (k signerPrivate) Decrypt(ciphertext []byte) ([]byte, error) {
	return k.PrivateKey.Decrypt(nil, ciphertext, C1C3C2)
}

func (k signerPrivate) ECDH(peer conformance.SignerPublicKey) ([]byte, error) {
	return k.PrivateKey.ECDH(peer.(signerPublic).PublicKey)
}

type signerPublic struct{ *PublicKey }

func (k signerPublic) Encrypt(message []byte) ([]byte, error) {
	return k.PublicKey.Encrypt(message, C1C3C2)
}

func signerKey(k *PrivateKey, err error) (conformance.SignerPrivateKey, error) {
	if err != nil {
		return nil, err
	}
	return signerPrivate{k}, nil
}

// specParse reads an uncompressed point.
func specParse(b []byte) specPoint {
	return specPoint{new(big.Int).SetBytes(b[1:33]), new(big.Int).SetBytes(b[33:65])}
}

func TestSigner(t *testing.T) {
	conformance.EachDriver(t, "sm2", func(t *testing.T, name string) {
		d := must(On(name))
		conformance.Signer(t, conformance.SignerCase{
			Order:    [32]byte(specN.FillBytes(make([]byte, 32))),
			Generate: func() (conformance.SignerPrivateKey, error) { return signerKey(d.GenerateKey()) },
			Private:  func(key []byte) (conformance.SignerPrivateKey, error) { return signerKey(d.NewPrivateKey(key)) },
			Public: func(key []byte) (conformance.SignerPublicKey, error) {
				k, err := d.NewPublicKey(key)
				if err != nil {
					return nil, err
				}
				return signerPublic{k}, nil
			},
			Sign: func(private, digest []byte) (signature []byte) {
				n := new(big.Int).SetBytes(private)
				specNonces(n, digest, func(nonce *big.Int) bool {
					r, s := specSign(n, nonce, digest)
					if r == nil {
						return false
					}
					signature = append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
					return true
				})
				return signature
			},
			Verify: func(public, digest, signature []byte) bool {
				return specVerify(specParse(public), digest, new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]))
			},
			Encrypt: func(public, message []byte) []byte {
				for nonce := int64(1); ; nonce++ {
					c1, c2, c3 := specEncrypt(specParse(public), big.NewInt(nonce), message)
					if !bytes.Equal(c2, message) { // if equal, the keystream is 0, which the standard refuses
						return bytes.Join([][]byte{c1, c3, c2}, nil)
					}
				}
			},
			Decrypt: func(private, ciphertext []byte) []byte {
				// Encryption with the nonce d, for the key C1: the same shared point.
				_, message, _ := specEncrypt(specParse(ciphertext), new(big.Int).SetBytes(private), ciphertext[97:])
				_, _, c3 := specEncrypt(specParse(ciphertext), new(big.Int).SetBytes(private), message)
				if !bytes.Equal(c3, ciphertext[65:97]) {
					return nil
				}
				return message
			},
			ECDH: func(private, public []byte) []byte {
				return specParse(public).times(new(big.Int).SetBytes(private)).x.FillBytes(make([]byte, 32))
			},
			Vectors: []conformance.SignerVector{{
				Private:   unhex("3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8"),
				Public:    unhex("0409f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020ccea490ce26775a52dc6ea718cc1aa600aed05fbf35e084a6632f6072da9ad13"),
				Digest:    unhex("f0b43e94ba45accaace692ed534382eb17e6ab5a19ce7b31f4486fdfc0d28640"),
				Signature: unhex("f5a03b0648d2c4630eeac513e1bb81a15944da3827d5b74143ac7eaceee720b3b1b6aa29df212fd8763182bc0d421ca1bb9038fd1f7f42d4840b69c485bbc1aa"),
			}},
		})
	})
}
