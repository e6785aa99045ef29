//go:build !purego

package aescore

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

// An AES driver calls GHASH kernels without checking the CPU, so it must need all their
// features.
func TestNeedsOfGHASH(t *testing.T) {
	for row, d := range Rows() {
		hash := ghash.Drivers()[TraitsOf(uint8(row)).GHASH]
		for bit := cpu.Set(1); bit != 0; bit <<= 1 {
			if hash.Needs.Has(bit) && cpu.Features().Has(d.Needs) &&
				cpu.Features().Without(bit).Has(d.Needs) {
				t.Errorf("%s may run without %v, which %s of GHASH needs", d.Name, bit, hash.Name)
			}
		}
	}
}
