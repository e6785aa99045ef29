package riscv64

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

// A SEW is the size of elements.
type SEW string

// Sizes.
const (
	E8  SEW = "E8"
	E16 SEW = "E16"
	E32 SEW = "E32"
	E64 SEW = "E64"
)

// An LMUL is how many registers a vector has.
type LMUL string

// Multipliers.
const (
	MF8 LMUL = "MF8"
	MF4 LMUL = "MF4"
	MF2 LMUL = "MF2"
	M1  LMUL = "M1"
	M2  LMUL = "M2"
	M4  LMUL = "M4"
	M8  LMUL = "M8"
)

// A Tail says what becomes of elements behind the last one.
type Tail string

// Tails: agnostic and undisturbed.
const (
	TA Tail = "TA"
	TU Tail = "TU"
)

// VSETVLI sets the length of vectors to that of n elements if they fit, and d to the length.
// ZERO as n is as many as fit, if d is another register.
func VSETVLI(n asm.Reg, sew SEW, lmul LMUL, tail Tail, d asm.Reg) asm.Op {
	o := op("VSETVLI", fmt.Sprintf("VSETVLI %%v, %s, %s, %s, MA, %%v", sew, lmul, tail), list(n), list(d))
	o.Writes = append(o.Writes, State)
	return o
}

// VSETIVLI is VSETVLI with a constant.
func VSETIVLI(n int, sew SEW, lmul LMUL, tail Tail, d asm.Reg) asm.Op {
	o := op("VSETIVLI", fmt.Sprintf("VSETIVLI $%d, %s, %s, %s, MA, %%v", n, sew, lmul, tail), nil, list(d))
	o.Writes = append(o.Writes, State)
	return o
}

// VSETVL is VSETVLI with the size of elements and the rest in vtype, as CSRs have them.
func VSETVL(vtype, n, d asm.Reg) asm.Op {
	o := operands("VSETVL", vtype, n, d)
	o.Writes = append(o.Writes, State)
	return o
}

// Registers are a vector: one register, or several with consecutive numbers, which come
// from [asm.Func.Group].
type Registers interface{ asm.Reg | []asm.Reg }

func registers(r any) []asm.Reg {
	if r, ok := r.(asm.Reg); ok {
		return list(r)
	}
	return r.([]asm.Reg)
}

// vector makes an instruction that depends on State.
func vector(name string, all ...any) asm.Op {
	o := operands(name, all...)
	o.Reads = append(o.Reads, State)
	return o
}

// Arithmetic, logic and shifts of elements: d = b op a. VRSUB is a - b.

func VADDVV[T Registers](a, b, d T) asm.Op          { return vector("VADDVV", a, b, d) }
func VSUBVV[T Registers](a, b, d T) asm.Op          { return vector("VSUBVV", a, b, d) }
func VANDVV[T Registers](a, b, d T) asm.Op          { return vector("VANDVV", a, b, d) }
func VORVV[T Registers](a, b, d T) asm.Op           { return vector("VORVV", a, b, d) }
func VXORVV[T Registers](a, b, d T) asm.Op          { return vector("VXORVV", a, b, d) }
func VSLLVV[T Registers](a, b, d T) asm.Op          { return vector("VSLLVV", a, b, d) }
func VSRLVV[T Registers](a, b, d T) asm.Op          { return vector("VSRLVV", a, b, d) }
func VSRAVV[T Registers](a, b, d T) asm.Op          { return vector("VSRAVV", a, b, d) }
func VMINUVV[T Registers](a, b, d T) asm.Op         { return vector("VMINUVV", a, b, d) }
func VMAXUVV[T Registers](a, b, d T) asm.Op         { return vector("VMAXUVV", a, b, d) }
func VADDVX[T Registers](a asm.Reg, b, d T) asm.Op  { return vector("VADDVX", a, b, d) }
func VSUBVX[T Registers](a asm.Reg, b, d T) asm.Op  { return vector("VSUBVX", a, b, d) }
func VRSUBVX[T Registers](a asm.Reg, b, d T) asm.Op { return vector("VRSUBVX", a, b, d) }
func VANDVX[T Registers](a asm.Reg, b, d T) asm.Op  { return vector("VANDVX", a, b, d) }
func VORVX[T Registers](a asm.Reg, b, d T) asm.Op   { return vector("VORVX", a, b, d) }
func VXORVX[T Registers](a asm.Reg, b, d T) asm.Op  { return vector("VXORVX", a, b, d) }
func VSLLVX[T Registers](a asm.Reg, b, d T) asm.Op  { return vector("VSLLVX", a, b, d) }
func VSRLVX[T Registers](a asm.Reg, b, d T) asm.Op  { return vector("VSRLVX", a, b, d) }
func VSRAVX[T Registers](a asm.Reg, b, d T) asm.Op  { return vector("VSRAVX", a, b, d) }
func VMINUVX[T Registers](a asm.Reg, b, d T) asm.Op { return vector("VMINUVX", a, b, d) }
func VMAXUVX[T Registers](a asm.Reg, b, d T) asm.Op { return vector("VMAXUVX", a, b, d) }
func VADDVI[T Registers](n int, b, d T) asm.Op      { return vector("VADDVI", n, b, d) }
func VRSUBVI[T Registers](n int, b, d T) asm.Op     { return vector("VRSUBVI", n, b, d) }
func VANDVI[T Registers](n int, b, d T) asm.Op      { return vector("VANDVI", n, b, d) }
func VORVI[T Registers](n int, b, d T) asm.Op       { return vector("VORVI", n, b, d) }
func VXORVI[T Registers](n int, b, d T) asm.Op      { return vector("VXORVI", n, b, d) }
func VSLLVI[T Registers](n int, b, d T) asm.Op      { return vector("VSLLVI", n, b, d) }
func VSRLVI[T Registers](n int, b, d T) asm.Op      { return vector("VSRLVI", n, b, d) }
func VSRAVI[T Registers](n int, b, d T) asm.Op      { return vector("VSRAVI", n, b, d) }

