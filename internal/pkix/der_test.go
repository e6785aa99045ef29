package pkix

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/asn1"
	"encoding/binary"
	"math/big"
	"slices"
	"strings"
	"testing"
)

// Append writes the same as encoding/asn1, and the result is read back.
func TestAppend(t *testing.T) {
	for _, n := range []int{0, 1, 126, 127, 128, 129, 255, 256, 257, 65535, 65536, 65537, 1<<24 - 1} {
		b := bytes.Repeat([]byte{0xab}, n)
		got := Append([]byte("x"), OctetString, b[:n/3], b[n/3:])
		if want := must(asn1.Marshal(b)); !bytes.Equal(got[1:], want) || got[0] != 'x' {
			t.Errorf("%d bytes: %.20x, want %.20x", n, got[1:], want)
		}
		r := Read(append(got[1:], 5, 0))
		if v := r.Next(OctetString); !bytes.Equal(v, b) || cap(v) != n || r.Bad() || r.Done() {
			t.Errorf("%d bytes: not read", n)
		}
		if v := r.Next(Null); len(v) != 0 || !r.Done() {
			t.Errorf("what is behind %d bytes: not read", n)
		}
	}
}

func TestNumbers(t *testing.T) {
	one := big.NewInt(1)
	for i := range uint(257) {
		power := new(big.Int).Lsh(one, i)
		for _, x := range []*big.Int{new(big.Int).Sub(power, one), power, new(big.Int).Add(power, one)} {
			want := must(asn1.Marshal(x))
			r := Read(want)
			v := r.Number()
			if x.BitLen() > 256 {
				if !r.Bad() || v != [32]byte{} {
					t.Errorf("%x: read as %x", x, v)
				}
				continue
			}
			if new(big.Int).SetBytes(v[:]).Cmp(x) != 0 || !r.Done() {
				t.Errorf("%x: read as %x", x, v)
			}
			if got := AppendNumber(nil, v); !bytes.Equal(got, want) {
				t.Errorf("%x: %x, want %x", x, got, want)
			}
			r = Read(want)
			if small := uint64(min(binary.BigEndian.Uint64(v[24:]), 1<<31)); x.BitLen() <= 64 && r.small() != small {
				t.Errorf("%x as a small number: want %d", x, small)
			}
			r = Read(want)
			if x.BitLen() > 64 && r.small() != 1<<31 {
				t.Errorf("%x as a small number: want 2^31", x)
			}
			if x.IsInt64() {
				if got := AppendInt([]byte("x"), int(x.Int64())); int64(int(x.Int64())) == x.Int64() && string(got) != "x"+string(want) {
					t.Errorf("%x: %x, want %x", x, got, want)
				}
			}
		}
	}
}

// Every value has one encoding.
func TestNotDER(t *testing.T) {
	longForm := func(tag byte, length []byte, n int) []byte {
		return slices.Concat([]byte{tag}, length, bytes.Repeat([]byte{7}, n))
	}
	for name, b := range map[string][]byte{
		"nothing":                  nil,
		"only a tag":               {OctetString},
		"another tag":              {OctetString + 1, 0},
		"too short":                {OctetString, 1},
		"indefinite":               longForm(OctetString, []byte{0x80}, 2),
		"127 bytes, long":          longForm(OctetString, []byte{0x81, 127}, 127),
		"a leading zero":           longForm(OctetString, []byte{0x82, 0, 200}, 200),
		"the length too short":     {OctetString, 0x82, 1},
		"the length of four bytes": longForm(OctetString, []byte{0x84, 1, 0, 0, 0}, 1<<24),
		"too short, long":          longForm(OctetString, []byte{0x81, 200}, 199),
	} {
		r := Read(b)
		if v := r.Next(OctetString); len(v) != 0 || !r.Bad() || r.Done() || r.Has(OctetString) || r.Next(OctetString) != nil {
			t.Errorf("%s: read as %x", name, v)
		}
		r = Read(b)
		if in := r.In(OctetString); !in.Bad() {
			t.Errorf("%s: the inside is good", name)
		}
	}
	for name, b := range map[string][]byte{
		"empty": {}, "negative": {0x80}, "negative, long": {0xff, 0}, "a zero too many": {0, 0x7f}, "two zeros": {0, 0},
		"33 bytes": append([]byte{1}, make([]byte, 32)...), "33 bytes and a zero": append([]byte{0, 0x80}, make([]byte, 32)...),
	} {
		r := Read(Append(nil, Integer, b))
		if v := r.Number(); v != [32]byte{} || !r.Bad() {
			t.Errorf("a number, %s: read as %x", name, v)
		}
	}
}

