package conformance

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"testing"
)

// BlockModeCase is a block mode, such as CBC, under test. The constructors are
// called with keys of the right size.
type BlockModeCase struct {
	KeySize, IVSize int

	Encrypter, Decrypter                   func(key, iv []byte) cipher.BlockMode
	ReferenceEncrypter, ReferenceDecrypter func(key, iv []byte) cipher.BlockMode

	KeyedEncrypter, KeyedDecrypter func(key, iv []byte) (cipher.BlockMode, Wiper) // see [Of]
	NoWipe                         bool                                           // nothing can be wiped

	Vectors []Vector
}

// BlockMode tests both directions of a block mode.
func BlockMode(t *testing.T, c BlockModeCase) {
	t.Helper()
	run(t, c.checks())
}

func (c BlockModeCase) checks() []check {
	crypt := func(mode func(key, iv []byte) cipher.BlockMode) func(key, iv []byte) func(dst, src []byte) {
		return func(key, iv []byte) func(dst, src []byte) { return mode(key, iv).CryptBlocks }
	}
	size := func(mode func(key, iv []byte) cipher.BlockMode) int {
		return mode(make([]byte, c.KeySize), make([]byte, c.IVSize)).BlockSize()
	}
	unit := size(c.ReferenceEncrypter)
	list := []check{{"Sizes", func(t testing.TB) {
		if e, d := size(c.Encrypter), size(c.Decrypter); e != unit || d != unit {
			t.Errorf("block sizes %d and %d, want %d", e, d, unit)
		}
	}}}
	for _, d := range []struct {
		name               string
		subject, reference func(key, iv []byte) cipher.BlockMode
		vectors            []Vector
		keyed              func(key, iv []byte) (cipher.BlockMode, Wiper)
	}{
		{"Encrypt", c.Encrypter, c.ReferenceEncrypter, c.Vectors, c.KeyedEncrypter},
		{"Decrypt", c.Decrypter, c.ReferenceDecrypter, swapped(c.Vectors), c.KeyedDecrypter},
	} {
		x := transform{c.KeySize, c.IVSize, unit, false, crypt(d.subject), crypt(d.reference)}
		list = append(list, prefixed(d.name, withWiped(c.NoWipe, append(x.checks(),
			check{"Vectors", func(t testing.TB) { x.vectors(t, d.vectors) }},
			check{"IVs", x.ivs},
			check{"SetIV", func(t testing.TB) { x.setIV(t, d.subject) }}), wipedMode(x, d.subject, d.keyed)))...)
	}
	return list
}

// setIV checks SetIV([]byte), a method of the standard library's block modes that
// copies of crypto/tls call.
func (x transform) setIV(t testing.TB, subject func(key, iv []byte) cipher.BlockMode) {
	r := newRandom(t)
	s := x.sample(r, 4096+5*x.unit)
	mode := subject(s.key, r.bytes(x.ivSize))
	m, ok := mode.(interface{ SetIV(iv []byte) })
	if !ok {
		t.Errorf("%T has no SetIV", mode)
		return
	}
	got, iv := make([]byte, len(s.src)), bytes.Clone(s.iv)
	mode.CryptBlocks(got[:x.unit], s.src[:x.unit])
	for range 2 {
		m.SetIV(iv)
		clear(iv) // it is copied
		mode.CryptBlocks(got[:x.unit], s.src[:x.unit])
		mode.CryptBlocks(got[x.unit:], s.src[x.unit:])
		equal(t, got, s.want, "after SetIV")
		copy(iv, s.iv)
	}
	for _, n := range []int{0, x.ivSize - 1, x.ivSize + 1} {
		misuse(t, "IV", nil, fmt.Sprintf("SetIV of %d bytes", n), func() { m.SetIV(make([]byte, n)) })
	}
}
