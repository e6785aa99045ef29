package arm64

import (
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

// Cycles of loops by a model and by llvm-mca 19.1.7 (-mcpu=… -iterations=100, cycles per
// pass). The models start instructions in order, so they are compared after asm.Schedule.
func TestModels(t *testing.T) {
	x := func(n int) asm.Reg { return V(n) }
	// Eight blocks of AES: nine rounds and the last one.
	var aes asm.Stream
	for range 9 {
		for b := range 8 {
			aes.Add(AESE(x(16), x(b)), AESMC(x(b), x(b)))
		}
	}
	for b := range 8 {
		aes.Add(AESE(x(16), x(b)), VEOR(x(17), x(b), x(b)))
	}
	// A chain of additions with carry and multiplications.
	var chain asm.Stream
	for range 8 {
		chain.Add(ADDS(R(1), R(2), R(2)), ADC(R(3), R(4), R(4)), MUL(R(2), R(4), R(2)))
	}
	// Eight independent quarter rounds' first steps.
	var sums asm.Stream
	for range 8 {
		for b := range 8 {
			sums.Add(VADD(S4, x(8+b), x(b), x(b)))
		}
		for b := range 8 {
			sums.Add(VEOR(x(b), x(16+b), x(16+b)))
		}
		for b := range 8 {
			sums.Add(VREV32(H8, x(16+b), x(16+b)))
		}
	}
	for _, c := range []struct {
		name  string
		loop  asm.Stream
		model *asm.Model
		mca   int
	}{
		{"aes", aes, CortexA72, 152}, {"aes", aes, NeoverseN1, 152}, {"aes", aes, NeoverseV2, 40},
		{"chain", chain, CortexA72, 56}, {"chain", chain, NeoverseN1, 48}, {"chain", chain, NeoverseV2, 32},
		{"sums", sums, CortexA72, 96}, {"sums", sums, NeoverseN1, 96}, {"sums", sums, NeoverseV2, 48},
	} {
		// The time of one more pass, when passes overlap as in a core that reorders.
		passes := func(n int) int {
			return c.model.Cycles(asm.Schedule(slices.Repeat(c.loop, n), c.model))
		}
		got := (passes(4) - passes(2)) / 2
		if d := got - c.mca; 100*d > 8*c.mca || -100*d > 8*c.mca {
			t.Errorf("%s on %s: %d cycles, llvm-mca says %d", c.name, c.model.Name, got, c.mca)
		}
	}
}
