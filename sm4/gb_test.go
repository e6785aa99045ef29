package sm4_test

import (
	"bytes"
	"crypto/cipher"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/guard"
	"github.com/cipherlane/cipherlane/internal/vectors"
	"github.com/cipherlane/cipherlane/sm4"
)

// The vectors of GB/T 17964-2021, appendix B, for the modes that are only in this
// standard. They share key, IV and plaintext. testdata/SOURCES lists their sources.
const (
	gbKey   = "2b7e151628aed2a6abf7158809cf4f3c"
	gbIV    = iv0
	gbTweak = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
	gbText  = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)

func TestBC(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		conformance.BlockMode(t, conformance.BlockModeCase{
			KeySize: sm4.KeySize, IVSize: sm4.BlockSize,
			Encrypter:          func(key, iv []byte) cipher.BlockMode { return must(d.New(key)).NewBCEncrypter(iv) },
			Decrypter:          func(key, iv []byte) cipher.BlockMode { return must(d.New(key)).NewBCDecrypter(iv) },
			KeyedEncrypter:     conformance.Of(d.New, (*sm4.Cipher).NewBCEncrypter),
			KeyedDecrypter:     conformance.Of(d.New, (*sm4.Cipher).NewBCDecrypter),
			ReferenceEncrypter: func(key, iv []byte) cipher.BlockMode { return sm4.NewSpecBC(key, iv, false) },
			ReferenceDecrypter: func(key, iv []byte) cipher.BlockMode { return sm4.NewSpecBC(key, iv, true) },
			Vectors: []conformance.Vector{
				vector(t, gbKey, gbIV, gbText, "ac529af989a62fce9cddc5ffb84125cafb8cde77339ffe481d113c40bbd5b6786ffc9916f98f94ff12d78319707e240428718707605bc1eac503153ebaa0fb1d"),
			},
		})
	})
}

func TestOFBNLF(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		conformance.BlockMode(t, conformance.BlockModeCase{
			KeySize: sm4.KeySize, IVSize: sm4.BlockSize,
			Encrypter:          func(key, iv []byte) cipher.BlockMode { return must(d.New(key)).NewOFBNLFEncrypter(iv) },
			Decrypter:          func(key, iv []byte) cipher.BlockMode { return must(d.New(key)).NewOFBNLFDecrypter(iv) },
			KeyedEncrypter:     conformance.Of(d.New, (*sm4.Cipher).NewOFBNLFEncrypter),
			KeyedDecrypter:     conformance.Of(d.New, (*sm4.Cipher).NewOFBNLFDecrypter),
			ReferenceEncrypter: func(key, iv []byte) cipher.BlockMode { return sm4.NewSpecOFBNLF(key, iv, false) },
			ReferenceDecrypter: func(key, iv []byte) cipher.BlockMode { return sm4.NewSpecOFBNLF(key, iv, true) },
			Vectors: []conformance.Vector{
				vector(t, gbKey, gbIV, gbText, "00a5b5c9e645557c20ce7f267736f308a18037828850b9d78883ca622851f86cb7caefdfb6d4caba6ae2d2fce369ceb31001dd71fdda9341f8d221cb720ff27b"),
			},
		})
	})
}

// hctrVectors returns pairs of plaintext and ciphertext: the second is from the
// standard, the others are from gmsm v0.44.1.
func hctrVectors(t *testing.T) [][2][]byte {
	var list [][2][]byte
	for _, v := range [][2]string{
		{gbText + gbText + gbText, "8858dda3034233e377936b76ce7edeb6a245075a37800b0b996e8e974c9032ac8de40d90ee4ee5fb58bc10cbc95779485ab38ffb0b4f961d85f086db705ff723" +
			"edbeaec649b3b406b11b96a418a9c2c51ef41cdd24e472c18336e9efcd07b7e264a1e2d46615198eb74938d72104fa89294a6360cdb6b032a704cf07a087bb22" +
			"83598552701b2f710d6528d9c3f4dab529afef4413f25169b6cbf8168ccbfa02a2f507513d0cb3802da34dbd928b67e6afc30ca91011070cfd40c2ef3d4ac041"},
		{gbText, "9cd7481d3b7ca904b14b4084d9d4c83ed39eac8e16747895fc2ae1eecd220276af3d0d2f21cb3807561347c81ad138117dd85c652afe16a47dc68eb884068ae3"},
		{gbText[:32], "b7b1dd75f608012dc69621d4ea720a60"},
	} {
		list = append(list, [2][]byte{vectors.Hex(t, v[0]), vectors.Hex(t, v[1])})
	}
	return list
}

func TestHCTRVectors(t *testing.T) {
	key, tweak := vectors.Hex(t, gbKey+gbIV), [16]byte(vectors.Hex(t, gbTweak))
	for _, v := range hctrVectors(t) {
		if got := sm4.SpecHCTR(key, tweak[:], v[0], false); !bytes.Equal(got, v[1]) {
			t.Errorf("by the specification: %d bytes encrypted to %x", len(v[0]), got)
		}
		if got := sm4.SpecHCTR(key, tweak[:], v[1], true); !bytes.Equal(got, v[0]) {
			t.Errorf("by the specification: %d bytes decrypted to %x", len(v[0]), got)
		}
	}
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		h := must(d.NewHCTR(key))
		for _, v := range hctrVectors(t) {
			got := bytes.Clone(v[0])
			if h.Encrypt(got, got, &tweak); !bytes.Equal(got, v[1]) {
				t.Errorf("%d bytes encrypted to %x", len(got), got)
			}
			if h.Decrypt(got, got, &tweak); !bytes.Equal(got, v[0]) {
				t.Errorf("%d bytes decrypted to %x", len(got), got)
			}
		}
	})
}

