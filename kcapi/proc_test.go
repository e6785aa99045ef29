package kcapi

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// samples contains texts of /proc/crypto, by file name.
func samples(t testing.TB) map[string]string {
	t.Helper()
	list := map[string]string{}
	names, _ := filepath.Glob("testdata/proc_crypto_*.txt")
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list[strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "proc_crypto_"), ".txt")] = string(b)
	}
	if len(list) < 4 {
		t.Fatalf("only %d samples", len(list))
	}
	return list
}

func parse(t testing.TB, text string) []Record {
	t.Helper()
	list, err := ParseAlgorithms(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func find(list []Record, driver string) Record {
	i := slices.IndexFunc(list, func(r Record) bool { return r.Driver == driver })
	if i < 0 {
		return Record{}
	}
	return list[i]
}

// Records contain everything in a sample, under the right names: the fields of a record
// are written out again and compared with the text.
func TestParseAlgorithmsSamples(t *testing.T) {
	for name, text := range samples(t) {
		list := parse(t, text)
		entries := strings.Split(strings.TrimSpace(text), "\n\n")
		if len(list) != len(entries) {
			t.Errorf("%s: %d records of %d entries", name, len(list), len(entries))
			continue
		}
		for i, r := range list {
			if len(r.Other) > 0 {
				t.Errorf("%s: %s: unknown fields %v", name, r.Driver, r.Other)
			}
			for line := range strings.Lines(entries[i]) {
				field, want, _ := strings.Cut(line, ":")
				field, want = strings.TrimSpace(field), strings.TrimSpace(want)
				got := "?"
				if p := r.text(field); p != nil {
					got = *p
				} else if p := r.number(field); p != nil {
					got = fmt.Sprint(*p)
				} else if p := r.flag(field); p != nil {
					got = map[bool]string{true: "yes", false: "no"}[*p]
				}
				if got != want {
					t.Errorf("%s: %s: %s is %q, want %q", name, r.Driver, field, got, want)
				}
			}
		}
	}
}

func TestParseAlgorithms(t *testing.T) {
	full := `name         : gcm(x)
driver       : gcm-x-hw
module       : hw
priority     : -5
refcnt       : 3
selftest     : unknown
internal     : yes
fips         : no
type         : aead
async        : yes
blocksize    : 1
min keysize  : 2
max keysize  : 3
ivsize       : 4
chunksize    : 5
walksize     : 6
statesize    : 7
digestsize   : 8
maxauthsize  : 9
seedsize     : 10
geniv        : <none>
new field    : a: b
`
	want := Record{
		Name: "gcm(x)", Driver: "gcm-x-hw", Module: "hw", Priority: -5, RefCount: 3, SelfTest: "unknown", Internal: true, FIPS: "no",
		Type: "aead", Async: true, BlockSize: 1, MinKeySize: 2, MaxKeySize: 3, IVSize: 4, ChunkSize: 5, WalkSize: 6, StateSize: 7,
		DigestSize: 8, MaxAuthSize: 9, SeedSize: 10, GenIV: "<none>", Other: []Field{{"new field", "a: b"}},
	}
	for i, test := range []struct {
		text string
		want []Record
	}{
		{"", nil},
		{"\n\n\n", nil},
		{full, []Record{want}},
		{strings.TrimSuffix(full, "\n"), []Record{want}},
		{strings.ReplaceAll(full, "\n", "\r\n"), []Record{want}},
		{full + "\n" + full, []Record{want, want}},
		{full + full, []Record{want, want}}, // the line between them is missing
		{"name: a\nasync: perhaps\nblocksize: many\npriority: 99999999999\n", []Record{{Name: "a", Other: []Field{{"async", "perhaps"}, {"blocksize", "many"}, {"priority", "99999999999"}}}}},
		{"driver: d\n: x\nno colon\n", []Record{{Driver: "d"}}},
	} {
		if got := parse(t, test.text); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%d: %+v\nwant %+v", i, got, test.want)
		}
	}
	if list, err := ParseAlgorithms(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(full)))); err == nil {
		t.Errorf("no error of the reader, but %v", list)
	}
}

