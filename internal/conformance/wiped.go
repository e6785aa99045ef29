package conformance

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"hash"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/clone"
)

// A Wiper is a key, or has one.
type Wiper interface{ Wipe() }

// Of returns a constructor that returns a mode and its key, which can be wiped. It is
// for the Keyed fields of the cases of streams and block modes; if such a field is nil,
// the modes must be Wipers themselves.
func Of[K Wiper, M any](key func([]byte) (K, error), mode func(k K, iv []byte) M) func(key, iv []byte) (M, Wiper) {
	return func(b, iv []byte) (M, Wiper) {
		k := must(key(b))
		return mode(k, iv), k
	}
}

// withWiped adds the check of the behavior after Wipe, unless none is set.
func withWiped(none bool, list []check, wiped func(t testing.TB)) []check {
	if none {
		return list
	}
	return append(list, check{"Wiped", wiped})
}

// wipe calls Wipe twice: the second call must do no harm.
func wipe(t testing.TB, x any) {
	t.Helper()
	w, ok := x.(Wiper)
	if !ok {
		t.Fatalf("%T cannot be wiped", x)
	}
	w.Wipe()
	w.Wipe()
}

const useOfWiped = "use of a wiped key"

// Refuses checks that f panics because a key was wiped, and does not change buffer.
func Refuses(t testing.TB, buffer []byte, what string, f func()) {
	t.Helper()
	misuse(t, useOfWiped, buffer, what+" after Wipe", f)
}

// Fails is [Refuses] for a function that returns an error instead.
func Fails(t testing.TB, buffer []byte, what string, f func() error) {
	t.Helper()
	before := bytes.Clone(buffer)
	defer func() {
		t.Helper()
		if e := recover(); e != nil {
			t.Errorf("%s after Wipe: panics, and should return an error: %v", what, e)
		}
	}()
	if err := f(); err == nil {
		t.Errorf("%s after Wipe: no error", what)
	} else if !strings.Contains(err.Error(), useOfWiped) {
		t.Errorf("%s after Wipe: error %q, want one that says %q", what, err, useOfWiped)
	}
	if !bytes.Equal(buffer, before) {
		t.Errorf("%s after Wipe: fails, but only after it wrote", what)
	}
}

// wiped checks that no call works after the key was wiped, neither on a new object nor
// with keystream that earlier calls have left.
func (x transform) wiped(t testing.TB, keyed func(key, iv []byte) (func(dst, src []byte), any)) {
	s := x.sample(newRandom(t), 1200)
	for _, used := range multiples(x.unit, []int{0, 1, 16, 17, 100, 300, 320}) {
		for _, n := range multiples(x.unit, []int{1, 15, 16, 64, 800}) {
			f, w := keyed(s.key, s.iv)
			dst := make([]byte, len(s.src))
			f(dst[:used], s.src[:used])
			equal(t, dst[:used], s.want[:used], "before Wipe")
			wipe(t, w)
			Refuses(t, dst, fmt.Sprintf("%d bytes behind %d", n, used), func() { f(dst[used:used+n], s.src[used:used+n]) })
		}
	}
}

func (c StreamCase) wiped(x transform) func(t testing.TB) {
	return func(t testing.TB) {
		x.wiped(t, func(key, iv []byte) (func(dst, src []byte), any) {
			if c.Keyed == nil {
				s := c.New(key, iv)
				return s.XORKeyStream, s
			}
			s, w := c.Keyed(key, iv)
			return s.XORKeyStream, w
		})
	}
}

// wipedMode is for one direction of a block mode; keyed may be nil.
func wipedMode(x transform, mode func(key, iv []byte) cipher.BlockMode, keyed func(key, iv []byte) (cipher.BlockMode, Wiper)) func(t testing.TB) {
	return func(t testing.TB) {
		x.wiped(t, func(key, iv []byte) (func(dst, src []byte), any) {
			if keyed == nil {
				m := mode(key, iv)
				return m.CryptBlocks, m
			}
			m, w := keyed(key, iv)
			return m.CryptBlocks, w
		})
	}
}

