package conformance

import (
	"encoding/hex"
	"testing"
)

// RFC 7914, section 12.
func TestScrypt(t *testing.T) {
	const want = "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
	if got := must(Scrypt([]byte("password"), []byte("NaCl"), 1024, 8, 16, 64)); hex.EncodeToString(got) != want {
		t.Errorf("%x", got)
	}
}
