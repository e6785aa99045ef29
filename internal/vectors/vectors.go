// Package vectors reads test vector files published by standards bodies and other
// projects. All functions end the test if there is a problem with a file: a test
// that silently runs without data proves nothing.
//
// Files come from an [fs.FS], such as os.DirFS("testdata") or an embed.FS. Files
// with names that end in ".gz" are decompressed.
package vectors

import (
	"compress/gzip"
	"encoding/hex"
	"io"
	"io/fs"
	"strings"
	"testing"
)

// Hex decodes hexadecimal digits. White space is ignored, so that values can be
// written as they are printed in standards.
func Hex(t testing.TB, s string) []byte {
	t.Helper()
	p, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return p
}

// Bytes is a byte string that is hexadecimal in JSON.
type Bytes []byte

// UnmarshalText implements [encoding.TextUnmarshaler].
func (b *Bytes) UnmarshalText(text []byte) (err error) {
	*b, err = hex.DecodeString(string(text))
	return err
}

func read(t testing.TB, fsys fs.FS, name string) []byte {
	t.Helper()
	f, err := fsys.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return data
}
