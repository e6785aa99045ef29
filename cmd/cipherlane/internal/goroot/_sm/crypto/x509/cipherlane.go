package x509

import (
	"crypto"
	"crypto/cipherlane/sm2"
	"crypto/fips140"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"io"
)

// SM2WithSM3 is the signature algorithm of SM2 with SM3 (GM/T 0015), with the ID 1234567812345678.
const SM2WithSM3 SignatureAlgorithm = 0x0708

// SM2 is the algorithm of a public key on the curve of SM2, a *sm2.PublicKey.
const SM2 PublicKeyAlgorithm = 0x0708

var (
	oidSignatureSM2WithSM3 = asn1.ObjectIdentifier{1, 2, 156, 10197, 1, 501}
	oidNamedCurveSM2       = asn1.ObjectIdentifier{1, 2, 156, 10197, 1, 301}
)

// withSM says that SM2 is in use. In FIPS 140-3 mode it is not.
var withSM = !fips140.Enabled()

func init() {
	if withSM {
		d := signatureAlgorithmDetails[len(signatureAlgorithmDetails)-1]
		d.algo, d.name, d.oid, d.params, d.pubKeyAlgo, d.hash, d.isRSAPSS = SM2WithSM3, "SM2-SM3", oidSignatureSM2WithSM3, emptyRawValue, SM2, 0, false
		signatureAlgorithmDetails = append(signatureAlgorithmDetails, d)
	}
}

func (algo PublicKeyAlgorithm) String() string {
	if algo == SM2 {
		return "SM2"
	}
	return algo.stringStd()
}

// publicSM returns the public key that a value is, or nil if it is none of SM2.
func publicSM(key any) *sm2.PublicKey {
	if !withSM {
		return nil
	}
	return sm2.PublicOf(key)
}

// algorithmSM is the algorithm of keys.
var algorithmSM = func() pkix.AlgorithmIdentifier {
	curve, err := asn1.Marshal(oidNamedCurveSM2)
	if err != nil {
		panic(err)
	}
	return pkix.AlgorithmIdentifier{Algorithm: oidPublicKeyECDSA, Parameters: asn1.RawValue{FullBytes: curve}}
}()

// isSM reports whether a key is on the curve of SM2, according to its algorithm.
func isSM(algorithm pkix.AlgorithmIdentifier) bool {
	return withSM && algorithm.Algorithm.Equal(oidPublicKeyECDSA) && string(algorithm.Parameters.FullBytes) == string(algorithmSM.Parameters.FullBytes)
}

func parsePublicKey(info *publicKeyInfo) (any, error) {
	if !isSM(info.Algorithm) {
		return parsePublicKeyStd(info)
	}
	public, err := sm2.NewPublicKey(info.PublicKey.RightAlign())
	if err != nil {
		return nil, errors.New("x509: invalid SM2 public key")
	}
	return public, nil
}

func parseKeyAndAlgorithm(info *publicKeyInfo) (any, PublicKeyAlgorithm, error) {
	key, err := parsePublicKey(info)
	if _, ok := key.(*sm2.PublicKey); ok {
		return key, SM2, err
	}
	return key, getPublicKeyAlgorithmFromOID(info.Algorithm.Algorithm), err
}

func marshalPublicKey(key any) ([]byte, pkix.AlgorithmIdentifier, error) {
	if public := publicSM(key); public != nil {
		return public.Bytes(), algorithmSM, nil
	}
	return marshalPublicKeyStd(key)
}

func equalKeys(a interface{ Equal(crypto.PublicKey) bool }, b crypto.PublicKey) bool {
	if public := publicSM(a); public != nil {
		other := publicSM(b)
		return other != nil && public.Equal(other)
	}
	return a.Equal(b)
}

func checkSignature(algo SignatureAlgorithm, signed, signature []byte, key crypto.PublicKey, allowSHA1 bool) error {
	public := publicSM(key)
	switch {
	case !withSM || algo != SM2WithSM3 && public == nil:
		return checkSignatureStd(algo, signed, signature, key, allowSHA1)
	case public == nil:
		return signaturePublicKeyAlgoMismatchError(SM2, key)
	case algo != SM2WithSM3:
		for _, d := range signatureAlgorithmDetails {
			if d.algo == algo {
				return signaturePublicKeyAlgoMismatchError(d.pubKeyAlgo, key)
			}
		}
		return ErrUnsupportedAlgorithm
	case !public.VerifyMessage(signed, signature, nil):
		return errors.New("x509: SM2 verification failure")
	}
	return nil
}

func signingParamsForKey(key crypto.Signer, algo SignatureAlgorithm) (SignatureAlgorithm, pkix.AlgorithmIdentifier, error) {
	if publicSM(key.Public()) == nil {
		return signingParamsForKeyStd(key, algo)
	}
	if algo != 0 && algo != SM2WithSM3 {
		return 0, pkix.AlgorithmIdentifier{}, errors.New("x509: requested SignatureAlgorithm does not match private key type")
	}
	return SM2WithSM3, pkix.AlgorithmIdentifier{Algorithm: oidSignatureSM2WithSM3}, nil
}

func signTBS(tbs []byte, key crypto.Signer, algo SignatureAlgorithm, random io.Reader) ([]byte, error) {
	if algo != SM2WithSM3 {
		return signTBSStd(tbs, key, algo, random)
	}
	return sm2.SignWith(key, random, tbs, nil)
}

// ParsePKCS8PrivateKey parses an unencrypted private key in PKCS #8, ASN.1 DER form. Keys on the
// curve of SM2 become *sm2.PrivateKey of crypto/cipherlane/sm2.
func ParsePKCS8PrivateKey(der []byte) (key any, err error) {
	var info pkcs8
	if _, err := asn1.Unmarshal(der, &info); err != nil || !isSM(info.Algo) {
		return parsePKCS8PrivateKeyStd(der)
	}
	private, err := sm2.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("x509: failed to parse SM2 private key embedded in PKCS#8: %w", err)
	}
	return private, nil
}

// MarshalPKCS8PrivateKey converts a private key to PKCS #8, ASN.1 DER form.
func MarshalPKCS8PrivateKey(key any) ([]byte, error) {
	k, ok := key.(*sm2.PrivateKey)
	if !ok || !withSM {
		return marshalPKCS8PrivateKeyStd(key)
	}
	der := sm2.MarshalPKCS8PrivateKey(k)
	if der == nil {
		return nil, errors.New("x509: SM2 private key was wiped")
	}
	return der, nil
}
