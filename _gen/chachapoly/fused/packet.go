package fused

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/chachapoly/rows"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A packet is what the kernel for short messages with AVX-512 has in memory. R15 is the ciphertext,
// 64-byte aligned.
type packet struct {
	k             Kind
	r             multiplier
	count         Mem
	pad           Mem // s
	lengths, part Mem // the last block, and what is left of additional data
}

// packetMax is up to how many bytes two groups and one hash are faster than the kernel of
// Poly1305 in vectors.
const packetMax = 320

// Packet emits the function for short messages with AVX-512.
func (k Kind) Packet() {
	const groups = 2
	name := "packet" + k.Suffix
	TEXT(name, 0, "func(dst, src *byte, n int, ad *byte, adLen int, key *[8]uint32, nonce *[3]uint32, tag *[16]byte, open bool)")
	Comment(fmt.Sprintf("%s seals or opens n bytes, up to %d, and computes the tag. src may be dst.", name, packetMax),
		"func "+name+"(dst, src *byte, n int, ad *byte, adLen int, key *[8]uint32, nonce *[3]uint32, tag *[16]byte, open bool)",
		"One group of four blocks for up to 192 bytes, else two; block 0 is the key of Poly1305. Z0 to Z7 rows, then blocks;",
		"Z24 to Z27 the initial rows; Z28 to Z31 and K1 temporary; K2 is set when opening. SI blocks to hash, R8, R9, R10",
		"the hash, BX, CX, DI, BP, AX, DX products, R15 the ciphertext on the stack.",
		"A double round is a chain of 26 instructions: 260 cycles for all on Sapphire Rapids, 300 for two groups, whose 60",
		"instructions have two units. Each block of Poly1305 is a chain of 15 cycles after that: a second hash would need a",
		"power of r, which takes longer.")
	rows.Constants(name + "Counters")
	text := AllocLocal(256*groups + 64)
	local := func(words int) Mem { return AllocLocal(8 * words) }
	r := local(3)
	p := packet{
		k: k, r: multiplier{r, r.Offset(8), r.Offset(16)},
		count: local(1), pad: local(2), lengths: local(2), part: local(2),
	}
	LEAQ(text.Offset(63), frame)
	ANDQ(I8(-64), frame)
	p.begin(k.sigma())
	CMPQ(p.lengths.Offset(8), U32(192))
	JBE(LabelRef("group1"))
	for g := groups; g > 0; g-- {
		part := fmt.Sprintf("group%d", g)
		if g < groups {
			Label(part)
		}
		allRounds(part, g)
		p.key(part, g)
		p.output(part, g)
		if g > 1 {
			JMP(LabelRef("hash"))
		}
	}
	Label("hash")
	MOVQ(in, p.count)
	MOVQ(frame, in)
	CMPQ(p.count, Imm(0))
	JEQ(LabelRef("lengths"))
	Label("blocks")
	emit(k.hashBlock(Mem{Base: in}, hash, p.r))
	ADDQ(Imm(16), in)
	DECQ(p.count)
	JNZ(LabelRef("blocks"))
	Label("lengths")
	emit(k.hashBlock(p.lengths, hash, p.r))
	p.end(groups)
}

// begin makes the block of lengths, sets K2, and loads the initial rows.
func (p packet) begin(sigma Mem) {
	for i, length := range []string{"adLen", "n"} {
		Load(Param(length), reg.RAX)
		MOVQ(reg.RAX, p.lengths.Offset(8*i))
	}
	firstRows(sigma)
	Load(Param("nonce"), reg.RCX)
	x := amd64.XMM
	VMOVD(Mem{Base: reg.RCX}, x[0])
	VMOVQ(Mem{Base: reg.RCX, Disp: 4}, x[1])
	VPSLLDQ(Imm(4), x[0], x[0])
	VPUNPCKLQDQ(x[1], x[0], x[0])
	VSHUFI32X4(Imm(0), amd64.ZMM[0], amd64.ZMM[0], rows.Initial[3])
	rows.Count()
	MOVBLZX(NewParamAddr("open", 64), reg.EAX)
	NEGQ(reg.RAX)
	KMOVQ(reg.RAX, reg.K2)
}

// firstRows loads the constants and the key.
func firstRows(sigma Mem) {
	Load(Param("key"), reg.RBX)
	VBROADCASTI32X4(sigma, rows.Initial[0])
	VBROADCASTI32X4(Mem{Base: reg.RBX}, rows.Initial[1])
	VBROADCASTI32X4(Mem{Base: reg.RBX, Disp: 16}, rows.Initial[2])
}

// allRounds emits them.
func allRounds(name string, groups int) {
	r := rows.New(groups)
	r.Start()
	MOVL(U32(10), reg.EAX)
	Label(name + "Rounds")
	emit(r.Double())
	DECL(reg.EAX)
	JNZ(LabelRef(name + "Rounds"))
}

