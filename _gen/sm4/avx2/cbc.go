package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func cbcDecrypt(f family) {
	name := "cbcDecrypt" + f.name()
	function(name, 0, "(k *Keys, iv *[16]byte, dst, src *byte, blocks int)",
		name+" decrypts blocks, a multiple of 64, and adds to each the ciphertext block",
		"before it; iv gets the last one.",
		"AX next key, R8 last key, R9 rounds / 4, R10 iv, SI src, DI dst, DX blocks left,",
		"R13 scratch memory. The results are written from the last block to the first, so",
		"that in place the ciphertext before each is still there.",
		"For the rest see the function of single blocks.")
	const (
		next = stateEnd // the last ciphertext block
		size = next + 32
	)
	scratch(size)
	iv := reg.R10
	Load(Param("k"), keys)
	Load(Param("iv"), iv)
	Load(Param("dst"), dst)
	Load(Param("src"), src)
	Load(Param("blocks"), blocks)
	ADDQ(U32(bytesOffset+31*16), keys)
	Label("next")
	MOVQ(keys, keyPtr)
	VMOVDQU(Mem{Base: src, Disp: 63 * 16}, xmm[0])
	VMOVDQU(xmm[0], Mem{Base: frame, Disp: next})
	bytesIn(f, 0)
	bytesIn(f, 1)
	f.bytes(2, keyWalk{size: -16, fixed: true})
	for batch := 1; batch >= 0; batch-- {
		bytesOut(f, batch, func(at int, r vec) {
			at += 512 * batch
			if at == 0 {
				t := ymm[10]
				VMOVDQU(Mem{Base: iv}, xmm[10])
				VINSERTI128(Imm(1), Mem{Base: src}, t, t)
				VPXOR(t, r, r)
			} else {
				VPXOR(Mem{Base: src, Disp: at - 16}, r, r)
			}
			VMOVDQU(r, Mem{Base: dst, Disp: at})
		})
	}
	VMOVDQU(Mem{Base: frame, Disp: next}, xmm[0])
	VMOVDQU(xmm[0], Mem{Base: iv})
	nextWide()
	wipe(halfway, stateEnd)
}
