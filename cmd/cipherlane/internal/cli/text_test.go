package cli

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

func TestDecodeText(t *testing.T) {
	const text = "-----BEGIN schlüssel 钥 \U0001f511-----\r\n0x04\r\n"
	for name, in := range map[string][]byte{
		"UTF-8":                  []byte(text),
		"UTF-8 with a mark":      []byte("\ufeff" + text),
		"UTF-16 little":          clitest.EncodeUTF16(text, binary.LittleEndian, false),
		"UTF-16 little, a mark":  clitest.EncodeUTF16(text, binary.LittleEndian, true),
		"UTF-16 big":             clitest.EncodeUTF16(text, binary.BigEndian, false),
		"UTF-16 big with a mark": clitest.EncodeUTF16(text, binary.BigEndian, true),
	} {
		if got := DecodeText(in); string(got) != text {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// Binary data and short texts pass through, and damaged UTF-16 does not panic.
func TestDecodeTextOther(t *testing.T) {
	for _, in := range []string{
		"", "a", "\xff", "ab", "\xef\xbb", "a\x00", "a\x00b\x00c\x00", "a\x00b\x00c\x00\x01\x00",
		"0\x82\x01\x22\x02\x01\x00\x30\x00\x01", "\x00\x00\x00\x00\x00\x00\x00\x00",
		"\xff\xfea", "\xff\xfea\x00b", "SSH \x00\x01\x00\x02\x00",
	} {
		if got := DecodeText([]byte(in)); string(got) != in {
			t.Errorf("%q became %q", in, got)
		}
	}
	for in, want := range map[string]string{
		"\xef\xbb\xbf":                  "",
		"\xff\xfe":                      "",
		"\xfe\xff":                      "",
		"\xff\xfe\x00\xd8":              "\ufffd",
		"\xff\xfe\x00\xd8a\x00":         "\ufffda",
		"\xff\xfe\x3d\xd8\x11\xdda\x00": "\U0001f511a",
	} {
		if got := DecodeText([]byte(in)); string(got) != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	if IsUTF16([]byte("PKCS")) || !IsUTF16([]byte("\xff\xfe")) {
		t.Error("isUTF16")
	}
}

// A secret that is decoded lies in one buffer: none of another size is left behind.
func TestDecodeTextOneBuffer(t *testing.T) {
	in := clitest.EncodeUTF16(string(bytes.Repeat([]byte("钥"), 999)), binary.LittleEndian, true)
	if got := DecodeText(in); cap(got) != len(got) {
		t.Errorf("%d bytes in a buffer of %d", len(got), cap(got))
	}
}

// TestTakeText: nothing of a secret is left in a text that was copied, and a text that was not
// copied is whole.
func TestTakeText(t *testing.T) {
	for _, in := range [][]byte{clitest.EncodeUTF16("a secret", binary.LittleEndian, true), clitest.EncodeUTF16("a secret", binary.BigEndian, false)} {
		if got := TakeText(in); string(got) != "a secret" || !bytes.Equal(in, make([]byte, len(in))) {
			t.Errorf("%q, and left %q", got, in)
		}
	}
	for _, in := range []string{"a secret", "\ufeffa secret", "\xff\xfea\x00b", "a\x00b\x00c\x00d\x00e"} {
		if got := TakeText([]byte(in)); string(got) != strings.TrimPrefix(in, "\ufeff") {
			t.Errorf("%q became %q", in, got)
		}
	}
}
