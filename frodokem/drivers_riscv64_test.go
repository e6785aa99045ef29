//go:build !purego

package frodokem

import (
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/keccak"
)

// kernelSecrets returns the memory in which kernels keep secrets.
func kernelSecrets(k *kernelScratch) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&k.columns)), unsafe.Sizeof(k.columns))
}

// TestHalfRegisters generates rows with halves of vector registers, as on the SpacemiT X60, and
// with whole ones.
func TestHalfRegisters(t *testing.T) {
	if _, ok := kernelRows(t)["rvv"]; !ok {
		t.Skip("this CPU lacks vectors")
	}
	for _, set := range []Set{FrodoKEM640AES, FrodoKEM976AES, FrodoKEM1344AES} {
		p, seed := set.params(), random(3, seedA)
		a := newSpec(set).gen(seed)
		for _, half := range []bool{false, true} {
			b := newTestBatch(p, rvv, seed)
			k := &b.ops[0].kernel
			b.prepare(b.ops[0])
			k.matrix.Half = half
			for _, first := range []int{0, p.n - stripe} {
				rows := make([]uint16, stripe*p.n)
				rowsKernel(rvv, rows, k, first, p.n)
				equalMatrix(t, rows, a[first:first+stripe], "%v, half %v: rows from %d", set, half, first)
			}
		}
	}
}

// TestHashRow checks that all drivers but the portable one have the best driver of Keccak.
func TestHashRow(t *testing.T) {
	best := keccak.Generic
	for i, d := range keccak.Drivers() {
		if d.Available() && d.Slow&cpu.Features() == 0 && d.Priority > keccak.Drivers()[best].Priority {
			best = uint8(i)
		}
	}
	for row, hash := range hashRow {
		if row != int(generic) && hash != best {
			t.Errorf("%s has driver %d of Keccak, want %d", Drivers()[row].Name, hash, best)
		}
	}
}
