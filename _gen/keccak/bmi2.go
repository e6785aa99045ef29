package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/keccak/f1600"
)

// bmi2 is where the kernels for one state keep what they work on.
type bmi2 struct {
	table   Mem
	c, d, b [5]reg.GPPhysical

	from, to                     Mem
	d4, next, pairs, in, left, n Mem
}

func newBMI2(table Mem) *bmi2 {
	k := &bmi2{
		table: table,
		c:     [5]reg.GPPhysical{reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.RSI},
		d:     [5]reg.GPPhysical{reg.RDI, reg.R8, reg.R9, reg.R10, reg.RBP},
		b:     [5]reg.GPPhysical{reg.R11, reg.R12, reg.R13, reg.R14, reg.R15},
	}
	k.from, k.to = AllocLocal(200), AllocLocal(200)
	k.d4, k.next, k.pairs = AllocLocal(8), AllocLocal(8), AllocLocal(8)
	k.in, k.left, k.n = AllocLocal(8), AllocLocal(8), AllocLocal(8)
	return k
}

const registersBMI2 = "AX BX CX DX SI hold the parities C of the columns, DI R8 R9 R10 BP the words D of theta, R11 to R15 a plane before chi."

func absorbBMI2(table Mem) {
	TEXT("AbsorbBMI2", attr.NOSPLIT, "func(a *[25]uint64, p *byte, words, blocks int)")
	Comment(
		"AbsorbBMI2 adds a block to the state and permutes it with Keccak-f[1600], for each block.",
		"func AbsorbBMI2(a *[25]uint64, p *byte, words, blocks int)",
		"words is 17 or 21, blocks is not 0.",
		registersBMI2,
		"While a round runs, the parities of its result add up in C as lanes come out: the first plane of",
		"chi goes there as it is. BP is free after that plane, and D4 comes from memory from then on; the",
		"last plane is made where D is. So all fits into fifteen registers, and D, through which every round",
		"has to pass, is never waited for in memory.",
		"Stack: two states, of which a round reads one and writes the other; D4; where the next round",
		"constant is; how many pairs of rounds and how many blocks are left; where the next one is.",
		"A lane takes a load, xor, rotation, and-not, xor, store and the xor for the parity: 130 operations",
		"of the ALUs a round and 25 stores, which take their time too. On Zen 5, which does 5.3 of these in a",
		"cycle, that is 29 cycles a round, 700 in all; the path from D to the next D, seven operations long,",
		"adds a few to each round, for little runs beside its end. Measured: 845 cycles a block.")
	k := newBMI2(table)
	k.begin()
	Label("absorb")
	p := k.d[0]
	MOVQ(k.in, p)
	for i := range 25 {
		if i == 17 {
			CMPQ(k.n, Imm(8*17))
			JEQ(LabelRef("short"))
			for j := 17; j < 21; j++ {
				t := k.b[j%4]
				MOVQ(Mem{Base: p, Disp: 8 * j}, t)
				XORQ(t, k.from.Offset(8*j))
			}
			Label("short")
		}
		c := k.c[i%5]
		switch {
		case i < 5:
			MOVQ(Mem{Base: p, Disp: 8 * i}, c)
			XORQ(k.from.Offset(8*i), c)
			MOVQ(c, k.from.Offset(8*i))
		case i < 17:
			t := k.b[i%5]
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
	TEXT("SqueezeBMI2", attr.NOSPLIT, "func(a *[25]uint64, p *byte, words, blocks int)")
	Comment(
		"SqueezeBMI2 copies a block of the state and permutes it with Keccak-f[1600], for each block.",
		"func SqueezeBMI2(a *[25]uint64, p *byte, words, blocks int)",
		"words is 17 or 21, blocks is not 0.",
		registersBMI2,
		"The rounds are those of AbsorbBMI2, as is the stack.")
	k := newBMI2(table)
	k.begin()
	Label("squeeze")
	p := k.d[0]
	MOVQ(k.in, p)
	for i := range 25 {
		c, t := k.c[i%5], k.b[i%5]
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
		t := k.b[i%5]
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
		t := k.b[i%5]
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
	MOVQ(k.from.Offset(192), k.b[0])
	MOVQ(k.b[0], Mem{Base: p, Disp: 192})
	for _, m := range []Mem{k.from.Offset(192), k.to.Offset(192), k.d4} {
		MOVQ(reg.X0, m)
	}
	PXOR(reg.X1, reg.X1)
	RET()
}

func (k *bmi2) permute() {
	LEAQ(k.table, k.b[0])
	MOVQ(k.b[0], k.next)
	MOVQ(U32(12), k.pairs)
	Label("rounds")
	k.round(k.from, k.to, 0)
	k.round(k.to, k.from, 1)
	DECQ(k.pairs)
	JNE(LabelRef("rounds"))
}

func (k *bmi2) round(from, to Mem, second int) {
	Comment("theta: D[x] = C[x-1] ^ C[x+1] <<< 1")
	for _, x := range []int{4, 3, 0, 1, 2} { // D[4] goes through memory
		RORXQ(Imm(63), k.c[(x+1)%5], k.d[x])
		XORQ(k.c[(x+4)%5], k.d[x])
		if x == 4 {
			MOVQ(k.d[4], k.d4)
		}
	}
	temp := k.d[4]
	for y, lanes := range f1600.Plane {
		b := k.b
		for i, l := range lanes {
			x := l.Lane % 5
			switch {
			case y == 4 && x < 4:
				b[i] = k.d[x]
				XORQ(from.Offset(8*l.Lane), b[i])
			case y > 0 && x == 4:
				MOVQ(k.d4, b[i])
				XORQ(from.Offset(8*l.Lane), b[i])
			default:
				MOVQ(from.Offset(8*l.Lane), b[i])
				XORQ(k.d[x], b[i])
			}
			if l.Rotate != 0 {
				RORXQ(Imm(uint64(64-l.Rotate)), b[i], b[i])
			}
		}
		for x := range 5 {
			out := temp
			if y == 0 {
				out = k.c[x]
			}
			ANDNQ(b[(x+2)%5], b[(x+1)%5], out)
			XORQ(b[x], out)
			if y == 0 && x == 0 {
				continue // iota comes first
			}
			MOVQ(out, to.Offset(8*(5*y+x)))
			if y > 0 {
				XORQ(out, k.c[x])
			}
		}
		if y == 0 {
			MOVQ(k.next, b[0])
			XORQ(Mem{Base: b[0], Disp: 8 * second}, k.c[0])
			if second == 1 {
				ADDQ(Imm(16), b[0])
				MOVQ(b[0], k.next)
			}
			MOVQ(k.c[0], to)
		}
	}
}
