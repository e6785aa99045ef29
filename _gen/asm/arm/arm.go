// Package arm has instructions of 32-bit Arm (A32) as values, in the syntax of Go's assembler:
// sources first, the result last. Go's assembler lacks NEON, whose instructions become words with
// the text as a comment. Generators import it by dot:
//
//	SUBS(128, n, n)                  // SUB.S $128, n, n
//	MOVW(table, p)                   // MOVW $table<>(SB), p
//	VLD1(Post(src), x[:2])           // VLD1.P (src), [Q0, Q1]
//	VADD(32, a, b, d)                // VADD.32 Q1, Q2, Q3
//	VMULL(8, High(a), Low(b), d)     // VMULL.P8 Q1.D[1], Q2.D[0], Q3
//	BNE("loop")
//
// Vectors are the registers Q0 to Q15. Their halves are [Low] and [High]: an instruction that
// writes a low half leaves the other one undefined for the allocator, one that writes a high half
// keeps the low one.
package arm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/encoding"
)

// Classes of registers.
const (
	Integer asm.Class = iota
	Vector
	Flag
)

// Flags are NZCV.
var Flags = asm.Reg{Class: Flag}

// R and Q are registers by number. Kernels ask a Func for registers instead.
func R(n int) asm.Reg { return asm.Reg{Class: Integer, N: n} }

// Q is a vector register by number.
func Q(n int) asm.Reg { return asm.Reg{Class: Vector, N: n} }

// Target is the architecture. R10 is the goroutine, R11 belongs to the assembler, R13 to R15 are
// the stack pointer, the link register and the program counter.
var Target = &asm.Target{
	Name: "arm",
	Pool: map[asm.Class][]int{
		Integer: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12},
		Vector:  {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	},
	Register: func(r asm.Reg) string {
		if r.Class == Integer {
			return fmt.Sprint("R", r.N)
		}
		return fmt.Sprint("Q", r.N)
	},
	Integer: Integer,
	Move: func(size int, from string, to asm.Reg) asm.Op {
		return op("MOVW", map[int]string{4: "MOVW ", 2: "MOVHU ", 1: "MOVBU "}[size]+from+", %v", nil, list(to))
	},
	Word:    "WORD",
	Pointer: 4,
}

func list(r ...asm.Reg) []asm.Reg { return r }

// op makes an instruction whose text has reads and then writes.
func op(name, text string, reads, writes []asm.Reg) asm.Op {
	return asm.Op{Name: name, Text: text, Regs: slices.Concat(reads, writes), Reads: reads, Writes: writes}
}

// Integer instructions. SUBS and ADDS set the flags.

func ADD(n int, a, d asm.Reg) asm.Op {
	return op("ADD", fmt.Sprintf("ADD $%d, %%v, %%v", n), list(a), list(d))
}
func SUB(n int, a, d asm.Reg) asm.Op {
	return op("SUB", fmt.Sprintf("SUB $%d, %%v, %%v", n), list(a), list(d))
}

// ADDL adds a shifted to the left by n.
func ADDL(a asm.Reg, n int, b, d asm.Reg) asm.Op {
	return op("ADD", fmt.Sprintf("ADD %%v<<%d, %%v, %%v", n), list(a, b), list(d))
}

func SUBS(n int, a, d asm.Reg) asm.Op { return setFlags("SUB", n, a, d) }
func ADDS(n int, a, d asm.Reg) asm.Op { return setFlags("ADD", n, a, d) }

func setFlags(name string, n int, a, d asm.Reg) asm.Op {
	o := op(name, fmt.Sprintf("%s.S $%d, %%v, %%v", name, n), list(a), list(d))
	o.Writes = append(o.Writes, Flags)
	return o
}

// MOVW copies a register, a constant, or the address of a table or a local.
func MOVW[S asm.Reg | int | *asm.Table | asm.Local](s S, d asm.Reg) asm.Op {
	switch s := any(s).(type) {
	case asm.Reg:
		return op("MOVW", "MOVW %v, %v", list(s), list(d))
	case *asm.Table:
		return op("MOVW", "MOVW $"+s.Symbol()+", %v", nil, list(d))
	case asm.Local:
		return op("MOVW", "MOVW $"+s.At(0)+", %v", nil, list(d))
	}
	return op("MOVW", fmt.Sprintf("MOVW $%v, %%v", s), nil, list(d))
}

