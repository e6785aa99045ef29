//go:build linux && !nokernel

package kcapi_test

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	gohash "hash"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/kcapi"
	"github.com/cipherlane/cipherlane/sm3"
)

// A straightforward implementation of NIST SP 800-108, section 4.

func prf(new func() gohash.Hash, key []byte, parts ...[]byte) []byte {
	h := hmac.New(new, key)
	h.Write(slices.Concat(parts...))
	return h.Sum(nil)
}

func number(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)) }

func counterKDF(new func() gohash.Hash, key, input []byte, size int) (out []byte) {
	for i := 1; len(out) < size; i++ {
		out = append(out, prf(new, key, number(i), input)...)
	}
	return out[:size]
}

func feedbackKDF(new func() gohash.Hash, key, iv, input []byte, size int) (out []byte) {
	for i := 1; len(out) < size; i++ {
		iv = prf(new, key, iv, number(i), input)
		out = append(out, iv...)
	}
	return out[:size]
}

func pipelineKDF(new func() gohash.Hash, key, input []byte, size int) (out []byte) {
	a := input
	for i := 1; len(out) < size; i++ {
		a = prf(new, key, a)
		out = append(out, prf(new, key, a, number(i), input)...)
	}
	return out[:size]
}

func TestKDFs(t *testing.T) {
	key, input, iv := random(60, 32), random(61, 100), random(62, 32)
	for _, c := range []struct {
		name string
		new  func() gohash.Hash
	}{
		{"hmac(sha256)", sha256.New},
		{"hmac(sha512)", sha512.New},
		{"hmac(sm3)", sm3.New},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := mac(t, c.name, key)
			for _, size := range []int{0, 1, 16, 31, 32, 33, 64, 65, 255, 1000} {
				for _, input := range [][]byte{nil, input[:1], input} {
					same(t, "counter", check(h.CounterKDF(input, size)), counterKDF(c.new, key, input, size))
					same(t, "feedback", check(h.FeedbackKDF(iv, input, size)), feedbackKDF(c.new, key, iv, input, size))
					same(t, "feedback without IV", check(h.FeedbackKDF(nil, input, size)), feedbackKDF(c.new, key, nil, input, size))
					same(t, "pipeline", check(h.PipelineKDF(input, size)), pipelineKDF(c.new, key, input, size))
					for _, salt := range [][]byte{nil, iv[:13], random(63, 200)} {
						want := check(hkdf.Key(c.new, key, salt, string(input), size))
						same(t, "HKDF", check(kcapi.HKDF(c.name, key, salt, input, size)), want)
					}
				}
			}
			for _, password := range []string{"", "p", "a password that is longer than a block of the hash, so that its digest takes its place; it goes on and on, past 128 bytes"} {
				for _, iterations := range []int{1, 2, 100} {
					for _, size := range []int{1, 32, 100} {
						want := check(pbkdf2.Key(c.new, password, iv, iterations, size))
						same(t, "PBKDF2", check(kcapi.PBKDF2(c.name, []byte(password), iv, iterations, size)), want)
					}
				}
			}
			for _, size := range []int{-1, 255*h.Size() + 1} {
				_, err := kcapi.HKDF(c.name, key, nil, nil, size)
				wantReason(t, err, kcapi.ErrSize)
			}
			_, err := h.CounterKDF(input, -1)
			wantReason(t, err, kcapi.ErrSize)
			_, err = kcapi.PBKDF2(c.name, key, iv, 0, 32)
			wantReason(t, err, kcapi.ErrSize)
			_, err = kcapi.PBKDF2(c.name, key, iv, 1, -1)
			wantReason(t, err, kcapi.ErrSize)
			h.Close()
			_, err = h.PipelineKDF(input, 32)
			wantReason(t, err, kcapi.ErrClosed)
		})
	}
}

