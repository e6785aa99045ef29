package machine

import "strings"

// amd64Semantics is what instructions of amd64 do: Intel's Software Developer's Manual, volume 2.
var amd64Semantics = []semantic{
	// Moves.
	{"MOV@BWLQ", "Rn Rd | Mn Rd | Rn Md", "", func(x *step) { x.x86Set('d', x.x86Read('n', x.width)) }},
	{"MOV@LQ", "$n Rd | $n Md", "", func(x *step) { x.x86Set('d', x.x86Read('n', x.width)) }},
	// MOVD is Go's other name of MOVQ.
	{"MOVQ:64 VMOVQ:64 MOVD:64 VMOVD:32", "Xn Rd | Xn Md", "", func(x *step) { x.x86Set('d', Value{Bits: x.x86Bits('n', x.size)}) }},
	{"MOVL:32", "Xn Rd | Xn Md", "", func(x *step) { x.x86Set('d', Value{Bits: x.x86Bits('n', x.size)}) }},
	{"MOVL:32 MOVQ:64 MOVD:64", "En Xd", "", func(x *step) { x.setLow(x.x86Bits('n', x.size).Extend(128)) }},
	{"MOVSS:32", "Mn Xd", "", func(x *step) { x.setLow(x.x86Bits('n', 32).Extend(128)) }},
	{"VMOVD:32 VMOVQ:64", "En Xd", "", func(x *step) { x.write(x.x86Bits('n', x.size)) }},
	{"MOVBLZX MOVBQZX", "En Rd", "", func(x *step) { x.x86Set('d', Value{Bits: x.x86Bits('n', 8).Extend(64)}) }},
	{"MOVWLZX MOVWQZX", "En Rd", "", func(x *step) { x.x86Set('d', Value{Bits: x.x86Bits('n', 16).Extend(64)}) }},
	{"LEAQ", "Mn Rd", "", func(x *step) { x.put(x.ops['d'].Reg, x.x86Place(x.ops['n'])) }},
	{"LEAL", "Mn Rd", "", func(x *step) {
		v := x.x86Place(x.ops['n'])
		if v.Object != nil {
			fail("a part of an address")
		}
		x.put(x.ops['d'].Reg, Value{Bits: v.Bits[:32]})
	}},
	{"XCHGQ", "Rn Rd", "", func(x *step) {
		n, d := x.x86Read('n', 64), x.x86Read('d', 64)
		x.x86Set('n', d)
		x.x86Set('d', n)
	}},
	{"CMOVQCC CMOVQCS CMOVQEQ CMOVQNE CMOVQHI CMOVQLS CMOVQGT CMOVQLE CMOVQGE CMOVQLT CMOVQMI CMOVQPL", "En Rd", "", func(x *step) {
		c := x.x86Condition(x.name[5:])
		n, d := x.x86Read('n', 64), x.x86Read('d', 64)
		switch {
		case c == One:
			x.x86Set('d', n)
		case c == Zero:
		case n.Object != nil || d.Object != nil:
			fail("an address is chosen by a secret")
		default:
			x.x86Set('d', Value{Bits: x.choose(repeat(c, 64), n.Bits, d.Bits)})
		}
	}},
	{"JMP", "label", "", func(x *step) { x.branch(x.in, One) }},
	{"JA JAE JB JBE JCC JCS JE JEQ JG JGE JGT JHI JL JLE JLS JLT JMI JNE JNZ JOS JPL JS JZ", "label", "", func(x *step) {
		x.branch(x.in, x.x86Condition(x.name[1:]))
	}},

	// Arithmetic.
	{"ADD@LQ", "En Rd | $n Rd | Rn Md | $n Md", "", func(x *step) { x.x86Addition(false) }},
	{"SUB@LQ", "En Rd | $n Rd | Rn Md | $n Md", "", func(x *step) { x.x86Addition(true) }},
	{"ADC@LQ", "En Rd | $n Rd | Rn Md", "", func(x *step) {
		x.x86Set('d', Value{Bits: x.x86Add(x.x86Word('d'), x.x86Word('n'), x.flags.c.get())})
	}},
	{"SBB@LQ", "En Rd | $n Rd | Rn Md", "", func(x *step) {
		x.x86Set('d', Value{Bits: x.x86Subtract(x.x86Word('d'), x.x86Word('n'), x.flags.c.get())})
	}},
	{"CMP@BLQ", "En $m | Rn Em | Mn Rm", "", x86Compare},
	{"TEST@BLQ", "$n Em | Rn Em", "", x86Test},
	{"INC@LQ", "Ed", "", func(x *step) { x.x86Step(Constant(1, x.width), false) }},
	{"DEC@LQ", "Ed", "", func(x *step) { x.x86Step(Constant(1, x.width), true) }},
	{"NEG@LQ", "Rd", "", func(x *step) { x.x86Set('d', Value{Bits: x.x86Subtract(Constant(0, x.width), x.x86Word('d'), Zero)}) }},
	{"NOT@LQ", "Rd", "", func(x *step) { x.x86Set('d', Value{Bits: x.x86Word('d').Not()}) }},
	{"ADCXQ", "En Rd", "", func(x *step) {
		n, d, c := x.x86Word('n'), x.x86Word('d'), x.flags.c.get()
		x.flags.c = flag{later: func() Bit { return x.Carry(d, n, c) }}
		x.x86Set('d', Value{Bits: x.add(d, n, c, false)})
	}},
	{"ADOXQ", "En Rd", "", func(x *step) {
		n, d, c := x.x86Word('n'), x.x86Word('d'), x.flags.v.get()
		x.flags.v = flag{later: func() Bit { return x.Carry(d, n, c) }}
		x.x86Set('d', Value{Bits: x.add(d, n, c, false)})
	}},
	{"IMUL@LQ", "En Rd", "", func(x *step) {
		x.x86Set('d', Value{Bits: x.Product(x.x86Word('d'), x.x86Word('n'))[:x.width]})
		x.only(undefined())
	}},
	{"MULQ", "En", "", func(x *step) {
		p := x.Product(x.generalBits(registerAX), x.x86Word('n'))
		x.put(registerAX, Value{Bits: p[:64]})
		x.put(registerDX, Value{Bits: p[64:]})
		x.only(undefined())
	}},
	{"MULXQ", "En Rl Rh", "", func(x *step) {
		p := x.Product(x.generalBits(registerDX), x.x86Word('n'))
		x.x86Set('l', Value{Bits: p[:64]})
		x.x86Set('h', Value{Bits: p[64:]}) // which counts if both are the same
	}},

	// Logic.
	{"AND@LQ", "En Rd | $n Rd | Rn Md | $n Md", "", x86And},
	{"OR@LQ", "En Rd | $n Rd | Rn Md | $n Md", "", func(x *step) {
		n, d := x.x86Word('n'), x.x86Word('d')
		w := x.or(n, d)
		if x.nonzero[n.key()] || x.nonzero[d.key()] {
			x.nonzero[w.key()] = true
		}
		x.x86Set('d', Value{Bits: x.x86Logic(w)})
	}},
	{"XOR@LQ", "En Rd | $n Rd | Rn Md | $n Md", "", x86Xor},
	{"ANDN@LQ", "Em Rn Rd", "", func(x *step) {
		x.x86Set('d', Value{Bits: x.x86Logic(x.and(x.x86Word('n').Not(), x.x86Word('m')))})
		x.flags.p = undefined()
	}},
	{"BSWAP@LQ", "Rd", "", func(x *step) { x.x86Set('d', Value{Bits: reversed(x.x86Word('d'), 8)}) }},
	{"BZHIQ", "Rm En Rd", "", bzhi},
	{"BTRQ", "$n Rd", "", func(x *step) {
		w, i, z := x.x86Word('d'), int(x.ops['n'].Imm)&63, x.flags.z
		x.only(flag{bit: w[i]})
		x.flags.z = z
		x.x86Set('d', Value{Bits: Join(w[:i], Word{Zero}, w[i+1:])})
	}},
	{"SHL@LQ", "$n Rd | Cn Rd", "", func(x *step) { x.x86Shift(Word.Left, func(w Word, k int) Bit { return w[len(w)-k] }) }},
	{"SHR@LQ", "$n Rd | Cn Rd", "", func(x *step) { x.x86Shift(Word.Right, func(w Word, k int) Bit { return w[k-1] }) }},
	{"SAR@LQ", "$n Rd | Cn Rd", "", func(x *step) { x.x86Shift(Word.Arithmetic, func(w Word, k int) Bit { return w[k-1] }) }},
	{"SHRQ", "$n Rm Rd", "", func(x *step) {
		w := Join(x.x86Word('d'), x.x86Word('m'))
		x.x86Shift(func(_ Word, k int) Word { return w[k : k+64] }, func(_ Word, k int) Bit { return w[k-1] })
	}},
	{"ROL@LQ", "$n Rd", "", func(x *step) { x.x86Rotate(int(x.ops['n'].Imm)) }},
	{"ROR@LQ", "$n Rd", "", func(x *step) { x.x86Rotate(-int(x.ops['n'].Imm)) }},
	{"RCRQ", "$n Rd", "", rcr},
	{"RORX@LQ", "$n Em Rd", "", func(x *step) {
		x.x86Set('d', Value{Bits: x.x86Word('m').RotateLeft(-int(x.ops['n'].Imm) % x.width)})
	}},
	{"SHLX@LQ", "Rn Em Rd", "", func(x *step) { x.x86Set('d', Value{Bits: x.x86Word('m').Left(x.x86Distance())}) }},
	{"SHRX@LQ", "Rn Em Rd", "", func(x *step) { x.x86Set('d', Value{Bits: x.x86Word('m').Right(x.x86Distance())}) }},
	{"SARX@LQ", "Rn Em Rd", "", func(x *step) { x.x86Set('d', Value{Bits: x.x86Word('m').Arithmetic(x.x86Distance())}) }},

	// Masks.
	{"KMOVB:8 KMOVW:16 KMOVD:32 KMOVQ:64", "En Kd | Kn Kd", "", func(x *step) { x.setMask('d', x.x86Bits('n', x.size)) }},
	{"KMOVB:8 KMOVW:16 KMOVD:32 KMOVQ:64", "Kn Rd", "", func(x *step) { x.x86Set('d', Value{Bits: x.x86Bits('n', x.size).Extend(64)}) }},
	{"KXORB:8 KXORW:16", "Km Kn Kd", "", func(x *step) { x.setMask('d', x.xor(x.x86Bits('n', x.size), x.x86Bits('m', x.size))) }},
	{"KXNORB:8 KXNORW:16", "Km Kn Kd", "", func(x *step) { x.setMask('d', x.xor(x.x86Bits('n', x.size), x.x86Bits('m', x.size)).Not()) }},
	{"KORTESTW:16", "Km Kn", "", func(x *step) {
		w := x.or(x.x86Bits('n', 16), x.x86Bits('m', 16))
		x.SetFlags(Zero, x.isZero(w), x.isZero(w.Not()), Zero)
		x.flags.p = flag{bit: Zero}
	}},

	// Vectors: moves.
	{"VZEROUPPER", "", "", func(x *step) { x.vzero(128) }},
	{"VZEROALL", "", "", func(x *step) { x.vzero(0) }},
	{"MOVOU MOVOA MOVO", "xn Xd", "", func(x *step) { x.setLow(x.x86Bits('n', 128)) }},
	{"MOVOU MOVOA MOVO", "Xn Md", "", func(x *step) { x.Machine.store(x.x86Place(x.ops['d']), Value{Bits: x.x86Bits('n', 128)}) }},
	{"VMOVDQU VMOVDQA", "Wn Vd | Vn Md", "XY", (*step).x86MoveVector},
	{"VMOVDQU8:8 VMOVDQU16:16 VMOVDQU32:32 VMOVDQU64:64 VMOVDQA32:32 VMOVDQA64:64", "Wn Kk? Vd | Vn Kk? Md", "XYZ", func(x *step) { x.write(x.readMasked('n')) }},
	{"VPBROADCASTB:8 VPBROADCASTW:16 VPBROADCASTD:32 VPBROADCASTQ:64", "xn Kk? Vd | Rn Kk? Vd", "XYZ", func(x *step) { x.repeated(x.size) }},
	{"VBROADCASTI128", "Mn Vd", "Y", func(x *step) { x.repeated(128) }},
	{"VBROADCASTI32X4:32 VBROADCASTI64X2:64", "Mn Kk? Vd", "YZ", func(x *step) { x.repeated(128) }},
	{"VEXTRACTI128", "$n Vm Xd | $n Vm Md", "Y", func(x *step) { x.extract(128) }},
	{"VEXTRACTI32X4 VEXTRACTI64X2", "$n Vm Xd | $n Vm Md", "YZ", func(x *step) { x.extract(128) }},
	{"VEXTRACTI64X4", "$n Vm Yd | $n Vm Md", "Z", func(x *step) { x.extract(256) }},
	{"VINSERTI128", "$i xm Vn Vd", "Y", func(x *step) { x.insert(128) }},
	{"VINSERTI32X4 VINSERTI64X2", "$i xm Vn Vd", "YZ", func(x *step) { x.insert(128) }},
	{"VINSERTI64X4", "$i Ym Vn Vd | $i Mm Vn Vd", "Z", func(x *step) { x.insert(256) }},
	{"VPEXTRQ:64", "$i Xn Ed", "", func(x *step) { x.x86Set('d', Value{Bits: x.x86Bits('n', 128).Lanes(64)[x.ops['i'].Imm&1]}) }},
	{"VPINSRD:32 VPINSRQ:64", "$i Em Xn Xd", "", func(x *step) {
		list := x.x86Bits('n', 128).Lanes(x.size)
		list[int(x.ops['i'].Imm)%len(list)] = x.x86Bits('m', x.size)
		x.write(Join(list...))
	}},

	// Vectors: logic.
	{"PXOR", "xm Xd", "", func(x *step) {
		if x.sameVectors('m', 'd') {
			x.setLow(Constant(0, 128))
			return
		}
		x.setLow(x.xor(x.x86Bits('d', 128), x.x86Bits('m', 128)))
	}},
	{"PAND", "xm Xd", "", legacy(func(x *step, n, m Word) Word { return x.and(n, m) })},
	{"POR", "xm Xd", "", legacy(func(x *step, n, m Word) Word { return x.or(n, m) })},
	{"VPXOR", "Wm Vn Vd", "XY", vectorXor},
	{"VPAND", "Wm Vn Vd", "XY", x86Vector(func(x *step, n, m Word) Word { return x.and(n, m) })},
	{"VPOR", "Wm Vn Vd", "XY", x86Vector(func(x *step, n, m Word) Word { return x.or(n, m) })},
	{"VPANDN", "Wm Vn Vd", "XY", x86Vector(func(x *step, n, m Word) Word { return x.and(n.Not(), m) })},
	{"VPXORD:32 VPXORQ:64", "Wm Vn Kk? Vd", "XYZ", vectorXor},
	{"VPANDD:32 VPANDQ:64", "Wm Vn Kk? Vd", "XYZ", x86Vector(func(x *step, n, m Word) Word { return x.and(n, m) })},
	{"VPORD:32 VPORQ:64", "Wm Vn Kk? Vd", "XYZ", x86Vector(func(x *step, n, m Word) Word { return x.or(n, m) })},
	{"VPTERNLOGD:32 VPTERNLOGQ:64", "$i Wm Vn Kk? Vd", "XYZ", ternary},
	{"VPBLENDMQ:64", "Wm Vn Kk Vd", "XYZ", func(x *step) { // elements of n where the mask is 0
		mask := x.maskRegister(x.ops['k'].Reg)
		n, m := x.read('n').Lanes(64), x.read('m').Lanes(64)
		for i := range n {
			if x.zeroing {
				n[i] = Constant(0, 64)
			}
			n[i] = x.choose(repeat(mask[i], 64), m[i], n[i])
		}
		x.V[x.ops['d'].Reg] = Join(n...).Extend(512)
	}},
	{"VPBLENDVB", "Va Wm Vn Vd", "XY", func(x *step) {
		n, m, a := x.read('n').Lanes(8), x.read('m').Lanes(8), x.read('a').Lanes(8)
		for i := range n {
			n[i] = x.choose(repeat(a[i][7], 8), m[i], n[i])
		}
		x.write(Join(n...))
	}},
	{"VPBLENDW", "$i Wm Vn Vd", "XY", func(x *step) {
		n, m := x.read('n').Lanes(16), x.read('m').Lanes(16)
		for i := range n {
			if x.ops['i'].Imm>>(i%8)&1 == 1 {
				n[i] = m[i]
			}
		}
		x.write(Join(n...))
	}},

	// Vectors: arithmetic.
	{"PADDB:8 PADDW:16 PADDL:32 PADDD:32 PADDQ:64", "xm Xd", "", legacy(sumOfLanes)},
	{"VPADDB:8 VPADDW:16 VPADDD:32 VPADDQ:64", "Wm Vn Kk? Vd", "XYZ", x86Vector(sumOfLanes)},
	{"PSUBW:16", "xm Xd", "", legacy(func(x *step, n, m Word) Word { return x.pairs(differenceOfElements, n, m) })},
	{"VPSUBB:8 VPSUBW:16 VPSUBD:32 VPSUBQ:64", "Wm Vn Kk? Vd", "XYZ", x86Lanes(differenceOfElements)},
	{"PMAXUB:8", "xm Xd", "", legacy(func(x *step, n, m Word) Word { return x.pairs(largerElement, n, m) })},
	{"VPMAXUB:8", "Wm Vn Kk? Vd", "XYZ", x86Lanes(largerElement)},
	{"PMULLW:16", "xm Xd", "", legacy(func(x *step, n, m Word) Word { return x.pairs(lowProduct, n, m) })},
	{"VPMULLW:16", "Wm Vn Kk? Vd", "XYZ", x86Lanes(lowProduct)},
	{"VPMULHUW:16", "Wm Vn Kk? Vd", "XYZ", x86Lanes(func(x *step, n, m Word) Word { return x.Product(n, m)[16:] })},
	{"VPMADDWD:32", "Wm Vn Kk? Vd", "XYZ", x86Lanes(func(x *step, n, m Word) Word { return x.Sum(0, x.dot(n, m)...) })},
	{"VPDPWSSD:32", "Wm Vn Kk? Vd", "XYZ", accumulated(func(x *step, d, n, m Word) Word { return x.Sum(0, append(x.dot(n, m), d)...) })},
	{"VPMADD52LUQ:64", "Wm Vn Kk? Vd", "XYZ", accumulated(func(x *step, d, n, m Word) Word {
		return x.Sum(0, d, x.Product(n[:52], m[:52])[:52].Extend(64))
	})},
	{"VPMADD52HUQ:64", "Wm Vn Kk? Vd", "XYZ", accumulated(func(x *step, d, n, m Word) Word {
		return x.Sum(0, d, x.Product(n[:52], m[:52])[52:].Extend(64))
	})},
	{"PHADDW:16", "xm Xd", "", legacy(sumOfNeighbours)},
	{"VPHADDD:32", "Wm Vn Vd", "XY", inLanes(sumOfNeighbours)},
	{"VPACKUSDW:32", "Wm Vn Vd", "XY", inLanes(func(x *step, n, m Word) Word {
		var out []Word
		for _, w := range append(n.Lanes(32), m.Lanes(32)...) {
			large := x.isZero(w[16:31]) ^ 1 // or negative, and then it is 0
			out = append(out, x.and(repeat(w[31]^1, 16), x.or(w[:16], repeat(large, 16))))
		}
		return Join(out...)
	})},
	{"PCMPEQB:8", "xm Xd", "", legacy(func(x *step, n, m Word) Word { return x.pairs(equalElements, n, m) })},
	{"VPCMPEQB:8 VPCMPEQW:16 VPCMPEQD:32 VPCMPEQQ:64", "Wm Vn Vd", "XY", x86Lanes(equalElements)},
	{"PMOVMSKB", "Xm Rd", "", func(x *step) {
		var out Word
		for _, w := range x.x86Bits('m', 128).Lanes(8) {
			out = append(out, w[7])
		}
		x.x86Set('d', Value{Bits: out.Extend(64)})
	}},
	{"PCMPGTW:16", "xm Xd", "", legacy(func(x *step, n, m Word) Word { return x.pairs(greaterElements, n, m) })},
	{"VPCMPGTW:16", "Wm Vn Vd", "XY", x86Lanes(greaterElements)},
	{"VPCMPEQB:8 VPCMPEQW:16 VPCMPEQD:32 VPCMPEQQ:64", "Wm Vn Kk? Kd", "XYZ", toMask(func(x *step, n, m Word) Bit { return x.isZero(x.xor(n, m)) })},
	{"VPCMPGTW:16", "Wm Vn Kk? Kd", "XYZ", toMask((*step).greater)},
	{"VPTESTMB:8 VPTESTMW:16 VPTESTMD:32 VPTESTMQ:64", "Wm Vn Kk? Kd", "XYZ", toMask(func(x *step, n, m Word) Bit { return x.isZero(x.and(n, m)) ^ 1 })},
	{"VPTESTNMW:16 VPTESTNMD:32 VPTESTNMQ:64", "Wm Vn Kk? Kd", "XYZ", toMask(func(x *step, n, m Word) Bit { return x.isZero(x.and(n, m)) })},
	{"VPCMPUB:8 VPCMPUD:32", "$i Wm Vn Kk? Kd", "XYZ", toMask(func(x *step, n, m Word) Bit {
		less, equal := x.Carry(n, m.Not(), One)^1, x.isZero(x.xor(n, m))
		if x.size == 8 { // of a byte and its sum with a constant, that is a function of 8 bits
			less = x.lessByBits(n, m)
		}
		b := []Bit{equal, less, x.And(less^1, equal^1) ^ 1, Zero}[x.ops['i'].Imm&3]
		return b ^ Bit(x.ops['i'].Imm>>2&1)
	})},
	{"VPMOVB2M:8", "Vn Kd", "XYZ", func(x *step) {
		var out Word
		for _, w := range x.read('n').Lanes(8) {
			out = append(out, w[7])
		}
		x.setMask('d', out)
	}},

	// Vectors: shifts.
	{"PSLLW:16 PSLLL:32 PSLLQ:64", "$i Xd", "", func(x *step) {
		x.setLow(x.lanes(x.size, func(w Word) Word { return w.Left(x.count8()) }, x.x86Bits('d', 128)))
	}},
	{"PSRLW:16 PSRLL:32 PSRLQ:64", "$i Xd", "", func(x *step) {
		x.setLow(x.lanes(x.size, func(w Word) Word { return w.Right(x.count8()) }, x.x86Bits('d', 128)))
	}},
	{"PSRAW:16 PSRAL:32", "$i Xd", "", func(x *step) {
		x.setLow(x.lanes(x.size, func(w Word) Word { return w.Arithmetic(x.count8()) }, x.x86Bits('d', 128)))
	}},
	{"PSLLDQ", "$i Xd", "", func(x *step) { x.setLow(x.x86Bits('d', 128).Left(8 * x.count8())) }},
	{"PSRLDQ", "$i Xd", "", func(x *step) { x.setLow(x.x86Bits('d', 128).Right(8 * x.count8())) }},
	{"VPSLLW:16 VPSLLD:32 VPSLLQ:64", "$i Wm Kk? Vd", "XYZ", x86Shifted(func(x *step, w Word) Word { return w.Left(x.count8()) })},
	{"VPSRLW:16 VPSRLD:32 VPSRLQ:64", "$i Wm Kk? Vd", "XYZ", x86Shifted(func(x *step, w Word) Word { return w.Right(x.count8()) })},
	{"VPSRAW:16 VPSRAD:32 VPSRAQ:64", "$i Wm Kk? Vd", "XYZ", x86Shifted(func(x *step, w Word) Word { return w.Arithmetic(x.count8()) })},
	{"VPROLD:32 VPROLQ:64", "$i Wm Kk? Vd", "XYZ", x86Shifted(func(x *step, w Word) Word { return w.RotateLeft(x.count8()) })},
	{"VPSLLDQ:8", "$i Vm Vd", "XYZ", func(x *step) { x.write(x.lanes(128, func(w Word) Word { return w.Left(8 * x.count8()) }, x.read('m'))) }},
	{"VPSRLDQ:8", "$i Vm Vd", "XYZ", func(x *step) {
		x.write(x.lanes(128, func(w Word) Word { return w.Right(8 * x.count8()) }, x.read('m')))
	}},
	{"VPSLLVQ:64 VPSLLVD:32", "Wm Vn Kk? Vd", "XYZ", variable(func(w Word, k int) Word { return w.Left(k) })},
	{"VPSRLVQ:64 VPSRLVD:32", "Wm Vn Kk? Vd", "XYZ", variable(func(w Word, k int) Word { return w.Right(k) })},
	{"VPROLVQ:64 VPROLVD:32", "Wm Vn Kk? Vd", "XYZ", variable(func(w Word, k int) Word { return w.RotateLeft(k % len(w)) })},
	{"VPSHRDQ:64", "$i Wm Vn Kk? Vd", "XYZ", x86Lanes(func(x *step, n, m Word) Word { return Join(n, m)[x.count8()&63:][:64] })},

	// Vectors: places of elements.
	{"PSHUFB", "xm Xd", "", legacy(shuffleBytes)},
	{"VPSHUFB:8", "Wm Vn Kk? Vd", "XYZ", x86Vector(shuffleBytes)},
	{"PSHUFD", "$i xm Xd", "", func(x *step) { x.setLow(x.quarters(x.x86Bits('m', 128))) }},
	{"VPSHUFD:32", "$i Wm Kk? Vd", "XYZ", func(x *step) { x.write(x.lanes(128, x.quarters, x.read('m'))) }},
	{"VPERMILPD:64", "$i Wm Kk? Vd", "XYZ", func(x *step) {
		list := x.read('m').Lanes(64)
		out := make([]Word, len(list))
		for i := range list {
			out[i] = list[i&^1|int(x.ops['i'].Imm>>i&1)]
		}
		x.write(Join(out...))
	}},
	{"PUNPCKLBW:8 PUNPCKLWL:16 PUNPCKLLQ:32 PUNPCKLQDQ:64", "xm Xd", "", legacy(func(x *step, n, m Word) Word { return x.interleave(n, m, 0) })},
	{"PUNPCKHBW:8 PUNPCKHWL:16 PUNPCKHLQ:32 PUNPCKHQDQ:64", "xm Xd", "", legacy(func(x *step, n, m Word) Word { return x.interleave(n, m, 1) })},
	{"VPUNPCKLBW:8 VPUNPCKLWD:16 VPUNPCKLDQ:32 VPUNPCKLQDQ:64", "Wm Vn Kk? Vd", "XYZ", inLanes(func(x *step, n, m Word) Word { return x.interleave(n, m, 0) })},
	{"VPUNPCKHBW:8 VPUNPCKHWD:16 VPUNPCKHDQ:32 VPUNPCKHQDQ:64", "Wm Vn Kk? Vd", "XYZ", inLanes(func(x *step, n, m Word) Word { return x.interleave(n, m, 1) })},
	{"PALIGNR", "$i xm Xd", "", legacy(func(x *step, n, m Word) Word { return Join(m, n).Right(8 * x.count8())[:128] })},
	{"VPALIGNR:8", "$i Wm Vn Vd", "XYZ", inLanes(func(x *step, n, m Word) Word { return Join(m, n).Right(8 * x.count8())[:128] })},
	{"VALIGNQ:64", "$i Wm Vn Kk? Vd", "XYZ", x86Vector(func(x *step, n, m Word) Word {
		return Join(m, n)[64*(x.count8()&(x.total/64-1)):][:x.total]
	})},
	{"SHUFPD", "$i xm Xd", "", legacy(func(x *step, n, m Word) Word {
		return Join(n.Lanes(64)[x.ops['i'].Imm&1], m.Lanes(64)[x.ops['i'].Imm>>1&1])
	})},
	{"VSHUFPS:32", "$i Wm Vn Kk? Vd", "XYZ", inLanes(func(x *step, n, m Word) Word {
		a, b, i := n.Lanes(32), m.Lanes(32), x.ops['i'].Imm
		return Join(a[i&3], a[i>>2&3], b[i>>4&3], b[i>>6&3])
	})},
	{"VSHUFI32X4:32 VSHUFI64X2:64", "$i Wm Vn Kk? Vd", "Z", x86Vector(func(x *step, n, m Word) Word {
		a, b, i := n.Lanes(128), m.Lanes(128), x.ops['i'].Imm
		return Join(a[i&3], a[i>>2&3], b[i>>4&3], b[i>>6&3])
	})},
	{"VPERM2I128", "$i Wm Vn Vd", "Y", x86Vector(func(x *step, n, m Word) Word {
		halves := append(n.Lanes(128), m.Lanes(128)...)
		half := func(i int64) Word {
			if i&8 != 0 {
				return Constant(0, 128)
			}
			return halves[i&3]
		}
		return Join(half(x.ops['i'].Imm), half(x.ops['i'].Imm>>4))
	})},
	{"VPERMQ:64", "$i Wm Kk? Vd", "YZ", func(x *step) { x.write(x.lanes(256, x.quarters, x.read('m'))) }},
	{"VPERMD:32 VPERMQ:64", "Wm Vn Kk? Vd", "YZ", func(x *step) { x.permute(x.read('m')) }},
	{"VPERMT2W:16", "Wm Vn Kk? Vd", "XYZ", func(x *step) { x.permute(Join(x.x86Bits('d', x.total), x.read('m'))) }},
	{"VPCOMPRESSQ:64", "Vn Kk Vd", "XYZ", func(x *step) { x.compress(false) }},
	{"VPEXPANDQ:64", "Vn Kk Vd", "XYZ", func(x *step) { x.compress(true) }},

	// Cryptography.
	{"AESENC", "xm Xd", "", legacy(func(x *step, n, m Word) Word { return x.xor(x.aesMixed(x.aesRound(n, 1), aesMatrix), m) })},
	{"AESENCLAST", "xm Xd", "", legacy(func(x *step, n, m Word) Word { return x.xor(x.aesRound(n, 1), m) })},
	{"AESDEC", "xm Xd", "", legacy(func(x *step, n, m Word) Word { return x.xor(x.aesMixed(x.aesRound(n, -1), aesInverseMatrix), m) })},
	{"AESDECLAST", "xm Xd", "", legacy(func(x *step, n, m Word) Word { return x.xor(x.aesRound(n, -1), m) })},
	{"AESIMC", "xm Xd", "", func(x *step) { x.setLow(x.aesMixed(x.x86Bits('m', 128), aesInverseMatrix)) }},
	{"VAESENC", "Wm Vn Vd", "XYZ", inLanes(func(x *step, n, m Word) Word { return x.xor(x.aesMixed(x.aesRound(n, 1), aesMatrix), m) })},
	{"VAESENCLAST", "Wm Vn Vd", "XYZ", inLanes(func(x *step, n, m Word) Word { return x.xor(x.aesRound(n, 1), m) })},
	{"VAESDEC", "Wm Vn Vd", "XYZ", inLanes(func(x *step, n, m Word) Word { return x.xor(x.aesMixed(x.aesRound(n, -1), aesInverseMatrix), m) })},
	{"VAESDECLAST", "Wm Vn Vd", "XYZ", inLanes(func(x *step, n, m Word) Word { return x.xor(x.aesRound(n, -1), m) })},
	{"PCLMULQDQ", "$i xm Xd", "", legacy(func(x *step, n, m Word) Word {
		return x.Carryless(n.Lanes(64)[x.ops['i'].Imm&1], m.Lanes(64)[x.ops['i'].Imm>>4&1])
	})},
	{"VPCLMULQDQ", "$i Wm Vn Vd", "XYZ", inLanes(func(x *step, n, m Word) Word {
		return x.Carryless(n.Lanes(64)[x.ops['i'].Imm&1], m.Lanes(64)[x.ops['i'].Imm>>4&1])
	})},
	{"VGF2P8AFFINEQB:64", "$i Wm Vn Kk? Vd", "XYZ", func(x *step) { x.affine(false) }},
	{"VGF2P8AFFINEINVQB:64", "$i Wm Vn Kk? Vd", "XYZ", func(x *step) { x.affine(true) }},
	{"VSM3MSG1", "Wm Vn Vd", "X", vsm3msg1},
	{"VSM3MSG2", "Wm Vn Vd", "X", vsm3msg2},
	{"VSM3RNDS2", "$i Wm Vn Vd", "X", vsm3rnds2},
	{"VSM4KEY4", "Wm Vn Vd", "XY", inLanes(func(x *step, n, m Word) Word { return x.sm4Rounds(n, m, 13, 23) })},
	{"VSM4RNDS4", "Wm Vn Vd", "XY", inLanes(func(x *step, n, m Word) Word { return x.sm4Rounds(n, m, 2, 10, 18, 24) })},
}

