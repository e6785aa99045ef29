//go:build !purego

package sm4

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

// TestRuleOfEOR3: without the SM4 instructions, EOR3 is for the CPUs that gain by it.
func TestRuleOfEOR3(t *testing.T) {
	rows := Drivers()
	if !rows[aesSHA3].Available() {
		t.Skip("no SHA3 instructions")
	}
	want := aes
	switch on := cpu.Microarchitecture(); {
	case rows[sm4e].Available():
		want = sm4e
	case on == cpu.Apple, on == cpu.Ampere1:
		want = aesSHA3
	}
	if got := table.Default(); got.Bulk() != want || got.Short() != want {
		t.Errorf("%v: %v, want %s", cpu.Microarchitecture(), got, rows[want].Name)
	}
}
