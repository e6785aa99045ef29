package main

import (
	"fmt"
	"strings"
)

// macBlock returns Poly1305 over the block at offset from X11. The hash comes and
// goes in X5, X6, X7 before its last reduction: X7 has more than two bits.
func macBlock(offset int) list {
	var l list
	l.load("MOV", offset, "X11", "X13")
	l.load("MOV", offset+8, "X11", "X14")
	// What is above 2^130 comes back five times.
	l.op3("SRLI", "$2", "X7", "X15")
	l.op3("AND", "$3", "X7", "X7")
	l.op3("SH2ADD", "X15", "X15", "X15")
	l.op3("ADD", "X15", "X5", "X5")
	l.op3("SLTU", "X15", "X5", "X16")
	l.op3("ADD", "X13", "X5", "X5")
	l.op3("SLTU", "X13", "X5", "X17")
	l.op3("ADD", "X14", "X6", "X6")
	l.op3("SLTU", "X14", "X6", "X18")
	l.op3("ADD", "X16", "X17", "X16")
	l.op3("ADD", "X16", "X6", "X6")
	l.op3("SLTU", "X16", "X6", "X19")
	l.op3("ADD", "X18", "X7", "X7")
	l.op3("ADD", "X19", "X7", "X7")
	l.op3("ADD", "$1", "X7", "X7")

	l.op3("MUL", "X8", "X5", "X20")    // h0 r0
	l.op3("MULHU", "X8", "X5", "X21")  //
	l.op3("MUL", "X9", "X5", "X22")    // h0 r1
	l.op3("MULHU", "X9", "X5", "X23")  //
	l.op3("MUL", "X8", "X6", "X24")    // h1 r0
	l.op3("MULHU", "X8", "X6", "X25")  //
	l.op3("MUL", "X10", "X6", "X26")   // h1 s1
	l.op3("MULHU", "X10", "X6", "X28") //
	l.op3("MUL", "X10", "X7", "X29")   // h2 s1
	l.op3("MUL", "X8", "X7", "X30")    // h2 r0
	l.op3("ADD", "X26", "X20", "X5")
	l.op3("SLTU", "X26", "X5", "X13")
	l.op3("ADD", "X28", "X21", "X21")
	l.op3("ADD", "X29", "X21", "X21")
	l.op3("ADD", "X13", "X21", "X21")
	l.op3("ADD", "X22", "X24", "X6")
	l.op3("SLTU", "X22", "X6", "X14")
	l.op3("ADD", "X21", "X6", "X6")
	l.op3("SLTU", "X21", "X6", "X16")
	l.op3("ADD", "X23", "X25", "X25")
	l.op3("ADD", "X30", "X25", "X25")
	l.op3("ADD", "X14", "X25", "X25")
	l.op3("ADD", "X16", "X25", "X7")
	return l
}

const loadMAC = `	MOV h+0(FP), X30
	MOV (X30), X5
	MOV 8(X30), X6
	MOV 16(X30), X7
	MOV r+8(FP), X30
	MOV (X30), X8
	MOV 8(X30), X9
	SRLI $2, X9, X10
	ADD X9, X10, X10
	MOV p+16(FP), X11
	MOV n+24(FP), X12
`

const storeMAC = `	SRLI $2, X7, X15
	AND $3, X7, X7
	SH2ADD X15, X15, X15
	ADD X15, X5, X5
	SLTU X15, X5, X16
	ADD X16, X6, X6
	SLTU X16, X6, X17
	ADD X17, X7, X7
	MOV h+0(FP), X30
	MOV X5, (X30)
	MOV X6, 8(X30)
	MOV X7, 16(X30)
`

func poly1305() string {
	const unroll = 4
	var b strings.Builder
	b.WriteString(`
// blocksScalar continues Poly1305 over n > 0 bytes, whole blocks.
//
// func blocksScalar(h *[3]uint64, r *[2]uint64, p *byte, n int)
//
// p is aligned to 8. X5-X7 h, X8, X9 r, X10 r1 + r1/4, X11 p, X12 n, X13-X26 and
// X28-X30 temporaries.
//
// It needs Zba. 40 instructions for a block, 10 of them multiplications: the reduction of one
// block and the addition of the next share their carries, and upper halves of
// products with the 60 bits of r add up without any.
TEXT ·blocksScalar(SB), NOSPLIT, $0-32
` + loadMAC)
	fmt.Fprintf(&b, "\tMOV $%d, X30\n\tBLTU X12, X30, rest\n\nfour:\n", 16*unroll)
	var l list
	for i := range unroll {
		l = append(l, macBlock(16*i)...)
	}
	b.WriteString(schedule(l).String())
	fmt.Fprintf(&b, "\tADD $%d, X11, X11\n\tADD $%d, X12, X12\n\tMOV $%d, X30\n\tBGEU X12, X30, four\n\tBEQZ X12, done\n\nrest:\n", 16*unroll, -16*unroll, 16*unroll)
	b.WriteString(schedule(macBlock(0)).String())
	b.WriteString("\tADD $16, X11, X11\n\tADD $-16, X12, X12\n\tBNEZ X12, rest\n\ndone:\n" + storeMAC + "\tRET\n")
	return b.String()
}