// LDR loads a word at an offset.
func LDR(offset int, base, d asm.Reg) asm.Op {
	o := op("MOVW", fmt.Sprintf("MOVW %d(%%v), %%v", offset), list(base), list(d))
	o.Memory = asm.Load
	return o
}

// STR stores a word at an offset.
func STR(a asm.Reg, offset int, base asm.Reg) asm.Op {
	o := op("MOVW", fmt.Sprintf("MOVW %%v, %d(%%v)", offset), list(a, base), nil)
	o.Memory = asm.Store
	return o
}

// LDRP loads a word at an address, which advances.
func LDRP(base, d asm.Reg) asm.Op {
	o := op("MOVW", "MOVW.P 4(%v), %v", list(base), list(d))
	o.Memory = asm.Load
	o.Writes = append(o.Writes, base)
	return o
}

// LDRL and STRL load and store a word of a local.

func LDRL(l asm.Local, offset int, d asm.Reg) asm.Op {
	o := op("MOVW", "MOVW "+l.At(offset)+", %v", nil, list(d))
	o.Memory = asm.Load
	return o
}

func STRL(a asm.Reg, l asm.Local, offset int) asm.Op {
	o := op("MOVW", "MOVW %v, "+l.At(offset), list(a), nil)
	o.Memory = asm.Store
	return o
}

// LDM and STM load and store registers, whose numbers are in the order of memory, at an address
// that advances. STMBefore stores them below an address, which stays.

func LDM(base asm.Reg, d []asm.Reg) asm.Op {
	o := op("MOVM", "MOVM.IA.W (%v), ["+strings.Join(slices.Repeat([]string{"%v"}, len(d)), ", ")+"]", list(base), d)
	o.Memory = asm.Load
	o.Writes = append(slices.Clone(d), base)
	return o
}

func STM(a []asm.Reg, base asm.Reg) asm.Op {
	o := STMBefore(a, base)
	o.Text = strings.Replace(o.Text, "DB", "IA.W", 1)
	o.Writes = list(base)
	return o
}

func STMBefore(a []asm.Reg, base asm.Reg) asm.Op {
	o := op("MOVM", "MOVM.DB ["+strings.Join(slices.Repeat([]string{"%v"}, len(a)), ", ")+"], (%v)", append(slices.Clone(a), base), nil)
	o.Memory = asm.Store
	return o
}

// A Rotated is a register rotated to the right, or shifted, as an operand.
type Rotated struct {
	reg      asm.Reg
	n        int
	operator string
}

// Ror rotates to the right. Left and Right shift.

func Ror(a asm.Reg, n int) Rotated   { return Rotated{a, n, "@>"} }
func Left(a asm.Reg, n int) Rotated  { return Rotated{a, n, "<<"} }
func Right(a asm.Reg, n int) Rotated { return Rotated{a, n, ">>"} }

// Sums and logic: d = b op a.

func SUM[A asm.Reg | Rotated](a A, b, d asm.Reg) asm.Op { return binary("ADD", a, b, d) }
func EOR[A asm.Reg | Rotated](a A, b, d asm.Reg) asm.Op { return binary("EOR", a, b, d) }
func AND[A asm.Reg | Rotated](a A, b, d asm.Reg) asm.Op { return binary("AND", a, b, d) }
func ORR[A asm.Reg | Rotated](a A, b, d asm.Reg) asm.Op { return binary("ORR", a, b, d) }
func SUBR(a, b, d asm.Reg) asm.Op                       { return binary("SUB", a, b, d) }

func binary(name string, a any, b, d asm.Reg) asm.Op {
	if r, ok := a.(Rotated); ok {
		return op(name, fmt.Sprintf("%s %%v%s%d, %%v, %%v", name, r.operator, r.n), list(r.reg, b), list(d))
	}
	return op(name, name+" %v, %v, %v", list(a.(asm.Reg), b), list(d))
}

// CMP compares two registers.
func CMP(a, b asm.Reg) asm.Op {
	o := op("CMP", "CMP %v, %v", list(a, b), nil)
	o.Writes = list(Flags)
	return o
}

// ROR rotates to the right, REV reverses the bytes of a word.

func ROR(n int, a, d asm.Reg) asm.Op {
	return op("MOVW", fmt.Sprintf("MOVW %%v@>%d, %%v", n), list(a), list(d))
}
func REV(a, d asm.Reg) asm.Op { return op("REV", "REV %v, %v", list(a), list(d)) }

