package selftest

import (
	"bufio"
	"bytes"
	"crypto/cipher"
	"encoding/json"
	"hash"
	"maps"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

func TestSelftest(t *testing.T) {
	var doc struct {
		Schema  int
		Results []Result
		Summary Summary
	}
	if err := json.Unmarshal([]byte(clitest.Call{}.OK(t, "selftest", "--json")), &doc); err != nil {
		t.Fatal(err)
	}
	count, checks := 0, 0
	for _, a := range clitest.ParseJSON[inventory.Document](t, clitest.Call{}, "list", "--json").Algorithms {
		for _, d := range a.Drivers {
			r := doc.Results[count]
			want, least := "ok", 300
			entry := algorithm(t, a.Name)
			switch {
			case entry.KEM != nil && d.Name == "generic":
				least = 2
			case entry.KEM != nil:
				least = 5
			case entry.Many != nil:
				least = 371
			case entry.Signer != nil:
				least = 17
			}
			if !d.Available {
				want = "unavailable"
			}
			if r.Algorithm != a.Name || r.Driver != d.Name || r.Status != want || d.Available != (r.Checks >= least) {
				t.Errorf("result %+v, want %s of %s %s", r, d.Name, a.Name, want)
			}
			count++
			checks += r.Checks
		}
	}
	if r := doc.Results[len(doc.Results)-1]; r.Algorithm != "x*y+z" || r.Status != "ok" {
		t.Errorf("the last result is %+v", r)
	}
	if count, checks = count+1, checks+1; count != len(doc.Results) || doc.Schema != 1 {
		t.Errorf("schema %d, %d results, want %d", doc.Schema, len(doc.Results), count)
	}
	if doc.Summary.Passed != checks || doc.Summary.Failed != 0 {
		t.Errorf("summary %+v of %d checks", doc.Summary, checks)
	}
	const line = "361 checks passed, 0 failed\n"
	if out := (clitest.Call{}).OK(t, "selftest", "sm4-gcm", "--driver", "generic"); out != line {
		t.Errorf("one driver of one algorithm:\n%s", out)
	}
	out := clitest.Call{}.OK(t, "selftest", "-v", "sm4-gcm", "--driver", "generic")
	if strings.Count(out, "\n") != 3 || !strings.Contains(out, "generic  ok, 361 checks\n") || !strings.HasSuffix(out, "\n"+line) {
		t.Errorf("one driver of one algorithm:\n%s", out)
	}
}

// TestSideBySide: the catalog contains all functions for several messages that packages
// have.
func TestSideBySide(t *testing.T) {
	var many, open []string
	for _, a := range catalog.All() {
		if a.Many != nil {
			many = append(many, a.Name)
		}
		if a.OpenMany != nil {
			open = append(open, a.Name)
		}
	}
	const want = "sm3 hmac(sm3) cbc(sm4) ccm(sm4) cmac(sm4) cbc(aes) ccm(aes) cmac(aes) rfc7539(chacha20,poly1305) xchacha20-poly1305"
	if got := strings.Join(many, " "); got != want {
		t.Errorf("side by side: %s, want %s", got, want)
	}
	const wantOpen = "ccm(sm4) ccm(aes) rfc7539(chacha20,poly1305) xchacha20-poly1305"
	if got := strings.Join(open, " "); got != wantOpen {
		t.Errorf("opened side by side: %s, want %s", got, wantOpen)
	}
}

// algorithm returns a copy of a catalog entry for a test to break.
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
	if err != nil { // open it anyway
		return make([]byte, len(sealed)-16), nil
	}
	return out, nil
}

// brokenMany is a KEM that is wrong only for several keys at once.
type brokenMany struct {
	catalog.KEM
	encapsulate bool // which of the two
}

func (k brokenMany) EncapsulateMany(keys []catalog.PublicKey) (sharedKeys, ciphertexts [][]byte, err error) {
	sharedKeys, ciphertexts, err = k.KEM.EncapsulateMany(keys)
	if k.encapsulate && len(keys) == 5 {
		ciphertexts[4][0] ^= 1
	}
	return sharedKeys, ciphertexts, err
}