// Multiplications. H is the upper half of the product, U without sign.

func VMULVV[T Registers](a, b, d T) asm.Op           { return vector("VMULVV", a, b, d) }
func VMULHVV[T Registers](a, b, d T) asm.Op          { return vector("VMULHVV", a, b, d) }
func VMULHUVV[T Registers](a, b, d T) asm.Op         { return vector("VMULHUVV", a, b, d) }
func VMULVX[T Registers](a asm.Reg, b, d T) asm.Op   { return vector("VMULVX", a, b, d) }
func VMULHVX[T Registers](a asm.Reg, b, d T) asm.Op  { return vector("VMULHVX", a, b, d) }
func VMULHUVX[T Registers](a asm.Reg, b, d T) asm.Op { return vector("VMULHUVX", a, b, d) }

// Multiplications with an addition. VMACC is d = d + a b, VNMSAC d = d - a b, VMADD d = a + b d,
// and VNMSUB d = a - b d. The order of a and b is that of Go's assembler.

func VMACCVV[T Registers](a, b, d T) asm.Op            { return Keep(vector("VMACCVV", a, b, d)) }
func VNMSACVV[T Registers](a, b, d T) asm.Op           { return Keep(vector("VNMSACVV", a, b, d)) }
func VMADDVV[T Registers](a, b, d T) asm.Op            { return Keep(vector("VMADDVV", a, b, d)) }
func VNMSUBVV[T Registers](a, b, d T) asm.Op           { return Keep(vector("VNMSUBVV", a, b, d)) }
func VMACCVX[T Registers](a T, b asm.Reg, d T) asm.Op  { return Keep(vector("VMACCVX", a, b, d)) }
func VNMSACVX[T Registers](a T, b asm.Reg, d T) asm.Op { return Keep(vector("VNMSACVX", a, b, d)) }
func VMADDVX[T Registers](a T, b asm.Reg, d T) asm.Op  { return Keep(vector("VMADDVX", a, b, d)) }
func VNMSUBVX[T Registers](a T, b asm.Reg, d T) asm.Op { return Keep(vector("VNMSUBVX", a, b, d)) }

// Results that are twice as wide, in twice as many registers. VWADDUW and VWSUBUW have a b
// that is as wide as d. VWMACCU adds the product to d.

