package arm64

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/encoding"
)

// Instructions that Go's assembler lacks. They become words, with the text as a comment.

func word2(o asm.Op, f func(n, d int) uint32) asm.Op {
	o.Code = func(n []int) []uint32 { return []uint32{f(n[0], n[1])} }
	return o
}

func word3(o asm.Op, f func(m, n, d int) uint32) asm.Op {
	o.Code = func(n []int) []uint32 { return []uint32{f(n[0], n[1], n[2])} }
	return o
}

func word4(o asm.Op, f func(a, m, n, d int) uint32) asm.Op {
	o.Code = func(n []int) []uint32 { return []uint32{f(n[0], n[1], n[2], n[3])} }
	return o
}

// sized2 is word2 for an encoder that has the arrangement first.
func sized2(o asm.Op, t Arrangement, f func(t string, n, d int) uint32) asm.Op {
	return word2(o, func(n, d int) uint32 { return f(string(t), n, d) })
}

func sized3(o asm.Op, t Arrangement, f func(t string, m, n, d int) uint32) asm.Op {
	return word3(o, func(m, n, d int) uint32 { return f(string(t), m, n, d) })
}

// shift2 is sized2 with a constant.
func shift2(o asm.Op, t Arrangement, i int, f func(t string, i, n, d int) uint32) asm.Op {
	return word2(o, func(n, d int) uint32 { return f(string(t), i, n, d) })
}

// elementwise makes an instruction whose first operand is a vector or an element. It
// encodes the one with whole or the other with part.
func elementwise(name string, t Arrangement, first any, b, d asm.Reg, whole func(t string, m, n, d int) uint32, part func(t string, i, m, n, d int) uint32) asm.Op {
	e, ok := first.(Element)
	if !ok {
		return sized3(vector(name, t, first.(asm.Reg), b, d), t, whole)
	}
	o := op(name, name+" "+e.text+", %v."+string(t)+", %v."+string(t), list(e.reg, b), list(d))
	return word3(o, func(m, n, d int) uint32 { return part(string(t), e.n, m, n, d) })
}

// Logic: VBIC is b and not a, VORN is b or not a.

func VBIC(a, b, d asm.Reg) asm.Op { return word3(vector("VBIC", B16, a, b, d), encoding.VBIC) }
func VORN(a, b, d asm.Reg) asm.Op { return word3(vector("VORN", B16, a, b, d), encoding.VORN) }
func VNOT(a, d asm.Reg) asm.Op    { return word2(vector("VNOT", B16, a, d), encoding.VNOT) }

// Comparisons: all bits where b > a (VCMHI, VCMGT) or b >= a (VCMHS, VCMGE), unsigned
// (VCMHI, VCMHS) or signed.

func VCMHI(t Arrangement, a, b, d asm.Reg) asm.Op {
	return sized3(vector("VCMHI", t, a, b, d), t, encoding.VCMHI)
}
func VCMHS(t Arrangement, a, b, d asm.Reg) asm.Op {
	return sized3(vector("VCMHS", t, a, b, d), t, encoding.VCMHS)
}
func VCMGT(t Arrangement, a, b, d asm.Reg) asm.Op {
	return sized3(vector("VCMGT", t, a, b, d), t, encoding.VCMGT)
}
func VCMGE(t Arrangement, a, b, d asm.Reg) asm.Op {
	return sized3(vector("VCMGE", t, a, b, d), t, encoding.VCMGE)
}

// VNEG negates elements.
func VNEG(t Arrangement, a, d asm.Reg) asm.Op {
	return sized2(vector("VNEG", t, a, d), t, encoding.VNEG)
}

// VSSHR shifts signed elements to the right.
func VSSHR(t Arrangement, n int, a, d asm.Reg) asm.Op {
	return shift2(immediate("VSSHR", t, n, a, d), t, n, encoding.VSSHR)
}

// Multiplications of elements by a vector or by one of its elements. VMLA adds to d, VMLS
// subtracts from it. An element of H8 or H4 must be in a register below V16: fix its number.

func VMUL[A asm.Reg | Element](t Arrangement, a A, b, d asm.Reg) asm.Op {
	return elementwise("VMUL", t, a, b, d, encoding.VMUL, encoding.VMULElement)
}
func VMLA[A asm.Reg | Element](t Arrangement, a A, b, d asm.Reg) asm.Op {
	return merge(elementwise("VMLA", t, a, b, d, encoding.VMLA, encoding.VMLAElement))
}
func VMLS(t Arrangement, a, b, d asm.Reg) asm.Op {
	return sized3(merge(vector("VMLS", t, a, b, d)), t, encoding.VMLS)
}