// Branches: BEQ if the result was zero, BNE if it was not, BHS if a subtraction did not borrow,
// BLO if it did.

func BEQ(to string) asm.Op { return branch("BEQ", to) }
func BNE(to string) asm.Op { return branch("BNE", to) }
func BHS(to string) asm.Op { return branch("BHS", to) }
func BLO(to string) asm.Op { return branch("BLO", to) }

func branch(name, to string) asm.Op {
	return asm.Op{Name: name, Text: name + " " + to, Reads: list(Flags), Flow: asm.Branch, To: to}
}

// RET returns.
func RET() asm.Op { return asm.Op{Name: "RET", Text: "RET", Flow: asm.Return} }

// A Half is 64 bits of a vector.
type Half struct {
	reg asm.Reg
	n   int
}

func Low(q asm.Reg) Half  { return Half{q, 0} }
func High(q asm.Reg) Half { return Half{q, 1} }

// half is the number of a register d.
func (h Half) register(q int) int { return 2*q + h.n }

func (h Half) text() string { return fmt.Sprintf("%%v.D[%d]", h.n) }

// vector makes an instruction that is a word.
func vector(name, operands string, reads, writes []asm.Reg, code func(n []int) uint32) asm.Op {
	o := op(strings.Fields(name)[0], name+operands, reads, writes)
	o.Code = func(n []int) []uint32 { return []uint32{code(n)} }
	return o
}

func two(name string, a, d asm.Reg, f func(m, d int) uint32) asm.Op {
	return vector(name, " %v, %v", list(a), list(d), func(n []int) uint32 { return f(n[0], n[1]) })
}

func three(name string, a, b, d asm.Reg, f func(m, n, d int) uint32) asm.Op {
	return vector(name, " %v, %v, %v", list(a, b), list(d), func(n []int) uint32 { return f(n[0], n[1], n[2]) })
}

// merge makes an instruction read its result.
func merge(o asm.Op) asm.Op {
	o.Reads = slices.Concat(o.Reads, o.Writes)
	return o
}

// halves makes an instruction of halves with the order of words: the last one is the result.
func halves(name string, f func(m, n, d int) uint32, a, b, d Half) asm.Op {
	o := vector(name, " "+a.text()+", "+b.text()+", "+d.text(), list(a.reg, b.reg), list(d.reg),
		func(n []int) uint32 { return f(a.register(n[0]), b.register(n[1]), d.register(n[2])) })
	return keepLow(o, d)
}

func keepLow(o asm.Op, d Half) asm.Op {
	if d.n == 1 {
		o.Reads = append(o.Reads, d.reg)
	}
	return o
}

func sized(name string, size int) string { return fmt.Sprintf("%s.%d", name, size) }

// Logic. VBIT inserts the bits of b where the mask has ones, VBIF where it has zeros.

func VEOR(a, b, d asm.Reg) asm.Op    { return three("VEOR", a, b, d, encoding.VEORQ) }
func VAND(a, b, d asm.Reg) asm.Op    { return three("VAND", a, b, d, encoding.VANDQ) }
func VORR(a, b, d asm.Reg) asm.Op    { return three("VORR", a, b, d, encoding.VORRQ) }
func VBIT(mask, b, d asm.Reg) asm.Op { return merge(three("VBIT", mask, b, d, encoding.VBITQ)) }
func VBIF(mask, b, d asm.Reg) asm.Op { return merge(three("VBIF", mask, b, d, encoding.VBIFQ)) }
func VEORH(a, b, d Half) asm.Op      { return halves("VEOR", encoding.VEORD, a, b, d) }

// VMOV copies a vector, VMOVH a half.

func VMOV(a, d asm.Reg) asm.Op {
	return two("VMOV", a, d, func(m, d int) uint32 { return encoding.VORRQ(m, m, d) })
}

func VMOVH(a, d Half) asm.Op {
	o := vector("VMOV", " "+a.text()+", "+d.text(), list(a.reg), list(d.reg),
		func(n []int) uint32 { return encoding.VORRD(a.register(n[0]), a.register(n[0]), d.register(n[1])) })
	return keepLow(o, d)
}

// VMOVI sets all bytes to n.
func VMOVI(n int, d asm.Reg) asm.Op {
	return vector("VMOVI", fmt.Sprintf(" $%d, %%v", n), nil, list(d), func(r []int) uint32 { return encoding.VMOVIQ(n, r[0]) })
}

