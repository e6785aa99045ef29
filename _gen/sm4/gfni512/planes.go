package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transpose turns 16 registers of four blocks each into planes, one for each
// of the 16 bytes, or back: four stages of unpacking. The block 4r+l is at
// byte 16l+r of a plane. It returns where the result is: in r and spare
// except one, which is the new spare register.
func transpose(r []reg.VecPhysical, spare reg.VecPhysical) ([]reg.VecPhysical, reg.VecPhysical) {
	for range 4 {
		next := make([]reg.VecPhysical, 16)
		for i := range 8 {
			VPUNPCKLBW(r[i+8], r[i], spare)
			VPUNPCKHBW(r[i+8], r[i], r[i+8])
			next[2*i], next[2*i+1], spare = spare, r[i+8], r[i]
		}
		r = next
	}
	return r, spare
}

// toT and fromT change the basis of the bytes in r.
func toT(s, d reg.VecPhysical)   { VGF2P8AFFINEQB_BCST(Imm(0), constant(constT), s, d) }
func fromT(s, d reg.VecPhysical) { VGF2P8AFFINEQB_BCST(Imm(0), constant(constTI), s, d) }

// plane is the number of the plane, which is the byte of the block, of byte j
// by significance of word w.
func plane(w, j int) int { return 4*w + 3 - j }

// toSingle turns the 16 registers r into the state of single.
func toSingle(r []reg.VecPhysical, spare reg.VecPhysical) {
	r, spare = transpose(r, spare)
	from := map[reg.VecPhysical]reg.VecPhysical{}
	for w := range 4 {
		for j := range 4 {
			from[zmm[4*w+j]] = r[plane(w, j)]
		}
	}
	for len(from) > 0 {
		source := map[reg.VecPhysical]bool{}
		for d, s := range from {
			if d != s {
				source[s] = true
			}
		}
		done := false
		for _, d := range zmm {
			if s, ok := from[d]; ok && !source[d] {
				toT(s, d)
				delete(from, d)
				done = true
				break
			}
		}
		if done {
			continue
		}
		for _, d := range zmm {
			if s, ok := from[d]; ok {
				VMOVDQA64(s, spare)
				from[d] = spare
				break
			}
		}
	}
}

// fromSingle turns the result of single into blocks, using Z16. It returns the
// 16 registers in order.
func fromSingle() []reg.VecPhysical {
	r := make([]reg.VecPhysical, 16)
	for w := range 4 {
		for j := range 4 {
			z := zmm[4*(3-w)+j]
			fromT(z, z)
			r[plane(w, j)] = z
		}
	}
	r, _ = transpose(r, reg.Z16)
	return r
}

// toDual puts the planes of the 16 registers r into the words of one half on
// the stack.
func toDual(r []reg.VecPhysical, spare reg.VecPhysical, half int) {
	r, _ = transpose(r, spare)
	for w := range 4 {
		for j := range 4 {
			z := r[plane(w, j)]
			toT(z, z)
			VMOVDQA64(z, word(state, half, w, j))
		}
	}
}

// loadDual loads what dual expects in registers from the words on the stack.
func loadDual() { loadHalves(newHalf(0, 0, 4), newHalf(1, 8, 4)) }

func loadHalves(halves ...*half) {
	for _, h := range halves {
		h.each(func(w, j int, z reg.VecPhysical) { VMOVDQA64(h.at(from, 2+w, j), z) })
	}
	VPBROADCASTQ(constant(constU0), reg.Z31)
	VPBROADCASTQ(constant(constU1), reg.Z30)
}

// fromDual turns one half of the result of dual into blocks. It uses Z0 to Z16
// and returns the registers in order.
func fromDual(half int) []reg.VecPhysical {
	r := make([]reg.VecPhysical, 16)
	for w := range 4 {
		for j := range 4 {
			z := zmm[4*w+j]
			VMOVDQA64(word(state, half, 3-w, j), z)
			fromT(z, z)
			r[plane(w, j)] = z
		}
	}
	r, _ = transpose(r, reg.Z16)
	return r
}

// scratch reserves 64-byte aligned memory on the stack and points state at it.
func scratch(bytes int) {
	m := AllocLocal(bytes + 64)
	LEAQ(m.Offset(63), state)
	ANDQ(I32(-64), state)
}