func TestReader(t *testing.T) {
	b := slices.Concat(Append(nil, OctetString, []byte("one")), Append(nil, Null))
	r := Read(b)
	if !r.Has(OctetString) || r.Has(Null) || r.Done() || r.Bad() {
		t.Error("before anything is read")
	}
	if got := r.Whole(OctetString); !bytes.Equal(got, b[:5]) || !r.Has(Null) {
		t.Errorf("Whole: %x", got)
	}
	if r.Next(Null); r.Has(Null) || !r.Done() || r.Bad() {
		t.Error("after everything is read")
	}
}

// The structures around keys are those of crypto/x509.
func TestInfo(t *testing.T) {
	k := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	public, private := must(x509.MarshalPKIXPublicKey(&k.PublicKey)), must(x509.MarshalPKCS8PrivateKey(k))
	algorithm := Append(nil, Sequence, Append(nil, OID, unhex("2a8648ce3d0201")), Append(nil, OID, unhex("2a8648ce3d030107")))
	point := must(k.PublicKey.ECDH()).Bytes()

	r, key, ok := ParsePublic(public)
	if kind := r.Next(OID); !ok || !bytes.Equal(key, point) || !bytes.Equal(kind, unhex("2a8648ce3d0201")) {
		t.Errorf("ParsePublic: %x, %v", key, ok)
	}
	if got := MarshalPublic(algorithm, point); !bytes.Equal(got, public) {
		t.Errorf("MarshalPublic: %x, want %x", got, public)
	}
	r, key, _, ok = ParsePrivate(private)
	if kind := r.Next(OID); !ok || !bytes.Equal(kind, unhex("2a8648ce3d0201")) {
		t.Errorf("ParsePrivate: %v", ok)
	}
	if got := MarshalPrivate(algorithm, key); !bytes.Equal(got, private) {
		t.Errorf("MarshalPrivate: %x, want %x", got, private)
	}
	for _, n := range []int{0, 100, 127, 128, 20000} { // lengths of all sizes
		key := bytes.Repeat([]byte{0x55}, n)
		if _, got, _, ok := ParsePrivate(MarshalPrivate(algorithm, key)); !ok || !bytes.Equal(got, key) {
			t.Errorf("a private key of %d bytes: %x", n, got)
		}
		if _, got, ok := ParsePublic(MarshalPublic(algorithm, key)); !ok || !bytes.Equal(got, key) {
			t.Errorf("a public key of %d bytes: %x", n, got)
		}
	}

	sequence := func(parts ...[]byte) []byte { return Append(nil, Sequence, parts...) }
	zero, one := []byte{Integer, 1, 0}, []byte{Integer, 1, 1}
	octets, bits := Append(nil, OctetString, []byte("key")), Append(nil, BitString, []byte("\x00key"))
	public1 := Append(nil, Implicit1, []byte("\x00public"))
	for name, c := range map[string]struct {
		der []byte
		ok  bool
	}{
		"as it is":                  {sequence(zero, algorithm, octets), true},
		"attributes":                {sequence(zero, algorithm, octets, Append(nil, Explicit0, zero)), true},
		"version 2":                 {sequence(one, algorithm, octets), true},
		"version 2, attributes":     {sequence(one, algorithm, octets, []byte{Explicit0, 0}), true},
		"version 2, public":         {sequence(one, algorithm, octets, public1), true},
		"version 2, public, both":   {sequence(one, algorithm, octets, []byte{Explicit0, 0}, public1), true},
		"version 1, public":         {sequence(zero, algorithm, octets, public1), false},
		"public before attributes":  {sequence(one, algorithm, octets, public1, []byte{Explicit0, 0}), false},
		"public twice":              {sequence(one, algorithm, octets, public1, public1), false},
		"public with unused bits":   {sequence(one, algorithm, octets, Append(nil, Implicit1, []byte("\x01public"))), false},
		"public, empty":             {sequence(one, algorithm, octets, Append(nil, Implicit1, []byte("\x00"))), false},
		"public, nothing":           {sequence(one, algorithm, octets, Append(nil, Implicit1)), false},
		"version 3":                 {sequence([]byte{Integer, 1, 2}, algorithm, octets), false},
		"version 256":               {sequence([]byte{Integer, 2, 1, 0}, algorithm, octets), false},
		"no version":                {sequence(algorithm, octets), false},
		"something behind":          {append(sequence(zero, algorithm, octets), 0), false},
		"something inside":          {sequence(zero, algorithm, octets, zero), false},
		"something else inside":     {sequence(zero, algorithm, octets, Append(nil, Explicit1, zero)), false},
		"attributes twice":          {sequence(zero, algorithm, octets, []byte{Explicit0, 0}, []byte{Explicit0, 0}), false},
		"a public key":              {sequence(algorithm, bits), false},
		"nothing":                   {nil, false},
		"the algorithm is no list":  {sequence(zero, zero, octets), false},
		"the key is a string of 01": {sequence(zero, algorithm, bits), false},
	} {
		_, key, public, ok := ParsePrivate(c.der)
		if ok != c.ok || string(key) != map[bool]string{true: "key"}[ok] || (public != nil) != (ok && strings.Contains(name, "public")) {
			t.Errorf("a private key, %s: %q, %q, %v", name, key, public, ok)
		}
	}
	for name, c := range map[string]struct {
		der []byte
		ok  bool
	}{
		"as it is":         {sequence(algorithm, bits), true},
		"something behind": {append(sequence(algorithm, bits), 0), false},
		"something inside": {sequence(algorithm, bits, zero), false},
		"no bits":          {sequence(algorithm, []byte{BitString, 0}), false},
		"seven bits":       {sequence(algorithm, Append(nil, BitString, []byte("\x01key"))), false},
		"octets":           {sequence(algorithm, octets), false},
	} {
		if _, key, ok := ParsePublic(c.der); ok != c.ok || string(key) != map[bool]string{true: "key"}[ok] {
			t.Errorf("a public key, %s: %q, %v", name, key, ok)
		}
	}
}

