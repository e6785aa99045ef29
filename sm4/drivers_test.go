//go:build !purego

package sm4

import (
	"runtime"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/ghash"
)

// An SM4 driver calls GHASH kernels without checking the CPU, so it must need whatever
// they need. On riscv64 it uses the kernels that [ghash.Fastest] selects for the machine.
func TestNeedsOfGHASH(t *testing.T) {
	if runtime.GOARCH == "riscv64" {
		return
	}
	for row, d := range table.Drivers() {
		hash := ghash.Drivers()[traits[row].ghash]
		for bit := cpu.Set(1); bit != 0; bit <<= 1 {
			if hash.Needs.Has(bit) && cpu.Features().Has(d.Needs) && cpu.Features().Without(bit).Has(d.Needs) {
				t.Errorf("%s may run without %v, which %s of GHASH needs", d.Name, bit, hash.Name)
			}
		}
	}
}

// Functions for which some drivers have no kernel must accept every driver. No machine
// that can run the drivers is needed.
func TestRowsAreKnown(t *testing.T) {
	for row, d := range Drivers() {
		t.Run(d.Name, func(t *testing.T) {
			row := uint8(row)
			traitOf(row)
			xtsDefault(row, nil, nil, nil, nil, 0, false)
			cfbDecryptDefault(row, nil, nil, nil, nil)
			countersDefault(row, nil, nil, 0, 0, nil, nil)
		})
	}
}
