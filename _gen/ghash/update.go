package ghash

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An UpdateKind is what kind of function [UpdateKind.Emit] writes.
type UpdateKind struct {
	Wide bool // two blocks in a YMM register and H^16 ... H^1, not one in XMM and H^8 ... H^1
	Pad  bool // the last block may be short, and is zero padded
}

// Emit writes a function that continues a hash.
func (u UpdateKind) Emit(name string) {
	v := [12]reg.VecPhysical{reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7, reg.X8, reg.X9, reg.X10, reg.X11}
	low := v
	letter, size, last := "X", 16, "whole blocks:"
	if u.Wide {
		v = [12]reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9, reg.Y10, reg.Y11}
		letter, size = "Y", 32
	}
	if u.Pad {
		last = "the last block zero padded:"
	}
	at := 8 * size / 16 // blocks at a time
	reverse, poly := Constants(name, size)
	TEXT(name, attr.NOSPLIT, "func(t *[64][16]byte, y *[16]byte, p []byte)")
	Comment(
		name+" continues the hash y over p, "+last,
		"of n blocks p[i] at a time, y = (y+p[0])·H^n + p[1]·H^(n-1) + ... + p[n-1]·H.",
		"func "+name+"(t *[64][16]byte, y *[16]byte, p []byte)",
		fmt.Sprintf("Reads the entries %d ... 63 of t and nothing beyond p.", 64-at),
		"AX t, BX y, SI p, DI bytes left, DX power for the next block;",
		strings.ReplaceAll("V0 hash; V1, V2, V3 low, middle, high product; V4 blocks, V5 reversal, V6 polynomial,", "V", letter),
		strings.ReplaceAll("V7 temporary; V8 ... V11 halves of the powers added, two powers in each lane, for", "V", letter),
		fmt.Sprintf("Karatsuba's method: %d blocks share one reduction and take 24 carry-less multiplications", at),
		"and two more. On Zen 5, which starts one in two cycles whatever its width, these are the",
		fmt.Sprintf("limit: 52 cycles for %d bytes. The block that waits for the last hash comes last.", 8*size))
	t, y, p, n := Arguments()
	next := reg.RDX
	acc, lo, mid, hi, x, rev, pol, tmp := v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]
	reduce := func() {
		Join(lo, mid, hi, tmp)
		if u.Wide {
			for _, r := range []int{1, 3} {
				VEXTRACTI128(Imm(1), v[r], low[7])
				VPXOR(low[7], low[r], low[r])
			}
		}
		Reduce(low[1], low[3], low[0], low[7], low[6])
	}
	VMOVDQU(reverse, rev)
	VMOVDQU(poly, pol)
	VMOVDQU(Mem{Base: y}, low[0]) // zeros above
	VPSHUFB(low[5], low[0], low[0])
	CMPQ(n, U32(8*size))
	JB(LabelRef("tail"))

	Sums(Power(t, at), v[8:12], tmp)
	Label("many")
	for k := 1; k <= 8; k++ {
		i := k % 8
		VMOVDQU(Mem{Base: p, Disp: size * i}, x)
		VPSHUFB(rev, x, x)
		if i == 0 {
			VPXOR(acc, x, x)
		}
		Step(x, Power(t, at).Offset(size*i), v[8+i/2], i%2, k == 1, lo, mid, hi, tmp)
	}
	VPXOR(lo, mid, mid)
	VPXOR(hi, mid, mid)
	reduce()
	ADDQ(U32(8*size), p)
	SUBQ(U32(8*size), n)
	CMPQ(n, U32(8*size))
	JAE(LabelRef("many"))

	Label("tail")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	Comment("The first of n blocks takes H^n.")
	if u.Pad {
		LEAQ(Mem{Base: n, Disp: 15}, next)
		ANDQ(I8(-16), next)
	} else {
		MOVQ(n, next)
	}
	NEGQ(next)
	LEAQ(Mem{Base: t, Index: next, Scale: 1, Disp: 1024}, next)
	VPXOR(lo, lo, lo)
	VPXOR(mid, mid, mid)
	VPXOR(hi, hi, hi)

	product := func() {
		h := v[8]
		VPSHUFB(rev, x, x)
		VPXOR(acc, x, x)
		VPXOR(acc, acc, acc)
		for i, to := range []reg.VecPhysical{lo, mid, mid, hi} {
			VPCLMULQDQ(Imm([]uint64{0x00, 0x01, 0x10, 0x11}[i]), h, x, tmp)
			VPXOR(tmp, to, to)
		}
	}
	for s := size; s >= 16; s /= 2 {
		loop, less := fmt.Sprintf("by%d", s), fmt.Sprintf("less%d", s)
		r := low
		if s == 32 {
			r = v
		}
		SUBQ(Imm(uint64(s)), n)
		JB(LabelRef(less))
		Label(loop)
		VMOVDQU(Mem{Base: p}, r[4])
		VMOVDQU(Mem{Base: next}, r[8])
		product()
		ADDQ(Imm(uint64(s)), p)
		ADDQ(Imm(uint64(s)), next)
		SUBQ(Imm(uint64(s)), n)
		JAE(LabelRef(loop))
		Label(less)
		if s > 16 || u.Pad {
			ADDQ(Imm(uint64(s)), n)
		}
	}
	if u.Pad {
		JZ(LabelRef("reduce"))
		LoadPart(p, n, reg.R8, reg.R9, reg.RCX, reg.R10, low[4], "part")
		VMOVDQU(Mem{Base: next}, low[8])
		product()
		Label("reduce")
	}
	reduce()
	Label("done")
	VPSHUFB(low[5], low[0], low[0])
	VMOVDQU(low[0], Mem{Base: y})
	if u.Wide {
		VZEROUPPER()
	}
	RET()
}
