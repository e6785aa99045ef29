//go:build !race

package chachapoly

import (
	"bytes"
	"testing"

	"github.com/cipherlane/cipherlane/internal/chachapoly/spec"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// heap keeps what a test looks for away from its stack.
var heap []any

// TestNoKeyOnTheStack looks for a key, for the one-time key of Poly1305 and for
// the key of XChaCha20 in the stack that every driver has used. A literal of an
// array leaves all of one there. The compiler saves single registers there, too,
// in portable code, so that a word does not count.
func TestNoKeyOnTheStack(t *testing.T) {
	eachRow(t, func(t *testing.T, row uint8) {
		key, nonce, state, out := new([8]uint32), new([3]uint32), new([16]uint32), new([8]uint32)
		heap = []any{key, nonce, state, out}
		r := newRandom(30)
		*key, *nonce = r.key(), r.nonce()
		copy(state[4:], key[:])
		last := (*[4]uint32)(state[:])
		derived := spec.HChaCha(key, last)
		block := spec.Block(spec.State(key, 0, nonce))
		secrets := map[string][]byte{
			"key":          bytesOf(key[:]),
			"one-time key": block[:32],
			"derived key":  bytesOf(derived[:]),
		}
		text, sealed := make([]byte, 5000), make([]byte, 5000+TagSize)
		for _, n := range []int{1, 16, 64, 100, 700, 1420, 5000} {
			for call, f := range map[string]func(){
				"Seal":    func() { Seal(row, sealed[:n+TagSize], text[:n], nil, key, nonce) },
				"Open":    func() { Open(row, text[:n], sealed[:n+TagSize], nil, key, nonce) },
				"XOR":     func() { XOR(row, text[:n], text[:n], state) },
				"HChaCha": func() { HChaCha(row, out, key, last) },
			} {
				for name, secret := range secrets {
					if guard.Leaves(f, func(stack []byte) (found bool) {
						for i := range len(secret) - 7 {
							found = found || bytes.Contains(stack, secret[i:i+8])
						}
						return found
					}) {
						t.Errorf("%s, %d bytes: two words of the %s are left", call, n, name)
					}
				}
			}
		}
		if !bytes.Equal(bytesOf(out[:]), secrets["derived key"]) {
			t.Error("looked for another key than the one derived")
		}
	})
}

// TestNothingLeftOnTheStack runs all kernels with two keys and otherwise identically.
func TestNothingLeftOnTheStack(t *testing.T) {
	eachRow(t, func(t *testing.T, row uint8) {
		if row == generic {
			return // see TestNoKeyOnTheStack
		}
		key, nonce, state, out := new([8]uint32), new([3]uint32), new([16]uint32), new([8]uint32)
		h, r, last := new([3]uint64), new([2]uint64), new([4]uint32)
		heap = []any{key, nonce, state, out, h, r, last}
		buffer, separateDst, packets := make([]byte, 5001+TagSize), make([]byte, 5001+TagSize), make([]Packet, 4)
		var text []byte
		secret := func(seed byte) {
			*key = newRandom(seed).key()
			*state = spec.State(key, 1, nonce)
			*h = [3]uint64{uint64(key[0]), uint64(key[1]), 1}
			*r = [2]uint64{uint64(key[2] & 0x0fffffff), uint64(key[3] & 0x0ffffffc)}
			clear(text)
		}
		for _, n := range []int{0, 1, 16, 63, 64, 65, 100, 130, 160, 192, 250, 256, 300, 380, 449, 512, 600, 640, 700, 768,
			800, 1024, 1100, 1420, 1424, 1536, 1537, 2048, 4096, 5000} {
			for shift := range 2 { // misaligned, too
				text = buffer[shift:][:n+TagSize]
				for name, f := range map[string]func(){
					"Seal":              func() { Seal(row, text, text[:n], nil, key, nonce) },
					"Seal with data":    func() { Seal(row, text, text[:n], buffer[5001-20:5001], key, nonce) },
					"Open of a forgery": func() { Open(row, text[:n], text, nil, key, nonce) },
					"Open with data":    func() { Open(row, text[:n], text, buffer[5001-20:5001], key, nonce) },
					"XOR":               func() { XOR(row, text, text, state) },
					"Blocks":            func() { Blocks(row, h, r, text[:len(text)&^15]) },
					"SealMany": func() {
						for i := range packets {
							packets[i] = Packet{Dst: separateDst[:n+TagSize], Text: text[:n]}
						}
						SealMany(row, key, packets)
					},
					"OpenMany": func() {
						for i := range packets {
							packets[i] = Packet{Dst: separateDst[:n], Text: text}
						}
						OpenMany(row, key, packets)
					},
				} {
					if left := guard.Left(secret, f); left > 0 {
						t.Errorf("%s, %d bytes: %d bytes on the stack depend on the key", name, n, left)
					}
				}
			}
		}
		if Rows()[row].Name == "avx512" { // the others derive keys with portable code
			if left := guard.Left(secret, func() { HChaCha(row, out, key, last) }); left > 0 {
				t.Errorf("HChaCha: %d bytes on the stack depend on the key", left)
			}
		}
	})
}
