package conformance

import (
	"bytes"
	"crypto/cipher"
	"errors"
	"io/fs"
	"math/big"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/vectors"
)

// A SIVCipher is SIV (RFC 5297) under one key.
type SIVCipher interface {
	cipher.AEAD
	SealDeterministic(dst, plaintext []byte, data ...[]byte) []byte
	OpenDeterministic(dst, ciphertext []byte, data ...[]byte) ([]byte, error)
}

// A SIVCase is SIV with a block cipher under test. Keys have the right size.
type SIVCase struct {
	KeySize   int // of both keys
	New       func(key []byte) SIVCipher
	Reference func(key []byte) cipher.Block // the block cipher, with half a key
	Vectors   []SIVVector
	Allocates bool // memory, for every message
}

// A SIVVector is a published test vector. The tag is the beginning of Ciphertext.
type SIVVector struct {
	Key, Plaintext, Ciphertext []byte
	Data                       [][]byte // the strings of associated data, the nonce among them
}

// SIV tests SIV, as an AEAD and with any number of strings.
func SIV(t *testing.T, c SIVCase) {
	t.Helper()
	run(t, c.checks())
	t.Run("AEAD", func(t *testing.T) { AEAD(t, c.aead()) })
}

func (c SIVCase) aead() AEADCase {
	a := AEADCase{
		KeySize: c.KeySize, NonceSizes: []int{16, 1, 12, 15, 17, 100}, TagSizes: []int{16}, AnyNonce: true, TagFirst: true, Allocates: c.Allocates,
		New: func(key []byte, _, _ int) (cipher.AEAD, error) { return c.New(key), nil },
		Reference: func(key []byte, nonceSize, _ int) (cipher.AEAD, error) {
			s := c.spec(key)
			s.nonceSize = nonceSize
			return s, nil
		},
	}
	if testing.Short() {
		a.NonceSizes = a.NonceSizes[:2]
	}
	for _, v := range c.Vectors {
		if len(v.Data) == 2 && len(v.Data[1]) > 0 {
			a.Vectors = append(a.Vectors, AEADVector{v.Key, v.Data[1], v.Data[0], v.Plaintext, v.Ciphertext})
		}
	}
	if a.Vectors == nil { // there is one in the standard, and it has another string before the nonce
		p := bytes.Repeat([]byte{1}, c.KeySize)
		a.Vectors = []AEADVector{{p, p[:16], p[:5], p[:20], c.spec(p).SealDeterministic(nil, p[:20], p[:5], p[:16])}}
	}
	return a
}

func (c SIVCase) spec(key []byte) specSIV {
	half := len(key) / 2
	return specSIV{mac: c.Reference(bytes.Clone(key[:half])), ctr: c.Reference(bytes.Clone(key[half:])), nonceSize: 16}
}

func (c SIVCase) checks() []check {
	return []check{
		{"Vectors", c.vectors},
		{"Strings", c.strings},
		{"Forgeries", c.forgeries},
		{"Misuse", c.misuse},
		{"Wiped", c.wiped},
	}
}

func (c SIVCase) vectors(t testing.TB) {
	if len(c.Vectors) == 0 {
		t.Fatal("no test vectors")
	}
	for i, v := range c.Vectors {
		for _, s := range []SIVCipher{c.spec(v.Key), c.New(v.Key)} {
			equal(t, s.SealDeterministic(nil, v.Plaintext, v.Data...), v.Ciphertext, "vector %d", i)
			got, err := s.OpenDeterministic(nil, v.Ciphertext, v.Data...)
			if err != nil {
				t.Fatalf("vector %d: %v", i, err)
			}
			equal(t, got, v.Plaintext, "vector %d", i)
		}
	}
}

// strings compares messages with several numbers of strings, short ones and some that are long, and
// buffers behind a prefix and in place.
func (c SIVCase) strings(t testing.TB) {
	r := newRandom(t)
	key := r.bytes(c.KeySize)
	s, spec := c.New(key), c.spec(key)
	for _, n := range []int{0, 1, 2, 3, 5, 15, 16, 17, 18, 32, 33, 125, 126} {
		for _, size := range []int{0, 1, 15, 16, 17, 40, 300} {
			var data [][]byte
			for range n {
				data = append(data, r.bytes([]int{0, 16, r.IntN(40), r.IntN(40), r.IntN(300)}[r.IntN(5)]))
			}
			text := r.bytes(size)
			want := spec.SealDeterministic([]byte("prefix"), text, data...)
			equal(t, s.SealDeterministic([]byte("prefix"), text, data...), want, "%d bytes with %d strings", size, n)
			sealed := want[len("prefix"):]
			b := append(make([]byte, 0, len(sealed)), text...)
			b = s.SealDeterministic(b[:0], b, data...)
			equal(t, b, sealed, "%d bytes with %d strings in place", size, n)
			got, err := s.OpenDeterministic([]byte("prefix"), sealed, data...)
			if err != nil {
				t.Fatalf("%d bytes with %d strings: %v", size, n, err)
			}
			equal(t, got, append([]byte("prefix"), text...), "%d bytes with %d strings opened", size, n)
			if got, err = s.OpenDeterministic(b[:0], b, data...); err != nil {
				t.Fatalf("%d bytes with %d strings in place: %v", size, n, err)
			}
			equal(t, got, text, "%d bytes with %d strings opened in place", size, n)
		}
	}
}

