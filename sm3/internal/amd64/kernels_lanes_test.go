//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// What the kernels compute is tested through package sm3.
func TestLanesLeaveNothingOnTheStack(t *testing.T) {
	for _, k := range []struct {
		name   string
		needs  cpu.Set
		kernel func(v *[8][32]uint32, w *[32][32]uint32, src *[32][]byte, n int)
	}{
		{"Compress8AVX2", cpu.AVX2, Compress8AVX2},
		{"Compress16AVX512", cpu.AVX512, Compress16AVX512},
		{"Compress32AVX512", cpu.AVX512, Compress32AVX512},
	} {
		t.Run(k.name, func(t *testing.T) {
			if missing := k.needs &^ cpu.Features(); missing != 0 {
				t.Skipf("this CPU lacks %v", missing)
			}
			message, v, w, src := make([]byte, 192), new([8][32]uint32), new([32][32]uint32), new([32][]byte)
			for i := range src {
				src[i] = message
			}
			residue := func(seed byte) []byte {
				rand.NewChaCha8([32]byte{seed}).Read(message)
				*v = [8][32]uint32{}
				return guard.Residue(func() { k.kernel(v, w, src, 3) })
			}
			for range 3 {
				if bytes.Equal(residue(1), residue(2)) {
					return
				}
			}
			t.Error("the stack shows which messages were hashed")
		})
	}
}
