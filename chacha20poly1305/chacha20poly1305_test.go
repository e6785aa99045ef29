package chacha20poly1305_test

import (
	"bytes"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/chacha20poly1305"
	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/vectors"
)

// eachDriver runs f for every driver of this machine.
func eachDriver(t *testing.T, f func(t *testing.T, d chacha20poly1305.Driver)) {
	conformance.EachDriver(t, "chacha20poly1305", func(t *testing.T, name string) {
		d, err := chacha20poly1305.On(name)
		if err != nil {
			t.Fatal(err)
		}
		f(t, d)
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func random(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

const (
	sunscreen = "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
	key80     = "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
)

func aeadCase(d chacha20poly1305.Driver, nonceSize int) conformance.AEADCase {
	return conformance.AEADCase{
		KeySize:    chacha20poly1305.KeySize,
		NonceSizes: []int{nonceSize},
		TagSizes:   []int{chacha20poly1305.Overhead},
		New: func(key []byte, size, tagSize int) (cipher.AEAD, error) {
			if size != nonceSize || tagSize != chacha20poly1305.Overhead {
				return nil, errors.New("sizes are fixed")
			}
			if size == chacha20poly1305.NonceSizeX {
				return d.NewX(key)
			}
			return d.New(key)
		},
		Reference: func(key []byte, size, tagSize int) (cipher.AEAD, error) {
			return chacha20poly1305.NewSpec(key, size), nil
		},
	}
}

func TestAEAD(t *testing.T) {
	eachDriver(t, func(t *testing.T, d chacha20poly1305.Driver) {
		c := aeadCase(d, chacha20poly1305.NonceSize)
		c.Vectors = []conformance.AEADVector{{ // RFC 8439, section 2.8.2
			Key:            vectors.Hex(t, key80),
			Nonce:          vectors.Hex(t, "070000004041424344454647"),
			AdditionalData: vectors.Hex(t, "50515253c0c1c2c3c4c5c6c7"),
			Plaintext:      []byte(sunscreen),
			Ciphertext: vectors.Hex(t, `d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6
				3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36
				92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc
				3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691`),
		}, { // appendix A.5
			Key:            vectors.Hex(t, "1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0"),
			Nonce:          vectors.Hex(t, "000000000102030405060708"),
			AdditionalData: vectors.Hex(t, "f33388860000000000004e91"),
			Plaintext: []byte("Internet-Drafts are draft documents valid for a maximum of six months and may be updated, replaced, or obsoleted by other documents at any time. " +
				"It is inappropriate to use Internet-Drafts as reference material or to cite them other than as /“work in progress./”"),
			Ciphertext: vectors.Hex(t, `64a0861575861af460f062c79be643bd5e805cfd345cf389f108670ac76c8cb2
				4c6cfc18755d43eea09ee94e382d26b0bdb7b73c321b0100d4f03b7f355894cf
				332f830e710b97ce98c8a84abd0b948114ad176e008d33bd60f982b1ff37c855
				9797a06ef4f0ef61c186324e2b3506383606907b6a7c02b0f9f6157b53c867e4
				b9166c767b804d46a59b5216cde7a4e99040c5a40433225ee282a1b0a06c523e
				af4534d7f83fa1155b0047718cbc546a0d072b04b3564eea1b422273f548271a
				0bb2316053fa76991955ebd63159434ecebb4e466dae5a1073a6727627097a10
				49e617d91d361094fa68f0ff77987130305beaba2eda04df997b714d6c6f2c29
				a6ad5cb4022b02709beead9d67890cbb22392336fea1851f38`),
		}}
		conformance.AEAD(t, c)
		t.Run("Wycheproof", func(t *testing.T) {
			conformance.WycheproofAEAD(t, c, os.DirFS("testdata"), "wycheproof_chacha20_poly1305.json.gz")
		})
	})
}

func TestXAEAD(t *testing.T) {
	eachDriver(t, func(t *testing.T, d chacha20poly1305.Driver) {
		c := aeadCase(d, chacha20poly1305.NonceSizeX)
		c.Vectors = []conformance.AEADVector{{ // draft-irtf-cfrg-xchacha-03, appendix A.3.1
			Key:            vectors.Hex(t, key80),
			Nonce:          vectors.Hex(t, "404142434445464748494a4b4c4d4e4f5051525354555657"),
			AdditionalData: vectors.Hex(t, "50515253c0c1c2c3c4c5c6c7"),
			Plaintext:      []byte(sunscreen),
			Ciphertext: vectors.Hex(t, `bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb
				731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452
				2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9
				21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49`),
		}}
		conformance.AEAD(t, c)
		t.Run("Wycheproof", func(t *testing.T) {
			conformance.WycheproofAEAD(t, c, os.DirFS("testdata"), "wycheproof_xchacha20_poly1305.json.gz")
		})
	})
}

// TestDigest seals texts of every length, with additional data of many lengths, in
// place, and compares the digest of all results with that of the portable driver.
func TestDigest(t *testing.T) {
	text, data, nonce := random(1, 2200), random(2, 130), random(3, 24)
	digest := func(d chacha20poly1305.Driver) string {
		a, x := must(d.NewAEAD(random(4, 32))), must(d.NewXAEAD(random(5, 32)))
		h := sha256.New()
		buf := make([]byte, len(text)+16)
		for n := 0; n <= len(text); n++ {
			for _, ad := range []int{0, 1, 12, 13, 16, 17, 32, 65, 130} {
				nonce[4]++
				copy(buf, text[:n])
				h.Write(a.Seal(buf[:0], nonce[:12], buf[:n], data[:ad]))
			}
			h.Write(x.Seal(buf[:0], nonce, text[:n], data[:n%130]))
			if testing.Short() {
				n += 12
			}
		}
		return fmt.Sprintf("%x", h.Sum(nil))
	}
	start := bytes.Clone(nonce)
	want := digest(must(chacha20poly1305.On("generic")))
	eachDriver(t, func(t *testing.T, d chacha20poly1305.Driver) {
		copy(nonce, start)
		if got := digest(d); got != want {
			t.Errorf("%s, generic has %s", got, want)
		}
	})
}

// TestForgedTags changes every byte of the tag and of the ciphertext, of
// lengths around the seams of kernels.
func TestForgedTags(t *testing.T) {
	lengths := []int{0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 191, 192, 193, 255, 256, 257, 320, 512, 513, 640, 704, 705, 1420}
	if testing.Short() {
		lengths = []int{0, 1, 16, 65, 256, 705}
	}
	eachDriver(t, func(t *testing.T, d chacha20poly1305.Driver) {
		a := must(d.NewAEAD(random(1, 32)))
		nonce, data := random(2, 12), random(3, 20)
		for _, n := range lengths {
			plain := random(4, n)
			sealed := a.Seal(nil, nonce, plain, data)
			dst := make([]byte, n)
			for i := range sealed {
				sealed[i] ^= byte(1 << (i % 8))
				copy(dst, "something that was here before")
				if out, err := a.Open(dst[:0], nonce, sealed, data); err == nil || out != nil {
					t.Fatalf("%d bytes with byte %d changed: opened", n, i)
				}
				if bytes.Count(dst, []byte{0}) != n {
					t.Fatalf("%d bytes with byte %d changed: destination not wiped", n, i)
				}
				sealed[i] ^= byte(1 << (i % 8))
			}
			if out, err := a.Open(dst[:0], nonce, sealed, data); err != nil || !bytes.Equal(out, plain) {
				t.Fatalf("%d bytes: %v", n, err)
			}
		}
	})
}

// A packet of WireGuard: a header of 16 bytes, then the text in place.
func TestBehindHeader(t *testing.T) {
	eachDriver(t, func(t *testing.T, d chacha20poly1305.Driver) {
		a, spec := must(d.New(random(1, 32))), chacha20poly1305.NewSpec(random(1, 32), 12)
		nonce := random(2, 12)
		for _, n := range []int{0, 16, 32, 64, 1280, 1420} {
			slab := make([]byte, 16+n+16)
			header, text := slab[:16], slab[16:16+n]
			copy(header, "header of packet")
			copy(text, random(3, n))
			want := spec.Seal(nil, nonce, text, nil)
			packet := a.Seal(header, nonce, text, nil)
			if &packet[0] != &slab[0] || !bytes.Equal(packet[16:], want) || string(packet[:16]) != "header of packet" {
				t.Fatalf("%d bytes: sealed wrongly", n)
			}
			content := packet[16:]
			got, err := a.Open(content[:0], nonce, content, nil)
			if err != nil || !bytes.Equal(got, random(3, n)) {
				t.Fatalf("%d bytes: %v", n, err)
			}
		}
	})
}

func TestSizes(t *testing.T) {
	key := make([]byte, 33)
	for name, f := range map[string]func(key []byte) (cipher.AEAD, error){
		"New":      chacha20poly1305.New,
		"NewX":     chacha20poly1305.NewX,
		"NewAEAD":  func(key []byte) (cipher.AEAD, error) { return chacha20poly1305.NewAEAD(key) },
		"NewXAEAD": func(key []byte) (cipher.AEAD, error) { return chacha20poly1305.NewXAEAD(key) },
	} {
		for _, n := range []int{0, 16, 31, 33} {
			a, err := f(key[:n])
			if err == nil || err.Error() != "chacha20poly1305: bad key length" {
				t.Errorf("%s: error %v for a key of %d bytes", name, err, n)
			}
			if !strings.Contains(name, "AEAD") && a != nil {
				t.Errorf("%s returns an error and an AEAD", name)
			}
		}
		a := must(f(key[:32]))
		if a.Overhead() != 16 || a.NonceSize() != 12 && !strings.Contains(name, "X") || a.NonceSize() != 24 && strings.Contains(name, "X") {
			t.Errorf("%s: nonces of %d bytes, overhead %d", name, a.NonceSize(), a.Overhead())
		}
	}
}

func TestOn(t *testing.T) {
	if _, err := chacha20poly1305.On("sse9"); !errors.Is(err, drivers.ErrUnknown) {
		t.Errorf("On of a driver that there is not: %v", err)
	}
	for _, info := range chacha20poly1305.Drivers() {
		if _, err := chacha20poly1305.On(info.Name); info.Available() != (err == nil) {
			t.Errorf("On(%s): %v", info.Name, err)
		}
	}
}

// ChaCha20-Poly1305 is not allowed in FIPS 140-only mode.
func TestFIPS(t *testing.T) {
	conformance.FIPSOnly(t, func(t *testing.T) {
		for name, f := range map[string]func(key []byte) (cipher.AEAD, error){"New": chacha20poly1305.New, "NewX": chacha20poly1305.NewX} {
			if _, err := f(make([]byte, 32)); err == nil || err.Error() != "chacha20poly1305: use of ChaCha20Poly1305 is not allowed in FIPS 140-only mode" {
				t.Errorf("%s: error %v", name, err)
			}
		}
	})
}

// In a batch under a wiped key, all packets fail.
func TestWipe(t *testing.T) {
	eachDriver(t, func(t *testing.T, d chacha20poly1305.Driver) {
		for _, f := range []func([]byte) (*chacha20poly1305.AEAD, error){d.NewAEAD, d.NewXAEAD} {
			a := must(f(random(1, 32)))
			a.Wipe()
			for name, batch := range map[string]func([]chacha20poly1305.Packet) error{"SealMany": a.SealMany, "OpenMany": a.OpenMany} {
				dst := make([]byte, 100)
				packets := make([]chacha20poly1305.Packet, 20)
				for i := range packets {
					packets[i] = chacha20poly1305.Packet{Dst: dst[:0], Nonce: make([]byte, a.NonceSize()), Text: make([]byte, 40)}
				}
				conformance.Fails(t, dst, name, func() error { return batch(packets) })
				for _, p := range packets {
					conformance.Fails(t, nil, "a packet of "+name, func() error { return p.Err })
				}
			}
		}
	})
}

// Buffers on the stack stay there if the type is known, and nothing is
// allocated through the interface.
func TestAllocations(t *testing.T) {
	eachDriver(t, func(t *testing.T, d chacha20poly1305.Driver) {
		for _, f := range []func([]byte) (*chacha20poly1305.AEAD, error){d.NewAEAD, d.NewXAEAD} {
			a := must(f(make([]byte, 32)))
			size := a.NonceSize()
			conformance.NoAllocs(t, "Seal and Open on the stack", func() {
				var nonce [24]byte
				var b [300]byte
				sealed := a.Seal(b[:16], nonce[:size], b[16:200], b[:16])
				if _, err := a.Open(sealed[16:16], nonce[:size], sealed[16:], b[:16]); err != nil {
					t.Error(err)
				}
			})
			nonce, b, c := make([]byte, size), make([]byte, 300), make([]byte, 300)
			conformance.NoAllocs(t, "a batch", func() {
				packets := [2]chacha20poly1305.Packet{
					{Dst: b[:0], Nonce: nonce, Text: b[:200]},
					{Dst: c[:0], Nonce: nonce, Text: c[:100]},
				}
				if err := a.SealMany(packets[:]); err != nil {
					t.Error(err)
				}
				for i := range packets {
					packets[i].Text = packets[i].Out
				}
				if err := a.OpenMany(packets[:]); err != nil {
					t.Error(err)
				}
			})
		}
	})
}
