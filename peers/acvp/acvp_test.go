package main

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/aes"
)

// read returns a file of testdata.
func read(t *testing.T, name string) []byte {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// answers returns what a response says of each test: keys are IDs of group and test. Some servers
// say of every success that it is one, and others do not.
func answers(t *testing.T, response []byte) map[[2]int]map[string]any {
	var doc struct {
		Groups []struct {
			ID    int              `json:"tgId"`
			Tests []map[string]any `json:"tests"`
		} `json:"testGroups"`
	}
	if err := json.Unmarshal(response, &doc); err != nil {
		t.Fatal(err)
	}
	all := map[[2]int]map[string]any{}
	for _, g := range doc.Groups {
		for _, a := range g.Tests {
			lower(a)
			if a["pt"] != nil && a["testPassed"] == true {
				delete(a, "testPassed")
			}
			all[[2]int{g.ID, int(a["tcId"].(float64))}] = a
		}
	}
	return all
}

// lower makes texts small letters, in place: servers write hexadecimal with small or large ones.
func lower(a map[string]any) {
	for key, value := range a {
		switch v := value.(type) {
		case string:
			a[key] = strings.ToLower(v)
		case []any:
			for _, part := range v {
				lower(part.(map[string]any))
			}
		}
	}
}

// last returns the last element of a list, or what is no list.
func last(t *testing.T, text []byte) []byte {
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil {
		return text
	}
	if len(list) != 2 {
		t.Fatalf("%d elements", len(list))
	}
	return list[1]
}

// TestSamples: samples of NIST's servers, with every driver of AES. Of chains of results, the
// files have the last.
func TestSamples(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json.gz")
	if err != nil || len(files) != 26 {
		t.Fatal(files, err)
	}
	drivers := []string{""}
	for _, d := range aes.Drivers() {
		if d.Available() {
			drivers = append(drivers, d.Name)
		}
	}
	for _, driver := range drivers {
		functions, err := all(driver)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name, ok := strings.CutSuffix(file, "_expected.json.gz")
			if !ok || driver != "" && !strings.Contains(name, "aes-") {
				continue
			}
			s, err := parse(read(t, name+".json.gz"))
			if err != nil {
				t.Fatal(name, err)
			}
			response, err := respond(s, functions)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(response)
			if err != nil {
				t.Fatal(err)
			}
			got := answers(t, text)
			want := answers(t, last(t, read(t, file)))
			if len(want) == 0 || len(got) != len(want) {
				t.Errorf("%s, driver %q: %d answers, want %d", name, driver, len(got), len(want))
			}
			for id, a := range want {
				b := got[id]
				if chain, ok := b["resultsArray"].([]any); ok {
					if len(chain) != 100 {
						t.Errorf("%s, driver %q: %d results", name, driver, len(chain))
					}
					b["resultsArray"] = chain[len(chain)-1:]
				}
				if !reflect.DeepEqual(b, a) {
					t.Errorf("%s, driver %q, group %d, test %d: %v, want %v", name, driver, id[0], id[1], b, a)
				}
			}
		}
	}
}

