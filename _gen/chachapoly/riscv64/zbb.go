package main

import (
	"fmt"
	"strings"
)

// Words of the state are in X5 to X20.
func word(i int) string { return x(5 + i) }

type quarter struct{ a, b, c, d string }

func column(i int) quarter { return quarter{word(i), word(4 + i), word(8 + i), word(12 + i)} }

func diagonal(i int) quarter {
	return quarter{word(i), word(4 + (i+1)%4), word(8 + (i+2)%4), word(12 + (i+3)%4)}
}

func (l *list) rotate(n int, r string) { // r <<<= n
	*l = append(*l, instruction{text: fmt.Sprintf("RORIW(%d, %s, %s)", 32-n, r[1:], r[1:]), op: "RORIW", dst: r, src: []string{r}})
}

// quarterRound returns the twelve steps of RFC 8439, section 2.1. Upper halves
// of registers are not kept clean: no step but the rotations looks at them, and
// those take the lower half.
func (q quarter) round() list {
	var l list
	step := func(x, y, z string, n int) {
		l.op3("ADD", y, x, x)
		l.op3("XOR", x, z, z)
		l.rotate(n, z)
	}
	step(q.a, q.b, q.d, 16)
	step(q.c, q.d, q.b, 12)
	step(q.a, q.b, q.d, 8)
	step(q.c, q.d, q.b, 7)
	return l
}

// abreast takes one of each list in turn.
func abreast(lists ...list) list {
	var l list
	for i := 0; ; i++ {
		n := len(l)
		for _, from := range lists {
			if i < len(from) {
				l = append(l, from[i])
			}
		}
		if len(l) == n {
			return l
		}
	}
}

func doubleRounds(n int) list {
	var l list
	for range n {
		for _, of := range []func(int) quarter{column, diagonal} {
			l = append(l, abreast(of(0).round(), of(1).round(), of(2).round(), of(3).round())...)
		}
	}
	return l
}

func zbb() string {
	var b strings.Builder
	b.WriteString(`#include "chacha_riscv64.h"

// prepareZBB computes what of the first double round does not depend on the
// counter: the quarter rounds of three columns and five steps more.
//
// func prepareZBB(prepared, state *[16]uint32)
//
// X5-X20 the words of the state, X21 prepared, X22 state. Word 12 of the
// result means nothing.
TEXT ·prepareZBB(SB), NOSPLIT, $0-16
	MOV prepared+0(FP), X21
	MOV state+8(FP), X22
`)
	var l list
	for i := range 16 {
		l.load("MOVWU", 4*i, "X22", word(i))
	}
	l = append(l, abreast(column(1).round(), column(2).round(), column(3).round())...)
	l = append(l, column(0).round()[:1]...)
	l = append(l, diagonal(1).round()[:1]...)
	l = append(l, diagonal(2).round()[:3]...)
	for i := range 16 {
		l.store("MOVW", word(i), 4*i, "X21")
	}
	b.WriteString(schedule(l).String())
	b.WriteString(`	RET

// chachaZBB adds keystream to n bytes, whole blocks, and advances the counter.
//
// func chachaZBB(dst, src *byte, n int, state, prepared *[16]uint32)
//
// n > 0, dst and src aligned to 8. X5-X20 the words of the state, X21 dst, X22
// src, X23 the end of src, X24 state, X26 prepared, X28 counter, X25, X29, X30 temporaries.
//
// One block, four quarter rounds abreast: 96 instructions for a double round, and
// 41 less for the first one. SpacemiT X60 and SiFive U74 issue two
// of them per cycle. ADD.UW puts two words together for an XOR of 64 bits.
TEXT ·chachaZBB(SB), NOSPLIT, $0-40
	MOV dst+0(FP), X21
	MOV src+8(FP), X22
	MOV n+16(FP), X23
	MOV state+24(FP), X24
	MOV prepared+32(FP), X26
	MOVWU 48(X24), X28
	ADD X22, X23, X23

block:
`)
	l = nil
	for _, i := range []int{0, 4, 8, 1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15} {
		l.load("MOVWU", 4*i, "X26", word(i))
	}
	first := column(0).round()[1:]
	first[0].text, first[0].src = fmt.Sprintf("XOR %s, X28, %s", word(0), word(12)), []string{word(0), "X28"}
	l = append(l, first...)
	l = append(l, abreast(diagonal(0).round(), diagonal(1).round()[1:], diagonal(2).round()[3:], diagonal(3).round())...)
	b.WriteString(schedule(l).String())
	b.WriteString("\tMOV $3, X25\n\nrounds:\n" + doubleRounds(3).String() + "\tADD $-1, X25, X25\n\tBNEZ X25, rounds\n\n")
	l = nil
	for pair := range 8 {
		lo, hi := word(2*pair), word(2*pair+1)
		t := [3]string{"X25", "X29", "X30"}
		if pair > 0 { // what the pair before no longer needs
			t[pair%3], t[(pair+1)%3] = word(2*pair-2), word(2*pair-1)
		}
		if pair == 6 {
			l.op3("ADD", "X28", lo, lo)
		} else {
			l.load("MOVWU", 8*pair, "X24", t[0])
			l.op3("ADD", t[0], lo, lo)
		}
		l.load("MOVWU", 8*pair+4, "X24", t[1])
		l.op3("ADD", t[1], hi, hi)
		l.op3("SLLI", "$32", hi, hi)
		l.op3("ADDUW", hi, lo, lo)
		l.load("MOV", 8*pair, "X22", t[2])
		l.op3("XOR", t[2], lo, lo)
		l.store("MOV", lo, 8*pair, "X21")
	}
	l.op3("ADD", "$1", "X28", "X28")
	l.op3("ADD", "$64", "X21", "X21")
	l.op3("ADD", "$64", "X22", "X22")
	// Loads of the source need not wait for stores to the destination: they are
	// at the same place or apart.
	for i := range l {
		if l[i].mem == store {
			l[i].mem = none
		}
	}
	s := schedule(l)
	b.WriteString(s.String())
	b.WriteString(`	BNE X22, X23, block
	MOVW X28, 48(X24)
	RET
`)
	return b.String()
}
