package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/keccak/f1600"
	"github.com/cipherlane/cipherlane/_gen/keccak/fips202"
)

var ymm = amd64.YMM

func permuteAVX2() {
	table := f1600.Constants("roundConstants256")
	bytes := GLOBL("rotateBytes256", attr.RODATA|attr.NOPTR)
	for i := range 64 { // by 8 bits to the left, then by 56
		shift := 7
		if i >= 32 {
			shift = 1
		}
		DATA(i, U8(i%32&^7|(i+shift)&7))
	}
	TEXT("PermuteAVX2", attr.NOSPLIT, "func(a *[200]uint64)")
	Comment(
		"PermuteAVX2 is Keccak-f[1600] of four states; a[4i+k] is lane i of state k.",
		"func PermuteAVX2(a *[200]uint64)",
		"The second half of a is of no account: a round reads one half and writes the other.",
		"AX is a, BX where the next round constant is, CX counts. Y0 to Y4 hold the parities C of the columns,",
		"and while a round runs those of its result, which add up as lanes come out. Y5 to Y9 hold D of theta,",
		"Y10 to Y14 a plane before chi, Y15 is temporary.",
		"A rotation is two shifts and an or. That makes 190 operations a round; four of them in a cycle take",
		"48 cycles, 1150 in all, and the two units that shift need 30 of the 48. Measured on Zen 5: 1415.")
	a, rc, left := reg.RAX, reg.RBX, reg.RCX
	c, d, b, t := ymm[:5], ymm[5:10], ymm[10:15], ymm[15]
	Load(Param("a"), a)
	LEAQ(table, rc)
	MOVL(U32(12), reg.ECX)
	for i := range 25 {
		if i < 5 {
			VMOVDQU(Mem{Base: a, Disp: 32 * i}, c[i])
		} else {
			VPXOR(Mem{Base: a, Disp: 32 * i}, c[i%5], c[i%5])
		}
	}
	Label("rounds")
	for half := range 2 {
		from, to := 800*half, 800-800*half
		for x := range 5 {
			VPSRLQ(Imm(63), c[(x+1)%5], t)
			VPADDQ(c[(x+1)%5], c[(x+1)%5], d[x])
			VPXOR(c[(x+4)%5], t, t)
			VPXOR(t, d[x], d[x])
		}
		for y, lanes := range fips202.Plane {
			for i, l := range lanes {
				VPXOR(Mem{Base: a, Disp: from + 32*l.Lane}, d[l.Lane%5], b[i])
				switch l.Rotate {
				case 0:
				case 8:
					VPSHUFB(bytes, b[i], b[i])
				case 56:
					VPSHUFB(bytes.Offset(32), b[i], b[i])
				default:
					VPSRLQ(Imm(uint64(64-l.Rotate)), b[i], t)
					VPSLLQ(Imm(uint64(l.Rotate)), b[i], b[i])
					VPOR(t, b[i], b[i])
				}
			}
			for x := range 5 {
				out := t
				if y == 0 {
					out = c[x]
				}
				VPANDN(b[(x+2)%5], b[(x+1)%5], out)
				VPXOR(b[x], out, out)
				if y == 0 && x == 0 {
					VPBROADCASTQ(Mem{Base: rc, Disp: 8 * half}, t)
					VPXOR(t, out, out)
				}
				VMOVDQU(out, Mem{Base: a, Disp: to + 32*(5*y+x)})
				if y > 0 {
					VPXOR(out, c[x], c[x])
				}
			}
		}
	}
	ADDQ(Imm(16), rc)
	DECL(left.As32())
	JNE(LabelRef("rounds"))
	VZEROUPPER()
	RET()
}

// transpose4 makes rows of columns: four registers of four words, through four
// others.
func transpose4(r, t []reg.VecPhysical) {
	for i := 0; i < 4; i += 2 {
		VPUNPCKLQDQ(r[i+1], r[i], t[i])
		VPUNPCKHQDQ(r[i+1], r[i], t[i+1])
	}
	for i := range 2 {
		VPERM2I128(Imm(0x20), t[i+2], t[i], r[i])
		VPERM2I128(Imm(0x31), t[i+2], t[i], r[i+2])
	}
}

