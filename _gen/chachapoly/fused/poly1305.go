package fused

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

type gp = reg.GPPhysical

// Registers of Poly1305. Two hashes run side by side: their multiplications are
// chains of 15 cycles for a block, and the units have room for two.
var (
	in       = reg.RSI
	hash     = [3]gp{reg.R8, reg.R9, reg.R10}
	second   = [3]gp{reg.R11, reg.R12, reg.R13}
	distance = reg.R14 // from the block of the first hash to that of the second, in bytes
	t        = [4]gp{reg.RBX, reg.RCX, reg.RDI, reg.RBP}
)

func field(at, i int) Mem { return Mem{Base: ctx, Disp: at + 8*i} }

// multiplier is where r0, r1 and r1·5/4 are: r1 is a multiple of 4.
type multiplier [3]Op

// hashBlock returns h = (h + block + 2^128)·r, partially reduced.
func (k Kind) hashBlock(block Mem, h [3]gp, r multiplier) (s stream) {
	s = addBlock(block, h)
	s = append(s, k.product(h, r, t[3])...)
	return append(s, addTop(t[3], h)...)
}

// hashLate is hashBlock with h + top for h, before and after: as the next block is added first,
// the chain of a block is a sum shorter.
func (k Kind) hashLate(block Mem, h [3]gp, top gp, r multiplier) (s stream) {
	s = addBlock(block, h)
	s = append(s, addTop(top, h)...)
	return append(s, k.product(h, r, top)...)
}

// addBlock returns h += block + 2^128, addTop h += top.
func addBlock(block Mem, h [3]gp) (s stream) {
	s.Add(func() { ADDQ(block, h[0]) })
	s.Add(func() { ADCQ(block.Offset(8), h[1]) })
	s.Add(func() { ADCQ(Imm(1), h[2]) })
	return s
}

func addTop(top gp, h [3]gp) (s stream) {
	s.Add(func() { ADDQ(top, h[0]) })
	s.Add(func() { ADCQ(Imm(0), h[1]) })
	s.Add(func() { ADCQ(Imm(0), h[2]) })
	return s
}

// product returns h + top = h·r, where h is below 2^130: top is the part above, times 5.
func (k Kind) product(h [3]gp, r multiplier, top gp) (s stream) {
	// The product as t[0] + t[1]·2^64 + t[2]·2^64 + t[3]·2^128.
	if k.Mulx {
		s.Add(func() { MOVQ(h[0], reg.RDX) })
		s.Add(func() { MULXQ(r[0], t[0], t[1]) })
		s.Add(func() { MULXQ(r[1], t[2], t[3]) })
		s.Add(func() { MOVQ(h[1], reg.RDX) })
		s.Add(func() { MULXQ(r[2], h[0], h[1]) })
		s.Add(func() { MULXQ(r[0], reg.RAX, reg.RDX) })
		s.Add(func() { ADDQ(h[0], t[0]) })
		s.Add(func() { ADCQ(h[1], t[1]) })
	} else {
		s.Add(func() { MOVQ(r[0], reg.RAX) })
		s.Add(func() { MULQ(h[0]) })
		s.Add(func() { MOVQ(reg.RAX, t[0]) })
		s.Add(func() { MOVQ(reg.RDX, t[1]) })
		s.Add(func() { MOVQ(r[1], reg.RAX) })
		s.Add(func() { MULQ(h[0]) })
		s.Add(func() { MOVQ(reg.RAX, t[2]) })
		s.Add(func() { MOVQ(reg.RDX, t[3]) })
		s.Add(func() { MOVQ(r[2], reg.RAX) })
		s.Add(func() { MULQ(h[1]) })
		s.Add(func() { ADDQ(reg.RAX, t[0]) })
		s.Add(func() { ADCQ(reg.RDX, t[1]) })
		s.Add(func() { MOVQ(r[0], reg.RAX) })
		s.Add(func() { MULQ(h[1]) })
	}
	s.Add(func() { ADDQ(reg.RAX, t[2]) })
	s.Add(func() { ADCQ(reg.RDX, t[3]) })
	s.Add(func() { MOVQ(h[2], reg.RAX) })
	s.Add(func() { IMULQ(r[2], reg.RAX) })
	s.Add(func() { IMULQ(r[0], h[2]) })
	s.Add(func() { ADDQ(reg.RAX, t[2]) })
	s.Add(func() { ADCQ(h[2], t[3]) })
	s.Add(func() { MOVQ(t[0], h[0]) })
	s.Add(func() { MOVQ(t[1], h[1]) })
	s.Add(func() { ADDQ(t[2], h[1]) })
	s.Add(func() { ADCQ(Imm(0), t[3]) })
	// 2^130 = 5.
	s.Add(func() { MOVQ(t[3], h[2]) })
	s.Add(func() { ANDL(Imm(3), h[2].As32()) })
	s.Add(func() { MOVQ(t[3], reg.RAX) })
	s.Add(func() { SHRQ(Imm(2), reg.RAX) })
	if top != t[3] {
		s.Add(func() { MOVQ(t[3], top) })
	}
	s.Add(func() { ANDQ(I8(-4), top) })
	s.Add(func() { ADDQ(reg.RAX, top) })
	return s
}

