package pkix

import (
	"bytes"
	"math/bits"
	"time"
)

// This file implements certificates and requests for them (RFC 5280, RFC 2986), with the
// extensions that TLS looks at. It knows no algorithm of signatures.

// Tags of certificates.
const (
	boolean         = 0x01
	utf8String      = 0x0c
	printableString = 0x13
	utcTime         = 0x17
	generalizedTime = 0x18
	set             = 0x31
	explicit3       = 0xa3
)

// The kinds of a GeneralName (RFC 5280, section 4.2.1.6), which are its tags.
const (
	EmailName = 0x81
	DNSName   = 0x82
	IPName    = 0x87
)

// A Usage is a set of bits of KeyUsage (RFC 5280, section 4.2.1.3): the first eight of nine, of which
// the first is the highest.
type Usage byte

// What the key of a certificate may be used for.
const (
	DigitalSignature Usage = 0x80 >> 0
	KeyEncipherment  Usage = 0x80 >> 2
	DataEncipherment Usage = 0x80 >> 3
	KeyAgreement     Usage = 0x80 >> 4
	CertSign         Usage = 0x80 >> 5
	CRLSign          Usage = 0x80 >> 6
)

// Object identifiers of ExtKeyUsage (RFC 5280, section 4.2.1.12).
const (
	ServerAuth = "\x2b\x06\x01\x05\x05\x07\x03\x01"
	ClientAuth = "\x2b\x06\x01\x05\x05\x07\x03\x02"
)

// Object identifiers of extensions, and of the attribute of a request that has extensions.
const (
	oidSubjectKeyID     = "\x55\x1d\x0e"
	oidKeyUsage         = "\x55\x1d\x0f"
	oidSubjectAltName   = "\x55\x1d\x11"
	oidBasicConstraints = "\x55\x1d\x13"
	oidAuthorityKeyID   = "\x55\x1d\x23"
	oidExtKeyUsage      = "\x55\x1d\x25"
	oidExtensionRequest = "\x2a\x86\x48\x86\xf7\x0d\x01\x09\x0e"
)

// A Certificate is the contents of a certificate or, with Subject, Public and Names only, of a
// request for one.
type Certificate struct {
	Serial              [32]byte // big-endian; 20 bytes at most, from 1
	Issuer, Subject     []byte   // Name, in DER
	NotBefore, NotAfter time.Time
	Public              []byte // SubjectPublicKeyInfo, in DER
	CA                  bool
	Usage               Usage    // 0 for any
	Purposes            []string // of ExtKeyUsage; none for any
	SubjectKeyID        []byte
	AuthorityKeyID      []byte
	Names               []byte // GeneralName, in DER, one behind the other

	// What Parse functions also return:
	Signed    []byte // the part of the encoding that is signed
	Algorithm []byte // of the signature; AlgorithmIdentifier, in DER
	Signature []byte
}

// An Attribute is a part of a name, with the last byte of its object identifier, which begins with
// 2.5.4 (X.520).
type Attribute struct {
	Type  byte
	Value string // UTF-8
}

// The types of attributes.
const (
	CommonName         = 3
	Country            = 6
	Locality           = 7
	Province           = 8
	Organization       = 10
	OrganizationalUnit = 11
)

// MarshalName returns a Name of attributes, each in a set of its own.
func MarshalName(attributes []Attribute) []byte {
	var sets []byte
	for _, a := range attributes {
		tag := byte(utf8String)
		if a.Type == Country { // as X.520 demands
			tag = printableString
		}
		pair := Append(nil, Sequence, []byte{OID, 3, 0x55, 4, a.Type}, Append(nil, tag, []byte(a.Value)))
		sets = Append(sets, set, pair)
	}
	return Append(nil, Sequence, sets)
}

// appendTime appends a time of a certificate: a UTCTime until 2049, then a GeneralizedTime.
func appendTime(b []byte, t time.Time) []byte {
	if t = t.UTC(); t.Year() >= 1950 && t.Year() < 2050 {
		return Append(b, utcTime, []byte(t.Format("060102150405Z")))
	}
	return Append(b, generalizedTime, []byte(t.Format("20060102150405Z")))
}

