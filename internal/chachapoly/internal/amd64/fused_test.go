//go:build amd64 && !purego

package amd64

import (
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/chachapoly/spec"
	"github.com/cipherlane/cipherlane/internal/cpu"
)

func integer(words ...uint64) *big.Int {
	x := new(big.Int)
	for i, w := range words {
		x.Or(x, new(big.Int).Lsh(new(big.Int).SetUint64(w), uint(64*i)))
	}
	return x
}

// TestHashes hashes blocks from any state, with words with long runs of ones.
// Package chachapoly tests the other kernels.
func TestHashes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() uint64 { return []uint64{0, ^uint64(0), ^uint64(r.IntN(6)), r.Uint64()}[r.IntN(4)] }
	low := new(big.Int).SetUint64(^uint64(0))
	for _, k := range []struct {
		name  string
		needs cpu.Set
		hash  func(w *work, p *byte, blocks int)
	}{
		{"SSSE3", cpu.SSSE3, hashSSSE3},
		{"AVX2", cpu.AVX2 | cpu.BMI2, func(w *work, p *byte, blocks int) {
			n := blocks / 3
			hashAVX2(w, p, n, (*byte)(unsafe.Add(unsafe.Pointer(p), 16*n)), blocks-n)
		}},
	} {
		if missing := k.needs &^ cpu.Features(); missing != 0 {
			t.Logf("%s: this CPU lacks %v", k.name, missing)
			continue
		}
		for n := 1; n < 200; n++ {
			for range 3 {
				h := [3]uint64{word(), word(), r.Uint64N(5)}
				key := [2]uint64{word() & 0x0ffffffc0fffffff, word() & 0x0ffffffc0ffffffc}
				w := work{h: h, r: key}
				power := integer(key[:]...)
				for i := range w.powers {
					x := new(big.Int).Set(power)
					for j := range w.powers[i] {
						w.powers[i][j] = new(big.Int).And(x, low).Uint64()
						x.Rsh(x, 64)
					}
					power.Mul(power, power).Mod(power, spec.P)
				}
				message := make([]byte, 16*n+7)[n%8:][:16*n]
				for i := 0; i < len(message); i += 8 {
					binary.LittleEndian.PutUint64(message[i:], word())
				}
				want := spec.Blocks(integer(h[:]...), integer(key[:]...), message)
				k.hash(&w, &message[0], n)
				if w.h[2] > 4 || new(big.Int).Mod(integer(w.h[:]...), spec.P).Cmp(want) != 0 {
					t.Fatalf("%s: h = %x, r = %x and %d blocks make %x, want %x", k.name, h, key, n, w.h, want)
				}
			}
		}
	}
}
