package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func double() {
	TEXT("DoubleADX", attr.NOSPLIT, "func(r, p *[12]uint64, n int)")
	Comment(
		"DoubleADX sets r = 2^n p: with M = 3/2 (X - Z^2) (X + Z^2) and S = X Y^2,",
		"    X' = M^2 - 2 S    Y' = M (S - X') - Y^4    Z' = Y Z",
		"func DoubleADX(r, p *[12]uint64, n int)",
		"n is at least 1; r may be p.",
		"Registers as in MulADX; R15 r. Stack: temporary elements, the doublings left.",
		"4 multiplications, 4 squarings; no coordinate leaves the kernel between two doublings.",
	)
	e := local(4)
	left := AllocLocal(8)
	m, s, yy, t := e[0], e[1], e[2], e[3]
	MOVQ(U32(32), count)
	Load(Param("p"), other)
	Load(Param("r"), result)
	for i := range 3 {
		load(at(other, i))
		store(at(result, i))
	}
	Load(Param("n"), reg.RAX)
	MOVQ(reg.RAX, left)
	x, y, z := at(result, 0), at(result, 1), at(result, 2)
	Label("again")
	sqrLow(z)
	store(t)
	addLow(x)
	store(m)
	load(x)
	subLow(t)
	store(t)
	sqrLow(y)
	store(yy)
	mulLow(m, t)
	store(m)
	halveLow()
	addLow(m)
	store(m)
	mulLow(x, yy)
	store(s)
	sqrLow(m)
	store(x)
	mulLow(y, z)
	store(z)
	load(x)
	subLow(s)
	subLow(s)
	store(x)
	load(s)
	subLow(x)
	store(t)
	sqrLow(yy)
	store(yy)
	mulLow(m, t)
	subLow(yy)
	store(y)
	DECQ(left)
	JNE(LabelRef("again"))
	wipe(e)
	RET()
}

// finish sets r to what was there if skip is all ones, to q if r was infinity,
// to sum otherwise, and says whether both points were the same.
func finish(sum []element, h, s element, empty Mem, q func(i int) element) {
	skip := reg.R12
	Load(Param("skip"), skip)
	for i := range 3 {
		load(sum[i])
		CMPQ(empty, Imm(0))
		from := q(i)
		for j, r := range low {
			CMOVQEQ(from.limb(j), r)
		}
		TESTQ(skip, skip)
		for j, r := range low {
			CMOVQNE(at(result, i).limb(j), r)
		}
		store(at(result, i))
	}
	MOVQ(empty, reg.RSI)
	MOVQ(U32(0), empty)
	Comment("Equal: h and s are 0, r was not infinity, and skip is 0.")
	same, zero := reg.RAX, reg.RBX
	MOVQ(h.limb(0), same)
	for i := 1; i < 4; i++ {
		ORQ(h.limb(i), same)
	}
	for i := range 4 {
		ORQ(s.limb(i), same)
	}
	ORQ(skip, same)
	XORL(zero.As32(), zero.As32())
	NEGQ(same)
	SBBQ(same, same)
	NOTQ(same)
	CMPQ(reg.RSI, Imm(0))
	CMOVQEQ(zero, same)
	Store(same, ReturnIndex(0))
}

// orZ leaves the or of the limbs of Z in memory: 0 for infinity.
func orZ(empty Mem) {
	z := at(result, 2)
	MOVQ(z.limb(0), reg.RAX)
	for i := 1; i < 4; i++ {
		ORQ(z.limb(i), reg.RAX)
	}
	MOVQ(reg.RAX, empty)
}