func TestWinner(t *testing.T) {
	text := samples(t)
	for _, test := range []struct {
		sample, typ, name string
		masks             bool
		want              string
	}{
		{"6.1", "skcipher", "cbc(aes)", false, "cbc-aes-aesni"},
		{"6.1", "hash", "ghash", false, "ghash-clmulni"}, // ahash before shash
		{"6.1", "hash", "sha256", false, "sha256-ni"},
		{"6.1", "rng", "stdrng", false, "drbg_nopr_hmac_sha512"},
		{"6.1", "skcipher", "__cbc(aes)", false, ""}, // internal
		{"6.1", "hash", "cbc(aes)", false, ""},
		{"6.1", "cipher", "aes", false, ""}, // no such type of sockets
		{"6.12_engine", "skcipher", "cbc(aes)", false, "cbc-aes-aesni"},
		{"6.12_engine", "skcipher", "virtio_crypto_aes_cbc", false, "virtio_crypto_aes_cbc"},
		{"6.12_engine", "skcipher", "virtio_crypto_aes_cbc", true, ""},
		{"6.12_engine", "aead", "gcm(aes)", false, "generic-gcm-aesni-avx"},
		{"6.12", "skcipher", "ctr(sm4)", false, "cryptd(ctr(sm4-generic))"},
		{"6.12", "skcipher", "cbc(aes)", false, "cbc(ecb(aes-generic))"}, // lskcipher
		{"7.2", "skcipher", "ctr(sm4)", false, "cryptd(ctr(sm4-generic))"},
		{"7.2", "skcipher", "ctr(sm4)", true, "ctr(sm4-generic)"},
		{"7.2", "hash", "sha256", true, "sha256-lib"},
		{"7.2", "hash", "sha256-lib", true, "sha256-lib"},
	} {
		got, ok := winner(parse(t, text[test.sample]), test.typ, test.name, test.masks)
		if got.Driver != test.want || ok != (test.want != "") {
			t.Errorf("%s: %s %s, masks %v: %q, want %q", test.sample, test.typ, test.name, test.masks, got.Driver, test.want)
		}
	}

	base := Record{Name: "n", Type: "skcipher", SelfTest: "passed"}
	variant := func(driver string, priority int, f func(*Record)) Record {
		r := base
		r.Driver, r.Priority = driver, priority
		if f != nil {
			f(&r)
		}
		return r
	}
	list := []Record{
		variant("internal", 9, func(r *Record) { r.Internal = true }),
		variant("untested", 9, func(r *Record) { r.SelfTest = "unknown" }),
		variant("fips", 9, func(r *Record) { r.FIPS = "no" }),
		variant("type", 9, func(r *Record) { r.Type = "aead" }),
		variant("async", 8, func(r *Record) { r.Async = true }),
		variant("allocates", 7, func(r *Record) { r.Flags = flagAllocates }),
		variant("first", 6, nil),
		variant("second", 6, nil),
		variant("negative", -1, nil),
	}
	for masks, want := range map[bool]string{false: "async", true: "first"} {
		if got, _ := winner(list, "skcipher", "n", masks); got.Driver != want {
			t.Errorf("masks %v: %q, want %q", masks, got.Driver, want)
		}
	}
	if got, _ := winner(list[8:], "skcipher", "n", true); got.Driver != "negative" {
		t.Error("a driver of negative priority is not found")
	}
	paes := []Record{{Name: "cbc(paes)", Driver: "d", Type: "skcipher", SelfTest: "passed", Async: true}}
	if _, ok := winner(paes, "skcipher", "cbc(paes)", true); !ok {
		t.Error("cbc(paes) is masked")
	}
}

func TestEngines(t *testing.T) {
	for name, text := range samples(t) {
		var got []string
		for _, r := range Engines(parse(t, text)) {
			got = append(got, r.Driver)
		}
		want := []string(nil)
		if name == "6.12_engine" {
			want = []string{"virtio_crypto_aes_cbc"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: engines %q, want %q", name, got, want)
		}
	}
	// Names of drivers for which there is no sample.
	for driver, want := range map[string]bool{
		"__driver-cbc-aes-spacemit-ce1": true, "cbc-aes-sun8i-ce": true, "starfive-cbc-aes": true, "cbc-aes-caam": true, "qat_aes_cbc": true,
		"safexcel-cbc-aes": true, "cbc-aes-neonbs": false, "xts-aes-aesni-avx": false, "cryptd(cbc-aes-caam)": false,
	} {
		r := Record{Name: "cbc(aes)", Driver: driver, Module: "kernel", Type: "skcipher", Async: true, SelfTest: "passed"}
		if got := len(Engines([]Record{r})) == 1; got != want {
			t.Errorf("%s: engine %v", driver, got)
		}
	}
	twin := []Record{
		{Name: "cbc(aes)", Driver: "cbc-aes-ce", Module: "kernel", Type: "skcipher", Async: true},
		{Name: "__cbc(aes)", Driver: "__cbc-aes-ce", Module: "kernel", Type: "skcipher", Internal: true},
	}
	if got := Engines(twin); len(got) != 0 {
		t.Errorf("arm's own instructions are engines: %+v", got)
	}
}

func FuzzParseAlgorithms(f *testing.F) {
	for _, text := range samples(f) {
		f.Add([]byte(text[:min(len(text), 2000)]))
	}
	f.Add([]byte("name : a\n\nname: b\nasync : yes\nsize : 1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := ParseAlgorithms(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			if reflect.ValueOf(r).IsZero() && !bytes.Contains(text, []byte(":")) {
				t.Errorf("a record of nothing")
			}
			for _, f := range r.Other {
				if f.Name == "" || strings.ContainsAny(f.Name+f.Value, "\n") {
					t.Errorf("field %q", f)
				}
			}
		}
		for _, typ := range SocketTypes {
			for _, r := range list {
				if w, ok := winner(list, typ, r.Name, true); ok && (w.Internal || w.masked() && w.Name != "cbc(paes)" || w.Name != r.Name && w.Driver != r.Name) {
					t.Errorf("%s %q gets %+v", typ, r.Name, w)
				}
			}
		}
		for _, r := range Engines(list) {
			if !r.Async {
				t.Errorf("engine %+v", r)
			}
		}
	})
}