// wiped checks the calls of a block cipher, and what crypto/cipher makes of one.
func (c BlockCase) wiped(t testing.TB) {
	r := newRandom(t)
	b := must(c.New(r.bytes(c.KeySize)))
	size := b.BlockSize()
	src, dst := r.bytes(8*size), make([]byte, 8*size)
	gcm := must(cipher.NewGCM(b))
	ctr := cipher.NewCTR(b, src[:size])
	encrypter, decrypter := cipher.NewCBCEncrypter(b, src[:size]), cipher.NewCBCDecrypter(b, src[:size])
	wipe(t, b)
	for what, f := range map[string]func(){
		"Encrypt":           func() { b.Encrypt(dst, src) },
		"Decrypt":           func() { b.Decrypt(dst, src) },
		"EncryptBlocks":     func() { b.EncryptBlocks(dst, src) },
		"DecryptBlocks":     func() { b.DecryptBlocks(dst, src) },
		"a block":           func() { b.EncryptBlocks(dst, src[:size]) },
		"Seal of NewGCM":    func() { gcm.Seal(dst[:0], src[:12], src[16:], nil) },
		"NewCTR":            func() { ctr.XORKeyStream(dst, src) },
		"a NewCTR of later": func() { cipher.NewCTR(b, src[:size]).XORKeyStream(dst, src) },
		"NewCBCEncrypter":   func() { encrypter.CryptBlocks(dst, src) },
		"NewCBCDecrypter":   func() { decrypter.CryptBlocks(dst, src) },
	} {
		Refuses(t, dst, what, f)
	}
}

// wiped checks that Seal panics and Open returns an error.
func (c AEADCase) wiped(t testing.TB) {
	c.eachWiped(t, func(key []byte, nonceSize, tagSize int) (cipher.AEAD, any) {
		a := must(c.New(key, nonceSize, tagSize))
		return a, a
	})
	if c.Keyed != nil {
		c.eachWiped(t, func(key []byte, nonceSize, tagSize int) (cipher.AEAD, any) { return c.Keyed(key, nonceSize, tagSize) })
	}
}

func (c AEADCase) eachWiped(t testing.TB, keyed func(key []byte, nonceSize, tagSize int) (cipher.AEAD, any)) {
	r := newRandom(t)
	for _, nonceSize := range c.NonceSizes[:min(2, len(c.NonceSizes))] { // GCM of another size hashes it
		a, w := keyed(r.bytes(c.KeySize), nonceSize, c.TagSizes[0])
		nonce, data := r.bytes(nonceSize), r.bytes(20)
		a.Open(nil, nonce, a.Seal(nil, nonce, r.bytes(5000), data), data) // which may prepare something
		wipe(t, w)
		for _, n := range []int{0, 1, 16, 100, 1000, 5000} {
			text, sealed := r.bytes(n), r.bytes(n+a.Overhead())
			dst := r.bytes(len(sealed))
			for _, data := range [][]byte{nil, data} {
				Refuses(t, dst, "Seal", func() { a.Seal(dst[:0], nonce, text, data) })
				Fails(t, dst, "Open", func() error {
					got, err := a.Open(dst[:0], nonce, sealed, data)
					if got != nil {
						t.Errorf("Open after Wipe returns %d bytes", len(got))
					}
					return err
				})
			}
		}
		Fails(t, nil, "Open of too little", func() error { _, err := a.Open(nil, nonce, nil, nil); return err })
	}
}

// wiped checks that there is no tag after Wipe, whatever was written before.
func (c MACCase) wiped(t testing.TB) {
	c.eachWiped(t, func(key []byte) (hash.Hash, any) { h := c.New(key); return h, h })
	if c.Keyed != nil {
		c.eachWiped(t, func(key []byte) (hash.Hash, any) { return c.Keyed(key) })
	}
}

func (c MACCase) eachWiped(t testing.TB, keyed func(key []byte) (hash.Hash, any)) {
	r := newRandom(t)
	p := r.bytes(500)
	for _, n := range []int{0, 1, 16, 64, 100, 500} {
		h, w := keyed(r.bytes(c.KeySize))
		h.Write(p[:n])
		wipe(t, w)
		Refuses(t, nil, "Sum", func() { h.Sum(nil) })
		Refuses(t, nil, "Write and Sum", func() { h.Write(p); h.Sum(nil) })
		Refuses(t, nil, "Reset and Sum", func() { h.Reset(); h.Sum(nil) })
		Refuses(t, nil, "the Sum of a clone", func() {
			clone, err := h.(clone.Cloner).Clone()
			if err != nil {
				t.Fatal(err)
			}
			clone.Sum(nil)
		})
	}
}

