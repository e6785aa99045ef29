//go:build ppc64le && !purego

package aes

import (
	"bytes"
	stdaes "crypto/aes"
	"crypto/cipher"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/internal/offload"
)

// There is no driver std if crypto/aes uses tables. ci/machines.txt disables its
// instructions through GODEBUG, one after the other.
func TestStd(t *testing.T) {
	_, err := On("std")
	off := strings.Contains(os.Getenv("GODEBUG"), "=off")
	if off && err == nil {
		t.Error("std is there, and crypto/aes has tables")
	}
	if !off && runtime.GOOS == "linux" && err != nil {
		t.Errorf("std is not there: %v", err)
	}
	if stdHasInstructions() == off {
		t.Errorf("stdHasInstructions() = %v", !off)
	}
}

// For an object without the expected fields, stdField returns the zero Value and does
// not panic.
func TestStdField(t *testing.T) {
	var none *struct{ enc int }
	for _, x := range []any{nil, 1, none, struct{}{}, new(int), []byte{1}} {
		if v := stdField(x, "enc"); v.IsValid() {
			t.Errorf("%T has a field", x)
		}
	}
}

// A partWorker processes the first half of each CTR request, like an engine that fails
// in between, and no GCM messages.
type partWorker struct{ block cipher.Block }

func (w partWorker) CBC(*[16]byte, []byte, []byte, bool) int { return 0 }

func (w partWorker) CTR(counter *[16]byte, dst, src []byte) int {
	n := len(src) / 32 * 16
	cipher.NewCTR(w.block, counter[:]).XORKeyStream(dst[:n], src[:n])
	modes.Add32(counter, n/16)
	return n
}

func (w partWorker) XTS(*[16]byte, []byte, []byte, bool) bool     { return false }
func (w partWorker) Seal(out, nonce, plaintext, data []byte) bool { return false }
func (w partWorker) Open(out, nonce, ciphertext, data []byte, tagSize int) (done, good bool) {
	return false, false
}
func (w partWorker) Wipe() {}

// crypto/cipher continues streams and messages of which Linux has processed a part or
// nothing.
func TestStdBesideLinux(t *testing.T) {
	d, err := On("std")
	if err != nil {
		t.Skip(err)
	}
	key, iv := make([]byte, 16), make([]byte, 16)
	c, err := d.New(key)
	if err != nil {
		t.Fatal(err)
	}
	var gate offload.Gate
	gate.Open(offload.Floor)
	block, _ := stdaes.NewCipher(key)
	c.engine = offload.NewKey(partWorker{block})
	for _, o := range []offload.Operation{offload.CTR, offload.CBCEncrypt, offload.CBCDecrypt, offload.Seal, offload.Open} {
		c.engine.For(o, &gate)
	}
	s, want := c.NewCTR(iv), cipher.NewCTR(block, iv)
	for i, n := range []int{5, 100, 2000, 7, 640, 1, 3000, 3000, 40} {
		got, expected := make([]byte, n), make([]byte, n)
		s.XORKeyStream(got, got)
		want.XORKeyStream(expected, expected)
		if !bytes.Equal(got, expected) {
			t.Errorf("CTR, part %d of %d bytes: wrong", i, n)
		}
	}
	e, p := c.NewCBCEncrypter(iv), cipher.NewCBCEncrypter(block, iv)
	for _, n := range []int{16, 1024, 32, 1024} {
		got, expected := make([]byte, n), make([]byte, n)
		e.CryptBlocks(got, got)
		p.CryptBlocks(expected, expected)
		if !bytes.Equal(got, expected) {
			t.Errorf("CBC of %d bytes: wrong", n)
		}
	}
	g, err := c.NewGCM(12, 16)
	if err != nil {
		t.Fatal(err)
	}
	plain, _ := cipher.NewGCM(block)
	for _, n := range []int{0, 100, 2000} {
		text := make([]byte, n)
		sealed := g.Seal([]byte("prefix"), iv[:12], text, iv)
		if !bytes.Equal(sealed, plain.Seal([]byte("prefix"), iv[:12], text, iv)) {
			t.Errorf("Seal of %d bytes: wrong", n)
		}
		if got, err := g.Open([]byte("prefix"), iv[:12], sealed[6:], iv); err != nil || !bytes.Equal(got[6:], text) || string(got[:6]) != "prefix" {
			t.Errorf("Open of %d bytes: %v", n, err)
		}
		sealed[len(sealed)-1]++
		if got, err := g.Open(nil, iv[:12], sealed[6:], iv); err != errOpen || got != nil {
			t.Errorf("Open of a forgery of %d bytes: %v", n, err)
		}
	}
}
