package modes_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/guard"
	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/internal/vectors"
)

// specCTS is the Addendum to SP 800-38A: CBC of the plaintext padded with zeros, then
// the variant's order of C*(n-1) and C(n).
func specCTS(c *plain, variant int, p, iv []byte) []byte {
	padded := append(bytes.Clone(p), make([]byte, -len(p)&15)...)
	chain := [16]byte(iv)
	c.CBCEncrypt(&chain, padded, padded)
	n := len(padded) - 16
	if n == 0 {
		return padded
	}
	d := len(p) - n
	front, cut, last := padded[:n-16], padded[n-16:n-16+d], padded[n:]
	if variant == 1 || variant == 2 && d == 16 {
		return slices.Concat(front, cut, last)
	}
	return slices.Concat(front, last, cut)
}

func TestCTSVectors(t *testing.T) {
	c := newPlain([]byte("chicken teriyaki"))
	text := []byte("I would like the General Gau's Chicken, please, and wonton soup.")
	for _, want := range []string{ // RFC 3962, appendix B
		"c6353568f2bf8cb4d8a580362da7ff7f 97",
		"fc00783e0efdb2c1d445d4c8eff7ed22 97687268d6ecccc0c07b25e25ecfe5",
		"39312523a78662d5be7fcbcc98ebf5a8 97687268d6ecccc0c07b25e25ecfe584",
		"97687268d6ecccc0c07b25e25ecfe584 b3fffd940c16a18c1b5549d2f838029e 39312523a78662d5be7fcbcc98ebf5",
		"97687268d6ecccc0c07b25e25ecfe584 9dad8bbb96c4cdc03bc103e1a194bbd8 39312523a78662d5be7fcbcc98ebf5a8",
		"97687268d6ecccc0c07b25e25ecfe584 39312523a78662d5be7fcbcc98ebf5a8 4807efe836ee89a526730dbc2f7bc840 9dad8bbb96c4cdc03bc103e1a194bbd8",
	} {
		want := vectors.Hex(t, want)
		got := make([]byte, len(want))
		modes.EncryptCTS(c, 3, got, text[:len(want)], make([]byte, 16))
		if !bytes.Equal(got, want) {
			t.Errorf("%d bytes: got %x, want %x", len(want), got, want)
		}
		if spec := specCTS(c, 3, text[:len(want)], make([]byte, 16)); !bytes.Equal(spec, want) {
			t.Errorf("%d bytes: the specification: got %x, want %x", len(want), spec, want)
		}
	}
}

func TestCTS(t *testing.T) {
	r := newRandom(t)
	c, iv := newPlain(r.bytes(16)), r.bytes(16)
	before := bytes.Clone(iv)
	for variant := 1; variant <= 3; variant++ {
		t.Run(fmt.Sprint("CS", variant), func(t *testing.T) {
			units(t, r, unit{
				encrypt: func(dst, src []byte) { modes.EncryptCTS(c, variant, dst, src, iv) },
				decrypt: func(dst, src []byte) { modes.DecryptCTS(c, variant, dst, src, iv) },
				spec:    func(p []byte) []byte { return specCTS(c, variant, p, iv) },
			})
			p := make([]byte, 32)
			misuse(t, "plain: input shorter than a block", func() { modes.EncryptCTS(c, variant, nil, nil, iv) })
			misuse(t, "plain: input shorter than a block", func() { modes.DecryptCTS(c, variant, nil, nil, iv) })
			misuse(t, "plain: IV length must equal block size", func() { modes.EncryptCTS(c, variant, p, p, iv[:15]) })
			misuse(t, "plain: IV length must equal block size", func() { modes.DecryptCTS(c, variant, p, p, p[:17]) })
		})
	}
	for _, variant := range []int{0, 4} {
		p := make([]byte, 32)
		misuse(t, fmt.Sprintf("plain: no variant CS%d", variant), func() { modes.EncryptCTS(c, variant, p, p, iv) })
		misuse(t, fmt.Sprintf("plain: no variant CS%d", variant), func() { modes.DecryptCTS(c, variant, p, p, iv) })
	}
	if !bytes.Equal(iv, before) {
		t.Error("the IV was changed")
	}
}

