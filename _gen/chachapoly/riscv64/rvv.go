package main

import (
	"fmt"
	"strings"
)

// vv adds an instruction with two vector sources.
func (l *list) vv(op string, b, a, dst int) {
	*l = append(*l, instruction{text: fmt.Sprintf("%sVV %s, %s, %s", op, v(b), v(a), v(dst)), op: op, dst: v(dst), src: []string{v(b), v(a)}})
}

// multipliers are the registers that hold 1<<n for a rotation by n.
var multipliers = map[int]string{16: "X25", 12: "X26", 8: "X28", 7: "X29"}

// turn makes to = from <<< n, two instructions: the bits that go around and,
// added to them, a product with 2^n, because the X60 multiplies and adds in half
// the time of a shift. Some of the shifts to the right are products, too, so that
// both units have the same to do.
func (l *list) turn(n, from, to int, product bool) {
	m := multipliers[n]
	if product {
		*l = append(*l, instruction{text: fmt.Sprintf("VMULHUVX %s, %s, %s", m, v(from), v(to)), op: "VMULHU", dst: v(to), src: []string{v(from)}})
	} else {
		*l = append(*l, instruction{text: fmt.Sprintf("VSRLVI $%d, %s, %s", 32-n, v(from), v(to)), op: "VSRL", dst: v(to), src: []string{v(from)}})
	}
	*l = append(*l, instruction{text: fmt.Sprintf("VMACCVX %s, %s, %s", v(from), m, v(to)), op: "VMACC", dst: v(to), src: []string{v(from), v(to)}})
}

func (l *list) vror(n, r int) {
	*l = append(*l, instruction{text: fmt.Sprintf("VRORVI(%d, %d, %d)", 32-n, r, r), op: "VROR", dst: v(r), src: []string{v(r)}})
}

// vectorRounds returns n double rounds over V0 to V15.
func vectorRounds(zvkb bool, n int) list {
	var l list
	for round := range 2 * n {
		diagonal := round % 2
		for i := range 4 {
			a, b, c, d := i, 4+(i+diagonal)%4, 8+(i+2*diagonal)%4, 12+(i+3*diagonal)%4
			if zvkb {
				step := func(x, y, z, n int) {
					l.vv("VADD", y, x, x)
					l.vv("VXOR", x, z, z)
					l.vror(n, z)
				}
				step(a, b, d, 16)
				step(c, d, b, 12)
				step(a, b, d, 8)
				step(c, d, b, 7)
				continue
			}
			s, t := 16+4*i, 17+4*i // d and b between the halves
			l.vv("VADD", b, a, a)
			l.vv("VXOR", a, d, d)
			l.turn(16, d, s, i < 2)
			l.vv("VADD", s, c, c)
			l.vv("VXOR", c, b, b)
			l.turn(12, b, t, false)
			l.vv("VADD", t, a, a)
			l.vv("VXOR", a, s, s)
			l.turn(8, s, d, i < 2)
			l.vv("VADD", d, c, c)
			l.vv("VXOR", c, t, t)
			l.turn(7, t, b, false)
		}
	}
	return l
}

