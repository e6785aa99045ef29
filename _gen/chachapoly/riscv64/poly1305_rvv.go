package main

import (
	"fmt"
	"strings"
)

// Registers of blocksRVV. Limbs have 26 bits.
var (
	rLimb = [5]string{"X5", "X6", "X7", "X8", "X9"}
	sLimb = [5]string{"", "X10", "X11", "X12", "X13"} // 5 r
	power = [5]int{1, 2, 3, 4, 5}
	hash  = [5]int{6, 7, 28, 29, 30}
	prod  = [5]int{8, 10, 12, 14, 16} // and the register behind
	limb  = [5]int{18, 19, 24, 25, 26}
)

func (l *list) vx(op, x string, a, dst int) {
	*l = append(*l, instruction{text: fmt.Sprintf("%sVX %s, %s, %s", op, x, v(a), v(dst)), op: op, dst: v(dst), src: []string{v(a)}})
}

func (l *list) vi(op string, n, a, dst int) {
	*l = append(*l, instruction{text: fmt.Sprintf("%s $%d, %s, %s", op, n, v(a), v(dst)), op: strings.TrimSuffix(op, "VI"), dst: v(dst), src: []string{v(a)}})
}

// vmacc adds the product of a and the integer register x to dst.
func (l *list) vmacc(op, x string, a, dst int) {
	*l = append(*l, instruction{text: fmt.Sprintf("%s %s, %s, %s", op, v(a), x, v(dst)), op: "VMACC", dst: v(dst), src: []string{v(a), v(dst)}})
}

func (l *list) wide(b, a, dst int) {
	*l = append(*l, instruction{text: fmt.Sprintf("VWADDUWV %s, %s, %s", v(b), v(a), v(dst)), op: "VADD", dst: v(dst), src: []string{v(a), v(b)}})
}

// times makes prod the product of a and r, without carries: below 2^58.
func times(a [5]int) list {
	var l list
	for j := range 5 { // limb of a
		for i := range 5 { // limb of the product
			m := rLimb[(i-j+5)%5]
			if i < j {
				m = sLimb[i-j+5]
			}
			if j == 0 {
				l = append(l, instruction{text: fmt.Sprintf("VWMULUVX %s, %s, %s", m, v(a[j]), v(prod[i])), op: "VMUL", dst: v(prod[i]), src: []string{v(a[j])}})
			} else {
				l.vmacc("VWMACCUVX", m, a[j], prod[i])
			}
		}
	}
	return l
}

// carry makes to the product with limbs of 26 bits, but for a bit more in limb 4.
// A carry fits into 32 bits, so it is a narrow vector; five times the last one
// does not, and is added by a multiplication.
func carry(to [5]int) list {
	var l list
	part := func(from, to int) {
		l.vi("VNSRLWI", 0, from, to)
		l.vx("VAND", "X14", to, to)
	}
	const c0, c1, c2 = 27, 31, 0
	l.vi("VNSRLWI", 26, prod[3], c0)
	l.wide(c0, prod[4], prod[4])
	l.vi("VNSRLWI", 26, prod[4], c1)
	l.vmacc("VWMACCUVX", "X15", c1, prod[0])
	l.vi("VNSRLWI", 26, prod[0], c2)
	l.wide(c2, prod[1], prod[1])
	l.vi("VNSRLWI", 26, prod[1], c0)
	l.wide(c0, prod[2], prod[2])
	l.vi("VNSRLWI", 26, prod[2], c1)
	for i := range 5 {
		part(prod[i], to[i])
	}
	l.vv("VADD", c1, to[3], to[3])
	l.vi("VSRLVI", 26, to[3], c2)
	l.vx("VAND", "X14", to[3], to[3])
	l.vv("VADD", c2, to[4], to[4])
	return l
}

// message loads a block for each lane and makes limbs of it.
func message() list {
	var l list
	l = append(l, instruction{text: "VLSEG4E32V (X17), V20", op: "VLSEG", dst: "V20", src: []string{"X17"}, mem: load})
	l.op3("ADD", "X19", "X17", "X17")
	word := func(i instruction) { // of V20 to V23 the scheduler knows one
		i.src = append(i.src, "V20")
		l = append(l, i)
	}
	word(instruction{text: "VANDVX X14, V20, V18", op: "VAND", dst: "V18"})
	for i, m := range []string{"X20", "X21", "X22"} {
		to := limb[1+i]
		word(instruction{text: fmt.Sprintf("VSRLVI $%d, V%d, %s", 26-6*i, 20+i, v(to)), op: "VSRL", dst: v(to)})
		word(instruction{text: fmt.Sprintf("VMACCVX V%d, %s, %s", 21+i, m, v(to)), op: "VMACC", dst: v(to), src: []string{v(to)}})
		l.vx("VAND", "X14", to, to)
	}
	word(instruction{text: "VSRLVI $8, V23, V26", op: "VSRL", dst: "V26"})
	l.vx("VADD", "X23", 26, 26) // 2^128
	return l
}

