package offload

import (
	"fmt"
	"slices"
	"testing"
)

// Warnings are said once, in order, before what the provider reports.
func TestWarnings(t *testing.T) {
	defer func(report func() []string, warnings []string) { state.report, state.warnings = report, warnings }(state.report, state.warnings)
	state.report, state.warnings = nil, nil
	check := func(linked bool, want ...string) {
		t.Helper()
		if got := Warnings(); !slices.Equal(got, want) || Linked() != linked {
			t.Errorf("%q, linked: %v, want %q, %v", got, Linked(), want, linked)
		}
	}
	check(false)
	Warn("b")
	Warn("a")
	Warn("b")
	check(false, "b", "a")
	Link(func() []string { Warn("c"); return []string{"report"} })
	check(true, "b", "a", "report")
	check(true, "b", "a", "c", "report")
}

// A recorder is a worker that writes down how it is called.
type recorder struct{ calls []string }

func (r *recorder) add(format string, args ...any) {
	r.calls = append(r.calls, fmt.Sprintf(format, args...))
}

func (r *recorder) CBC(iv *[16]byte, dst, src []byte, decrypt bool) int {
	r.add("CBC %s %s %s %v", iv, dst, src, decrypt)
	return 32
}

func (r *recorder) CTR(counter *[16]byte, dst, src []byte) int {
	r.add("CTR %s %s %s", counter, dst, src)
	return 48
}

func (r *recorder) XTS(tweak *[16]byte, dst, src []byte, decrypt bool) bool {
	r.add("XTS %s %s %s %v", tweak, dst, src, decrypt)
	return decrypt
}

func (r *recorder) Seal(out, nonce, plaintext, data []byte) bool {
	r.add("Seal %s %s %s %s", out, nonce, plaintext, data)
	return len(data) > 0
}

func (r *recorder) Open(out, nonce, ciphertext, data []byte, tagSize int) (done, good bool) {
	r.add("Open %s %s %s %s %d", out, nonce, ciphertext, data, tagSize)
	return true, tagSize == 16
}

func (r *recorder) Wipe() { r.add("Wipe") }

// A key passes everything on to its worker.
func TestCalls(t *testing.T) {
	r := new(recorder)
	k := NewKey(r)
	iv := [16]byte([]byte("initial vector.."))
	dst, src, nonce, data := []byte("dst"), []byte("src"), []byte("nonce"), []byte("data")
	if k.CBC(&iv, dst, src, true) != 32 || k.CBC(&iv, dst, src, false) != 32 || k.CTR(&iv, dst, src) != 48 {
		t.Error("another number of bytes")
	}
	if !k.XTS(&iv, dst, src, true) || k.XTS(&iv, dst, src, false) || !k.Seal(dst, nonce, src, data) || k.Seal(dst, nonce, src, nil) {
		t.Error("another answer")
	}
	if done, good := k.Open(dst, nonce, src, data, 12); !done || good {
		t.Error("another answer of Open")
	}
	k.Wipe()
	if want := []string{
		"CBC &initial vector.. dst src true", "CBC &initial vector.. dst src false", "CTR &initial vector.. dst src",
		"XTS &initial vector.. dst src true", "XTS &initial vector.. dst src false",
		"Seal dst nonce src data", "Seal dst nonce src ", "Open dst nonce src data 12", "Wipe",
	}; !slices.Equal(r.calls, want) {
		t.Errorf("%q, want %q", r.calls, want)
	}
	if b := Hidden(dst[:2]); &b[0] != &dst[0] || len(b) != 2 || cap(b) != cap(dst) {
		t.Errorf("a hidden slice: %q, %d", b, cap(b))
	}
}
