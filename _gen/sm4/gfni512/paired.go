package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Register h of word w of paired blocks has bytes 2h and 2h+1 by significance. Block 4r+l,
// r = 4g+2i+j, is at byte 16l+8g+2i+j of the register, which is in an even 32-bit lane, and at
// the same place in the odd one beside it. So unpacking can put together the bytes of a
// block: see fromPaired.

// pairedByte is where the register with byte b of the words has that of block n.
func pairedByte(n, b int) int {
	l, r := n%4, n/4
	return 16*l + 8*(r/4) + r%4 + 4*(b%2)
}

// fromPaired turns the result of the paired half into the blocks of eight registers, using Z0
// to Z8. Where a stage of unpacking takes bytes of two registers in turn, the last one takes
// those of a pair.
func fromPaired(h *half) []reg.VecPhysical {
	r, spare := zmm[:8], zmm[8]
	for w := range 4 {
		for j := range 2 {
			z := r[2*w+1-j] // it has bytes 2w+1-j and below of the block, by pairs
			VMOVDQA64(h.at(state, 3-w, j), z)
			fromT(z, z)
		}
	}
	for stage := range 4 {
		distance := 4 // registers that are unpacked together
		if stage == 3 {
			distance = 2
		}
		next := make([]reg.VecPhysical, 8)
		n := 0
		for i := range r {
			if i&distance != 0 {
				continue
			}
			first, second := r[i], r[i+distance]
			low, high := 2*n, 2*n+1
			if stage == 3 {
				// The byte of higher significance comes first in the block.
				first, second = second, first
				low, high = i&4+2*(i&1), i&4+2*(i&1)+1
			}
			VPUNPCKLBW(second, first, spare)
			VPUNPCKHBW(second, first, second)
			next[low], next[high] = spare, second
			spare = first
			n++
		}
		r = next
	}
	return r
}

// maskPairs sets K3 to these two bytes and K6 to the bytes of even 32-bit lanes.
func maskPairs(a, b int) {
	MOVQ(U64(1<<a|1<<b), reg.RCX)
	KMOVQ(reg.RCX, reg.K3)
	MOVQ(U64(0x0f0f0f0f0f0f0f0f), reg.RCX)
	KMOVQ(reg.RCX, reg.K6)
}

// pairedPlanes puts the words of 32 counter blocks on the stack of dual, the first n blocks
// after next, except for the last one, which has J0. It uses the stack from disp on, 192 bytes.
// K3 is the bytes of the last block, K6 the even lanes.
//
// The counter may be secret, as in planes.
func pairedPlanes(h *half, n, disp int) {
	at := func(base, w, j int) Mem { return Mem{Base: state, Disp: disp + 64*base + 16*w + 8*j} }
	const count, last, wrapped = 0, 1, 2
	// inPairs stores T·b of the 16 bytes b of a block, four times each, in the order of words.
	inPairs := func(base int) {
		spread()
		VPSHUFD(Imm(0x1b), reg.Z16, reg.Z16)
		VMOVDQA64(reg.Z16, at(base, 0, 0))
	}
	loadJ0()
	MOVQ(hi, reg.RCX)
	inPairs(last)
	Load(Param("next"), reg.RAX)
	if n > 0 {
		add32(uint64(n))
	}
	VPBROADCASTB(reg.EAX, reg.Z18)
	VPADDB(constant(constPaired), reg.Z18, reg.Z19)
	VPCMPUB(Imm(1), reg.Z18, reg.Z19, reg.K2)
	MOVL(reg.EAX, reg.ECX)
	ADDL(U32(256), reg.ECX)
	VMOVD(reg.ECX, reg.X17)
	toT(reg.X17, reg.X17)
	VPSHUFB(constant(constSpread), reg.X17, reg.X17)
	VMOVDQA64(reg.X17, at(wrapped, 0, 0))
	MOVQ(hi, reg.RCX)
	inPairs(count)
	for w := range 4 {
		for j := range 2 {
			z := zmm[2*w+j]
			VPBROADCASTQ(at(count, w, j), z)
			if w == 3 {
				VPBROADCASTQ(at(wrapped, 0, j), reg.Z16)
				VMOVDQU8(reg.Z16, reg.K2, z)
				if j == 0 {
					toT(reg.Z19, reg.Z19)
					VMOVDQU8(reg.Z19, reg.K6, z)
				}
				VPBROADCASTQ(at(last, w, j), reg.Z16)
				VMOVDQU8(reg.Z16, reg.K3, z)
			}
			VMOVDQA64(z, h.at(state, w, j).Offset(dualStart))
		}
	}
}
