package modes_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/internal/vectors"
)

type wrapper struct {
	wrap, unwrap func(c modes.Cipher, dst, src []byte) ([]byte, error)
	spec         func(c *plain, key []byte) []byte
	shortest     int
	unit         int
}

var kw = wrapper{modes.WrapKey, modes.UnwrapKey, func(c *plain, key []byte) []byte {
	return specWrap(c.Block, slices.Concat(bytes.Repeat([]byte{0xa6}, 8), key))
}, 16, 8}

var kwp = wrapper{modes.WrapKeyPadded, modes.UnwrapKeyPadded, func(c *plain, key []byte) []byte {
	s := slices.Concat(binary.BigEndian.AppendUint32([]byte{0xa6, 0x59, 0x59, 0xa6}, uint32(len(key))), key, make([]byte, -len(key)&7))
	if len(s) == 16 {
		c.EncryptBlocks(s, s)
		return s
	}
	return specWrap(c.Block, s)
}, 1, 1}

func (w wrapper) agrees(t *testing.T, c *plain, key, wrapped []byte, what string) {
	t.Helper()
	if got, err := w.wrap(c, nil, key); err != nil || !bytes.Equal(got, wrapped) {
		t.Errorf("%s: got %x, %v, want %x", what, got, err, wrapped)
	}
	if got, err := w.unwrap(c, nil, wrapped); err != nil || !bytes.Equal(got, key) {
		t.Errorf("%s: unwrap: got %x, %v, want %x", what, got, err, key)
	}
}

// rejected checks that wrapped is refused, with one message, and leaves nothing
// behind.
func (w wrapper) rejected(t *testing.T, c *plain, wrapped []byte, what string) {
	t.Helper()
	const prefix = 3
	b := bytes.Repeat([]byte{0xa5}, prefix+len(wrapped)+10)
	got, err := w.unwrap(c, b[:prefix], wrapped)
	if err == nil || got != nil {
		t.Errorf("%s: takes it", what)
		return
	}
	if err.Error() != "plain: key unwrap: integrity check failed" && !strings.HasPrefix(err.Error(), "plain: key unwrap: invalid size") {
		t.Errorf("%s: error %v", what, err)
	}
	out := b[prefix : prefix+max(len(wrapped)-8, 0)]
	if n := bytes.Count(out, []byte{0}); n != len(out) && bytes.Count(out, []byte{0xa5}) != len(out) {
		t.Errorf("%s: leaves something in the destination", what)
	}
	if bytes.Count(b, []byte{0xa5}) < len(b)-len(out) {
		t.Errorf("%s: writes outside the destination", what)
	}
}