// hctrCases returns messages of all lengths with their ciphertexts by the
// specification. Computing them takes a second.
var hctrCases = sync.OnceValue(func() (list []hctrCase) {
	sizes := slices.DeleteFunc(conformance.Lengths(), func(n int) bool { return n > 70_000 }) // two calls of any kernel
	for _, n := range append(sizes, 2047, 2048, 2049, 2064, 3000, 4095, 4112, 6000, 70_000) {
		c := hctrCase{key: random(byte(n), 32), tweak: [16]byte(random(byte(n+1), 16)), text: random(byte(n+2), n)}
		c.encrypted = sm4.SpecHCTR(c.key, c.tweak[:], c.text, false)
		c.decrypted = sm4.SpecHCTR(c.key, c.tweak[:], c.text, true)
		list = append(list, c)
	}
	return list
})

type hctrCase struct {
	key                        []byte
	tweak                      [16]byte
	text, encrypted, decrypted []byte
}

// Messages of every length, between inaccessible pages, in place and to other memory.
// Bytes outside the message must not change.
func TestHCTR(t *testing.T) {
	const most = 70_000
	behind, front, in := guard.After(t, most), guard.Before(t, most), guard.After(t, most)
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		for _, c := range hctrCases() {
			n, h := len(c.text), must(d.NewHCTR(c.key))
			tweak, src := c.tweak, guard.Tail(in, n)
			for _, dst := range [][]byte{guard.Tail(behind, n), front[:n:n]} {
				copy(src, c.text)
				for _, way := range []struct {
					name  string
					crypt func(dst, src []byte, tweak *[16]byte)
					want  []byte
				}{{"Encrypt", h.Encrypt, c.encrypted}, {"Decrypt", h.Decrypt, c.decrypted}} {
					clear(dst)
					if guard.Faults(func() { way.crypt(dst, src, &tweak) }) {
						t.Fatalf("%s of %d bytes touches other memory", way.name, n)
					}
					if !bytes.Equal(dst, way.want) {
						t.Fatalf("%s of %d bytes is wrong", way.name, n)
					}
					if !bytes.Equal(src, c.text) || tweak != c.tweak {
						t.Fatalf("%s of %d bytes changes its input", way.name, n)
					}
					copy(dst, c.text)
					if way.crypt(dst, dst, &tweak); !bytes.Equal(dst, way.want) {
						t.Fatalf("%s of %d bytes in place is wrong", way.name, n)
					}
				}
			}
		}
	})
}

func TestHCTRShared(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		key := random(1, 32)
		h, tweak := must(d.NewHCTR(key)), [16]byte(random(2, 16))
		text := random(3, 3000)
		want := sm4.SpecHCTR(key, tweak[:], text, false)
		var group sync.WaitGroup
		for range 4 {
			group.Add(1)
			go func() {
				defer group.Done()

				got := make([]byte, len(text))
				for range 20 {
					if h.Encrypt(got, text, &tweak); !bytes.Equal(got, want) {
						t.Error("wrong with other goroutines at work")
						return
					}
				}
			}()
		}
		group.Wait()
		long := make([]byte, 3000)
		h.Encrypt(long[100:], text[:2900], &tweak)
		short := bytes.Clone(long)
		if h.Encrypt(long, text[:100], &tweak); !bytes.Equal(long[100:], short[100:]) {
			t.Error("writes behind the message")
		}
		b := bytes.Clone(text) // a tweak inside dst
		h.Encrypt(b, text, (*[16]byte)(b[1000:]))
		if want := sm4.SpecHCTR(key, text[1000:1016], text, false); !bytes.Equal(b, want) {
			t.Error("a tweak in the destination is overwritten before its last use")
		}
		conformance.NoAllocs(t, "Encrypt", func() { h.Encrypt(long, text, &tweak) })
		conformance.NoAllocs(t, "Decrypt", func() { h.Decrypt(long[:50], text[:50], &tweak) })

		h.Wipe()
		h.Wipe()
		for _, n := range []int{16, 100, 3000} {
			conformance.Refuses(t, long, "Encrypt", func() { h.Encrypt(long, text[:n], &tweak) })
			conformance.Refuses(t, long, "Decrypt", func() { h.Decrypt(long, text[:n], &tweak) })
		}
	})
}

func TestHCTRMisuse(t *testing.T) {
	for n := range 70 {
		if h, err := sm4.NewHCTR(make([]byte, n)); n != 32 && (h != nil || err == nil || !strings.Contains(err.Error(), "invalid HCTR key size")) {
			t.Errorf("NewHCTR takes a key of %d bytes: %v", n, err)
		}
	}
	h, b := must(sm4.NewHCTR(make([]byte, 32))), make([]byte, 100)
	for _, c := range []struct {
		reason   string
		dst, src []byte
	}{
		{"input shorter than a block", b, nil},
		{"input shorter than a block", b, b[:15]},
		{"output smaller than input", b[:39], b[50:90]},
		{"invalid buffer overlap", b[1:], b[:50]},
		{"invalid buffer overlap", b[:50], b[49:99]},
	} {
		for _, crypt := range []func(dst, src []byte, tweak *[16]byte){h.Encrypt, h.Decrypt} {
			func() {
				defer func() {
					if message, _ := recover().(string); !strings.Contains(message, c.reason) {
						t.Errorf("panic %q, want one that says %q", message, c.reason)
					}
				}()
				crypt(c.dst, c.src, new([16]byte))
			}()
		}
	}
	if !bytes.Equal(b, make([]byte, 100)) {
		t.Error("panics, but only after it wrote")
	}
}
