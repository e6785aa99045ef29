package main

import "github.com/cipherlane/cipherlane/_gen/aes/permute"

// A layout says which byte of the state is in each place of a register. Row r,
// column c is number r+4c. ShiftRows is left out of the rounds: instead
// the layout changes, and with it the permutations of MixColumns.
type layout [16]int

// shifted is the layout after n ShiftRows, or inverse ones where n is negative.
// It has a period of 4.
func shifted(n int) (l layout) {
	for p := range l {
		r, c := p%4, p/4
		l[p] = r + 4*((c-n*r)&3)
	}
	return l
}

// permutation is the index that brings a register of the usual layout to l.
func (l layout) permutation() (t permute.Table) {
	for p := range t {
		t[p] = byte(l[p])
	}
	return t
}

// rotation is the index that gives each byte the one n rows below it in its
// column.
func (l layout) rotation(n int) (t permute.Table) {
	var place [16]byte
	for p, i := range l {
		place[i] = byte(p)
	}
	for p, i := range l {
		t[p] = place[(i+n)&3|i&^3]
	}
	return t
}