// both returns the hashing of two blocks: of one by each hash.
func (k Kind) both(offset int, r multiplier) stream {
	return append(k.hashBlock(Mem{Base: in, Disp: offset}, hash, r),
		k.hashBlock(Mem{Base: in, Index: distance, Scale: 1, Disp: offset}, second, r)...)
}

// multiply returns hash = hash·p, all of it below 2^130 or little above.
func multiply(p [3]Op) (s stream) {
	h, x := hash, [5]gp{t[0], t[1], t[2], t[3], reg.RSI}
	for i := range 5 {
		s.Add(func() { XORL(x[i].As32(), x[i].As32()) })
	}
	for _, c := range [][2]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {2, 0}, {1, 2}, {2, 1}, {2, 2}} {
		i := c[0] + c[1]
		s.Add(func() { MOVQ(p[c[1]], reg.RAX) })
		if i == 4 {
			s.Add(func() { IMULQ(h[2], reg.RAX) })
			s.Add(func() { ADDQ(reg.RAX, x[4]) })
			continue
		}
		s.Add(func() { MULQ(h[c[0]]) })
		s.Add(func() { ADDQ(reg.RAX, x[i]) })
		s.Add(func() { ADCQ(reg.RDX, x[i+1]) })
		for j := i + 2; j < min(5, i+3); j++ {
			s.Add(func() { ADCQ(Imm(0), x[j]) })
		}
	}
	// The bits above 2^130 go to the bottom, four times and once more.
	s.Add(func() { MOVQ(x[2], h[2]); ANDL(Imm(3), h[2].As32()) })
	s.Add(func() { ANDQ(I8(-4), x[2]) })
	s.Add(func() { MOVQ(x[0], h[0]); ADDQ(x[2], h[0]) })
	s.Add(func() { MOVQ(x[1], h[1]); ADCQ(x[3], h[1]) })
	s.Add(func() { ADCQ(x[4], h[2]) })
	s.Add(func() { SHRQ(Imm(2), x[2]) })
	s.Add(func() { MOVQ(x[3], reg.RAX); SHLQ(Imm(62), reg.RAX); ORQ(reg.RAX, x[2]) })
	s.Add(func() { SHRQ(Imm(2), x[3]) })
	s.Add(func() { MOVQ(x[4], reg.RAX); SHLQ(Imm(62), reg.RAX); ORQ(reg.RAX, x[3]) })
	s.Add(func() { SHRQ(Imm(2), x[4]) })
	s.Add(func() { ADDQ(x[2], h[0]) })
	s.Add(func() { ADCQ(x[3], h[1]) })
	s.Add(func() { ADCQ(x[4], h[2]) })
	return append(s, carry()...)
}

// carry brings hash below 2^130 and a little.
func carry() (s stream) {
	s.Add(func() { MOVQ(hash[2], reg.RAX) })
	s.Add(func() { ANDL(Imm(3), hash[2].As32()) })
	s.Add(func() { SHRQ(Imm(2), reg.RAX) })
	s.Add(func() { LEAQ(Mem{Base: reg.RAX, Index: reg.RAX, Scale: 4}, reg.RAX) })
	s.Add(func() { ADDQ(reg.RAX, hash[0]) })
	s.Add(func() { ADCQ(Imm(0), hash[1]) })
	s.Add(func() { ADCQ(Imm(0), hash[2]) })
	return s
}

