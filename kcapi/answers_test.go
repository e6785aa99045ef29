//go:build linux && !nokernel

package kcapi_test

import (
	stdaes "crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	gohash "hash"
	"math/big"
	"math/bits"
	"os"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/chacha20"
	"github.com/cipherlane/cipherlane/kcapi"
	"github.com/cipherlane/cipherlane/sm3"
	"github.com/cipherlane/cipherlane/sm4"
)

// All results of Linux are compared with the standard library or with the other packages
// of this module.

type hashCase struct {
	name string
	key  []byte
	new  func() gohash.Hash
}

func hashes() []hashCase {
	key := random(1, 32)
	aesCMAC := func() gohash.Hash {
		c, err := aes.New(key)
		if err != nil {
			panic(err)
		}
		return c.NewCMAC()
	}
	return []hashCase{
		{"sha1", nil, sha1.New},
		{"sha224", nil, sha256.New224},
		{"sha256", nil, sha256.New},
		{"sha384", nil, sha512.New384},
		{"sha512", nil, sha512.New},
		{"sha3-256", nil, func() gohash.Hash { return sha3.New256() }},
		{"sm3", nil, sm3.New},
		{"hmac(sha1)", key, func() gohash.Hash { return hmac.New(sha1.New, key) }},
		{"hmac(sha256)", key, func() gohash.Hash { return hmac.New(sha256.New, key) }},
		{"hmac(sha512)", key, func() gohash.Hash { return hmac.New(sha512.New, key) }},
		{"hmac(sm3)", key, func() gohash.Hash { return hmac.New(sm3.New, key) }},
		{"cmac(aes)", key, aesCMAC},
	}
}

func (c hashCase) open(t testing.TB, opts ...kcapi.Option) *kcapi.Hash {
	t.Helper()
	if c.key != nil {
		return mac(t, c.name, c.key, opts...)
	}
	return hash(t, c.name, opts...)
}

func (c hashCase) digest(p []byte) []byte {
	h := c.new()
	h.Write(p)
	return h.Sum(nil)
}

func TestHashes(t *testing.T) {
	variants(t, func(t *testing.T, opts ...kcapi.Option) {
		text := random(2, 16<<20)
		for _, c := range hashes() {
			t.Run(c.name, func(t *testing.T) {
				h := c.open(t, opts...)
				if h.Size() != c.new().Size() {
					t.Fatalf("Size() = %d", h.Size())
				}
				for _, n := range sizes(testing.Short() || c.name != "sha256") {
					got, err := h.Digest([]byte("prefix"), text[:n])
					if err != nil {
						t.Fatalf("%d bytes: %v", n, err)
					}
					same(t, "digest", got, append([]byte("prefix"), c.digest(text[:n])...))
				}
			})
		}
	})
}

type cipherCase struct {
	name    string
	key, iv int
	block   int // messages are multiples of this
	least   int // minimum length of messages
	cut     bool
	crypt   func(key, iv, dst, src []byte, encrypt bool)
}

func blockCase(name string, key int, new func(key []byte) (cipher.Block, error)) []cipherCase {
	make := func(key []byte) cipher.Block {
		b, err := new(key)
		if err != nil {
			panic(err)
		}
		return b
	}
	return []cipherCase{
		{"ecb(" + name + ")", key, 0, 16, 0, true, func(key, iv, dst, src []byte, encrypt bool) {
			b := make(key)
			for i := 0; i < len(src); i += 16 {
				if encrypt {
					b.Encrypt(dst[i:], src[i:])
				} else {
					b.Decrypt(dst[i:], src[i:])
				}
			}
		}},
		{"cbc(" + name + ")", key, 16, 16, 0, true, func(key, iv, dst, src []byte, encrypt bool) {
			if encrypt {
				cipher.NewCBCEncrypter(make(key), iv).CryptBlocks(dst, src)
			} else {
				cipher.NewCBCDecrypter(make(key), iv).CryptBlocks(dst, src)
			}
		}},
		{"ctr(" + name + ")", key, 16, 1, 0, true, func(key, iv, dst, src []byte, encrypt bool) {
			cipher.NewCTR(make(key), iv).XORKeyStream(dst, src)
		}},
	}
}

