package arm64

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

// An Arrangement is the size and number of the elements of a vector.
type Arrangement string

// Arrangements.
const (
	B8  Arrangement = "B8"
	B16 Arrangement = "B16"
	H4  Arrangement = "H4"
	H8  Arrangement = "H8"
	S2  Arrangement = "S2"
	S4  Arrangement = "S4"
	D1  Arrangement = "D1"
	D2  Arrangement = "D2"
	Q1  Arrangement = "Q1"
)

// An Element is one element of a vector.
type Element struct {
	reg  asm.Reg
	n    int
	text string
}

// Lane is element n of a vector.
func Lane(a Arrangement, v asm.Reg, n int) Element {
	return Element{v, n, fmt.Sprintf("%%v.%c[%d]", a[0], n)}
}

// Registers are one vector or several with consecutive numbers, which come from
// [asm.Func.Group].
type Registers interface{ asm.Reg | []asm.Reg }

func registers(r any) []asm.Reg {
	if r, ok := r.(asm.Reg); ok {
		return list(r)
	}
	return r.([]asm.Reg)
}

// group is the text of registers.
func group(a Arrangement, r []asm.Reg) string {
	return "[" + strings.TrimSuffix(strings.Repeat("%v."+string(a)+", ", len(r)), ", ") + "]"
}

// vector makes an instruction of vectors with the same arrangement. The last one is the
// result.
func vector(name string, a Arrangement, regs ...asm.Reg) asm.Op {
	return shaped(name, "", regs, slices.Repeat([]Arrangement{a}, len(regs))...)
}

// immediate is vector with a constant before the registers.
func immediate(name string, a Arrangement, n int, regs ...asm.Reg) asm.Op {
	return shaped(name, fmt.Sprintf("$%d, ", n), regs, slices.Repeat([]Arrangement{a}, len(regs))...)
}

// shaped makes an instruction of vectors, each with its arrangement.
func shaped(name, first string, regs []asm.Reg, a ...Arrangement) asm.Op {
	var text []string
	for i := range regs {
		if a[i] == "" {
			text = append(text, "%v")
		} else {
			text = append(text, "%v."+string(a[i]))
		}
	}
	n := len(regs) - 1
	return op(name, name+" "+first+strings.Join(text, ", "), regs[:n], regs[n:])
}

// merge makes an instruction read its result.
func merge(o asm.Op) asm.Op { return withReads(o, o.Writes...) }

// Arithmetic of elements: d = b op a.

func VADD(t Arrangement, a, b, d asm.Reg) asm.Op   { return vector("VADD", t, a, b, d) }
func VSUB(t Arrangement, a, b, d asm.Reg) asm.Op   { return vector("VSUB", t, a, b, d) }
func VADDP(t Arrangement, a, b, d asm.Reg) asm.Op  { return vector("VADDP", t, a, b, d) }
func VUMAX(t Arrangement, a, b, d asm.Reg) asm.Op  { return vector("VUMAX", t, a, b, d) }
func VUMIN(t Arrangement, a, b, d asm.Reg) asm.Op  { return vector("VUMIN", t, a, b, d) }
func VCMEQ(t Arrangement, a, b, d asm.Reg) asm.Op  { return vector("VCMEQ", t, a, b, d) }
func VCMTST(t Arrangement, a, b, d asm.Reg) asm.Op { return vector("VCMTST", t, a, b, d) }

// Permutations of elements: of b and a to d.

func VZIP1(t Arrangement, a, b, d asm.Reg) asm.Op { return vector("VZIP1", t, a, b, d) }
func VZIP2(t Arrangement, a, b, d asm.Reg) asm.Op { return vector("VZIP2", t, a, b, d) }
func VUZP1(t Arrangement, a, b, d asm.Reg) asm.Op { return vector("VUZP1", t, a, b, d) }
func VUZP2(t Arrangement, a, b, d asm.Reg) asm.Op { return vector("VUZP2", t, a, b, d) }
func VTRN1(t Arrangement, a, b, d asm.Reg) asm.Op { return vector("VTRN1", t, a, b, d) }
func VTRN2(t Arrangement, a, b, d asm.Reg) asm.Op { return vector("VTRN2", t, a, b, d) }

// Logic: d = b op a.

func VEOR(a, b, d asm.Reg) asm.Op { return vector("VEOR", B16, a, b, d) }
func VAND(a, b, d asm.Reg) asm.Op { return vector("VAND", B16, a, b, d) }
func VORR(a, b, d asm.Reg) asm.Op { return vector("VORR", B16, a, b, d) }

// Selections. VBIT copies the bits of b to d where a is 1, VBIF those where it is 0. VBSL
// takes b where d is 1 and a where it is 0.

func VBIT(a, b, d asm.Reg) asm.Op { return merge(vector("VBIT", B16, a, b, d)) }
func VBIF(a, b, d asm.Reg) asm.Op { return merge(vector("VBIF", B16, a, b, d)) }
func VBSL(a, b, d asm.Reg) asm.Op { return merge(vector("VBSL", B16, a, b, d)) }

// Shifts of elements. VSLI and VSRI keep the bits of d that nothing is shifted to. VUSRA
// adds to d.

