package chunked

import (
	"bytes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
)

var (
	testSalt    = []byte("salt of twenty-four byte")
	testContext = []byte("cipherlane \x00 test")
)

func testKey(s Suite) []byte {
	key := make([]byte, s.KeySize)
	for i := range key {
		key[i] = byte(i * 7)
	}
	return key
}

var somePlaintext = sync.OnceValue(func() []byte {
	p := make([]byte, 6<<20)
	rand.NewChaCha8([32]byte{1}).Read(p)
	return p
})

// plaintext returns n bytes that look random, to be read only.
func plaintext(n int) []byte { return somePlaintext()[:n:n] }

// seal writes a message with the salt of the tests.
func seal(t testing.TB, s Suite, p []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := newWriter(&out, s, testKey(s), testSalt, testContext, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(p); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// twoSuites are enough for tests that do not depend on the suite.
func twoSuites(t *testing.T, f func(t *testing.T, s Suite)) {
	for _, s := range []Suite{fastSuite(), wide()} {
		t.Run(s.Name, func(t *testing.T) { f(t, s) })
	}
}

func everySuite(t *testing.T, f func(t *testing.T, s Suite)) {
	for _, s := range append(Suites(), wide()) {
		t.Run(fmt.Sprintf("%s-%d", s.Name, 8*s.Hash().Size()), func(t *testing.T) { f(t, s) })
	}
}

// sizes around all boundaries: chunks, batches, shares.
func sizes() []int {
	list := []int{0, 1, 15, 16, 17, 255, 4096}
	for _, chunks := range []int{1, 2, 3, 9, 16, 32, 33, 65, 100} {
		for _, d := range []int{-16, -1, 0, 1} {
			list = append(list, chunks*ChunkSize+d)
		}
	}
	return append(list, 5<<20+12345)
}

// someSizes returns all sizes for one suite, and some of them for the others.
func someSizes(s Suite) []int {
	list := sizes()
	if s.Name == AES128GCM().Name && s.Hash().Size() == 32 && !testing.Short() {
		return list
	}
	var some []int
	for i := 0; i < len(list); i += 6 {
		some = append(some, list[i])
	}
	return some
}

func TestSizes(t *testing.T) {
	for _, n := range sizes() {
		want := int64(len(specSeal(t, AES128GCM(), make([]byte, 16), testSalt, nil, plaintext(n))))
		got, err := EncryptedSize(int64(n))
		if got != want || err != nil {
			t.Errorf("EncryptedSize(%d) = %d, %v, want %d", n, got, err, want)
		}
		back, err := PlaintextSize(got)
		if back != int64(n) || err != nil {
			t.Errorf("PlaintextSize(%d) = %d, %v, want %d", got, back, err, n)
		}
	}
	for _, n := range []int64{1<<52 - 1, 1<<52 - 16384, 1<<52 - 16385} {
		size, err := EncryptedSize(n)
		if err != nil {
			t.Errorf("EncryptedSize(%d): %v", n, err)
		}
		if back, err := PlaintextSize(size); back != n || err != nil {
			t.Errorf("PlaintextSize(%d) = %d, %v, want %d", size, back, err, n)
		}
	}
	for _, n := range []int64{1 << 52, math.MaxInt64} {
		if _, err := EncryptedSize(n); err != ErrTooLong {
			t.Errorf("EncryptedSize(%d): %v", n, err)
		}
	}
	if _, err := EncryptedSize(-1); err == nil {
		t.Error("EncryptedSize takes a negative size")
	}
	for _, c := range []struct {
		size int64
		want error
	}{
		{math.MinInt64, ErrHeader},
		{-1, ErrHeader},
		{0, ErrHeader},
		{55, ErrHeader},
		{56, ErrTruncated},
		{71, ErrTruncated},
		{56 + 16400, ErrTruncated},
		{56 + 16415, ErrTruncated},
		{56 + 3*16400, ErrTruncated},
		{56 + 16400<<38, ErrTooLong},
		{math.MaxInt64, ErrTooLong},
	} {
		if _, err := PlaintextSize(c.size); err != c.want {
			t.Errorf("PlaintextSize(%d): %v, want %v", c.size, err, c.want)
		}
	}
}

func TestKeySize(t *testing.T) {
	good := seal(t, AES128GCM(), nil)
	for _, size := range []int{0, 15, 17, 24, 32} {
		_, err := NewWriter(io.Discard, AES128GCM(), make([]byte, size), nil)
		if want := fmt.Sprintf("chunked: invalid key size %d, want 16", size); !errors.Is(err, ErrKeySize) || err.Error() != want {
			t.Errorf("writer: %v, want %s", err, want)
		}
		_, err = NewReader(bytes.NewReader(good), AES128GCM(), make([]byte, size), nil)
		if !errors.Is(err, ErrKeySize) {
			t.Errorf("reader, key of %d bytes: %v", size, err)
		}
		_, err = NewReaderAt(bytes.NewReader(good), int64(len(good)), AES128GCM(), make([]byte, size), nil)
		if !errors.Is(err, ErrKeySize) {
			t.Errorf("readerAt, key of %d bytes: %v", size, err)
		}
	}
	_, err := NewReader(bytes.NewReader(good), AES128GCM(), make([]byte, 24), nil, Accept(Suites()...))
	if want := "chunked: invalid key size 24, want 16 or 32"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestBadSuites(t *testing.T) {
	good := seal(t, AES128GCM(), nil)
	for why, change := range map[string]func(s *Suite){
		"invalid name":                func(s *Suite) { s.Name = "" },
		"invalid name ":               func(s *Suite) { s.Name = "A\x00B" },
		"keys of less":                func(s *Suite) { s.KeySize = 15 },
		"nonces of less":              func(s *Suite) { s.NonceSize = 11 },
		"nonces of less than 12 or":   func(s *Suite) { s.NonceSize = 33 },
		"no hash":                     func(s *Suite) { s.Hash = nil },
		"no hash or no AEAD":          func(s *Suite) { s.AEAD = nil },
		"a hash of less than 32 byte": func(s *Suite) { s.Hash = md5.New },
		"AEAD has nonces of 12":       func(s *Suite) { s.NonceSize = 13 },
		"AEAD has nonces of 12 and tags of 12": func(s *Suite) {
			s.AEAD = func(key []byte) (cipher.AEAD, error) { a, err := newAESGCM(key); return shortTag{a}, err }
		},
		"no such luck": func(s *Suite) {
			s.AEAD = func(key []byte) (cipher.AEAD, error) { return nil, errors.New("no such luck") }
		},
	} {
		s := AES128GCM()
		change(&s)
		if _, err := NewWriter(io.Discard, s, make([]byte, s.KeySize), nil); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(why)) {
			t.Errorf("writer: %v, want %s", err, why)
		}
		if _, err := NewReader(bytes.NewReader(good), s, testKey(s), testContext); err == nil {
			t.Errorf("reader accepts %s", why)
		}
	}
}

type shortTag struct{ cipher.AEAD }

func (shortTag) Overhead() int { return 12 }

// Every suite rejects the messages of every other, and Accept finds the right one.
func TestAccept(t *testing.T) {
	all := append(Suites(), wide())
	p := plaintext(20000)
	for i, s := range all {
		sealed := seal(t, s, p)
		for j, other := range all {
			_, err := NewReader(bytes.NewReader(sealed), other, testKey(s), testContext)
			switch {
			case i == j && err != nil:
				t.Errorf("%s: %v", s.Name, err)
			case i != j && other.KeySize != s.KeySize && !errors.Is(err, ErrKeySize),
				i != j && other.KeySize == s.KeySize && err != ErrCommitment:
				t.Errorf("%s as %s: %v", s.Name, other.Name, err)
			}
		}
		r, err := NewReader(bytes.NewReader(sealed), all[0], testKey(s), testContext, Accept(all[1:3]...), Accept(all[3:]...))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Suite(); got.Name != s.Name || got.Hash().Size() != s.Hash().Size() {
			t.Errorf("%s was taken for %s", s.Name, got.Name)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, p) {
			t.Errorf("%s: %v", s.Name, err)
		}
		ra, err := NewReaderAt(bytes.NewReader(sealed), int64(len(sealed)), all[0], testKey(s), testContext, Accept(all[1:]...))
		if err != nil {
			t.Fatal(err)
		}
		if got := ra.Suite(); got.Name != s.Name || got.Hash().Size() != s.Hash().Size() {
			t.Errorf("%s was taken for %s", s.Name, got.Name)
		}
	}
	if _, err := NewWriter(io.Discard, all[0], testKey(all[0]), nil, Accept(all[1])); err == nil {
		t.Error("a writer takes Accept")
	}
}

// The two recommendations differ only in the hash.
func TestSuiteHashes(t *testing.T) {
	for _, c := range []struct {
		s    Suite
		name string
		h    func() hash.Hash
		size int
	}{
		{AES128GCM(), "AEAD_AES_128_GCM", sha256.New, 16},
		{Cobblestone128(), "AEAD_AES_128_GCM", sha512.New, 16},
		{Cobblestone256(), "AEAD_AES_256_GCM", sha512.New, 32},
	} {
		got, want := c.s.Hash(), c.h()
		got.Write([]byte("abc"))
		want.Write([]byte("abc"))
		if c.s.Name != c.name || c.s.KeySize != c.size || !bytes.Equal(got.Sum(nil), want.Sum(nil)) {
			t.Errorf("%s: %+v", c.name, c.s)
		}
	}
}

// The key is wiped when the AEAD can, and the derived bytes are not kept.
func TestWipe(t *testing.T) {
	var keys [][]byte
	wiped := 0
	s := AES128GCM()
	s.AEAD = func(key []byte) (cipher.AEAD, error) {
		keys = append(keys, key)
		a, err := newAESGCM(key)
		return wiper{a, &wiped}, err
	}
	sealed := seal(t, s, plaintext(100))
	r, err := NewReader(bytes.NewReader(sealed), s, testKey(s), testContext)
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	r.Close()
	ra, err := NewReaderAt(bytes.NewReader(sealed), int64(len(sealed)), s, testKey(s), testContext)
	if err != nil {
		t.Fatal(err)
	}
	ra.Close()
	ra.Close()
	w, err := NewWriter(io.Discard, s, testKey(s), nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Abort()
	w.Abort()
	w.Close()
	if wiped != 4 {
		t.Errorf("wiped %d times, want 4", wiped)
	}
	for _, key := range keys {
		if !bytes.Equal(key, make([]byte, len(key))) {
			t.Error("a derived key was left in memory")
		}
	}
}

// Buffers that are replaced because they are too small also contain plaintext.
func TestOutgrownBuffersAreWiped(t *testing.T) {
	in, out := bytes.Clone(plaintext(100)), bytes.Clone(plaintext(100))
	b := &batch{in: in, out: out[:50]}
	if got := b.reserve(80, in[90:]); !bytes.Equal(got[:10], plaintext(100)[90:]) || !bytes.Equal(in[10:90], plaintext(100)[10:90]) {
		t.Error("reserve within the buffer does not begin with the rest")
	}
	copy(in, plaintext(100))
	if got := b.reserve(200, in[90:]); len(got) != 200 || !bytes.Equal(got[:10], plaintext(100)[90:]) {
		t.Error("reserve of more does not begin with the rest")
	}
	if got := b.room(200); len(got) != 200 {
		t.Errorf("room for %d bytes, want 200", len(got))
	}
	if zero := make([]byte, 100); !bytes.Equal(in, zero) || !bytes.Equal(out, zero) {
		t.Error("plaintext is left in a buffer that was too small")
	}
}

// FIPS 140-only mode allows neither SM4 nor AES-GCM with nonces of our own.
func TestFIPS(t *testing.T) {
	conformance.FIPSOnly(t, func(t *testing.T) {
		for _, s := range Suites() {
			if _, err := NewWriter(io.Discard, s, testKey(s), nil); err != errFIPS {
				t.Errorf("%s: NewWriter: %v", s.Name, err)
			}
			message := make([]byte, HeaderSize+Overhead)
			if _, err := NewReader(bytes.NewReader(message), s, testKey(s), nil); err != errFIPS {
				t.Errorf("%s: NewReader: %v", s.Name, err)
			}
			if _, err := NewReaderAt(bytes.NewReader(message), int64(len(message)), s, testKey(s), nil); err != errFIPS {
				t.Errorf("%s: NewReaderAt: %v", s.Name, err)
			}
		}
	})
}

type wiper struct {
	cipher.AEAD
	n *int
}

func (w wiper) Wipe() { *w.n++ }

// A secret of another size is expanded or shortened by HKDF, as the documentation of DeriveKey
// says, and one of the right size is the key.
func TestDeriveKey(t *testing.T) {
	secret := []byte("0123456789abcdef0123456789ABCDEF")
	for _, c := range []struct {
		suite Suite
		size  int
		info  string // "" if the secret is the key
	}{
		{AES256GCM(), 16, "cipherlane aes-256-gcm from 16 bytes"},
		{AES256GCM(), 24, "cipherlane aes-256-gcm from 24 bytes"},
		{AES256GCM(), 32, ""},
		{Cobblestone128(), 16, ""},
		{AES128GCM(), 24, "cipherlane aes-128-gcm from 24 bytes"},
		{SM4GCM(), 16, ""},
		{SM4GCM(), 32, "cipherlane sm4-gcm from 32 bytes"},
	} {
		want := bytes.Clone(secret[:c.size])
		if c.info != "" {
			extract := hmac.New(sha256.New, make([]byte, sha256.Size)) // RFC 5869, section 2, with one block
			extract.Write(want)
			expand := hmac.New(sha256.New, extract.Sum(nil))
			expand.Write(append([]byte(c.info), 1))
			want = expand.Sum(nil)[:c.suite.KeySize]
		}
		key, err := c.suite.DeriveKey(secret[:c.size])
		if err != nil || !bytes.Equal(key, want) {
			t.Errorf("%s from %d bytes: %x, %v, want %x", c.suite.Name, c.size, key, err, want)
			continue
		}
		key[0] ^= 1
		if secret[0] != '0' {
			t.Fatal("the key is the memory of the secret")
		}
		key[0] ^= 1
		if _, err := NewWriter(io.Discard, c.suite, key, nil); err != nil {
			t.Error(err)
		}
	}
	if key, err := SM4GCM().DeriveKey(secret[:15]); key != nil || !errors.Is(err, ErrKeySize) {
		t.Errorf("a secret of 15 bytes: %x, %v", key, err)
	}
	if key, err := (Suite{}).DeriveKey(secret); key != nil || err == nil {
		t.Errorf("no suite: %x, %v", key, err)
	}
}
