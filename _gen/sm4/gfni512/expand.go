package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64/ssa"
)

// One step of the key schedule, GB/T 32907-2016, section 7.3: a to d are K0 to
// K3 plus KeyConstant, in the basis T; t is the input of the S-box, q the sum
// of K0, K2, K3 and the next constant. Like wordRound, it computes the next t
// directly. k0 is CK of the next step, k1 the sum of CK of the next two.
const expandStep = `
	s = c ^ d
	h = b ^ c
	v1 = V1 t
	v3 = V3 t
	v2 = V2 t
	v0 = V0 t
	g = s ^ k0
	hk = h ^ k1
	y1 = rol 8 v1
	y3 = rol 24 v3
	y2 = rol 16 v2
	z = v0 ^ q
	m = y1 ^ y3
	tn = m ^ y2 ^ z
	x = tn ^ g
	qn = tn ^ hk
`

// ck returns CK_i, T·CK_i for all its bytes; 0 after the last one.
func ck(i int) (w uint32) {
	if i >= 32 {
		return 0
	}
	for j := range 4 {
		w = w<<8 | uint32(set.T.Apply(byte((4*i+j)*7)))
	}
	return w
}

// systemParameter is FK (section 7.3).
var systemParameter = [4]uint32{0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc}

func expand() {
	steps := GLOBL("expandSteps", attr.RODATA|attr.NOPTR)
	for i := range 32 {
		DATA(8*i, U32(uint64(ck(i+1))))
		DATA(8*i+4, U32(uint64(ck(i+1)^ck(i+2))))
	}
	start := GLOBL("expandStart", attr.RODATA|attr.NOPTR)
	for i, fk := range systemParameter {
		// FK and the constant, such that T·(key ^ it) is T·(key ^ FK) + KeyConstant.
		w := fk ^ 0x01010101*uint32(set.TInverse.Apply(set.KeyConstant))
		DATA(4*i, U32(uint64(w)))
	}
	DATA(16, U32(uint64(ck(0))))

	function("ExpandGFNI512", "func(k *uint32, key *[16]byte)", "",
		"ExpandGFNI512 computes the round keys, in the basis T plus KeyConstant, as words and",
		"as bytes four times each.",
		"func ExpandGFNI512(k *Keys, key *[16]byte)",
		"AX k, BX steps, CX count; X28 to X31 matrices, X0 to X15 words, each four times.",
		"The chain of one step is an inversion, a rotation and two sums, 9 cycles of latency;",
		"the stores and the other operations run beside it: 325 cycles in all.")
	Load(Param("k"), reg.RAX)
	Load(Param("key"), reg.RBX)
	VMOVDQU(Mem{Base: reg.RBX}, reg.X0)
	VPSHUFB(constant(constSwap), reg.X0, reg.X0)
	VPXOR(start, reg.X0, reg.X0)
	VGF2P8AFFINEQB_BCST(Imm(0), constant(constT), reg.X0, reg.X0)
	matrices := map[string]matrix{}
	for i, n := range []string{"V0", "V1", "V2", "V3"} {
		VPBROADCASTQ(constant(constV+8*i), amd64.X(zmm[28+i]))
		matrices[n] = matrix{zmm[28+i], set.V[i].C}
	}
	VMOVDQU(constant(constSpread), reg.X15)
	for i := 3; i >= 0; i-- {
		VPSHUFD(Imm(uint64(0b01_01_01_01*i)), reg.X0, amd64.X(zmm[i]))
	}
	LEAQ(steps, reg.RBX)
	XORL(reg.EDX, reg.EDX)
	carried := []string{"a", "b", "c", "d", "t", "q"}
	fixed := func(p *ssa.Code) (names map[string]ssa.Value, in map[ssa.Value]reg.VecPhysical) {
		names, in = map[string]ssa.Value{}, map[ssa.Value]reg.VecPhysical{}
		for i, n := range carried {
			names[n] = ssa.New()
			in[names[n]] = zmm[i]
		}
		return names, in
	}
	VPXOR(reg.X2, reg.X3, reg.X5)
	VPXOR(reg.X1, reg.X5, reg.X4)
	VPXORD_BCST(start.Offset(16), reg.X4, reg.X4)
	VPXOR(reg.X0, reg.X5, reg.X5)
	VPXORD_BCST(Mem{Base: reg.RBX}, reg.X5, reg.X5)
	MOVQ(U32(8), reg.RCX)
	Label("steps")
	p := new(ssa.Code)
	names, in := fixed(p)
	for r := range 4 {
		formulas(p, expandStep, names, matrices, true, func(n int) Mem { return Mem{Base: reg.RBX, Disp: 8*r + 4*n} })
		p.Do(func(d amd64.Vec, s []amd64.Vec) asm.Stream {
			return asm.Stream{
				amd64.VMOVD(s[0], Mem{Base: reg.RAX, Disp: 4 * r}),
				amd64.VPSHUFB(reg.X15, s[0], d),
				amd64.VMOVDQU(d, Mem{Base: reg.RAX, Index: reg.RDX, Scale: 4, Disp: 128 + 16*r}),
			}
		}, names["x"])
		names = map[string]ssa.Value{"a": names["b"], "b": names["c"], "c": names["d"], "d": names["x"], "t": names["tn"], "q": names["qn"]}
	}
	out := map[ssa.Value]reg.VecPhysical{}
	for i, n := range carried {
		out[names[n]] = zmm[i]
	}
	p.Emit(zmm[:15], in, out, amd64.X)
	ADDQ(Imm(16), reg.RAX)
	ADDQ(Imm(12), reg.RDX)
	ADDQ(Imm(32), reg.RBX)
	DECQ(reg.RCX)
	JNZ(LabelRef("steps"))
	finish()
}