func VWADDUVV[T, W Registers](a, b T, d W) asm.Op         { return early(vector("VWADDUVV", a, b, d)) }
func VWADDVV[T, W Registers](a, b T, d W) asm.Op          { return early(vector("VWADDVV", a, b, d)) }
func VWSUBUVV[T, W Registers](a, b T, d W) asm.Op         { return early(vector("VWSUBUVV", a, b, d)) }
func VWMULUVV[T, W Registers](a, b T, d W) asm.Op         { return early(vector("VWMULUVV", a, b, d)) }
func VWMULVV[T, W Registers](a, b T, d W) asm.Op          { return early(vector("VWMULVV", a, b, d)) }
func VWADDUVX[T, W Registers](a asm.Reg, b T, d W) asm.Op { return early(vector("VWADDUVX", a, b, d)) }
func VWSUBUVX[T, W Registers](a asm.Reg, b T, d W) asm.Op { return early(vector("VWSUBUVX", a, b, d)) }
func VWMULUVX[T, W Registers](a asm.Reg, b T, d W) asm.Op { return early(vector("VWMULUVX", a, b, d)) }
func VWMULVX[T, W Registers](a asm.Reg, b T, d W) asm.Op  { return early(vector("VWMULVX", a, b, d)) }
func VWADDUWV[T, W Registers](a T, b, d W) asm.Op         { return early(vector("VWADDUWV", a, b, d)) }
func VWADDUWX[W Registers](a asm.Reg, b, d W) asm.Op      { return vector("VWADDUWX", a, b, d) }
func VWSUBUWV[T, W Registers](a T, b, d W) asm.Op         { return early(vector("VWSUBUWV", a, b, d)) }
func VWSUBUWX[W Registers](a asm.Reg, b, d W) asm.Op      { return vector("VWSUBUWX", a, b, d) }
func VWMACCUVV[T, W Registers](a, b T, d W) asm.Op        { return early(Keep(vector("VWMACCUVV", a, b, d))) }
func VWMACCUVX[T, W Registers](a T, b asm.Reg, d W) asm.Op {
	return early(Keep(vector("VWMACCUVX", a, b, d)))
}
func VZEXTVF2[T, W Registers](a T, d W) asm.Op { return early(vector("VZEXTVF2", a, d)) }
func VZEXTVF4[T, W Registers](a T, d W) asm.Op { return early(vector("VZEXTVF4", a, d)) }
func VZEXTVF8[T, W Registers](a T, d W) asm.Op { return early(vector("VZEXTVF8", a, d)) }

// Results that are half as wide, after a shift to the right.

func VNSRLWV[W, T Registers](a T, b W, d T) asm.Op       { return early(vector("VNSRLWV", a, b, d)) }
func VNSRLWX[W, T Registers](a asm.Reg, b W, d T) asm.Op { return early(vector("VNSRLWX", a, b, d)) }
func VNSRLWI[W, T Registers](n int, b W, d T) asm.Op     { return early(vector("VNSRLWI", n, b, d)) }

// Moves. VMVXS is element 0 as an integer. VMVSX sets element 0, and VIDV all elements to
// their numbers. Those with R move whole registers, whatever State is.

func VMVVV[T Registers](a, d T) asm.Op         { return vector("VMVVV", a, d) }
func VMVVX[T Registers](a asm.Reg, d T) asm.Op { return vector("VMVVX", a, d) }
func VMVVI[T Registers](n int, d T) asm.Op     { return vector("VMVVI", n, d) }
func VMVXS(a, d asm.Reg) asm.Op                { return vector("VMVXS", a, d) }
func VMVSX(a, d asm.Reg) asm.Op                { return vector("VMVSX", a, d) }
func VIDV[T Registers](d T) asm.Op             { return vector("VIDV", d) }
func VMV1RV(a, d asm.Reg) asm.Op               { return operands("VMV1RV", a, d) }
func VMV2RV(a, d []asm.Reg) asm.Op             { return operands("VMV2RV", a, d) }
func VMV4RV(a, d []asm.Reg) asm.Op             { return operands("VMV4RV", a, d) }
func VMV8RV(a, d []asm.Reg) asm.Op             { return operands("VMV8RV", a, d) }

// Permutations. VRGATHER is element a of b, or 0 if there is none. VSLIDEUP keeps the
// elements of d below a. VSLIDE1UP and VSLIDE1DOWN insert a. VCOMPRESS takes the elements of
// b whose bits are set in a.

