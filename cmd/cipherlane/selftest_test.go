package main

import (
	"bufio"
	"bytes"
	"crypto/cipher"
	"encoding/json"
	"hash"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/catalog"
)

func TestSelftest(t *testing.T) {
	var doc struct {
		Schema  int
		Results []selftestResult
	}
	if err := json.Unmarshal([]byte(call{}.ok(t, "selftest", "--json")), &doc); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, a := range listJSON(t, call{}).Algorithms {
		for _, d := range a.Drivers {
			r := doc.Results[count]
			want, least := "ok", 300
			switch a.Package {
			case "frodokem":
				least = 2
			case "sm2":
				least = 17
			}
			if !d.Available {
				want = "unavailable"
			}
			if r.Algorithm != a.Name || r.Driver != d.Name || r.Status != want || d.Available != (r.Checks >= least) {
				t.Errorf("result %+v, want %s of %s %s", r, d.Name, a.Name, want)
			}
			count++
		}
	}
	if count != len(doc.Results) || doc.Schema != 1 {
		t.Errorf("schema %d, %d results, want %d", doc.Schema, len(doc.Results), count)
	}
	out := call{}.ok(t, "selftest", "sm4-gcm", "--driver", "generic")
	if strings.Count(out, "\n") != 2 || !strings.Contains(out, "generic  ok") {
		t.Errorf("one driver of one algorithm:\n%s", out)
	}
}

// algorithm returns a copy of a catalog entry, to be broken.
func algorithm(t *testing.T, name string) catalog.Algorithm {
	t.Helper()
	a, ok := catalog.Find(name)
	if !ok {
		t.Fatalf("no %s", name)
	}
	return a
}

type brokenHash struct {
	hash.Hash
	wrong int
	n     int
}

func (h *brokenHash) Write(p []byte) (int, error) { h.n += len(p); return h.Hash.Write(p) }
func (h *brokenHash) Sum(b []byte) []byte {
	sum := h.Hash.Sum(b)
	if h.n == h.wrong {
		sum[len(sum)-1] ^= 1
	}
	return sum
}

type brokenStream struct{ cipher.Stream }

func (s brokenStream) XORKeyStream(dst, src []byte) {
	s.Stream.XORKeyStream(dst, src)
	if len(src) == 257 {
		dst[256] ^= 1
	}
}

type brokenAEAD struct{ cipher.AEAD }

func (a brokenAEAD) Open(dst, nonce, sealed, data []byte) ([]byte, error) {
	out, err := a.AEAD.Open(dst, nonce, sealed, data)
	if err != nil { // open it all the same
		return make([]byte, len(sealed)-16), nil
	}
	return out, nil
}

// brokenDrivers are algorithms whose drivers, except for what they are
// compared with, make one mistake.
func brokenDrivers(t *testing.T) map[string]catalog.Algorithm {
	sm3, other := algorithm(t, "sm3"), algorithm(t, "sm3")
	other.Hash = func(name string) (func() hash.Hash, error) {
		newHash, err := sm3.Hash("generic")
		if name == "generic" || err != nil {
			return newHash, err
		}
		return func() hash.Hash { return &brokenHash{newHash(), 119, 0} }, nil
	}
	ctr, broken := algorithm(t, "ctr(sm4)"), algorithm(t, "ctr(sm4)")
	broken.Stream = func(name string, key, iv []byte, encrypt bool) (cipher.Stream, error) {
		s, err := ctr.Stream("generic", key, iv, encrypt)
		if name == "generic" {
			return s, err
		}
		return brokenStream{s}, err
	}
	cbc, noDecrypt := algorithm(t, "cbc(sm4)"), algorithm(t, "cbc(sm4)")
	noDecrypt.BlockMode = func(name string, key, iv []byte, encrypt bool) (cipher.BlockMode, error) {
		return cbc.BlockMode("generic", key, iv, true)
	}
	gcm, trusting := algorithm(t, "gcm(sm4)"), algorithm(t, "gcm(sm4)")
	trusting.AEAD = func(name string, key []byte) (cipher.AEAD, error) {
		a, err := gcm.AEAD("generic", key)
		return brokenAEAD{a}, err
	}
	ecb := algorithm(t, "ecb(sm4)")
	ecb.Answer.Output = bytes.Repeat([]byte{1}, 16)
	return map[string]catalog.Algorithm{
		"119 bytes: wrong result":      other,
		"257 bytes: wrong result":      broken,
		"plaintext back":               noDecrypt,
		"changed message was accepted": trusting,
		"known answer of GB/T 32907":   ecb,
	}
}

func TestSelftestFinds(t *testing.T) {
	for words, a := range brokenDrivers(t) {
		r := selftest(a, driver.Info{Name: "broken"})
		if a.ECB != nil {
			r = selftest(a, driver.Info{Name: "generic"})
		}
		if r.Status != "failed" || !strings.Contains(r.Error, words) {
			t.Errorf("%s: %+v, want %q", a.Name, r, words)
		}
		var out bytes.Buffer
		p := &program{stdout: bufio.NewWriter(&out), out: devNull(t)}
		err := (&selftestCmd{}).report(p, []selftestResult{r})
		p.stdout.Flush()
		if e, ok := err.(interface{ ExitCode() int }); !ok || e.ExitCode() != 4 {
			t.Errorf("%s: error %v, want one with exit code 4", a.Name, err)
		}
		if !strings.Contains(out.String(), "FAILED: "+r.Error) {
			t.Errorf("%s: printed %q", a.Name, out.String())
		}
	}
}
