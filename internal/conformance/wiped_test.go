package conformance

import (
	"crypto/cipher"
	"errors"
	"testing"

	"github.com/cipherlane/cipherlane/internal/clone"
)

// A mortal adds Wipe to a key of the standard library.
type mortal struct{ dead bool }

var errMortal = errors.New("toy: " + useOfWiped)

func (m *mortal) Wipe() { m.dead = true }

func (m *mortal) check() {
	if m.dead {
		panic(errMortal.Error())
	}
}

// A mortalCipher is a block cipher that can be wiped.
type mortalCipher interface {
	BlockCipher
	Wiper
}

func newMortal(key []byte) (mortalCipher, error) {
	b, err := newBlock(key)
	return b.(mortalCipher), err
}

// cipherMode is a constructor of crypto/cipher as [Of] wants it.
func cipherMode[M any](f func(b cipher.Block, iv []byte) M) func(b mortalCipher, iv []byte) M {
	return func(b mortalCipher, iv []byte) M { return f(b, iv) }
}

// mortalMode makes one that writes nothing under a key that was wiped: that of
// crypto/cipher adds the IV before it calls the cipher.
func mortalMode(f func(b cipher.Block, iv []byte) cipher.BlockMode) func(b mortalCipher, iv []byte) cipher.BlockMode {
	return func(b mortalCipher, iv []byte) cipher.BlockMode {
		m := f(b, iv)
		return modeFunc{m.BlockSize(), func(dst, src []byte) {
			b.(block).check()
			m.CryptBlocks(dst, src)
		}}
	}
}

type mortalAEAD struct {
	cipher.AEAD
	*mortal
}

func newMortalAEAD(a cipher.AEAD, err error) (cipher.AEAD, error) {
	return mortalAEAD{a, new(mortal)}, err
}

func (a mortalAEAD) Seal(dst, nonce, plaintext, data []byte) []byte {
	a.check()
	return a.AEAD.Seal(dst, nonce, plaintext, data)
}

func (a mortalAEAD) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	if a.dead {
		return nil, errMortal
	}
	return a.AEAD.Open(dst, nonce, ciphertext, data)
}

type mortalStream struct {
	cipher.Stream
	*mortal
}

func (s mortalStream) XORKeyStream(dst, src []byte) {
	s.check() // the stream may have made keystream before
	s.Stream.XORKeyStream(dst, src)
}

type mortalMAC struct {
	clone.Cloner
	*mortal
}

func (m mortalMAC) Write(p []byte) (int, error) { m.check(); return m.Cloner.Write(p) }
func (m mortalMAC) Sum(dst []byte) []byte       { m.check(); return m.Cloner.Sum(dst) }

func (m mortalMAC) Clone() (clone.Cloner, error) {
	c, err := m.Cloner.Clone()
	return mortalMAC{c, m.mortal}, err
}

// newImmortal returns a key whose Wipe does nothing.
func newImmortal(key []byte) (mortalCipher, error) {
	b, err := newBlock(key)
	return immortal{b}, err
}

type immortal struct{ BlockCipher }

func (immortal) Wipe() {} // nothing

// A wipedOnce panics on the second call of Wipe.
type wipedOnce struct {
	Wiper
	done bool
}

func (w *wipedOnce) Wipe() {
	if w.done {
		panic("there is nothing to wipe")
	}
	w.done = true
	w.Wiper.Wipe()
}

// Refuses and Fails are what all checks come to.
func TestRefusesMutants(t *testing.T) {
	b := make([]byte, 10)
	for name, f := range map[string]func(t testing.TB){
		"does not panic":              func(t testing.TB) { Refuses(t, b, "it", func() {}) },
		"panics with another message": func(t testing.TB) { Refuses(t, b, "it", func() { panic("toy: no kernel") }) },
		"writes and panics":           func(t testing.TB) { Refuses(t, b, "it", func() { b[0]++; panic(errMortal.Error()) }) },
		"returns no error":            func(t testing.TB) { Fails(t, b, "it", func() error { return nil }) },
		"returns another error":       func(t testing.TB) { Fails(t, b, "it", func() error { return errOpen }) },
		"panics, has an error":        func(t testing.TB) { Fails(t, b, "it", func() error { panic(errMortal.Error()) }) },
		"writes and fails":            func(t testing.TB) { Fails(t, b, "it", func() error { b[0]++; return errMortal }) },
		"is no Wiper":                 func(t testing.TB) { wipe(t, b) },
	} {
		if verdict(t, check{name, f}) == "" {
			t.Errorf("not rejected: %s", name)
		}
	}
}