func equalElements(x *step, n, m Word) Word { return repeat(x.isZero(x.xor(n, m)), x.size) }

func greaterElements(x *step, n, m Word) Word { return repeat(x.greater(n, m), x.size) }

func differenceOfElements(x *step, n, m Word) Word { return x.Sum(1, n, m.Not()) }

func lowProduct(x *step, n, m Word) Word { return x.Product(n, m)[:16] }

func largerElement(x *step, n, m Word) Word {
	return x.choose(repeat(x.Carry(n, m.Not(), One), 8), n, m)
}

// vsm3msg1: P1 of the sums of three words of the message. The last one needs the first result, and
// VSM3MSG2 adds what is missing.
func vsm3msg1(x *step) {
	sum, last := x.xor(x.read('d'), x.read('m')).Lanes(32), x.read('n').Lanes(32)
	for i := range 4 {
		if i < 3 {
			sum[i] = x.xor(sum[i], last[i].RotateLeft(15))
		}
		sum[i] = x.sm3p1(sum[i])
	}
	x.write(Join(sum...))
}

func vsm3msg2(x *step) {
	rotated := x.lanes(32, func(w Word) Word { return w.RotateLeft(7) }, x.read('n'))
	out := x.xor(x.read('d'), x.read('m'), rotated).Lanes(32)
	out[3] = x.xor(out[3], x.sm3p1(out[0].RotateLeft(15)))
	x.write(Join(out...))
}

