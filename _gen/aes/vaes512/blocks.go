package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func blocks(d direction) {
	function(d.name+"BlocksVAES512", "(k *Keys, dst, src []byte)", attr.NOSPLIT,
		d.name+"BlocksVAES512 processes whole blocks, at least one, each for itself.",
		registersNote,
		"One block goes through an XMM register, with the keys from memory.",
		"0.081 cycles for a byte with 10 rounds, of which 0.078 are the bound; 0.11 with 14.")
	Load(Param("k"), keys)
	Load(Param("dst").Base(), dst)
	Load(Param("src").Base(), src)
	Load(Param("src").Len(), remaining)
	CMPQ(remaining, Imm(16))
	JEQ(LabelRef("single"))
	d.loadKeys()
	passes("done", 4, nil, func(p pass) {
		for i, z := range zmm[:p.n] {
			p.load(i, 0, z)
			VPXORQ(firstKey, z, z)
		}
		d.rounds(zmm[:p.n])
		for i, z := range zmm[:p.n] {
			d.last(lastKey, z, z)
			p.store(i, z)
		}
	})
	Label("done")
	finish()

	Label("single")
	MOVQ(Mem{Base: keys, Disp: roundsOffset}, rounds)
	VMOVDQU(Mem{Base: src}, reg.X0)
	VPXOR(Mem{Base: keys, Disp: d.offset}, reg.X0, reg.X0)
	MOVL(rounds.As32(), reg.R8L)
	SHLL(Imm(4), reg.R8L)
	CMPL(rounds.As32(), Imm(12))
	at := func(i int) Mem {
		return Mem{Base: keys, Index: reg.R8, Scale: 1, Disp: d.offset - 16*i}
	}
	for i := 13; i > 0; i-- {
		switch i {
		case 13:
			JB(LabelRef("ten"))
			JEQ(LabelRef("twelve"))
		case 11:
			Label("twelve")
		case 9:
			Label("ten")
		}
		d.round(at(i), reg.X0, reg.X0)
	}
	d.last(at(0), reg.X0, reg.X0)
	VMOVDQU(reg.X0, Mem{Base: dst})
	finish()
}
