package vectors

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A Stanza is one test of a "Key = Value" file, as NIST (.rsp, .fax) and
// OpenSSL (evp*.txt) publish them: lines without an empty one in between.
//
//	[Keylen = 128]
//	[IVlen = 96]
//
//	Count = 0
//	Key = 11754cd72aec309bf52f7687212e8957
//	…
//
// Headers in brackets apply to the stanzas that follow, up to the next headers, and
// are included in each stanza. Several keys in one pair of brackets are separated
// by commas. A line with a single word ("FAIL", "[ENCRYPT]") is a key with an empty
// value.
type Stanza struct {
	position string // file:line
	fields   []field
}

type field struct{ key, value string }

// Stanzas returns the stanzas of a file. Lines that begin with "#" are comments.
func Stanzas(t testing.TB, fsys fs.FS, name string) []Stanza {
	t.Helper()
	var list []Stanza
	var headers []field
	inHeaders, inStanza := false, false
	line := 0
	for text := range strings.Lines(string(read(t, fsys, name))) {
		line++
		text = strings.TrimSpace(text)
		if text == "" {
			inStanza = false
			continue
		}
		if text[0] == '#' {
			continue
		}
		if text[0] == '[' && text[len(text)-1] == ']' {
			if !inHeaders {
				headers = nil
			}
			for part := range strings.SplitSeq(text[1:len(text)-1], ",") {
				headers = append(headers, parseField(part))
			}
			inHeaders, inStanza = true, false
			continue
		}
		if !inStanza {
			position := name + ":" + strconv.Itoa(line)
			list = append(list, Stanza{position, slices.Clone(headers)})
		}
		inHeaders, inStanza = false, true
		s := &list[len(list)-1]
		s.fields = append(s.fields, parseField(text))
	}
	if len(list) == 0 {
		t.Fatalf("%s: no stanzas", name)
	}
	return list
}

func parseField(s string) field {
	key, value, _ := strings.Cut(s, "=")
	return field{strings.TrimSpace(key), strings.TrimSpace(value)}
}

// String returns the position of the stanza: "name:line".
func (s Stanza) String() string { return s.position }

// Values returns all values of a key, in the order of the file.
func (s Stanza) Values(key string) []string {
	var list []string
	for _, f := range s.fields {
		if f.key == key {
			list = append(list, f.value)
		}
	}
	return list
}

// Has reports whether the stanza or its headers have the key.
func (s Stanza) Has(key string) bool { return len(s.Values(key)) > 0 }

// Get returns the value of a key, or the last one if there are several, so that the
// stanza's own value takes precedence over a header. The key must exist.
func (s Stanza) Get(t testing.TB, key string) string {
	t.Helper()
	values := s.Values(key)
	if len(values) == 0 {
		t.Fatalf("%v: no %q", s, key)
	}
	return values[len(values)-1]
}

// Int returns the value of a key as a decimal number.
func (s Stanza) Int(t testing.TB, key string) int {
	t.Helper()
	n, err := strconv.Atoi(s.Get(t, key))
	if err != nil {
		t.Fatalf("%v: %s: %v", s, key, err)
	}
	return n
}

// Bytes returns the value of a key as a byte string. The value is hexadecimal or,
// in OpenSSL's files, may be text in quotation marks.
func (s Stanza) Bytes(t testing.TB, key string) []byte {
	t.Helper()
	value := s.Get(t, key)
	if strings.HasPrefix(value, `"`) {
		text, err := strconv.Unquote(value)
		if err != nil {
			t.Fatalf("%v: %s: %v", s, key, err)
		}
		return []byte(text)
	}
	return Hex(t, value)
}