// vsm3rnds2: two rounds of GB/T 32905, whose number is the immediate. A, B, E and F are in one
// vector; C, D, G and H in the other one, without the rotations with which they came there.
func vsm3rnds2(x *step) {
	d, n, m := x.read('d').Lanes(32), x.read('n').Lanes(32), x.read('m').Lanes(32)
	a, b, c, dd := n[3], n[2], d[3].RotateLeft(9), d[2].RotateLeft(9)
	e, f, g, h := n[1], n[0], d[1].RotateLeft(19), d[0].RotateLeft(19)
	round := int(x.ops['i'].Imm) & 0x3e
	constant := Constant(0x79cc4519, 32)
	if round >= 16 {
		constant = Constant(0x7a879d8a, 32)
	}
	constant = constant.RotateLeft(round % 32)
	for i := range 2 {
		ff, gg := x.xor(a, b, c), x.xor(e, f, g)
		if round >= 16 {
			ff = x.xor(x.and(a, x.xor(b, c)), x.and(b, c))
			gg = x.choose(e, f, g)
		}
		ss1 := x.Sum(0, a.RotateLeft(12), e, constant).RotateLeft(7)
		ss2 := x.xor(ss1, a.RotateLeft(12))
		tt1 := x.Sum(0, ff, dd, ss2, x.xor(m[i], m[i+2]))
		tt2 := x.Sum(0, gg, h, ss1, m[i])
		a, b, c, dd = tt1, a, b.RotateLeft(9), c
		e, f, g, h = x.xor(tt2, tt2.RotateLeft(9), tt2.RotateLeft(17)), e, f.RotateLeft(19), g // P0
		constant = constant.RotateLeft(1)
	}
	x.write(Join(f, e, b, a))
}