// forgeries changes the strings: a bit of each, their number, their order and where one ends.
func (c SIVCase) forgeries(t testing.TB) {
	r := newRandom(t)
	s := c.New(r.bytes(c.KeySize))
	text, data := r.bytes(50), [][]byte{r.bytes(20), r.bytes(16), {}, r.bytes(3)}
	sealed := s.SealDeterministic(nil, text, data...)
	refused := func(what string, data ...[]byte) {
		t.Helper()
		b := bytes.Repeat([]byte{0xa5}, len(text))
		got, err := s.OpenDeterministic(b[:0], sealed, data...)
		if err == nil || got != nil {
			t.Fatalf("takes a message with %s", what)
		}
		if bytes.Count(b, []byte{0}) != len(b) && bytes.Count(b, []byte{0xa5}) != len(b) {
			t.Fatalf("leaves decrypted bytes of a message with %s", what)
		}
	}
	for i, p := range data {
		for j := range p {
			p[j] ^= 0x10
			refused("a bit flipped in a string", data...)
			p[j] ^= 0x10
		}
		refused("a string fewer", slices.Delete(slices.Clone(data), i, i+1)...)
		refused("an empty string more", slices.Insert(slices.Clone(data), i, nil)...)
	}
	refused("no strings")
	refused("strings in another order", data[1], data[0], data[2], data[3])
	refused("a string in two parts", data[0][:4], data[0][4:], data[1], data[2], data[3])
	refused("two strings that are one", slices.Concat(data[0], data[1]), data[2], data[3])
	if got, err := s.OpenDeterministic(nil, sealed, data...); err != nil || !bytes.Equal(got, text) {
		t.Errorf("after forgeries: %v", err)
	}
}

func (c SIVCase) misuse(t testing.TB) {
	r := newRandom(t)
	s := c.New(r.bytes(c.KeySize))
	many, b := make([][]byte, 127), r.bytes(200)
	sealed := s.SealDeterministic(nil, b[:50])
	misuse(t, "at most 126", b, "Seal with 127 strings", func() { s.SealDeterministic(b[:0], b[:50], many...) })
	misuse(t, "at most 126", b, "Open with 127 strings", func() { s.OpenDeterministic(b[:0], sealed, many...) })
	const overlap = "invalid buffer overlap"
	for _, at := range []int{0, 10, 65} {
		p := b[at : at+20]
		misuse(t, overlap, b, "Seal with a string inside the output", func() { s.SealDeterministic(b[:0], make([]byte, 50), nil, p, nil) })
	}
	for _, at := range []int{0, 10, 49} {
		p := b[at : at+20]
		misuse(t, overlap, b, "Open with a string inside the output", func() { s.OpenDeterministic(b[:0], sealed, nil, nil, p) })
	}
	misuse(t, overlap, b, "Seal with the plaintext where the ciphertext goes", func() { s.SealDeterministic(b[:0], b[16:66]) })
	misuse(t, overlap, b, "Open with the output where the ciphertext is", func() { s.OpenDeterministic(b[16:16], b[:66]) })
}

func (c SIVCase) wiped(t testing.TB) {
	r := newRandom(t)
	text := r.bytes(50)
	s := c.New(r.bytes(c.KeySize))
	sealed := s.SealDeterministic(nil, text)
	wipe(t, s)
	Refuses(t, text, "SealDeterministic", func() { s.SealDeterministic(text[:0], text[:20]) })
	Fails(t, text, "OpenDeterministic", func() error { _, err := s.OpenDeterministic(text[:0], sealed); return err })
}

