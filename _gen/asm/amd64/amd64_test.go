package amd64

import (
	"slices"
	"testing"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

func vec(n int) asm.Reg { return asm.Reg{Class: asm.Class(reg.KindVector), N: n} }
func gp(r reg.GPPhysical) asm.Reg {
	return asm.Reg{Class: asm.Class(reg.KindGP), N: int(r.PhysicalIndex())}
}

// TestOp looks at what instructions read and write.
func TestOp(t *testing.T) {
	m := operand.Mem{Base: reg.RBX, Index: reg.RCX, Scale: 1}
	base := operand.Mem{Base: reg.RBX, Disp: 16}
	mask := asm.Reg{Class: asm.Class(reg.KindOpmask), N: int(reg.K3.PhysicalIndex())}
	for _, x := range []struct {
		name          string
		op            asm.Op
		reads, writes []asm.Reg
		memory        asm.Access
	}{
		{"three registers", VPADDW(reg.Z1, reg.Z2, reg.Z3), []asm.Reg{vec(1), vec(2)}, []asm.Reg{vec(3)}, asm.NoMemory},
		{"parts of registers", VPXOR(reg.X1, reg.X2, reg.X3), []asm.Reg{vec(1), vec(2)}, []asm.Reg{vec(3)}, asm.NoMemory},
		{"the result is a source", VPDPWSSD(reg.Z1, reg.Z2, reg.Z3), []asm.Reg{vec(1), vec(2), vec(3)}, []asm.Reg{vec(3)}, asm.NoMemory},
		{"cleared", XORQ(reg.RAX, reg.RAX), nil, []asm.Reg{gp(reg.RAX)}, asm.NoMemory},
		{"masked", VPSHUFB(reg.Z1, reg.Z2, reg.K3, reg.Z4), []asm.Reg{vec(1), vec(2), mask, vec(4)}, []asm.Reg{vec(4)}, asm.NoMemory},
		{"load", MOVQ(m, reg.RAX), []asm.Reg{gp(reg.RBX), gp(reg.RCX)}, []asm.Reg{gp(reg.RAX)}, asm.Load},
		{"keys in memory", VSM4RNDS4(base, reg.Y1, reg.Y2), []asm.Reg{vec(1), gp(reg.RBX)}, []asm.Reg{vec(2)}, asm.Load},
		{"encoded, the result is a source", VSM3RNDS2(2, reg.X1, reg.X2, reg.X3), []asm.Reg{vec(1), vec(2), vec(3)}, []asm.Reg{vec(3)}, asm.NoMemory},
		{"store", MOVQ(reg.RAX, m), []asm.Reg{gp(reg.RAX), gp(reg.RBX), gp(reg.RCX)}, nil, asm.Store},
	} {
		if !slices.Equal(sorted(x.op.Reads), sorted(x.reads)) || !slices.Equal(x.op.Writes, x.writes) || x.op.Memory != x.memory {
			t.Errorf("%s: reads %v, writes %v, memory %d", x.name, x.op.Reads, x.op.Writes, x.op.Memory)
		}
		if got, ok := Memory(x.op); ok != (x.memory != asm.NoMemory) || ok && got.Asm() != m.Asm() && got.Asm() != base.Asm() {
			t.Errorf("%s: address %v", x.name, got)
		}
	}
}

func sorted(list []asm.Reg) []asm.Reg {
	list = slices.SortedFunc(slices.Values(list), func(a, b asm.Reg) int { return (int(a.Class)-int(b.Class))*100 + a.N - b.N })
	return slices.Compact(list)
}

// TestWeave: streams that use parts of the same register cannot be woven.
func TestWeave(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("woven")
		}
	}()
	asm.Weave(asm.Stream{VPADDW(reg.Z1, reg.Z2, reg.Z3)}, asm.Stream{VPXOR(reg.X3, reg.X4, reg.X5)})
}
