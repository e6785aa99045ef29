package machine

import "math/bits"

// arm64Semantics is what instructions of arm64 do: the Arm Architecture Reference Manual (DDI
// 0487). Functions have its names of operands. General ones have the width of the instruction.
var arm64Semantics = []semantic{
	// Arithmetic.
	{"ADD*", "Rm< Rn? Rd | $a Rn? Rd", "", func(x *step) { x.addition(false, false) }},
	{"ADDS*", "Rm< Rn? Rd | $a Rn? Rd", "", func(x *step) { x.addition(false, true) }},
	{"SUB*", "Rm< Rn? Rd | $a Rn? Rd", "", func(x *step) { x.addition(true, false) }},
	{"SUBS*", "Rm< Rn? Rd | $a Rn? Rd", "", func(x *step) { x.addition(true, true) }},
	{"CMP*", "Rm< Rn | $a Rn", "", func(x *step) { x.compare() }},
	{"CMN*", "Rm< Rn | $a Rn", "", func(x *step) { x.add(x.word('n'), x.second(), Zero, true) }},
	{"NEG*", "Rm< Rd", "", func(x *step) { x.set('d', x.add(Constant(0, x.width), x.word('m').Not(), One, false)) }},
	{"NEGS*", "Rm< Rd", "", func(x *step) { x.set('d', x.add(Constant(0, x.width), x.word('m').Not(), One, true)) }},
	{"ADC*", "Rm Rn? Rd", "", func(x *step) { x.set('d', x.add(x.word('n'), x.word('m'), x.flags.c.get(), false)) }},
	{"ADCS*", "Rm Rn? Rd", "", func(x *step) { x.set('d', x.add(x.word('n'), x.word('m'), x.flags.c.get(), true)) }},
	{"SBC*", "Rm Rn? Rd", "", func(x *step) { x.set('d', x.add(x.word('n'), x.word('m').Not(), x.flags.c.get(), false)) }},
	{"SBCS*", "Rm Rn? Rd", "", func(x *step) { x.set('d', x.add(x.word('n'), x.word('m').Not(), x.flags.c.get(), true)) }},
	{"NGC*", "Rm Rd", "", func(x *step) {
		x.set('d', x.add(Constant(0, x.width), x.word('m').Not(), x.flags.c.get(), false))
	}},
	{"NGCS*", "Rm Rd", "", func(x *step) {
		x.set('d', x.add(Constant(0, x.width), x.word('m').Not(), x.flags.c.get(), true))
	}},
	{"MUL*", "Rm Rn? Rd", "", func(x *step) { x.set('d', x.product()) }},
	{"MNEG*", "Rm Rn? Rd", "", func(x *step) { x.set('d', x.Sum(1, x.product().Not())) }},
	{"MADD*", "Rm Ra Rn Rd", "", func(x *step) { x.set('d', x.Sum(0, x.word('a'), x.product())) }},
	{"MSUB*", "Rm Ra Rn Rd", "", func(x *step) { x.set('d', x.Sum(1, x.word('a'), x.product().Not())) }},
	{"UMULH", "Rm Rn? Rd", "", func(x *step) { x.set('d', x.Product(x.word('n'), x.word('m'))[64:]) }},
	{"SMULH", "Rm Rn? Rd", "", smulh},
	{"UMULL", "Rm Rn? Rd", "", func(x *step) { x.set('d', x.longProduct(Word.Extend)) }},
	{"SMULL", "Rm Rn? Rd", "", func(x *step) { x.set('d', x.longProduct(Word.Signed)) }},
	{"UMADDL", "Rm Ra Rn Rd", "", func(x *step) { x.set('d', x.Sum(0, x.word('a'), x.longProduct(Word.Extend))) }},
	{"SMADDL", "Rm Ra Rn Rd", "", func(x *step) { x.set('d', x.Sum(0, x.word('a'), x.longProduct(Word.Signed))) }},
	{"UDIV*", "Rm Rn? Rd", "", udiv},
	{"SDIV*", "Rm Rn? Rd", "", sdiv},

	// Logic.
	{"AND*", "Rm@ Rn? Rd | $l Rn? Rd", "", func(x *step) { x.conjunction(false) }},
	{"ANDS*", "Rm@ Rn? Rd | $l Rn? Rd", "", func(x *step) { x.conjunction(true) }},
	{"TST*", "Rm@ Rn | $l Rn", "", func(x *step) { x.logic(x.and(x.word('n'), x.second())) }},
	{"BIC*", "Rm@ Rn? Rd", "", func(x *step) { x.set('d', x.and(x.word('n'), x.word('m').Not())) }},
	{"BICS*", "Rm@ Rn? Rd", "", func(x *step) { x.set('d', x.logic(x.and(x.word('n'), x.word('m').Not()))) }},
	{"ORR*", "Rm@ Rn? Rd | $l Rn? Rd", "", func(x *step) { x.set('d', x.or(x.word('n'), x.second())) }},
	{"ORN*", "Rm@ Rn? Rd", "", func(x *step) { x.set('d', x.or(x.word('n'), x.word('m').Not())) }},
	{"EOR*", "Rm@ Rn? Rd | $l Rn? Rd", "", func(x *step) { x.set('d', x.xor(x.word('n'), x.second())) }},
	{"EON*", "Rm@ Rn? Rd", "", func(x *step) { x.set('d', x.xor(x.word('n'), x.word('m').Not())) }},
	{"MVN*", "Rm@ Rd", "", func(x *step) { x.set('d', x.word('m').Not()) }},
	{"LSL*", "Rm Rn? Rd | $s Rn? Rd", "", func(x *step) { x.set('d', x.word('n').Left(x.distance())) }},
	{"LSR*", "Rm Rn? Rd | $s Rn? Rd", "", func(x *step) { x.set('d', x.word('n').Right(x.distance())) }},
	{"ASR*", "Rm Rn? Rd | $s Rn? Rd", "", func(x *step) { x.set('d', x.word('n').Arithmetic(x.distance())) }},
	{"ROR*", "Rm Rn? Rd | $s Rn? Rd", "", func(x *step) { x.set('d', x.word('n').RotateLeft(-x.distance())) }},
	{"REV*", "Rn Rd", "", func(x *step) { x.set('d', reversed(x.word('n'), 8)) }},
	{"REV16*", "Rn Rd", "", func(x *step) { x.set('d', x.lanes(16, bytesReversed, x.word('n'))) }},
	{"REV32", "Rn Rd", "", func(x *step) { x.set('d', x.lanes(32, bytesReversed, x.word('n'))) }},
	{"RBIT*", "Rn Rd", "", func(x *step) { x.set('d', reversed(x.word('n'), 1)) }},
	{"EXTR*", "$s Rm Rn Rd", "", func(x *step) {
		x.set('d', Join(x.word('m'), x.word('n'))[x.imm('s'):][:x.width])
	}},
	{"UBFX*", "$s Rn $w Rd", "", func(x *step) { x.set('d', x.field()) }},
	{"SBFX*", "$s Rn $w Rd", "", func(x *step) { x.set('d', x.field().Signed(x.width)) }},
	{"UBFIZ*", "$s Rn $w Rd", "", func(x *step) { x.set('d', x.lowField().Extend(x.width).Left(x.imm('s'))) }},
	{"SBFIZ*", "$s Rn $w Rd", "", func(x *step) { x.set('d', x.lowField().Signed(x.width).Left(x.imm('s'))) }},
	{"BFI*", "$s Rn $w Rd", "", func(x *step) {
		f, s := x.lowField(), x.imm('s')
		d := x.word('d')
		x.set('d', Join(d[:s], f, d[s+len(f):]))
	}},
	{"BFXIL*", "$s Rn $w Rd", "", func(x *step) {
		f := x.field()
		x.set('d', Join(f, x.word('d')[len(f):]))
	}},
	{"UXTW", "Rn Rd", "", func(x *step) { x.set('d', x.word('n')[:32]) }},
	{"UXTH*", "Rn Rd", "", func(x *step) { x.set('d', x.word('n')[:16]) }},
	{"UXTB*", "Rn Rd", "", func(x *step) { x.set('d', x.word('n')[:8]) }},
	{"SXTW", "Rn Rd", "", func(x *step) { x.set('d', x.word('n')[:32].Signed(64)) }},
	{"SXTH*", "Rn Rd", "", func(x *step) { x.set('d', x.word('n')[:16].Signed(x.width)) }},
	{"SXTB*", "Rn Rd", "", func(x *step) { x.set('d', x.word('n')[:8].Signed(x.width)) }},
	{"CLZ*", "Rn Rd", "", func(x *step) { x.set('d', x.count(x.leading(x.word('n')), x.width)) }},

	// Conditions.
	{"CSEL*", "cond Rn Rm Rd", "", func(x *step) { x.choice(x.value('n'), x.value('m')) }},
	{"CSINC*", "cond Rn Rm Rd", "", func(x *step) { x.choice(x.value('n'), Value{Bits: x.Sum(1, x.word('m'))}) }},
	{"CSINV*", "cond Rn Rm Rd", "", func(x *step) { x.choice(x.value('n'), Value{Bits: x.word('m').Not()}) }},
	{"CSNEG*", "cond Rn Rm Rd", "", func(x *step) { x.choice(x.value('n'), Value{Bits: x.Sum(1, x.word('m').Not())}) }},
	{"CSET*", "cond Rd", "", func(x *step) { x.set('d', Word{x.holds()}) }},
	{"CSETM*", "cond Rd", "", func(x *step) { x.set('d', repeat(x.holds(), x.width)) }},
	{"CINC*", "cond Rn Rd", "", func(x *step) { x.choice(Value{Bits: x.Sum(1, x.word('n'))}, x.value('n')) }},
	{"CINV*", "cond Rn Rd", "", func(x *step) { x.choice(Value{Bits: x.word('n').Not()}, x.value('n')) }},
	{"CNEG*", "cond Rn Rd", "", func(x *step) { x.choice(Value{Bits: x.Sum(1, x.word('n').Not())}, x.value('n')) }},

	// Branches.
	{"B JMP", "label", "", func(x *step) { x.branch(x.in, One) }},
	{"BEQ BNE BCS BHS BCC BLO BMI BPL BVS BVC BHI BLS BGE BLT BGT BLE", "label", "", func(x *step) {
		x.branch(x.in, x.condition(Conditions[x.name[1:]]))
	}},
	{"CBZ*", "Rt label", "", func(x *step) { x.branch(x.in, x.zero('t')) }},
	{"CBNZ*", "Rt label", "", func(x *step) { x.branch(x.in, x.zero('t')^1) }},
	{"TBZ", "$b Rt label", "", func(x *step) { x.branch(x.in, x.word('t')[x.imm('b')]^1) }},
	{"TBNZ", "$b Rt label", "", func(x *step) { x.branch(x.in, x.word('t')[x.imm('b')]) }},

	// Loads and stores.
	{"MOVD", "Rn Rd | $q Rd | & Rd | [] Rd | Rn []", "", func(x *step) { x.move(8, Word.Extend) }},
	{"MOVWU", "Rn Rd | [] Rd", "", func(x *step) { x.move(4, Word.Extend) }},
	{"MOVHU", "Rn Rd | [] Rd", "", func(x *step) { x.move(2, Word.Extend) }},
	{"MOVBU", "Rn Rd | [] Rd", "", func(x *step) { x.move(1, Word.Extend) }},
	{"MOVW", "Rn Rd | [] Rd | Rn []", "", func(x *step) { x.move(4, Word.Signed) }},
	{"MOVH", "Rn Rd | [] Rd | Rn []", "", func(x *step) { x.move(2, Word.Signed) }},
	{"MOVB", "Rn Rd | [] Rd | Rn []", "", func(x *step) { x.move(1, Word.Signed) }},
	{"LDP*", "[] (Rt,Ru)", "", loadPair},
	{"STP*", "(Rt,Ru) []", "", storePair},
	{"FMOVQ", "[] Fd | Fn []", "", func(x *step) { x.moveVector(16) }},
	{"FMOVD", "[] Fd | Fn [] | Rn Fd | Fn Rd", "", func(x *step) { x.moveVector(8) }},
	{"FMOVS", "[] Fd | Fn [] | Rn Fd | Fn Rd", "", func(x *step) { x.moveVector(4) }},
	{"FLDPQ", "[] (Ft,Fu)", "", func(x *step) { loadVectorPair(x, 16) }},
	{"FLDPD", "[] (Ft,Fu)", "", func(x *step) { loadVectorPair(x, 8) }},
	{"FSTPQ", "(Ft,Fu) []", "", func(x *step) { storeVectorPair(x, 16) }},
	{"FSTPD", "(Ft,Fu) []", "", func(x *step) { storeVectorPair(x, 8) }},
	{"VLD1", "[] {Vt.T}", "B8 B16 H4 H8 S2 S4 D1 D2", func(x *step) { x.structures(1, false) }},
	{"VST1", "{Vt.T} []", "B8 B16 H4 H8 S2 S4 D1 D2", func(x *step) { x.structures(1, true) }},
	{"VLD2", "[] {Vt.T}2", "B8 B16 H4 H8 S2 S4 D2", func(x *step) { x.structures(2, false) }},
	{"VST2", "{Vt.T}2 []", "B8 B16 H4 H8 S2 S4 D2", func(x *step) { x.structures(2, true) }},
	{"VLD3", "[] {Vt.T}3", "B8 B16 H4 H8 S2 S4 D2", func(x *step) { x.structures(3, false) }},
	{"VST3", "{Vt.T}3 []", "B8 B16 H4 H8 S2 S4 D2", func(x *step) { x.structures(3, true) }},
	{"VLD4", "[] {Vt.T}4", "B8 B16 H4 H8 S2 S4 D2", func(x *step) { x.structures(4, false) }},
	{"VST4", "{Vt.T}4 []", "B8 B16 H4 H8 S2 S4 D2", func(x *step) { x.structures(4, true) }},
	{"VLD1R", "[] {Vt.T}1", "B8 B16 H4 H8 S2 S4 D1 D2", loadRepeated},
	{"VLD2R", "[] {Vt.T}2", "B8 B16 H4 H8 S2 S4 D1 D2", loadRepeated},
	{"VLD3R", "[] {Vt.T}3", "B8 B16 H4 H8 S2 S4 D1 D2", loadRepeated},
	{"VLD4R", "[] {Vt.T}4", "B8 B16 H4 H8 S2 S4 D1 D2", loadRepeated},

	// Vectors: logic.
	{"VAND", "Vm.T Vn.T Vd.T", "B8 B16", vector3(func(x *step, n, m Word) Word { return x.and(n, m) })},
	{"VORR", "Vm.T Vn.T Vd.T", "B8 B16", vector3(func(x *step, n, m Word) Word { return x.or(n, m) })},
	{"VEOR", "Vm.T Vn.T Vd.T", "B8 B16", vector3(func(x *step, n, m Word) Word { return x.xor(n, m) })},
	{"VBIC", "Vm.T Vn.T Vd.T", "B8 B16", vector3(func(x *step, n, m Word) Word { return x.and(n, m.Not()) })},
	{"VORN", "Vm.T Vn.T Vd.T", "B8 B16", vector3(func(x *step, n, m Word) Word { return x.or(n, m.Not()) })},
	{"VNOT", "Vn.T Vd.T", "B8 B16", func(x *step) { x.setVector('d', x.vector('n').Not()) }},
	{"VBIT", "Vm.T Vn.T Vd.T", "B8 B16", vector3(func(x *step, n, m Word) Word { return x.choose(m, n, x.vector('d')) })},
	{"VBIF", "Vm.T Vn.T Vd.T", "B8 B16", vector3(func(x *step, n, m Word) Word { return x.choose(m, x.vector('d'), n) })},
	{"VBSL", "Vm.T Vn.T Vd.T", "B8 B16", vector3(func(x *step, n, m Word) Word { return x.choose(x.vector('d'), n, m) })},
	{"VEOR3", "Va.T Vm.T Vn.T Vd.T", "B16", vector3(func(x *step, n, m Word) Word { return x.xor(n, m, x.vector('a')) })},
	{"VBCAX", "Va.T Vm.T Vn.T Vd.T", "B16", vector3(func(x *step, n, m Word) Word {
		return x.xor(n, x.and(m, x.vector('a').Not()))
	})},
	{"VRAX1", "Vm.T Vn.T Vd.T", "D2", elementwise(func(x *step, n, m Word) Word { return x.xor(n, m.RotateLeft(1)) })},
	{"VXAR", "$x Vm.T Vn.T Vd.T", "D2", elementwise(func(x *step, n, m Word) Word {
		return x.xor(n, m).RotateLeft(-x.imm('x'))
	})},

	// Vectors: arithmetic and shifts of elements.
	{"VADD", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", elementwise(func(x *step, n, m Word) Word { return x.Sum(0, n, m) })},
	{"VSUB", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", elementwise(func(x *step, n, m Word) Word { return x.Sum(1, n, m.Not()) })},
	{"VNEG", "Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", func(x *step) {
		x.setVector('d', x.lanes(x.size, func(w Word) Word { return x.Sum(1, w.Not()) }, x.vector('n')))
	}},
	{"VMUL", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4", elementwise(func(x *step, n, m Word) Word { return x.Product(n, m)[:x.size] })},
	{"VMLS", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4", vector3(func(x *step, n, m Word) Word {
		return x.pairs(func(_ *step, d, p Word) Word { return x.Sum(1, d, p.Not()) }, x.vector('d'),
			x.pairs(func(_ *step, n, m Word) Word { return x.Product(n, m)[:x.size] }, n, m))
	})},
	{"VUMULL", "Vm.T Vn.T Vd.2T", "B8 H4 S2", func(x *step) { x.longProducts(0, false) }},
	{"VUMULL2", "Vm.T Vn.T Vd.2T", "B16 H8 S4", func(x *step) { x.longProducts(64, false) }},
	{"VUMLAL", "Vm.T Vn.T Vd.2T", "B8 H4 S2", func(x *step) { x.longProducts(0, true) }},
	{"VUMLAL2", "Vm.T Vn.T Vd.2T", "B16 H8 S4", func(x *step) { x.longProducts(64, true) }},
	{"VMLA", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4", vector3(func(x *step, n, m Word) Word { return x.multiplyAdd(n, m) })},
	{"VMLA", "Vm.H[] Vn.T Vd.T", "H8", func(x *step) {
		n := x.vector('n')
		m := Join(slicesOf(x.vector('m'), len(n)/16)...)
		x.setVector('d', x.multiplyAdd(n, m))
	}},
	{"VADDP", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", vector3(func(x *step, n, m Word) Word {
		return x.lanes(2*x.size, func(pair Word) Word { return x.Sum(0, pair[:x.size], pair[x.size:]) }, Join(n, m))
	})},
	{"VCMEQ", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", elementwise(func(x *step, n, m Word) Word {
		return repeat(x.isZero(x.xor(n, m)), x.size)
	})},
	{"VCMTST", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", elementwise(func(x *step, n, m Word) Word {
		return repeat(x.isZero(x.and(n, m))^1, x.size)
	})},
	{"VCMHI", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", elementwise(func(x *step, n, m Word) Word {
		// n > m if m - n borrows: if m + not n + 1 has no carry.
		return repeat(x.Carry(m, n.Not(), One)^1, x.size)
	})},
	{"VCMHS", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", elementwise(func(x *step, n, m Word) Word {
		return repeat(x.Carry(n, m.Not(), One), x.size)
	})},
	{"VCMGT", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", elementwise(func(x *step, n, m Word) Word { return repeat(x.greater(n, m), x.size) })},
	{"VCMGE", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", elementwise(func(x *step, n, m Word) Word { return repeat(x.greater(m, n)^1, x.size) })},
	{"VSHL", "$h Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", shifted(func(x *step, n, d Word) Word { return n.Left(x.imm('h')) })},
	{"VUSHR", "$r Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", shifted(func(x *step, n, d Word) Word { return n.Right(x.imm('r')) })},
	{"VSSHR", "$r Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", shifted(func(x *step, n, d Word) Word { return n.Arithmetic(x.imm('r')) })},
	{"VSHRN", "$k Vn.T Vd.hT", "H8 S4 D2", func(x *step) { x.narrow(x.imm('k'), false) }},
	{"VSHRN2", "$k Vn.T Vd.hT2", "H8 S4 D2", func(x *step) { x.narrow(x.imm('k'), true) }},
	{"VXTN", "Vn.T Vd.hT", "H8 S4 D2", func(x *step) { x.narrow(0, false) }},
	{"VXTN2", "Vn.T Vd.hT2", "H8 S4 D2", func(x *step) { x.narrow(0, true) }},
	{"VSLI", "$h Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", shifted(func(x *step, n, d Word) Word {
		return Join(d[:x.imm('h')], n[:x.size-x.imm('h')])
	})},
	{"VSRI", "$r Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", shifted(func(x *step, n, d Word) Word {
		return Join(n[x.imm('r'):], d[x.size-x.imm('r'):])
	})},
	{"VUSRA", "$r Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", shifted(func(x *step, n, d Word) Word {
		return x.Sum(0, n.Right(x.imm('r')), d)
	})},
	{"VUSHLL", "$h Vn.T Vd.2T", "B8 H4 S2", func(x *step) { x.lengthen(0, x.imm('h')) }},
	{"VUSHLL2", "$h Vn.T Vd.2T", "B16 H8 S4", func(x *step) { x.lengthen(64, x.imm('h')) }},
	{"VUXTL", "Vn.T Vd.2T", "B8 H4 S2", func(x *step) { x.lengthen(0, 0) }},
	{"VUXTL2", "Vn.T Vd.2T", "B16 H8 S4", func(x *step) { x.lengthen(64, 0) }},
	{"VUMAX", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4", elementwise(func(x *step, n, m Word) Word {
		return x.choose(repeat(x.Carry(n, m.Not(), One), x.size), n, m)
	})},
	{"VUMIN", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4", elementwise(func(x *step, n, m Word) Word {
		return x.choose(repeat(x.Carry(n, m.Not(), One), x.size), m, n)
	})},
	{"VCNT", "Vn.T Vd.T", "B8 B16", func(x *step) {
		x.setVector('d', x.lanes(8, func(w Word) Word { return x.count(w, 8) }, x.vector('n')))
	}},
	{"VADDV", "Vn.T Vd", "B8 B16 H4 H8 S4", func(x *step) { x.across(x.size) }},
	{"VUADDLV", "Vn.T Vd", "B8 B16 H4 H8 S4", func(x *step) { x.across(2 * x.size) }},

	// Vectors: places of elements.
	{"VREV16", "Vn.T Vd.T", "B8 B16", func(x *step) { x.reverse(16) }},
	{"VREV32", "Vn.T Vd.T", "B8 B16 H4 H8", func(x *step) { x.reverse(32) }},
	{"VREV64", "Vn.T Vd.T", "B8 B16 H4 H8 S2 S4", func(x *step) { x.reverse(64) }},
	{"VRBIT", "Vn.T Vd.T", "B8 B16", func(x *step) {
		x.setVector('d', x.lanes(8, func(b Word) Word { return reversed(b, 1) }, x.vector('n')))
	}},
	{"VEXT", "$e Vm.T Vn.T Vd.T", "B8 B16", func(x *step) {
		x.setVector('d', Join(x.vector('n'), x.vector('m'))[8*x.imm('e'):][:x.total])
	}},
	{"VTBL", "Vm.T {Vn.B16} Vd.T", "B8 B16", func(x *step) { x.lookUp(Constant(0, x.total)) }},
	{"VTBX", "Vm.T {Vn.B16} Vd.T", "B8 B16", func(x *step) { x.lookUp(x.vector('d')) }},
	{"VZIP1", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", permuted(func(i, h int) (int, bool) { return i / 2, i%2 == 1 })},
	{"VZIP2", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", permuted(func(i, h int) (int, bool) { return h + i/2, i%2 == 1 })},
	{"VUZP1", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", permuted(func(i, h int) (int, bool) { return 2 * i % (2 * h), i >= h })},
	{"VUZP2", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", permuted(func(i, h int) (int, bool) { return 2*i%(2*h) + 1, i >= h })},
	{"VTRN1", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", permuted(func(i, h int) (int, bool) { return i &^ 1, i%2 == 1 })},
	{"VTRN2", "Vm.T Vn.T Vd.T", "B8 B16 H4 H8 S2 S4 D2", permuted(func(i, h int) (int, bool) { return i | 1, i%2 == 1 })},
	{"VDUP", "Vn.T[] Vd.T", "B8 B16 H4 H8 S2 S4 D2", func(x *step) { x.duplicate(x.vector('n')) }},
	{"VDUP", "Rn Vd.T", "B8 B16 H4 H8 S2 S4 D2", func(x *step) { x.duplicate(x.word('n')[:x.size]) }},
	{"VMOV", "Vn.T Vd.T", "B8 B16", func(x *step) { x.setVector('d', x.vector('n')) }},
	{"VMOV", "Rn Vd.T[]", "", func(x *step) { x.setVector('d', x.word('n')[:x.size]) }},
	{"VMOV", "Vn.T[] Rd", "", func(x *step) { x.set('d', x.vector('n')) }},
	{"VMOVI", "$i Vd.T", "B8 B16", func(x *step) { x.duplicate(Constant(uint64(x.imm('i')), 8)) }},

	// Cryptography.
	{"VPMULL", "Vm.D1 Vn.D1 Vd.Q1 | Vm.B8 Vn.B8 Vd.H8", "", func(x *step) { x.polynomials(x.vector('n'), x.vector('m')) }},
	{"VPMULL2", "Vm.D2 Vn.D2 Vd.Q1 | Vm.B16 Vn.B16 Vd.H8", "", func(x *step) {
		x.polynomials(x.vector('n')[64:], x.vector('m')[64:])
	}},
	{"AESE", "Vn.B16 Vd.B16", "", func(x *step) {
		x.setVector('d', x.substitute(aesShiftRows(x.xor(x.vector('d'), x.vector('n')), 1), aesBox))
	}},
	{"AESD", "Vn.B16 Vd.B16", "", func(x *step) {
		x.setVector('d', x.substitute(aesShiftRows(x.xor(x.vector('d'), x.vector('n')), -1), aesInverse))
	}},
	{"AESMC", "Vn.B16 Vd.B16", "", func(x *step) { x.mixColumns([4]uint{2, 3, 1, 1}) }},
	{"AESIMC", "Vn.B16 Vd.B16", "", func(x *step) { x.mixColumns([4]uint{14, 11, 13, 9}) }},
	{"SHA1H", "Vn Vd", "", func(x *step) { x.setVector('d', x.vector('n')[:32].RotateLeft(30)) }},
	{"SHA256H", "Vm.S4 Vn Vd", "", func(x *step) { x.sha256(x.vector('d'), x.vector('n'), true) }},
	{"SHA256H2", "Vm.S4 Vn Vd", "", func(x *step) { x.sha256(x.vector('n'), x.vector('d'), false) }},
	{"SHA256SU0", "Vn.S4 Vd.S4", "", sha256su0},
	{"SHA256SU1", "Vm.S4 Vn.S4 Vd.S4", "", sha256su1},
	{"SHA512H", "Vm.D2 Vn Vd", "", sha512h},
	{"SHA512H2", "Vm.D2 Vn Vd", "", sha512h2},
	{"SHA512SU0", "Vn.D2 Vd.D2", "", sha512su0},
	{"SHA512SU1", "Vm.D2 Vn.D2 Vd.D2", "", sha512su1},
	{"SM3SS1", "Va.S4 Vm.S4 Vn.S4 Vd.S4", "", sm3ss1},
	{"SM3TT1A SM3TT1B", "Vm.S[] Vn.S4 Vd.S4", "", sm3tt1},
	{"SM3TT2A SM3TT2B", "Vm.S[] Vn.S4 Vd.S4", "", sm3tt2},
	{"SM3PARTW1", "Vm.S4 Vn.S4 Vd.S4", "", sm3partw1},
	{"SM3PARTW2", "Vm.S4 Vn.S4 Vd.S4", "", sm3partw2},
	{"SM4E", "Vn.S4 Vd.S4", "", func(x *step) { x.setVector('d', x.sm4Rounds(x.vector('d'), x.vector('n'), 2, 10, 18, 24)) }},
	{"SM4EKEY", "Vm.S4 Vn.S4 Vd.S4", "", func(x *step) {
		x.setVector('d', x.sm4Rounds(x.vector('n'), x.vector('m'), 13, 23))
	}},
}

// second is the second source: a register, or a number.
func (x *step) second() Word {
	for _, name := range "mal" {
		if x.ops[name] != nil {
			return x.word(byte(name))
		}
	}
	panic("machine: no second source")
}

// addition is ADD, SUB, ADDS and SUBS. Addresses may move by constants, and be subtracted.
func (x *step) addition(subtract, set bool) {
	name := byte('m')
	if x.ops['m'] == nil {
		name = 'a'
	}
	n, m := x.value('n'), x.value(name)
	if n.Object == nil && m.Object == nil {
		a, b, c := n.Bits, m.Bits, Zero
		if subtract {
			b, c = b.Not(), One
		}
		x.set('d', x.add(a, b, c, set))
		return
	}
	switch {
	case set:
		fail("the flags of an address")
	case subtract && m.Object != nil:
		if n.Object != m.Object {
			fail("the difference of two objects")
		}
		x.set('d', Constant(uint64(n.Offset-m.Offset), 64))
		return
	case n.Object == nil:
		n, m = m, n
	}
	c, ok := m.Bits.Constant()
	if m.Object != nil || !ok {
		fail("an address that is no constant")
	}
	if subtract {
		c = -c
	}
	x.put(x.ops['d'].Reg, x.plus(n, int64(c)))
}

// compare is SUBS without the result. Two addresses of an object compare as their offsets do: an
// object is in one half of the addresses, so that there is no overflow.
func (x *step) compare() {
	name := byte('m')
	if x.ops['m'] == nil {
		name = 'a'
	}
	n, m := x.value('n'), x.value(name)
	if n.Object == nil && m.Object == nil {
		x.add(n.Bits, m.Bits.Not(), One, true)
		return
	}
	if n.Object != m.Object {
		fail("addresses of different objects are compared")
	}
	x.SetFlags(bit(n.Offset < m.Offset), bit(n.Offset == m.Offset), bit(n.Offset >= m.Offset), Zero)
}

func bit(b bool) Bit {
	if b {
		return One
	}
	return Zero
}

// conjunction is AND and ANDS. An address may be aligned as far as its object is.
func (x *step) conjunction(set bool) {
	n := x.value('n')
	if n.Object == nil {
		w := x.and(n.Bits, x.second())
		if set {
			x.logic(w)
		}
		x.set('d', w)
		return
	}
	mask, ok := x.second().Constant()
	if set || !ok || -mask&(-mask-1) != 0 || int64(-mask) > n.Object.Align {
		fail("bits of an address")
	}
	n.Offset &= int64(mask)
	x.put(x.ops['d'].Reg, n)
}

// logic sets the flags of a result that has no carry.
func (x *step) logic(w Word) Word {
	x.setResult(w, flag{bit: Zero}, flag{bit: Zero})
	return w
}

// distance is that of a shift: by a register, modulo the width.
func (x *step) distance() int {
	if x.ops['s'] != nil {
		return x.imm('s')
	}
	return int(x.constant('m', "the distance of the shift")) & (x.width - 1)
}

// field is that of UBFX: w bits from bit s on.
func (x *step) field() Word {
	s, w := x.imm('s'), x.imm('w')
	if s+w > x.width {
		fail("the field is outside of the register")
	}
	return x.word('n')[s : s+w]
}

func (x *step) product() Word { return x.Product(x.word('n'), x.word('m'))[:x.width] }

// longProduct is that of the low halves.
func (x *step) longProduct(extend func(Word, int) Word) Word {
	n, m := x.word('n')[:32], x.word('m')[:32]
	return x.Product(extend(n, 64), extend(m, 64))[:64]
}

// lowField has the w low bits, for UBFIZ and the like, which put it to bit s.
func (x *step) lowField() Word {
	s, w := x.imm('s'), x.imm('w')
	if s+w > x.width {
		fail("the field is outside of the register")
	}
	return x.word('n')[:w]
}

// leading has 1 for each of the highest bits that are 0, down to the first 1.
func (x *step) leading(w Word) Word {
	out := make(Word, len(w))
	before := One
	for i := len(w) - 1; i >= 0; i-- {
		before = x.And(before, w[i]^1)
		out[i] = before
	}
	return out
}

// count is the number of bits that are 1, in n bits.
func (x *step) count(w Word, n int) Word {
	list := make([]Word, len(w))
	for i, b := range w {
		list[i] = Word{b}.Extend(n)
	}
	return x.Sum(0, list...)
}

// smulh: the high half of a signed product is that of the unsigned one, minus the other factor
// for each that is negative.
func smulh(x *step) {
	n, m := x.word('n'), x.word('m')
	high := x.Product(n, m)[64:]
	high = x.Sum(1, high, x.and(repeat(n[63], 64), m).Not())
	x.set('d', x.Sum(1, high, x.and(repeat(m[63], 64), n).Not()))
}

// udiv: divisions by 0 are 0. The time depends on the operands, so they must be constants.
func udiv(x *step) {
	n, m := x.constant('n', "a dividend"), x.constant('m', "a divisor")
	q := uint64(0)
	if m != 0 {
		q = n / m
	}
	x.set('d', Constant(q, x.width))
}

// sdiv: the quotient is rounded to zero; the smallest number by -1 is itself.
func sdiv(x *step) {
	n, m := x.constant('n', "a dividend"), x.constant('m', "a divisor")
	shift := 64 - x.width
	a, b := int64(n)<<shift>>shift, int64(m)<<shift>>shift
	q := int64(0)
	switch {
	case b == -1:
		q = -a
	case b != 0:
		q = a / b
	}
	x.set('d', Constant(uint64(q), x.width))
}

func (x *step) holds() Bit {
	c := x.condition(Conditions[x.ops['c'].Sym])
	if x.Condition != nil {
		x.Condition(c)
	}
	return c
}

// choice is a if the condition holds, and b otherwise.
func (x *step) choice(a, b Value) {
	c := x.holds()
	switch {
	case c == One:
		x.put(x.ops['d'].Reg, a)
	case c == Zero:
		x.put(x.ops['d'].Reg, b)
	case a.Object != nil || b.Object != nil:
		fail("an address is chosen by a secret")
	default:
		x.set('d', x.choose(repeat(c, x.width), a.Bits, b.Bits))
	}
}

// zero is 1 if the register is 0. An address is not 0.
func (x *step) zero(name byte) Bit {
	v := x.value(name)
	if v.Object != nil {
		return Zero
	}
	c, ok := v.Bits.Constant()
	if !ok {
		fail("the branch depends on a secret")
	}
	return bit(c == 0)
}

// move is MOVD and so on: a register, memory, an argument or a number.
func (x *step) move(bytes int64, extend func(Word, int) Word) {
	from, to := &x.in.Args[0], &x.in.Args[1]
	if len(x.in.Suffix) > 0 && from.Base+from.Reg == to.Base+to.Reg {
		fail("the base of the address is moved, too: not predictable")
	}
	var v Value
	switch {
	case from.Kind == KindMem && from.Pseudo == "FP":
		if len(x.in.Suffix) > 0 {
			fail("the suffix %s", x.in.Suffix[0])
		}
		x.farArgument(from, bytes)
		v = x.argument(from, bytes)
	case from.Kind == KindMem:
		v = x.load(x.place(access{bytes: bytes}), bytes)
	case from.Kind == KindAddr:
		v = x.place(access{bytes: 8})
	case from.Kind == KindImm:
		v = Number(uint64(from.Imm), 64)
	default:
		v = x.value('n')
	}
	if v.Object != nil && bytes != 8 {
		fail("a part of an address")
	}
	if v.Object == nil {
		v.Bits = v.Bits[: 8*bytes : 8*bytes]
	}
	switch {
	case to.Kind == KindReg:
		if v.Object == nil {
			v.Bits = extend(v.Bits, 64)
		}
		x.put(to.Reg, v)
	case to.Pseudo == "FP":
		if len(x.in.Suffix) > 0 {
			fail("the suffix %s", x.in.Suffix[0])
		}
		x.farArgument(to, bytes)
		x.sameOffset(to)
		x.Results[to.Sym] = v
	default:
		x.Machine.store(x.place(access{bytes: bytes}), v)
	}
}

// farArgument: the assembler needs scratch for what is far from the stack pointer.
func (x *step) farArgument(o *Operand, bytes int64) {
	if !(access{bytes: bytes}).encodes(x.top() + x.Arch.Saved + o.Imm) {
		x.R[scratch] = Value{}
	}
}

func loadPair(x *step) {
	list, bytes := x.ops['t'].List, int64(x.width/8)
	if p := x.ops['p']; len(x.in.Suffix) > 0 && (p.Base == list[0].Reg || p.Base == list[1].Reg) || list[0].Reg == list[1].Reg {
		fail("what is loaded is not predictable")
	}
	at := x.place(access{bytes: bytes, pair: true})
	first, second := x.load(at, bytes), x.load(x.plus(at, bytes), bytes)
	x.put(list[0].Reg, first)
	x.put(list[1].Reg, second)
}

func storePair(x *step) {
	list, bytes := x.ops['t'].List, int64(x.width/8)
	if p := x.ops['p']; len(x.in.Suffix) > 0 && p.Base != 31 && (p.Base == list[0].Reg || p.Base == list[1].Reg) {
		fail("what is stored is not predictable")
	}
	at := x.place(access{bytes: bytes, pair: true})
	for i := range list {
		v := x.register(list[i].Reg)
		if v.Object == nil {
			v.Bits = v.Bits[:x.width:x.width]
		} else if x.width != 64 {
			fail("a part of an address")
		}
		x.Machine.store(x.plus(at, int64(i)*bytes), v)
	}
}

// moveVector is FMOVQ and so on. What a vector has above is zero.
func (x *step) moveVector(bytes int64) {
	from, to := &x.in.Args[0], &x.in.Args[1]
	switch {
	case from.Kind == KindMem:
		x.V[to.Reg] = x.loadBits(x.place(access{bytes: bytes}), bytes).Extend(128)
	case to.Kind == KindMem:
		x.Machine.store(x.place(access{bytes: bytes}), Value{Bits: x.whole(from.Reg)[: 8*bytes : 8*bytes]})
	case to.Shape == 'v':
		x.V[to.Reg] = x.word('n')[:8*bytes].Extend(128)
	default:
		x.put(to.Reg, Value{Bits: x.whole(from.Reg)[:8*bytes]})
	}
}

func loadVectorPair(x *step, bytes int64) {
	list := x.ops['t'].List
	if list[0].Reg == list[1].Reg {
		fail("what is loaded is not predictable")
	}
	at := x.place(access{bytes: bytes, pair: true})
	for i := range list {
		x.V[list[i].Reg] = x.loadBits(x.plus(at, int64(i)*bytes), bytes).Extend(128)
	}
}

func storeVectorPair(x *step, bytes int64) {
	list := x.ops['t'].List
	at := x.place(access{bytes: bytes, pair: true})
	for i := range list {
		x.Machine.store(x.plus(at, int64(i)*bytes), Value{Bits: x.whole(list[i].Reg)[: 8*bytes : 8*bytes]})
	}
}

// structures is VLD1 to VLD4 and VST1 to VST4: elements of n registers alternate in memory. With
// n = 1 the registers follow each other.
func (x *step) structures(n int, store bool) {
	list := x.ops['t'].List
	bytes, elements := int64(x.size/8), x.total/x.size
	at := x.place(access{list: int64(len(list)*x.total) / 8})
	var vectors []Word
	for i := range list {
		if store {
			vectors = append(vectors, x.whole(list[i].Reg))
		} else {
			vectors = append(vectors, make(Word, 128))
		}
	}
	for i, w := range vectors {
		for e := range elements {
			element := w[e*x.size : (e+1)*x.size : (e+1)*x.size]
			p := x.plus(at, int64(e*n+i)*bytes)
			if n == 1 {
				p = x.plus(at, int64(i*elements+e)*bytes)
			}
			if store {
				x.Machine.store(p, Value{Bits: element})
			} else {
				copy(element, x.loadBits(p, bytes))
			}
		}
		if !store {
			x.V[list[i].Reg] = w
		}
	}
}

// loadRepeated is VLD1R and so on: an element for each register.
func loadRepeated(x *step) {
	list, bytes := x.ops['t'].List, int64(x.size/8)
	at := x.place(access{list: int64(len(list)) * bytes})
	for i := range list {
		w := x.loadBits(x.plus(at, int64(i)*bytes), bytes)
		x.V[list[i].Reg] = Join(slicesOf(w, x.total/x.size)...).Extend(128)
	}
}

// slicesOf repeats a word.
func slicesOf(w Word, n int) []Word {
	list := make([]Word, n)
	for i := range list {
		list[i] = w
	}
	return list
}

// vector3 is an instruction of two vectors, n and m.
func vector3(f func(x *step, n, m Word) Word) func(*step) {
	return func(x *step) { x.setVector('d', f(x, x.vector('n'), x.vector('m'))) }
}

// elementwise is vector3 of each element.
func elementwise(f func(x *step, n, m Word) Word) func(*step) {
	return vector3(func(x *step, n, m Word) Word { return x.pairs(f, n, m) })
}

// shifted is elementwise with the old elements of the destination.
func shifted(f func(x *step, n, d Word) Word) func(*step) {
	return func(x *step) {
		d := Constant(0, x.total)
		if x.name == "VSLI" || x.name == "VSRI" || x.name == "VUSRA" {
			d = x.vector('d')
		}
		x.setVector('d', x.pairs(f, x.vector('n'), d))
	}
}

func (x *step) pairs(f func(x *step, n, m Word) Word, n, m Word) Word {
	a, b := n.Lanes(x.size), m.Lanes(x.size)
	for i := range a {
		a[i] = f(x, a[i], b[i])
	}
	return Join(a...)
}

// lanes replaces lanes of some bits.
func (x *step) lanes(bits int, f func(Word) Word, w Word) Word {
	list := w.Lanes(bits)
	for i := range list {
		list[i] = f(list[i])
	}
	return Join(list...)
}

func bytesReversed(w Word) Word { return reversed(w, 8) }

// reverse reverses elements in groups of some bits.
func (x *step) reverse(group int) {
	x.setVector('d', x.lanes(group, func(w Word) Word { return reversed(w, x.size) }, x.vector('n')))
}

func (x *step) duplicate(w Word) { x.setVector('d', Join(slicesOf(w, x.total/len(w))...)) }

// lengthen makes elements of twice the size from 64 bits, and shifts them.
func (x *step) lengthen(from, by int) {
	list := x.vector('n')[from : from+64].Lanes(x.size)
	for i := range list {
		list[i] = list[i].Extend(2 * x.size).Left(by)
	}
	x.setVector('d', Join(list...))
}

// narrow keeps the lower half of each element, behind a shift to the right. The upper half of the
// vector becomes 0, or it is the lower half that stays.
func (x *step) narrow(by int, upper bool) {
	list := x.vector('n').Lanes(x.size)
	for i := range list {
		list[i] = list[i].Right(by)[:x.size/2]
	}
	w := Join(list...)
	if upper {
		w = Join(x.vector('d')[:64], w)
	}
	x.setVector('d', w)
}

// longProducts are those of elements from a bit on, perhaps added to the destination.
func (x *step) longProducts(from int, add bool) {
	n, m := x.vector('n')[from:from+64].Lanes(x.size), x.vector('m')[from:from+64].Lanes(x.size)
	for i := range n {
		n[i] = x.Product(n[i], m[i])
		if add {
			n[i] = x.Sum(0, n[i], x.vector('d').Lanes(2 * x.size)[i])
		}
	}
	x.setVector('d', Join(n...))
}

// across adds all elements as numbers of n bits.
func (x *step) across(n int) {
	list := x.vector('n').Lanes(x.size)
	for i := range list {
		list[i] = list[i].Extend(n)
	}
	x.setVector('d', x.Sum(0, list...))
}

// permuted has element j of n, or of m if second, at place i. There are 2h places.
func permuted(f func(i, h int) (j int, second bool)) func(*step) {
	return vector3(func(x *step, n, m Word) Word {
		a, b := n.Lanes(x.size), m.Lanes(x.size)
		var out []Word
		for i := range a {
			if j, second := f(i, len(a)/2); second {
				out = append(out, b[j])
			} else {
				out = append(out, a[j])
			}
		}
		return Join(out...)
	})
}

func (x *step) multiplyAdd(n, m Word) Word {
	d := x.vector('d').Lanes(x.size)
	a, b := n.Lanes(x.size), m.Lanes(x.size)
	for i := range d {
		d[i] = x.Sum(0, d[i], x.Product(a[i], b[i])[:x.size])
	}
	return Join(d...)
}

// polynomials multiplies elements of 8 or 64 bits.
func (x *step) polynomials(n, m Word) {
	size := arrangements[x.ops['n'].Arrangement][0]
	a, b := n.Lanes(size), m.Lanes(size)
	for i := range a {
		a[i] = x.Carryless(a[i], b[i])
	}
	x.setVector('d', Join(a...))
}

// lookUp is VTBL and VTBX: bytes of the table; indices outside of it leave the byte of old. Either
// the index must be constant, or the table but for a byte that was added to all of its bytes.
func (x *step) lookUp(old Word) {
	var table []Word
	for _, r := range x.ops['n'].List {
		table = append(table, x.whole(r.Reg).Lanes(8)...)
	}
	values := make([]uint64, 256)
	outside := make([]uint64, 256)
	constants, added := true, Constant(0, 8)
	if _, ok := table[0].Constant(); !ok {
		added = table[0]
	}
	for i := range outside {
		if i >= len(table) {
			outside[i] = 1
			continue
		}
		v, ok := x.xor(table[i], added).Constant()
		values[i], constants = v, constants && ok
	}
	out := x.vector('m').Lanes(8)
	for i, index := range out {
		before := old[8*i : 8*i+8]
		c, ok := index.Constant()
		switch {
		case ok && c < uint64(len(table)):
			out[i] = table[c]
		case ok:
			out[i] = before
		case !constants:
			fail("neither the table nor the index is constant")
		default:
			out[i] = x.xor(x.Apply(values, 8, index), added)
			if _, zero := added.Constant(); x.name == "VTBX" || !zero {
				keep := x.Apply(outside, 1, index)[0]
				out[i] = x.xor(out[i], x.and(repeat(keep, 8), x.xor(before, added)))
			}
		}
	}
	x.setVector('d', Join(out...))
}

// substitute replaces bytes.
func (x *step) substitute(w Word, box []uint64) Word {
	return x.lanes(8, func(b Word) Word { return x.Apply(box, 8, b) }, w)
}

// aesShiftRows is ShiftRows of FIPS 197, or its inverse with way -1: byte 4c+r comes from column
// c+r.
func aesShiftRows(w Word, way int) Word {
	b := w.Lanes(8)
	out := make([]Word, 16)
	for i := range out {
		r, c := i%4, i/4
		out[i] = b[4*((c+way*r+4)%4)+r]
	}
	return Join(out...)
}

// aesMixed multiplies each column by a matrix, whose first row is given, and the others are
// rotations of it.
func (x *step) aesMixed(w Word, row [4]uint) Word {
	if row == aesMatrix && len(w) == 128 {
		if out, ok := x.named(MixColumns, w); ok {
			return out
		}
	}
	return x.lanes(32, func(column Word) Word {
		b := column.Lanes(8)
		var out []Word
		for i := range 4 {
			sum := Constant(0, 8)
			for j := range 4 {
				sum = x.xor(sum, x.aesTimes(b[j], row[(j-i+4)%4]))
			}
			out = append(out, sum)
		}
		return Join(out...)
	}, w)
}

func (x *step) mixColumns(row [4]uint) { x.setVector('d', x.aesMixed(x.vector('n'), row)) }

// aesTimes multiplies by a constant modulo x^8 + x^4 + x^3 + x + 1.
func (x *step) aesTimes(w Word, c uint) Word {
	out := Constant(0, 8)
	for ; c > 0; c >>= 1 {
		if c&1 == 1 {
			out = x.xor(out, w)
		}
		high := w[7]
		w = x.xor(w.Left(1), Word{high, high, Zero, high, high, Zero, Zero, Zero})
	}
	return out
}

// aesBox is SubBytes of FIPS 197, section 5.1.1: the inverse modulo x^8 + x^4 + x^3 + x + 1, and an
// affine map. sm4Box is that of GB/T 32907, which is of the same kind: an affine map, the inverse
// modulo x^8 + x^7 + x^6 + x^5 + x^4 + x^2 + 1, and the same affine map.
var aesBox, aesInverse, sm4Box = func() (box, inverse, sm4 []uint64) {
	box, inverse, sm4 = make([]uint64, 256), make([]uint64, 256), make([]uint64, 256)
	for i := range 256 {
		v := reciprocal(uint(i), 0x11b)
		s := uint64(circulant(v, 0xf1) ^ 0x63)
		box[i], inverse[s] = s, uint64(i)
		sm4[i] = uint64(circulant(reciprocal(circulant(uint(i), 0xa7)^0xd3, 0x1f5), 0xa7) ^ 0xd3)
	}
	return
}()

// reciprocal is x^254 modulo the polynomial: the inverse, and 0 of 0.
func reciprocal(x, modulus uint) uint {
	out := uint(1)
	for range 254 {
		product := uint(0)
		for i := range 8 {
			product ^= out << i * (x >> i & 1)
		}
		for i := 15; i >= 8; i-- {
			product ^= modulus << (i - 8) * (product >> i & 1)
		}
		out = product
	}
	return out
}

// circulant multiplies by a matrix over GF(2): its row for bit 0 is given, that for bit i is
// rotated by i.
func circulant(x, row uint) uint {
	out := uint(0)
	for i := range 8 {
		r := bits.RotateLeft8(uint8(row), i)
		out |= uint(bits.OnesCount8(r&uint8(x))&1) << i
	}
	return out
}

// sm3ss1: SS1 of GB/T 32905, in the highest word.
func sm3ss1(x *step) {
	top := func(name byte) Word { return x.vector(name)[96:] }
	sum := x.Sum(0, top('n').RotateLeft(12), top('m'), top('a'))
	x.setVector('d', Join(Constant(0, 96), sum.RotateLeft(7)))
}

// majority and the choice of rounds 16 to 63; parity in those before.
func (x *step) sm3Function(majority bool) Word {
	d := x.vector('d').Lanes(32)
	switch {
	case x.name[len(x.name)-1] == 'A':
		return x.xor(d[1], d[2], d[3])
	case majority:
		return x.xor(x.and(d[3], x.xor(d[2], d[1])), x.and(d[2], d[1]))
	}
	return x.choose(d[3], d[2], d[1])
}

func sm3tt1(x *step) {
	d, ss1 := x.vector('d').Lanes(32), x.vector('n')[96:]
	ss2 := x.xor(ss1, d[3].RotateLeft(12))
	tt1 := x.Sum(0, x.sm3Function(true), d[0], ss2, x.vector('m'))
	x.setVector('d', Join(d[1], d[2].RotateLeft(9), d[3], tt1))
}

func sm3tt2(x *step) {
	d, ss1 := x.vector('d').Lanes(32), x.vector('n')[96:]
	tt2 := x.Sum(0, x.sm3Function(false), d[0], ss1, x.vector('m'))
	tt2 = x.xor(tt2, tt2.RotateLeft(9), tt2.RotateLeft(17)) // P0
	x.setVector('d', Join(d[1], d[2].RotateLeft(19), d[3], tt2))
}

// sm3p1 is P1 of GB/T 32905.
func (x *step) sm3p1(w Word) Word { return x.xor(w, w.RotateLeft(15), w.RotateLeft(23)) }

// sm3partw1: the sum of three words of the message, and P1 of it, where the last one needs the
// first result.
func sm3partw1(x *step) {
	m, sum := x.vector('m').Lanes(32), x.xor(x.vector('d'), x.vector('n')).Lanes(32)
	out := make([]Word, 4)
	for i := range 4 {
		last := out[0]
		if i < 3 {
			last = m[i+1]
		}
		out[i] = x.sm3p1(x.xor(sum[i], last.RotateLeft(15)))
	}
	x.setVector('d', Join(out...))
}

func sm3partw2(x *step) {
	rotated := x.lanes(32, func(w Word) Word { return w.RotateLeft(7) }, x.vector('m'))
	sum := x.xor(x.vector('n'), rotated)
	out := x.xor(x.vector('d'), sum).Lanes(32)
	out[3] = x.xor(out[3], x.sm3p1(sum[:32].RotateLeft(15)))
	x.setVector('d', Join(out...))
}

// sm4Rounds are four rounds of GB/T 32907, with the rotations of L or L'.
func (x *step) sm4Rounds(state, keys Word, rotations ...int) Word {
	s, k := state.Lanes(32), keys.Lanes(32)
	for i := range 4 {
		b := x.substitute(x.xor(s[1], s[2], s[3], k[i]), sm4Box)
		t := x.xor(s[0], b)
		for _, r := range rotations {
			t = x.xor(t, b.RotateLeft(r))
		}
		s = append(s[1:4:4], t)
	}
	return Join(s...)
}

// The functions of FIPS 180-4, section 4.1, on words of 32 and of 64 bits: the sums have three
// rotations to the right, of which the last one of a small sigma is a shift.
func (x *step) sigma(w Word, a, b, c int) Word {
	return x.xor(w.RotateLeft(-a), w.RotateLeft(-b), w.RotateLeft(-c))
}

func (x *step) smallSigma(w Word, a, b, shift int) Word {
	return x.xor(w.RotateLeft(-a), w.RotateLeft(-b), w.Right(shift))
}

func (x *step) majority(a, b, c Word) Word { return x.xor(x.and(a, b), x.and(a, c), x.and(b, c)) }

// sha256 is four rounds: abcd and efgh with words that have their constants. The result is one of
// the two.
func (x *step) sha256(abcd, efgh Word, first bool) {
	s := append(abcd.Lanes(32), efgh.Lanes(32)...)
	for _, w := range x.vector('m').Lanes(32) {
		t1 := x.Sum(0, s[7], x.sigma(s[4], 6, 11, 25), x.choose(s[4], s[5], s[6]), w)
		t2 := x.Sum(0, x.sigma(s[0], 2, 13, 22), x.majority(s[0], s[1], s[2]))
		s = []Word{x.Sum(0, t1, t2), s[0], s[1], s[2], x.Sum(0, s[3], t1), s[4], s[5], s[6]}
	}
	if first {
		x.setVector('d', Join(s[:4]...))
	} else {
		x.setVector('d', Join(s[4:]...))
	}
}

func sha256su0(x *step) {
	w := append(x.vector('d').Lanes(32), x.vector('n').Lanes(32)...)
	for i := range 4 {
		w[i] = x.Sum(0, w[i], x.smallSigma(w[i+1], 7, 18, 3))
	}
	x.setVector('d', Join(w[:4]...))
}

func sha256su1(x *step) {
	d, n, m := x.vector('d').Lanes(32), x.vector('n').Lanes(32), x.vector('m').Lanes(32)
	n = append(n[1:], m[0])
	last := []Word{m[2], m[3]}
	for i := range 4 {
		d[i] = x.Sum(0, d[i], n[i], x.smallSigma(last[i], 17, 19, 10))
		last = append(last, d[i])
	}
	x.setVector('d', Join(d...))
}

// sha512h is the first half of two rounds: what is added to d and h. The sums have the constants.
func sha512h(x *step) {
	d, n, m := x.vector('d').Lanes(64), x.vector('n').Lanes(64), x.vector('m').Lanes(64)
	high := x.Sum(0, d[1], x.sigma(m[1], 14, 18, 41), x.choose(m[1], n[0], n[1]))
	e := x.Sum(0, high, m[0])
	low := x.Sum(0, d[0], x.sigma(e, 14, 18, 41), x.choose(e, m[1], n[0]))
	x.setVector('d', Join(low, high))
}

// sha512h2 is the second half: the new a and b.
func sha512h2(x *step) {
	d, n, m := x.vector('d').Lanes(64), x.vector('n').Lanes(64), x.vector('m').Lanes(64)
	high := x.Sum(0, d[1], x.sigma(m[0], 28, 34, 39), x.majority(n[0], m[1], m[0]))
	low := x.Sum(0, d[0], x.sigma(high, 28, 34, 39), x.majority(high, m[0], m[1]))
	x.setVector('d', Join(low, high))
}

func sha512su0(x *step) {
	d, n := x.vector('d').Lanes(64), x.vector('n').Lanes(64)
	x.setVector('d', Join(
		x.Sum(0, d[0], x.smallSigma(d[1], 1, 8, 7)),
		x.Sum(0, d[1], x.smallSigma(n[0], 1, 8, 7))))
}

func sha512su1(x *step) {
	d, n, m := x.vector('d').Lanes(64), x.vector('n').Lanes(64), x.vector('m').Lanes(64)
	for i := range d {
		d[i] = x.Sum(0, d[i], x.smallSigma(n[i], 19, 61, 6), m[i])
	}
	x.setVector('d', Join(d...))
}