func ciphers() []cipherCase {
	list := blockCase("aes", 16, stdaes.NewCipher)
	list = append(list, blockCase("aes", 24, stdaes.NewCipher)[1:2]...)
	list = append(list, blockCase("aes", 32, stdaes.NewCipher)...)
	list = append(list, blockCase("sm4", 16, sm4.NewCipher)...)
	return append(list,
		cipherCase{"chacha20", 32, 16, 1, 0, true, func(key, iv, dst, src []byte, encrypt bool) {
			chacha(key, iv).XORKeyStream(dst, src)
		}},
		cipherCase{"cts(cbc(aes))", 16, 16, 1, 16, false, func(key, iv, dst, src []byte, encrypt bool) {
			if len(src) == 0 {
				return
			}
			c, err := aes.New(key)
			if err != nil {
				panic(err)
			}
			if encrypt {
				c.EncryptCTS(dst, src, iv, 3)
			} else {
				c.DecryptCTS(dst, src, iv, 3)
			}
		}},
		cipherCase{"xts(aes)", 64, 16, 1, 16, false, func(key, iv, dst, src []byte, encrypt bool) {
			if len(src) == 0 {
				return
			}
			x, err := aes.NewXTS(key)
			if err != nil {
				panic(err)
			}
			if tweak := (*[16]byte)(append([]byte(nil), iv...)); encrypt {
				x.EncryptTweak(dst, src, tweak)
			} else {
				x.DecryptTweak(dst, src, tweak)
			}
		}})
}

// chacha uses Linux's IV format: the counter, little-endian, and the nonce.
func chacha(key, iv []byte) cipher.Stream {
	c, err := chacha20.NewUnauthenticatedCipher(key, iv[4:])
	if err != nil {
		panic(err)
	}
	c.SetCounter(binary.LittleEndian.Uint32(iv))
	return c
}

func TestCiphers(t *testing.T) {
	variants(t, func(t *testing.T, opts ...kcapi.Option) {
		text := random(3, 16<<20)
		for _, c := range ciphers() {
			t.Run(c.name, func(t *testing.T) {
				key, iv := random(4, c.key), random(5, c.iv)
				if c.iv > 0 && c.name != "chacha20" {
					for i := range c.iv - 2 { // make counters carry
						iv[2+i] = 0xff
					}
				}
				k := ciph(t, c.name, key, opts...)
				if n := k.IVSize(); n != c.iv && n != -1 {
					t.Errorf("IVSize() = %d", n)
				}
				most := k.MaxSize()
				all := sizes(testing.Short() || c.name != "ctr(aes)")
				if !c.cut {
					if most < 100<<10 {
						t.Errorf("MaxSize() = %d", most)
					}
					all = append(all, most-16, most-1, most, most+1, most+16)
				}
				for _, n := range all {
					src := text[:n]
					dst := make([]byte, n+3)
					if n%c.block != 0 || n > 0 && n < c.least {
						wantReason(t, k.Encrypt(dst, src, iv), kcapi.ErrSize)
						wantReason(t, k.Decrypt(dst, src, iv), kcapi.ErrSize)
						continue
					}
					if n > most {
						wantReason(t, k.Encrypt(dst, src, iv), kcapi.ErrTooLarge)
						wantReason(t, k.Decrypt(dst, src, iv), kcapi.ErrTooLarge)
						continue
					}
					want := make([]byte, n)
					for _, encrypt := range []bool{true, false} {
						before := append([]byte(nil), iv...)
						f, in := k.Encrypt, src
						if !encrypt {
							f = k.Decrypt
							if n <= 128<<10 { // arbitrary bytes can be decrypted
								in = random(uint64(n), n)
							}
						}
						c.crypt(key, iv, want, in, encrypt)
						if err := f(dst, in, iv); err != nil {
							t.Fatalf("%d bytes: %v", n, err)
						}
						same(t, "bytes", dst[:n], want)
						if dst[n] != 0 || dst[n+1] != 0 || dst[n+2] != 0 {
							t.Errorf("%d bytes: written behind the end", n)
						}
						place := append([]byte(nil), in...)
						if err := f(place, place, iv); err != nil {
							t.Fatalf("%d bytes in place: %v", n, err)
						}
						same(t, "bytes in place", place, want)
						same(t, "IV", iv, before)
					}
				}
			})
		}
	})
}

