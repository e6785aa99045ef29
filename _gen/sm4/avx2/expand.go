package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/sm4/matrices"

	"github.com/cipherlane/cipherlane/_gen/simd"
)

func expand(f family) {
	s := matrices.Derive()
	in := func(x uint32) (y uint32) { // the S-box's input map on the bytes of a word
		for j := range 4 {
			y |= uint32(s.In.Apply(byte(x>>(8*j)))) << (8 * j)
		}
		return y
	}
	ck := GLOBL("expandConstants", attr.RODATA|attr.NOPTR)
	for i := range 32 {
		var x uint32 // GB/T 32907-2016, section 7.3 c)
		for j := range 4 {
			x = x<<8 | uint32(byte((4*i+j)*7))
		}
		DATA(4*i, U32(in(x)))
	}
	fk := GLOBL("familyKey", attr.RODATA|attr.NOPTR)
	for i, x := range []uint32{0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc} {
		DATA(4*i, U32(x))
	}

	name := "expand" + f.name()
	function(name, attr.NOSPLIT, "(k *Keys, key *[16]byte)",
		name+" computes the round keys: both fields of k, every byte b as T·b + constant.",
		"AX constants CK, R8 keys, R9 rounds / 4, R10 key, later keys; X0 ... X3 state, X4 input of the",
		"S-box, X12 constant, X5 ... X11, X13 ... X15 temporary.",
		"Bound by the latency of a round; see serial.go of the generator.")
	Load(Param("k"), keys)
	Load(Param("key"), reg.R10)
	k := keyWalk{size: 4, fixed: true}
	move(constant("keyConstant", s.KeyConstant), xmm[12])
	move(Mem{Base: reg.R10}, xmm[5])
	shuffle(swapWords(), xmm[5], xmm[5])
	xor(fk, xmm[5], xmm[5])
	f.basis(false, xmm[6:10])(xmm[5])
	for w := range 4 {
		simd.Shuffle32(uint64(0x55*w), xmm[5], xmm[w])
	}
	LEAQ(ck, keyPtr)
	serialStart(f, k)
	Comment("Every byte of a round key is also stored four times.")
	spread, spreadTo := constant("spread", 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3), reg.R10
	MOVQ(keys, spreadTo)
	serialRounds(f, true, k, func(i int, x vec) {
		xor(xmm[12], x, xmm[5])
		word(xmm[5], Mem{Base: keys, Disp: wordsOffset + 4*i})
		shuffle(spread, xmm[5], xmm[5])
		move(xmm[5], Mem{Base: spreadTo, Disp: bytesOffset + 16*i})
		if i == 3 {
			ADDQ(Imm(16), keys)
			ADDQ(Imm(64), spreadTo)
		}
	})
	done()
}