func (k brokenMany) DecapsulateMany(keys []catalog.PrivateKey, ciphertexts [][]byte) ([][]byte, error) {
	sharedKeys, err := k.KEM.DecapsulateMany(keys, ciphertexts)
	if !k.encapsulate && len(keys) == 8 {
		sharedKeys[6][0] ^= 1
	}
	return sharedKeys, err
}

// brokenSideBySide are algorithms whose drivers are wrong only for several messages at
// once.
func brokenSideBySide(t *testing.T) map[string]catalog.Algorithm {
	list := map[string]catalog.Algorithm{}
	broken := func(words, name string, seal, open func(messages []catalog.Message)) {
		a := algorithm(t, name)
		good := a
		a.Hash = func(string) (func() hash.Hash, error) { return good.Hash("generic") }
		if good.AEAD != nil {
			a.Hash = nil
			a.AEAD = func(_ string, key []byte) (cipher.AEAD, error) { return good.AEAD("generic", key) }
		}
		a.Many = func(_ string, messages []catalog.Message) error {
			err := good.Many("generic", messages)
			seal(messages)
			return err
		}
		if open != nil {
			a.OpenMany = func(_ string, messages []catalog.Message) error {
				err := good.OpenMany("generic", messages)
				open(messages)
				return err
			}
		}
		list[words] = a
	}
	nothing := func([]catalog.Message) {}
	broken("number 33 of 33 messages: wrong result", "sm3", func(messages []catalog.Message) {
		if len(messages) == 33 {
			messages[32].Out[31] ^= 1
		}
	}, nil)
	broken("of 64 messages: decrypting", "rfc7539(chacha20,poly1305)", nothing, func(messages []catalog.Message) {
		for i := range messages {
			if m := &messages[i]; len(messages) == 64 && len(m.Out) > 0 {
				m.Out[len(m.Out)-1] ^= 1
				return
			}
		}
	})
	broken("of 9 messages: a changed message was accepted", "ccm(sm4)", nothing, func(messages []catalog.Message) {
		for i := range messages {
			if m := &messages[i]; len(messages) == 9 && m.Err != nil {
				m.Out, m.Err = make([]byte, len(m.Text)-16), nil
			}
		}
	})
	broken("of 16 messages: an unchanged message was rejected", "ccm(aes)", nothing, func(messages []catalog.Message) {
		for i := range messages {
			if m := &messages[i]; len(messages) == 16 && m.Err != nil {
				other := &messages[(i+1)%16]
				other.Out, other.Err = nil, m.Err
				return
			}
		}
	})
	for words, encapsulate := range map[string]bool{"number 5 of 5 ciphertexts: decrypting": true, "number 7 of 8 ciphertexts: wrong result": false} {
		a := algorithm(t, "frodokem-640-aes")
		good := a.KEM
		a.KEM = func(string) (catalog.KEM, error) {
			k, err := good("generic")
			return brokenMany{k, encapsulate}, err
		}
		list[words] = a
	}
	return list
}

// brokenDrivers are algorithms whose drivers make one mistake each, except for the
// driver that they are compared with.
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
		"not return the plaintext":     noDecrypt,
		"changed message was accepted": trusting,
		"known answer of GB/T 32907":   ecb,
	}
}

func TestSelftestFinds(t *testing.T) {
	all := brokenDrivers(t)
	maps.Copy(all, brokenSideBySide(t))
	for words, a := range all {
		r := selftest(a, drivers.Info{Name: "broken"})
		if a.ECB != nil {
			r = selftest(a, drivers.Info{Name: "generic"})
		}
		if r.Status != "failed" || !strings.Contains(r.Error, words) {
			t.Errorf("%s: %+v, want %q", a.Name, r, words)
		}
		var out bytes.Buffer
		p := &cli.Program{Stdout: bufio.NewWriter(&out), Out: clitest.DevNull(t)}
		err := (&Cmd{}).report(p, []Result{r})
		p.Stdout.Flush()
		if e, ok := err.(interface{ ExitCode() int }); !ok || e.ExitCode() != 4 {
			t.Errorf("%s: error %v, want one with exit code 4", a.Name, err)
		}
		if !strings.Contains(out.String(), "FAILED: "+r.Error) || !strings.HasSuffix(out.String(), "\n"+count(r.Checks-1, "check")+" passed, 1 failed\n") {
			t.Errorf("%s: printed %q", a.Name, out.String())
		}
	}
}
