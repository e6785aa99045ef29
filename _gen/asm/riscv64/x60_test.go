package riscv64

import (
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

func TestX60(t *testing.T) {
	pair, four := list(V(2), V(3)), list(V(4), V(5), V(6), V(7))
	for _, c := range []struct {
		op   asm.Op
		want asm.Cost
	}{
		{ADD(X(5), X(6), X(7)), asm.Cost{Unit: "integer", Busy: 1, Latency: 1}},
		{MOV(8, X(6), X(7)), asm.Cost{Unit: "integer", Busy: 1, Latency: 3}},
		{SD(X(7), 8, X(6)), asm.Cost{Unit: "integer", Busy: 1, Latency: 1}},
		{MULHU(X(5), X(6), X(7)), asm.Cost{Unit: "multiplier", Busy: 3, Latency: 5}},
		{VSETVLI(X(5), E8, M1, TA, X(6)), asm.Cost{Unit: "integer", Busy: 1, Latency: 1}},
		{VADDVV(V(1), V(2), V(3)), asm.Cost{Unit: "vector", Busy: 1, Latency: 4}},
		{VXORVV(V(1), V(2), V(3)), asm.Cost{Unit: "vector", Busy: 2, Latency: 4}},
		{VXORVV(four, four, four), asm.Cost{Unit: "vector", Busy: 8, Latency: 4}},
		{VRGATHERVV(V(1), V(2), V(3)), asm.Cost{Unit: "vector", Busy: 4, Latency: 4}},
		{VRGATHERVV(four, four, four), asm.Cost{Unit: "vector", Busy: 64, Latency: 4}},
		{VMACCVX(V(1), X(5), V(2)), asm.Cost{Unit: "vector", Busy: 1, Latency: 7}},
		{VWMACCUVX(V(1), X(5), pair), asm.Cost{Unit: "vector", Busy: 1, Latency: 7}},
		{VLSEG4E32V(X(5), four), asm.Cost{Unit: "vector", Busy: 25, Latency: 26}},
		{VLE8V(X(5), four), asm.Cost{Unit: "vector", Busy: 12, Latency: 4}},
		{VSE8V(V(1), X(5)), asm.Cost{Unit: "vector", Busy: 3, Latency: 1}},
	} {
		if got := X60.Cost(c.op); got != c.want {
			t.Errorf("%s: %v, want %v", c.op.Text, got, c.want)
		}
	}

	// Two chains take as long as one.
	chain := func(from, to asm.Reg) asm.Stream {
		return asm.Stream{VADDVV(from, from, to), VADDVV(to, to, to), VADDVV(to, to, to)}
	}
	s := append(chain(V(1), V(2)), chain(V(1), V(3))...)
	if got := X60.Cycles(s); got != 21 {
		t.Errorf("one after the other: %d cycles", got)
	}
	if got := X60.Cycles(asm.Schedule(s, X60)); got != 13 {
		t.Errorf("in order: %d cycles", got)
	}
	// Nothing moves across VSETVLI.
	s = asm.Stream{VXORVV(V(1), V(1), V(2)), VSETVLI(X(5), E8, M1, TA, X(6)), VADDVV(V(3), V(3), V(4))}
	if got := asm.Schedule(s, X60); slices.IndexFunc(got, func(o asm.Op) bool { return o.Name == "VSETVLI" }) != 1 {
		t.Error(got)
	}
}
