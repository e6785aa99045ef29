//go:build !purego

package frodokem

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/frodokem/internal/amd64"
	"github.com/cipherlane/cipherlane/internal/guard"
	"github.com/cipherlane/cipherlane/internal/keccak"
)

// kernelSecrets returns the memory in which kernels keep secrets.
func kernelSecrets(s *scratch) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&s.kernel.work.Pairs)), unsafe.Sizeof(s.kernel.work.Pairs))
}

// TestSqueezeBeside compares the output that kernels squeeze besides multiplying, and
// the final state, with package keccak, and the products with those computed without
// squeezing. All buffers are at the edge of inaccessible memory.
func TestSqueezeBeside(t *testing.T) {
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
		p := set.of()
		size := nbar * p.n
		s := getScratch(row)
		prepare(row, p, &s.kernel, random(1, seedA))
		w := &s.kernel.work
		left := make([]uint16, size)
		words(left, random(2, 2*size))
		most := p.n / 16 * (p.n / 32) / 12 // blocks; the halves that 976 has left are for nothing
		for name, f := range map[string]struct {
			prepare func(*amd64.Pairs, []uint16)
			kernel
		}{"S'A": {amd64.PairsAVX512, amd64.MulSAVAES512}, "A S": {amd64.ColumnsAVX512, amd64.MulASVAES512}} {
			f.prepare(&w.Pairs, left)
			want := make([]uint16, size)
			f.kernel(want, w, nil, nil, 0, 0)
			for _, rate := range []int{keccak.Rate128, keccak.Rate256} {
				for _, blocks := range []int{1, 2, most} {
					for side := range 2 {
						memory := guard.Before
						if side == 1 {
							memory = guard.After
						}
						out, q, state := edge(t, side, size), memory(t, rate*blocks), (*[25]uint64)(unsafe.Pointer(unsafe.SliceData(memory(t, 200))))
						var other keccak.State
						for i := range other.A {
							other.A[i] = uint64(i+1) * 0x9e3779b97f4a7c15
						}
						*state = other.A
						stream := make([]byte, len(q))
						other.Squeeze(keccak.Generic, rate, stream)
						if guard.Faults(func() { f.kernel(out, w, state, &q[0], rate/8, blocks) }) {
							t.Fatalf("%v: %s with %d blocks of %d bytes touches memory outside its buffers", set, name, blocks, rate)
						}
						if !slices.Equal(out, want) || *state != other.A {
							t.Fatalf("%v: %s with %d blocks of %d bytes: the product or the state is wrong", set, name, blocks, rate)
						}
						equal(t, q, stream, "%v: %s with %d blocks of %d bytes: output", set, name, blocks, rate)
					}
				}
			}
		}
		s.put(p)
	}
}