// time reads a time of a certificate.
func (r *Reader) time() time.Time {
	layout := "060102150405Z"
	tag, text := r.Any()
	if tag == generalizedTime {
		layout = "20060102150405Z"
	}
	t, err := time.Parse(layout, string(text))
	if err != nil || tag != utcTime && tag != generalizedTime || len(text) != len(layout) {
		r.fail()
		return time.Time{}
	}
	if tag == utcTime && t.Year() >= 2050 { // package time puts 50 to 68 there
		t = t.AddDate(-100, 0, 0)
	}
	return t
}

func appendExtension(b []byte, oid string, critical bool, value []byte) []byte {
	var flag []byte
	if critical {
		flag = []byte{boolean, 1, 0xff}
	}
	return Append(b, Sequence, Append(nil, OID, []byte(oid)), flag, Append(nil, OctetString, value))
}

// extensions returns Extensions, or nil if there are none.
func (c *Certificate) extensions() []byte {
	var list []byte // in the order of crypto/x509
	if c.Usage != 0 {
		unused := byte(bits.TrailingZeros8(byte(c.Usage)))
		list = appendExtension(list, oidKeyUsage, true, []byte{BitString, 2, unused, byte(c.Usage)})
	}
	if len(c.Purposes) > 0 {
		var purposes []byte
		for _, oid := range c.Purposes {
			purposes = Append(purposes, OID, []byte(oid))
		}
		list = appendExtension(list, oidExtKeyUsage, false, Append(nil, Sequence, purposes))
	}
	if c.CA {
		list = appendExtension(list, oidBasicConstraints, true, []byte{Sequence, 3, boolean, 1, 0xff})
	}
	if c.SubjectKeyID != nil {
		list = appendExtension(list, oidSubjectKeyID, false, Append(nil, OctetString, c.SubjectKeyID))
	}
	if c.AuthorityKeyID != nil {
		list = appendExtension(list, oidAuthorityKeyID, false, Append(nil, Sequence, Append(nil, 0x80, c.AuthorityKeyID)))
	}
	if len(c.Names) > 0 {
		nameless := len(c.Subject) == 2 // then the extension must be critical
		list = appendExtension(list, oidSubjectAltName, nameless, Append(nil, Sequence, c.Names))
	}
	if list == nil {
		return nil
	}
	return Append(nil, Sequence, list)
}

// Marshal returns the certificate in DER. sign signs with an algorithm.
func (c *Certificate) Marshal(algorithm []byte, sign func(message []byte) (signature []byte, err error)) ([]byte, error) {
	extensions := c.extensions()
	if extensions != nil {
		extensions = Append(nil, explicit3, extensions)
	}
	return signed(Append(nil, Sequence,
		[]byte{Explicit0, 3, Integer, 1, 2}, // version 3
		AppendNumber(nil, c.Serial),
		algorithm,
		c.Issuer,
		Append(nil, Sequence, appendTime(nil, c.NotBefore), appendTime(nil, c.NotAfter)),
		c.Subject,
		c.Public,
		extensions,
	), algorithm, sign)
}

// MarshalRequest returns a request for a certificate in DER.
func (c *Certificate) MarshalRequest(algorithm []byte, sign func(message []byte) (signature []byte, err error)) ([]byte, error) {
	var attributes []byte
	if extensions := c.extensions(); extensions != nil {
		attributes = Append(nil, Sequence, Append(nil, OID, []byte(oidExtensionRequest)), Append(nil, set, extensions))
	}
	return signed(Append(nil, Sequence,
		[]byte{Integer, 1, 0},
		c.Subject,
		c.Public,
		Append(nil, Explicit0, attributes),
	), algorithm, sign)
}

func signed(message, algorithm []byte, sign func([]byte) ([]byte, error)) ([]byte, error) {
	signature, err := sign(message)
	if err != nil {
		return nil, err
	}
	return Append(nil, Sequence, message, algorithm, Append(nil, BitString, []byte{0}, signature)), nil
}