// wipe overwrites the beginning of the scratch.
func wipe(bytes int) {
	VPXOR(reg.X0, reg.X0, reg.X0)
	for i := 0; i < bytes; i += 64 {
		VMOVDQA64(reg.Z0, Mem{Base: state, Disp: i})
	}
}

// lastMask sets K1 to the bytes of the last register of data, of those that
// remaining bytes fill. It changes RAX, RCX and R11.
func lastMask() {
	LEAQ(Mem{Base: remaining, Disp: -1}, reg.RAX)
	ANDQ(Imm(63), reg.RAX)
	INCQ(reg.RAX)
	byteMask(reg.K1, false)
}

// byteMask sets k to the first RAX of 64 bytes, 1 to 64, or if none is set 0 to 64. It changes
// RCX and R11.
func byteMask(k reg.Register, none bool) {
	MOVL(U32(64), reg.ECX)
	SUBQ(reg.RAX, reg.RCX)
	MOVQ(I32(-1), reg.R11)
	SHRQ(reg.CL, reg.R11)
	if none {
		TESTQ(reg.RAX, reg.RAX)
		CMOVQEQ(reg.RAX, reg.R11)
	}
	KMOVQ(reg.R11, k)
}

// each runs full for the registers that are full of data, and last for the
// last one, which has the bytes of K1. n is the number of the first register
// of r in the data, and more says whether there may be data behind those of r.
func each(r []reg.VecPhysical, n int, more bool, full, last func(z reg.VecPhysical, disp int)) {
	end := label("end")
	var partial []string
	for i, z := range r {
		l := label("last")
		partial = append(partial, l)
		if i == len(r)-1 && !more {
			JMP(LabelRef(l))
			break
		}
		CMPQ(remaining, U32(uint64(64*(n+i+1))))
		JBE(LabelRef(l))
		full(z, 64*(n+i))
	}
	if more {
		JMP(LabelRef(end))
	}
	for i, z := range r {
		Label(partial[i])
		last(z, 64*(n+i))
		if i < len(r)-1 {
			JMP(LabelRef(end))
		}
	}
	Label(end)
}

// loadBlocks loads up to 16 registers. What begins with the first one is all there is.
func loadBlocks(r []reg.VecPhysical, n int) {
	each(r, n, n > 0, func(z reg.VecPhysical, disp int) {
		VMOVDQU64(Mem{Base: src, Disp: disp}, z)
	}, func(z reg.VecPhysical, disp int) {
		VMOVDQU8_Z(Mem{Base: src, Disp: disp}, reg.K1, z)
	})
}

func storeBlocks(r []reg.VecPhysical, n int) {
	each(r, n, n > 0, func(z reg.VecPhysical, disp int) {
		VMOVDQU64(z, Mem{Base: dst, Disp: disp})
	}, func(z reg.VecPhysical, disp int) {
		VMOVDQU8(z, reg.K1, Mem{Base: dst, Disp: disp})
	})
}

// toWords turns Z0 to Z3, of four blocks each, into words in the basis T: word
// i of block 4e+l is in lane l, element e of Zi. It uses Z4 to Z7.
func toWords() {
	for i := range 4 {
		VPSHUFB(constant(constSwap), zmm[i], zmm[i])
	}
	for i := range 4 {
		toT(zmm[i], zmm[i])
	}
	turnWords()
}

// fromWords is the inverse of toWords.
func fromWords() {
	turnWords()
	for i := range 4 {
		fromT(zmm[i], zmm[i])
	}
	for i := range 4 {
		VPSHUFB(constant(constSwap), zmm[i], zmm[i])
	}
}

func turnWords() {
	VPUNPCKLDQ(reg.Z1, reg.Z0, reg.Z4)
	VPUNPCKHDQ(reg.Z1, reg.Z0, reg.Z5)
	VPUNPCKLDQ(reg.Z3, reg.Z2, reg.Z6)
	VPUNPCKHDQ(reg.Z3, reg.Z2, reg.Z7)
	VPUNPCKLQDQ(reg.Z6, reg.Z4, reg.Z0)
	VPUNPCKHQDQ(reg.Z6, reg.Z4, reg.Z1)
	VPUNPCKLQDQ(reg.Z7, reg.Z5, reg.Z2)
	VPUNPCKHQDQ(reg.Z7, reg.Z5, reg.Z3)
}

// first4 are the registers of up to 16 blocks.
var first4 = zmm[:4]
