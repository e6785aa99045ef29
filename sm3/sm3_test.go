package sm3_test

import (
	"crypto/hkdf"
	"crypto/pbkdf2"
	"encoding/hex"
	"errors"
	"hash"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/sm3"
)

// eachDriver runs f for every driver of this machine.
func eachDriver(t *testing.T, f func(t *testing.T, d sm3.Driver)) {
	conformance.EachDriver(t, "sm3", func(t *testing.T, name string) {
		d, err := sm3.On(name)
		if err != nil {
			t.Fatal(err)
		}
		f(t, d)
	})
}

func hashCase(newHash func() hash.Hash, sum func(p []byte) [sm3.Size]byte) conformance.HashCase {
	vector := func(message, digest string) conformance.HashVector {
		d, err := hex.DecodeString(digest)
		if err != nil {
			panic(err)
		}
		return conformance.HashVector{Message: []byte(message), Digest: d}
	}
	return conformance.HashCase{
		New:       newHash,
		Reference: newSpec,
		Sum: func(dst, p []byte) []byte {
			s := sum(p)
			return append(dst, s[:]...)
		},
		Layout: func(state []byte) (chaining, length []byte) {
			return state[4 : 4+sm3.Size], state[len(state)-8:]
		},
		Vectors: []conformance.HashVector{
			vector("abc", "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"),                      // GB/T 32905-2016, A.1
			vector(strings.Repeat("abcd", 16), "debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732"), // GB/T 32905-2016, A.2
			vector("", "1ab21d8355cfa17f8e61194831e81a8f22bec8c728fefb747ed035eb5082aa2b"),                         // OpenSSL 3.0.19
		},
	}
}

func TestHash(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm3.Driver) {
		conformance.Hash(t, hashCase(d.New, d.Sum))
	})
}

// The package's functions use one of the drivers.
func TestAutomatic(t *testing.T) {
	conformance.Hash(t, hashCase(sm3.New, sm3.Sum))
}

func TestOn(t *testing.T) {
	if _, err := sm3.On("none"); !errors.Is(err, drivers.ErrUnknown) {
		t.Errorf("On with a name that is none: %v", err)
	}
	for _, info := range sm3.Drivers() {
		if _, err := sm3.On(info.Name); (err == nil) != info.Available() {
			t.Errorf("On(%q): %v; available: %v", info.Name, err, info.Available())
		}
	}
}

// SM3 must not work in FIPS 140-only mode.
func TestFIPS(t *testing.T) {
	conformance.FIPSOnly(t, func(t *testing.T) {
		for name, f := range map[string]func(){
			"New":         func() { sm3.New() },
			"Sum":         func() { sm3.Sum(nil) },
			"SumMany":     func() { sm3.SumMany(nil) },
			"KDF":         func() { sm3.KDF(nil, nil) },
			"NewHMAC":     func() { sm3.NewHMAC(nil) },
			"HMACMany":    func() { sm3.HMACMany(nil) },
			"PBKDF2":      func() { sm3.PBKDF2(nil, nil, nil, 1) },
			"PBKDF2Many":  func() { sm3.PBKDF2Many(nil) },
			"HKDF":        func() { sm3.HKDF(nil, nil, nil, nil) },
			"HKDFExtract": func() { sm3.HKDFExtract(nil, nil) },
			"HKDFExpand":  func() { sm3.HKDFExpand(nil, nil, nil) },
		} {
			func() {
				defer func() {
					if p := recover(); p != "sm3: not available in FIPS 140-only mode" {
						t.Errorf("%s: panic %v", name, p)
					}
				}()
				f()
			}()
		}
	})
}

// The marshaled state of a driver can be used by any other.
func TestStateAcrossDrivers(t *testing.T) {
	p := []byte(strings.Repeat("The state is that of the algorithm. ", 20))
	want := newSpec()
	want.Write(p)
	type state interface {
		MarshalBinary() ([]byte, error)
		UnmarshalBinary([]byte) error
	}
	eachDriver(t, func(t *testing.T, from sm3.Driver) {
		eachDriver(t, func(t *testing.T, to sm3.Driver) {
			h, g := from.New(), to.New()
			h.Write(p[:333])
			s, err := h.(state).MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if err := g.(state).UnmarshalBinary(s); err != nil {
				t.Fatal(err)
			}
			g.Write(p[333:])
			if got := g.Sum(nil); string(got) != string(want.Sum(nil)) {
				t.Errorf("got %x", got)
			}
		})
	})
}

// hkdfWant is a known answer of OpenSSL 3.0.19 ("openssl kdf").
const hkdfWant = "a0d0c23f0d65ec0de92e668991f518d993a3e5c2a87da5db7230b3ecfa925f7bd4395cb7e025fb2c" +
	"68e788c1f137b231ba5056ec60d60bc61cbd5bcd0fc05b129b713549aec70dd3fc53abdc9c733033"

// TestKeyDerivation uses New in the key derivation functions of the standard library,
// with known answers of OpenSSL.
func TestKeyDerivation(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm3.Driver) {
		key, err := hkdf.Key(d.New, []byte("input keying material"), []byte("salt"), "info", 80)
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(key); got != hkdfWant {
			t.Errorf("HKDF: got %s, want %s", got, hkdfWant)
		}
		for _, v := range pbkdf2Vectors {
			key, err = pbkdf2.Key(d.New, v.password, []byte(v.salt), v.iterations, len(v.key)/2)
			if err != nil {
				t.Fatal(err)
			}
			if got := hex.EncodeToString(key); got != v.key {
				t.Errorf("PBKDF2: got %s, want %s", got, v.key)
			}
		}
	})
}