func addMessage() list {
	var l list
	for i := range 5 {
		l.vv("VADD", limb[i], hash[i], hash[i])
	}
	return l
}

// multiplier makes lane 0 of the power vector the multiplier.
func multiplier() string {
	var b strings.Builder
	for i := range 5 {
		fmt.Fprintf(&b, "\tVMVXS V%d, %s\n", power[i], rLimb[i])
	}
	for i := 1; i < 5; i++ {
		fmt.Fprintf(&b, "\tSLLI $2, %s, %s\n", rLimb[i], sLimb[i])
	}
	for i := 1; i < 5; i++ {
		fmt.Fprintf(&b, "\tADD %s, %s, %s\n", rLimb[i], sLimb[i], sLimb[i])
	}
	return b.String()
}

// split makes limbs of three words, which are not changed; t is a temporary.
func split(w [3]string, to [5]string, t string) string {
	text := fmt.Sprintf(`	AND X14, %[1]s, %[4]s
	SRLI $26, %[1]s, %[5]s
	AND X14, %[5]s, %[5]s
	SRLI $52, %[1]s, %[6]s
	SLLI $12, %[2]s, %[9]s
	OR %[9]s, %[6]s, %[6]s
	AND X14, %[6]s, %[6]s
	SRLI $14, %[2]s, %[7]s
	AND X14, %[7]s, %[7]s
	SRLI $40, %[2]s, %[8]s
`, w[0], w[1], w[2], to[0], to[1], to[2], to[3], to[4], t)
	if w[2] != "" {
		text += fmt.Sprintf("\tSLLI $24, %s, %s\n\tOR %s, %s, %s\n", w[2], t, t, to[4], to[4])
	}
	return text
}

