package arm64

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

// Each instruction of testdata/mca.txt, in its order.
func TestModelsInstructions(t *testing.T) {
	x, m := V, At(R(1), 0)
	four := []asm.Reg{x(0), x(1), x(2), x(3)}
	ops := asm.Stream{
		ADD(R(2), R(1), R(0)), EORW(R(2), R(1), R(0)), ADC(R(2), R(1), R(0)), CSEL(EQ, R(1), R(2), R(0)), REV(R(1), R(0)),
		LSR(3, R(1), R(0)), ADD(Left(R(2), 5), R(1), R(0)), EXTR(7, R(2), R(1), R(0)), BFI(3, R(1), 4, R(0)),
		MUL(R(2), R(1), R(0)), MADD(R(2), R(3), R(1), R(0)), UMULH(R(2), R(1), R(0)), UMULL(R(2), R(1), R(0)), UMADDL(R(2), R(3), R(1), R(0)),
		VEOR(x(2), x(1), x(0)), VADD(S4, x(2), x(1), x(0)), VEXT(8, x(2), x(1), x(0)), VTRN1(S4, x(2), x(1), x(0)),
		VREV32(H8, x(1), x(0)), VMOVI(1, x(0)), VBSL(x(2), x(1), x(0)), VBIT(x(2), x(1), x(0)),
		VZIP1(S4, x(2), x(1), x(0)), VUZP2(D2, x(2), x(1), x(0)), VSHL(S4, 7, x(1), x(0)), VSRI(S4, 7, x(1), x(0)), VUSHLL(H4, 1, x(1), x(0)),
		VTBL(x(5), four[:1], x(0)), VTBL(x(5), four[:2], x(0)), VTBL(x(5), four[:3], x(0)), VTBL(x(5), four, x(0)),
		VTBX(x(5), four[:1], x(0)), VTBX(x(5), four[:2], x(0)), VTBX(x(5), four[:3], x(0)), VTBX(x(5), four, x(0)),
		VMOV(x(1), x(0)), VMOV(Lane(S4, x(1), 2), Lane(S4, x(0), 1)), VMOV(R(1), Lane(D2, x(0), 1)), VMOV(Lane(D2, x(1), 1), R(0)),
		VDUP(S4, R(1), x(0)), VDUP(S4, Lane(S4, x(1), 1), x(0)), FMOVD(R(1), x(0)), FMOVD(x(1), R(0)),
		AESE(x(1), x(0)), AESIMC(x(1), x(0)), VPMULL(D1, x(2), x(1), x(0)), VPMULL2(D2, x(2), x(1), x(0)),
		VMUL(S4, x(2), x(1), x(0)), VMLA(S4, x(2), x(1), x(0)), VUMULL(S2, x(2), x(1), x(0)), VUMLAL(S2, x(2), x(1), x(0)),
		MOVD(m, R(0)), LDP(m, R(2), R(0)), FMOVQ(m, x(0)), FMOVD(m, x(0)),
		VLD1(B16, m, four[:1]), VLD1(B16, m, four[:2]), VLD1(B16, m, four[:3]), VLD1(B16, m, four),
		VLD1R(S4, m, x(0)), FLDPQ(m, x(0), x(1)), VLD4R(S4, m, four), VLD4(S4, m, four),
		MOVD(R(0), m), STP(R(0), R(2), m), FMOVQ(x(0), m), FMOVD(x(0), m),
		VST1(B16, four[:1], m), VST1(B16, four[:2], m), VST1(B16, four[:3], m), VST1(B16, four, m),
		FSTPQ(x(0), x(1), m), VST4(S4, four, m),
	}
	text, err := os.ReadFile("testdata/mca.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(string(text)), "\n"), func(s string) bool { return strings.HasPrefix(s, "#") })
	if len(lines) != len(ops) {
		t.Fatalf("%d lines, %d instructions", len(lines), len(ops))
	}
	covered := map[string]bool{}
	for i, o := range ops {
		covered[class(o)] = true
		columns := strings.Split(lines[i], " | ")
		for k, model := range []*asm.Model{CortexA72, NeoverseN1, NeoverseV2} {
			latency, cycles := 0, 0.0
			if _, err := fmt.Sscan(columns[k], &latency, &cycles); err != nil {
				t.Fatal(err)
			}
			c := model.Cost(o)
			each := float64(c.Busy) / float64(model.Units[c.Unit])
			if c.Latency != latency || math.Abs(each-cycles) > 0.01 {
				t.Errorf("%s, %s: latency %d and %.2f cycles each, llvm-mca says %d and %.2f", model.Name, columns[3], c.Latency, each, latency, cycles)
			}
		}
	}
	// Of instructions that cost the same, one is in the file.
	same := map[cost]bool{}
	for name := range covered {
		same[costs[name]] = true
	}
	for name, c := range costs {
		if !same[c] {
			t.Errorf("no instruction of the class %s is compared", name)
		}
	}
}

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
