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
					found := true // every time: the runtime may save registers there, too
					for try := 0; found && try < 3; try++ {
						stack := guard.Residue(f)
						found = false
						for i := range len(secret) - 7 {
							found = found || bytes.Contains(stack, secret[i:i+8])
						}
					}
					if found {
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
