package pkix

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	x509pkix "crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"math/big"
	"net"
	"reflect"
	"slices"
	"testing"
	"time"
)

// ecdsaWithSHA256 is the AlgorithmIdentifier of the signatures in these tests, which crypto/x509
// verifies.
var ecdsaWithSHA256 = []byte("\x30\x0a\x06\x08\x2a\x86\x48\xce\x3d\x04\x03\x02")

func signECDSA(key *ecdsa.PrivateKey) func([]byte) ([]byte, error) {
	return func(message []byte) ([]byte, error) {
		digest := sha256.Sum256(message)
		return ecdsa.SignASN1(rand.Reader, key, digest[:])
	}
}

func serial(n byte) (s [32]byte) {
	s[31] = n
	return s
}

// TestMarshalCertificate: the signed part of certificates and requests has the same bytes as that of
// crypto/x509, which also verifies them.
func TestMarshalCertificate(t *testing.T) {
	caKey := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	caPublic := must(x509.MarshalPKIXPublicKey(&caKey.PublicKey))
	public := must(x509.MarshalPKIXPublicKey(&key.PublicKey))
	caName := MarshalName([]Attribute{{Country, "CN"}, {Organization, "Ä 公司"}, {CommonName, "CA"}})
	name := MarshalName([]Attribute{{CommonName, "localhost"}})
	names := Append(nil, DNSName, []byte("localhost"))
	names = Append(names, EmailName, []byte("a@example.org"))
	names = Append(names, IPName, []byte{127, 0, 0, 1})
	from, until := time.Date(2026, 11, 29, 17, 5, 9, 0, time.UTC), time.Date(2049, 12, 31, 23, 59, 59, 0, time.UTC)
	for title, test := range map[string]struct {
		ours   Certificate
		theirs x509.Certificate
	}{
		"CA": {
			Certificate{Issuer: caName, Subject: caName, Public: caPublic, NotBefore: from, NotAfter: until.Add(time.Second), CA: true, Usage: CertSign | CRLSign, SubjectKeyID: []byte("ca"), AuthorityKeyID: []byte("ca")},
			x509.Certificate{RawSubject: caName, NotBefore: from, NotAfter: until.Add(time.Second), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign, SubjectKeyId: []byte("ca"), AuthorityKeyId: []byte("ca")},
		},
		"server": {
			Certificate{Issuer: caName, Subject: name, Public: public, NotBefore: from, NotAfter: until, Usage: DigitalSignature, Purposes: []string{ServerAuth, ClientAuth}, SubjectKeyID: []byte("server"), AuthorityKeyID: []byte("ca"), Names: names},
			x509.Certificate{RawSubject: name, NotBefore: from, NotAfter: until, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, SubjectKeyId: []byte("server"),
				DNSNames: []string{"localhost"}, EmailAddresses: []string{"a@example.org"}, IPAddresses: []net.IP{{127, 0, 0, 1}}},
		},
		"encryption": {
			Certificate{Issuer: caName, Subject: MarshalName(nil), Public: public, NotBefore: from, NotAfter: until, Usage: KeyEncipherment | DataEncipherment | KeyAgreement, SubjectKeyID: []byte("enc"), AuthorityKeyID: []byte("ca"), Names: names},
			x509.Certificate{RawSubject: MarshalName(nil), NotBefore: from, NotAfter: until, KeyUsage: x509.KeyUsageKeyEncipherment | x509.KeyUsageDataEncipherment | x509.KeyUsageKeyAgreement, SubjectKeyId: []byte("enc"),
				DNSNames: []string{"localhost"}, EmailAddresses: []string{"a@example.org"}, IPAddresses: []net.IP{{127, 0, 0, 1}}},
		},
	} {
		t.Run(title, func(t *testing.T) {
			test.ours.Serial, test.theirs.SerialNumber = serial(200), big.NewInt(200)
			der := must(test.ours.Marshal(ecdsaWithSHA256, signECDSA(caKey)))
			parsed, err := x509.ParseCertificate(der)
			if err != nil {
				t.Fatal(err)
			}
			issuer := &x509.Certificate{RawSubject: caName, SubjectKeyId: []byte("ca"), PublicKey: &caKey.PublicKey}
			template, public := &test.theirs, key.Public()
			if test.ours.CA {
				issuer, public = template, caKey.Public()
			}
			want, err := x509.ParseCertificate(must(x509.CreateCertificate(rand.Reader, template, issuer, public, caKey)))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(parsed.RawTBSCertificate, want.RawTBSCertificate) {
				t.Errorf("%x, want\n%x", parsed.RawTBSCertificate, want.RawTBSCertificate)
			}
			if err := (&x509.Certificate{PublicKey: &caKey.PublicKey}).CheckSignature(x509.ECDSAWithSHA256, parsed.RawTBSCertificate, parsed.Signature); err != nil {
				t.Error(err)
			}
			again, ok := ParseCertificate(der)
			if !ok {
				t.Fatal("not parsed")
			}
			test.ours.Signed, test.ours.Algorithm, test.ours.Signature = parsed.RawTBSCertificate, ecdsaWithSHA256, parsed.Signature
			if !reflect.DeepEqual(*again, test.ours) {
				t.Errorf("parsed as %+v, want\n%+v", *again, test.ours)
			}
			if !bytes.Equal(CertificatePublic(der), test.ours.Public) {
				t.Error("another public key")
			}
		})
	}
	for _, names := range [][]byte{names, nil} {
		ours := Certificate{Subject: name, Public: public, Names: names}
		der := must(ours.MarshalRequest(ecdsaWithSHA256, signECDSA(key)))
		parsed, err := x509.ParseCertificateRequest(der)
		if err != nil {
			t.Fatal(err)
		}
		if err := parsed.CheckSignature(); err != nil {
			t.Error(err)
		}
		template := &x509.CertificateRequest{RawSubject: name}
		if names != nil {
			template.DNSNames, template.EmailAddresses, template.IPAddresses = []string{"localhost"}, []string{"a@example.org"}, []net.IP{{127, 0, 0, 1}}
		}
		want, err := x509.ParseCertificateRequest(must(x509.CreateCertificateRequest(rand.Reader, template, key)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(parsed.RawTBSCertificateRequest, want.RawTBSCertificateRequest) {
			t.Errorf("%x, want\n%x", parsed.RawTBSCertificateRequest, want.RawTBSCertificateRequest)
		}
		again, ok := ParseRequest(der)
		ours.Signed, ours.Algorithm, ours.Signature = parsed.RawTBSCertificateRequest, ecdsaWithSHA256, parsed.Signature
		if !ok || !reflect.DeepEqual(*again, ours) {
			t.Errorf("parsed as %+v, want\n%+v", again, ours)
		}
	}
	failed := errors.New("failed")
	if der, err := new(Certificate).Marshal(ecdsaWithSHA256, func([]byte) ([]byte, error) { return nil, failed }); der != nil || err != failed {
		t.Errorf("a failed signature: %x, %v", der, err)
	}
}

func TestMarshalName(t *testing.T) {
	got := MarshalName([]Attribute{{Country, "CN"}, {CommonName, "ä"}})
	want := "\x30\x1a" + "\x31\x0b\x30\x09\x06\x03\x55\x04\x06\x13\x02CN" + "\x31\x0b\x30\x09\x06\x03\x55\x04\x03\x0c\x02ä"
	if string(got) != want {
		t.Errorf("%x, want\n%x", got, want)
	}
	var sequence x509pkix.RDNSequence
	must(asn1.Unmarshal(MarshalName([]Attribute{{Country, "CN"}, {Province, "a"}, {Locality, "b"}, {Organization, "c"}, {OrganizationalUnit, "d"}, {CommonName, "e"}}), &sequence))
	if got, want := sequence.String(), "CN=e,OU=d,O=c,L=b,ST=a,C=CN"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestCertificateTimes: times are written as encoding/asn1 writes them, and read back.
func TestCertificateTimes(t *testing.T) {
	for _, text := range []string{"1949-12-31T23:59:59Z", "1950-01-01T00:00:00Z", "1968-12-31T23:59:59Z", "1969-01-01T00:00:00Z", "2026-11-29T17:05:09Z", "2049-12-31T23:59:59Z", "2050-01-01T00:00:00Z", "9999-12-31T23:59:59Z"} {
		at := must(time.Parse(time.RFC3339, text))
		params := ""
		if at.Year() < 1950 || at.Year() >= 2050 {
			params = "generalized"
		}
		want := must(asn1.MarshalWithParams(at, params))
		got := appendTime(nil, at.In(time.FixedZone("", 3600)))
		r := Read(got)
		if again := r.time(); !bytes.Equal(got, want) || !again.Equal(at) || !r.Done() {
			t.Errorf("%s: %q, want %q; read as %v", text, got, want, again)
		}
	}
	for _, text := range []string{"\x17\x0b2611291705Z", "\x17\x0d261329170509Z", "\x17\x0d261129170509z", "\x17\x112611291705.09+01", "\x18\x1120261129170509.5Z", "\x18\x0d261129170509Z", "\x17\x0f20261129170509Z", "\x16\x0d261129170509Z", "\x17\x0d261129170509"} {
		if r := Read([]byte(text)); !r.time().IsZero() || !r.Bad() {
			t.Errorf("%q is read", text)
		}
	}
}

// replaced returns DER with a part replaced by another, in lengths of one byte and of two.
func replaced(t *testing.T, der []byte, old, new string) []byte {
	t.Helper()
	if bytes.Count(der, []byte(old)) != 1 {
		t.Fatalf("%x is not once in %x", old, der)
	}
	var grow func(b []byte) []byte
	grow = func(b []byte) []byte {
		r := Read(b)
		var out []byte
		for !r.Done() && !r.Bad() {
			before := r.rest
			tag, value := r.Any()
			whole := before[:len(before)-len(r.rest)]
			switch {
			case bytes.Equal(whole, []byte(old)):
				out = append(out, new...)
			case bytes.Contains(value, []byte(old)):
				out = Append(out, tag, grow(value))
			default:
				out = append(out, whole...)
			}
		}
		return out
	}
	changed := grow(der)
	if bytes.Equal(changed, der) {
		t.Fatalf("%x is no value", old)
	}
	return changed
}

// TestParseBadCertificate: each error in the encoding is found, and what is left out is none.
func TestParseBadCertificate(t *testing.T) {
	name := MarshalName([]Attribute{{CommonName, "x"}})
	c := &Certificate{
		Serial: serial(1), Issuer: name, Subject: name, Public: []byte{Sequence, 0}, NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<31, 0), CA: true, Usage: CertSign,
		Purposes: []string{ServerAuth}, SubjectKeyID: []byte("id"), AuthorityKeyID: []byte("from"), Names: Append(nil, DNSName, []byte("host")),
	}
	sign := func([]byte) ([]byte, error) { return []byte("signature"), nil }
	parsers := map[string]func([]byte) (*Certificate, bool){"certificate": ParseCertificate, "request": ParseRequest}
	valid := map[string][]byte{"certificate": must(c.Marshal(ecdsaWithSHA256, sign)), "request": must(c.MarshalRequest(ecdsaWithSHA256, sign))}
	for what, parse := range parsers {
		der := valid[what]
		if _, ok := parse(der); !ok {
			t.Fatalf("the %s is not parsed", what)
		}
		for n := range der {
			if _, ok := parse(der[:n]); ok {
				t.Errorf("%d bytes of the %s are parsed", n, what)
			}
		}
		if _, ok := parse(append(slices.Clone(der), 0)); ok {
			t.Errorf("a byte behind the %s is ignored", what)
		}
		change := func(title, old, new string, want bool) *Certificate {
			t.Helper()
			got, ok := parse(replaced(t, der, old, new))
			if ok != want {
				t.Errorf("%s, %s: parsed: %v", what, title, ok)
			}
			return got
		}
		const signature = "\x03\x0a\x00signature"
		change("unused bits", signature, "\x03\x0a\x01signature", false)
		change("an empty signature", signature, "\x03\x00", false)
		change("a value behind the signature", signature, signature+"\x05\x00", false)
		if got := change("CA: false", "\x30\x03\x01\x01\xff", "\x30\x03\x01\x01\x00", true); got != nil && got.CA {
			t.Errorf("%s: a CA", what)
		}
		if got := change("no CA", "\x30\x03\x01\x01\xff", "\x30\x00", true); got != nil && got.CA {
			t.Errorf("%s: a CA", what)
		}
		if got := change("path length", "\x30\x03\x01\x01\xff", "\x30\x06\x01\x01\xff\x02\x01\x00", true); got != nil && !got.CA {
			t.Errorf("%s: no CA", what)
		}
		change("constraints", "\x30\x03\x01\x01\xff", "\x30\x05\x01\x01\xff\x05\x00", false)
		if got := change("nine usages", "\x03\x02\x02\x04", "\x03\x03\x07\x06\x80", true); got != nil && got.Usage != CertSign|CRLSign {
			t.Errorf("%s: usage %x", what, got.Usage)
		}
		change("no usage", "\x03\x02\x02\x04", "\x03\x01\x00", false)
		change("too many usages", "\x03\x02\x02\x04", "\x03\x04\x02\x00\x00\x04", false)
		change("8 unused bits", "\x03\x02\x02\x04", "\x03\x02\x08\x04", false)
		change("a value behind the usage", "\x03\x02\x02\x04", "\x03\x02\x02\x04\x05\x00", false)
		purpose := "\x06\x08" + ServerAuth
		change("purposes", purpose, "\x05\x00", false)
		if got := change("two purposes", purpose, purpose+"\x06\x08"+ClientAuth, true); got != nil && !slices.Equal(got.Purposes, []string{ServerAuth, ClientAuth}) {
			t.Errorf("%s: purposes %q", what, got.Purposes)
		}
		change("two extensions with one name", "\x06\x03"+oidSubjectKeyID, "\x06\x03"+oidKeyUsage, false)
		change("an unknown extension", "\x06\x03"+oidSubjectKeyID, "\x06\x03\x55\x1d\x7f", true)
		change("a subject key", "\x04\x02id", "\x05\x00", false)
		change("two subject keys", "\x04\x02id", "\x04\x02id\x04\x02id", false)
		change("an authority key", "\x80\x04from", "\x80\x04from\x00", false)
		if got := change("an authority by name", "\x80\x04from", "\xa1\x00\x82\x01\x01", true); got != nil && got.AuthorityKeyID != nil {
			t.Errorf("%s: an authority key", what)
		}
		change("names", "\x82\x04host", "\x9f\x04host", false)
		if got := change("another kind of name", "\x82\x04host", "\x86\x04host", true); got != nil && string(got.Names) != "\x86\x04host" {
			t.Errorf("%s: names %q", what, got.Names)
		}
	}
	for _, test := range []struct {
		title, old, new string
		want            bool
	}{
		{"the algorithm", "\x17\x0d700101000000Z", "\x17\x0d700101000000z", false},
		{"three times", "\x17\x0d700101000000Z", "\x17\x0d700101000000Z\x17\x0d700101000000Z", false},
		{"version 1 with extensions", "\xa0\x03\x02\x01\x02", "", true},
		{"identifiers", "\xa0\x03\x02\x01\x02", "\xa0\x03\x02\x01\x02\x02\x01\x00", false},
		{"a negative serial number", "\xa0\x03\x02\x01\x02", "\x02\x01\xff", false},
	} {
		if _, ok := ParseCertificate(replaced(t, valid["certificate"], test.old, test.new)); ok != test.want {
			t.Errorf("%s: parsed: %v", test.title, ok)
		}
	}
	extensions := string(c.extensions())
	for title, new := range map[string]string{"no extensions": "", "none but identifiers": "\x81\x01\x00\x82\x01\x00"} {
		if got, ok := ParseCertificate(replaced(t, valid["certificate"], string(Append(nil, explicit3, []byte(extensions))), new)); !ok || got.CA || got.Names != nil {
			t.Errorf("%s: %+v", title, got)
		}
	}
	if _, ok := ParseCertificate(replaced(t, valid["certificate"], extensions, extensions+"\x05\x00")); ok {
		t.Error("a value behind the extensions is ignored")
	}
	other := bytes.Replace(valid["certificate"], ecdsaWithSHA256, []byte("\x30\x0a\x06\x08\x2a\x86\x48\xce\x3d\x04\x03\x03"), 1)
	if _, ok := ParseCertificate(other); ok {
		t.Error("two algorithms are accepted")
	}
	for _, test := range []struct {
		title, old, new string
		want            bool
	}{
		{"version 2", "\x02\x01\x00", "\x02\x01\x01", false},
		{"two sets", "\x06\x09" + oidExtensionRequest, "\x06\x09" + oidExtensionRequest + "\x31\x00", false},
		{"another attribute", "\x06\x09" + oidExtensionRequest, "\x06\x09" + oidExtensionRequest[:8] + "\x07", true},
	} {
		if got, ok := ParseRequest(replaced(t, valid["request"], test.old, test.new)); ok != test.want || ok && got.Names != nil {
			t.Errorf("%s: parsed: %v, %+v", test.title, ok, got)
		}
	}
}

// FuzzCertificate: what is parsed, crypto/x509 reads in the same way, if it reads it.
func FuzzCertificate(f *testing.F) {
	name := MarshalName([]Attribute{{CommonName, "x"}})
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	c := &Certificate{
		Serial: serial(1), Issuer: name, Subject: name, Public: must(x509.MarshalPKIXPublicKey(&key.PublicKey)), NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<31, 0), CA: true, Usage: CertSign,
		Purposes: []string{ServerAuth}, SubjectKeyID: []byte("id"), AuthorityKeyID: []byte("from"), Names: Append(nil, DNSName, []byte("host")),
	}
	f.Add(must(c.Marshal(ecdsaWithSHA256, signECDSA(key))))
	f.Add(must(c.MarshalRequest(ecdsaWithSHA256, signECDSA(key))))
	f.Fuzz(func(t *testing.T, der []byte) {
		ParseRequest(der)
		got, ok := ParseCertificate(der)
		if !ok {
			return
		}
		want, err := x509.ParseCertificate(der)
		if err != nil {
			return
		}
		if got.CA != want.IsCA || !got.NotBefore.Equal(want.NotBefore) || !got.NotAfter.Equal(want.NotAfter) || !bytes.Equal(got.Subject, want.RawSubject) || !bytes.Equal(got.Signed, want.RawTBSCertificate) ||
			!bytes.Equal(got.SubjectKeyID, want.SubjectKeyId) || (got.Usage&CertSign != 0) != (want.KeyUsage&x509.KeyUsageCertSign != 0) || !bytes.Equal(got.Public, want.RawSubjectPublicKeyInfo) {
			t.Errorf("%x: %+v, want %+v", der, got, want)
		}
	})
}
