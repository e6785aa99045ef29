package kcapi

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
)

func TestErrors(t *testing.T) {
	seen := map[string]bool{}
	for r := Reason(1); r <= ErrFailed; r++ {
		text := r.Error()
		if text == "" || text == Reason(0).Error() || seen[text] {
			t.Errorf("reason %d has the text %q", r, text)
		}
		seen[text] = true
		e := &Error{Op: "bind", Algorithm: "gcm(aes)", Reason: r, Detail: "why", Errno: syscall.EINVAL}
		wrapped := fmt.Errorf("outer: %w", e)
		if !errors.Is(wrapped, r) || !errors.Is(wrapped, syscall.EINVAL) || errors.Is(wrapped, r%ErrFailed+1) {
			t.Errorf("errors.Is is wrong about %v", e)
		}
		for _, part := range []string{"kcapi: ", "gcm(aes)", "bind", text, "why", syscall.EINVAL.Error()} {
			if !strings.Contains(e.Error(), part) {
				t.Errorf("%q does not contain %q", e, part)
			}
		}
		if e = (&Error{Algorithm: "x", Reason: r}); e.Error() != "kcapi: x: "+text || errors.Is(e, syscall.Errno(0)) {
			t.Errorf("%q", e)
		}
	}
	if Reason(200).Error() == "" {
		t.Error("no text for a reason from the future")
	}
}

func TestKeysAreNotPrinted(t *testing.T) {
	k := Bytes([]byte("secret"))
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x"} {
		if s := fmt.Sprintf(format, k); s != "key of 6 bytes" {
			t.Errorf("%s: %q", format, s)
		}
	}
	if s := fmt.Sprint(Key{}, Serial(-5)); s != "no key key with the serial -5" {
		t.Errorf("%q", s)
	}
}

func TestAdvance(t *testing.T) {
	for _, c := range []struct {
		counter string
		n       int
		want    string
	}{
		{"\x00\x00\x00\x00", 0, "\x00\x00\x00\x00"},
		{"\x00\x00\x00\x00", 1, "\x00\x00\x00\x01"},
		{"\x00\x00\x00\x00", 4, "\x00\x00\x00\x01"},
		{"\x00\x00\x00\x00", 5, "\x00\x00\x00\x02"},
		{"\x00\x00\x00\xff", 4, "\x00\x00\x01\x00"},
		{"\x00\xff\xff\xff", 4, "\x01\x00\x00\x00"},
		{"\xff\xff\xff\xff", 8, "\x00\x00\x00\x01"},
		{"\x00\x00\xff\xf0", 4 * 0x12345, "\x00\x02\x23\x35"},
		{"", 5, ""},
	} {
		got := []byte(c.counter)
		if ctrMode.advance(got, c.n); string(got) != c.want {
			t.Errorf("advance(%x, %d) = %x, want %x", c.counter, c.n, got, c.want)
		}
	}
}

func TestMode(t *testing.T) {
	for name, want := range map[string]mode{
		"cbc(aes)": cbcMode, "ctr(sm4)": ctrMode, "ecb(des3_ede)": ecbMode, "chacha20": chachaMode, "xchacha12": xchachaMode, "xts(aes)": otherMode,
		"cts(cbc(aes))": otherMode, "rfc3686(ctr(aes))": otherMode, "cbc-aes-aesni": otherMode, "essiv(cbc(aes),sha256)": otherMode,
	} {
		if got := modeOf(&facts{}, name); got != want {
			t.Errorf("%s: mode %d, want %d", name, got, want)
		}
	}
	if modeOf(&facts{name: "cbc(aes)", driver: "x"}, "x") != cbcMode {
		t.Error("the mode of a driver is that of its algorithm")
	}
}

func TestOverlap(t *testing.T) {
	b := make([]byte, 10)
	for _, c := range []struct {
		x, y         []byte
		any, inexact bool
	}{
		{b[:5], b[5:], false, false},
		{b[5:], b[:5], false, false},
		{b[:6], b[5:], true, true},
		{b[5:], b[:6], true, true},
		{b, b, true, false},
		{b, b[:3], true, false},
		{b[:0], b, false, false},
		{nil, b, false, false},
	} {
		if anyOverlap(c.x, c.y) != c.any || inexactOverlap(c.x, c.y) != c.inexact {
			t.Errorf("%p[%d] and %p[%d]", c.x, len(c.x), c.y, len(c.y))
		}
	}
}