func TestCertificatePublic(t *testing.T) {
	k := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{SerialNumber: big.NewInt(7)}
	der := must(x509.CreateCertificate(rand.Reader, template, template, &k.PublicKey, k))
	want := must(x509.MarshalPKIXPublicKey(&k.PublicKey))
	if got := CertificatePublic(der); !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
	all := Read(der)
	certificate := all.In(Sequence)
	tbs, rest := certificate.In(Sequence), certificate.rest
	rebuild := func(tbs []byte, more ...[]byte) []byte {
		return Append(nil, Sequence, append([][]byte{Append(nil, Sequence, tbs)}, more...)...)
	}
	if got := CertificatePublic(rebuild(tbs.rest, rest)); !bytes.Equal(got, want) {
		t.Error("the certificate in parts")
	}
	version := tbs
	version.Next(Explicit0) // a certificate of version 1 has none
	if got := CertificatePublic(rebuild(version.rest, rest)); !bytes.Equal(got, want) {
		t.Error("version 1 is not read")
	}
	for name, b := range map[string][]byte{
		"nothing":              nil,
		"something behind":     append(bytes.Clone(der), 0),
		"something inside":     rebuild(tbs.rest, rest, []byte{Null, 0}),
		"without a signature":  rebuild(tbs.rest),
		"too short":            rebuild(tbs.rest[:5], rest),
		"a public key":         want,
		"it is cut":            der[:len(der)-1],
		"a list of empty ones": rebuild(nil, rest),
	} {
		if got := CertificatePublic(b); got != nil {
			t.Errorf("%s: %x", name, got)
		}
	}
}

func TestAny(t *testing.T) {
	r := Read([]byte{0x30, 1, 7, 0xa2, 0, 0x1f, 1, 7})
	for _, want := range []struct {
		tag      byte
		contents []byte
	}{{Sequence, []byte{7}}, {0xa2, nil}} {
		if tag, contents := r.Any(); tag != want.tag || !bytes.Equal(contents, want.contents) || r.Bad() {
			t.Errorf("tag %#x with %x, want %#x with %x", tag, contents, want.tag, want.contents)
		}
	}
	if tag, contents := r.Any(); tag != 0 || contents != nil || !r.Bad() { // its tag has more bytes
		t.Errorf("tag %#x with %x", tag, contents)
	}
	for _, der := range [][]byte{nil, {0x30}, {0x30, 1}} {
		r := Read(der)
		if _, contents := r.Any(); contents != nil || !r.Bad() {
			t.Errorf("%x: %x", der, contents)
		}
	}
}
