package frodokem

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
)

// The identifiers as ISO/IEC 18033-2/Amd 2 and Botan print them.
var printedOIDs = map[string]string{
	"FrodoKEM-976-SHAKE":   "1.0.18033.2.2.7.1",
	"FrodoKEM-1344-SHAKE":  "1.0.18033.2.2.7.2",
	"eFrodoKEM-976-SHAKE":  "1.0.18033.2.2.7.3",
	"eFrodoKEM-1344-SHAKE": "1.0.18033.2.2.7.4",
	"FrodoKEM-976-AES":     "1.0.18033.2.2.7.5",
	"FrodoKEM-1344-AES":    "1.0.18033.2.2.7.6",
	"eFrodoKEM-976-AES":    "1.0.18033.2.2.7.7",
	"eFrodoKEM-1344-AES":   "1.0.18033.2.2.7.8",
	"FrodoKEM-640-SHAKE":   "1.3.6.1.4.1.25258.1.14.1",
	"FrodoKEM-640-AES":     "1.3.6.1.4.1.25258.1.15.1",
	"eFrodoKEM-640-SHAKE":  "1.3.6.1.4.1.25258.1.16.1",
	"eFrodoKEM-640-AES":    "1.3.6.1.4.1.25258.1.17.1",
}

type publicInfo struct {
	Algorithm pkix.AlgorithmIdentifier
	Key       asn1.BitString
}

type privateInfo struct {
	Version   int
	Algorithm pkix.AlgorithmIdentifier
	Key       []byte
}

// privateInfo2 is a privateInfo of version 2, with the public key.
type privateInfo2 struct {
	Version   int
	Algorithm pkix.AlgorithmIdentifier
	Key       []byte
	Public    asn1.BitString `asn1:"tag:1"`
}

func bitString(b []byte) asn1.BitString { return asn1.BitString{Bytes: b, BitLength: 8 * len(b)} }

