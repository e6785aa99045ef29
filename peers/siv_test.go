package peers

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/sm4"
)

// TestSIV compares SIV of every driver with libgcrypt's, which has it since version 1.10.
func TestSIV(t *testing.T) {
	program := filepath.Join(t.TempDir(), "siv")
	if out, err := exec.Command("gcc", "-o", program, "testdata/siv.c", "-lgcrypt").CombinedOutput(); err != nil {
		t.Skipf("no gcc, or no libgcrypt20-dev; ci/run installs them: %v: %s", err, out)
	}
	const sm4Number = 318
	type message struct {
		libgcrypt              uint32 // its number of the cipher
		key, data, nonce, text []byte
	}
	var list []message
	var input bytes.Buffer
	for i, kind := range []message{
		{libgcrypt: 7, key: random(32)}, {libgcrypt: 8, key: random(48)}, {libgcrypt: 9, key: random(64)},
		{libgcrypt: sm4Number, key: random(32)},
	} {
		for _, n := range aesLengths() {
			m := kind
			m.data, m.nonce, m.text = random(n%37), random(1+(n+i)%40), random(n)
			list = append(list, m)
			head := []uint32{m.libgcrypt, uint32(len(m.key)), uint32(len(m.data)), uint32(len(m.nonce)), uint32(n)}
			if err := binary.Write(&input, binary.NativeEndian, head); err != nil {
				t.Fatal(err)
			}
			for _, part := range [][]byte{m.key, m.data, m.nonce, m.text} {
				input.Write(part)
			}
		}
	}
	c := exec.Command(program)
	c.Stdin = &input
	output := must(c.Output())(t)
	for _, m := range list {
		want := output[:16+len(m.text)]
		output = output[len(want):]
		check := func(name string, a cipher.AEAD) {
			what := fmt.Sprintf("%s: cipher %d, %d bytes, data %d, nonce %d", name, m.libgcrypt, len(m.text), len(m.data), len(m.nonce))
			same(t, a.Seal(nil, m.nonce, m.text, m.data), want, "%s: Seal", what)
			same(t, must(a.Open(nil, m.nonce, want, m.data))(t), m.text, "%s: Open", what)
		}
		if m.libgcrypt == sm4Number {
			for _, d := range sm4.Drivers() {
				if d.Available() {
					check(d.Name, must(must(sm4.On(d.Name))(t).NewSIV(m.key))(t))
				}
			}
			continue
		}
		for _, d := range aes.Drivers() {
			if d.Available() {
				check(d.Name, must(must(aes.On(d.Name))(t).NewSIV(m.key))(t))
			}
		}
	}
}