// Multiplications with results that are twice as wide, unsigned: of the low halves (B8, H4,
// S2) and of the high ones (B16, H8, S4). VUMLAL adds to d.

func VUMULL(t Arrangement, a, b, d asm.Reg) asm.Op {
	return sized3(shaped("VUMULL", "", list(a, b, d), t, t, wide[t]), t, encoding.VUMULL)
}
func VUMULL2(t Arrangement, a, b, d asm.Reg) asm.Op {
	return sized3(shaped("VUMULL2", "", list(a, b, d), t, t, wide[t]), t, encoding.VUMULL)
}
func VUMLAL(t Arrangement, a, b, d asm.Reg) asm.Op {
	return sized3(merge(shaped("VUMLAL", "", list(a, b, d), t, t, wide[t])), t, encoding.VUMLAL)
}
func VUMLAL2(t Arrangement, a, b, d asm.Reg) asm.Op {
	return sized3(merge(shaped("VUMLAL2", "", list(a, b, d), t, t, wide[t])), t, encoding.VUMLAL)
}

// Narrowing to t: to the low half, and the rest becomes 0 (B8, H4, S2), or to the high half
// (B16, H8, S4). VSHRN shifts to the right by n before.

func VXTN(t Arrangement, a, d asm.Reg) asm.Op {
	return sized2(shaped("VXTN", "", list(a, d), wide[t], t), t, encoding.VXTN)
}
func VXTN2(t Arrangement, a, d asm.Reg) asm.Op {
	return sized2(merge(shaped("VXTN2", "", list(a, d), wide[t], t)), t, encoding.VXTN)
}
func VSHRN(t Arrangement, n int, a, d asm.Reg) asm.Op {
	return shift2(shaped("VSHRN", fmt.Sprintf("$%d, ", n), list(a, d), wide[t], t), t, n, encoding.VSHRN)
}
func VSHRN2(t Arrangement, n int, a, d asm.Reg) asm.Op {
	return shift2(merge(shaped("VSHRN2", fmt.Sprintf("$%d, ", n), list(a, d), wide[t], t)), t, n, encoding.VSHRN)
}

// SM3 (FEAT_SM3). SM3SS1 is ((c <<< 12) + b + a) <<< 7 of the last words. The four that
// follow do half a round with a word of the message.

func SM3SS1(a, b, c, d asm.Reg) asm.Op {
	return word4(vector("SM3SS1", S4, a, b, c, d), encoding.SM3SS1)
}
func SM3TT1A(w Element, b, d asm.Reg) asm.Op { return sm3("SM3TT1A", w, b, d, encoding.SM3TT1A) }
func SM3TT1B(w Element, b, d asm.Reg) asm.Op { return sm3("SM3TT1B", w, b, d, encoding.SM3TT1B) }
func SM3TT2A(w Element, b, d asm.Reg) asm.Op { return sm3("SM3TT2A", w, b, d, encoding.SM3TT2A) }
func SM3TT2B(w Element, b, d asm.Reg) asm.Op { return sm3("SM3TT2B", w, b, d, encoding.SM3TT2B) }

func sm3(name string, w Element, b, d asm.Reg, f func(i, m, n, d int) uint32) asm.Op {
	return merge(elementwise(name, S4, w, b, d, nil, func(_ string, i, m, n, d int) uint32 { return f(i, m, n, d) }))
}

// SM3PARTW1 and SM3PARTW2 expand the message.

func SM3PARTW1(a, b, d asm.Reg) asm.Op {
	return word3(merge(vector("SM3PARTW1", S4, a, b, d)), encoding.SM3PARTW1)
}
func SM3PARTW2(a, b, d asm.Reg) asm.Op {
	return word3(merge(vector("SM3PARTW2", S4, a, b, d)), encoding.SM3PARTW2)
}

// SM4 (FEAT_SM4). SM4E does four rounds on d with the round keys k. SM4EKEY makes round
// keys from those before, b, and the constants a.

func SM4E(k, d asm.Reg) asm.Op       { return word2(merge(vector("SM4E", S4, k, d)), encoding.SM4E) }
func SM4EKEY(a, b, d asm.Reg) asm.Op { return word3(vector("SM4EKEY", S4, a, b, d), encoding.SM4EKEY) }
