package peers

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	xchacha20 "golang.org/x/crypto/chacha20"
	xchacha20poly1305 "golang.org/x/crypto/chacha20poly1305"

	"github.com/cipherlane/cipherlane/chacha20"
	"github.com/cipherlane/cipherlane/chacha20poly1305"
)

// eachChaCha runs f for every driver that this machine has.
func eachChaCha(t *testing.T, f func(t *testing.T, aead chacha20poly1305.Driver, stream chacha20.Driver)) {
	for _, info := range chacha20poly1305.Drivers() {
		if !info.Available() {
			continue
		}
		t.Run(info.Name, func(t *testing.T) {
			f(t, must(chacha20poly1305.On(info.Name))(t), must(chacha20.On(info.Name))(t))
		})
	}
}

type newAEAD = func(key []byte) (cipher.AEAD, error)

// TestChaCha20Poly1305 seals and opens messages of every short length and some long
// ones, with additional data of many lengths, on both sides.
func TestChaCha20Poly1305(t *testing.T) {
	text, data := random(1<<17+100), random(300)
	sizes := []int{0, 1, 12, 13, 15, 16, 17, 32, 33, 64, 300}
	var lengths []int
	for n := 0; n <= 2200; n++ {
		lengths = append(lengths, n)
	}
	lengths = append(lengths, 4095, 4096, 4097, 16384, 65535, 65536, 65537, 65552, 1<<17+100)
	if testing.Short() {
		sizes = []int{0, 13}
	}
	eachChaCha(t, func(t *testing.T, d chacha20poly1305.Driver, _ chacha20.Driver) {
		for name, sides := range map[string][2]newAEAD{"": {d.New, xchacha20poly1305.New}, "X": {d.NewX, xchacha20poly1305.NewX}} {
			key := random(32)
			ours, peer := must(sides[0](key))(t), must(sides[1](key))(t)
			nonce := random(peer.NonceSize())
			var got, want, opened []byte
			for _, n := range lengths {
				for _, ad := range sizes {
					if name == "X" && ad > 16 {
						continue
					}
					nonce[0]++
					want = peer.Seal(want[:0], nonce, text[:n], data[:ad])
					got = ours.Seal(got[:0], nonce, text[:n], data[:ad])
					if !bytes.Equal(got, want) {
						t.Fatalf("%s%d bytes with %d of additional data: sealed differently", name, n, ad)
					}
					var err error
					if opened, err = ours.Open(opened[:0], nonce, want, data[:ad]); err != nil || !bytes.Equal(opened, text[:n]) {
						t.Fatalf("%s%d bytes with %d of additional data: %v", name, n, ad, err)
					}
				}
			}
		}
	})
}

// outcome describes what a call returns or panics with, and the memory afterwards.
func outcome(memory []byte, f func() ([]byte, error)) (s string) {
	defer func() {
		if e := recover(); e != nil {
			s = fmt.Sprintf("panic %v", e)
		} else {
			s += fmt.Sprintf(" %x", memory)
		}
	}()
	out, err := f()
	return fmt.Sprintf("%x %v", out, err)
}

// TestChaCha20Poly1305Misuse calls both sides with all kinds of invalid arguments: the
// results, errors and panics must be the same.
func TestChaCha20Poly1305Misuse(t *testing.T) {
	eachChaCha(t, func(t *testing.T, d chacha20poly1305.Driver, _ chacha20.Driver) {
		for _, n := range []int{0, 16, 31, 33, 64} {
			for i, sides := range [][2]newAEAD{{d.New, xchacha20poly1305.New}, {d.NewX, xchacha20poly1305.NewX}} {
				a, err := sides[0](make([]byte, n))
				b, want := sides[1](make([]byte, n))
				if a != b || err == nil || err.Error() != want.Error() {
					t.Errorf("constructor %d, key of %d bytes: %v, x/crypto has %v", i, n, err, want)
				}
			}
		}
		key := random(32)
		for _, sides := range [][2]newAEAD{{d.New, xchacha20poly1305.New}, {d.NewX, xchacha20poly1305.NewX}} {
			ours, peer := must(sides[0](key))(t), must(sides[1](key))(t)
			if ours.NonceSize() != peer.NonceSize() || ours.Overhead() != peer.Overhead() {
				t.Errorf("sizes %d and %d", ours.NonceSize(), ours.Overhead())
			}
			for _, n := range []int{0, 1, 8, 11, 12, 13, 23, 24, 25} { // nonces
				nonce := make([]byte, n)
				for _, size := range []int{0, 15, 16, 40} {
					got := outcome(nil, func() ([]byte, error) { return ours.Seal(nil, nonce, make([]byte, size), nil), nil })
					want := outcome(nil, func() ([]byte, error) { return peer.Seal(nil, nonce, make([]byte, size), nil), nil })
					if got != want {
						t.Errorf("Seal of %d bytes, nonce of %d: %s, x/crypto has %s", size, n, got, want)
					}
					got = outcome(nil, func() ([]byte, error) { return ours.Open(nil, nonce, make([]byte, size), nil) })
					want = outcome(nil, func() ([]byte, error) { return peer.Open(nil, nonce, make([]byte, size), nil) })
					if got != want {
						t.Errorf("Open of %d bytes, nonce of %d: %s, x/crypto has %s", size, n, got, want)
					}
				}
			}
			// Input, output and additional data anywhere in 160 bytes.
			r := rand.New(rand.NewPCG(1, 2))
			nonce := make([]byte, peer.NonceSize())
			memory := random(160)
			for range 20000 {
				in, out, ad := r.IntN(80), r.IntN(100), r.IntN(100)
				size, adSize := r.IntN(40), r.IntN(3)*r.IntN(20)
				if r.IntN(3) == 0 {
					out = in
				}
				call := func(a cipher.AEAD, open bool) string {
					m := bytes.Clone(memory)
					if !open {
						return outcome(m, func() ([]byte, error) { return a.Seal(m[out:out], nonce, m[in:in+size], m[ad:ad+adSize]), nil })
					}
					return outcome(m, func() ([]byte, error) { return a.Open(m[out:out], nonce, m[in:in+size+16], m[ad:ad+adSize]) })
				}
				if got, want := call(ours, false), call(peer, false); got != want {
					t.Fatalf("Seal of %d bytes at %d to %d, additional data at %d: %s, x/crypto has %s", size, in, out, ad, got, want)
				}
				// Our package also refuses an output that overlaps the tag. Whether x/crypto
				// accepts it depends on the machine.
				if out > in && out < in+size+16 {
					continue
				}
				if got, want := call(ours, true), call(peer, true); got != want {
					t.Fatalf("Open of %d bytes at %d to %d, additional data at %d: %s, x/crypto has %s", size, in, out, ad, got, want)
				}
			}
		}
	})
}

