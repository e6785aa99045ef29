package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/chachapoly/rows"
)

// wideMin is how many bytes the kernel has at least.
const wideMin = 321

// An arrangement is how a number of blocks are in Z0 to Z23: 16 in words or none, then groups of
// rows.
type arrangement struct {
	name   string
	words  bool
	groups int
	early  int // double rounds beside block 0: 5 or 7
}

var arrangements = []arrangement{
	{"rows2", false, 2, 5},
	{"rows3", false, 3, 7},
	{"words", true, 0, 7},
	{"words1", true, 1, 5},
	{"words2", true, 2, 5},
}

// max is how many bytes fit.
func (a arrangement) max() int {
	if a.words {
		return 1024 + 256*a.groups
	}
	return 256 * a.groups
}

func (a arrangement) rows() rows.Rows {
	if a.words {
		return rows.From(16, a.groups)
	}
	return rows.New(a.groups)
}

// doubles are n double rounds.
func (a arrangement) doubles(n int) (p program) {
	double := a.rows().Double()
	if a.words {
		double = amd64.Weave(doubleOf16(), double)
	}
	for range n {
		p = append(p, double...)
	}
	return p
}

// doubleOf16 is a double round of 16 blocks in words.
func doubleOf16() (p program) {
	x := zmm[:16]
	for diagonal := range 2 {
		var columns [][4]vec
		for i := range 4 {
			columns = append(columns, [4]vec{x[i], x[4+(i+diagonal)%4], x[8+(i+2*diagonal)%4], x[12+(i+3*diagonal)%4]})
		}
		for _, s := range stepsOfWords(columns) {
			p = append(p, s...)
		}
	}
	return p
}

// powers writes r to r^8 to the table, in general registers. It changes the hash.
func (k packet) powers() (p program) {
	mask := reg.RSI
	h0, h1, h2 := k.scalar.h[0], k.scalar.h[1], k.scalar.h[2]
	l := k.scalar.t
	p.Add(func() { MOVQ(U64(1<<44-1), mask) })
	p.Add(func() { MOVQ(k.scalar.r[0], h0) })
	p.Add(func() { MOVQ(k.scalar.r[1], h1) })
	p.Add(func() { XORL(h2.As32(), h2.As32()) })
	for i, lane := range []int{7, 5, 3, 1, 6, 4, 2, 0} {
		if i > 0 {
			p = append(p, k.scalar.multiply()...)
		}
		store := func(limb int) {
			p.Add(func() { MOVQ(l[limb], at(k.base, power1+64*limb+8*lane)) })
		}
		p.Add(func() { MOVQ(h0, l[0]) })
		p.Add(func() { MOVQ(h0, l[1]) })
		p.Add(func() { MOVQ(h1, l[2]) })
		p.Add(func() { SHRQ(Imm(44), h1, l[1]) })
		p.Add(func() { SHRQ(Imm(24), h2, l[2]) })
		p.Add(func() { ANDQ(mask, l[0]) })
		p.Add(func() { ANDQ(mask, l[1]) })
		store(0)
		for j := range 2 {
			store(1 + j)
			p.Add(func() { LEAQ(Mem{Base: l[1+j], Index: l[1+j], Scale: 4}, l[3+j]) })
			p.Add(func() { SHLQ(Imm(2), l[3+j]) })
			store(3 + j)
		}
	}
	return p
}

// inWords is for each word of the initial matrices of 16 blocks, with the counter of the first
// one. It changes RAX.
func (k packet) inWords(sigma Mem, f func(m Mem, z vec)) {
	key := reg.RAX
	Load(Param("key"), key)
	for w, z := range zmm[:16] {
		switch {
		case w < 4:
			f(sigma.Offset(4*w), z)
		case w < 12:
			f(at(key, 4*(w-4)), z)
		default:
			f(k.row.Offset(4*(w-12)), z)
		}
	}
}

