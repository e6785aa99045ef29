package fused

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/simd"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Registers of the scalar ChaCha20: rows a, b and d. Row c is in memory.
var words = [16]reg.GPPhysical{
	0: reg.EAX, reg.EBX, reg.ECX, reg.EDX,
	4: reg.ESI, reg.EDI, reg.EBP, reg.R8L,
	12: reg.R9L, reg.R10L, reg.R11L, reg.R12L,
}

// Words of row c are in registers during a quarter round, two at a time.
var wordC = [2]reg.GPPhysical{reg.R13L, reg.R14L}

// scalarRounds returns a double round of one block.
func scalarRounds(rowC Mem) (s stream) {
	for diagonal := range 2 {
		for pair := 0; pair < 4; pair += 2 {
			var list []stream
			for i := pair; i < pair+2; i++ {
				a, b, c := words[i], words[4+(i+diagonal)%4], wordC[i-pair]
				at, d := rowC.Offset(4*((i+2*diagonal)%4)), words[12+(i+3*diagonal)%4]
				var q stream
				for half, n := range [2][2]uint64{{16, 12}, {8, 7}} {
					if half == 0 {
						q.Add(func() { MOVL(at, c) })
					}
					q.Add(func() { ADDL(b, a) })
					q.Add(func() { XORL(a, d) })
					q.Add(func() { ROLL(Imm(n[0]), d) })
					q.Add(func() { ADDL(d, c) })
					q.Add(func() { XORL(c, b) })
					if half == 1 {
						q.Add(func() { MOVL(c, at) })
					}
					q.Add(func() { ROLL(Imm(n[1]), b) })
				}
				list = append(list, q)
			}
			s = append(s, amd64.Weave(list...)...)
		}
	}
	return s
}

// scalarStart reads the initial state of the block with the counter.
func scalarStart(rowC Mem, counter Op) {
	for i := range 4 {
		MOVL(Mem{Base: ctx, Disp: stateAt + 4*(8+i)}, reg.EAX)
		MOVL(reg.EAX, rowC.Offset(4*i))
	}
	for w := range 16 {
		switch {
		case w == 12:
			MOVL(counter, words[w])
		case w/4 != 2:
			MOVL(Mem{Base: ctx, Disp: stateAt + 4*w}, words[w])
		}
	}
}

// scalarRows returns the rows of the block, the initial state added, in four
// vector registers.
func (k Kind) scalarRows(rowC Mem) (rows [4]reg.VecPhysical) {
	for row := range 4 {
		v := amd64.XMM[4*row : 4*row+4]
		for i := range 4 {
			if row == 2 {
				k.movd(rowC.Offset(4*i), v[i], 4)
			} else {
				k.movd(words[4*row+i], v[i], 4)
			}
		}
		k.low32(v[1], v[0])
		k.low32(v[3], v[2])
		k.low64(v[2], v[0])
		simd.Read(Mem{Base: ctx, Disp: stateAt + 16*row}, v[1])
		simd.Add32(v[1], v[0], v[0])
		rows[row] = v[0]
	}
	return rows
}

// keyFinish makes the key of Poly1305 from block 0.
func keyFinish() {
	for w := range 8 {
		ADDL(Mem{Base: ctx, Disp: stateAt + 4*w}, words[w])
		if w < 4 {
			ANDL(U32([]uint32{0x0fffffff, 0x0ffffffc}[min(w, 1)]), words[w])
			MOVL(words[w], Mem{Base: ctx, Disp: powersAt + 4*w})
		}
		MOVL(words[w], Mem{Base: ctx, Disp: keyAt + 4*w})
	}
	MOVQ(U32(0), field(powersAt, 2))
}

// keyRounds emits the rounds of a first pass: five double rounds of the vectors
// with ten of block 0, then five with the powers of r.
func (k Kind) keyRounds(name string, double stream, rounds, rowC Mem, context func()) {
	k.blockRounds(name, double, rounds, rowC, context)
	k.powerRounds(name, double, rounds, nil)
}

func (k Kind) blockRounds(name string, double stream, rounds, rowC Mem, context func()) {
	scalarStart(rowC, U32(0))
	MOVQ(U32(5), rounds)
	Label(name + "Key")
	amd64.Weave(double, append(scalarRounds(rowC), scalarRounds(rowC)...)).Write()
	DECQ(rounds)
	JNZ(LabelRef(name + "Key"))
	context() // where words of row c were
	keyFinish()
}

// powerRounds computes a power in each double round, and what more there is.
func (k Kind) powerRounds(name string, double stream, rounds Mem, more stream) {
	MOVQ(U32(5), rounds)
	Label(name + "Powers")
	var power []Op
	for i, x := range hash {
		MOVQ(field(powersAt, i), x)
		power = append(power, field(powersAt, i))
	}
	amd64.Weave(double, append(multiply([3]Op(power)), more...)).Write()
	ADDQ(Imm(24), ctx)
	for i, x := range hash {
		MOVQ(x, field(powersAt, i))
	}
	DECQ(rounds)
	JNZ(LabelRef(name + "Powers"))
	SUBQ(Imm(5*24), ctx)
}

// ladder calls step for 8, 4, 2 and 1 bytes, each where n has the bit.
func ladder(name string, n reg.GPPhysical, step func(size int)) {
	for size := 8; size > 0; size /= 2 {
		skip := fmt.Sprintf("%s%d", name, size)
		TESTB(U8(size), n.As8L())
		JEQ(LabelRef(skip))
		step(size)
		Label(skip)
	}
}

func read(size int, m Mem, r reg.GPPhysical) {
	switch size {
	case 8:
		MOVQ(m, r)
	case 4:
		MOVL(m, r.As32())
	case 2:
		MOVWLZX(m, r.As32())
	case 1:
		MOVBLZX(m, r.As32())
	}
}

func write(size int, r reg.GPPhysical, m Mem) {
	switch size {
	case 8:
		MOVQ(r, m)
	case 4:
		MOVL(r.As32(), m)
	case 2:
		MOVW(r.As16(), m)
	case 1:
		MOVB(r.As8L(), m)
	}
}