func emit(s stream) { s.Write() }

// combine adds the second hash to the first, which misses n factors r. The power
// of r is at offset power of ctx, and apart is n blocks.
func (h hasher) combine() {
	power, saved := h.power, h.saved
	MOVQ(in, saved)
	MOVQ(power, reg.RDX)
	MOVQ(distance, power)
	h.context()
	ADDQ(reg.RDX, ctx)
	emit(multiply([3]Op{Mem{Base: ctx}, Mem{Base: ctx, Disp: 8}, Mem{Base: ctx, Disp: 16}}))
	ADDQ(second[0], hash[0])
	ADCQ(second[1], hash[1])
	ADCQ(second[2], hash[2])
	emit(carry())
	MOVQ(saved, in)
	MOVQ(power, distance)
	ADDQ(distance, in)
}

func hashStore(base reg.Register) {
	for i, h := range hash {
		MOVQ(h, Mem{Base: base, Disp: 8 * i})
	}
}

func hashLoad(base reg.Register) {
	for i, h := range hash {
		MOVQ(Mem{Base: base, Disp: 8 * i}, h)
	}
}

func (k Kind) blocks() {
	TEXT("Blocks"+k.Suffix, attrNosplit, "func(h *[3]uint64, r *[2]uint64, p []byte)")
	Comment("Blocks"+k.Suffix+" continues Poly1305 over p, whole blocks, at least one: h = (h + block + 2^128)·r modulo 2^130-5.",
		"func Blocks"+k.Suffix+"(h *[3]uint64, r *[2]uint64, p []byte)",
		"r is clamped; h[2] <= 4 before and after.",
		"R14 h, R15 bytes left, SI p, R8, R9, R10 the hash, R11, R12, R13 r0, r1 and r1·5/4, BX, CX, DI, BP, AX, DX products.",
		"A block is a chain of 15 cycles on Zen 5.")
	count, at := reg.R15, reg.R14
	r := multiplier{second[0], second[1], second[2]}
	Load(Param("r"), reg.RAX)
	Load(Param("h"), at)
	Load(Param("p").Base(), in)
	Load(Param("p").Len(), count)
	hashLoad(at)
	MOVQ(Mem{Base: reg.RAX}, second[0])
	MOVQ(Mem{Base: reg.RAX, Disp: 8}, second[1])
	fraction(second[1], second[2])
	Label("loop")
	emit(k.hashBlock(Mem{Base: in}, hash, r))
	ADDQ(Imm(16), in)
	SUBQ(Imm(16), count)
	JA(LabelRef("loop"))
	hashStore(at)
	RET()
}

// fraction sets out to r1·5/4.
func fraction(r1, out gp) {
	MOVQ(r1, out)
	SHRQ(Imm(2), out)
	ADDQ(r1, out)
}

// writeTag reduces the hash, adds the two words at pad, and stores the tag.
func writeTag(pad Mem) {
	Load(Param("tag"), reg.RDI)
	MOVQ(hash[0], t[0])
	MOVQ(hash[1], t[1])
	ADDQ(Imm(5), t[0])
	ADCQ(Imm(0), t[1])
	ADCQ(Imm(0), hash[2])
	SHRQ(Imm(2), hash[2]) // not 0: hash + 5 reaches 2^130
	CMOVQNE(t[0], hash[0])
	CMOVQNE(t[1], hash[1])
	ADDQ(pad, hash[0])
	ADCQ(pad.Offset(8), hash[1])
	MOVQ(hash[0], Mem{Base: reg.RDI})
	MOVQ(hash[1], Mem{Base: reg.RDI, Disp: 8})
}

// A hasher is what functions that hash with two hashes have in memory.
type hasher struct {
	k        Kind
	r        multiplier
	left     Mem // blocks
	power    Mem // offset of the power of r in *work
	count    Mem
	saved    Mem
	largest  int // blocks apart
	prefix   string
	exponent int
	context  func() // sets ctx
}

const hasherSize = 7 * 8

func (k Kind) newHasher(at Mem, prefix string, largest, exponent int, context func()) hasher {
	return hasher{
		k: k, r: multiplier{at, at.Offset(8), at.Offset(16)},
		left: at.Offset(24), power: at.Offset(32), count: at.Offset(40), saved: at.Offset(48),
		prefix: prefix, largest: largest, exponent: exponent, context: context,
	}
}

