package sm2

import "errors"

// DER (ITU-T X.690) as far as keys, signatures and ciphertexts need it. There is
// one encoding of each value, and no other is accepted.

const (
	tagInteger     = 0x02
	tagBitString   = 0x03
	tagOctetString = 0x04
	tagOID         = 0x06
	tagSequence    = 0x30
	tagExplicit0   = 0xa0
	tagExplicit1   = 0xa1
)

// appendDER appends a value with its tag and length.
func appendDER(b []byte, tag byte, parts ...[]byte) []byte {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	b = append(b, tag)
	switch {
	case n < 0x80:
		b = append(b, byte(n))
	default:
		size := 1
		for n>>(8*size) != 0 {
			size++
		}
		b = append(b, 0x80|byte(size))
		for i := size - 1; i >= 0; i-- {
			b = append(b, byte(n>>(8*i)))
		}
	}
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// appendNumber appends an INTEGER, from its 32 bytes.
func appendNumber(b []byte, v [32]byte) []byte {
	p := v[:]
	for len(p) > 1 && p[0] == 0 {
		p = p[1:]
	}
	if p[0]&0x80 != 0 {
		return appendDER(b, tagInteger, []byte{0}, p)
	}
	return appendDER(b, tagInteger, p)
}

// A reader takes values from the front of DER; after one that is not as it
// should be, bad is set and all others are empty.
type reader struct {
	rest []byte
	bad  bool
}

// next takes a value with this tag.
func (r *reader) next(tag byte) []byte {
	b := r.rest
	if r.bad || len(b) < 2 || b[0] != tag {
		return r.fail()
	}
	n, b := int(b[1]), b[2:]
	if n >= 0x80 {
		size := n & 0x7f
		if size == 0 || size > 3 || len(b) < size || b[0] == 0 {
			return r.fail()
		}
		n = 0
		for _, c := range b[:size] {
			n = n<<8 | int(c)
		}
		if n < 0x80 {
			return r.fail()
		}
		b = b[size:]
	}
	if len(b) < n {
		return r.fail()
	}
	r.rest = b[n:]
	return b[:n:n]
}

func (r *reader) fail() []byte {
	r.bad = true
	r.rest = nil
	return nil
}

// in returns a reader of a value with this tag, which is marked bad if r is.
func (r *reader) in(tag byte) reader {
	v := r.next(tag)
	return reader{v, r.bad}
}

// has reports whether a value with this tag comes next.
func (r *reader) has(tag byte) bool { return !r.bad && len(r.rest) > 0 && r.rest[0] == tag }

// done reports whether all values were as they should be, and none is left.
func (r *reader) done() bool { return !r.bad && len(r.rest) == 0 }

// number takes an INTEGER from 0 to 2^256 - 1, as 32 bytes.
func (r *reader) number() (v [32]byte) {
	b := r.next(tagInteger)
	if len(b) == 0 || b[0]&0x80 != 0 || len(b) > 1 && b[0] == 0 && b[1]&0x80 == 0 {
		r.fail()
		return v
	}
	if b[0] == 0 {
		b = b[1:]
	}
	if len(b) > len(v) {
		r.fail()
		return v
	}
	copy(v[len(v)-len(b):], b)
	return v
}

func encodeSignature(r, s *scalar) []byte {
	var room [70]byte
	numbers := appendNumber(appendNumber(room[:0], r.bytes()), s.bytes())
	return appendDER(make([]byte, 0, 72), tagSequence, numbers)
}

func decodeSignature(r, s *scalar, signature []byte) bool {
	all := reader{rest: signature}
	pair := all.in(tagSequence)
	rb, sb := pair.number(), pair.number()
	return all.done() && pair.done() && r.setBytes(rb[:])&s.setBytes(sb[:]) == 1
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
	return appendDER(nil, tagSequence, appendDER(nil, tagOID, oidECPublicKey), appendDER(nil, tagOID, oidCurve))
}

func (r *reader) isAlgorithm() bool {
	a := r.in(tagSequence)
	kind, curve := a.next(tagOID), a.next(tagOID)
	return a.done() && string(kind) == string(oidECPublicKey) && string(curve) == string(oidCurve)
}

// MarshalPKIXPublicKey returns a public key as a SubjectPublicKeyInfo in DER,
// which is in PEM blocks of the type "PUBLIC KEY".
func MarshalPKIXPublicKey(k *PublicKey) []byte {
	p := k.point.bytes()
	return appendDER(nil, tagSequence, algorithm(), appendDER(nil, tagBitString, []byte{0}, p[:]))
}

// ParsePKIXPublicKey is the inverse of [MarshalPKIXPublicKey]; it also reads a
// compressed point.
func ParsePKIXPublicKey(der []byte) (*PublicKey, error) {
	all := reader{rest: der}
	info := all.in(tagSequence)
	ours := info.isAlgorithm()
	bits := info.next(tagBitString)
	if !ours || !all.done() || !info.done() || len(bits) == 0 || bits[0] != 0 {
		return nil, errPublicDER
	}
	return NewPublicKey(bits[1:])
}

// MarshalECPrivateKey returns a private key as an ECPrivateKey (SEC 1, RFC 5915)
// in DER, which is in PEM blocks of the type "EC PRIVATE KEY". Of a key that was
// wiped there is nothing to return: nil.
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
	parameters := appendDER(nil, tagExplicit0, appendDER(nil, tagOID, oidCurve))
	d, p := k.d.bytes(), k.public.point.bytes()
	b := make([]byte, 0, 160) // no copy stays behind when it grows
	b = appendDER(b, tagInteger, []byte{1})
	b = appendDER(b, tagOctetString, d[:])
	b = append(b, parameters...)
	b = appendDER(b, tagExplicit1, appendDER(nil, tagBitString, []byte{0}, p[:]))
	der := appendDER(make([]byte, 0, 176), tagSequence, b)
	clear(d[:])
	clear(b)
	return der
}

