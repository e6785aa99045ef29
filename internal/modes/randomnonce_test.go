package modes_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// wipeableGCM is GCM of the standard library, with a row.
type wipeableGCM struct {
	cipher.AEAD
	row uint8
}

func (g *wipeableGCM) Wipe() { g.row = modes.Wiped }

func newRandomNonce(t *testing.T) (r *modes.RandomNonce, std cipher.AEAD, failed, wiped error) {
	b, err := aes.NewCipher(make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	if std, err = cipher.NewGCM(b); err != nil {
		t.Fatal(err)
	}
	failed, wiped = errors.New("plain: failed"), errors.New("plain: use of a wiped key")
	g := &wipeableGCM{AEAD: std}
	return modes.NewRandomNonce("plain", g, &g.row, failed, wiped), std, failed, wiped
}

func TestRandomNonce(t *testing.T) {
	r, std, _, _ := newRandomNonce(t)
	conformance.RandomNonce(t, r, std, true)
}

func TestRandomNonceErrors(t *testing.T) {
	r, std, failed, wiped := newRandomNonce(t)
	sealed := r.Seal(nil, nil, []byte("text"), nil)
	for n := range sealed {
		_, err := r.Open(nil, nil, sealed[:n], nil)
		if want := n < 28; err == nil || (err == failed) != want {
			t.Errorf("%d of %d bytes: %v", n, len(sealed), err)
		}
	}
	if empty := r.Seal(nil, nil, nil, nil); len(empty) != 28 {
		t.Errorf("the empty message takes %d bytes", len(empty))
	} else if got, err := r.Open(nil, nil, empty, nil); err != nil || len(got) != 0 {
		t.Errorf("the empty message: %q, %v", got, err)
	}
	// In place, an error does not end in a panic, and the nonce is the one in front.
	b := bytes.Clone(sealed)
	if got, err := r.Open(b[:0], nil, b, nil); err != nil || string(got) != "text" {
		t.Errorf("in place: %q, %v", got, err)
	}
	if got, err := std.Open(nil, sealed[:12], sealed[12:], nil); err != nil || string(got) != "text" {
		t.Errorf("with the nonce in front: %q, %v", got, err)
	}
	for name, f := range map[string]func(){
		"Seal": func() { r.Seal(nil, make([]byte, 1), nil, nil) },
		"Open": func() { r.Open(nil, make([]byte, 1), sealed, nil) },
	} {
		if !panics(f) {
			t.Errorf("%s with a nonce: no panic", name)
		}
	}
	r.Wipe()
	if _, err := r.Open(nil, nil, sealed, nil); err != wiped {
		t.Errorf("Open with a wiped key: %v", err)
	}
	if !panics(func() { r.Seal(nil, nil, nil, nil) }) {
		t.Error("Seal with a wiped key: no panic")
	}
}