func VSHL(t Arrangement, n int, a, d asm.Reg) asm.Op  { return immediate("VSHL", t, n, a, d) }
func VUSHR(t Arrangement, n int, a, d asm.Reg) asm.Op { return immediate("VUSHR", t, n, a, d) }
func VSLI(t Arrangement, n int, a, d asm.Reg) asm.Op  { return merge(immediate("VSLI", t, n, a, d)) }
func VSRI(t Arrangement, n int, a, d asm.Reg) asm.Op  { return merge(immediate("VSRI", t, n, a, d)) }
func VUSRA(t Arrangement, n int, a, d asm.Reg) asm.Op { return merge(immediate("VUSRA", t, n, a, d)) }

// Instructions with one operand. The arrangement of VREV16, VREV32 and VREV64 is that of
// the elements whose order they reverse.

func VREV16(t Arrangement, a, d asm.Reg) asm.Op { return vector("VREV16", t, a, d) }
func VREV32(t Arrangement, a, d asm.Reg) asm.Op { return vector("VREV32", t, a, d) }
func VREV64(t Arrangement, a, d asm.Reg) asm.Op { return vector("VREV64", t, a, d) }
func VRBIT(t Arrangement, a, d asm.Reg) asm.Op  { return vector("VRBIT", t, a, d) }
func VCNT(t Arrangement, a, d asm.Reg) asm.Op   { return vector("VCNT", t, a, d) }

// Sums of all elements, in the first one of d. That of VUADDLV is twice as wide.

func VADDV(t Arrangement, a, d asm.Reg) asm.Op   { return shaped("VADDV", "", list(a, d), t, "") }
func VUADDLV(t Arrangement, a, d asm.Reg) asm.Op { return shaped("VUADDLV", "", list(a, d), t, "") }

// VEXT is bytes n to n + 15 of b followed by a.
func VEXT(n int, a, b, d asm.Reg) asm.Op { return immediate("VEXT", B16, n, a, b, d) }

// VTBL looks up the bytes of index in one to four tables, and is 0 for those beyond them.
func VTBL[T Registers](index asm.Reg, tables T, d asm.Reg) asm.Op {
	return lookup("VTBL", index, registers(tables), d)
}

// VTBX is VTBL, except that it keeps the bytes of d for an index beyond the tables.
func VTBX[T Registers](index asm.Reg, tables T, d asm.Reg) asm.Op {
	return merge(lookup("VTBX", index, registers(tables), d))
}

func lookup(name string, index asm.Reg, tables []asm.Reg, d asm.Reg) asm.Op {
	return op(name, name+" %v.B16, "+group(B16, tables)+", %v.B16", append(list(index), tables...), list(d))
}

// VMOV copies a vector, or an element from or to a vector or an integer register.
func VMOV[S asm.Reg | Element, D asm.Reg | Element](s S, d D) asm.Op {
	operand := func(v any) (string, asm.Reg, bool) {
		switch v := v.(type) {
		case Element:
			return v.text, v.reg, true
		case asm.Reg:
			if v.Class == Vector {
				return "%v.B16", v, false
			}
			return "%v", v, false
		}
		panic("arm64: no operand")
	}
	from, a, _ := operand(any(s))
	to, b, part := operand(any(d))
	o := op("VMOV", "VMOV "+from+", "+to, list(a), list(b))
	if part {
		o = merge(o)
	}
	return o
}

// VDUP copies an element or an integer register to all elements of d.
func VDUP[S asm.Reg | Element](t Arrangement, s S, d asm.Reg) asm.Op {
	from, a := "%v", asm.Reg{}
	switch s := any(s).(type) {
	case Element:
		from, a = s.text, s.reg
	case asm.Reg:
		a = s
	}
	return op("VDUP", "VDUP "+from+", %v."+string(t), list(a), list(d))
}

// VMOVI sets all bytes to a constant.
func VMOVI(n int, d asm.Reg) asm.Op { return immediate("VMOVI", B16, n, d) }

// wide is the arrangement of the results of instructions that make elements twice as wide.
var wide = map[Arrangement]Arrangement{
	B8: H8, B16: H8, H4: S4, H8: S4, S2: D2, S4: D2, D1: Q1, D2: Q1,
}

// VPMULL multiplies polynomials: the low halves of a and b (B8, D1).
func VPMULL(t Arrangement, a, b, d asm.Reg) asm.Op {
	return shaped("VPMULL", "", list(a, b, d), t, t, wide[t])
}

// VPMULL2 multiplies polynomials: the high halves of a and b (B16, D2).
func VPMULL2(t Arrangement, a, b, d asm.Reg) asm.Op {
	return shaped("VPMULL2", "", list(a, b, d), t, t, wide[t])
}

// VUSHLL shifts the elements of the low half of a (B8, H4, S2) to the left, twice as wide.
func VUSHLL(t Arrangement, n int, a, d asm.Reg) asm.Op {
	return shaped("VUSHLL", fmt.Sprintf("$%d, ", n), list(a, d), t, wide[t])
}