// ParseECPrivateKey is the inverse of [MarshalECPrivateKey]; the curve must be
// named. If there is a public key, it must be the one of the private key.
func ParseECPrivateKey(der []byte) (*PrivateKey, error) { return parsePrivate(der, true) }

func parsePrivate(der []byte, named bool) (*PrivateKey, error) {
	all := reader{rest: der}
	key := all.in(tagSequence)
	version := key.next(tagInteger)
	d := key.next(tagOctetString)
	if key.has(tagExplicit0) {
		parameters := key.in(tagExplicit0)
		curve := parameters.next(tagOID)
		if !parameters.done() || string(curve) != string(oidCurve) {
			return nil, errPrivateDER
		}
		named = false
	}
	var public []byte
	hasPublic := key.has(tagExplicit1)
	if hasPublic {
		field := key.in(tagExplicit1)
		public = field.next(tagBitString)
		if !field.done() || len(public) == 0 || public[0] != 0 {
			return nil, errPrivateDER
		}
	}
	if named || !all.done() || !key.done() || string(version) != "\x01" || len(d) != 32 {
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
// 5208) in DER, which is in PEM blocks of the type "PRIVATE KEY". It returns nil for
// a key that was wiped.
func MarshalPKCS8PrivateKey(k *PrivateKey) []byte {
	key := MarshalECPrivateKey(k) // with the curve once more: GmSSL wants it
	if key == nil {
		return nil
	}
	info := make([]byte, 0, 224)
	info = appendDER(info, tagInteger, []byte{0})
	info = append(info, algorithm()...)
	info = appendDER(info, tagOctetString, key)
	der := appendDER(make([]byte, 0, 232), tagSequence, info)
	clear(key)
	clear(info)
	return der
}

// ParsePKCS8PrivateKey is the inverse of [MarshalPKCS8PrivateKey]. Attributes
// after the key are not read.
func ParsePKCS8PrivateKey(der []byte) (*PrivateKey, error) {
	all := reader{rest: der}
	info := all.in(tagSequence)
	version := info.next(tagInteger)
	ours := info.isAlgorithm()
	key := info.next(tagOctetString)
	if info.has(tagExplicit0) {
		info.next(tagExplicit0)
	}
	if !ours || !all.done() || !info.done() || string(version) != "\x00" {
		return nil, errPrivateDER
	}
	return parsePrivate(key, false)
}
