package keys

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

func TestHex(t *testing.T) {
	var all []byte
	for i := range 256 {
		all = append(all, byte(i))
	}
	if got, want := string(EncodeHex(all)), hex.EncodeToString(all); got != want {
		t.Errorf("encodeHex: %s, want %s", got, want)
	}
	for i := range 256 {
		for _, pair := range []string{string([]byte{byte(i), '7'}), string([]byte{'7', byte(i)})} {
			want, err := hex.DecodeString(pair)
			got := make([]byte, 1)
			if ok := DecodeHex(got, []byte(pair)); ok != (err == nil) || ok && got[0] != want[0] {
				t.Errorf("decodeHex(%q) = %x, %v, want %x, %v", pair, got, ok, want, err)
			}
		}
	}
	if DecodeHex(make([]byte, 2), []byte("123")) || DecodeHex(make([]byte, 1), []byte("1234")) {
		t.Error("decodeHex accepted a wrong length")
	}
}

func TestReadKey(t *testing.T) {
	raw := []byte("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff")
	digits := "00112233445566778899aabbccddeeff"
	for _, text := range []string{digits, digits + "\n", digits + "\r\n", strings.ToUpper(digits) + "\n", " \t\v\f" + digits + "\n\n", string(raw)} {
		for _, sizes := range [][]int{{16}, {16, 32}} {
			got, err := readKey(strings.NewReader(text), "key", sizes)
			if err != nil || !bytes.Equal(got, raw) {
				t.Errorf("%q: %x, %v", text, got, err)
			}
		}
	}
	newlines := strings.Repeat("\n", 16) // a valid raw key
	if got, err := readKey(strings.NewReader(newlines), "key", []int{16}); err != nil || string(got) != newlines {
		t.Errorf("a key of line ends: %q, %v", got, err)
	}
	// Hex digits are never used as raw bytes, whatever size is wanted.
	for n := range 70 {
		text := strings.Repeat("a", n)
		for _, sizes := range [][]int{{16}, {32}, {16, 24, 32}, {8}, nil} {
			got, err := readKey(strings.NewReader(text), "key", sizes)
			if want := n > 0 && n%2 == 0 && (sizes == nil || slices.Contains(sizes, n/2)); want != (err == nil) || err == nil && len(got) != n/2 {
				t.Errorf("%d digits for %v: %x, %v", n, sizes, got, err)
			}
		}
	}
	longKey := strings.Repeat(digits, 2)
	if got, err := readKey(strings.NewReader(longKey), "key", []int{16, 32}); err != nil || len(got) != 32 {
		t.Errorf("64 digits: %x, %v", got, err)
	}
	for _, text := range []string{
		"", "\n", digits[:31], digits + "0", digits[:16], " " + digits[:14] + "\n", "0x" + digits[2:], strings.Replace(digits, "a", "g", 1),
		string(raw[:15]), string(raw) + "\n", longKey,
	} {
		got, err := readKey(strings.NewReader(text), "key", []int{16})
		if err == nil {
			t.Errorf("%q: taken as key %x", text, got)
		} else if !strings.HasPrefix(err.Error(), "key: not a key: want 32 hex digits or 16 bytes, got ") {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, sizes := range [][]int{{16}, nil} {
		for _, n := range []int{1024, 5000} {
			if _, err := readKey(strings.NewReader(strings.Repeat("a", n)), "key", sizes); err == nil || err.Error() != "key: not a key: has 1024 bytes or more" {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
	}
}
