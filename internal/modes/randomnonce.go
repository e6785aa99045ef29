package modes

import (
	"crypto/cipher"
	"crypto/rand"

	"github.com/cipherlane/cipherlane/internal/alias"
)

// A RandomNonce is GCM with a random nonce for every message, which it prepends to
// the ciphertext.
type RandomNonce struct {
	private
	pkg    string // prefix of error messages: "aes"
	g      wipeableAEAD
	row    *uint8 // of the key of g
	failed error  // for Open
	wiped  error  // for a wiped key
}

// A wipeableAEAD is GCM of a package, with 12-byte nonces and 16-byte tags.
type wipeableAEAD interface {
	cipher.AEAD
	Wipe()
}

// NewRandomNonce returns a RandomNonce based on g, whose key has this row. Its Open
// returns failed for a ciphertext of an invalid length, without calling g. It checks
// itself whether the key was wiped, because it writes to buffers before it calls g.
func NewRandomNonce(pkg string, g wipeableAEAD, row *uint8, failed, wiped error) *RandomNonce {
	return &RandomNonce{pkg: pkg, g: g, row: row, failed: failed, wiped: wiped}
}

// NonceSize returns 0.
func (r *RandomNonce) NonceSize() int { return 0 }

// Overhead returns 28.
func (r *RandomNonce) Overhead() int { return GCMNonceSize + GCMTagSize }

// Wipe overwrites the keys.
func (r *RandomNonce) Wipe() {
	if r.g != nil {
		r.g.Wipe()
	}
}

// The text moves by the length of the nonce. If dst overlaps the input, as in
// Seal(text[:0], …), it is moved before it is processed in place.

// Seal implements [cipher.AEAD].
func (r *RandomNonce) Seal(dst, nonce, plaintext, data []byte) []byte {
	if *r.row == Wiped {
		panic(r.wiped.Error())
	}
	if len(nonce) != 0 {
		panic(r.pkg + ": non-empty nonce given to GCM with random nonces")
	}
	n := len(plaintext)
	if uint64(n) > GCMMaxSize {
		panic(r.pkg + ": message too large for GCM")
	}
	whole := Extend(dst, n+r.Overhead())
	out := whole[len(dst):]
	if alias.InexactOverlap(out, plaintext) || alias.AnyOverlap(out, data) {
		panic(r.pkg + ": invalid buffer overlap")
	}
	text := out[GCMNonceSize:]
	if alias.AnyOverlap(out, plaintext) {
		copy(text, plaintext)
		plaintext = text[:n]
	}
	rand.Read(out[:GCMNonceSize])
	r.g.Seal(text[:0], out[:GCMNonceSize], plaintext, data)
	return whole
}

// Open implements [cipher.AEAD].
func (r *RandomNonce) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	if *r.row == Wiped {
		return nil, r.wiped
	}
	if len(nonce) != 0 {
		panic(r.pkg + ": non-empty nonce given to GCM with random nonces")
	}
	if len(ciphertext) < r.Overhead() || uint64(len(ciphertext)) > GCMMaxSealed+GCMNonceSize {
		return nil, r.failed
	}
	nonce, sealed := ciphertext[:GCMNonceSize], ciphertext[GCMNonceSize:]
	whole := Extend(dst, len(ciphertext)-r.Overhead())
	out := whole[len(dst):]
	if alias.InexactOverlap(out, ciphertext) || alias.AnyOverlap(out, data) {
		panic(r.pkg + ": invalid buffer overlap")
	}
	if !alias.AnyOverlap(out, ciphertext) {
		if _, err := r.g.Open(out[:0], nonce, sealed, data); err != nil {
			return nil, err
		}
		return whole, nil
	}
	saved := [GCMNonceSize]byte(nonce)
	n := copy(ciphertext, sealed)
	nonce = ciphertext[n:] // saved would move to the heap
	copy(nonce, saved[:])
	_, err := r.g.Open(ciphertext[:0], nonce, ciphertext[:n], data)
	if err != nil {
		return nil, err
	}
	return whole, nil
}
