//go:build !purego

package frodokem

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/frodokem/internal/amd64"
	"github.com/cipherlane/cipherlane/internal/guard"
	"github.com/cipherlane/cipherlane/internal/keccak"
)

// kernelSecrets returns the memory in which kernels keep secrets.
func kernelSecrets(k *kernelScratch) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&k.work.Pairs)), unsafe.Sizeof(k.work.Pairs))
}

// TestSqueeze compares the output that kernels squeeze while they multiply, and the final
// state, with package keccak, and the products with those computed without squeezing. All
// buffers are at the edge of inaccessible memory.
func TestSqueeze(t *testing.T) {
	row, ok := kernelRows(t)["vaes-avx512"]
	if !ok {
		t.Skip("this CPU lacks features that the kernels need")
	}
	sets := []Set{FrodoKEM640AES, FrodoKEM976AES, FrodoKEM1344AES}
	if testing.Short() {
		sets = sets[1:2]
	}
	type kernel func(out []uint16, w *amd64.Work, state *[25]uint64, q *byte, words, blocks int)
	for _, set := range sets {
		p := set.params()
		size := nbar * p.n
		b := newTestBatch(p, row, random(1, seedA))
		b.prepare(b.ops[0])
		w := &b.ops[0].kernel.work
		secret := make([]uint16, size)
		words(secret, random(2, 2*size))
		maximum := p.n / 16 * (p.n / 32) / 12 // blocks; half parts at ends of rows do not count
		for name, f := range map[string]struct {
			prepare func(*amd64.Pairs, []uint16)
			kernel
		}{
			"S'A": {amd64.PairsAVX512, amd64.MulSASqueezeVAES512},
			"A S": {amd64.ColumnsAVX512, amd64.MulASSqueezeVAES512},
		} {
			f.prepare(&w.Pairs, secret)
			want := make([]uint16, size)
			f.kernel(want, w, nil, nil, 0, 0)
			for _, rate := range []int{keccak.Rate128, keccak.Rate256} {
				for _, blocks := range []int{1, 2, maximum} {
					for side := range 2 {
						memory := guard.Before
						if side == 1 {
							memory = guard.After
						}
						out, q := edge(t, side, size), memory(t, rate*blocks)
						state := (*keccak.State)(unsafe.Pointer(unsafe.SliceData(memory(t, 200))))
						for i := range state.A {
							state.A[i] = uint64(i+1) * 0x9e3779b97f4a7c15
						}
						what := fmt.Sprintf("%v: %s with %d blocks of %d bytes", set, name, blocks, rate)
						reference, stream := *state, make([]byte, len(q)+2*rate)
						keccak.End(keccak.Generic, rate, []keccak.Lane{{Out: stream, State: &reference}})
						if guard.Faults(func() { f.kernel(out, w, &state.A, &q[0], rate/8, blocks) }) {
							t.Fatalf("%s touches memory outside its buffers", what)
						}
						rest := make([]byte, 2*rate) // its last block depends on all of the state
						keccak.End(keccak.Generic, rate, []keccak.Lane{{Out: rest, State: state}})
						if !slices.Equal(out, want) {
							t.Fatalf("%s: the product is wrong", what)
						}
						equal(t, slices.Concat(q, rest), stream, "%s: output", what)
					}
				}
			}
		}
		b.end()
	}
}
