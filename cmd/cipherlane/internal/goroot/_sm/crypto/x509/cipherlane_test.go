package x509

import (
	"crypto"
	"crypto/cipherlane/sm2"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509/pkix"
	"encoding/asn1"
	"io"
	"math/big"
	"strings"
	"testing"
	"time"
)

// needSM skips a test in FIPS 140-3 mode.
func needSM(t *testing.T) {
	if !withSM {
		t.Skip("FIPS 140-3 mode")
	}
}

func newKeySM(t *testing.T) *sm2.PrivateKey {
	t.Helper()
	key, err := sm2.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// issue returns a certificate for a key, by an issuer or by itself.
func issue(t *testing.T, name string, key crypto.Signer, parent *Certificate, signer crypto.Signer, ca bool) *Certificate {
	t.Helper()
	template := &Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		BasicConstraintsValid: true, IsCA: ca, DNSNames: []string{"localhost"},
	}
	if ca {
		template.KeyUsage = KeyUsageCertSign | KeyUsageCRLSign
	}
	if parent == nil {
		parent, signer = template, key
	}
	der, err := CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

// Chains of all mixtures of SM2 and ECDSA are verified, and altered ones are not.
func TestSMChains(t *testing.T) {
	needSM(t)
	key := func(sm bool) crypto.Signer {
		if sm {
			return newKeySM(t)
		}
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	for kinds := range 8 {
		keys := []crypto.Signer{key(kinds&1 != 0), key(kinds&2 != 0), key(kinds&4 != 0)}
		root := issue(t, "root", keys[0], nil, nil, true)
		middle := issue(t, "middle", keys[1], root, keys[0], true)
		leaf := issue(t, "leaf", keys[2], middle, keys[1], false)
		roots, others := NewCertPool(), NewCertPool()
		roots.AddCert(root)
		others.AddCert(middle)
		if _, err := leaf.Verify(VerifyOptions{Roots: roots, Intermediates: others, DNSName: "localhost"}); err != nil {
			t.Errorf("%d: %v", kinds, err)
		}
		wantAlgorithm, wantKey := ECDSAWithSHA256, ECDSA
		if kinds&2 != 0 {
			wantAlgorithm = SM2WithSM3
		}
		if kinds&4 != 0 {
			wantKey = SM2
		}
		if leaf.SignatureAlgorithm != wantAlgorithm || leaf.PublicKeyAlgorithm != wantKey {
			t.Errorf("%d: %v, %v", kinds, leaf.SignatureAlgorithm, leaf.PublicKeyAlgorithm)
		}
		for i := range leaf.RawTBSCertificate {
			if i%40 != 0 {
				continue
			}
			altered := append([]byte(nil), leaf.RawTBSCertificate...)
			altered[i] ^= 1
			if middle.CheckSignature(leaf.SignatureAlgorithm, altered, leaf.Signature) == nil {
				t.Fatalf("%d: byte %d altered: accepted", kinds, i)
			}
		}
		if err := root.CheckSignature(leaf.SignatureAlgorithm, leaf.RawTBSCertificate, leaf.Signature); err == nil {
			t.Errorf("%d: accepted with another key", kinds)
		}
	}
}

// The wrong ID is refused, and so are algorithms that do not go with the key.
func TestSMSignatures(t *testing.T) {
	needSM(t)
	key := newKeySM(t)
	leaf := issue(t, "leaf", key, nil, nil, false)
	text := []byte("text")
	for id, want := range map[string]bool{"": true, sm2.DefaultID: true, "TLSv1.3+GM+Cipher+Suite": false, "x": false} {
		opts := &sm2.SignatureOptions{ID: []byte(id)}
		if id == "" {
			opts = nil
		}
		signature, err := key.SignMessage(nil, text, opts)
		if err != nil {
			t.Fatal(err)
		}
		if err := leaf.CheckSignature(SM2WithSM3, text, signature); (err == nil) != want {
			t.Errorf("ID %q: %v", id, err)
		}
	}
	signature, _ := key.SignMessage(nil, text, nil)
	for _, algorithm := range []SignatureAlgorithm{ECDSAWithSHA256, PureEd25519, SHA256WithRSA, 0, 99} {
		if leaf.CheckSignature(algorithm, text, signature) == nil {
			t.Errorf("%v: accepted", algorithm)
		}
	}
	ecdsaKey, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if issue(t, "other", ecdsaKey, nil, nil, false).CheckSignature(SM2WithSM3, text, signature) == nil {
		t.Error("accepted with a key of ECDSA")
	}
	template := &Certificate{SerialNumber: big.NewInt(1), SignatureAlgorithm: ECDSAWithSHA256}
	if _, err := CreateCertificate(rand.Reader, template, template, key.Public(), key); err == nil {
		t.Error("signed with another algorithm")
	}
}

// Keys are the same after marshaling, and requests and lists have valid signatures.
func TestSMFormats(t *testing.T) {
	needSM(t)
	key := newKeySM(t)
	der, err := MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ParsePKCS8PrivateKey(der); err != nil || !key.Equal(got) {
		t.Errorf("%v", err)
	}
	if der, err = MarshalPKIXPublicKey(key.Public()); err != nil {
		t.Fatal(err)
	}
	if got, err := ParsePKIXPublicKey(der); err != nil || !key.PublicKey().Equal(got) {
		t.Errorf("%v", err)
	}
	for i := range der {
		altered := append([]byte(nil), der...)
		altered[i] ^= 0x55
		if got, err := ParsePKIXPublicKey(altered); err == nil && key.PublicKey().Equal(got) {
			t.Errorf("byte %d altered: the same key", i)
		}
	}
	if _, err := ParsePKIXPublicKey(append(der[:len(der)-1:len(der)-1], der[len(der)-1]^1)); err == nil || !strings.Contains(err.Error(), "SM2") {
		t.Errorf("a point that is not on the curve: %v", err)
	}

	request, err := CreateCertificateRequest(rand.Reader, &CertificateRequest{Subject: pkix.Name{CommonName: "a"}}, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := ParseCertificateRequest(request)
	if err != nil || parsed.CheckSignature() != nil || parsed.SignatureAlgorithm != SM2WithSM3 || parsed.PublicKeyAlgorithm != SM2 {
		t.Errorf("%v, %+v", err, parsed)
	}
	ca := issue(t, "ca", key, nil, nil, true)
	list, err := CreateRevocationList(rand.Reader, &RevocationList{Number: big.NewInt(1), ThisUpdate: time.Now(), NextUpdate: time.Now().Add(time.Hour)}, ca, key)
	if err != nil {
		t.Fatal(err)
	}
	if l, err := ParseRevocationList(list); err != nil || l.CheckSignatureFrom(ca) != nil {
		t.Errorf("%v", err)
	}
}

// foreign is a key that is not of this package, like those that programs import.
type foreign struct {
	key *sm2.PrivateKey
	as  func(*sm2.PublicKey) crypto.PublicKey
}

func (f foreign) Public() crypto.PublicKey { return f.as(f.key.PublicKey()) }

func (f foreign) Sign(random io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	return f.key.Sign(random, digest, opts)
}

type foreignPublic struct{ bytes, compressed []byte }

func (p foreignPublic) Bytes() []byte                     { return p.bytes }
func (p foreignPublic) BytesCompressed() []byte           { return p.compressed }
func (p foreignPublic) Equal(other crypto.PublicKey) bool { return false }

// A curve is that of SM2 in another package.
type curve struct{ elliptic.CurveParams }

func asECDSA(k *sm2.PublicKey) crypto.PublicKey {
	p := k.Bytes()
	return &ecdsa.PublicKey{Curve: &curve{elliptic.CurveParams{Name: "sm2p256v1", BitSize: 256}}, X: new(big.Int).SetBytes(p[1:33]), Y: new(big.Int).SetBytes(p[33:])}
}

func asForeign(k *sm2.PublicKey) crypto.PublicKey {
	return foreignPublic{k.Bytes(), k.BytesCompressed()}
}

// Signers of other packages sign certificates, and public keys of theirs go into them.
func TestSMForeignKeys(t *testing.T) {
	needSM(t)
	for _, as := range []func(*sm2.PublicKey) crypto.PublicKey{asECDSA, asForeign} {
		key := foreign{newKeySM(t), as}
		root := issue(t, "root", key, nil, nil, true)
		leaf := issue(t, "leaf", foreign{newKeySM(t), as}, root, key, false)
		if err := leaf.CheckSignatureFrom(root); err != nil {
			t.Error(err)
		}
		if !key.key.PublicKey().Equal(root.PublicKey) {
			t.Errorf("%T", root.PublicKey)
		}
	}
}

// Nothing panics.
func FuzzSMKeys(f *testing.F) {
	key, err := sm2.GenerateKey()
	if err != nil {
		f.Fatal(err)
	}
	private, _ := MarshalPKCS8PrivateKey(key)
	public, _ := MarshalPKIXPublicKey(key.Public())
	f.Add(private)
	f.Add(public)
	f.Fuzz(func(t *testing.T, der []byte) {
		if k, err := ParsePKIXPublicKey(der); err == nil {
			if _, ok := k.(*sm2.PublicKey); ok {
				if again, err := MarshalPKIXPublicKey(k); err != nil || len(again) == 0 {
					t.Error(err)
				}
			}
		}
		if k, err := ParsePKCS8PrivateKey(der); err == nil {
			if k, ok := k.(*sm2.PrivateKey); ok {
				if _, err := k.SignMessage(nil, der, nil); err != nil {
					t.Error(err)
				}
			}
		}
		var info publicKeyInfo
		if _, err := asn1.Unmarshal(der, &info); err == nil {
			parseKeyAndAlgorithm(&info)
		}
	})
}

// A certificate with a key of SM2 that is parsed has this key, and checking signatures with it does not
// panic.
func FuzzSMCertificate(f *testing.F) {
	if !withSM {
		f.Skip("FIPS 140-3 mode")
	}
	key, err := sm2.GenerateKey()
	if err != nil {
		f.Fatal(err)
	}
	template := &Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, NotBefore: time.Now(), NotAfter: time.Now(), DNSNames: []string{"localhost"}}
	der, err := CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(der)
	f.Fuzz(func(t *testing.T, der []byte) {
		c, err := ParseCertificate(der)
		if err != nil {
			return
		}
		c.CheckSignature(c.SignatureAlgorithm, c.RawTBSCertificate, c.Signature)
		if public, ok := c.PublicKey.(*sm2.PublicKey); ok != (c.PublicKeyAlgorithm == SM2) {
			t.Errorf("%T is %v", c.PublicKey, c.PublicKeyAlgorithm)
		} else if ok {
			again, err := MarshalPKIXPublicKey(public)
			if err != nil {
				t.Fatal(err)
			}
			if other, err := ParsePKIXPublicKey(again); err != nil || !public.Equal(other.(*sm2.PublicKey)) {
				t.Errorf("%x is read as another key, %v", again, err)
			}
		}
	})
}

// In FIPS 140-3 mode, a certificate with a key of SM2 is one on a curve that is not known.
func TestSMOff(t *testing.T) {
	if withSM {
		t.Skip("needs GODEBUG=fips140=on")
	}
	curve, _ := asn1.Marshal(oidNamedCurveSM2)
	info := &publicKeyInfo{Algorithm: pkix.AlgorithmIdentifier{Algorithm: oidPublicKeyECDSA, Parameters: asn1.RawValue{FullBytes: curve}}}
	if _, err := parsePublicKey(info); err == nil || err.Error() != "x509: unsupported elliptic curve" {
		t.Error(err)
	}
	if got := getSignatureAlgorithmFromAI(pkix.AlgorithmIdentifier{Algorithm: oidSignatureSM2WithSM3}); got != UnknownSignatureAlgorithm {
		t.Error(got)
	}
}
