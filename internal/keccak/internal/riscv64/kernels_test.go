//go:build riscv64 && !purego

package riscv64

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// The results of the kernels are tested through package keccak. Here the stack must be the
// same after two different states and messages: nothing of them is left.
func TestNothingLeftOnTheStack(t *testing.T) {
	if !cpu.Features().Has(cpu.ZBB) {
		t.Skip("this CPU lacks Zbb")
	}
	a, buffer := new([25]uint64), make([]byte, 2*168+1)
	for shift := range 2 {
		p := buffer[shift:][:2*168]
		secret := func(seed byte) {
			for i := range a {
				a[i] = uint64(seed) * 0x5a01010101010101
			}
			for i := range p {
				p[i] = seed * byte(i)
			}
		}
		for name, f := range map[string]func(*[25]uint64, []byte, int){
			"absorb": AbsorbZBB, "squeeze": SqueezeZBB,
		} {
			if left := guard.Left(secret, func() { f(a, p, 21) }); left > 0 {
				t.Errorf("%s: %d bytes on the stack depend on the state", name, left)
			}
		}
	}
}