// TestWrong: the samples of CMAC have only right results.
func TestWrong(t *testing.T) {
	functions, err := all("")
	if err != nil {
		t.Fatal(err)
	}
	s, err := parse(read(t, "testdata/aes-cmac.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, g := range s.Groups {
		if g.Direction != "ver" {
			continue
		}
		for _, test := range g.Tests {
			test.MAC[len(test.MAC)-1] ^= 1
			if a, err := functions["CMAC-AES 1.0"](&g, &test); err != nil || !reflect.DeepEqual(a, failed()) {
				t.Errorf("group %d, test %d: %v, %v", g.ID, test.ID, a, err)
			}
			count++
		}
	}
	if count == 0 {
		t.Error("no results are given")
	}
}

func TestRefused(t *testing.T) {
	functions, err := all("")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all("no-such"); err == nil {
		t.Error("a driver that does not exist")
	}
	const key = `"key":"000102030405060708090A0B0C0D0E0F"`
	for _, test := range []struct{ text, want string }{
		{``, "unexpected end"},
		{`[]`, "empty list"},
		{`[{}]`, "no vector set"},
		{`{"algorithm":"ACVP-AES-ECB","revision":"1.0","testGroups":[{"tests":[{"key":"0"}]}]}`, "odd length"},
		{`{"algorithm":"ACVP-AES-ECB","revision":"2.0","testGroups":[{}]}`, "revision 2.0: not supported"},
		{`{"algorithm":"KDA","mode":"TwoStep","revision":"Sp800-56Cr2","testGroups":[{}]}`, "KDA-TwoStep"},
		{`{"algorithm":"ACVP-AES-ECB","revision":"1.0","testGroups":[{"testType":"AFT","direction":"encrypt","tests":[{"pt":"00",` + key + `}]}]}`, "parts of bytes or blocks"},
		{`{"algorithm":"ACVP-AES-CTR","revision":"1.0","testGroups":[{"testType":"AFT","direction":"encrypt","tests":[{"pt":"80","payloadLen":1,"iv":"00",` + key + `}]}]}`, "parts of bytes"},
		{`{"algorithm":"ACVP-AES-CBC","revision":"1.0","testGroups":[{"testType":"AFT","direction":"encrypt","tests":[{"pt":"","iv":"00",` + key + `}]}]}`, "sizes"},
		{`{"algorithm":"ACVP-AES-CBC","revision":"1.0","testGroups":[{"testType":"AFT","direction":"encrypt","tests":[{"pt":"","key":"00"}]}]}`, "key"},
		{`{"algorithm":"ACVP-AES-CBC","revision":"1.0","testGroups":[{"testType":"new","direction":"encrypt","tests":[{}]}]}`, "test type"},
		{`{"algorithm":"ACVP-AES-CBC","revision":"1.0","testGroups":[{"testType":"MCT","direction":"encrypt","tests":[{` + key + `}]}]}`, "sizes"},
		{`{"algorithm":"ACVP-AES-CBC","revision":"1.0","testGroups":[{"testType":"AFT","direction":"up","tests":[{}]}]}`, "direction"},
		{`{"algorithm":"ACVP-AES-GCM","revision":"1.0","testGroups":[{"testType":"AFT","direction":"encrypt","ivGen":"internal","tests":[{}]}]}`, "IVs that are made here"},
		{`{"algorithm":"ACVP-AES-GCM","revision":"1.0","testGroups":[{"testType":"AFT","direction":"encrypt","tagLen":32,"tests":[{"iv":"00",` + key + `}]}]}`, "tag"},
		{`{"algorithm":"CMAC-AES","revision":"1.0","testGroups":[{"direction":"gen","macLen":129,"tests":[{` + key + `}]}]}`, "sizes"},
		{`{"algorithm":"HMAC-SHA2-256","revision":"1.0","testGroups":[{"macLen":257,"tests":[{` + key + `}]}]}`, "sizes"},
		{`{"algorithm":"PBKDF","revision":"1.0","testGroups":[{"hmacAlg":"MD5","tests":[{}]}]}`, "MD5"},
		{`{"algorithm":"KDA","mode":"HKDF","revision":"Sp800-56Cr1","testGroups":[{"kdfConfiguration":{"hmacAlg":"SHA2-256","fixedInfoPattern":"l"},"tests":[{}]}]}`, "not supported"},
	} {
		s, err := parse([]byte(test.text))
		if err == nil {
			_, err = respond(s, functions)
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.text, err, test.want)
		}
	}
}

// TestRun: what a response looks like.
func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "set.json")
	if err := os.WriteFile(file, []byte(`{"vsId":7,"algorithm":"ACVP-AES-ECB","revision":"1.0","testGroups":[{"tgId":1,"testType":"AFT","direction":"encrypt","tests":[{"tcId":2,"key":"000102030405060708090A0B0C0D0E0F","pt":"00112233445566778899AABBCCDDEEFF"}]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = w
	err = run("generic", false, []string{file})
	os.Stdout = stdout
	w.Close()
	out, _ := io.ReadAll(r)
	// FIPS 197, appendix C.1.
	if text := strings.Join(strings.Fields(string(out)), ""); err != nil || text != `{"vsId":7,"algorithm":"ACVP-AES-ECB","revision":"1.0","testGroups":[{"tgId":1,"tests":[{"ct":"69c4e0d86a7b0430d8cdb78070b4c55a","tcId":2}]}]}` {
		t.Errorf("%s, %v", text, err)
	}
	if run("", false, nil) == nil || run("", false, []string{"absent"}) == nil {
		t.Error("no file, or one that is absent")
	}
}
