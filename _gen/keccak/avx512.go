package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/keccak/f1600"
	"github.com/cipherlane/cipherlane/_gen/keccak/fips202"
)

const (
	xor3 = 0x96 // x ^ y ^ z
	chi  = 0xd2 // x ^ ~y & z
)

func permuteAVX512() {
	table := f1600.Constants("roundConstants512")
	TEXT("PermuteAVX512", attr.NOSPLIT, "func(a *[200]uint64)")
	Comment(
		"PermuteAVX512 is Keccak-f[1600] of eight states; a[8i+k] is lane i of state k.",
		"func PermuteAVX512(a *[200]uint64)",
		"Z0 to Z24 hold the lanes; results of chi stay where the inputs were, so that the",
		"lanes change places in every round and are back after the 24th. Z25 to Z29 hold the",
		"parities of the columns, then with Z30 D of theta; two of these are temporary in chi.",
		"A round has 40 ternary operations, 26 xors and 29 rotations; the latter go through two",
		"of the four units. On Zen 5 every operation takes two cycles, and ternary ones with three",
		"different sources start only twice in a cycle (4 with one that is new): a round without D,",
		"with ternary operations instead, has fewer operations and takes 7 % longer. The path",
		"through a round is seven operations long, and nothing runs beside its first half.",
		"Measured there: 800 cycles for the eight states.")
	permuteWith(table, amd64.ZMM)

	TEXT("PermuteFourAVX512", attr.NOSPLIT, "func(a *[200]uint64)")
	Comment(
		"PermuteFourAVX512 is PermuteAVX512 of the first four states, in half of every register.",
		"func PermuteFourAVX512(a *[200]uint64)",
		"Where vector units are 256 bits wide this takes half the time: on Zen 4 760 cycles, and eight states 1440.")
	permuteWith(table, amd64.YMM)
}

func permuteWith(table Mem, v []reg.VecPhysical) {
	p := reg.RAX
	rc := reg.RBX
	Load(Param("a"), p)
	LEAQ(table, rc)
	at := make([]reg.VecPhysical, 25) // where a lane is
	for i := range at {
		at[i] = v[i]
		VMOVDQU64(Mem{Base: p, Disp: 64 * i}, at[i])
	}
	c := v[25:30]
	t0, t1 := v[30], v[31]
	for round := range 24 {
		for x := range 5 {
			VMOVDQA64(at[x], c[x])
			VPTERNLOGQ(Imm(xor3), at[x+5], at[x+10], c[x])
		}
		for x := range 5 {
			VPTERNLOGQ(Imm(xor3), at[x+15], at[x+20], c[x])
		}
		// D0 to D4 in c[1], t0, c[3], c[4], c[0], in an order in which every
		// parity is rotated in place when it is needed for nothing else. The
		// first plane does not wait for them: its lanes take both parities.
		d := [5]reg.VecPhysical{c[1], t0, c[3], c[4], c[0]}
		for _, x := range []int{1, 4, 2, 0, 3} {
			VPROLQ(Imm(1), c[(x+1)%5], d[x])
			VPTERNLOGQ(Imm(xor3), c[(x+4)%5], d[x], at[fips202.Plane[0][x].Lane])
			VPXORQ(c[(x+4)%5], d[x], d[x])
		}
		next := make([]reg.VecPhysical, 25)
		for y, lanes := range fips202.Plane {
			var b [5]reg.VecPhysical
			for x, l := range lanes {
				b[x] = at[l.Lane]
				if y > 0 {
					VPXORQ(d[l.Lane%5], b[x], b[x])
				}
				if l.Rotate != 0 {
					VPROLQ(Imm(uint64(l.Rotate)), b[x], b[x])
				}
			}
			k0, k1 := c[2], t1
			VMOVDQA64(b[0], k0)
			VMOVDQA64(b[1], k1)
			VPTERNLOGQ(Imm(chi), b[2], b[1], b[0])
			VPTERNLOGQ(Imm(chi), b[3], b[2], b[1])
			VPTERNLOGQ(Imm(chi), b[4], b[3], b[2])
			VPTERNLOGQ(Imm(chi), k0, b[4], b[3])
			VPTERNLOGQ(Imm(chi), k1, k0, b[4])
			for x := range 5 {
				next[5*y+x] = b[x]
			}
			if y == 0 {
				VPXORQ_BCST(Mem{Base: rc, Disp: 8 * round}, b[0], b[0])
			}
		}
		at = next
	}
	for i := range at {
		VMOVDQU64(at[i], Mem{Base: p, Disp: 64 * i})
	}
	VZEROUPPER()
	RET()
}