func TestWrapVectors(t *testing.T) {
	for i, v := range []struct {
		w                wrapper
		kek, key, result string
	}{
		// RFC 3394, section 4
		{kw, "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff", "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"},
		{kw, "000102030405060708090a0b0c0d0e0f1011121314151617", "00112233445566778899aabbccddeeff", "96778b25ae6ca435f92b5b97c050aed2468ab8a17ad84e5d"},
		{kw, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "00112233445566778899aabbccddeeff", "64e8c3f9ce0f5ba263e9777905818a2a93c8191e7d6e8ae7"},
		{kw, "000102030405060708090a0b0c0d0e0f1011121314151617", "00112233445566778899aabbccddeeff0001020304050607", "031d33264e15d33268f24ec260743edce1c6c7ddee725a936ba814915c6762d2"},
		{kw, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "00112233445566778899aabbccddeeff0001020304050607", "a8f9bc1612c68b3ff6e6f4fbe30e71e4769c8b80a32cb8958cd5d17d6b254da1"},
		{kw, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f", "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"},
		// RFC 5649, section 6
		{kwp, "5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8", "c37b7e6492584340bed12207808941155068f738", "138bdeaa9b8fa7fc61f97742e72248ee5ae6ae5360d1ae6a5f54f373fa543b6a"},
		{kwp, "5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8", "466f7250617369", "afbeb0f07dfbf5419200f2ccb50bb24f"},
	} {
		v.w.agrees(t, newPlain(vectors.Hex(t, v.kek)), vectors.Hex(t, v.key), vectors.Hex(t, v.result), fmt.Sprintf("vector %d", i))
	}
}

func TestWrapWycheproof(t *testing.T) {
	type group struct {
		Tests []struct {
			vectors.Test
			Key        vectors.Bytes `json:"key"`
			Plaintext  vectors.Bytes `json:"msg"`
			Ciphertext vectors.Bytes `json:"ct"`
		} `json:"tests"`
	}
	for name, w := range map[string]wrapper{"wycheproof_aes_wrap.json.gz": kw, "wycheproof_aes_kwp.json.gz": kwp} {
		ran := map[vectors.Result]int{}
		for _, g := range vectors.Wycheproof[group](t, testdata, name) {
			for _, test := range g.Tests {
				ran[test.Result]++
				c, what := newPlain(test.Key), fmt.Sprintf("%s: test %d (%s)", name, test.ID, test.Comment)
				switch test.Result {
				case vectors.Valid:
					w.agrees(t, c, test.Plaintext, test.Ciphertext, what)
				case vectors.Invalid:
					w.rejected(t, c, test.Ciphertext, what)
				}
			}
		}
		if ran[vectors.Valid] == 0 || ran[vectors.Invalid] == 0 {
			t.Errorf("%s: %v", name, ran)
		}
		t.Logf("%s: %v", name, ran)
	}
}

func eachWrapper(t *testing.T, f func(t *testing.T, w wrapper)) {
	t.Run("KW", func(t *testing.T) { f(t, kw) })
	t.Run("KWP", func(t *testing.T) { f(t, kwp) })
}

// All lengths: behind a prefix, in place, with every byte changed.
func TestWrapLengths(t *testing.T) {
	c := newPlain(count(1, 32))
	text := bytes.Repeat(count(1, 251), 3)
	eachWrapper(t, func(t *testing.T, w wrapper) {
		for n := w.shortest; n <= 600; n += w.unit {
			key := text[:n]
			want := w.spec(c, key)
			w.agrees(t, c, key, want, fmt.Sprintf("%d bytes", n))
			prefix := []byte("prefix")
			if got, _ := w.wrap(c, prefix, key); !bytes.Equal(got, slices.Concat(prefix, want)) {
				t.Errorf("%d bytes behind a prefix: wrong", n)
			}
			if got, _ := w.unwrap(c, prefix, want); !bytes.Equal(got, slices.Concat(prefix, key)) {
				t.Errorf("%d bytes behind a prefix: unwrap: wrong", n)
			}
			b := slices.Grow(slices.Clone(key), len(want))
			got, err := w.wrap(c, b[:0], b)
			if err != nil || !bytes.Equal(got, want) || &got[0] != &b[0] {
				t.Errorf("%d bytes in place: wrong", n)
			}
			got, err = w.unwrap(c, got[:0], got)
			if err != nil || !bytes.Equal(got, key) || &got[0] != &b[0] {
				t.Errorf("%d bytes in place: unwrap: wrong", n)
			}
			if n > 40 && n%50 != 0 {
				continue
			}
			for i := range want {
				want[i] ^= 1 << (i % 8)
				w.rejected(t, c, want, fmt.Sprintf("%d bytes with byte %d changed", n, i))
				want[i] ^= 1 << (i % 8)
			}
			w.rejected(t, c, want[:len(want)-8], fmt.Sprintf("%d bytes cut", n))
			w.rejected(t, c, append(want, make([]byte, 8)...), fmt.Sprintf("%d bytes with zeros", n))
		}
		long := bytes.Repeat(text, 140)[:100_000] // more than 2^16 steps
		w.agrees(t, c, long, w.spec(c, long), "100000 bytes")
	})
}

// What has the right wrapping and something else wrong: the constant, the
// length, the padding.
func TestWrapPadding(t *testing.T) {
	c := newPlain(count(1, 16))
	for _, halves := range []int{1, 2, 5} {
		wrapped := func(constant, length uint32, key []byte) []byte {
			s := slices.Concat(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, constant), length), key)
			if len(s) == 16 {
				c.EncryptBlocks(s, s)
				return s
			}
			return specWrap(c.Block, s)
		}
		zeros, ones := make([]byte, 8*halves), bytes.Repeat([]byte{1}, 8*halves)
		for _, length := range []uint32{0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 39, 40, 41, 48, 1 << 31, 1<<32 - 8, 1<<32 - 1} {
			b := wrapped(0xa65959a6, length, zeros)
			if n := int64(length); 8*int64(halves)-8 < n && n <= 8*int64(halves) {
				kwp.agrees(t, c, zeros[:n], b, fmt.Sprintf("%d bytes in %d halves", n, halves))
			} else {
				kwp.rejected(t, c, b, fmt.Sprintf("length %d in %d halves", n, halves))
			}
		}
		for n := 8*halves - 7; n < 8*halves; n++ {
			for i := n; i < 8*halves; i++ {
				key := make([]byte, 8*halves)
				key[i] = 0x80
				kwp.rejected(t, c, wrapped(0xa65959a6, uint32(n), key), fmt.Sprintf("length %d in %d halves, byte %d not zero", n, halves, i))
				key[i] = 0x01
				kwp.rejected(t, c, wrapped(0xa65959a6, uint32(n), key), fmt.Sprintf("length %d in %d halves, byte %d not zero", n, halves, i))
			}
		}
		for bit := range 32 {
			kwp.rejected(t, c, wrapped(0xa65959a6^1<<bit, uint32(8*halves), ones), "another constant")
		}
		// Each standard rejects keys wrapped by the other.
		if halves > 1 {
			kwp.rejected(t, c, kw.spec(c, ones), "wrapped without padding")
			kw.rejected(t, c, kwp.spec(c, ones), "wrapped with padding")
		}
	}
}