// wiped checks that there is no shared key after Wipe, and that the key is gone.
func (c KEMCase) wiped(t testing.TB) {
	key, other := c.key(t), c.key(t)
	_, ciphertext := c.encapsulate(t, key.PublicKey())
	_, second := c.encapsulate(t, other.PublicKey())
	wipe(t, key)
	if b := key.Bytes(); b != nil {
		t.Errorf("Bytes after Wipe: %d bytes", len(b))
	}
	Fails(t, nil, "Decapsulate", func() error {
		s, err := key.Decapsulate(ciphertext)
		if s != nil {
			t.Errorf("Decapsulate after Wipe returns %x", s)
		}
		return err
	})
	s := make([]byte, 2*c.SharedKeySize)
	a, b := s[:c.SharedKeySize], s[c.SharedKeySize:]
	Fails(t, s, "DecapsulateTo", func() error { return key.DecapsulateTo(a, ciphertext) })
	Fails(t, s, "DecapsulateMany", func() error {
		return c.DecapsulateMany([]KEMDecapsulation{{other, second, b}, {key, ciphertext, a}})
	})
	c.encapsulate(t, key.PublicKey())
}

// TestWiped: a cipher among others that was wiped makes many panic before anything
// is written, or fail alone where there is room for an error.
func (c ManyCase[C, A, CBC, CMAC, CCM]) TestWiped(t *testing.T) {
	c.EachDriver(t, func(t *testing.T, new func(key []byte) (C, error)) {
		good, bad := must(new(make([]byte, 16))), must(new(make([]byte, 16)))
		goodCCM, badCCM := must(good.NewCCM(12, 16)), must(bad.NewCCM(12, 16))
		nonce, text := make([]byte, 12), make([]byte, 32)
		sealed := goodCCM.Seal(nil, nonce, text, nil)
		wipe(t, bad)
		dst := bytes.Repeat([]byte{7}, 64)
		for _, n := range []int{1, 40} {
			var cbc []CBC
			var mac []CMAC
			var seal, open []CCM
			for i := range n + 1 {
				cipher, aead := good, goodCCM
				if i == n {
					cipher, aead = bad, badCCM
				}
				cbc = append(cbc, CBC(CBCMessage[C]{Cipher: cipher, IV: make([]byte, 16), Dst: dst[:32], Src: text}))
				mac = append(mac, CMAC(CMACMessage[C]{Cipher: cipher, Data: text}))
				seal = append(seal, CCM(CCMMessage[A]{AEAD: aead, Dst: dst[:0], Nonce: nonce, Text: text}))
				open = append(open, CCM(CCMMessage[A]{AEAD: aead, Nonce: nonce, Text: sealed}))
			}
			Refuses(t, dst, "CBC", func() { c.EncryptCBC(cbc) })
			Refuses(t, nil, "CMAC", func() { c.CMAC(mac) })
			if m := CMACMessage[C](mac[n]); m.Sum != [16]byte{} {
				t.Error("CMAC after Wipe: there is a tag")
			}
			Refuses(t, dst, "CCM", func() { c.SealCCM(seal) })
			if c.OpenCCM(open) == nil {
				t.Error("OpenCCM after Wipe: no error")
			}
			for i, m := range open {
				m := CCMMessage[A](m)
				if i < n && (m.Err != nil || !bytes.Equal(m.Out, text)) {
					t.Errorf("OpenCCM: a message under another key: %v", m.Err)
				}
				if i == n {
					Fails(t, nil, "OpenCCM", func() error { return m.Err })
					if m.Out != nil {
						t.Error("OpenCCM after Wipe: there is a plaintext")
					}
				}
			}
		}
		if a, err := bad.NewCCM(12, 16); err == nil {
			t.Errorf("NewCCM after Wipe: %v", a)
		}
	})
}