func widePackets() {
	rows.Constants("wideAVX512Counters")
	constantsOfPoly("wideAVX512Constants")
	sigmaRow := table("wideAVX512Sigma", 0x3320646e61707865, 0x6b20657479622d32)
	var words []uint64
	for i := range 8 {
		words = append(words, uint64(2*i)|uint64(2*i+1)<<32)
	}
	counts := table("wideAVX512Counts", words...)
	function("wideAVX512", "(dst, src *byte, n int, ad *byte, adLen int, key *[8]uint32, nonce *[3]uint32, tag *[16]byte, open bool)", 0,
		fmt.Sprintf("wideAVX512 seals or opens n bytes, %d to %d, and computes the tag.", wideMin, packetMax),
		"For CPUs with two vector units of one cycle, which are the bound: 16 blocks are in words, Z0 to Z15, as rows",
		"need shuffles; others are in rows, up to Z23. General registers make block 0 meanwhile, then the powers of r",
		"up to r^8; Z24 to Z31 make those up to r^16. Then the ciphertext is hashed as by packetAVX512, in steps of",
		"two vectors.")
	k := newPacket(packetSize)
	k.begin(1)
	k.copy()
	dispatch := func(part string) {
		for i, a := range arrangements {
			if i < len(arrangements)-1 {
				CMPQ(k.n, U32(uint32(a.max())))
				JBE(LabelRef(a.name + part))
			} else {
				JMP(LabelRef(a.name + part))
			}
		}
	}
	dispatch("Rounds")

	for _, a := range arrangements {
		Label(a.name + "Rounds")
		if a.words {
			k.inWords(sigmaRow, func(m Mem, z vec) { VPBROADCASTD(m, z) })
			VPADDD(counts, zmm[12], zmm[12])
		}
		if a.groups > 0 {
			k.initialOfRows(sigmaRow, reg.RAX)
			if a.words {
				for range 4 {
					rows.Next()
				}
			}
			a.rows().Start()
		}
		k.initialOfWords()
		one := doubleOfWords(k.word8, k.word11)
		two := append(one, one...)
		if a.early == 7 {
			MOVL(U32(3), k.count)
			Label(a.name + "First")
			amd64.Weave(append(two, one...), a.doubles(2)).Write()
			DECL(k.count)
			JNZ(LabelRef(a.name + "First"))
			amd64.Weave(one, a.doubles(1)).Write()
		} else {
			Label(a.name + "First")
			amd64.Weave(two, a.doubles(1)).Write()
			DECL(k.count)
			JNZ(LabelRef(a.name + "First"))
		}
		JMP(LabelRef("key"))
	}

	Label("key")
	k.key()
	hashed := AllocLocal(3 * 8)
	h := k.scalar.h
	for i, x := range h {
		MOVQ(x, hashed.Offset(8*i))
	}
	dispatch("Second")

	l := newLadder(k.base, 0, zmm[24:])
	more := l.full(power2, power1, power1)
	for _, a := range arrangements {
		Label(a.name + "Second")
		remaining := 10 - a.early
		amd64.Weave(a.doubles(remaining-remaining/2), k.powers()).Write()
		amd64.Weave(a.doubles(remaining/2), more).Write()
		Load(Param("dst"), k.dst)
		Load(Param("src"), k.src)
		Load(Param("n"), k.n)
		output := func(blocks []vec) {
			for i, z := range blocks {
				VPXORQ(at(k.src, 64*i), z, z)
			}
			for i, z := range blocks {
				VMOVDQU64(z, at(k.dst, 64*i))
			}
			ADDQ(U32(uint32(64*len(blocks))), k.src)
			ADDQ(U32(uint32(64*len(blocks))), k.dst)
			SUBQ(U32(uint32(64*len(blocks))), k.n)
		}
		k.initialOfRows(sigmaRow, reg.RAX)
		var last []vec
		if a.words {
			k.inWords(sigmaRow, func(m Mem, z vec) { VPADDD_BCST(m, z, z) })
			VPADDD(counts, zmm[12], zmm[12])
			b := transpose(zmm[:16], zmm[28:])
			last = b[12:]
			if a.groups == 0 {
				output(b[:12])
			} else {
				output(b[:])
				for range 4 {
					rows.Next()
				}
			}
		}
		for g := range a.groups {
			r := a.rows()
			r.Untangle(g)
			four := r.Blocks(g)
			last = four[:]
			if g < a.groups-1 {
				output(last)
			}
		}
		for i, z := range last {
			VMOVDQA64(z, rows.Block[i])
		}
		if a != arrangements[len(arrangements)-1] {
			JMP(LabelRef("tail"))
		}
	}
	k.tail()
	Label("hash")
	for i, x := range h {
		MOVQ(hashed.Offset(8*i), x)
	}
	k.hash(2)
	VMOVDQU(reg.X0, hashed)
	VMOVQ(reg.X0, hashed.Offset(16))
	k.end()
}