// ParseCertificate parses a certificate. It ignores extensions that Certificate has no field for,
// and checks nothing but the encoding. The fields refer to der.
func ParseCertificate(der []byte) (*Certificate, bool) {
	c := new(Certificate)
	var ok bool
	if c.Signed, c.Algorithm, c.Signature, ok = parseSigned(der); !ok {
		return nil, false
	}
	signed := Read(c.Signed)
	tbs := signed.In(Sequence)
	if tbs.Has(Explicit0) {
		tbs.Next(Explicit0) // the version
	}
	c.Serial = tbs.Number()
	algorithm := tbs.Whole(Sequence)
	c.Issuer = tbs.Whole(Sequence)
	validity := tbs.In(Sequence)
	c.NotBefore, c.NotAfter = validity.time(), validity.time()
	c.Subject = tbs.Whole(Sequence)
	c.Public = tbs.Whole(Sequence)
	for _, tag := range []byte{0x81, 0x82} { // identifiers that nobody uses
		if tbs.Has(tag) {
			tbs.Next(tag)
		}
	}
	if tbs.Has(explicit3) {
		field := tbs.In(explicit3)
		if !c.parseExtensions(&field) || !field.Done() {
			return nil, false
		}
	}
	if !tbs.Done() || !validity.Done() || !bytes.Equal(algorithm, c.Algorithm) {
		return nil, false
	}
	return c, true
}

// ParseRequest parses a request for a certificate. It ignores attributes that are no extensions, and
// checks nothing but the encoding. The fields refer to der.
func ParseRequest(der []byte) (*Certificate, bool) {
	c := new(Certificate)
	var ok bool
	if c.Signed, c.Algorithm, c.Signature, ok = parseSigned(der); !ok {
		return nil, false
	}
	signed := Read(c.Signed)
	info := signed.In(Sequence)
	version := info.Number()
	c.Subject = info.Whole(Sequence)
	c.Public = info.Whole(Sequence)
	attributes := info.In(Explicit0)
	for !attributes.Done() && !attributes.Bad() {
		attribute := attributes.In(Sequence)
		oid := attribute.Next(OID)
		values := attribute.In(set)
		if string(oid) == oidExtensionRequest && !c.parseExtensions(&values) || !attribute.Done() {
			return nil, false
		}
	}
	if !info.Done() || attributes.Bad() || version != [32]byte{} {
		return nil, false
	}
	return c, true
}

// parseExtensions reads Extensions.
func (c *Certificate) parseExtensions(r *Reader) bool {
	list := r.In(Sequence)
	seen := map[string]bool{}
	for !list.Done() && !list.Bad() {
		extension := list.In(Sequence)
		oid := string(extension.Next(OID))
		if extension.Has(boolean) {
			extension.Next(boolean)
		}
		value := extension.In(OctetString)
		if !extension.Done() || seen[oid] || !c.parseExtension(oid, value) {
			return false
		}
		seen[oid] = true
	}
	return !list.Bad()
}

func (c *Certificate) parseExtension(oid string, value Reader) bool {
	switch oid {
	case oidBasicConstraints:
		constraints := value.In(Sequence)
		if constraints.Has(boolean) {
			c.CA = string(constraints.Next(boolean)) == "\xff"
		}
		if constraints.Has(Integer) {
			constraints.Next(Integer) // the number of certificates below it
		}
		return value.Done() && constraints.Done()
	case oidKeyUsage:
		usage := value.Next(BitString)
		if !value.Done() || len(usage) < 2 || len(usage) > 3 || usage[0] > 7 {
			return false
		}
		c.Usage = Usage(usage[1])
		return true
	case oidExtKeyUsage:
		purposes := value.In(Sequence)
		for !purposes.Done() && !purposes.Bad() {
			c.Purposes = append(c.Purposes, string(purposes.Next(OID)))
		}
		return value.Done() && !purposes.Bad()
	case oidSubjectKeyID:
		c.SubjectKeyID = value.Next(OctetString)
		return value.Done()
	case oidAuthorityKeyID:
		id := value.In(Sequence)
		if id.Has(0x80) {
			c.AuthorityKeyID = id.Next(0x80)
		}
		for !id.Done() && !id.Bad() { // the issuer and its serial number may follow
			id.Any()
		}
		return value.Done() && !id.Bad()
	case oidSubjectAltName:
		c.Names = value.Next(Sequence)
		names := Read(c.Names)
		for !names.Done() && !names.Bad() {
			names.Any()
		}
		return value.Done() && !names.Bad()
	}
	return true
}