func absorbAVX2() {
	TEXT("AbsorbWideAVX2", attr.NOSPLIT, "func(a *[200]uint64, p *[8]*byte, words int)")
	Comment(
		"AbsorbWideAVX2 adds a block to each of four states: word i at p[k] to a[4i+k].",
		"func AbsorbWideAVX2(a *[200]uint64, p *[8]*byte, words int)",
		"words is 17 or 21. AX is a, R8 to R11 are p, CX the last word, DX that of a. Y0 to Y7 hold four words",
		"of each block, before and after transposition.")
	exchange4(func(p []reg.GPPhysical, a reg.Register, i int) {
		for k := range 4 {
			VMOVDQU(Mem{Base: p[k], Disp: 8 * i}, ymm[k])
		}
		transpose4(ymm[:4], ymm[4:8])
		for k := range 4 {
			m := Mem{Base: a, Disp: 32 * (i + k)}
			VPXOR(m, ymm[k], ymm[k])
			VMOVDQU(ymm[k], m)
		}
	}, func(p []Mem, a Mem) {
		VMOVQ(p[0], reg.X0)
		VMOVQ(p[2], reg.X1)
		VPINSRQ(Imm(1), p[1], reg.X0, reg.X0)
		VPINSRQ(Imm(1), p[3], reg.X1, reg.X1)
		VINSERTI128(Imm(1), reg.X1, reg.Y0, reg.Y0)
		VPXOR(a, reg.Y0, reg.Y0)
		VMOVDQU(reg.Y0, a)
	})
}

func squeezeAVX2() {
	TEXT("SqueezeWideAVX2", attr.NOSPLIT, "func(a *[200]uint64, p *[8]*byte, words int)")
	Comment(
		"SqueezeWideAVX2 is the other direction of AbsorbWideAVX2: a[4i+k] to word i at p[k].",
		"func SqueezeWideAVX2(a *[200]uint64, p *[8]*byte, words int)",
		"words is 17 or 21. Registers as there.")
	exchange4(func(p []reg.GPPhysical, a reg.Register, i int) {
		for k := range 4 {
			VMOVDQU(Mem{Base: a, Disp: 32 * (i + k)}, ymm[k])
		}
		transpose4(ymm[:4], ymm[4:8])
		for k := range 4 {
			VMOVDQU(ymm[k], Mem{Base: p[k], Disp: 8 * i})
		}
	}, func(p []Mem, a Mem) {
		VMOVDQU(a, reg.Y0)
		VEXTRACTI128(Imm(1), reg.Y0, reg.X1)
		VMOVQ(reg.X0, p[0])
		VMOVQ(reg.X1, p[2])
		VPEXTRQ(Imm(1), reg.X0, p[1])
		VPEXTRQ(Imm(1), reg.X1, p[3])
	})
}

// exchange4 writes the frame of both: four groups of four words or five, then
// one word.
func exchange4(group func(p []reg.GPPhysical, a reg.Register, i int), last func(p []Mem, a Mem)) {
	a, list, words, end := reg.RAX, reg.RBX, reg.RCX, reg.RDX
	p := []reg.GPPhysical{reg.R8, reg.R9, reg.R10, reg.R11}
	Load(Param("a"), a)
	Load(Param("p"), list)
	Load(Param("words"), words)
	for k := range p {
		MOVQ(Mem{Base: list, Disp: 8 * k}, p[k])
	}
	for i := 0; i < 16; i += 4 {
		group(p, a, i)
	}
	CMPQ(words, Imm(17))
	JEQ(LabelRef("last"))
	group(p, a, 16)
	Label("last")
	MOVQ(words, end)
	SHLQ(Imm(5), end)
	m := make([]Mem, 4)
	for k := range m {
		m[k] = Mem{Base: p[k], Index: words, Scale: 8, Disp: -8}
	}
	last(m, Mem{Base: a, Index: end, Scale: 1, Disp: -32})
	VZEROUPPER()
	RET()
}
