package chachapoly

import (
	"bytes"
	"slices"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/chachapoly/spec"
	"github.com/cipherlane/cipherlane/internal/ctgrind"
)

// secret returns a copy of b that valgrind treats as secret, along with everything
// computed from it.
func secret(b []byte) []byte {
	s := slices.Clone(b)
	ctgrind.Secret(s)
	return s
}

// secretWords does so with words.
func secretWords[W uint32 | uint64](words []W) {
	ctgrind.Secret(bytesOf(words))
}

func bytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
}

// reveal checks a result, which ends its being secret.
func reveal(t *testing.T, name string, got, want []byte) {
	t.Helper()
	ctgrind.Public(got)
	if !bytes.Equal(got, want) {
		t.Fatalf("%s, %d bytes: got %x, want %x", name, len(want), got, want)
	}
}

// truth is a result that may be known.
func truth(ok bool) bool {
	list := []bool{ok}
	ctgrind.Public(bytesOf(list))
	return list[0]
}

// Key and text are secret, for every driver that valgrind supports. Additional data,
// nonces and sealed messages are not.
func TestSecretSeal(t *testing.T) {
	eachRow(t, func(t *testing.T, row uint8) {
		r := newRandom(20)
		for _, n := range []int{0, 1, 16, 60, 64, 65, 128, 200, 320, 500, 705, 1420, 5000} {
			key, nonce := r.key(), r.nonce()
			text, data := r.bytes(n), r.bytes(n%20)
			want := spec.Seal(text, data, &key, &nonce)
			hidden := key
			secretWords(hidden[:])
			got := make([]byte, n+TagSize)
			Seal(row, got, secret(text), data, &hidden, &nonce)
			reveal(t, "Seal", got, want)

			opened := make([]byte, n)
			var ok bool
			if row == generic { // in parts: it goes on only if the tag is right
				var m message
				var right [TagSize]byte
				m.start(&hidden, &nonce)
				m.tag(&right, got[:n], data)
				ok = EqualTag(&right, got[n:])
				if n > 0 {
					xorGeneric(opened, got[:n], &m.state)
				}
				m.wipe()
			} else {
				ok = Open(row, opened, got, data, &hidden, &nonce)
			}
			if !truth(ok) {
				t.Fatalf("%d bytes: not opened", n)
			}
			reveal(t, "Open", opened, text)
		}
	})
}

func TestSecretXOR(t *testing.T) {
	eachRow(t, func(t *testing.T, row uint8) {
		r := newRandom(21)
		for _, n := range []int{1, 64, 100, 256, 300, 1024, 5000} {
			key, nonce := r.key(), r.nonce()
			text := r.bytes(n)
			state := spec.State(&key, 5, &nonce)
			want := spec.XOR(text, state)
			secretWords(state[4:12])
			b := secret(text)
			XOR(row, b, b, &state)
			reveal(t, "XOR", b, want)

			last := [4]uint32{1, 2, 3, uint32(n)}
			derived := spec.HChaCha(&key, &last)
			secretWords(key[:])
			HChaCha(row, &key, &key, &last)
			reveal(t, "HChaCha", bytesOf(key[:]), bytesOf(derived[:]))
		}
	})
}

// Poly1305 alone: h, r and the message are secret.
func TestSecretBlocks(t *testing.T) {
	eachRow(t, func(t *testing.T, row uint8) {
		rand := newRandom(22)
		for _, n := range []int{16, 64, 256, 1008, 4096} {
			p := rand.bytes(n)
			h := [3]uint64{rand.source.Uint64(), rand.source.Uint64(), 3}
			r := [2]uint64{rand.source.Uint64() & 0x0ffffffc0fffffff, rand.source.Uint64() & 0x0ffffffc0ffffffc}
			s := [2]uint64{5, 6}
			sum := func(h [3]uint64) (tag [TagSize]byte) {
				finish(&tag, &h, &s)
				return tag
			}
			plain := h
			Blocks(row, &plain, &r, p)
			want := sum(plain)
			secretWords(h[:])
			secretWords(r[:])
			Blocks(row, &h, &r, secret(p))
			got := sum(h)
			reveal(t, "Blocks", got[:], want[:])
		}
	})
}
