package chacha20_test

import (
	"bytes"
	"crypto/cipher"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/chacha20"
	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/vectors"
)

// eachDriver runs f for every driver of this machine.
func eachDriver(t *testing.T, f func(t *testing.T, d chacha20.Driver)) {
	conformance.EachDriver(t, "chacha20", func(t *testing.T, name string) {
		d, err := chacha20.On(name)
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

const key00 = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

// skipTo starts streams at a block, as the vector of RFC 8439 does. IVs of other
// sizes panic, as the suite expects of constructors without an error.
func skipTo(d chacha20.Driver, block uint32, ivSize int) func(key, iv []byte) cipher.Stream {
	return func(key, iv []byte) cipher.Stream {
		if len(iv) != ivSize {
			panic("IV length")
		}
		c := must(d.NewUnauthenticatedCipher(key, iv))
		c.SetCounter(block)
		return c
	}
}

func TestStream(t *testing.T) {
	eachDriver(t, func(t *testing.T, d chacha20.Driver) {
		conformance.Stream(t, conformance.StreamCase{
			KeySize: chacha20.KeySize, IVSize: chacha20.NonceSize,
			New:       skipTo(d, 1, chacha20.NonceSize),
			Reference: func(key, iv []byte) cipher.Stream { return chacha20.NewSpec(key, iv, 1) },
			Vectors: []conformance.Vector{{ // RFC 8439, section 2.4.2
				Key:       vectors.Hex(t, key00),
				IV:        vectors.Hex(t, "000000000000004a00000000"),
				Plaintext: []byte("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."),
				Ciphertext: vectors.Hex(t, `6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b
					f91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8
					07ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736
					5af90bbf74a35be6b40b8eedf2785e42874d`),
			}},
		})
	})
}

func TestStreamX(t *testing.T) {
	eachDriver(t, func(t *testing.T, d chacha20.Driver) {
		conformance.Stream(t, conformance.StreamCase{
			KeySize: chacha20.KeySize, IVSize: chacha20.NonceSizeX,
			New:       skipTo(d, 0, chacha20.NonceSizeX),
			Reference: func(key, iv []byte) cipher.Stream { return chacha20.NewSpec(key, iv, 0) },
			Vectors: []conformance.Vector{{ // draft-irtf-cfrg-xchacha-03, appendix A.3.2.1
				Key: vectors.Hex(t, "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"),
				IV:  vectors.Hex(t, "404142434445464748494a4b4c4d4e4f5051525354555658"),
				Plaintext: []byte(`The dhole (pronounced "dole") is also known as the Asiatic wild dog, red dog, and whistling dog. ` +
					`It is about the size of a German shepherd but looks more like a long-legged fox. ` +
					`This highly elusive and skilled jumper is classified with wolves, coyotes, jackals, and foxes in the taxonomic family Canidae.`),
				Ciphertext: vectors.Hex(t, `4559abba4e48c16102e8bb2c05e6947f50a786de162f9b0b7e592a9b53d0d4e9
					8d8d6410d540a1a6375b26d80dace4fab52384c731acbf16a5923c0c48d3575d
					4d0d2c673b666faa731061277701093a6bf7a158a8864292a41c48e3a9b4c0da
					ece0f8d98d0d7e05b37a307bbb66333164ec9e1b24ea0d6c3ffddcec4f68e744
					3056193a03c810e11344ca06d8ed8a2bfb1e8d48cfa6bc0eb4e2464b74814240
					7c9f431aee769960e15ba8b96890466ef2457599852385c661f752ce20f9da0c
					09ab6b19df74e76a95967446f8d0fd415e7bee2a12a114c20eb5292ae7a349ae
					577820d5520a1f3fb62a17ce6a7e68fa7c79111d8860920bc048ef43fe84486c
					cb87c25f0ae045f0cce1e7989a9aa220a28bdd4827e751a24a6d5c62d790a663
					93b93111c1a55dd7421a10184974c7c5`),
			}},
		})
	})
}

func TestHChaCha20(t *testing.T) {
	// draft-irtf-cfrg-xchacha-03, section 2.2.1
	key, nonce := vectors.Hex(t, key00), vectors.Hex(t, "000000090000004a0000000031415927")
	want := vectors.Hex(t, "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc")
	if got := chacha20.SpecHChaCha20(key, nonce); !bytes.Equal(got, want) {
		t.Fatalf("the specification has %x", got)
	}
	if got := must(chacha20.HChaCha20(key, nonce)); !bytes.Equal(got, want) {
		t.Errorf("got %x", got)
	}
	eachDriver(t, func(t *testing.T, d chacha20.Driver) {
		for i := range byte(50) {
			key, nonce := random(i, 32), random(i+100, 16)
			if got, want := must(d.HChaCha20(key, nonce)), chacha20.SpecHChaCha20(key, nonce); !bytes.Equal(got, want) {
				t.Fatalf("got %x, want %x", got, want)
			}
		}
	})
}

// panics returns the value that f panics with.
func panics(f func()) (message string) {
	defer func() { message, _ = recover().(string) }()
	f()
	return ""
}

// TestCounter jumps forward at random, reads some bytes, and checks which jumps are
// allowed.
func TestCounter(t *testing.T) {
	key, nonce := random(1, 32), random(2, 12)
	zeros := make([]byte, 2000)
	eachDriver(t, func(t *testing.T, d chacha20.Driver) {
		r := rand.New(rand.NewPCG(3, 4))
		for range 50 {
			c := must(d.NewUnauthenticatedCipher(key, nonce))
			at := uint64(0) // byte of the keystream
			for range 20 {
				used := (at + 63) / 64 // blocks
				if r.IntN(2) == 0 && used < 1<<32 {
					to := used + uint64(r.IntN(7))
					if r.IntN(8) == 0 {
						to = used + r.Uint64N(1<<32-used)
					}
					if to < 1<<32 {
						c.SetCounter(uint32(to))
						at = 64 * to
					}
				}
				if used = (at + 63) / 64; used > 0 && used < 1<<32 {
					if got := panics(func() { c.SetCounter(uint32(used - 1)) }); got != "chacha20: SetCounter attempted to rollback counter" {
						t.Fatalf("back to block %d after %d bytes: %q", used-1, at, got)
					}
				}
				n := r.IntN([]int{10, 70, 2000}[r.IntN(3)])
				if at+uint64(n) > 1<<38 {
					continue
				}
				got, want := make([]byte, n), make([]byte, n)
				spec := chacha20.NewSpec(key, nonce, uint32(at/64))
				spec.XORKeyStream(make([]byte, at%64), zeros[:at%64])
				spec.XORKeyStream(want, zeros[:n])
				c.XORKeyStream(got, zeros[:n])
				if !bytes.Equal(got, want) {
					t.Fatalf("%d bytes from byte %d are wrong", n, at)
				}
				at += uint64(n)
			}
		}
	})
}

// TestEnd reads up to the last byte of the keystream and checks that no more can be
// read.
func TestEnd(t *testing.T) {
	const overflow, rollback = "chacha20: counter overflow", "chacha20: SetCounter attempted to rollback counter"
	key, nonce := random(1, 32), random(2, 12)
	zeros := make([]byte, 70*64)
	eachDriver(t, func(t *testing.T, d chacha20.Driver) {
		for blocks := 1; blocks <= 65; blocks++ { // left from where it starts
			start := -uint32(blocks)
			want := make([]byte, 64*blocks)
			chacha20.NewSpec(key, nonce, start).XORKeyStream(want, want)
			for _, first := range []int{0, 1, 63, 64, 65, len(want) - 64, len(want) - 63, len(want) - 1, len(want)} {
				if first < 0 || first > len(want) {
					continue
				}
				c := must(d.NewUnauthenticatedCipher(key, nonce))
				c.SetCounter(start)
				got := make([]byte, len(want)+100)
				c.XORKeyStream(got, zeros[:first])
				before := bytes.Clone(got)
				if p := panics(func() { c.XORKeyStream(got[first:], zeros[:len(want)-first+1]) }); p != overflow {
					t.Fatalf("a byte too much after %d of %d: %q", first, len(want), p)
				}
				if !bytes.Equal(got, before) {
					t.Fatal("panics, but only after it wrote")
				}
				c.XORKeyStream(got[first:], zeros[:len(want)-first])
				if !bytes.Equal(got[:len(want)], want) {
					t.Fatalf("the last %d blocks are wrong", blocks)
				}
				if p := panics(func() { c.XORKeyStream(got, zeros[:1]) }); p != overflow {
					t.Fatalf("after the end: %q", p)
				}
				if p := panics(func() { c.SetCounter(1<<32 - 1) }); p != rollback {
					t.Fatalf("SetCounter after the end: %q", p)
				}
				c.XORKeyStream(nil, nil)
			}
		}
	})
}

func TestXORKeyStreamAt(t *testing.T) {
	key, nonce := random(1, 32), random(2, 12)
	const end = 1 << 38
	eachDriver(t, func(t *testing.T, d chacha20.Driver) {
		c := must(d.NewUnauthenticatedCipher(key, nonce))
		r := rand.New(rand.NewPCG(5, 6))
		for range 300 {
			n := r.IntN([]int{5, 70, 1500}[r.IntN(3)])
			at := r.Uint64N(end - uint64(n) + 1)
			if r.IntN(4) == 0 {
				at = end - uint64(n)
			}
			src := random(7, n)
			want := make([]byte, n)
			spec := chacha20.NewSpec(key, nonce, uint32(at/64))
			if n > 0 {
				spec.XORKeyStream(make([]byte, at%64), make([]byte, at%64))
				spec.XORKeyStream(want, src)
			}
			got := make([]byte, n)
			c.XORKeyStreamAt(got, src, at)
			if !bytes.Equal(got, want) {
				t.Fatalf("%d bytes from byte %d are wrong", n, at)
			}
			c.XORKeyStreamAt(src, src, at)
			if !bytes.Equal(src, want) {
				t.Fatalf("%d bytes from byte %d in place are wrong", n, at)
			}
			for _, at := range []uint64{end - uint64(n) + 1, end, end + 1, 1<<64 - 1, -uint64(n)} {
				if p := panics(func() { c.XORKeyStreamAt(got, src, at) }); n > 0 && p != "chacha20: counter overflow" {
					t.Fatalf("%d bytes from byte %d: %q", n, at, p)
				}
			}
		}
		if got, want := make([]byte, 10), make([]byte, 10); true {
			c.XORKeyStream(got, got)
			chacha20.NewSpec(key, nonce, 0).XORKeyStream(want, want)
			if !bytes.Equal(got, want) {
				t.Error("XORKeyStreamAt has moved the stream")
			}
		}
		b := make([]byte, 200)
		for what, f := range map[string]func(){
			"output smaller than input": func() { c.XORKeyStreamAt(b[:9], b[:10], 0) },
			"invalid buffer overlap":    func() { c.XORKeyStreamAt(b[1:101], b[:100], 0) },
		} {
			if p := panics(f); p != "chacha20: "+what {
				t.Errorf("%q, want one that says %q", p, what)
			}
		}
	})
}

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		key, nonce int
		want       string
	}{
		{31, 12, "chacha20: wrong key size"}, {33, 24, "chacha20: wrong key size"}, {0, 12, "chacha20: wrong key size"},
		{32, 0, "chacha20: wrong nonce size"}, {32, 8, "chacha20: wrong nonce size"}, {32, 16, "chacha20: wrong nonce size"}, {32, 25, "chacha20: wrong nonce size"},
	} {
		if s, err := chacha20.NewUnauthenticatedCipher(make([]byte, c.key), make([]byte, c.nonce)); s != nil || err == nil || err.Error() != c.want {
			t.Errorf("key of %d bytes, nonce of %d: %v", c.key, c.nonce, err)
		}
	}
	if _, err := chacha20.HChaCha20(make([]byte, 16), make([]byte, 16)); err == nil || !strings.Contains(err.Error(), "wrong HChaCha20 key size") {
		t.Error(err)
	}
	if _, err := chacha20.HChaCha20(make([]byte, 32), make([]byte, 12)); err == nil || !strings.Contains(err.Error(), "wrong HChaCha20 nonce size") {
		t.Error(err)
	}
}

func TestOn(t *testing.T) {
	if _, err := chacha20.On("sse9"); !errors.Is(err, drivers.ErrUnknown) {
		t.Errorf("On of a driver that there is not: %v", err)
	}
}

// ChaCha20 is not allowed in FIPS 140-only mode.
func TestFIPS(t *testing.T) {
	conformance.FIPSOnly(t, func(t *testing.T) {
		_, err1 := chacha20.NewUnauthenticatedCipher(make([]byte, 32), make([]byte, 12))
		_, err2 := chacha20.HChaCha20(make([]byte, 32), make([]byte, 16))
		for _, err := range []error{err1, err2} {
			if err == nil || err.Error() != "chacha20: not available in FIPS 140-only mode" {
				t.Errorf("error %v", err)
			}
		}
	})
}

// In addition to the checks of the suite for streams.
func TestWipe(t *testing.T) {
	eachDriver(t, func(t *testing.T, d chacha20.Driver) {
		c := must(d.NewUnauthenticatedCipher(random(1, 32), make([]byte, 12)))
		b := make([]byte, 1000)
		c.XORKeyStream(b, b)
		c.Wipe()
		for _, n := range []int{1, 64, 1000} {
			conformance.Refuses(t, b, "XORKeyStreamAt", func() { c.XORKeyStreamAt(b[:n], b[:n], 70) })
		}
		new(chacha20.Cipher).Wipe()
	})
}

// Buffers, and the cipher itself, may be on the stack.
func TestAllocations(t *testing.T) {
	eachDriver(t, func(t *testing.T, d chacha20.Driver) {
		key := make([]byte, 32)
		conformance.NoAllocs(t, "a stream on the stack", func() {
			var nonce [24]byte
			var b [300]byte
			c, err := chacha20.NewUnauthenticatedCipher(key, nonce[:])
			if err != nil {
				t.Error(err)
				return
			}
			c.XORKeyStream(b[:70], b[:70])
			c.SetCounter(10)
			c.XORKeyStream(b[:], b[:])
			c.XORKeyStreamAt(b[:], b[:], 100)
			c.Wipe()
		})
		conformance.NoAllocs(t, "HChaCha20", func() {
			var nonce [16]byte
			if _, err := chacha20.HChaCha20(key, nonce[:]); err != nil {
				t.Error(err)
			}
		})
	})
}