func (x *step) generalBits(i int) Word {
	v := x.register(i)
	if v.Object != nil {
		fail("an address as a number")
	}
	return v.Bits
}

// x86Addition is ADD and SUB. Addresses may move by constants; then the flags are undefined.
func (x *step) x86Addition(subtract bool) {
	d, n := x.x86Read('d', x.width), x.x86Read('n', x.width)
	if d.Object == nil && n.Object == nil {
		if subtract {
			x.x86Set('d', Value{Bits: x.x86Subtract(d.Bits, n.Bits, Zero)})
		} else {
			x.x86Set('d', Value{Bits: x.x86Add(d.Bits, n.Bits, Zero)})
		}
		return
	}
	x.only(undefined())
	switch {
	case subtract && n.Object != nil:
		if n.Object != d.Object {
			fail("the difference of two objects")
		}
		x.x86Set('d', Number(uint64(d.Offset-n.Offset), 64))
		return
	case d.Object == nil:
		d, n = n, d
	}
	c, ok := n.Bits.Constant()
	if n.Object != nil || !ok {
		fail("an address that is no constant")
	}
	if subtract {
		c = -c
	}
	x.x86Set('d', x.plus(d, int64(c)))
}

// x86Test: an address is not 0.
func x86Test(x *step) {
	n, m := x.x86Read('n', x.width), x.x86Read('m', x.width)
	if n.Object != nil && n.Object == m.Object && n.Offset == m.Offset {
		x.only(flag{bit: Zero})
		x.flags.z, x.flags.v = flag{bit: Zero}, flag{bit: Zero}
		return
	}
	x.x86Logic(x.and(x.x86Word('m'), x.x86Word('n')))
}

