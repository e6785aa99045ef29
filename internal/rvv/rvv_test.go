//go:build riscv64 && !purego

package rvv

import (
	"bytes"
	"crypto/subtle"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/tweaks"
)

func random(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

func needVectors(t *testing.T) {
	if missing := cpu.V &^ cpu.Features(); missing != 0 {
		t.Skipf("this CPU lacks %v", missing)
	}
}

// Every number of blocks, and all of a message in parts.
func TestTweaks(t *testing.T) {
	needVectors(t)
	for _, gb := range []bool{false, true} {
		for n := 0; n <= Part; n += 16 {
			start := [16]byte(random(1, 16))
			var b Buffer
			want, next := make([]byte, n), start
			tweaks.Fill(want, &next)
			if gb {
				for i := range want {
					want[i] = bits.Reverse8(want[i])
				}
			}
			tweak := start
			Tweaks(&b, &tweak, n, gb)
			if !bytes.Equal(b.Bytes()[:n], want) || tweak != next {
				t.Fatalf("%d bytes, gb %v: wrong tweaks", n, gb)
			}
			for _, x := range b.Bytes()[n:] {
				if x != 0 {
					t.Fatalf("%d bytes: writes behind them", n)
				}
			}
		}
	}
}

func TestXOR(t *testing.T) {
	needVectors(t)
	for n := range 600 {
		a, b := random(2, n), random(3, n)
		want, got := make([]byte, n), make([]byte, n+1)
		subtle.XORBytes(want, a, b)
		XOR(got, a, b)
		if !bytes.Equal(got[:n], want) || got[n] != 0 {
			t.Fatalf("%d bytes: wrong sum", n)
		}
		XOR(b, a, b)
		if XOR(a, a, a); !bytes.Equal(b, want) || bytes.Trim(a, "\x00") != nil {
			t.Fatalf("%d bytes: wrong sum in place", n)
		}
	}
}
