//go:build !purego

package frodokem

import (
	"testing"
	"unsafe"
)

// kernelSecrets returns the memory in which kernels keep secrets.
func kernelSecrets(s *scratch) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&s.kernel.columns)), unsafe.Sizeof(s.kernel.columns))
}

// TestHalfRegisters generates rows with halves of vector registers, as on the SpacemiT X60, and
// with whole ones.
func TestHalfRegisters(t *testing.T) {
	if _, ok := kernelRows(t)["rvv"]; !ok {
		t.Skip("this CPU lacks vectors")
	}
	for _, set := range []Set{FrodoKEM640AES, FrodoKEM976AES, FrodoKEM1344AES} {
		p, seed := set.of(), random(3, seedA)
		a := newSpec(set).gen(seed)
		for _, half := range []bool{false, true} {
			k := &getScratch(rvv).kernel
			prepare(rvv, p, k, seed)
			k.matrix.Half = half
			for _, first := range []int{0, p.n - many} {
				rows := make([]uint16, many*p.n)
				rowsKernel(rvv, rows, k, first, p.n)
				same(t, rows, a[first:first+many], "%v, half %v: rows from %d", set, half, first)
			}
		}
	}
}
