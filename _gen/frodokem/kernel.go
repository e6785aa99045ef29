package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// Vec is a vector register of any width.
type Vec = amd64.Vec

var zmm, ymm = amd64.ZMM, amd64.YMM

// finish clears all registers that VZEROALL reaches, because they hold secrets.
func finish() {
	VZEROALL()
	RET()
}

// finish512 clears all 32.
func finish512() {
	zero(zmm[16:])
	finish()
}

func zero(list []Vec) {
	for _, v := range list {
		VPXORD(v, v, v)
	}
}

// eightRows is where columns of eight rows are in memory.
type eightRows struct {
	first, fifth    reg.GPPhysical // of these rows
	stride, stride3 reg.GPPhysical // the bytes in a row, and three times as many
}

// addresses computes stride3 and fifth of the others.
func (r eightRows) addresses() {
	LEAQ(Mem{Base: r.stride, Index: r.stride, Scale: 2}, r.stride3)
	LEAQ(Mem{Base: r.first, Index: r.stride, Scale: 4}, r.fifth)
}

// row is where row i is.
func (r eightRows) row(i int) Mem {
	m := Mem{Base: r.first}
	if i >= 4 {
		m.Base = r.fifth
	}
	switch i % 4 {
	case 1:
		m.Index, m.Scale = r.stride, 1
	case 2:
		m.Index, m.Scale = r.stride, 2
	case 3:
		m.Index, m.Scale = r.stride3, 1
	}
	return m
}

// advance goes on to columns that many bytes further.
func (r eightRows) advance(bytes int) {
	ADDQ(Imm(uint64(bytes)), r.first)
	ADDQ(Imm(uint64(bytes)), r.fifth)
}

// aligned is memory on the stack at a multiple of 32 bytes: a register that crosses a
// cache line takes twice as long.
type aligned struct {
	Mem
	whole Mem
}

// alignedLocal reserves so much of it, at R13.
func alignedLocal(k *amd64.Kernel, bytes int, what string) aligned {
	return aligned{Mem{Base: k.GP(reg.R13, what)}, AllocLocal(bytes + 32)}
}

// align computes the address.
func (a aligned) align() {
	LEAQ(a.whole.Offset(31), a.Base)
	ANDQ(I8(-32), a.Base)
}