// x86Compare: see compare. The carry is a borrow.
func x86Compare(x *step) {
	n, m := x.x86Read('n', x.width), x.x86Read('m', x.width)
	if n.Object == nil && m.Object == nil {
		x.x86Subtract(n.Bits, m.Bits, Zero)
		return
	}
	if n.Object != m.Object {
		fail("addresses of different objects are compared")
	}
	x.SetFlags(bit(n.Offset < m.Offset), bit(n.Offset == m.Offset), bit(n.Offset < m.Offset), Zero)
}

// x86Step is INC and DEC, which leave the carry.
func (x *step) x86Step(one Word, down bool) {
	c := x.flags.c
	if down {
		x.x86Set('d', Value{Bits: x.x86Subtract(x.x86Word('d'), one, Zero)})
	} else {
		x.x86Set('d', Value{Bits: x.x86Add(x.x86Word('d'), one, Zero)})
	}
	x.flags.c = c
}

// x86And: an address may be aligned as far as its object is.
func x86And(x *step) {
	d := x.x86Read('d', x.width)
	if d.Object == nil {
		x.x86Set('d', Value{Bits: x.x86Logic(x.and(d.Bits, x.x86Word('n')))})
		return
	}
	mask, ok := x.x86Word('n').Constant()
	if !ok || -mask&(-mask-1) != 0 || int64(-mask) > d.Object.Align {
		fail("bits of an address")
	}
	d.Offset = (d.Offset+d.Object.At)&int64(mask) - d.Object.At
	x.only(undefined())
	x.x86Set('d', d)
}