func poly1305RVV() string {
	var b strings.Builder
	b.WriteString(`
// blocksRVV continues Poly1305 over as many of n >= 192 bytes as make whole
// vectors, and returns how many those are.
//
// func blocksRVV(h *[3]uint64, r *[2]uint64, p *byte, n int) (done int)
//
// p is aligned to 4. Lane j of L holds the blocks j, j+L, ...: all lanes are
// multiplied by r^L after each block but the last, and lane j by r^(L-j) then.
// L is what a vector register has of words, but at most 16 and no more than half
// of the blocks.
//
// V1-V5 (r^L, ..., r), V6, V7, V28-V30 h, V8-V17 products, V18, V19, V24-V26
// message, V20-V23 its words, V0, V27, V31 temporaries; X5-X9 r^L, X10-X13 five
// times that, X14 2^26-1, X15 5, X16 L, X17 p, X18 bytes left, X19 16 L,
// X20-X23 powers of 2.
//
// 69 instructions for L blocks, 25 of them vwmaccu.vx, each with a product of
// every lane. The limbs of the next block are made meanwhile.
TEXT ·blocksRVV(SB), NOSPLIT, $0-40
	MOV h+0(FP), X30
	MOV (X30), X24
	MOV 8(X30), X25
	MOV 16(X30), X26
	MOV r+8(FP), X30
	MOV (X30), X28
	MOV 8(X30), X29
	MOV p+16(FP), X17
	MOV n+24(FP), X18
	MOV $0x3ffffff, X14
	MOV $5, X15
	MOV $(1<<6), X20
	MOV $(1<<12), X21
	MOV $(1<<18), X22
	MOV $(1<<24), X23

	// L: a power of 2.
	VSETVLI X0, E32, M1, TA, MA, X16
	MOV $16, X30
	BGEU X30, X16, fewer
	MOV X30, X16

fewer:
	SLLI $5, X16, X30
	BGEU X18, X30, enough
	SRLI $1, X16, X16
	JMP fewer

enough:
	SLLI $4, X16, X19
	SUB X19, X0, X30
	AND X30, X18, X18
	MOV X18, done+32(FP)

	// h goes to lane 0; the other lanes begin with 0.
	VSETVLI X16, E32, M1, TU, MA, X30
`)
	for i := range 5 {
		fmt.Fprintf(&b, "\tVMVVI $0, V%d\n", hash[i])
	}
	b.WriteString(split([3]string{"X24", "X25", "X26"}, rLimb, "X30"))
	for i := range 5 {
		fmt.Fprintf(&b, "\tVMVSX %s, V%d\n", rLimb[i], hash[i])
	}
	b.WriteString(split([3]string{"X28", "X29", ""}, rLimb, "X30"))
	for i := range 5 {
		fmt.Fprintf(&b, "\tVMVSX %s, V%d\n", rLimb[i], power[i])
	}
	b.WriteString(`
	// Lanes 0 to s-1 hold r^s to r. Times r^s they are r^2s to r^(s+1), and the old
	// ones go behind them.
	MOV $1, X24

double:
	VSETVLI X24, E32, M1, TA, MA, X30
`)
	b.WriteString(multiplier())
	b.WriteString(schedule(append(times(power), carry(limb)...)).String())
	b.WriteString("\tSLLI $1, X24, X25\n\tVSETVLI X25, E32, M1, TA, MA, X30\n")
	for i := range 5 {
		fmt.Fprintf(&b, "\tVSLIDEUPVX X24, V%d, V%d\n", power[i], limb[i])
	}
	for i := range 5 {
		fmt.Fprintf(&b, "\tVMVVV V%d, V%d\n", limb[i], power[i])
	}
	b.WriteString("\tMOV X25, X24\n\tBLTU X24, X16, double\n\n")
	b.WriteString(multiplier())
	b.WriteString(schedule(message()).String())
	b.WriteString("\tSUB X19, X18, X18\n\nblock:\n")
	l := addMessage()
	l = append(l, times(hash)...)
	l = append(l, carry(hash)...)
	l = append(l, message()...)
	b.WriteString(schedule(l).String())
	b.WriteString("\tSUB X19, X18, X18\n\tBNEZ X18, block\n\n\t// The last block of each lane, times its own power.\n")
	l = addMessage()
	// 5 r in V20 to V23.
	for i := 1; i < 5; i++ {
		l.vx("VMUL", "X15", power[i], 19+i)
	}
	for j := range 5 {
		for i := range 5 {
			m := power[(i-j+5)%5]
			if i < j {
				m = 19 + i - j + 5
			}
			if j == 0 {
				l = append(l, instruction{text: fmt.Sprintf("VWMULUVV %s, %s, %s", v(m), v(hash[j]), v(prod[i])), op: "VMUL", dst: v(prod[i]), src: []string{v(m), v(hash[j])}})
			} else {
				l = append(l, instruction{text: fmt.Sprintf("VWMACCUVV %s, %s, %s", v(hash[j]), v(m), v(prod[i])), op: "VMACC", dst: v(prod[i]), src: []string{v(m), v(hash[j]), v(prod[i])}})
			}
		}
	}
	b.WriteString(schedule(l).String())
	b.WriteString("\n\t// The sum of the lanes.\n\tVSETVLI X16, E64, M2, TA, MA, X30\n\tVMVVI $0, V18\n")
	for i := range 5 {
		fmt.Fprintf(&b, "\tVREDSUMVS V18, V%d, V%d\n", prod[i], 20+2*i)
	}
	for i := range 5 {
		fmt.Fprintf(&b, "\tVMVXS V%d, %s\n", 20+2*i, rLimb[i])
	}
	b.WriteString(`
	// Words again.
	SRLI $26, X5, X10
	AND X14, X5, X5
	ADD X10, X6, X6
	SRLI $26, X6, X10
	AND X14, X6, X6
	ADD X10, X7, X7
	SRLI $26, X7, X10
	AND X14, X7, X7
	ADD X10, X8, X8
	SRLI $26, X8, X10
	AND X14, X8, X8
	ADD X10, X9, X9
	SRLI $26, X9, X10
	AND X14, X9, X9
	SLLI $2, X10, X11
	ADD X11, X10, X10
	ADD X10, X5, X5
	SLLI $26, X6, X6
	ADD X6, X5, X5
	SLLI $52, X7, X10
	ADD X10, X5, X5
	SLTU X10, X5, X11
	SRLI $12, X7, X7
	SLLI $14, X8, X8
	SLLI $40, X9, X10
	ADD X8, X7, X7
	ADD X10, X7, X7
	ADD X11, X7, X7
	SLTU X11, X7, X11
	SRLI $24, X9, X9
	ADD X11, X9, X9
	MOV h+0(FP), X30
	MOV X5, (X30)
	MOV X7, 8(X30)
	MOV X9, 16(X30)
	RET
`)
	return b.String()
}
