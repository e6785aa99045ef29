package machine

// riscvSemantics is what instructions of riscv64 do: The RISC-V Instruction Set Manual, volume I, with its
// names of operands. Go's order of these is the opposite of the manual's.
var riscvSemantics = []semantic{
	// Arithmetic and logic: RV64I, M, Zba, Zbb, Zbkb.
	{"ADD", "R2 R1 Rd", "", sum(false)},
	{"ADDI", "$n R1 Rd", "", sum(false)},
	{"SUB", "R2 R1 Rd", "", sum(true)},
	{"NEG", "R1 Rd", "", func(x *step) { x.setNumber(x.Sum(1, x.number64('1').Not())) }},
	{"NOT", "R1 Rd", "", func(x *step) { x.setNumber(x.number64('1').Not()) }},
	{"AND", "R2 R1 Rd", "", func(x *step) { x.setNumber(x.and(x.anyBits('1'), x.anyBits('2'))) }},
	{"ANDI", "$n R1 Rd", "", func(x *step) { x.setNumber(x.and(x.anyBits('1'), Constant(uint64(x.ops['n'].Imm), 64))) }},
	{"OR", "R2 R1 Rd", "", func(x *step) { x.setNumber(x.or(x.anyBits('1'), x.anyBits('2'))) }},
	{"XOR", "R2 R1 Rd", "", ofNumbers(func(x *step, a, b Word) Word { return x.xor(a, b) })},
	{"XORI", "$n R1 Rd", "", immediate(func(x *step, a, b Word) Word { return x.xor(a, b) })},
	{"ANDN", "R2 R1 Rd", "", ofNumbers(func(x *step, a, b Word) Word { return x.and(a, b.Not()) })},
	{"SLTU", "R2 R1 Rd", "", ofNumbers(func(x *step, a, b Word) Word { return Word{x.below(a, b)}.Extend(64) })},
	{"SEQZ", "R1 Rd", "", func(x *step) { x.setNumber(Word{x.isZero(x.number64('1'))}.Extend(64)) }},
	{"SNEZ", "R1 Rd", "", func(x *step) { x.setNumber(Word{x.isZero(x.number64('1')) ^ 1}.Extend(64)) }},
	{"SLL", "R2 R1 Rd", "", ofNumbers(func(x *step, a, b Word) Word { return a.Left(by(b[:6], 64)) })},
	{"SLLI", "$s R1 Rd", "", func(x *step) { x.setNumber(x.number64('1').Left(x.imm('s'))) }},
	{"SRLI", "$s R1 Rd", "", func(x *step) { x.setNumber(x.number64('1').Right(x.imm('s'))) }},
	{"SRAI", "$s R1 Rd", "", func(x *step) { x.setNumber(x.number64('1').Arithmetic(x.imm('s'))) }},
	{"RORI", "$s R1 Rd", "", func(x *step) { x.setNumber(x.number64('1').RotateLeft(-x.imm('s'))) }},
	{"RORIW", "$w R1 Rd", "", func(x *step) { x.setWord(x.number64('1')[:32].RotateLeft(-x.imm('w'))) }},
	{"REV8", "R1 Rd", "", func(x *step) { x.setNumber(bytesReversed(x.number64('1'))) }},
	{"BREV8", "R1 Rd", "", func(x *step) { x.setNumber(bitsReversed(x, x.number64('1'))) }},
	{"PACK", "R2 R1 Rd", "", ofNumbers(func(x *step, a, b Word) Word { return Join(a[:32], b[:32]) })},
	{"ADDUW", "R2 R1 Rd", "", ofNumbers(func(x *step, a, b Word) Word { return x.Sum(0, a[:32].Extend(64), b) })},
	{"SH2ADD", "R2 R1 Rd", "", ofNumbers(func(x *step, a, b Word) Word { return x.Sum(0, a.Left(2), b) })},
	{"MUL", "R2 R1 Rd", "", ofNumbers(func(x *step, a, b Word) Word { return x.Product(a, b)[:64] })},
	{"MULHU", "R2 R1 Rd", "", ofNumbers(func(x *step, a, b Word) Word { return x.Product(a, b)[64:] })},

	// Branches.
	{"JMP", "label", "", func(x *step) { x.branch(x.in, One) }},
	{"BEQ", "R1 R2 label", "", goes(func(x *step, a, b Word) Bit { return x.equal(a, b) })},
	{"BEQZ", "R1 label", "", goes(func(x *step, a, b Word) Bit { return x.equal(a, b) })},
	{"BNE", "R1 R2 label", "", goes(func(x *step, a, b Word) Bit { return x.equal(a, b) ^ 1 })},
	{"BNEZ", "R1 label", "", goes(func(x *step, a, b Word) Bit { return x.equal(a, b) ^ 1 })},
	{"BLTU", "R1 R2 label", "", goes(func(x *step, a, b Word) Bit { return x.below(a, b) })},
	{"BGEU", "R1 R2 label", "", goes(func(x *step, a, b Word) Bit { return x.below(a, b) ^ 1 })},
	{"BLTZ", "R1 label", "", goes(func(x *step, a, b Word) Bit { return x.less(a, b) })},
	{"BGEZ", "R1 label", "", goes(func(x *step, a, b Word) Bit { return x.less(a, b) ^ 1 })},
	{"BGTZ", "R1 label", "", goes(func(x *step, a, b Word) Bit { return x.less(b, a) })},

	// Loads and stores.
	{"MOV", "R1 Rd | $a Rd | & Rd | [] Rd | R1 []", "", transfer(8, Word.Extend)},
	{"MOVWU", "[] Rd", "", transfer(4, Word.Extend)},
	{"MOVHU", "[] Rd", "", transfer(2, Word.Extend)},
	{"MOVBU", "[] Rd", "", transfer(1, Word.Extend)},
	{"MOVW", "[] Rd | R1 []", "", transfer(4, Word.Signed)},
	{"MOVB", "[] Rd | R1 []", "", transfer(1, Word.Signed)},

	// Cryptography: Zbc, Zkn, Zks.
	{"CLMUL", "R2 R1 Rd", "", ofNumbers(polynomial(false))},
	{"CLMULH", "R2 R1 Rd", "", ofNumbers(polynomial(true))},
	{"AES64ES", "R2 R1 Rd", "", aesHalf(&aesBox, 1, noRow)},
	{"AES64ESM", "R2 R1 Rd", "", aesHalf(&aesBox, 1, aesRow)},
	{"AES64DS", "R2 R1 Rd", "", aesHalf(&aesInverse, -1, noRow)},
	{"AES64DSM", "R2 R1 Rd", "", aesHalf(&aesInverse, -1, aesInverseRow)},
	{"AES64IM", "R1 Rd", "", func(x *step) { x.setNumber(x.aesMixed(x.number64('1'), aesInverseRow)) }},
	{"AES64KS1I", "$r R1 Rd", "", aes64ks1i},
	{"AES64KS2", "R2 R1 Rd", "", ofNumbers(func(x *step, a, b Word) Word {
		first := x.xor(a[32:], b[:32])
		return Join(first, x.xor(first, b[32:]))
	})},
	{"SM4ED", "$b R2 R1 Rd", "", sm4Step(2, 10, 18, 24)},
	{"SM4KS", "$b R2 R1 Rd", "", sm4Step(13, 23)},
	{"SM3P0", "R1 Rd", "", func(x *step) {
		w := x.number64('1')[:32]
		x.setWord(x.xor(w, w.RotateLeft(9), w.RotateLeft(17)))
	}},
	{"SM3P1", "R1 Rd", "", func(x *step) { x.setWord(x.sm3p1(x.number64('1')[:32])) }},

	// Vectors: types, loads and stores.
	{"VSETVLI", "R1 E L T A Rd", "", setTypeByNames},
	{"VSETIVLI", "$w E L T A Rd", "", setTypeByNames},
	{"VSETVL", "R2 R1 Rd", "", setTypeByNumber},
	{"VLE8V", "[] Vd", "", segments(1, 8, false)},
	{"VLE32V", "[] Vd", "", segments(1, 32, false)},
	{"VLE64V", "[] Vd", "", segments(1, 64, false)},
	{"VSE8V", "V3 []", "", segments(1, 8, true)},
	{"VSE32V", "V3 []", "", segments(1, 32, true)},
	{"VSE64V", "V3 []", "", segments(1, 64, true)},
	{"VLSEG2E64V", "[] Vd", "", segments(2, 64, false)},
	{"VSSEG2E64V", "V3 []", "", segments(2, 64, true)},
	{"VSSEG4E8V", "V3 []", "", segments(4, 8, true)},
	{"VLSE64V", "[] R2 Vd", "", segments(1, 64, false)},
	{"VSSE64V", "V3 R2 []", "", segments(1, 64, true)},
	{"VLSSEG4E8V", "[] R2 Vd", "", segments(4, 8, false)},
	{"VSSSEG4E8V", "V3 R2 []", "", segments(4, 8, true)},
	{"VL4RE8V", "[] Vd", "", wholeRegisters(4, false)},
	{"VS4RV", "V3 []", "", wholeRegisters(4, true)},

	// Arithmetic and logic of elements.
	{"VADDVV", "V1 V2 Vm? Vd", "", each((*step).halves)},
	{"VADDVX", "R1 V2 Vm? Vd", "", each((*step).halves)},
	{"VSUBVX", "R1 V2 Vm? Vd", "", each((*step).halvesOfDifference)},
	{"VRSUBVX", "R1 V2 Vm? Vd", "", each(func(x *step, a, b Word) Word { return x.Sum(1, b, a.Not()) })},
	{"VRSUBVI", "$i V2 Vm? Vd", "", each(func(x *step, a, b Word) Word { return x.Sum(1, b, a.Not()) })},
	{"VANDVV", "V1 V2 Vm? Vd", "", each(func(x *step, a, b Word) Word { return x.and(a, b) })},
	{"VANDVX", "R1 V2 Vm? Vd", "", each(func(x *step, a, b Word) Word { return x.and(a, b) })},
	{"VANDVI", "$i V2 Vm? Vd", "", each(func(x *step, a, b Word) Word { return x.and(a, b) })},
	{"VANDNVV", "V1 V2 Vm? Vd", "", each(func(x *step, a, b Word) Word { return x.and(a, b.Not()) })},
	{"VORVV", "V1 V2 Vm? Vd", "", each(func(x *step, a, b Word) Word { return x.or(a, b) })},
	{"VORVX", "R1 V2 Vm? Vd", "", each(func(x *step, a, b Word) Word { return x.or(a, b) })},
	{"VXORVV", "V1 V2 Vm? Vd", "", each(func(x *step, a, b Word) Word { return x.xor(a, b) })},
	{"VXORVX", "R1 V2 Vm? Vd", "", each(func(x *step, a, b Word) Word { return x.xor(a, b) })},
	{"VXORVI", "$i V2 Vm? Vd", "", each(func(x *step, a, b Word) Word { return x.xor(a, b) })},
	{"VSLLVV", "V1 V2 Vm? Vd", "", each(func(x *step, a, b Word) Word { return a.Left(by(b, len(a))) })},
	{"VSLLVX", "R1 V2 Vm? Vd", "", each(func(x *step, a, b Word) Word { return a.Left(by(b, len(a))) })},
	{"VSLLVI", "$w V2 Vm? Vd", "", each(func(x *step, a, b Word) Word { return a.Left(by(b, len(a))) })},
	{"VSRLVV", "V1 V2 Vm? Vd", "", each(func(x *step, a, b Word) Word { return a.Right(by(b, len(a))) })},
	{"VSRLVX", "R1 V2 Vm? Vd", "", each(func(x *step, a, b Word) Word { return a.Right(by(b, len(a))) })},
	{"VSRLVI", "$w V2 Vm? Vd", "", each(func(x *step, a, b Word) Word { return a.Right(by(b, len(a))) })},
	{"VRORVI", "$s V2 Vm? Vd", "", each(func(x *step, a, b Word) Word { return a.RotateLeft(-by(b, len(a))) })},
	{"VREV8V", "V2 Vd", "", each1(func(x *step, a Word) Word { return bytesReversed(a) })},
	{"VBREV8V", "V2 Vd", "", each1(bitsReversed)},
	{"VNSRLWI", "$w V2 Vd", "", narrowed},
	{"VIDV", "Vd", "", func(x *step) {
		var list []Word
		for i := range x.vtype().length {
			list = append(list, Constant(uint64(i), x.vectors.size))
		}
		x.result(list)
	}},

	// Moves.
	{"VMVVV", "V1 Vd", "", func(x *step) { x.result(x.scalar()) }},
	{"VMVVX", "R1 Vd", "", func(x *step) { x.result(x.scalar()) }},
	{"VMVVI", "$i Vd", "", func(x *step) { x.result(x.scalar()) }},
	{"VMVSX", "R1 Vd", "", func(x *step) { x.single(x.number64('1')[:x.vtype().size]) }},
	{"VMV1RV", "V2 Vd", "", copyRegisters(1)},
	{"VMV2RV", "V2 Vd", "", copyRegisters(2)},
	{"VMV4RV", "V2 Vd", "", copyRegisters(4)},
	{"VREDXORVS", "V1 V2 Vd", "", func(x *step) {
		sum := x.part(x.ops['1'].Reg, 0, x.vtype().size)
		for _, w := range x.elements('2', x.vectors.size, x.vectors.length) {
			sum = x.xor(sum, w)
		}
		x.single(sum)
	}},
	{"VRGATHERVV", "V1 V2 Vd", "", gather},
	{"VRGATHERVI", "$w V2 Vd", "", gather},
	{"VSLIDEUPVX", "R1 V2 Vm? Vd", "", slide(true)},
	{"VSLIDEUPVI", "$w V2 Vm? Vd", "", slide(true)},
	{"VSLIDEDOWNVX", "R1 V2 Vm? Vd", "", slide(false)},
	{"VSLIDEDOWNVI", "$w V2 Vm? Vd", "", slide(false)},
	{"VSLIDE1DOWNVX", "R1 V2 Vd", "", func(x *step) {
		size, n := x.vtype().size, x.vectors.length
		list := x.elements('2', size, n)
		if n > 0 {
			list = append(list[1:], x.number64('1')[:size:size])
		}
		x.result(list)
	}},

	// Cryptography of vectors: Zvbc, Zvkned, Zvksed, Zvksh, Zvkg.
	{"VCLMULVV", "V1 V2 Vm? Vd", "", each(polynomial(false))},
	{"VCLMULVX", "R1 V2 Vm? Vd", "", each(polynomial(false))},
	{"VCLMULHVV", "V1 V2 Vm? Vd", "", each(polynomial(true))},
	{"VCLMULHVX", "R1 V2 Vm? Vd", "", each(polynomial(true))},
	{"VAESZVS", "V2 Vd", "", groups(128, true, func(x *step, d, s, _ Word) Word { return x.xor(d, s) })},
	{"VAESEMVS", "V2 Vd", "", groups(128, true, aesRound(&aesBox, 1, aesRow))},
	{"VAESEFVS", "V2 Vd", "", groups(128, true, aesRound(&aesBox, 1, noRow))},
	{"VAESDMVS", "V2 Vd", "", groups(128, true, aesRound(&aesInverse, -1, aesInverseRow))},
	{"VAESDFVS", "V2 Vd", "", groups(128, true, aesRound(&aesInverse, -1, noRow))},
	{"VSM4RVS", "V2 Vd", "", groups(128, true, func(x *step, d, s, _ Word) Word { return x.sm4Rounds(d, s, 2, 10, 18, 24) })},
	{"VSM3CVI", "$w V2 Vd", "", groups(256, false, sm3c)},
	{"VSM3MEVV", "V1 V2 Vd", "", groups(256, false, sm3me)},
	{"VGHSHVV", "V1 V2 Vd", "", groups(128, false, func(x *step, d, s, o Word) Word { return x.ghashProduct(x.xor(d, o), s) })},
	{"VGMULVV", "V2 Vd", "", groups(128, false, func(x *step, d, s, _ Word) Word { return x.ghashProduct(d, s) })},
}