func rvv(zvkb bool) string {
	const unroll = 2
	name := "chachaRVV"
	if zvkb {
		name = "chachaZVKB"
	}
	var b strings.Builder
	b.WriteString("#include \"chacha_riscv64.h\"\n\n")
	fmt.Fprintf(&b, `// %[1]s adds keystream to n > 0 bytes and advances the counter by the blocks that
// this takes, the last one perhaps in part. It leaves 192 bytes or less to others
// and returns how many it has done: whole blocks or n.
//
// func %[1]s(dst, src *byte, n int, state *[16]uint32) (done int)
//
// A pass is as many blocks as a vector register has words, at most 32: V0-V15
// hold word 0 to 15 of all of them, V16-V31 temporaries; X5-X20 the words of the
// initial state, X17 the counter; X21 dst, X22 src, X23 n, X24 blocks.
//
`, name)
	if zvkb {
		b.WriteString("// 96 instructions for a double round; vror.vi makes a rotation one of them.\n")
	} else {
		b.WriteString(`// 128 instructions for a double round. A rotation is a shift to the right, to which
// the product with a power of two is added: on the SpacemiT X60 the two take 3
// cycles, or 2 with vmulhu.vx for the shift, where two shifts and vor.vv take 6.
// Estimated there: 200 cycles for a double round of 512 bytes.
//
`)
	}
	fmt.Fprintf(&b, `// Segment stores with a stride put words into blocks. The keystream goes through
// the stack, because src and dst may lie anywhere and vector instructions for
// bytes alone do not care.
TEXT ·%s(SB), 0, $2048-40
	MOV dst+0(FP), X21
	MOV src+8(FP), X22
	MOV n+16(FP), X23
	MOV state+24(FP), X25
`, name)
	for i := range 16 {
		fmt.Fprintf(&b, "\tMOVWU %d(X25), %s\n", 4*i, word(i))
	}
	b.WriteString(`
pass:
	ADD $63, X23, X24
	SRLI $6, X24, X24
	MOV $32, X25
	BGEU X25, X24, fits
	MOV X25, X24

fits:
	VSETVLI X24, E32, M1, TA, MA, X24
`)
	for i := range 16 {
		fmt.Fprintf(&b, "\tVMVVX %s, V%d\n", word(i), i)
	}
	b.WriteString("\tVIDV V16\n\tVADDVV V16, V12, V12\n")
	if !zvkb {
		for _, n := range []int{16, 12, 8, 7} {
			fmt.Fprintf(&b, "\tMOV $%d, %s\n", 1<<n, multipliers[n])
		}
	}
	fmt.Fprintf(&b, "\tMOV $%d, X30\n\nrounds:\n", 10/unroll)
	b.WriteString(schedule(vectorRounds(zvkb, unroll)).String())
	b.WriteString("\tADD $-1, X30, X30\n\tBNEZ X30, rounds\n\n\tVIDV V16\n")
	for i := range 16 {
		fmt.Fprintf(&b, "\tVADDVX %s, V%d, V%d\n", word(i), i, i)
	}
	b.WriteString(`	VADDVV V16, V12, V12
	MOV $stream-2048(SP), X25
	MOV $64, X26
	ADD $32, X25, X28
	VSSSEG8E32V V0, X26, (X25)
	VSSSEG8E32V V8, X26, (X28)
	ADD X24, X17, X17
	SLLI $6, X24, X26
	BGEU X23, X26, whole
	MOV X23, X26

whole:
	SUB X26, X23, X23

add:
	VSETVLI X26, E8, M8, TA, MA, X28
	VLE8V (X22), V0
	VLE8V (X25), V8
	VXORVV V8, V0, V0
	VSE8V V0, (X21)
	ADD X28, X22, X22
	ADD X28, X25, X25
	ADD X28, X21, X21
	SUB X28, X26, X26
	BNEZ X26, add
	MOV $192, X25
	BLTU X25, X23, pass

	MOV n+16(FP), X25
	SUB X23, X25, X25
	MOV X25, done+32(FP)
	MOV state+24(FP), X25
	MOVW X17, 48(X25)

	// Wipe the stream: 16 registers at most.
	VSETVLI X0, E8, M8, TA, MA, X28
	VMVVI $0, V0
	SLLI $1, X28, X26
	MOV $stream-2048(SP), X25
	MOV $2048, X29
	BGEU X29, X26, wipe
	MOV X29, X26

wipe:
	VSETVLI X26, E8, M8, TA, MA, X28
	VSE8V V0, (X25)
	ADD X28, X25, X25
	SUB X28, X26, X26
	BNEZ X26, wipe
	// ct:allow stack: a pass wrote 64 bytes for each word of a register, at most 2048; the loop overwrites as many
	RET
`)
	if !zvkb {
		b.WriteString(`
// xorRVV makes dst the sum of x and y, n > 0 bytes.
//
// func xorRVV(dst, x, y *byte, n int)
TEXT ·xorRVV(SB), NOSPLIT, $0-32
	MOV dst+0(FP), X21
	MOV x+8(FP), X22
	MOV y+16(FP), X23
	MOV n+24(FP), X24

add:
	VSETVLI X24, E8, M8, TA, MA, X28
	VLE8V (X22), V0
	VLE8V (X23), V8
	VXORVV V8, V0, V0
	VSE8V V0, (X21)
	ADD X28, X21, X21
	ADD X28, X22, X22
	ADD X28, X23, X23
	SUB X28, X24, X24
	BNEZ X24, add
	RET
`)
	}
	return b.String()
}
