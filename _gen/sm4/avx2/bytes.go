package main

import (
	. "github.com/mmcloughlin/avo/operand"

	"github.com/cipherlane/cipherlane/_gen/simd"
)

// Bytes: a register holds one byte of the state of 32 or 16 blocks, so that rotations
// by whole bytes cost nothing. A batch is 16 registers' worth, in memory (the
// scratch memory at frame): two batches at once hide the latency of a round.

// transposeBytes makes 16 rows of that many bytes into columns within each half of
// the rows: byte c of row i goes to byte i of column c. It takes the rows from
// memory and hands column after column to out, the last one first. Registers
// 11 to 15 are left alone, and out may overwrite 10.
func transposeBytes(in func(i int) Mem, out func(c int, r vec)) {
	v := widest()
	half := func(first int) [8]vec {
		free := v[8]
		butterfly := func(a, b vec) (lo, hi vec) {
			unpack(8, true, b, a, free)
			unpack(8, false, b, a, a)
			hi, free = free, b
			return a, hi
		}
		var one, two [16]vec
		for n, i := range []int{first, first + 2, first + 4, first + 6} {
			a, b := v[2*n], v[2*n+1]
			if simd.Legacy { // operands in memory must be aligned
				move(in(i), a)
				move(in(i+8), b)
				one[2*i], one[2*i+1] = butterfly(a, b)
				continue
			}
			move(in(i), free)
			one[2*i], one[2*i+1] = a, b
			unpack(8, false, in(i+8), free, a)
			unpack(8, true, in(i+8), free, b)
		}
		for _, i := range []int{2 * first, 2*first + 1, 2*first + 4, 2*first + 5} {
			two[2*i], two[2*i+1] = butterfly(one[i], one[i+8])
		}
		var three [8]vec
		for i := range 4 {
			j := 4*first + i
			three[2*i], three[2*i+1] = butterfly(two[j], two[j+8])
		}
		return three
	}
	kept := func(i int) Mem { return Mem{Base: frame, Disp: halfway + rowSize()*i} }
	for i, r := range half(1) {
		move(r, kept(i))
	}
	low := half(0)
	for i := 7; i >= 0; i-- {
		high := v[9]
		unpack(8, true, kept(i), low[i], high)
		unpack(8, false, kept(i), low[i], low[i])
		out(2*i+1, high)
		out(2*i, low[i])
	}
}

// spare are registers for maps of bases.
func spare() []vec {
	v := widest()
	return v[11:15]
}

// bytesIn loads the 32 blocks of a batch into the slots of the state.
func bytesIn(f family, batch int) {
	basis := f.basis(false, spare())
	transposeBytes(
		func(i int) Mem { return Mem{Base: src, Disp: 16*rowSize()*batch + rowSize()*i} },
		func(c int, r vec) {
			basis(r)
			move(r, slot(batch, c/4, 3-c%4))
		})
}

// bytesOut collects the result of a batch, the last four words in reverse
// order; out gets two blocks at a time, the last ones first, and their offset
// from the first of the batch.
func bytesOut(f family, batch int, out func(at int, r vec)) {
	basis := f.basis(true, spare())
	transposeBytes(
		func(c int) Mem { return slot(batch, 3-c/4, 3-c%4) },
		func(i int, r vec) {
			basis(r)
			out(rowSize()*i, r)
		})
}
