package vectors

import (
	"bytes"
	"compress/gzip"
	"runtime"
	"slices"
	"testing"
	"testing/fstest"
)

// fails reports whether f ends its test. The methods f calls are those that
// this package uses.
func fails(t *testing.T, f func(t testing.TB)) bool {
	p := &probe{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(p)
	}()
	<-done
	return p.failed
}

type probe struct {
	testing.TB
	failed bool
}

func (p *probe) Helper()               {}
func (p *probe) Fatal(...any)          { p.failed = true; runtime.Goexit() }
func (p *probe) Fatalf(string, ...any) { p.failed = true; runtime.Goexit() }

func TestHex(t *testing.T) {
	if got := Hex(t, " 00ff\n\tA5 5a "); !bytes.Equal(got, []byte{0, 0xff, 0xa5, 0x5a}) {
		t.Errorf("got %x", got)
	}
	for _, s := range []string{"0", "0x00", "zz"} {
		if !fails(t, func(t testing.TB) { Hex(t, s) }) {
			t.Errorf("%q is taken for hexadecimal", s)
		}
	}
}

const stanzas = `#  CAVS 14.0
# a comment

[Keylen = 128]
[IVlen = 96]

Count = 0
Key = 0a0b
PT =
FAIL

Count = 1
Key = 0c
# inside a stanza
Ctrl = a
Ctrl = b
Text = "two\n"
[DECRYPT]
[Alen = 3, Plen = 24]
Count = 2
Alen = 4
`

func TestStanzas(t *testing.T) {
	fsys := fstest.MapFS{
		"a.rsp":     {Data: []byte(stanzas)},
		"crlf.rsp":  {Data: bytes.ReplaceAll([]byte(stanzas), []byte("\n"), []byte("\r\n"))},
		"a.rsp.gz":  {Data: compressed(stanzas)},
		"empty.rsp": {Data: []byte("# nothing\n\n[Keylen = 128]\n")},
		"bad.gz":    {Data: []byte(stanzas)},
	}
	for _, name := range []string{"a.rsp", "crlf.rsp", "a.rsp.gz"} {
		list := Stanzas(t, fsys, name)
		if len(list) != 3 {
			t.Fatalf("%s: %d stanzas", name, len(list))
		}
		a, b, c := list[0], list[1], list[2]
		if a.String() != name+":7" || c.String() != name+":20" {
			t.Errorf("found %v and %v", a, c)
		}
		for i, s := range list {
			if s.Int(t, "Count") != i {
				t.Errorf("%v: Count = %d", s, s.Int(t, "Count"))
			}
		}
		if !bytes.Equal(a.Bytes(t, "Key"), []byte{10, 11}) || len(a.Bytes(t, "PT")) != 0 || !a.Has("FAIL") || b.Has("FAIL") {
			t.Errorf("%v: %v", a, a.fields)
		}
		if !slices.Equal(b.Values("Ctrl"), []string{"a", "b"}) || string(b.Bytes(t, "Text")) != "two\n" {
			t.Errorf("%v: %v", b, b.fields)
		}
		if b.Int(t, "Keylen") != 128 || b.Int(t, "IVlen") != 96 || b.Has("DECRYPT") {
			t.Errorf("%v: headers: %v", b, b.fields)
		}
		if c.Has("Keylen") || !c.Has("DECRYPT") || c.Int(t, "Plen") != 24 || c.Int(t, "Alen") != 4 {
			t.Errorf("%v: headers: %v", c, c.fields)
		}
	}

	s := Stanzas(t, fsys, "a.rsp")[1]
	for what, f := range map[string]func(t testing.TB){
		"a file without stanzas":      func(t testing.TB) { Stanzas(t, fsys, "empty.rsp") },
		"a missing file":              func(t testing.TB) { Stanzas(t, fsys, "b.rsp") },
		"a file that is not gzip":     func(t testing.TB) { Stanzas(t, fsys, "bad.gz") },
		"a missing key":               func(t testing.TB) { s.Get(t, "Tag") },
		"text where a number belongs": func(t testing.TB) { s.Int(t, "Ctrl") },
		"an open quotation mark":      func(t testing.TB) { Stanza{fields: []field{{"a", `"x`}}}.Bytes(t, "a") },
	} {
		if !fails(t, f) {
			t.Errorf("%s does not end the test", what)
		}
	}
}

func compressed(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.Bytes()
}

func TestWycheproof(t *testing.T) {
	fsys := fstest.MapFS{
		"aead.json": {Data: []byte(`{"algorithm": "X-GCM", "numberOfTests": 2, "testGroups": [
			{"type": "AeadTest", "keySize": 128, "ivSize": 96, "tagSize": 128, "tests": [
				{"tcId": 1, "comment": "c", "flags": ["Ktv"], "key": "00ff", "iv": "01", "aad": "", "msg": "02", "ct": "03", "tag": "04", "result": "valid"},
				{"tcId": 2, "comment": "", "flags": [], "key": "00ff", "iv": "01", "aad": "05", "msg": "", "ct": "", "tag": "04", "result": "invalid"}]}]}`)},
		"empty.json": {Data: []byte(`{"testGroups": []}`)},
		"odd.json":   {Data: []byte(`{"testGroups": [{"tests": [{"key": "0"}]}]}`)},
		"cut.json":   {Data: []byte(`{"testGroups": [`)},
	}
	groups := Wycheproof[AEADGroup](t, fsys, "aead.json")
	if len(groups) != 1 || len(groups[0].Tests) != 2 {
		t.Fatalf("got %+v", groups)
	}
	g := groups[0]
	if g.KeySize != 128 || g.IVSize != 96 || g.TagSize != 128 {
		t.Errorf("parameters: %+v", g)
	}
	a, b := g.Tests[0], g.Tests[1]
	if a.ID != 1 || a.Result != Valid || a.Comment != "c" || !slices.Equal(a.Flags, []string{"Ktv"}) || b.ID != 2 || b.Result != Invalid {
		t.Errorf("tests: %+v", g.Tests)
	}
	if !bytes.Equal(a.Key, []byte{0, 0xff}) || !bytes.Equal(a.Ciphertext, []byte{3}) || !bytes.Equal(a.Tag, []byte{4}) || !bytes.Equal(b.AAD, []byte{5}) {
		t.Errorf("tests: %+v", g.Tests)
	}
	for _, name := range []string{"empty.json", "odd.json", "cut.json", "missing.json"} {
		if !fails(t, func(t testing.TB) { Wycheproof[AEADGroup](t, fsys, name) }) {
			t.Errorf("%s does not end the test", name)
		}
	}
}