// TestChaCha20 does the same for streams: random lengths, valid and invalid seeks.
func TestChaCha20(t *testing.T) {
	eachChaCha(t, func(t *testing.T, _ chacha20poly1305.Driver, d chacha20.Driver) {
		for _, size := range []int{12, 24} {
			key, nonce := random(32), random(size)
			for n := 0; n <= 2200; n++ { // every length from the beginning
				text := random(n)
				got, want := make([]byte, n), make([]byte, n)
				must(d.NewUnauthenticatedCipher(key, nonce))(t).XORKeyStream(got, text)
				must(xchacha20.NewUnauthenticatedCipher(key, nonce))(t).XORKeyStream(want, text)
				if !bytes.Equal(got, want) {
					t.Fatalf("%d bytes, nonce of %d: different", n, size)
				}
			}
		}
		r := rand.New(rand.NewPCG(3, 4))
		for range 300 {
			key, nonce := random(32), random(12)
			ours, peer := must(d.NewUnauthenticatedCipher(key, nonce))(t), must(xchacha20.NewUnauthenticatedCipher(key, nonce))(t)
			if r.IntN(2) == 0 {
				start := -uint32(r.IntN(40)) - 1
				ours.SetCounter(start)
				peer.SetCounter(start)
			}
			blocks := uint32(0)
			for range 20 {
				n := r.IntN([]int{5, 70, 300}[r.IntN(3)])
				text := random(n)
				both := [2]string{}
				jump := r.IntN(4) == 0
				for i, c := range []interface {
					SetCounter(uint32)
					XORKeyStream(dst, src []byte)
				}{ours, peer} {
					both[i] = outcome(nil, func() ([]byte, error) {
						if jump {
							c.SetCounter(blocks + uint32(n%9))
							return nil, nil
						}
						dst := make([]byte, n)
						c.XORKeyStream(dst, text)
						return dst, nil
					})
				}
				if runtime.GOARCH != "amd64" && both[0] == "panic chacha20: counter overflow" && !strings.HasPrefix(both[1], "panic") {
					break // its kernels generate several blocks ahead, and it counts later
				}
				if both[0] != both[1] {
					t.Fatalf("%d bytes, jump %v: %.100s, x/crypto has %.100s", n, jump, both[0], both[1])
				}
				if !jump && strings.HasPrefix(both[0], "panic") {
					break // x/crypto has used up some of the keystream all the same
				}
				blocks += uint32(n / 64)
			}
		}
		for _, n := range []int{0, 31, 32, 33} {
			for _, m := range []int{0, 8, 11, 12, 16, 24, 25} {
				_, err := d.NewUnauthenticatedCipher(make([]byte, n), make([]byte, m))
				_, want := xchacha20.NewUnauthenticatedCipher(make([]byte, n), make([]byte, m))
				if fmt.Sprint(err) != fmt.Sprint(want) {
					t.Errorf("key of %d bytes, nonce of %d: %v, x/crypto has %v", n, m, err, want)
				}
				got, err := d.HChaCha20(bytes.Repeat([]byte{9}, n), make([]byte, m))
				peer, want := xchacha20.HChaCha20(bytes.Repeat([]byte{9}, n), make([]byte, m))
				if fmt.Sprint(err) != fmt.Sprint(want) || !bytes.Equal(got, peer) {
					t.Errorf("HChaCha20, key of %d bytes, nonce of %d: %v, x/crypto has %v", n, m, err, want)
				}
			}
		}
	})
}
