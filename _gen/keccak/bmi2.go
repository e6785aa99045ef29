package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/keccak/f1600"
)

// bmi2 is where the kernels for one state keep what they work on, besides the registers.
type bmi2 struct {
	*f1600.State
	constants Mem // of all rounds
	d         [4]reg.GPPhysical

	from, to Mem // the state, between pairs of rounds, and after the first one
	pairs    Mem // pairs of rounds that this permutation has left
	in       Mem // the next block
	left     Mem // blocks left
	n        Mem // bytes in a block
}

func newBMI2(f *amd64.Kernel, constants Mem) *bmi2 {
	k := &bmi2{constants: constants, d: [4]reg.GPPhysical{reg.RDI, reg.R8, reg.R9, reg.R10}}
	k.from, k.to = AllocLocal(200), AllocLocal(200)
	d4, next := AllocLocal(8), AllocLocal(8)
	k.pairs, k.in, k.left, k.n = AllocLocal(8), AllocLocal(8), AllocLocal(8), AllocLocal(8)
	k.State = f1600.NewState(next)
	k.B = [5]reg.GPPhysical{reg.R11, reg.R12, reg.R13, reg.R14, reg.R15}
	k.Temp = reg.RBP
	k.OrderD = [5]int{4, 3, 0, 1, 2}
	for x, d := range k.d {
		k.D[x] = d
	}
	k.D[4], k.InTemp, k.ReuseD = d4, 4, true
	f.GPs(k.C[:], "C, the parities of the columns")
	f.GPs(k.d[:], "D0 to D3 of theta; in the last plane B")
	f.GPs([]reg.GPPhysical{k.Temp}, "D4 in the first plane, then temporary")
	f.GPs(k.B[:], "B, a plane before chi")
	f.Note("stack", "two states, of which a round reads one and writes the other; D4; where the next round")
	f.Note("", "constant is; how many pairs of rounds and how many blocks are left; where the next one is")
	return k
}

func absorbBMI2(table Mem) {
	f := amd64.Begin("AbsorbBMI2", "(a *[25]uint64, p *byte, words, blocks int)",
		"AbsorbBMI2 adds a block to the state and permutes it with Keccak-f[1600], for each block.",
		"words is 17 or 21, blocks is not 0.")
	k := newBMI2(f, table)
	f.Table(
		"While a round runs, the parities of its result add up in C as lanes come out: the first plane of",
		"chi goes there as it is. BP is free after that plane, and D4 comes from memory from then on; the",
		"last plane is made where D is. So all fits into fifteen registers, and D, through which every round",
		"has to pass, is never waited for in memory.",
		"A lane takes a load, xor, rotation, and-not, xor, store and the xor for the parity: 130 operations",
		"of the ALUs a round and 25 stores, which take their time too. On Zen 5, which does 5.3 of these in a",
		"cycle, that is 29 cycles a round, 700 in all; the path from D to the next D, seven operations long,",
		"adds a few to each round, for little runs beside its end. Measured: 845 cycles a block.")
	k.begin()
	Label("absorb")
	p := k.d[0]
	MOVQ(k.in, p)
	for i := range 25 {
		if i == 17 {
			CMPQ(k.n, Imm(8*17))
			JEQ(LabelRef("short"))
			for j := 17; j < 21; j++ {
				t := k.B[j%4]
				MOVQ(Mem{Base: p, Disp: 8 * j}, t)
				XORQ(t, k.from.Offset(8*j))
			}
			Label("short")
		}
		c := k.C[i%5]
		switch {
		case i < 5:
			MOVQ(Mem{Base: p, Disp: 8 * i}, c)
			XORQ(k.from.Offset(8*i), c)
			MOVQ(c, k.from.Offset(8*i))
		case i < 17:
			t := k.B[i%5]
			MOVQ(Mem{Base: p, Disp: 8 * i}, t)
			XORQ(k.from.Offset(8*i), t)
			MOVQ(t, k.from.Offset(8*i))
			XORQ(t, c)
		default:
			XORQ(k.from.Offset(8*i), c)
		}
	}
	ADDQ(k.n, p)
	MOVQ(p, k.in)
	k.permute()
	DECQ(k.left)
	JNE(LabelRef("absorb"))
	k.end()
}

func squeezeBMI2(table Mem) {
	f := amd64.Begin("SqueezeBMI2", "(a *[25]uint64, p *byte, words, blocks int)",
		"SqueezeBMI2 copies a block of the state and permutes it with Keccak-f[1600], for each block.",
		"words is 17 or 21, blocks is not 0.")
	k := newBMI2(f, table)
	f.Table("The rounds are those of AbsorbBMI2.")
	k.begin()
	Label("squeeze")
	p := k.d[0]
	MOVQ(k.in, p)
	for i := range 25 {
		c, t := k.C[i%5], k.B[i%5]
		switch {
		case i < 5:
			MOVQ(k.from.Offset(8*i), c)
			MOVQ(c, Mem{Base: p, Disp: 8 * i})
		case i < 17:
			MOVQ(k.from.Offset(8*i), t)
			XORQ(t, c)
			MOVQ(t, Mem{Base: p, Disp: 8 * i})
		default:
			XORQ(k.from.Offset(8*i), c)
		}
	}
	CMPQ(k.n, Imm(8*17))
	JEQ(LabelRef("short"))
	for i := 17; i < 21; i++ {
		t := k.B[i%5]
		MOVQ(k.from.Offset(8*i), t)
		MOVQ(t, Mem{Base: p, Disp: 8 * i})
	}
	Label("short")
	ADDQ(k.n, p)
	MOVQ(p, k.in)
	k.permute()
	DECQ(k.left)
	JNE(LabelRef("squeeze"))
	k.end()
}

func (k *bmi2) begin() {
	p := k.d[0]
	Load(Param("words"), p)
	SHLQ(Imm(3), p)
	MOVQ(p, k.n)
	Load(Param("blocks"), p)
	MOVQ(p, k.left)
	Load(Param("p"), p)
	MOVQ(p, k.in)
	Load(Param("a"), p)
	for i := range 25 {
		t := k.B[i%5]
		MOVQ(Mem{Base: p, Disp: 8 * i}, t)
		MOVQ(t, k.from.Offset(8*i))
	}
}

// end also clears what the stack has of the state.
func (k *bmi2) end() {
	p := k.d[0]
	Load(Param("a"), p)
	PXOR(reg.X0, reg.X0)
	for i := 0; i < 24; i += 2 {
		MOVOU(k.from.Offset(8*i), reg.X1)
		MOVOU(reg.X1, Mem{Base: p, Disp: 8 * i})
		MOVOU(reg.X0, k.from.Offset(8*i))
		MOVOU(reg.X0, k.to.Offset(8*i))
	}
	MOVQ(k.from.Offset(192), k.B[0])
	MOVQ(k.B[0], Mem{Base: p, Disp: 192})
	for _, m := range []Op{k.from.Offset(192), k.to.Offset(192), k.D[4]} {
		MOVQ(reg.X0, m)
	}
	PXOR(reg.X1, reg.X1)
	RET()
}

func (k *bmi2) permute() {
	LEAQ(k.constants, k.B[0])
	MOVQ(k.B[0], k.Next)
	MOVQ(U32(12), k.pairs)
	Label("rounds")
	amd64.Write(k.TwoRounds(k.from, k.to))
	DECQ(k.pairs)
	JNE(LabelRef("rounds"))
}