func add() {
	TEXT("AddADX", attr.NOSPLIT, "func(r, q *[12]uint64, skip uint64) (same uint64)")
	Comment(
		"AddADX sets r = r + q. With U1 = X1 Z2^2, U2 = X2 Z1^2, S1 = Y1 Z2^3, S2 = Y2 Z1^3, H = U2 - U1",
		"and S = S2 - S1,",
		"    X = S^2 - H^3 - 2 U1 H^2    Y = S (U1 H^2 - X) - S1 H^3    Z = Z1 Z2 H",
		"func AddADX(r, q *[12]uint64, skip uint64) (same uint64)",
		"If skip is all ones, r stays as it is; otherwise it is 0, and q is not infinity; r may be.",
		"For r = q the sum is wrong, and same is all ones; otherwise it is 0.",
		"Registers as in MulADX; R15 r, R14 q. Stack: temporary elements, Z1 as one number.",
		"12 multiplications, 4 squarings; what is not wanted is left behind by conditional moves.",
	)
	e := local(10)
	empty := AllocLocal(8)
	u1, s1, h, s, hh, hhh, v := e[0], e[1], e[2], e[3], e[4], e[5], e[6]
	sum := e[7:]
	MOVQ(U32(32), count)
	Load(Param("r"), result)
	orZ(empty)
	q := func(i int) element {
		Load(Param("q"), other)
		return at(other, i)
	}
	r := func(i int) element { return at(result, i) }
	zz1, zz2 := hh, hhh
	sqrLow(q(2))
	store(zz2)
	sqrLow(r(2))
	store(zz1)
	mulLow(q(2), r(1))
	store(s1)
	mulLow(r(0), zz2)
	store(u1)
	mulLow(q(1), r(2))
	store(s)
	mulLow(q(0), zz1)
	subLow(u1)
	store(h)
	mulLow(s1, zz2)
	store(s1)
	mulLow(s, zz1)
	subLow(s1)
	store(s)
	sqrLow(h)
	store(hh)
	mulLow(q(2), r(2))
	store(v)
	mulLow(hh, h)
	store(hhh)
	mulLow(v, h)
	store(sum[2])
	mulLow(u1, hh)
	store(v)
	rest(sum, s, hhh, v, s1)
	finish(sum, h, s, empty, q)
	wipe(e)
	RET()
}

// rest computes X = S^2 - H^3 - 2 V and Y = S (V - X) - S1 H^3.
func rest(sum []element, s, hhh, v, s1 element) {
	sqrLow(s)
	store(sum[0])
	mulLow(s1, hhh)
	store(sum[1])
	load(sum[0])
	subLow(hhh)
	subLow(v)
	subLow(v)
	store(sum[0])
	load(v)
	subLow(sum[0])
	store(v)
	mulLow(v, s)
	subLow(sum[1])
	store(sum[1])
}

func addAffine() {
	one := GLOBL("one", attr.RODATA|attr.NOPTR)
	for i, v := range []uint64{0x0000000000000001, 0x00000000ffffffff, 0x0000000000000000, 0x0000000100000000} {
		DATA(8*i, U64(v))
	}
	TEXT("AddAffineADX", attr.NOSPLIT, "func(r *[12]uint64, q *[8]uint64, skip uint64) (same uint64)")
	Comment(
		"AddAffineADX is AddADX for an affine q: Z2 is 1. If skip is all ones, q may be anything.",
		"func AddAffineADX(r *[12]uint64, q *[8]uint64, skip uint64) (same uint64)",
		"Registers and stack as in AddADX.",
		"8 multiplications, 3 squarings.",
	)
	e := local(8)
	empty := AllocLocal(8)
	h, s, hh, hhh, v := e[0], e[1], e[2], e[3], e[4]
	sum := e[5:]
	MOVQ(U32(32), count)
	Load(Param("r"), result)
	orZ(empty)
	q := func(i int) element {
		if i == 2 {
			return element{one}
		}
		Load(Param("q"), other)
		return at(other, i)
	}
	r := func(i int) element { return at(result, i) }
	zz1 := hh
	sqrLow(r(2))
	store(zz1)
	mulLow(q(1), r(2))
	store(s)
	mulLow(q(0), zz1)
	subLow(r(0))
	store(h)
	mulLow(s, zz1)
	subLow(r(1))
	store(s)
	sqrLow(h)
	store(hh)
	mulLow(r(2), h)
	store(sum[2])
	mulLow(hh, h)
	store(hhh)
	mulLow(r(0), hh)
	store(v)
	rest(sum, s, hhh, v, r(1))
	finish(sum, h, s, empty, q)
	wipe(e)
	RET()
}
