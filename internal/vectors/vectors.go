// Package vectors reads the files in which standards bodies and other projects
// publish test vectors. All functions end the test when something is wrong with
// a file: a test that silently runs on nothing proves nothing.
//
// Files come from an [fs.FS], so from os.DirFS("testdata") or from an embed.FS.
// One whose name ends in ".gz" is decompressed.
package vectors

import (
	"compress/gzip"
	"encoding/hex"
	"io"
	"io/fs"
	"strings"
	"testing"
)

// Hex decodes hexadecimal digits. Blanks and line ends do not count, so that
// values can be written as the standards print them.
func Hex(t testing.TB, s string) []byte {
	t.Helper()
	p, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return p
}

// Bytes is a byte string that a JSON file writes in hexadecimal.
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