// key makes the blocks of the first group, of which one is the key of Poly1305, and hashes
// additional data.
func (p packet) key(name string, groups int) {
	r := rows.New(groups)
	r.Untangle(0)
	VMOVQ(amd64.XMM[0], reg.RAX)
	VPEXTRQ(Imm(1), amd64.XMM[0], t[0])
	VEXTRACTI128(Imm(1), amd64.YMM[0], p.pad)
	MOVQ(U64(0x0ffffffc0fffffff), reg.RDX)
	ANDQ(reg.RDX, reg.RAX)
	MOVQ(U64(0x0ffffffc0ffffffc), reg.RDX)
	ANDQ(reg.RDX, t[0])
	fraction(t[0], t[1])
	MOVQ(reg.RAX, p.r[0])
	MOVQ(t[0], p.r[1])
	MOVQ(t[1], p.r[2])
	for _, x := range hash {
		XORL(x.As32(), x.As32())
	}
	none, loop, last := name+"NoData", name+"Data", name+"LastData"
	Load(Param("adLen"), in)
	TESTQ(in, in)
	JEQ(LabelRef(none))
	MOVQ(in, p.count)
	Load(Param("ad"), in)
	Label(loop)
	CMPQ(p.count, Imm(16))
	JB(LabelRef(last))
	emit(p.k.hashBlock(Mem{Base: in}, hash, p.r))
	ADDQ(Imm(16), in)
	SUBQ(Imm(16), p.count)
	JMP(LabelRef(loop))
	Label(last)
	CMPQ(p.count, Imm(0))
	JEQ(LabelRef(none))
	MOVQ(p.count, reg.RAX)
	p.mask(reg.RAX)
	VMOVDQU8_Z(Mem{Base: in}, reg.K1, amd64.XMM[31])
	VMOVDQU64(amd64.XMM[31], p.part)
	emit(p.k.hashBlock(p.part, hash, p.r))
	Label(none)
}

// mask sets K1 to the first n of 64 bytes, n below 64. It changes RDX.
func (p packet) mask(n reg.GPPhysical) {
	MOVQ(I32(-1), reg.RDX)
	BZHIQ(n, reg.RDX, reg.RDX)
	KMOVQ(reg.RDX, reg.K1)
}

// output adds the keystream, from block 1 on, and leaves the ciphertext on the stack, with zeros
// behind it. SI becomes its number of 16-byte blocks.
func (p packet) output(name string, groups int) {
	r := rows.New(groups)
	var blocks []vec
	for g := range groups {
		if g > 0 {
			r.Untangle(g)
		}
		b := r.Blocks(g)
		blocks = append(blocks, b[:]...)
	}
	blocks = blocks[1:min(len(blocks), 1+packetMax/64)]
	dst, src, n := reg.RDI, reg.RBX, reg.RCX
	Load(Param("dst"), dst)
	Load(Param("src"), src)
	Load(Param("n"), n)
	for i, z := range blocks {
		at := func(base reg.Register) Mem { return Mem{Base: base, Disp: 64 * i} }
		CMPQ(n, Imm(64))
		JB(LabelRef(fmt.Sprintf("%sLast%d", name, i)))
		p.block(z, at(dst), at(src), at(frame))
		SUBQ(Imm(64), n)
	}
	MOVL(U32(64*len(blocks)), in.As32())
	JMP(LabelRef(name + "Last"))
	for i, z := range blocks {
		Label(fmt.Sprintf("%sLast%d", name, i))
		VMOVDQA64(z, rows.Block[0])
		MOVL(U32(64*i), in.As32())
		if i+1 < len(blocks) {
			JMP(LabelRef(name + "Last"))
		}
	}
	Label(name + "Last")
	p.mask(n)
	z, x := rows.Block[0], rows.Block[1]
	VMOVDQU8_Z(Mem{Base: src, Index: in, Scale: 1}, reg.K1, x)
	VPXORQ(x, z, z)
	VMOVDQU8(z, reg.K1, Mem{Base: dst, Index: in, Scale: 1})
	VMOVDQA64(x, reg.K2, z)
	VMOVDQU8_Z(z, reg.K1, z)
	VMOVDQA64(z, Mem{Base: frame, Index: in, Scale: 1})
	LEAQ(Mem{Base: in, Index: n, Scale: 1, Disp: 15}, in)
	SHRQ(Imm(4), in)
}

// block is one block of data, whose ciphertext goes to text.
func (p packet) block(z vec, dst, src, text Mem) {
	x := rows.Block[0]
	VMOVDQU64(src, x)
	VPXORQ(x, z, z)
	VMOVDQU64(z, dst)
	VMOVDQA64(x, reg.K2, z)
	VMOVDQA64(z, text)
}

// end writes the tag, and clears what is secret.
func (p packet) end(groups int) {
	writeTag(p.pad)
	x := amd64.XMM[0]
	VPXOR(x, x, x)
	VMOVDQU(x, p.pad)
	VMOVDQU(x, p.part)
	VMOVDQU(x, p.r[0].(Mem))
	VMOVQ(x, p.r[2].(Mem))
	for i := range 4 * groups {
		VMOVDQA64(amd64.ZMM[0], Mem{Base: frame, Disp: 64 * i})
	}
	VZEROUPPER()
	RET()
}

// HChaCha emits the function that derives keys.
func (k Kind) HChaCha() {
	name := "HChaCha" + k.Suffix
	TEXT(name, attrNosplit, "func(out, key *[8]uint32, nonce *[4]uint32)")
	Comment(name+" is HChaCha20 (draft-irtf-cfrg-xchacha-03, section 2.2): the first and the last row of the matrix",
		"after the rounds. Of the registers of four blocks, one is used.",
		"func "+name+"(out, key *[8]uint32, nonce *[4]uint32)",
		"Z0 to Z3 rows, Z24 to Z27 the initial ones. The rounds are a chain of 260 cycles on Sapphire Rapids.")
	firstRows(k.sigma())
	Load(Param("nonce"), reg.RCX)
	VBROADCASTI32X4(Mem{Base: reg.RCX}, rows.Initial[3])
	allRounds("hchacha", 1)
	Load(Param("out"), reg.RDI)
	VMOVDQU(amd64.XMM[0], Mem{Base: reg.RDI})
	VMOVDQU(amd64.XMM[3], Mem{Base: reg.RDI, Disp: 16})
	VZEROUPPER()
	RET()
}