// transpose makes rows of columns: eight registers of eight words. Its result
// is in the registers that it returns.
func transpose(r, t []reg.VecPhysical) {
	for i := 0; i < 8; i += 2 {
		VPUNPCKLQDQ(r[i+1], r[i], t[i])
		VPUNPCKHQDQ(r[i+1], r[i], t[i+1])
	}
	for i := 0; i < 8; i += 4 {
		for j := range 2 {
			VSHUFI64X2(Imm(0x88), t[i+j+2], t[i+j], r[i+j])
			VSHUFI64X2(Imm(0xdd), t[i+j+2], t[i+j], r[i+j+2])
		}
	}
	for j := range 4 {
		VSHUFI64X2(Imm(0x88), r[4+j], r[j], t[j])
		VSHUFI64X2(Imm(0xdd), r[4+j], r[j], t[4+j])
	}
}

func absorbAVX512() {
	TEXT("AbsorbWideAVX512", attr.NOSPLIT, "func(a *[200]uint64, p *[8]*byte, words int)")
	Comment(
		"AbsorbWideAVX512 adds a block to each of eight states: word i at p[k] to a[8i+k].",
		"func AbsorbWideAVX512(a *[200]uint64, p *[8]*byte, words int)",
		"words is 17 or 21. AX is a, R8 to R15 are p, Z0 to Z7 and Z8 to Z15 the matrix of",
		"eight words of each block before and after transposition, K1 a mask for the last.")
	exchange(func(p []reg.Register, a reg.Register, i int, masked bool) {
		for k := range 8 {
			if masked {
				VMOVDQU64_Z(Mem{Base: p[k], Disp: 8 * i}, reg.K1, amd64.ZMM[k])
			} else {
				VMOVDQU64(Mem{Base: p[k], Disp: 8 * i}, amd64.ZMM[k])
			}
		}
		transpose(amd64.ZMM[:8], amd64.ZMM[8:16])
		for k := range 8 {
			if i+k < 25 && (!masked || k < 5) {
				VPXORQ(Mem{Base: a, Disp: 64 * (i + k)}, amd64.ZMM[8+k], amd64.ZMM[8+k])
				VMOVDQU64(amd64.ZMM[8+k], Mem{Base: a, Disp: 64 * (i + k)})
			}
		}
	})
}

func squeezeAVX512() {
	TEXT("SqueezeWideAVX512", attr.NOSPLIT, "func(a *[200]uint64, p *[8]*byte, words int)")
	Comment(
		"SqueezeWideAVX512 is the other direction of AbsorbWideAVX512: a[8i+k] to word i at p[k].",
		"func SqueezeWideAVX512(a *[200]uint64, p *[8]*byte, words int)",
		"words is 17 or 21. Registers as there.")
	exchange(func(p []reg.Register, a reg.Register, i int, masked bool) {
		for k := range 8 {
			if i+k < 25 {
				VMOVDQU64(Mem{Base: a, Disp: 64 * (i + k)}, amd64.ZMM[k])
			}
		}
		transpose(amd64.ZMM[:8], amd64.ZMM[8:16])
		for k := range 8 {
			if masked {
				VMOVDQU64(amd64.ZMM[8+k], reg.K1, Mem{Base: p[k], Disp: 8 * i})
			} else {
				VMOVDQU64(amd64.ZMM[8+k], Mem{Base: p[k], Disp: 8 * i})
			}
		}
	})
}

// exchange writes the frame of both: two groups of eight words, then one of one
// word or five.
func exchange(group func(p []reg.Register, a reg.Register, i int, masked bool)) {
	a, words, list := reg.RAX, reg.RCX, reg.RBX
	p := []reg.Register{reg.R8, reg.R9, reg.R10, reg.R11, reg.R12, reg.R13, reg.R14, reg.R15}
	Load(Param("a"), a)
	Load(Param("p"), list)
	Load(Param("words"), words)
	for k := range p {
		MOVQ(Mem{Base: list, Disp: 8 * k}, p[k])
	}
	SUBQ(Imm(16), words)
	MOVL(U32(1), reg.EDX)
	SHLXQ(words, reg.RDX, reg.RDX)
	DECQ(reg.RDX)
	KMOVW(reg.EDX, reg.K1)
	group(p, a, 0, false)
	group(p, a, 8, false)
	group(p, a, 16, true)
	VZEROUPPER()
	RET()
}