func mustMarshal(t *testing.T, v any) []byte {
	t.Helper()
	der, err := asn1.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// sameKey reports whether a key is another that was encoded in a form.
func sameKey(got, want *DecapsulationKey, form Form) bool {
	return bytes.Equal(got.Bytes(), want.Bytes()) && (got.Seed() == nil) == (form == Expanded)
}

// Encoded keys are the same as from encoding/asn1, and can be parsed again. Modified
// encodings are refused.
func TestDER(t *testing.T) {
	for _, s := range Sets() {
		dk := newKey(t, mustOn(t, "generic"), s, 1)
		ek := dk.EncapsulationKey()
		var algorithm pkix.AlgorithmIdentifier
		rest, err := asn1.Unmarshal(s.algorithm(), &algorithm)
		if err != nil || len(rest) > 0 || algorithm.Algorithm.String() != printedOIDs[s.String()] {
			t.Errorf("%v: identifier %v, want %s", s, algorithm.Algorithm, printedOIDs[s.String()])
		}
		public := MarshalPKIXPublicKey(ek)
		if !bytes.Equal(public, mustMarshal(t, publicInfo{algorithm, bitString(ek.Bytes())})) {
			t.Errorf("%v: the public key is not as encoding/asn1 writes it", s)
		}
		parsed, err := ParsePKIXPublicKey(public)
		if err != nil || parsed.Set() != s || !bytes.Equal(parsed.Bytes(), ek.Bytes()) {
			t.Errorf("%v: public key: %v", s, err)
		}
		for form, want := range map[Form][]byte{Expanded: dk.Bytes(), Seeds: dk.Seed()} {
			der, err := MarshalPKCS8PrivateKey(dk, form)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(der, mustMarshal(t, privateInfo{0, algorithm, want})) {
				t.Errorf("%v, form %d: the private key is not as encoding/asn1 writes it", s, form)
			}
			twice := mustMarshal(t, privateInfo{0, algorithm, mustMarshal(t, want)})
			null := algorithm
			null.Parameters = asn1.NullRawValue
			withPublic := mustMarshal(t, privateInfo2{1, algorithm, want, bitString(ek.Bytes())})
			for name, der := range map[string][]byte{"": der, "with two OCTET STRINGs": twice,
				"with NULL":                      mustMarshal(t, privateInfo{0, null, want}),
				"version 2":                      mustMarshal(t, privateInfo{1, algorithm, want}),
				"version 2, with the public key": withPublic} {
				parsed, err := ParsePKCS8PrivateKey(der)
				if err != nil || parsed.Set() != s || !sameKey(parsed, dk, form) {
					t.Errorf("%v, form %d %s: %v", s, form, name, err)
				}
			}
			for _, bad := range [][]byte{der[:len(der)-1], append(bytes.Clone(der), 0), public, nil,
				mustMarshal(t, privateInfo{2, algorithm, want}),
				mustMarshal(t, privateInfo2{0, algorithm, want, bitString(ek.Bytes())}),
				mustMarshal(t, privateInfo2{1, algorithm, want, bitString(ek.Bytes()[1:])}),
				mustMarshal(t, privateInfo2{1, algorithm, want, bitString(make([]byte, len(ek.Bytes())))}),
				mustMarshal(t, privateInfo{0, algorithm, want[1:]}),
				mustMarshal(t, privateInfo{0, algorithm, mustMarshal(t, mustMarshal(t, want))})} {
				if _, err := ParsePKCS8PrivateKey(bad); err == nil {
					t.Errorf("%v, form %d: %d bytes are read as a private key", s, form, len(bad))
				}
			}
		}
		oneBitLess := bitString(ek.Bytes())
		oneBitLess.BitLength--
		for _, bad := range [][]byte{public[:len(public)-1], append(bytes.Clone(public), 0),
			s.algorithm(), nil, mustMarshal(t, publicInfo{algorithm, oneBitLess}),
			mustMarshal(t, publicInfo{algorithm, bitString(ek.Bytes()[1:])})} {
			if _, err := ParsePKIXPublicKey(bad); err == nil {
				t.Errorf("%v: %d bytes are read as a public key", s, len(bad))
			}
		}
		algorithm.Algorithm = append(algorithm.Algorithm, 1)
		public = mustMarshal(t, publicInfo{algorithm, bitString(ek.Bytes())})
		if _, err := ParsePKIXPublicKey(public); !errors.Is(err, ErrAlgorithm) {
			t.Errorf("%v: public key of another algorithm: %v", s, err)
		}
		private := mustMarshal(t, privateInfo{0, algorithm, dk.Bytes()})
		if _, err := ParsePKCS8PrivateKey(private); !errors.Is(err, ErrAlgorithm) {
			t.Errorf("%v: private key of another algorithm: %v", s, err)
		}
	}
	if len(printedOIDs) != len(Sets()) {
		t.Errorf("%d identifiers", len(printedOIDs))
	}
}

// A key that is refused because of the public key that follows it is wiped.
func TestCheckPublic(t *testing.T) {
	dk := newKey(t, mustOn(t, "generic"), FrodoKEM640AES, 1)
	if k, err := dk.checkPublic(dk.EncapsulationKey().Bytes()); k != dk || err != nil {
		t.Errorf("its own public key: %v", err)
	}
	if k, err := dk.checkPublic([]byte("another")); k != nil || err == nil || dk.Bytes() != nil {
		t.Errorf("another public key: %v, %v", k, err)
	}
}

func TestEncryptedPrivateKey(t *testing.T) {
	s, passphrase := FrodoKEM640AES, []byte("a passphrase")
	dk := newKey(t, mustOn(t, "generic"), s, 1)
	scrypt := func(passphrase, salt []byte, N, r, p, size int) ([]byte, error) {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %x", passphrase, salt))
		return sum[:size], nil
	}
	for _, options := range []*KeyEncryption{
		nil, {Iterations: 1}, {Iterations: 2, SM3: true, SM4: true}, {Scrypt: scrypt},
	} {
		for _, form := range []Form{Expanded, Seeds} {
			der, err := MarshalEncryptedPrivateKey(dk, form, passphrase, options)
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := ParseEncryptedPrivateKey(der, passphrase, options)
			if err != nil || !sameKey(parsed, dk, form) {
				t.Errorf("%+v, form %d: %v", options, form, err)
			}
			if options == nil {
				continue // slow
			}
			_, err = ParseEncryptedPrivateKey(der, []byte("another"), options)
			if !errors.Is(err, ErrPassphrase) {
				t.Errorf("%+v, form %d, another passphrase: %v", options, form, err)
			}
			_, err = ParseEncryptedPrivateKey(der[1:], passphrase, options)
			if err == nil || !strings.HasPrefix(err.Error(), "frodokem: not an encrypted") {
				t.Errorf("%+v, form %d, cut: %v", options, form, err)
			}
		}
	}
	_, err := MarshalEncryptedPrivateKey(dk, Expanded, nil, nil)
	if err == nil || err.Error() != "frodokem: the passphrase is empty" {
		t.Errorf("without a passphrase: %v", err)
	}
	if _, err := MarshalPKCS8PrivateKey(dk, Seeds+1); err == nil {
		t.Error("a form that there is not")
	}
	expanded, err := s.NewDecapsulationKey(dk.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := MarshalPKCS8PrivateKey(expanded, Seeds); !errors.Is(err, errNoSeed) {
		t.Errorf("the seeds of a key that has none: %v", err)
	}
}

func TestEncryptedFIPSOnly(t *testing.T) {
	conformance.FIPSOnly(t, func(t *testing.T) {
		_, err := MarshalEncryptedPrivateKey(nil, Expanded, []byte("p"), nil)
		if !errors.Is(err, errFIPS) {
			t.Error(err)
		}
		if _, err := ParseEncryptedPrivateKey(nil, []byte("p"), nil); !errors.Is(err, errFIPS) {
			t.Error(err)
		}
	})
}