// VDUP sets all words.
func VDUP(a, d asm.Reg) asm.Op { return two("VDUP.32", a, d, encoding.VDUPQ) }

// Elements of size bits: VADD adds, VTST is all ones where both have a bit in common.

func VADD(size int, a, b, d asm.Reg) asm.Op {
	return three(sized("VADD", size), a, b, d, func(m, n, d int) uint32 { return encoding.VADDQ(size, m, n, d) })
}

func VTST(size int, a, b, d asm.Reg) asm.Op {
	return three(sized("VTST", size), a, b, d, func(m, n, d int) uint32 { return encoding.VTSTQ(size, m, n, d) })
}

// Shifts by n. VSLI and VSRI keep the bits of d that no bit moves to, VSSHR copies the sign.

func VSHL(size, n int, a, d asm.Reg) asm.Op { return shift("VSHL", size, n, a, d, encoding.VSHLQ) }
func VSHR(size, n int, a, d asm.Reg) asm.Op { return shift("VSHR", size, n, a, d, encoding.VSHRQ) }
func VSLI(size, n int, a, d asm.Reg) asm.Op {
	return merge(shift("VSLI", size, n, a, d, encoding.VSLIQ))
}
func VSRI(size, n int, a, d asm.Reg) asm.Op {
	return merge(shift("VSRI", size, n, a, d, encoding.VSRIQ))
}

func VSSHR(size, n int, a, d asm.Reg) asm.Op {
	return shift("VSSHR", size, n, a, d, encoding.VSSHRQ)
}

func shift(name string, size, n int, a, d asm.Reg, f func(size, n, m, d int) uint32) asm.Op {
	return vector(sized(name, size), fmt.Sprintf(" $%d, %%v, %%v", n), list(a), list(d),
		func(r []int) uint32 { return f(size, n, r[0], r[1]) })
}

// VREV reverses elements of size bits within groups.
func VREV(group, size int, a, d asm.Reg) asm.Op {
	return two(sized(fmt.Sprint("VREV", group), size), a, d, func(m, d int) uint32 { return encoding.VREVQ(group, size, m, d) })
}

// VTRN exchanges the odd elements of b with the even ones of a.
func VTRN(size int, a, b asm.Reg) asm.Op {
	o := two(sized("VTRN", size), a, b, func(m, d int) uint32 { return encoding.VTRNQ(size, m, d) })
	o.Reads, o.Writes = list(a, b), list(a, b)
	return o
}

// VSWP exchanges two halves.
func VSWP(a, b Half) asm.Op {
	o := vector("VSWP", " "+a.text()+", "+b.text(), list(a.reg), list(b.reg),
		func(n []int) uint32 { return encoding.VSWPD(a.register(n[0]), b.register(n[1])) })
	o.Reads, o.Writes = list(a.reg, b.reg), list(a.reg, b.reg)
	return o
}

// VEXT is bytes n to n+15 of b and then a.
func VEXT(n int, a, b, d asm.Reg) asm.Op {
	return vector("VEXT", fmt.Sprintf(" $%d, %%v, %%v, %%v", n), list(a, b), list(d),
		func(r []int) uint32 { return encoding.VEXTQ(n, r[0], r[1], r[2]) })
}

// VTBL looks up the bytes of an index in a table of 16 bytes.
func VTBL(index Half, table asm.Reg, d Half) asm.Op {
	o := vector("VTBL", " "+index.text()+", %v, "+d.text(), list(index.reg, table), list(d.reg),
		func(n []int) uint32 { return encoding.VTBL(index.register(n[0]), 2*n[1], d.register(n[2])) })
	return keepLow(o, d)
}

// Permute looks up 16 bytes, in two instructions.
func Permute(index, table, d asm.Reg) []asm.Op {
	return []asm.Op{VTBL(Low(index), table, Low(d)), VTBL(High(index), table, High(d))}
}

// VMULL multiplies polynomials of 8 bits, or one of 64.
func VMULL(size int, a, b Half, d asm.Reg) asm.Op {
	return vector(fmt.Sprint("VMULL.P", size), " "+a.text()+", "+b.text()+", %v", list(a.reg, b.reg), list(d),
		func(n []int) uint32 { return encoding.VMULLP(size, a.register(n[0]), b.register(n[1]), n[2]) })
}

// AES instructions.