// A unit is encrypted in one call, and has at least 16 bytes.
type unit struct {
	encrypt, decrypt func(dst, src []byte)
	spec             func(p []byte) []byte
}

// units tests both directions of such a mode.
func units(t *testing.T, r random, u unit) {
	lengths := []int{1008, 1024, 1025, 1039, 1040, 1041, 2047, 2048, 2049, 4096, 4097}
	for n := 16; n <= 600; n++ {
		lengths = append(lengths, n)
	}
	longest := slices.Max(lengths)
	srcs, dsts := guard.After(t, longest), guard.After(t, longest)
	for _, n := range lengths {
		p := r.bytes(n)
		want := u.spec(p)
		for _, way := range []struct {
			name     string
			f        func(dst, src []byte)
			in, want []byte
		}{{"encrypted", u.encrypt, p, want}, {"decrypted", u.decrypt, want, p}} {
			src, dst := guard.Tail(srcs, n), guard.Tail(dsts, n)
			copy(src, way.in)
			clear(dst)
			way.f(dst, src)
			if !bytes.Equal(dst, way.want) {
				t.Fatalf("%d bytes %s: got %x, want %x", n, way.name, dst, way.want)
			}
			if !bytes.Equal(src, way.in) {
				t.Fatalf("%d bytes %s: the source was changed", n, way.name)
			}
			way.f(src, src)
			if !bytes.Equal(src, way.want) {
				t.Fatalf("%d bytes %s in place: got %x, want %x", n, way.name, src, way.want)
			}
			room := bytes.Repeat([]byte{0xa5}, n+40)
			way.f(room, way.in)
			if !bytes.Equal(room[:n], way.want) || !bytes.Equal(room[n:], bytes.Repeat([]byte{0xa5}, 40)) {
				t.Fatalf("%d bytes %s into a longer destination: got %x", n, way.name, room)
			}
		}
	}

	p := r.bytes(700)
	want, whole := u.spec(p), u.spec(p[:688])
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()

			got := make([]byte, len(p))
			for range 50 {
				u.encrypt(got, p)
				if !bytes.Equal(got, want) {
					t.Error("wrong with other goroutines at work")
					return
				}
				u.decrypt(got, got)
				if !bytes.Equal(got, p) {
					t.Error("decrypted wrongly with other goroutines at work")
					return
				}
				u.encrypt(got, p[:688])
				if !bytes.Equal(got[:688], whole) {
					t.Error("wrong over whole blocks with other goroutines at work")
					return
				}
			}
		}()
	}
	group.Wait()

	b := make([]byte, 200)
	for name, f := range map[string]func(dst, src []byte){"encrypt": u.encrypt, "decrypt": u.decrypt} {
		for n := 1; n < 16; n++ {
			misuse(t, "plain: input shorter than a block", func() { f(b[:n], b[:n]) })
		}
		for _, n := range []int{16, 17, 32, 100} {
			misuse(t, "plain: output smaller than input", func() { f(b[:n-1], p[:n]) })
			for _, shift := range []int{1, n - 1} {
				misuse(t, "plain: invalid buffer overlap", func() { f(b[shift:], b[:n]) })
				misuse(t, "plain: invalid buffer overlap", func() { f(b, b[shift:shift+n]) })
			}
		}
		for _, n := range []int{16, 48, 100, 688} {
			conformance.NoAllocs(t, name, func() { f(p[:n], p[:n]) })
		}
	}
	if !bytes.Equal(b, make([]byte, len(b))) {
		t.Error("a call that panicked wrote")
	}
}

// misuse checks that f panics with a message that begins so.
func misuse(t *testing.T, reason string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		e := recover()
		if message, ok := e.(string); !ok || !strings.HasPrefix(message, reason) {
			t.Errorf("got panic %v, want one that says %q", e, reason)
		}
	}()
	f()
}
