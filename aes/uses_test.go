package aes_test

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"maps"
	"testing"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/internal/conformance"
)

// uses does everything that programs can do with a driver.
func uses(t *testing.T, name string, in conformance.Input) map[string][]byte {
	d := must(aes.On(name))
	outputs := conformance.Uses(t, d, in)
	maps.Copy(outputs, sideBySide.Uses(t, d.New, in))
	return outputs
}

// FuzzDrivers compares every driver with the portable one in all modes, and the
// portable one with crypto/aes in the modes of the standard library.
func FuzzDrivers(f *testing.F) { conformance.FuzzUses(f, aes.Drivers(), uses, compare) }

func compare(t *testing.T, in conformance.Input, got map[string][]byte) {
	size := 16 + 8*(in.Split%3)
	b, blocks := oracle(in.Key[:size]), in.Text[:len(in.Text)&^15]
	check := func(mode string, want []byte) {
		name := fmt.Sprintf("New%d.New%s", 8*size, mode)
		if output, ok := got[name]; !ok || !bytes.Equal(output, want) {
			t.Errorf("%s differs from crypto/cipher", name)
		}
	}
	out := make([]byte, len(in.Text))
	cipher.NewCTR(b, in.IV).XORKeyStream(out, in.Text)
	check("CTR", out)
	out = make([]byte, len(blocks))
	cipher.NewCBCEncrypter(b, in.IV).CryptBlocks(out, blocks)
	check("CBCEncrypter", out)
	cipher.NewCBCDecrypter(b, in.IV).CryptBlocks(out, blocks)
	check("CBCDecrypter", out)
	check("GCM[12 16]", must(cipher.NewGCM(b)).Seal(nil, in.IV[:12], in.Text, in.Data))
}

// Everything with secret keys and texts, with every driver that valgrind supports.
func TestSecretUses(t *testing.T) {
	for _, info := range aes.Drivers() {
		if info.Available() {
			t.Log("driver", info.Name) // for ci/checks
			d := must(aes.On(info.Name))
			conformance.Secrets(t, d, func(in conformance.Input) map[string][]byte { return sideBySide.Uses(t, d.New, in) })
		}
	}
}

func TestKeys(t *testing.T) {
	eachDriver(t, func(t *testing.T, d aes.Driver) { conformance.Keys(t, d) })
}
