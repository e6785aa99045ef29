package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// Bytes: a register holds one byte of the state of 32 blocks, so that rotations
// by whole bytes cost nothing. A batch is 16 registers' worth, in memory (the
// scratch memory at frame): two batches at once hide the latency of a round.

// transposeBytes makes 16 rows of 32 bytes into columns within each half of
// the rows: byte c of row i goes to byte i of column c. It takes the rows from
// memory and hands column after column to out, the last one first. Registers
// 11 to 15 are left alone, and out may overwrite 10.
func transposeBytes(in func(i int) Mem, out func(c int, r vec)) {
	half := func(first int) [8]vec {
		free := ymm[8]
		butterfly := func(a, b vec) (lo, hi vec) {
			VPUNPCKHBW(b, a, free)
			VPUNPCKLBW(b, a, a)
			hi, free = free, b
			return a, hi
		}
		var one, two [16]vec
		for n, i := range []int{first, first + 2, first + 4, first + 6} {
			VMOVDQU(in(i), free)
			one[2*i], one[2*i+1] = ymm[2*n], ymm[2*n+1]
			VPUNPCKLBW(in(i+8), free, one[2*i])
			VPUNPCKHBW(in(i+8), free, one[2*i+1])
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
	kept := func(i int) Mem { return Mem{Base: frame, Disp: halfway + 32*i} }
	for i, r := range half(0) {
		VMOVDQU(r, kept(i))
	}
	high := half(1)
	for i := 7; i >= 0; i-- {
		low, t := ymm[9], ymm[10]
		VMOVDQU(kept(i), t)
		VPUNPCKLBW(high[i], t, low)
		VPUNPCKHBW(high[i], t, high[i])
		out(2*i+1, high[i])
		out(2*i, low)
	}
}

// bytesIn loads the 32 blocks of a batch into the slots of the state.
func bytesIn(f family, batch int) {
	basis := f.basis(false, ymm[11:15])
	transposeBytes(
		func(i int) Mem { return Mem{Base: src, Disp: 512*batch + 32*i} },
		func(c int, r vec) {
			basis(r)
			VMOVDQU(r, slot(batch, c/4, 3-c%4))
		})
}

// bytesOut collects the result of a batch, the last four words in reverse
// order; out gets two blocks at a time, the last ones first, and their offset
// from the first of the batch.
func bytesOut(f family, batch int, out func(at int, r vec)) {
	basis := f.basis(true, ymm[11:15])
	transposeBytes(
		func(c int) Mem { return slot(batch, 3-c/4, 3-c%4) },
		func(i int, r vec) {
			basis(r)
			out(32*i, r)
		})
}
