package sm2

import (
	"bytes"
	"encoding/asn1"
	"testing"

	"github.com/cipherlane/cipherlane/internal/pkix"
)

// FuzzKeys checks that input accepted as a key is valid and is DER that encoding/asn1
// also accepts, and that encoding and parsing it again gives the same key.
func FuzzKeys(f *testing.F) {
	k := newKey(automatic(), annexKey)
	f.Add(MarshalPKCS8PrivateKey(k))
	f.Add(MarshalECPrivateKey(k))
	f.Add(MarshalPKIXPublicKey(k.PublicKey()))
	f.Add(k.Bytes())
	f.Add(k.PublicKey().Bytes())
	own := pkix.Append(nil, pkix.OID, oidCurve)
	f.Add(pkix.MarshalPublic(pkix.Append(nil, pkix.Sequence, own, own), k.PublicKey().Bytes()))
	f.Add(pkix.MarshalPublic(pkix.Append(nil, pkix.Sequence, own, []byte{pkix.Null, 0}), k.PublicKey().BytesCompressed()))
	f.Add(pkix.MarshalPublic(explicitAlgorithm(), k.PublicKey().Bytes()))
	f.Fuzz(func(t *testing.T, b []byte) {
		for name, format := range map[string]struct {
			parse   func([]byte) (*PrivateKey, error)
			marshal func(*PrivateKey) []byte
		}{
			"PKCS #8": {ParsePKCS8PrivateKey, MarshalPKCS8PrivateKey},
			"SEC 1":   {ParseECPrivateKey, MarshalECPrivateKey},
			"bytes":   {NewPrivateKey, (*PrivateKey).Bytes},
		} {
			k, err := format.parse(b)
			if (k == nil) != (err != nil) {
				t.Fatalf("%s: key %v and error %v", name, k, err)
			}
			if err != nil {
				continue
			}
			if reparsed, err := format.parse(format.marshal(k)); err != nil || !reparsed.Equal(k) {
				t.Errorf("%s: %x is read and not written: %v", name, b, err)
			}
			var any asn1.RawValue
			if rest, err := asn1.Unmarshal(b, &any); name != "bytes" && (err != nil || len(rest) > 0) {
				t.Errorf("%s: %x is no DER: %v", name, b, err)
			}
		}
		if p, err := ParsePKIXPublicKey(b); err == nil {
			if reparsed, err := ParsePKIXPublicKey(MarshalPKIXPublicKey(p)); err != nil || !reparsed.Equal(p) {
				t.Errorf("%x is read and not written: %v", b, err)
			}
			// There are twelve encodings: four algorithms, and three forms of the point.
			// More have the parameters of the curve.
			valid := bytes.Contains(b, oidPrimeField)
			own, null := pkix.Append(nil, pkix.OID, oidCurve), []byte{pkix.Null, 0}
			hybrid := p.Bytes()
			hybrid[0] = 6 | hybrid[64]&1
			for _, a := range [][]byte{algorithm(), pkix.Append(nil, pkix.Sequence, own), pkix.Append(nil, pkix.Sequence, own, own), pkix.Append(nil, pkix.Sequence, own, null)} {
				for _, point := range [][]byte{p.Bytes(), p.BytesCompressed(), hybrid} {
					valid = valid || bytes.Equal(b, pkix.MarshalPublic(a, point))
				}
			}
			if !valid {
				t.Errorf("%x is read", b)
			}
		}
	})
}