// VUSHLL2 is VUSHLL of the high half (B16, H8, S4).
func VUSHLL2(t Arrangement, n int, a, d asm.Reg) asm.Op {
	return shaped("VUSHLL2", fmt.Sprintf("$%d, ", n), list(a, d), t, wide[t])
}

// AES: d is the state. AESE adds the key k before SubBytes and ShiftRows, AESD before
// their inverses. AESMC and AESIMC are MixColumns and its inverse.

func AESE(k, d asm.Reg) asm.Op   { return merge(vector("AESE", B16, k, d)) }
func AESD(k, d asm.Reg) asm.Op   { return merge(vector("AESD", B16, k, d)) }
func AESMC(a, d asm.Reg) asm.Op  { return vector("AESMC", B16, a, d) }
func AESIMC(a, d asm.Reg) asm.Op { return vector("AESIMC", B16, a, d) }

// SHA3 (FEAT_SHA3): VEOR3 is a ^ b ^ c, VBCAX is c ^ (b &^ a), VXAR rotates a ^ b to the
// right by n, and VRAX1 is b ^ a <<< 1.

func VEOR3(a, b, c, d asm.Reg) asm.Op    { return vector("VEOR3", B16, a, b, c, d) }
func VBCAX(a, b, c, d asm.Reg) asm.Op    { return vector("VBCAX", B16, a, b, c, d) }
func VXAR(n int, a, b, d asm.Reg) asm.Op { return immediate("VXAR", D2, n, a, b, d) }
func VRAX1(a, b, d asm.Reg) asm.Op       { return vector("VRAX1", D2, a, b, d) }

// SHA-256 and SHA-512. d is an operand, too.

func SHA256H(a, b, d asm.Reg) asm.Op { return merge(shaped("SHA256H", "", list(a, b, d), S4, "", "")) }
func SHA256H2(a, b, d asm.Reg) asm.Op {
	return merge(shaped("SHA256H2", "", list(a, b, d), S4, "", ""))
}
func SHA256SU0(a, d asm.Reg) asm.Op    { return merge(vector("SHA256SU0", S4, a, d)) }
func SHA256SU1(a, b, d asm.Reg) asm.Op { return merge(vector("SHA256SU1", S4, a, b, d)) }
func SHA512H(a, b, d asm.Reg) asm.Op   { return merge(shaped("SHA512H", "", list(a, b, d), D2, "", "")) }
func SHA512H2(a, b, d asm.Reg) asm.Op {
	return merge(shaped("SHA512H2", "", list(a, b, d), D2, "", ""))
}
func SHA512SU0(a, d asm.Reg) asm.Op    { return merge(vector("SHA512SU0", D2, a, d)) }
func SHA512SU1(a, b, d asm.Reg) asm.Op { return merge(vector("SHA512SU1", D2, a, b, d)) }

// Loads. VLD1 fills one register after the other, VLD2, VLD3 and VLD4 alternate between
// registers after each element. Those with R load one element for each register and copy
// it to all of its elements.

func VLD1[D Registers](t Arrangement, m Mem, d D) asm.Op  { return vectorLoad("VLD1", t, m, d) }
func VLD2[D Registers](t Arrangement, m Mem, d D) asm.Op  { return vectorLoad("VLD2", t, m, d) }
func VLD3[D Registers](t Arrangement, m Mem, d D) asm.Op  { return vectorLoad("VLD3", t, m, d) }
func VLD4[D Registers](t Arrangement, m Mem, d D) asm.Op  { return vectorLoad("VLD4", t, m, d) }
func VLD1R[D Registers](t Arrangement, m Mem, d D) asm.Op { return vectorLoad("VLD1R", t, m, d) }
func VLD2R[D Registers](t Arrangement, m Mem, d D) asm.Op { return vectorLoad("VLD2R", t, m, d) }
func VLD3R[D Registers](t Arrangement, m Mem, d D) asm.Op { return vectorLoad("VLD3R", t, m, d) }
func VLD4R[D Registers](t Arrangement, m Mem, d D) asm.Op { return vectorLoad("VLD4R", t, m, d) }

func vectorLoad(name string, t Arrangement, m Mem, d any) asm.Op {
	r := registers(d)
	return load(name, m, group(t, r), r...)
}

// Stores, the inverse of loads.

func VST1[S Registers](t Arrangement, s S, m Mem) asm.Op { return vectorStore("VST1", t, s, m) }
func VST2[S Registers](t Arrangement, s S, m Mem) asm.Op { return vectorStore("VST2", t, s, m) }
func VST3[S Registers](t Arrangement, s S, m Mem) asm.Op { return vectorStore("VST3", t, s, m) }
func VST4[S Registers](t Arrangement, s S, m Mem) asm.Op { return vectorStore("VST4", t, s, m) }

func vectorStore(name string, t Arrangement, s any, m Mem) asm.Op {
	r := registers(s)
	return store(name, group(t, r), m, r...)
}

// Fuse is instructions that a CPU can execute as one, such as AESE and AESMC.
func Fuse(ops ...asm.Op) []asm.Op {
	for i := range ops[:len(ops)-1] {
		ops[i].Fused = true
	}
	return ops
}