// WycheproofSIV runs a Wycheproof file of tests of deterministic AEADs, which have one string of
// associated data, and one of AEADs, for keys of c.KeySize.
func WycheproofSIV(t *testing.T, c SIVCase, fsys fs.FS, deterministic, aead string) {
	t.Helper()
	WycheproofAEAD(t, c.aead(), fsys, aead)
	ran := map[vectors.Result]int{}
	for _, g := range vectors.Wycheproof[vectors.AEADGroup](t, fsys, deterministic) {
		if g.KeySize != 8*c.KeySize {
			continue
		}
		for _, test := range g.Tests {
			ran[test.Result]++
			s := c.New(test.Key)
			got, err := s.OpenDeterministic(nil, test.Ciphertext, test.AAD)
			switch test.Result {
			case vectors.Valid:
				if err != nil {
					t.Errorf("%s: test %d (%s): %v", deterministic, test.ID, test.Comment, err)
				}
				equal(t, got, test.Plaintext, "test %d of %s", test.ID, deterministic)
				equal(t, s.SealDeterministic(nil, test.Plaintext, test.AAD), test.Ciphertext, "test %d of %s", test.ID, deterministic)
			case vectors.Invalid:
				if err == nil {
					t.Errorf("%s: test %d (%s): accepted", deterministic, test.ID, test.Comment)
				}
			default:
				t.Errorf("%s: test %d: result %q", deterministic, test.ID, test.Result)
			}
		}
	}
	if ran[vectors.Valid] == 0 || ran[vectors.Invalid] == 0 {
		t.Errorf("%s: nothing to run for keys of %d bytes", deterministic, c.KeySize)
	}
	t.Logf("%s: %d valid, %d invalid", deterministic, ran[vectors.Valid], ran[vectors.Invalid])
}

// specSIV is RFC 5297, section 2, step by step.
type specSIV struct {
	mac, ctr  cipher.Block
	nonceSize int
}

func (s specSIV) NonceSize() int { return s.nonceSize }
func (s specSIV) Overhead() int  { return 16 }

func specXOR(a, b []byte) []byte {
	out := bytes.Clone(a)
	for i := range b {
		out[i] ^= b[i]
	}
	return out
}

// specPad is section 2.1: a one and zeros.
func specPad(p []byte) []byte {
	return append(append(bytes.Clone(p), 0x80), make([]byte, 15-len(p))...)
}

// specDouble is dbl of section 2.3.
func specDouble(p []byte) []byte {
	n := new(big.Int).SetBytes(p)
	n.Lsh(n, 1)
	if n.Bit(128) == 1 {
		n.SetBit(n, 128, 0)
		n.Xor(n, big.NewInt(0x87))
	}
	return n.FillBytes(make([]byte, 16))
}

// cmac is NIST SP 800-38B, section 6.
func (s specSIV) cmac(p []byte) []byte {
	l, c := make([]byte, 16), make([]byte, 16)
	s.mac.Encrypt(l, l)
	key := specDouble(l)
	for ; len(p) > 16; p = p[16:] {
		for i := range c {
			c[i] ^= p[i]
		}
		s.mac.Encrypt(c, c)
	}
	if len(p) < 16 {
		p, key = specPad(p), specDouble(key)
	}
	s.mac.Encrypt(c, specXOR(specXOR(p, key), c))
	return c
}

// s2v is section 2.4 for the strings and the text, so that there is at least one.
func (s specSIV) s2v(text []byte, data ...[]byte) []byte {
	d := s.cmac(make([]byte, 16))
	for _, p := range data {
		d = specXOR(specDouble(d), s.cmac(p))
	}
	if len(text) < 16 {
		return s.cmac(specXOR(specDouble(d), specPad(text)))
	}
	cut := len(text) - 16
	return s.cmac(append(bytes.Clone(text[:cut]), specXOR(text[cut:], d)...))
}

// crypt is counter mode of section 2.5.
func (s specSIV) crypt(v, p []byte) []byte {
	q := specXOR(v, make([]byte, 16))
	q[8], q[12] = q[8]&0x7f, q[12]&0x7f
	out := make([]byte, len(p))
	cipher.NewCTR(s.ctr, q).XORKeyStream(out, p)
	return out
}

func (s specSIV) SealDeterministic(dst, plaintext []byte, data ...[]byte) []byte {
	v := s.s2v(plaintext, data...)
	return slices.Concat(dst, v, s.crypt(v, plaintext))
}

func (s specSIV) OpenDeterministic(dst, ciphertext []byte, data ...[]byte) ([]byte, error) {
	if len(ciphertext) < 16 {
		return nil, errors.New("too short")
	}
	v := ciphertext[:16]
	text := s.crypt(v, ciphertext[16:])
	if !bytes.Equal(s.s2v(text, data...), v) {
		return nil, errors.New("wrong tag")
	}
	return append(dst, text...), nil
}

// Seal and Open are section 3: the nonce is the last of the strings.
func (s specSIV) Seal(dst, nonce, plaintext, data []byte) []byte {
	return s.SealDeterministic(dst, plaintext, data, nonce)
}

func (s specSIV) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	return s.OpenDeterministic(dst, ciphertext, data, nonce)
}