// All drivers that Linux has loaded, including engines, give the same results.
func TestEveryDriver(t *testing.T) {
	hash(t, "sha256")                                                   // or skip
	for _, name := range []string{"cbc(aes)", "ctr(aes)", "xts(aes)"} { // loads drivers, which are listed then
		if k, err := kcapi.OpenCipher(name, kcapi.Bytes(random(4, 32))); err == nil {
			k.Close()
		}
	}
	list, err := os.ReadFile("/proc/crypto")
	if err != nil {
		t.Skip(err)
	}
	text := random(13, 200<<10)
	for entry := range strings.SplitSeq(string(list), "\n\n") {
		fields := map[string]string{}
		for line := range strings.Lines(entry) {
			k, v, _ := strings.Cut(line, ":")
			fields[strings.TrimSpace(k)] = strings.TrimSpace(v)
		}
		if fields["internal"] != "no" || fields["selftest"] != "passed" {
			continue
		}
		for i, c := range ciphers() {
			if c.name != fields["name"] || !strings.HasSuffix(fields["type"], "skcipher") {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", fields["driver"], i), func(t *testing.T) {
				key, iv := random(14, c.key), random(15, c.iv)
				k, err := kcapi.OpenCipher(fields["driver"], kcapi.Bytes(key))
				if err != nil {
					t.Skip(err) // some listed drivers are hidden, and engines may lack some key sizes
				}
				defer k.Close()
				for _, n := range []int{16, 4096, 64 << 10, len(text)} {
					if n > k.MaxSize() {
						continue
					}
					want, got := make([]byte, n), make([]byte, n)
					for _, encrypt := range []bool{true, false} {
						c.crypt(key, iv, want, text[:n], encrypt)
						f := k.Encrypt
						if !encrypt {
							f = k.Decrypt
						}
						if err := f(got, text[:n], iv); err != nil {
							t.Fatal(err)
						}
						same(t, "bytes", got, want)
					}
				}
			})
		}
	}
}

// A message in parts gives the same result as in one piece.
func TestCipherChain(t *testing.T) {
	for _, c := range ciphers() {
		t.Run(c.name, func(t *testing.T) {
			key, iv := random(6, c.key), random(7, c.iv)
			k := ciph(t, c.name, key)
			src := random(8, 200<<10+c.block)
			if !c.cut {
				wantReason(t, k.EncryptChain(src, src[:16], iv), kcapi.ErrMode)
				wantReason(t, k.DecryptChain(src, src[:16], iv), kcapi.ErrMode)
				return
			}
			for _, encrypt := range []bool{true, false} {
				want := make([]byte, len(src))
				c.crypt(key, iv, want, src, encrypt)
				got, at, next := append([]byte(nil), src...), 0, append([]byte(nil), iv...)
				for i, n := range []int{64, 0, 4096, 64 << 10, 80 << 10, 192} {
					part := got[at : at+n]
					if i == 5 {
						part = got[at:]
					}
					f := k.EncryptChain
					if !encrypt {
						f = k.DecryptChain
					}
					if err := f(part, part, next); err != nil {
						t.Fatal(err)
					}
					at += n
				}
				same(t, "chained", got, want)
			}
		})
	}
}

type aeadCase struct {
	name            string
	key, nonce, tag int
	new             func(key []byte, tag int) cipher.AEAD
}

