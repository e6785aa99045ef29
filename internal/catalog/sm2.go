package catalog

import (
	"io"

	"github.com/cipherlane/cipherlane/sm2"
)

var sm2Algorithms = []Algorithm{{
	Name:     "sm2",
	Package:  "sm2",
	Standard: "GB/T 32918-2016/2017",
	Signer:   newSM2,
	Answer: Answer{
		Source: "GB/T 32918.5-2017, A.2",
		Key:    unhex("3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8"),
		Input:  []byte("message digest"),
		Output: unhex("f5a03b0648d2c4630eeac513e1bb81a15944da3827d5b74143ac7eaceee720b3" +
			"b1b6aa29df212fd8763182bc0d421ca1bb9038fd1f7f42d4840b69c485bbc1aa"),
	},
}}

// A signerSM2 is a driver, or the automatic choice.
type signerSM2 struct {
	generate func() (*sm2.PrivateKey, error)
	private  func(key []byte) (*sm2.PrivateKey, error)
	public   func(key []byte) (*sm2.PublicKey, error)
}

func newSM2(name string) (Signer, error) {
	if name == "" {
		return signerSM2{sm2.GenerateKey, sm2.NewPrivateKey, sm2.NewPublicKey}, nil
	}
	d, err := sm2.On(name)
	if err != nil {
		return nil, err
	}
	return signerSM2{d.GenerateKey, d.NewPrivateKey, d.NewPublicKey}, nil
}

func (s signerSM2) GenerateKey() (SignerKey, error)          { return sm2Key(s.generate()) }
func (s signerSM2) PrivateKey(key []byte) (SignerKey, error) { return sm2Key(s.private(key)) }

func (s signerSM2) PublicKey(key []byte) (VerifierKey, error) {
	k, err := s.public(key)
	if err != nil {
		return nil, err
	}
	return publicSM2{k}, nil
}

func sm2Key(k *sm2.PrivateKey, err error) (SignerKey, error) {
	if err != nil {
		return nil, err
	}
	return privateSM2{k}, nil
}

type privateSM2 struct{ *sm2.PrivateKey }

func (k privateSM2) PublicKey() VerifierKey { return publicSM2{k.PrivateKey.PublicKey()} }

func (k privateSM2) SignMany(random io.Reader, digests [][]byte) ([][64]byte, error) {
	list, signatures := make([]sm2.Signing, len(digests)), make([][64]byte, len(digests))
	for i := range list {
		list[i] = sm2.Signing{Key: k.PrivateKey, Digest: digests[i]}
	}
	err := sm2.SignMany(random, list)
	for i := range list {
		signatures[i] = list[i].Signature
	}
	return signatures, err
}

func (k privateSM2) Decrypt(ciphertext []byte) ([]byte, error) {
	return k.PrivateKey.Decrypt(nil, ciphertext, sm2.C1C3C2)
}

func (k privateSM2) ECDH(peer VerifierKey) ([]byte, error) {
	return k.PrivateKey.ECDH(peer.(publicSM2).PublicKey)
}

type publicSM2 struct{ *sm2.PublicKey }

func (k publicSM2) Digest(message, id []byte) ([sm2.DigestSize]byte, error) {
	return k.PublicKey.Digest(message, &sm2.SignatureOptions{ID: id})
}

func (k publicSM2) VerifyMany(digests [][]byte, signatures [][64]byte) []bool {
	list, valid := make([]sm2.Verification, len(digests)), make([]bool, len(digests))
	for i := range list {
		list[i] = sm2.Verification{Key: k.PublicKey, Digest: digests[i], Signature: signatures[i][:], Raw: true}
	}
	sm2.VerifyMany(list)
	for i := range list {
		valid[i] = list[i].Valid
	}
	return valid
}

func (k publicSM2) Encrypt(message []byte) ([]byte, error) {
	return k.PublicKey.Encrypt(message, sm2.C1C3C2)
}
