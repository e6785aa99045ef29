//go:build loong64 && !purego

package loong64

import (
	"math/rand/v2"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// The results of the kernels are tested through package ghash. Here the stack must be the same
// after two different hash keys and texts: nothing of them is left.
func TestNothingLeftOnTheStack(t *testing.T) {
	type update = func(t *Powers, y *[blockSize]byte, p []byte)
	for name, f := range map[string]struct {
		needs            cpu.Set
		init             func(t *Powers, h *[blockSize]byte)
		extend           func(t *Powers)
		update, reversed update
	}{
		"LSX":  {cpu.LSX, InitLSX, ExtendLSX, UpdateLSX, UpdateReversedLSX},
		"LASX": {cpu.LASX, InitLASX, ExtendLASX, UpdateLASX, UpdateReversedLASX},
	} {
		if !cpu.Features().Has(f.needs) {
			continue
		}
		powers, h, y, text := new(Powers), new([blockSize]byte), new([blockSize]byte), make([]byte, 200)
		secret := func(seed byte) {
			random := rand.NewChaCha8([32]byte{seed})
			random.Read(h[:])
			random.Read(text)
			f.init(powers, h)
			f.extend(powers)
			*y = [blockSize]byte{}
		}
		calls := map[string]func(){
			"Init":                          func() { f.init(powers, h) },
			"Extend":                        func() { f.extend(powers) },
			"Update":                        func() { f.update(powers, y, text) },
			"Update, a part of a block":     func() { f.update(powers, y, text[:13]) },
			"UpdateReversed, a part at end": func() { f.reversed(powers, y, text[:133]) },
		}
		for what, call := range calls {
			if left := guard.Left(secret, call); left > 0 {
				t.Errorf("%s, %s: %d bytes on the stack depend on the hash key and the text", name, what, left)
			}
		}
	}
}