func check[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func aeads() []aeadCase {
	gcm := func(key []byte, tag int) cipher.AEAD {
		return check(cipher.NewGCMWithTagSize(check(stdaes.NewCipher(key)), tag))
	}
	ccm := func(nonce int) func(key []byte, tag int) cipher.AEAD {
		return func(key []byte, tag int) cipher.AEAD { return check(check(aes.New(key)).NewCCM(nonce, tag)) }
	}
	return []aeadCase{
		{"gcm(aes)", 16, 12, 16, gcm},
		{"gcm(aes)", 24, 12, 12, gcm},
		{"gcm(aes)", 32, 12, 13, gcm},
		{"gcm(sm4)", 16, 12, 16, func(key []byte, tag int) cipher.AEAD { return check(cipher.NewGCM(check(sm4.NewCipher(key)))) }},
		{"ccm(aes)", 16, 12, 16, ccm(12)},
		{"ccm(aes)", 32, 7, 8, ccm(7)},
		{"ccm(aes)", 16, 11, 4, ccm(11)},
		{"rfc7539(chacha20,poly1305)", 32, 12, 16, func(key []byte, tag int) cipher.AEAD { return chachaPoly(key) }},
	}
}

func TestAEADs(t *testing.T) {
	variants(t, func(t *testing.T, opts ...kcapi.Option) {
		text, data := random(9, 16<<20), random(10, 70000)
		for _, c := range aeads() {
			t.Run(c.name, func(t *testing.T) {
				key, nonce := random(11, c.key), random(12, c.nonce)
				k, ref := aead(t, c.name, key, c.tag, opts...), c.new(key, c.tag)
				if k.Overhead() != c.tag {
					t.Errorf("Overhead() = %d", k.Overhead())
				}
				if n := k.NonceSize(); n != 12 && n != -1 {
					t.Errorf("NonceSize() = %d", n)
				}
				all := sizes(false)
				all = append(all, k.MaxSize()-c.tag-1, k.MaxSize()-c.tag, k.MaxSize()-c.tag+1)
				for _, n := range all {
					for _, d := range []int{0, 1, 20, 4097, 70000} {
						if testing.Short() && (len(opts) > 0 || n > 64<<10) && d != 0 && d != 4097 {
							continue
						}
						checkAEAD(t, k, ref, nonce, text[:n], data[:d])
					}
				}
			})
		}
	})
}

// checkAEAD seals and opens messages, and tries to open modified ones.
func checkAEAD(t *testing.T, k *kcapi.AEAD, ref cipher.AEAD, nonce, text, data []byte) {
	t.Helper()
	const mark = 0xee
	tag := k.Overhead()
	if len(text)+len(data)+tag > k.MaxSize() {
		_, err := k.Seal(nil, nonce, text, data)
		wantReason(t, err, kcapi.ErrTooLarge)
		if len(text)+len(data) > k.MaxSize() {
			_, err = k.Open(nil, nonce, text, data)
			wantReason(t, err, kcapi.ErrTooLarge)
		}
		return
	}
	dst := make([]byte, 5, 5+len(text)+tag+3)
	for i := range dst[:cap(dst)] {
		dst[:cap(dst)][i] = mark
	}
	untouched := func(what string, from int) {
		for i, b := range dst[:cap(dst)] {
			if i >= from && b != mark {
				t.Fatalf("%d bytes and %d of data: %s wrote to dst", len(text), len(data), what)
			}
		}
	}
	got, err := k.Seal(dst, nonce, text, data)
	if err != nil {
		t.Fatalf("%d bytes and %d of data: Seal: %v", len(text), len(data), err)
	}
	sealed := ref.Seal(nil, nonce, text, data)
	same(t, "prefix", got[:5], []byte{mark, mark, mark, mark, mark})
	same(t, "sealed", got[5:], sealed)
	untouched("Seal", 5+len(sealed)+1)

	for i := range dst[:cap(dst)] {
		dst[:cap(dst)][i] = mark
	}
	forge := func(what string, nonce, sealed, data []byte) {
		t.Helper()
		_, err := k.Open(dst, nonce, sealed, data)
		if wantReason(t, err, kcapi.ErrAuth); t.Failed() {
			t.Fatalf("%d bytes and %d of data: %s changed", len(text), len(data), what)
		}
		untouched("Open with "+what+" changed", 0)
	}
	flip := func(b []byte, i int) []byte {
		b = append([]byte(nil), b...)
		b[i] ^= 0x10
		return b
	}
	forge("the first byte of the tag", nonce, flip(sealed, len(text)), data)
	forge("the last byte of the tag", nonce, flip(sealed, len(sealed)-1), data)
	forge("the nonce", flip(nonce, 3), sealed, data)
	forge("the length", nonce, sealed[:len(sealed)-1], data)
	if len(text) > 0 {
		forge("the text", nonce, flip(sealed, len(text)/2), data)
	}
	if len(data) > 0 {
		forge("the data", nonce, sealed, flip(data, len(data)-1))
		forge("the length of the data", nonce, sealed, data[:len(data)-1])
	}
	got, err = k.Open(dst, nonce, sealed, data)
	if err != nil {
		t.Fatalf("%d bytes and %d of data: Open: %v", len(text), len(data), err)
	}
	same(t, "opened", got[5:], text)
	untouched("Open", 5+len(text))

	place := append(make([]byte, 0, len(sealed)), text...)
	if got, err = k.Seal(place[:0], nonce, place, data); err != nil {
		t.Fatal(err)
	}
	same(t, "sealed in place", got, sealed)
	if got, err = k.Open(got[:0], nonce, got, data); err != nil {
		t.Fatal(err)
	}
	same(t, "opened in place", got, text)
}

// RFC 8439, section 2.8.2, and RFC 8998, appendix A.2.
func TestAEADKnownAnswers(t *testing.T) {
	x := func(s string) []byte { return check(hex.DecodeString(s)) }
	k := aead(t, "rfc7539(chacha20,poly1305)", x("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"), 16)
	sealed, err := k.Seal(nil, x("070000004041424344454647"),
		[]byte("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."),
		x("50515253c0c1c2c3c4c5c6c7"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "RFC 8439's tag", sealed[114:], x("1ae10b594f09e26a7e902ecbd0600691"))

	k = aead(t, "ccm(sm4)", x("0123456789abcdeffedcba9876543210"), 16)
	sealed, err = k.Seal(nil, x("00001234567800000000abcd"),
		x("aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccddddddddddddddddeeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa"),
		x("feedfacedeadbeeffeedfacedeadbeefabaddad2"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "RFC 8998's tag", sealed[64:], x("16842d4fa186f56ab33256971fa110f4"))
}

// chachaPoly is RFC 8439's AEAD, written for clarity.
type chachaPoly []byte

func (chachaPoly) NonceSize() int { return 12 }
func (chachaPoly) Overhead() int  { return 16 }

func (key chachaPoly) block(nonce []byte, counter uint32) (out [64]byte) {
	s := [16]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 12: counter}
	for i := range 8 {
		s[4+i] = binary.LittleEndian.Uint32(key[4*i:])
	}
	for i := range 3 {
		s[13+i] = binary.LittleEndian.Uint32(nonce[4*i:])
	}
	w := s
	quarter := func(a, b, c, d int) {
		w[a] += w[b]
		w[d] = bits.RotateLeft32(w[d]^w[a], 16)
		w[c] += w[d]
		w[b] = bits.RotateLeft32(w[b]^w[c], 12)
		w[a] += w[b]
		w[d] = bits.RotateLeft32(w[d]^w[a], 8)
		w[c] += w[d]
		w[b] = bits.RotateLeft32(w[b]^w[c], 7)
	}
	for range 10 {
		for i := range 4 {
			quarter(i, 4+i, 8+i, 12+i)
		}
		for i := range 4 {
			quarter(i, 4+(i+1)%4, 8+(i+2)%4, 12+(i+3)%4)
		}
	}
	for i := range w {
		binary.LittleEndian.PutUint32(out[4*i:], w[i]+s[i])
	}
	return out
}

func (key chachaPoly) Seal(dst, nonce, text, data []byte) []byte {
	out := make([]byte, len(text))
	for i := range text {
		if i%64 == 0 {
			b := key.block(nonce, uint32(i/64+1))
			copy(out[i:], b[:])
		}
		out[i] ^= text[i]
	}
	pad := func(b []byte) []byte { return append(b, make([]byte, (16-len(b)%16)%16)...) }
	m := append(pad(append([]byte(nil), data...)), pad(append([]byte(nil), out...))...)
	m = binary.LittleEndian.AppendUint64(m, uint64(len(data)))
	m = binary.LittleEndian.AppendUint64(m, uint64(len(text)))
	number := func(b []byte) *big.Int {
		var r []byte
		for _, x := range b {
			r = append([]byte{x}, r...)
		}
		return new(big.Int).SetBytes(r)
	}
	one := key.block(nonce, 0)
	for _, i := range []int{3, 7, 11, 15} {
		one[i] &= 15
	}
	for _, i := range []int{4, 8, 12} {
		one[i] &= 252
	}
	r, s, acc := number(one[:16]), number(one[16:32]), new(big.Int)
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 130), big.NewInt(5))
	for i := 0; i < len(m); i += 16 {
		acc.Add(acc, number(append(append([]byte(nil), m[i:i+16]...), 1)))
		acc.Mod(acc.Mul(acc, r), p)
	}
	acc.Add(acc, s)
	tag := acc.Bytes()
	for i := range 16 {
		var x byte
		if j := len(tag) - 1 - i; j >= 0 {
			x = tag[j]
		}
		out = append(out, x)
	}
	return append(dst, out...)
}

func (chachaPoly) Open(_, _, _, _ []byte) ([]byte, error) { panic("not needed") }