// x86Xor: a register with itself is 0, even if it was not written.
func x86Xor(x *step) {
	n, d := x.ops['n'], x.ops['d']
	if n.Kind == KindReg && d.Kind == KindReg && n.Reg == d.Reg {
		x.x86Set('d', Value{Bits: x.x86Logic(Constant(0, x.width))})
		return
	}
	if a, b := x.x86Read('n', x.width), x.x86Read('d', x.width); a.Object != nil && b.Object != nil {
		x.x86Set('d', Value{Bits: x.x86Logic(x.difference(a, b))})
		return
	}
	x.x86Set('d', Value{Bits: x.x86Logic(x.xor(x.x86Word('d'), x.x86Word('n')))})
}

// x86MoveVector moves a vector. 8 bytes of it may be an address, if they come from memory and go
// there.
func (x *step) x86MoveVector() {
	from, to := x.ops['n'], x.ops['d']
	switch {
	case from.Kind == KindMem:
		at := x.x86Place(from)
		if at.Object == nil || !at.Object.hasAddress(at.Offset, int64(x.total/8)) {
			break
		}
		var w Word
		for i := int64(0); i < int64(x.total/8); i += 8 {
			v := x.load(x.plus(at, i), 8)
			if v.Object != nil {
				v.Bits = x.number(v)
			}
			w = append(w, v.Bits...)
		}
		x.write(w)
		return
	case to.Kind == KindMem && len(x.addresses) > 0:
		at := x.x86Place(to)
		for i, w := range x.read('n').Lanes(64) {
			v, ok := x.addresses[w.key()]
			if !ok {
				v = Value{Bits: w}
			}
			x.Machine.store(x.plus(at, int64(8*i)), v)
		}
		return
	}
	x.write(x.read('n'))
}

