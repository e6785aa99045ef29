package sm3_test

import (
	"bytes"
	"crypto/hkdf"
	"encoding/hex"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/guard"
	"github.com/cipherlane/cipherlane/sm3"
)

// specHKDF is RFC 5869, section 2.
func specHKDF(n int, secret, salt, info []byte) (prk, key []byte) {
	prk = specMAC(salt, secret)
	var t []byte
	for i := byte(1); len(key) < n; i++ {
		t = specMAC(prk, bytes.Join([][]byte{t, info, {i}}, nil))
		key = append(key, t...)
	}
	return prk, key[:n]
}

func TestHKDF(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm3.Driver) {
		key := make([]byte, 80)
		d.HKDF(key, []byte("input keying material"), []byte("salt"), []byte("info"))
		if got := hex.EncodeToString(key); got != hkdfWant {
			t.Errorf("known answer: %s, want %s", got, hkdfWant)
		}
		check := func(n, secret, salt, info int) {
			t.Helper()
			key, a, b, c := guard.After(t, n), guard.After(t, secret), guard.After(t, salt), guard.After(t, info)
			copy(a, numbers(1, 250))
			copy(b, numbers(2, 250))
			copy(c, numbers(3, 250))
			prk, want := specHKDF(n, a, b, c)
			d.HKDF(key, a, b, c)
			if got := d.HKDFExtract(a, b); !bytes.Equal(got[:], prk) || !bytes.Equal(key, want) {
				t.Errorf("%d bytes of %d, %d, %d: %x and %x, want %x and %x", n, secret, salt, info, got, key, prk, want)
			}
			clear(key)
			d.HKDFExpand(key, prk, c)
			if !bytes.Equal(key, want) {
				t.Errorf("HKDFExpand of %d bytes, %d of info: %x, want %x", n, info, key, want)
			}
		}
		for n := range 130 {
			check(n, 32, 32, 10)
			check(40, n, 8, 8)
			check(40, 32, n, 8)
			check(40, 32, 8, n)
		}
		want, err := hkdf.Key(d.New, key, key, "the longest", 255*sm3.Size)
		if err != nil {
			t.Fatal(err)
		}
		longest := make([]byte, len(want)+1)
		d.HKDF(longest[:len(want)], key, key, []byte("the longest"))
		if !bytes.Equal(longest[:len(want)], want) {
			t.Error("the longest key is not that of crypto/hkdf")
		}
		conformance.NoAllocs(t, "HKDF", func() { d.HKDF(longest[:100], key, key, key) })
		defer func() {
			if p := recover(); p != "sm3: HKDF of too many bytes" {
				t.Errorf("one byte more: panic %v", p)
			}
		}()
		d.HKDFExpand(longest, key, nil)
	})
}
