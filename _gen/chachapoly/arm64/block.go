package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

const blockBanner = `Integer instructions: a chain of 12 cycles for a round, where that of vectors takes 30.`

// rounds does ten double rounds on the words of a block.
func rounds(f *asm.Func, x []asm.Reg) {
	count := f.New(Integer, "rounds")
	f.Add(MOVD(10, count))
	f.Label("rounds")
	for diagonal := range 2 {
		var columns [4]quarter
		for i := range columns {
			columns[i] = quarter{a: x[i], b: x[4+(i+diagonal)%4], c: x[8+(i+2*diagonal)%4], d: x[12+(i+3*diagonal)%4]}
		}
		for _, n := range [2][2]int{{16, 12}, {8, 7}} {
			for _, step := range []func(q quarter) asm.Op{
				func(q quarter) asm.Op { return ADDW(q.b, q.a, q.a) },
				func(q quarter) asm.Op { return EORW(q.a, q.d, q.d) },
				func(q quarter) asm.Op { return RORW(32-n[0], q.d, q.d) },
				func(q quarter) asm.Op { return ADDW(q.d, q.c, q.c) },
				func(q quarter) asm.Op { return EORW(q.c, q.b, q.b) },
				func(q quarter) asm.Op { return RORW(32-n[1], q.b, q.b) },
			} {
				for _, q := range columns {
					f.Add(step(q))
				}
			}
		}
	}
	f.Add(
		SUB(1, count, count),
		CBNZ(count, "rounds"))
}

// load reads words.
func load(f *asm.Func, from asm.Reg, x []asm.Reg) {
	for i := 0; i < len(x); i += 2 {
		f.Add(LDPW(At(from, 4*i), x[i], x[i+1]))
	}
}

func block(file *asm.File) {
	f := file.Func("xorBlockNEON", "(dst, src *byte, state *[16]uint32)")
	f.Secret = "dst src state"
	f.Doc = "xorBlockNEON adds one block of keystream to 64 bytes. It does not change the state."
	f.Banner = blockBanner
	dst, src, state := f.Arg("dst"), f.Arg("src"), f.Arg("state")
	x, t := f.Several(Integer, "x", 16), f.Several(Integer, "t", 2)
	load(f, state, x)
	rounds(f, x)
	for i := 0; i < 16; i += 4 {
		for j := i; j < i+4; j += 2 {
			f.Add(
				LDPW(At(state, 4*j), t[0], t[1]),
				ADDW(t[0], x[j], x[j]),
				ADDW(t[1], x[j+1], x[j+1]),
				ORR(Left(x[j+1], 32), x[j], x[j]))
		}
		f.Add(
			LDP(At(src, 4*i), t[0], t[1]),
			EOR(t[0], x[i], x[i]),
			EOR(t[1], x[i+2], x[i+2]),
			STP(x[i], x[i+2], At(dst, 4*i)))
	}
	f.Add(RET())
}

func hChaCha(file *asm.File) {
	f := file.Func("HChaChaNEON", "(out, key *[8]uint32, nonce *[4]uint32)")
	f.Secret, f.Public = "out key", "nonce"
	f.Doc = `HChaChaNEON is HChaCha20 (draft-irtf-cfrg-xchacha-03, section 2.2): the first and the last row of the
		matrix after the rounds.`
	f.Banner = blockBanner
	out, key, nonce := f.Arg("out"), f.Arg("key"), f.Arg("nonce")
	x := f.Several(Integer, "x", 16)
	for i, c := range []int{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574} {
		f.Add(MOVD(c, x[i]))
	}
	load(f, key, x[4:12])
	load(f, nonce, x[12:])
	rounds(f, x)
	for i, j := range []int{0, 2, 12, 14} {
		f.Add(STPW(x[j], x[j+1], At(out, 8*i)))
	}
	f.Add(RET())
}