func AESE(k, d asm.Reg) asm.Op   { return merge(two("AESE", k, d, encoding.AESE)) }
func AESD(k, d asm.Reg) asm.Op   { return merge(two("AESD", k, d, encoding.AESD)) }
func AESMC(a, d asm.Reg) asm.Op  { return two("AESMC", a, d, encoding.AESMC) }
func AESIMC(a, d asm.Reg) asm.Op { return two("AESIMC", a, d, encoding.AESIMC) }

// A Mem is the memory at a register: [At], [Post], [By].
type Mem struct {
	base, increment asm.Reg
	mode            int // what the instruction has instead of a register
}

// At does not change the address, Post adds the size, and By a register.

func At(base asm.Reg) Mem            { return Mem{base: base, mode: 15} }
func Post(base asm.Reg) Mem          { return Mem{base: base, mode: 13} }
func By(base, increment asm.Reg) Mem { return Mem{base: base, increment: increment} }

// VLD1 and VST1 move one or two vectors of consecutive numbers at any address.

func VLD1(m Mem, d []asm.Reg) asm.Op { return memory("VLD1", m, d, true, encoding.VLD1) }
func VST1(s []asm.Reg, m Mem) asm.Op { return memory("VST1", m, s, false, encoding.VST1) }

func memory(name string, m Mem, x []asm.Reg, load bool, f func(mode, base, first, count int) uint32) asm.Op {
	if len(x) > 2 {
		panic("arm: " + name + " moves two registers at most")
	}
	vectors := strings.TrimSuffix(strings.Repeat("%v, ", len(x)), ", ")
	place := "(%v)"
	regs := list(m.base)
	if m.mode == 0 {
		place, regs = "(%v)(%v)", list(m.base, m.increment)
	}
	suffix := ""
	if m.mode != 15 {
		suffix = ".P"
	}
	var o asm.Op
	var base int // its place among the registers
	if load {
		o = op(name, name+suffix+" "+place+", ["+vectors+"]", regs, x)
		o.Memory = asm.Load
	} else {
		base = len(x)
		o = op(name, name+suffix+" ["+vectors+"], "+place, slices.Concat(x, regs), nil)
		o.Memory = asm.Store
	}
	if m.mode != 15 {
		o.Writes = append(slices.Clone(o.Writes), m.base)
	}
	first := (len(regs) + base) % (len(regs) + len(x))
	o.Code = func(n []int) []uint32 {
		mode := m.mode
		if mode == 0 {
			mode = n[base+1]
		}
		return []uint32{f(mode, n[base], 2*n[first], 2*len(x))}
	}
	return o
}

// VLD4 and VST4 move two blocks of four words to and from halves of four vectors of consecutive
// numbers: vector w has words w.

func VLD4(m Mem, d []asm.Reg, half int) asm.Op {
	return four(VLD1(m, d[:2]), m, d, half, encoding.VLD4)
}
func VST4(s []asm.Reg, half int, m Mem) asm.Op {
	return four(VST1(s[:2], m), m, s, half, encoding.VST4)
}

func four(two asm.Op, m Mem, x []asm.Reg, half int, f func(post bool, base, first int) uint32) asm.Op {
	name := strings.Replace(two.Name, "1", "4", 1)
	suffix := ""
	if m.mode == 13 {
		suffix = ".P"
	}
	parts := make([]string, 4)
	for i := range parts {
		parts[i] = Half{n: half}.text()
	}
	vectors := "[" + strings.Join(parts, ", ") + "]"
	o := op(name, name+suffix+" (%v), "+vectors, list(m.base), x)
	base, first := 0, 1
	if two.Memory == asm.Store {
		o = op(name, name+suffix+" "+vectors+", (%v)", slices.Concat(x, list(m.base)), nil)
		base, first = 4, 0
	} else if half == 1 {
		o.Reads = slices.Concat(o.Reads, x)
	}
	if suffix != "" {
		o.Writes = append(slices.Clone(o.Writes), m.base)
	}
	o.Memory = two.Memory
	o.Code = func(n []int) []uint32 { return []uint32{f(m.mode == 13, n[base], 2*n[first]+half)} }
	return o
}

// Each calls f for pairs of vectors, which VLD1 and VST1 move. Their numbers are those of a group.
func Each(x []asm.Reg, f func(pair []asm.Reg)) {
	for pair := range slices.Chunk(x, 2) {
		f(pair)
	}
}