// bzhi clears the bits from an index on.
func bzhi(x *step) {
	i, ok := x.x86Word('m')[:8].Constant()
	if !ok {
		fail("the index is no constant")
	}
	w := x.x86Word('n')
	if i < 64 {
		w = w[:i].Extend(64)
	}
	x.x86Set('d', Value{Bits: x.x86Result(w, flag{bit: bit(i > 63)}, flag{bit: Zero})})
	x.flags.p = undefined()
}

// x86Distance is that of a shift, modulo the width.
func (x *step) x86Distance() int {
	c, ok := x.x86Word('n').Constant()
	if !ok {
		fail("the distance of the shift is no constant")
	}
	return int(c) & (x.width - 1)
}

// x86Shift sets the carry to the last bit that leaves. By 0, no flag changes.
func (x *step) x86Shift(shift func(Word, int) Word, carry func(Word, int) Bit) {
	w, k := x.x86Word('d'), x.x86Distance()
	if k == 0 {
		x.x86Set('d', Value{Bits: w})
		return
	}
	x.x86Set('d', Value{Bits: x.x86Result(shift(w, k), flag{bit: carry(w, k)}, undefined())})
}

// x86Rotate changes CF and OF only: to the bit that went round.
func (x *step) x86Rotate(n int) {
	w := x.x86Word('d').RotateLeft(n)
	if n%x.width != 0 {
		x.flags.c, x.flags.v = flag{bit: w[0]}, undefined()
		if n < 0 {
			x.flags.c.bit = w[x.width-1]
		}
	}
	x.x86Set('d', Value{Bits: w})
}

// rcr rotates through the carry, by 1.
func rcr(x *step) {
	if x.ops['n'].Imm != 1 {
		fail("by more than 1")
	}
	w := x.x86Word('d')
	out := Join(w[1:], Word{x.flags.c.get()})
	x.flags.c, x.flags.v = flag{bit: w[0]}, undefined()
	x.x86Set('d', Value{Bits: out})
}

// vzero clears vectors from a bit on: the first 16.
func (x *step) vzero(from int) {
	for i := range 16 {
		switch {
		case from == 0:
			x.V[i] = Constant(0, 512)
		case x.V[i] != nil:
			x.V[i] = x.V[i][:from].Extend(512)
		}
	}
}

// count8 is the number, of 8 bits, in an instruction.
func (x *step) count8() int { return int(x.ops['i'].Imm) & 255 }

// legacy is an instruction without V: the first source is the destination.
func legacy(f func(x *step, n, m Word) Word) func(*step) {
	return func(x *step) { x.total = 128; x.setLow(f(x, x.x86Bits('d', 128), x.x86Bits('m', 128))) }
}

// sameVectors reports whether two operands are one register.
func (x *step) sameVectors(n, m byte) bool {
	a, b := x.ops[n], x.ops[m]
	return a.Kind == KindReg && b.Kind == KindReg && a.Reg == b.Reg
}

// vectorXor: a vector with itself is 0, even if it was not written.
func vectorXor(x *step) {
	if x.sameVectors('n', 'm') {
		x.write(Constant(0, x.total))
		return
	}
	x.write(x.xor(x.read('n'), x.read('m')))
}

func x86Vector(f func(x *step, n, m Word) Word) func(*step) {
	return func(x *step) { x.write(f(x, x.read('n'), x.read('m'))) }
}

// x86Lanes is x86Vector of each element, inLanes of each 128 bits.
func x86Lanes(f func(x *step, n, m Word) Word) func(*step) {
	return x86Vector(func(x *step, n, m Word) Word { return x.pairs(f, n, m) })
}

func inLanes(f func(x *step, n, m Word) Word) func(*step) {
	return x86Vector(func(x *step, n, m Word) Word {
		a, b := n.Lanes(128), m.Lanes(128)
		for i := range a {
			a[i] = f(x, a[i], b[i])
		}
		return Join(a...)
	})
}

// accumulated is x86Lanes with the old elements of the destination.
func accumulated(f func(x *step, d, n, m Word) Word) func(*step) {
	return x86Vector(func(x *step, n, m Word) Word {
		d := x.x86Bits('d', x.total).Lanes(x.size)
		a, b := n.Lanes(x.size), m.Lanes(x.size)
		for i := range d {
			d[i] = f(x, d[i], a[i], b[i])
		}
		return Join(d...)
	})
}

func x86Shifted(f func(x *step, w Word) Word) func(*step) {
	return func(x *step) {
		x.write(x.lanes(x.size, func(w Word) Word { return f(x, w) }, x.read('m')))
	}
}

// variable shifts each element by one of m, which must be constant.
func variable(f func(w Word, k int) Word) func(*step) {
	return x86Lanes(func(x *step, n, m Word) Word {
		k, ok := m.Constant()
		if !ok {
			fail("the distance of the shift is no constant")
		}
		if k > 64 && !strings.HasPrefix(x.name, "VPROL") {
			k = 64
		}
		return f(n, int(k&127))
	})
}

// toMask makes a mask of elements; a mask excludes some.
func toMask(f func(x *step, n, m Word) Bit) func(*step) {
	return func(x *step) {
		n, m := x.read('n').Lanes(x.size), x.read('m').Lanes(x.size)
		out := make(Word, len(n))
		for i := range n {
			out[i] = f(x, n[i], m[i])
		}
		if k := x.ops['k']; k != nil {
			out = x.and(out, x.maskRegister(k.Reg)[:len(out)])
		}
		x.setMask('d', out)
	}
}

// greater compares signed numbers: with the highest bits exchanged, they are unsigned.
func (x *step) greater(n, m Word) Bit {
	top := len(n) - 1
	a, b := Join(n[:top], Word{n[top] ^ 1}), Join(m[:top], Word{m[top] ^ 1})
	return x.Carry(b, a.Not(), One) ^ 1
}

// lessByBits compares unsigned numbers from the lowest bit to the highest.
func (x *step) lessByBits(n, m Word) Bit {
	less := Zero
	for i := range n {
		less = x.Xor(x.And(n[i]^1, m[i]), x.And(x.Xor(n[i], m[i])^1, less))
	}
	return less
}

