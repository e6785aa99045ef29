//go:build amd64 && !purego

package amd64

import (
	"math/rand/v2"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// The results of the kernels are tested through package sm3.
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
			secret := func(seed byte) {
				rand.NewChaCha8([32]byte{seed}).Read(message)
				*v = [8][32]uint32{}
			}
			if left := guard.Left(secret, func() { k.kernel(v, w, src, 3) }); left > 0 {
				t.Errorf("%d bytes on the stack depend on the messages", left)
			}
		})
	}
}

func TestIterateLeavesNothingOnTheStack(t *testing.T) {
	for _, k := range []struct {
		name   string
		needs  cpu.Set
		kernel func(keys *[2][8][32]uint32, t *[8][32]uint32, w *[32][32]uint32, n int)
	}{
		{"Iterate8AVX2", cpu.AVX2, Iterate8AVX2},
		{"Iterate16AVX512", cpu.AVX512, Iterate16AVX512},
		{"Iterate32AVX512", cpu.AVX512, Iterate32AVX512},
	} {
		t.Run(k.name, func(t *testing.T) {
			if missing := k.needs &^ cpu.Features(); missing != 0 {
				t.Skipf("this CPU lacks %v", missing)
			}
			keys, sum, w := new([2][8][32]uint32), new([8][32]uint32), new([32][32]uint32)
			secret := func(seed byte) {
				s := uint32(seed) * 0x01234567
				for i := range 8 {
					for l := range 32 {
						keys[0][i][l], keys[1][i][l] = s*uint32(i+l), s+uint32(i*l)
						sum[i][l], w[i][l] = s^uint32(l), s^uint32(i)
					}
				}
			}
			if left := guard.Left(secret, func() { k.kernel(keys, sum, w, 3) }); left > 0 {
				t.Errorf("%d bytes on the stack depend on the keys", left)
			}
		})
	}
}

func TestKDFLeavesNothingOnTheStack(t *testing.T) {
	for _, k := range []struct {
		name   string
		needs  cpu.Set
		kernel func(dst *[1024]byte, v *[8]uint32, base, delta *[2][64]uint32, differences *[2][64][32]uint32)
	}{
		{"KDF8AVX2", cpu.AVX2, func(dst *[1024]byte, v *[8]uint32, base, delta *[2][64]uint32, differences *[2][64][32]uint32) {
			KDF8AVX2((*[256]byte)(dst[:]), v, base, delta, differences)
		}},
		{"KDF32AVX512", cpu.AVX512, KDF32AVX512},
	} {
		t.Run(k.name, func(t *testing.T) {
			if missing := k.needs &^ cpu.Features(); missing != 0 {
				t.Skipf("this CPU lacks %v", missing)
			}
			dst, v, base, delta, differences := new([1024]byte), new([8]uint32), new([2][64]uint32), new([2][64]uint32), new([2][64][32]uint32)
			secret := func(seed byte) {
				for i := range 64 {
					base[0][i], base[1][i] = uint32(i*int(seed))*0x01234567, uint32(i+int(seed))*0x76543210
				}
			}
			if left := guard.Left(secret, func() { k.kernel(dst, v, base, delta, differences) }); left > 0 {
				t.Errorf("%d bytes on the stack depend on the block", left)
			}
		})
	}
}
