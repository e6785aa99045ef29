package sm2

import (
	"errors"

	"github.com/cipherlane/cipherlane/internal/pkix"
)

func encodeSignature(r, s *scalar) []byte {
	var room [70]byte
	numbers := pkix.AppendNumber(pkix.AppendNumber(room[:0], r.bytes()), s.bytes())
	return pkix.Append(make([]byte, 0, 72), pkix.Sequence, numbers)
}

func decodeSignature(r, s *scalar, signature []byte) bool {
	all := pkix.Read(signature)
	pair := all.In(pkix.Sequence)
	rb, sb := pair.Number(), pair.Number()
	return all.Done() && pair.Done() && r.setBytes(rb[:])&s.setBytes(sb[:]) == 1
}

var (
	oidECPublicKey = []byte{0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01}       // 1.2.840.10045.2.1
	oidCurve       = []byte{0x2a, 0x81, 0x1c, 0xcf, 0x55, 0x01, 0x82, 0x2d} // 1.2.156.10197.1.301
)

var (
	errPrivateDER = errors.New("sm2: not a private key of SM2 in this format")
	errPublicDER  = errors.New("sm2: not a public key of SM2 in this format")
)

// algorithm is the AlgorithmIdentifier of keys of this curve.
func algorithm() []byte {
	return pkix.Append(nil, pkix.Sequence, pkix.Append(nil, pkix.OID, oidECPublicKey), pkix.Append(nil, pkix.OID, oidCurve))
}

// isAlgorithm reports whether an AlgorithmIdentifier is the one for keys of this curve.
// Some programs write the curve as the algorithm, with the curve again, NULL or nothing as
// parameters (GM/T 0015 allows it).
func isAlgorithm(a pkix.Reader) bool {
	kind := string(a.Next(pkix.OID))
	if kind == string(oidCurve) {
		if a.Done() {
			return true
		}
		if a.Has(pkix.Null) {
			return len(a.Next(pkix.Null)) == 0 && a.Done()
		}
	} else if kind != string(oidECPublicKey) {
		return false
	}
	return string(a.Next(pkix.OID)) == string(oidCurve) && a.Done()
}

// MarshalPKIXPublicKey returns a public key as a SubjectPublicKeyInfo in DER, the
// contents of PEM blocks of type "PUBLIC KEY".
func MarshalPKIXPublicKey(k *PublicKey) []byte {
	p := k.point.bytes()
	return pkix.MarshalPublic(algorithm(), p[:])
}

// ParsePKIXPublicKey is the inverse of [MarshalPKIXPublicKey]. It also accepts
// compressed points, and keys whose algorithm is SM2's own object identifier,
// 1.2.156.10197.1.301, instead of the one for all elliptic curves.
func ParsePKIXPublicKey(der []byte) (*PublicKey, error) {
	a, key, ok := pkix.ParsePublic(der)
	if !ok || !isAlgorithm(a) {
		return nil, errPublicDER
	}
	return NewPublicKey(key)
}

// ParseCertificatePublicKey returns the public key of an X.509 certificate in DER, the
// contents of PEM blocks of type "CERTIFICATE". It does not verify the certificate:
// checking the signature, the subject and the validity period is up to the caller.
func ParseCertificatePublicKey(der []byte) (*PublicKey, error) {
	info := pkix.CertificatePublic(der)
	if info == nil {
		return nil, errors.New("sm2: not an X.509 certificate")
	}
	return ParsePKIXPublicKey(info)
}

// MarshalECPrivateKey returns a private key as an ECPrivateKey (SEC 1, RFC 5915)
// in DER, the contents of PEM blocks of type "EC PRIVATE KEY". It returns nil if the
// key was wiped.
func MarshalECPrivateKey(k *PrivateKey) []byte {
	if !k.usable {
		return nil
	}
	der := marshalEC(k)
	scrub()
	return der
}

//go:noinline
func marshalEC(k *PrivateKey) []byte {
	parameters := pkix.Append(nil, pkix.Explicit0, pkix.Append(nil, pkix.OID, oidCurve))
	d, p := k.d.bytes(), k.public.point.bytes()
	b := make([]byte, 0, 160) // large enough that append leaves no copies behind
	b = pkix.Append(b, pkix.Integer, []byte{1})
	b = pkix.Append(b, pkix.OctetString, d[:])
	b = append(b, parameters...)
	b = pkix.Append(b, pkix.Explicit1, pkix.Append(nil, pkix.BitString, []byte{0}, p[:]))
	der := pkix.Append(make([]byte, 0, 176), pkix.Sequence, b)
	clear(d[:])
	clear(b)
	return der
}

// ParseECPrivateKey is the inverse of [MarshalECPrivateKey]. The encoding must name the
// curve. If it contains a public key, that key must match the private key.
func ParseECPrivateKey(der []byte) (*PrivateKey, error) { return parsePrivate(der, true) }

func parsePrivate(der []byte, named bool) (*PrivateKey, error) {
	all := pkix.Read(der)
	key := all.In(pkix.Sequence)
	version := key.Next(pkix.Integer)
	d := key.Next(pkix.OctetString)
	if key.Has(pkix.Explicit0) {
		parameters := key.In(pkix.Explicit0)
		curve := parameters.Next(pkix.OID)
		if !parameters.Done() || string(curve) != string(oidCurve) {
			return nil, errPrivateDER
		}
		named = false
	}
	var public []byte
	hasPublic := key.Has(pkix.Explicit1)
	if hasPublic {
		field := key.In(pkix.Explicit1)
		public = field.Next(pkix.BitString)
		if !field.Done() || len(public) == 0 || public[0] != 0 {
			return nil, errPrivateDER
		}
	}
	if named || !all.Done() || !key.Done() || string(version) != "\x01" || len(d) != 32 {
		return nil, errPrivateDER
	}
	k, err := NewPrivateKey(d)
	if err != nil {
		return nil, err
	}
	if hasPublic {
		if p, err := NewPublicKey(public[1:]); err != nil || !p.Equal(&k.public) {
			return nil, errors.New("sm2: the public key is not the one of the private key")
		}
	}
	return k, nil
}

// MarshalPKCS8PrivateKey returns a private key as a PrivateKeyInfo (PKCS #8, RFC
// 5208) in DER, the contents of PEM blocks of type "PRIVATE KEY". It returns nil if
// the key was wiped.
func MarshalPKCS8PrivateKey(k *PrivateKey) []byte {
	key := MarshalECPrivateKey(k) // with the curve repeated, as GmSSL requires
	if key == nil {
		return nil
	}
	der := pkix.MarshalPrivate(algorithm(), key)
	clear(key)
	return der
}

// ParsePKCS8PrivateKey is the inverse of [MarshalPKCS8PrivateKey]. It ignores attributes
// after the key, and accepts the same algorithms as [ParsePKIXPublicKey].
func ParsePKCS8PrivateKey(der []byte) (*PrivateKey, error) {
	a, key, ok := pkix.ParsePrivate(der)
	if !ok || !isAlgorithm(a) {
		return nil, errPrivateDER
	}
	return parsePrivate(key, false)
}
