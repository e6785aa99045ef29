package sm2

import (
	"bytes"
	"encoding/asn1"
	"testing"
)

// FuzzKeys: what is read as a key is a key, and DER that encoding/asn1 also reads;
// written and read again it is the same key.
func FuzzKeys(f *testing.F) {
	k := newKey(automatic(), annexKey)
	f.Add(MarshalPKCS8PrivateKey(k))
	f.Add(MarshalECPrivateKey(k))
	f.Add(MarshalPKIXPublicKey(k.PublicKey()))
	f.Add(k.Bytes())
	f.Add(k.PublicKey().Bytes())
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
			if again, err := format.parse(format.marshal(k)); err != nil || !again.Equal(k) {
				t.Errorf("%s: %x is read and not written: %v", name, b, err)
			}
			var any asn1.RawValue
			if rest, err := asn1.Unmarshal(b, &any); name != "bytes" && (err != nil || len(rest) > 0) {
				t.Errorf("%s: %x is no DER: %v", name, b, err)
			}
		}
		if p, err := ParsePKIXPublicKey(b); err == nil {
			if again, err := ParsePKIXPublicKey(MarshalPKIXPublicKey(p)); err != nil || !again.Equal(p) {
				t.Errorf("%x is read and not written: %v", b, err)
			}
			// There are two ways to write it: as it was, or with the point compressed.
			short := appendDER(nil, tagSequence, algorithm(), appendDER(nil, tagBitString, []byte{0}, p.BytesCompressed()))
			if !bytes.Equal(b, MarshalPKIXPublicKey(p)) && !bytes.Equal(b, short) {
				t.Errorf("%x is read", b)
			}
		}
	})
}
