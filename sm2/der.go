package sm2

import (
	"crypto/subtle"
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
	oidPrimeField  = []byte{0x2a, 0x86, 0x48, 0xce, 0x3d, 0x01, 0x01}       // 1.2.840.10045.1.1
	oidCurve       = []byte{0x2a, 0x81, 0x1c, 0xcf, 0x55, 0x01, 0x82, 0x2d} // 1.2.156.10197.1.301
)

var (
	errPrivateDER  = errors.New("sm2: not a private key of SM2 in this format")
	errPublicDER   = errors.New("sm2: not a public key of SM2 in this format")
	errAlgorithm   = errors.New("sm2: a key of another algorithm or curve")
	errNoCurve     = errors.New("sm2: the private key does not name its curve")
	errOtherPublic = errors.New("sm2: the public key is not the one of the private key")
	errPublicPoint = errors.New("sm2: the public key beside the private key is not a point of the curve")
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
	return isCurve(a)
}

// isCurve reports whether nothing but the parameters of this curve follows: its name, or
// the ECParameters of SEC 1, appendix C.2. Each of those has to be checked: with another
// base point, everybody knows the private key of any public key.
func isCurve(r pkix.Reader) bool {
	if !r.Has(pkix.Sequence) {
		return string(r.Next(pkix.OID)) == string(oidCurve) && r.Done()
	}
	all := r.In(pkix.Sequence)
	version := all.Next(pkix.Integer)
	field := all.In(pkix.Sequence)
	kind, p := field.Next(pkix.OID), field.Number()
	coefficients := all.In(pkix.Sequence)
	a, b := coefficients.Next(pkix.OctetString), coefficients.Next(pkix.OctetString)
	if coefficients.Has(pkix.BitString) {
		coefficients.Next(pkix.BitString) // a seed, of which a and b are said to be made
	}
	g, n := all.Next(pkix.OctetString), all.Number()
	cofactor := [32]byte{31: 1}
	if all.Has(pkix.Integer) {
		cofactor = all.Number()
	}
	if !r.Done() || !all.Done() || !field.Done() || !coefficients.Done() ||
		len(version) != 1 || version[0] < 1 || version[0] > 3 || string(kind) != string(oidPrimeField) {
		return false
	}
	var wantP [32]byte
	putLimbs(&wantP, (*[4]uint64)(&prime))
	var generator affine
	return p == wantP && string(a) == string(curveNumbers[:32]) && string(b) == string(curveNumbers[32:64]) &&
		generator.setBytes(generic, withoutHybrid(g)) && generator == base &&
		n == order.bytes() && cofactor == [32]byte{31: 1}
}

// withoutHybrid returns a point in hybrid form (GB/T 32918.1-2016, section 4.2.9) in
// uncompressed form, which is the same except that the first byte does not repeat which y
// it is. Other points are returned as they are.
func withoutHybrid(key []byte) []byte {
	const formHybrid = 6 // and 7 for odd y
	if len(key) == pointSize && key[0] == formHybrid|key[pointSize-1]&1 {
		return append([]byte{formUncompressed}, key[1:]...)
	}
	return key
}

// MarshalPKIXPublicKey returns a public key as a SubjectPublicKeyInfo in DER, the
// contents of PEM blocks of type "PUBLIC KEY".
func MarshalPKIXPublicKey(k *PublicKey) []byte {
	p := k.point.bytes()
	return pkix.MarshalPublic(algorithm(), p[:])
}

// ParsePKIXPublicKey is the inverse of [MarshalPKIXPublicKey]. It also accepts
// compressed and hybrid points, keys whose algorithm is SM2's own object identifier,
// 1.2.156.10197.1.301, instead of the one for all elliptic curves, and keys with the
// parameters of the curve in place of its name.
func ParsePKIXPublicKey(der []byte) (*PublicKey, error) {
	a, key, ok := pkix.ParsePublic(der)
	switch {
	case !ok:
		return nil, errPublicDER
	case !isAlgorithm(a):
		return nil, errAlgorithm
	}
	return NewPublicKey(withoutHybrid(key))
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

// ParseECPrivateKey is the inverse of [MarshalECPrivateKey]. The encoding must contain the
// curve, by name or with its parameters. The private key may have any number of bytes: some
// programs leave out leading zeros, or write one more. If there is a public key, it must
// match the private key; the point may be compressed or hybrid.
func ParseECPrivateKey(der []byte) (*PrivateKey, error) { return parsePrivate(der, true) }

func parsePrivate(der []byte, needCurve bool) (*PrivateKey, error) {
	all := pkix.Read(der)
	key := all.In(pkix.Sequence)
	version := key.Next(pkix.Integer)
	octets := key.Next(pkix.OctetString)
	hasCurve := !needCurve
	if key.Has(pkix.Explicit0) {
		parameters := key.In(pkix.Explicit0)
		if parameters.Bad() {
			return nil, errPrivateDER
		}
		if !isCurve(parameters) {
			return nil, errAlgorithm
		}
		hasCurve = true
	}
	var public []byte
	if key.Has(pkix.Explicit1) {
		field := key.In(pkix.Explicit1)
		public = field.Next(pkix.BitString)
		if !field.Done() || len(public) == 0 || public[0] != 0 {
			return nil, errPrivateDER
		}
		public = public[1:]
	}
	switch {
	case !all.Done() || !key.Done() || string(version) != "\x01":
		return nil, errPrivateDER
	case !hasCurve:
		return nil, errNoCurve
	}
	var number [32]byte
	defer clear(number[:])
	if fits(&number, octets) == 0 {
		return nil, errRange
	}
	k, err := NewPrivateKey(number[:])
	if err != nil {
		return nil, err
	}
	return k.checkPublic(public)
}

// fits sets number to a big-endian integer with any number of bytes, and returns 1 if it is
// below 2^256, else 0. Only the number of bytes is public.
func fits(number *[32]byte, octets []byte) int {
	var excess byte
	for len(octets) > len(number) {
		excess |= octets[0]
		octets = octets[1:]
	}
	copy(number[len(number)-len(octets):], octets)
	return subtle.ConstantTimeByteEq(excess, 0)
}

// checkPublic returns k if a point, unless it is nil, is the public key of k. Otherwise it
// wipes k.
func (k *PrivateKey) checkPublic(point []byte) (*PrivateKey, error) {
	if point == nil {
		return k, nil
	}
	public, err := NewPublicKey(withoutHybrid(point))
	switch {
	case err != nil:
		err = errPublicPoint
	case !public.Equal(&k.public):
		err = errOtherPublic
	default:
		return k, nil
	}
	k.Wipe()
	return nil, err
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
// after the key, and accepts the same algorithms as [ParsePKIXPublicKey] and the same
// private keys as [ParseECPrivateKey]. In version 2 of the format (RFC 5958) a public key
// may follow, which must match the private key.
func ParsePKCS8PrivateKey(der []byte) (*PrivateKey, error) {
	a, key, public, ok := pkix.ParsePrivate(der)
	switch {
	case !ok:
		return nil, errPrivateDER
	case !isAlgorithm(a):
		return nil, errAlgorithm
	}
	k, err := parsePrivate(key, false)
	if err != nil {
		return nil, err
	}
	return k.checkPublic(public)
}
