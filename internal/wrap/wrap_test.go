package wrap

import (
	"errors"
	"io"
	"strconv"
	"testing"
)

func TestError(t *testing.T) {
	err := Error("a: ", io.EOF, ", b")
	if err.Error() != "a: EOF, b" || !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
}

// Quote writes ASCII as strconv does, and strconv reads all that it writes.
func TestQuote(t *testing.T) {
	for _, text := range []string{"", "a", `say "a\b"`, " ~", "\x00\n\x1f\x7f", "ü中", "\xff\xfe"} {
		got := Quote(text)
		if back, err := strconv.Unquote(got); err != nil || back != text {
			t.Errorf("%q: %s, which is %q, %v", text, got, back, err)
		}
		for i := range len(got) {
			if got[i] < ' ' || got[i] > '~' {
				t.Errorf("%q: byte %#x", text, got[i])
			}
		}
	}
	for c := ' '; c <= '~'; c++ {
		if text := string(c); Quote(text) != strconv.Quote(text) {
			t.Errorf("%s, want %s", Quote(text), strconv.Quote(text))
		}
	}
}
