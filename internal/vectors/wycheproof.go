package vectors

import (
	"encoding/json"
	"io/fs"
	"testing"
)

// A Result is what a Wycheproof test expects.
type Result string

const (
	Valid      Result = "valid"      // must be accepted
	Invalid    Result = "invalid"    // must be rejected
	Acceptable Result = "acceptable" // either: legacy parameters, a lenient encoding …
)

// Test contains the fields common to all kinds of Wycheproof tests. Types for
// specific kinds embed it.
type Test struct {
	ID      int      `json:"tcId"`
	Comment string   `json:"comment"`
	Flags   []string `json:"flags"`
	Result  Result   `json:"result"`
}

// AEADGroup is a test group of files such as aes_gcm_test.json, sm4_ccm_test.json
// and chacha20_poly1305_test.json. Sizes are in bits.
type AEADGroup struct {
	KeySize int        `json:"keySize"`
	IVSize  int        `json:"ivSize"`
	TagSize int        `json:"tagSize"`
	Tests   []AEADTest `json:"tests"`
}

// AEADTest is one test of an [AEADGroup]. Ciphertext is without the tag.
type AEADTest struct {
	Test
	Key        Bytes `json:"key"`
	IV         Bytes `json:"iv"`
	AAD        Bytes `json:"aad"`
	Plaintext  Bytes `json:"msg"`
	Ciphertext Bytes `json:"ct"`
	Tag        Bytes `json:"tag"`
}

// Wycheproof returns the test groups of a Wycheproof file. Group is a type for the
// parameters and tests of one group, such as [AEADGroup].
func Wycheproof[Group any](t testing.TB, fsys fs.FS, name string) []Group {
	t.Helper()
	var file struct {
		Groups []Group `json:"testGroups"`
	}
	if err := json.Unmarshal(read(t, fsys, name), &file); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(file.Groups) == 0 {
		t.Fatalf("%s: no test groups", name)
	}
	return file.Groups
}