func VRGATHERVV[T Registers](a, b, d T) asm.Op         { return early(vector("VRGATHERVV", a, b, d)) }
func VRGATHERVX[T Registers](a asm.Reg, b, d T) asm.Op { return early(vector("VRGATHERVX", a, b, d)) }
func VRGATHERVI[T Registers](n int, b, d T) asm.Op     { return early(vector("VRGATHERVI", n, b, d)) }
func VRGATHEREI16VV[I, T Registers](a I, b, d T) asm.Op {
	return early(vector("VRGATHEREI16VV", a, b, d))
}
func VSLIDEUPVX[T Registers](a asm.Reg, b, d T) asm.Op {
	return early(Keep(vector("VSLIDEUPVX", a, b, d)))
}
func VSLIDEUPVI[T Registers](n int, b, d T) asm.Op        { return early(Keep(vector("VSLIDEUPVI", n, b, d))) }
func VSLIDEDOWNVX[T Registers](a asm.Reg, b, d T) asm.Op  { return vector("VSLIDEDOWNVX", a, b, d) }
func VSLIDEDOWNVI[T Registers](n int, b, d T) asm.Op      { return vector("VSLIDEDOWNVI", n, b, d) }
func VSLIDE1UPVX[T Registers](a asm.Reg, b, d T) asm.Op   { return early(vector("VSLIDE1UPVX", a, b, d)) }
func VSLIDE1DOWNVX[T Registers](a asm.Reg, b, d T) asm.Op { return vector("VSLIDE1DOWNVX", a, b, d) }
func VCOMPRESSVM[T Registers](a asm.Reg, b, d T) asm.Op   { return early(vector("VCOMPRESSVM", a, b, d)) }

// Reductions: element 0 of d is that of a and all elements of b.

func VREDSUMVS[T Registers](a asm.Reg, b T, d asm.Reg) asm.Op { return vector("VREDSUMVS", a, b, d) }
func VREDORVS[T Registers](a asm.Reg, b T, d asm.Reg) asm.Op  { return vector("VREDORVS", a, b, d) }
func VREDXORVS[T Registers](a asm.Reg, b T, d asm.Reg) asm.Op { return vector("VREDXORVS", a, b, d) }

// Comparisons, whose result is a mask: b op a.

func VMSEQVV[T Registers](a, b T, d asm.Reg) asm.Op         { return early(vector("VMSEQVV", a, b, d)) }
func VMSNEVV[T Registers](a, b T, d asm.Reg) asm.Op         { return early(vector("VMSNEVV", a, b, d)) }
func VMSLTUVV[T Registers](a, b T, d asm.Reg) asm.Op        { return early(vector("VMSLTUVV", a, b, d)) }
func VMSLEUVV[T Registers](a, b T, d asm.Reg) asm.Op        { return early(vector("VMSLEUVV", a, b, d)) }
func VMSEQVX[T Registers](a asm.Reg, b T, d asm.Reg) asm.Op { return early(vector("VMSEQVX", a, b, d)) }
func VMSNEVX[T Registers](a asm.Reg, b T, d asm.Reg) asm.Op { return early(vector("VMSNEVX", a, b, d)) }
func VMSLEUVX[T Registers](a asm.Reg, b T, d asm.Reg) asm.Op {
	return early(vector("VMSLEUVX", a, b, d))
}
func VMSGTUVX[T Registers](a asm.Reg, b T, d asm.Reg) asm.Op {
	return early(vector("VMSGTUVX", a, b, d))
}
func VMSEQVI[T Registers](n int, b T, d asm.Reg) asm.Op  { return early(vector("VMSEQVI", n, b, d)) }
func VMSNEVI[T Registers](n int, b T, d asm.Reg) asm.Op  { return early(vector("VMSNEVI", n, b, d)) }
func VMSLEUVI[T Registers](n int, b T, d asm.Reg) asm.Op { return early(vector("VMSLEUVI", n, b, d)) }
func VMSGTUVI[T Registers](n int, b T, d asm.Reg) asm.Op { return early(vector("VMSGTUVI", n, b, d)) }

// Masks. VMANDN is b and not a, VMORN b or not a.

func VMANDMM(a, b, d asm.Reg) asm.Op            { return vector("VMANDMM", a, b, d) }
func VMNANDMM(a, b, d asm.Reg) asm.Op           { return vector("VMNANDMM", a, b, d) }
func VMANDNMM(a, b, d asm.Reg) asm.Op           { return vector("VMANDNMM", a, b, d) }
func VMXORMM(a, b, d asm.Reg) asm.Op            { return vector("VMXORMM", a, b, d) }
func VMORMM(a, b, d asm.Reg) asm.Op             { return vector("VMORMM", a, b, d) }
func VMNORMM(a, b, d asm.Reg) asm.Op            { return vector("VMNORMM", a, b, d) }
func VMORNMM(a, b, d asm.Reg) asm.Op            { return vector("VMORNMM", a, b, d) }
func VMXNORMM(a, b, d asm.Reg) asm.Op           { return vector("VMXNORMM", a, b, d) }
func VCPOPM(a, d asm.Reg) asm.Op                { return vector("VCPOPM", a, d) }
func VFIRSTM(a, d asm.Reg) asm.Op               { return vector("VFIRSTM", a, d) }
func VIOTAM[T Registers](a asm.Reg, d T) asm.Op { return early(vector("VIOTAM", a, d)) }