// load copies the key to where it is used and reads the hash.
func (h hasher) load() {
	MOVQ(field(keyAt, 0), reg.RAX)
	MOVQ(field(keyAt, 1), t[0])
	fraction(t[0], t[1])
	MOVQ(reg.RAX, h.r[0])
	MOVQ(t[0], h.r[1])
	MOVQ(t[1], h.r[2])
	for i, x := range hash {
		MOVQ(field(hashAt, i), x)
	}
}

// begin prepares for two hashes, if there are enough blocks left; else it goes
// to the label singleHash. They begin at in.
func (h hasher) begin(singleHash string) {
	MOVQ(U32(uint32(16*h.largest)), distance)
	MOVQ(U32(uint32(powersAt+24*h.exponent)), reg.RDX)
	MOVQ(h.left, reg.RAX)
	SHLQ(Imm(3), reg.RAX)
	smaller, found := h.prefix+"Smaller", h.prefix+"Found"
	Label(smaller)
	CMPQ(reg.RAX, distance)
	JAE(LabelRef(found))
	SUBQ(Imm(24), reg.RDX)
	SHRQ(Imm(1), distance)
	CMPQ(distance, Imm(64))
	JAE(LabelRef(smaller))
	JMP(LabelRef(singleHash))
	Label(found)
	SUBQ(distance, reg.RAX)
	SHRQ(Imm(3), reg.RAX)
	MOVQ(reg.RAX, h.left)
	MOVQ(reg.RDX, h.power)
	for _, x := range second {
		XORL(x.As32(), x.As32())
	}
}

// rest hashes all blocks that are left.
func (h hasher) rest() {
	p := h.prefix
	Label(p + "Rest")
	h.begin(p + "Singles")
	MOVQ(distance, reg.RAX)
	SHRQ(Imm(4), reg.RAX)
	MOVQ(reg.RAX, h.count)
	Label(p + "Both")
	emit(h.k.both(0, h.r))
	ADDQ(Imm(16), in)
	DECQ(h.count)
	JNZ(LabelRef(p + "Both"))
	h.combine()
	JMP(LabelRef(p + "Rest"))
	Label(p + "Singles")
	h.singles()
}

// singles hashes what is left with one hash.
func (h hasher) singles() {
	p := h.prefix
	CMPQ(h.left, Imm(0))
	JEQ(LabelRef(p + "Hashed"))
	top := second[0]
	XORL(top.As32(), top.As32())
	for i, x := range []gp{second[1], second[2], distance} {
		MOVQ(h.r[i], x)
	}
	Label(p + "Single")
	emit(h.k.hashLate(Mem{Base: in}, hash, top, multiplier{second[1], second[2], distance}))
	ADDQ(Imm(16), in)
	DECQ(h.left)
	JNZ(LabelRef(p + "Single"))
	emit(addTop(top, hash))
	Label(p + "Hashed")
}

// wipe clears r.
func (h hasher) wipe() {
	for _, r := range h.r {
		MOVQ(U32(0), r)
	}
}

// hashFunction emits the function that hashes blocks for a *work with a key.
func (k Kind) hashFunction() {
	TEXT("hash"+k.Suffix, attrNosplit, "func(w *byte, p *byte, blocks int)")
	Comment("hash"+k.Suffix+" continues the hash of w, which has its key and the powers of r, over blocks, any number of them.",
		"func hash"+k.Suffix+"(w *work, p *byte, blocks int)",
		"Of 2n blocks, n = 32, 16, 8 or 4, two hashes take half each, and h = first·r^n + second: 8 cycles for a block",
		"on Zen 5 instead of 15. Registers as in the passes.")
	h := k.newHasher(AllocLocal(hasherSize), "hash", 32, 5, func() { Load(Param("w"), ctx) })
	Load(Param("w"), ctx)
	Load(Param("p"), in)
	Load(Param("blocks"), reg.RAX)
	MOVQ(reg.RAX, h.left)
	h.load()
	h.rest()
	Load(Param("w"), ctx)
	LEAQ(field(hashAt, 0), reg.RAX)
	hashStore(reg.RAX)
	h.wipe()
	RET()
}