func sumOfLanes(x *step, n, m Word) Word {
	return x.pairs(func(_ *step, a, b Word) Word { return x.Sum(0, a, b) }, n, m)
}

// sumOfNeighbours adds every two lanes of n, and then of m.
func sumOfNeighbours(x *step, n, m Word) Word {
	var out []Word
	for _, w := range append(n.Lanes(2*x.size), m.Lanes(2*x.size)...) {
		out = append(out, x.Sum(0, w[:x.size], w[x.size:]))
	}
	return Join(out...)
}

// dot are the products of two pairs of signed numbers of 16 bits.
func (x *step) dot(n, m Word) []Word {
	return []Word{
		x.Product(n[:16].Signed(32), m[:16].Signed(32))[:32],
		x.Product(n[16:].Signed(32), m[16:].Signed(32))[:32],
	}
}

// repeated fills a vector with its source of some bits.
func (x *step) repeated(bits int) {
	x.write(Join(slicesOf(x.x86Bits('n', bits), x.total/bits)...))
}

func (x *step) extract(bits int) {
	list := x.read('m').Lanes(bits)
	x.write(list[int(x.ops['n'].Imm)%len(list)])
}

func (x *step) insert(bits int) {
	list := x.read('n').Lanes(bits)
	list[int(x.ops['i'].Imm)%len(list)] = x.x86Bits('m', bits)
	x.write(Join(list...))
}

// ternary: bit 4d+2n+m of the number is the result. Sums are not functions of a table, so that a Logic
// with forms has nothing to do but to add.
func ternary(x *step) {
	imm := x.ops['i'].Imm & 255
	affine := 0xff * (imm & 1) // the function that is the same where at most one input is 1
	sum := repeat(Bit(imm&1), x.total)
	for i, name := range []byte("mnd") {
		if (imm>>(1<<i)^imm)&1 == 1 {
			affine ^= []int64{0xaa, 0xcc, 0xf0}[i]
			if name == 'd' {
				sum = x.xor(sum, x.x86Bits(name, x.total))
			} else {
				sum = x.xor(sum, x.read(name))
			}
		}
	}
	if affine == imm {
		x.write(sum)
		return
	}
	d, n, m := x.x86Bits('d', x.total), x.read('n'), x.read('m')
	table := Constant(uint64(imm), 8)
	values := make([]uint64, 8)
	for i, b := range table {
		values[i] = uint64(b)
	}
	out := make(Word, x.total)
	for i := range out {
		out[i] = x.Apply(values, 1, Word{m[i], n[i], d[i]})[0]
	}
	x.write(out)
}

// shuffleBytes: bytes of n in the places of m, in each 128 bits; 0 if the highest bit is 1. Either
// the bytes or the places must be constants.
func shuffleBytes(x *step, n, m Word) Word {
	var out []Word
	for l, places := range m.Lanes(128) {
		bytes := n[128*l : 128*l+128].Lanes(8)
		values, constants := make([]uint64, 256), true
		for i, b := range bytes {
			v, ok := b.Constant()
			constants = constants && ok
			for j := i; j < 128; j += 16 {
				values[j] = v
			}
		}
		for _, p := range places.Lanes(8) {
			i, ok := p.Constant()
			switch {
			case ok && i < 128:
				out = append(out, bytes[i&15])
			case ok:
				out = append(out, Constant(0, 8))
			case constants:
				out = append(out, x.Apply(values, 8, p))
			default:
				fail("neither the table nor the index is constant")
			}
		}
	}
	return Join(out...)
}

// quarters chooses each of four parts by two bits of the number.
func (x *step) quarters(w Word) Word {
	list, i := w.Lanes(len(w)/4), x.ops['i'].Imm
	return Join(list[i&3], list[i>>2&3], list[i>>4&3], list[i>>6&3])
}

// interleave takes elements of the lower halves in turns, or of the upper ones.
func (x *step) interleave(n, m Word, half int) Word {
	a, b := n.Lanes(x.size), m.Lanes(x.size)
	var out []Word
	for i := half * len(a) / 2; i < (half+1)*len(a)/2; i++ {
		out = append(out, a[i], b[i])
	}
	return Join(out...)
}

// permute chooses elements of a table by those of n, which must be constants.
func (x *step) permute(table Word) {
	list, places := table.Lanes(x.size), x.read('n').Lanes(x.size)
	for i, p := range places {
		c, ok := p.Constant()
		if !ok {
			fail("an index that is no constant")
		}
		places[i] = list[int(c)&(len(list)-1)]
	}
	x.write(Join(places...))
}

// compress puts the elements of a mask together, and expand is the inverse. The others become 0 or
// stay.
func (x *step) compress(expand bool) {
	mask := x.maskRegister(x.ops['k'].Reg)
	list := x.read('n').Lanes(x.size)
	out := Constant(0, x.total).Lanes(x.size)
	if !x.zeroing {
		out = x.x86Bits('d', x.total).Lanes(x.size)
	}
	next := 0
	for i := range list {
		switch {
		case mask[i] > One:
			fail("the mask is no constant")
		case mask[i] == Zero:
			continue
		case expand:
			out[i] = list[next]
		default:
			out[next] = list[i]
		}
		next++
	}
	x.V[x.ops['d'].Reg] = Join(out...).Extend(512)
}

var aesMatrix, aesInverseMatrix = [4]uint{2, 3, 1, 1}, [4]uint{14, 11, 13, 9}

// aesRound is ShiftRows and SubBytes, or the inverses.
func (x *step) aesRound(w Word, way int) Word {
	if way > 0 {
		if out, ok := x.named(SubBytesShiftRows, w); ok {
			return out
		}
	}
	box := aesBox
	if way < 0 {
		box = aesInverse
	}
	return x.substitute(aesShiftRows(w, way), box)
}

// affine multiplies the bytes of n, or their inverses modulo x^8 + x^4 + x^3 + x + 1, by a matrix,
// whose first row is in the highest byte of 64 bits of m, and adds the number. The elements of the
// mask are bytes.
func (x *step) affine(inverse bool) {
	w := x.pairs(func(_ *step, n, m Word) Word {
		rows := m.Lanes(8)
		return x.lanes(8, func(b Word) Word {
			if inverse {
				b = x.Apply(aesReciprocals, 8, b)
			}
			out := Constant(uint64(x.ops['i'].Imm), 8)
			for i := range out {
				for _, p := range x.and(rows[7-i], b) {
					out[i] = x.Xor(out[i], p)
				}
			}
			return out
		}, n)
	}, x.read('n'), x.read('m'))
	y := *x
	y.size = 8
	y.write(w)
}

var aesReciprocals = func() []uint64 {
	list := make([]uint64, 256)
	for i := range list {
		list[i] = uint64(reciprocal(uint(i), 0x11b))
	}
	return list
}()