// Instructions with a mask as an operand, which must be V0: see [Masked]. VMERGE is a where
// it is set and b elsewhere, VADC b + a + the bit, VSBC b - a - the bit, VMADC and VMSBC
// their carries.

func VMERGEVVM[T Registers](a, b T, mask asm.Reg, d T) asm.Op {
	return early(vector("VMERGEVVM", a, b, mask, d))
}
func VMERGEVXM[T Registers](a asm.Reg, b T, mask asm.Reg, d T) asm.Op {
	return early(vector("VMERGEVXM", a, b, mask, d))
}
func VADCVVM[T Registers](a, b T, mask asm.Reg, d T) asm.Op {
	return early(vector("VADCVVM", a, b, mask, d))
}
func VADCVXM[T Registers](a asm.Reg, b T, mask asm.Reg, d T) asm.Op {
	return early(vector("VADCVXM", a, b, mask, d))
}
func VSBCVVM[T Registers](a, b T, mask asm.Reg, d T) asm.Op {
	return early(vector("VSBCVVM", a, b, mask, d))
}
func VSBCVXM[T Registers](a asm.Reg, b T, mask asm.Reg, d T) asm.Op {
	return early(vector("VSBCVXM", a, b, mask, d))
}
func VMERGEVIM[T Registers](n int, b T, mask asm.Reg, d T) asm.Op {
	return early(vector("VMERGEVIM", n, b, mask, d))
}
func VADCVIM[T Registers](n int, b T, mask asm.Reg, d T) asm.Op {
	return early(vector("VADCVIM", n, b, mask, d))
}
func VMADCVVM[T Registers](a, b T, mask, d asm.Reg) asm.Op {
	return early(vector("VMADCVVM", a, b, mask, d))
}
func VMADCVV[T Registers](a, b T, d asm.Reg) asm.Op { return early(vector("VMADCVV", a, b, d)) }
func VMSBCVVM[T Registers](a, b T, mask, d asm.Reg) asm.Op {
	return early(vector("VMSBCVVM", a, b, mask, d))
}
func VMSBCVV[T Registers](a, b T, d asm.Reg) asm.Op { return early(vector("VMSBCVV", a, b, d)) }

// vectorLoad makes a load of d from base. operands are a distance or indices.
func vectorLoad(name string, base, d any, operands ...any) asm.Op {
	return access(at(vector(name, append(append([]any{base}, operands...), d)...), 0), asm.Load)
}

// vectorStore makes a store of s to base.
func vectorStore(name string, s, base any, operands ...any) asm.Op {
	o := vector(name, append(append([]any{s}, operands...), base)...)
	// The last operand is no result.
	last := o.Writes
	o.Reads, o.Writes = append(o.Reads, last...), nil
	return access(at(o, len(o.Regs)-1), asm.Store)
}

// at puts register n of the text in parentheses.
func at(o asm.Op, n int) asm.Op {
	parts := strings.Split(o.Text, "%v")
	parts[n] += "("
	parts[n+1] = ")" + parts[n+1]
	o.Text = strings.Join(parts, "%v")
	return o
}

// Loads and stores of elements that lie one after the other, with a distance in bytes
// (VLS, VSS), and at indices in bytes (VLUX, VSUX).

