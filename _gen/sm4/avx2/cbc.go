package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func cbcDecrypt(f family) {
	name := "cbcDecrypt" + f.name()
	function(name, 0, "(k *Keys, iv *[16]byte, dst, src *byte, blocks int)",
		fmt.Sprintf("%s decrypts blocks, a multiple of %d, and adds to each the ciphertext block", name, 2*rowSize()),
		"before it; iv gets the last one.",
		"AX next key, R8 last key, R9 rounds / 4, R10 iv, SI src, DI dst, DX blocks left,",
		"R13 scratch memory. The results are written from the last block to the first, so",
		"that in place the ciphertext before each is still there.",
		"For the rest see the function of single blocks.")
	next := stateEnd // the last ciphertext block
	scratch(next + 32)
	iv := reg.R10
	Load(Param("k"), keys)
	Load(Param("iv"), iv)
	Load(Param("dst"), dst)
	Load(Param("src"), src)
	Load(Param("blocks"), blocks)
	ADDQ(U32(bytesOffset+31*16), keys)
	Label("next")
	MOVQ(keys, keyPtr)
	move(Mem{Base: src, Disp: (2*rowSize() - 1) * 16}, xmm[0])
	move(xmm[0], Mem{Base: frame, Disp: next})
	bytesIn(f, 0)
	bytesIn(f, 1)
	f.bytes(2, keyWalk{size: -16, fixed: true})
	for batch := 1; batch >= 0; batch-- {
		bytesOut(f, batch, func(at int, r vec) {
			at += 16 * rowSize() * batch
			if at == 0 {
				t := widest()[10]
				move(Mem{Base: iv}, xmm[10])
				if r.Size() == 32 {
					VINSERTI128(Imm(1), Mem{Base: src}, t, t)
				}
				xor(t, r, r)
			} else {
				xorMemory(Mem{Base: src, Disp: at - 16}, r)
			}
			move(r, Mem{Base: dst, Disp: at})
		})
	}
	move(Mem{Base: frame, Disp: next}, xmm[0])
	move(xmm[0], Mem{Base: iv})
	nextWide()
	wipe(halfway, stateEnd)
}