func TestWrapSizes(t *testing.T) {
	c := newPlain(count(1, 16))
	check := func(f func(c modes.Cipher, dst, src []byte) ([]byte, error), n int, want string) {
		t.Helper()
		got, err := f(c, nil, make([]byte, n))
		if err == nil || err.Error() != fmt.Sprintf(want, n) || got != nil {
			t.Errorf("%d bytes: error %v", n, err)
		}
	}
	for _, n := range []int{0, 1, 8, 15, 17, 23} {
		check(modes.WrapKey, n, "plain: key wrap: invalid key size %d, want a multiple of 8 and at least 16")
	}
	for _, n := range []int{0, 8, 16, 23, 25, 31} {
		check(modes.UnwrapKey, n, "plain: key unwrap: invalid size %d, want a multiple of 8 and at least 24")
	}
	if _, err := modes.WrapKeyPadded(c, nil, nil); err == nil || err.Error() != "plain: key wrap: invalid key size 0, want 1 to 4294967295" {
		t.Errorf("error %v", err)
	}
	for _, n := range []int{0, 8, 15, 17, 23, 25} {
		check(modes.UnwrapKeyPadded, n, "plain: key unwrap: invalid size %d, want a multiple of 8 and at least 16")
	}
}

func TestWrapOverlap(t *testing.T) {
	c := newPlain(count(1, 16))
	eachWrapper(t, func(t *testing.T, w wrapper) {
		for name, f := range map[string]func(c modes.Cipher, dst, src []byte) ([]byte, error){"wrap": w.wrap, "unwrap": w.unwrap} {
			func() {
				defer func() {
					if e := recover(); e != "plain: invalid buffer overlap" {
						t.Errorf("%s: got panic %v", name, e)
					}
				}()
				b := make([]byte, 100)
				f(c, b[1:1], b[:32])
			}()
		}
	})
}

func TestWrapAllocations(t *testing.T) {
	c := modes.Cipher(newPlain(count(1, 16)))
	eachWrapper(t, func(t *testing.T, w wrapper) {
		key, dst, back := count(1, 32), make([]byte, 0, 64), make([]byte, 0, 64)
		conformance.NoAllocs(t, "wrap and unwrap", func() {
			wrapped, err := w.wrap(c, dst, key)
			if err == nil {
				_, err = w.unwrap(c, back, wrapped)
			}
			if err != nil {
				t.Error(err)
			}
		})
	})
}