func VLE8V[T Registers](base asm.Reg, d T) asm.Op  { return vectorLoad("VLE8V", base, d) }
func VLE16V[T Registers](base asm.Reg, d T) asm.Op { return vectorLoad("VLE16V", base, d) }
func VLE32V[T Registers](base asm.Reg, d T) asm.Op { return vectorLoad("VLE32V", base, d) }
func VLE64V[T Registers](base asm.Reg, d T) asm.Op { return vectorLoad("VLE64V", base, d) }
func VSE8V[T Registers](a T, base asm.Reg) asm.Op  { return vectorStore("VSE8V", a, base) }
func VSE16V[T Registers](a T, base asm.Reg) asm.Op { return vectorStore("VSE16V", a, base) }
func VSE32V[T Registers](a T, base asm.Reg) asm.Op { return vectorStore("VSE32V", a, base) }
func VSE64V[T Registers](a T, base asm.Reg) asm.Op { return vectorStore("VSE64V", a, base) }
func VLSE8V[T Registers](base, stride asm.Reg, d T) asm.Op {
	return vectorLoad("VLSE8V", base, d, stride)
}
func VLSE16V[T Registers](base, stride asm.Reg, d T) asm.Op {
	return vectorLoad("VLSE16V", base, d, stride)
}
func VLSE32V[T Registers](base, stride asm.Reg, d T) asm.Op {
	return vectorLoad("VLSE32V", base, d, stride)
}
func VLSE64V[T Registers](base, stride asm.Reg, d T) asm.Op {
	return vectorLoad("VLSE64V", base, d, stride)
}
func VSSE8V[T Registers](a T, stride, base asm.Reg) asm.Op {
	return vectorStore("VSSE8V", a, base, stride)
}
func VSSE16V[T Registers](a T, stride, base asm.Reg) asm.Op {
	return vectorStore("VSSE16V", a, base, stride)
}
func VSSE32V[T Registers](a T, stride, base asm.Reg) asm.Op {
	return vectorStore("VSSE32V", a, base, stride)
}
func VSSE64V[T Registers](a T, stride, base asm.Reg) asm.Op {
	return vectorStore("VSSE64V", a, base, stride)
}
func VLUXEI8V[I, T Registers](base asm.Reg, index I, d T) asm.Op {
	return early(vectorLoad("VLUXEI8V", base, d, index))
}
func VLUXEI16V[I, T Registers](base asm.Reg, index I, d T) asm.Op {
	return early(vectorLoad("VLUXEI16V", base, d, index))
}
func VLUXEI32V[I, T Registers](base asm.Reg, index I, d T) asm.Op {
	return early(vectorLoad("VLUXEI32V", base, d, index))
}
func VLUXEI64V[I, T Registers](base asm.Reg, index I, d T) asm.Op {
	return early(vectorLoad("VLUXEI64V", base, d, index))
}
func VSUXEI8V[I, T Registers](a T, index I, base asm.Reg) asm.Op {
	return vectorStore("VSUXEI8V", a, base, index)
}
func VSUXEI16V[I, T Registers](a T, index I, base asm.Reg) asm.Op {
	return vectorStore("VSUXEI16V", a, base, index)
}
func VSUXEI32V[I, T Registers](a T, index I, base asm.Reg) asm.Op {
	return vectorStore("VSUXEI32V", a, base, index)
}
func VSUXEI64V[I, T Registers](a T, index I, base asm.Reg) asm.Op {
	return vectorStore("VSUXEI64V", a, base, index)
}

// Masks, one bit for each element.

func VLMV(base, d asm.Reg) asm.Op { return vectorLoad("VLMV", base, d) }
func VSMV(a, base asm.Reg) asm.Op { return vectorStore("VSMV", a, base) }

// Whole registers, whatever State is.

func VL1RE8V[T Registers](base asm.Reg, d T) asm.Op { return whole(vectorLoad("VL1RE8V", base, d)) }
func VL2RE8V[T Registers](base asm.Reg, d T) asm.Op { return whole(vectorLoad("VL2RE8V", base, d)) }
func VL4RE8V[T Registers](base asm.Reg, d T) asm.Op { return whole(vectorLoad("VL4RE8V", base, d)) }
func VL8RE8V[T Registers](base asm.Reg, d T) asm.Op { return whole(vectorLoad("VL8RE8V", base, d)) }
func VS1RV[T Registers](a T, base asm.Reg) asm.Op   { return whole(vectorStore("VS1RV", a, base)) }
func VS2RV[T Registers](a T, base asm.Reg) asm.Op   { return whole(vectorStore("VS2RV", a, base)) }
func VS4RV[T Registers](a T, base asm.Reg) asm.Op   { return whole(vectorStore("VS4RV", a, base)) }
func VS8RV[T Registers](a T, base asm.Reg) asm.Op   { return whole(vectorStore("VS8RV", a, base)) }

func whole(o asm.Op) asm.Op {
	o.Reads = slices.DeleteFunc(slices.Clone(o.Reads), func(r asm.Reg) bool { return r == State })
	return o
}