func TestKDFKnownAnswers(t *testing.T) {
	// NIST, CAVP, KBKDF 800-108, CounterMode, HMAC_SHA256, counter of 32 bits in front.
	h := mac(t, "hmac(sha256)", unhex("dd1d91b7d90b2bd3138533ce92b272fbf8a369316aefe242e659cc0ae238afe0"))
	input := unhex("01322b96b30acd197979444e468e1c5c6859bf1b1cf951b7e725303e237e46b864a145fab25e517b08f8683d0315bb2911d80a0e8aba17f3b413faac")
	same(t, "counter", check(h.CounterKDF(input, 16)), unhex("10621342bfb0fd40046c0e29f2cfdbf0"))

	// RFC 5869, A.1.
	same(t, "HKDF", check(kcapi.HKDF("hmac(sha256)", bytes.Repeat([]byte{0x0b}, 22), unhex("000102030405060708090a0b0c"), unhex("f0f1f2f3f4f5f6f7f8f9"), 42)),
		unhex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"))

	// RFC 7914, 11.
	same(t, "PBKDF2", check(kcapi.PBKDF2("hmac(sha256)", []byte("passwd"), []byte("salt"), 1, 64)),
		unhex("55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"))
}

// hmacDRBG is NIST SP 800-90A, 10.1.2.
type hmacDRBG struct {
	new  func() gohash.Hash
	k, v []byte
}

func newHMACDRBG(new func() gohash.Hash, seed ...[]byte) *hmacDRBG {
	n := new().Size()
	d := &hmacDRBG{new, make([]byte, n), bytes.Repeat([]byte{1}, n)}
	d.update(slices.Concat(seed...))
	return d
}

func (d *hmacDRBG) update(data []byte) {
	for i := range 2 {
		if i == 1 && len(data) == 0 {
			return
		}
		d.k = prf(d.new, d.k, d.v, []byte{byte(i)}, data)
		d.v = prf(d.new, d.k, d.v)
	}
}

func (d *hmacDRBG) generate(n int, additional []byte) (out []byte) {
	if len(additional) > 0 {
		d.update(additional)
	}
	for len(out) < n {
		d.v = prf(d.new, d.k, d.v)
		out = append(out, d.v...)
	}
	d.update(additional)
	return out[:n]
}

func TestSeededRNG(t *testing.T) {
	ran := false
	for _, c := range []struct {
		name    string
		new     func() gohash.Hash
		entropy int // including the nonce
	}{
		{"drbg_nopr_hmac_sha256", sha256.New, 48},
		{"drbg_nopr_hmac_sha384", sha512.New384, 48},
		{"drbg_nopr_hmac_sha512", sha512.New, 48},
	} {
		for _, seed := range [][]byte{nil, random(64, 40)} {
			entropy := random(65, c.entropy)
			r, err := kcapi.OpenSeededRNG(c.name, entropy, seed)
			var e *kcapi.Error
			if errors.As(err, &e) && (e.Op == "socket" || e.Op == "bind" || errors.Is(err, kcapi.ErrNotCompiledIn) || errors.Is(err, kcapi.ErrSeccomp)) {
				t.Log(err)
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			ran = true
			ref := newHMACDRBG(c.new, entropy, seed)
			for i, additional := range [][]byte{nil, random(66, 32), random(67, 1), nil} {
				got, want := make([]byte, 128-i), ref.generate(128-i, additional)
				if err := r.Generate(got, additional); err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				same(t, c.name, got, want)
			}
			got := make([]byte, 200)
			check(r.Read(got))
			same(t, c.name+": Read", got, append(ref.generate(128, nil), ref.generate(72, nil)...))
			wantReason(t, r.Generate(make([]byte, 129), nil), kcapi.ErrSize)
			wantReason(t, r.Generate(nil, nil), kcapi.ErrSize)
			r.Close()
			wantReason(t, r.Generate(got[:1], nil), kcapi.ErrClosed)
		}
	}

	// A generator without an entropy source of its own.
	seed := random(68, 48)
	if _, err := kcapi.Probe("rng", "ansi_cprng"); err == nil {
		var outs [2][]byte
		for i := range outs {
			r := check(kcapi.OpenSeededRNG("ansi_cprng", nil, seed))
			outs[i] = make([]byte, 300)
			check(r.Read(outs[i]))
			wantReason(t, r.Generate(make([]byte, 16), []byte("more")), kcapi.ErrMode)
			r.Close()
		}
		same(t, "ansi_cprng with the same seed", outs[0], outs[1])
		_, err := kcapi.OpenSeededRNG("ansi_cprng", nil, seed[:5])
		if err == nil {
			t.Error("a seed of 5 bytes is taken")
		}
		ran = true
	}
	if !ran {
		t.Skip("no generator here can be seeded")
	}
}
