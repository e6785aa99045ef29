package ghash

import (
	"fmt"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/simd"
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An UpdateKind is what kind of function [UpdateKind.Emit] writes.
type UpdateKind struct {
	Wide bool // two blocks in a YMM register and H^16 ... H^1, not one in XMM and H^8 ... H^1
	Pad  bool // the last block may be short, and is zero padded, and the order of bytes is an argument
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
	signature := "func(t *[64][16]byte, y *[16]byte, p []byte)"
	var order Mem
	if u.Pad {
		signature = UpdateSignature
	} else {
		order = Reverse(name, size)
	}
	poly := Polynomial(name, size)
	TEXT(name, attr.NOSPLIT, signature)
	first := 64 - at
	halves := []string{
		strings.ReplaceAll("V7 temporary; V8 ... V11 halves of the powers added, two powers in each lane, for", "V", letter),
		fmt.Sprintf("Karatsuba's method: %d blocks share one reduction and take 24 carry-less multiplications", at),
	}
	if simd.Legacy {
		first -= at
		halves = []string{
			"X7, X8 temporary. The entries 48 ... 55 are for Karatsuba's method:",
			fmt.Sprintf("%d blocks share one reduction and take 24 carry-less multiplications", at),
		}
	}
	Comment(append([]string{
		name + " continues the hash y over p, " + last,
		"of n blocks p[i] at a time, y = (y+p[0])·H^n + p[1]·H^(n-1) + ... + p[n-1]·H.",
		"func " + name + strings.TrimPrefix(signature, "func"),
		fmt.Sprintf("Reads the entries %d ... 63 of t and nothing beyond p.", first),
		"AX t, BX y, SI p, DI bytes left, DX power for the next block;",
		strings.ReplaceAll("V0 hash; V1, V2, V3 low, middle, high product; V4 blocks, V5 order of bytes, V6 polynomial,", "V", letter),
	}, append(halves,
		"and two more. On Zen 5, which starts one in two cycles whatever its width, these are the",
		fmt.Sprintf("limit: 52 cycles for %d bytes. The block that waits for the last hash comes last.", 8*size))...)...)
	t, y, p, n := Arguments()
	if u.Pad {
		order = Order()
	}
	next := reg.RDX
	acc, lo, mid, hi, x, rev, pol, tmp := v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]
	reduce := func() {
		Fold(lo, mid, hi, acc, tmp, pol)
		if u.Wide {
			VEXTRACTI128(Imm(1), acc, low[7])
			simd.Xor(low[7], low[0], low[0])
		}
	}
	simd.Read(order, rev)
	simd.Read(poly, pol)
	simd.Read(Mem{Base: y}, low[0]) // zeros above
	simd.Shuffle(low[5], low[0], low[0])
	CMPQ(n, U32(8*size))
	JB(LabelRef("tail"))

	sum := func(i int) (Op, int) { return v[8+i/2], i % 2 }
	if simd.Legacy { // those in memory save copies of the block, which its instructions overwrite
		sum = func(i int) (Op, int) { return Power(t, 2*at).Offset(size * i), 0 }
	} else {
		Sums(Power(t, at), v[8:12], tmp)
	}
	Label("many")
	for k := 1; k <= 8; k++ {
		i := k % 8
		simd.Read(Mem{Base: p, Disp: size * i}, x)
		simd.Shuffle(rev, x, x)
		if i == 0 {
			simd.Xor(acc, x, x)
		}
		s, half := sum(i)
		Step(x, Power(t, at).Offset(size*i), s, half, k == 1, lo, mid, hi, tmp)
	}
	simd.Xor(lo, mid, mid)
	simd.Xor(hi, mid, mid)
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
	simd.Zero(lo)
	simd.Zero(mid)
	simd.Zero(hi)

	product := func() {
		h := v[8]
		simd.Shuffle(rev, x, x)
		simd.Xor(acc, x, x)
		simd.Zero(acc)
		for i, to := range []reg.VecPhysical{lo, mid, mid, hi} {
			simd.Multiply([]uint64{0x00, 0x01, 0x10, 0x11}[i], h, x, tmp)
			simd.Xor(tmp, to, to)
		}
	}
	for s := size; s >= 16; s /= 2 {
		loop, remainder := fmt.Sprintf("by%d", s), fmt.Sprintf("less%d", s)
		r := low
		if s == 32 {
			r = v
		}
		SUBQ(Imm(uint64(s)), n)
		if size > 16 || u.Pad { // otherwise there is a whole block
			JB(LabelRef(remainder))
		}
		Label(loop)
		simd.Read(Mem{Base: p}, r[4])
		simd.Read(Mem{Base: next}, r[8])
		product()
		ADDQ(Imm(uint64(s)), p)
		ADDQ(Imm(uint64(s)), next)
		SUBQ(Imm(uint64(s)), n)
		if s == size { // less than two of the others are left
			JAE(LabelRef(loop))
		}
		if size > 16 || u.Pad {
			Label(remainder)
		}
		if s > 16 || u.Pad {
			ADDQ(Imm(uint64(s)), n)
		}
	}
	if u.Pad {
		JZ(LabelRef("reduce"))
		LoadPart(p, n, reg.R8, reg.R9, reg.RCX, reg.R10, low[4], low[8], "part")
		simd.Read(Mem{Base: next}, low[8])
		product()
		Label("reduce")
	}
	reduce()
	Label("done")
	simd.Shuffle(low[5], low[0], low[0])
	simd.Write(low[0], Mem{Base: y})
	if u.Wide {
		VZEROUPPER()
	}
	RET()
}
