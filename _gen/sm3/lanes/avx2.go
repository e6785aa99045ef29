package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

var ymm = amd64.YMM

// useAVX2 adds the vector registers to the table.
func useAVX2(k *amd64.Kernel) {
	k.Vecs(ymm[:8], "A ... H, which change places every round")
	k.Vecs(ymm[8:16], "temporary")
}

func compressAVX2(constants, reverse Mem) {
	k := newCompress("Compress8AVX2", 8)
	useAVX2(k.Kernel)
	k.Note("w", "the last 16 words of the messages")
	k.Table(
		"A rotation is three instructions here, a round 58: 15 cycles at four in each, for eight",
		"rounds of 6 cycles each if they went one after the other.")
	k.start(constants)

	Label("block")
	for half := range 2 {
		r := append([]reg.VecPhysical{}, ymm[:8]...)
		spare, order := ymm[8], ymm[9]
		VMOVDQU(reverse, order)
		for l := range 8 {
			VMOVDQU(k.block(l, 32*half, k.at), r[l])
			VPSHUFB(order, r[l], r[l])
		}
		unpack(r, &spare)
		for i := range 4 {
			pair(r, &spare, i, i+4,
				func(a, b, out Op) { VPERM2I128(Imm(0x20), a, b, out) },
				func(a, b, out Op) { VPERM2I128(Imm(0x31), a, b, out) })
		}
		for i := range 8 {
			c := i % 4
			VMOVDQU(r[i], k.word(8*half+i/4*4+c>>1+c&1*2))
		}
	}
	for i := range 8 {
		VMOVDQU(k.chaining(i), ymm[i])
	}
	for j := range 64 {
		k.roundAVX2(j)
	}
	for i := range 8 {
		VPXOR(k.chaining(i), ymm[i], ymm[i])
		VMOVDQU(ymm[i], k.chaining(i))
	}
	k.finish()
}

// rotate puts x <<< n into out; tmp is another register than x.
func rotate(n uint64, x, out, tmp reg.VecPhysical) {
	VPSLLD(Imm(n), x, tmp)
	VPSRLD(Imm(32-n), x, out)
	VPOR(tmp, out, out)
}

// roundAVX2 is a round, GB/T 32905-2016, section 5.3.3, in the names of that section,
// with the expansion of the message.
func (k *lanes) roundAVX2(j int) {
	k.roundWithAVX2(j, k.word(j), func(next reg.VecPhysical) {
		x, y, t, u := ymm[10], ymm[11], ymm[12], ymm[13]
		// W_n with n = j+4, in place of W_n-16.
		if n := j + 4; n >= 16 {
			VMOVDQU(k.word(n-3), x)
			rotate(15, x, next, t)
			VPXOR(k.word(n), next, next)
			VPXOR(k.word(n-9), next, next)
			VMOVDQU(k.word(n-13), y)
			rotate(7, y, x, t)
			VPXOR(k.word(n-6), x, x)
			VPSLLD(Imm(15), next, t)
			VPSRLD(Imm(32-15), next, u)
			VPXOR(t, x, x)
			VPXOR(u, x, x)
			VPSLLD(Imm(23), next, t)
			VPSRLD(Imm(32-23), next, u)
			VPXOR(next, x, next)
			VPXOR(t, u, u)
			VPXOR(u, next, next)
			VMOVDQU(next, k.word(n))
		} else {
			VMOVDQU(k.word(n), next)
		}
		VPXOR(k.word(j), next, next)
	})
}

// roundWithAVX2 is a round with W_j and what puts W'_j into a register.
func (k *lanes) roundWithAVX2(j int, w Op, prime func(reg.VecPhysical)) {
	s := inRound(ymm[:8], j)
	A, B, C, D, E, F, G, H := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
	ss1, ss2, x, y, t, u, next := ymm[8], ymm[9], ymm[10], ymm[11], ymm[12], ymm[13], ymm[14]

	rotate(12, A, ss2, t)
	VPBROADCASTD(k.constant(j), ss1)
	VPADDD(ss2, ss1, ss1)
	VPADDD(E, ss1, ss1)
	rotate(7, ss1, ss1, t)
	VPXOR(ss1, ss2, ss2)
	VPADDD(w, H, H)
	VPXOR(F, G, x) // GG
	if j < 16 {
		VPXOR(E, x, x)
	} else {
		VPAND(E, x, x)
		VPXOR(G, x, x)
	}
	VPADDD(x, H, H)
	VPADDD(ss1, H, H) // TT2

	prime(next)
	VPADDD(next, D, D)
	VPXOR(B, C, x) // FF
	if j < 16 {
		VPXOR(A, x, x)
	} else {
		VPAND(B, C, y)
		VPAND(A, x, x)
		VPOR(y, x, x)
	}
	VPADDD(x, D, D)
	VPADDD(ss2, D, D) // TT1
	rotate(9, B, B, t)
	rotate(19, F, F, u)
	// P0
	VPSLLD(Imm(9), H, t)
	VPSRLD(Imm(32-9), H, u)
	VPSLLD(Imm(17), H, x)
	VPSRLD(Imm(32-17), H, y)
	VPXOR(t, u, u)
	VPXOR(x, y, y)
	VPXOR(u, H, H)
	VPXOR(y, H, H)
}

// iterateAVX2 writes the kernel for PBKDF2.
func iterateAVX2(constants, end Mem) {
	k := newIterate("Iterate8AVX2", 8)
	useAVX2(k.Kernel)
	k.Table()
	k.start(constants)
	Label("hash")
	for j := range 8 {
		VPBROADCASTD(end.Offset(4*j), ymm[8])
		VMOVDQU(ymm[8], k.word(8+j))
		VMOVDQU(k.chaining(j), ymm[j])
	}
	for j := range 64 {
		k.roundAVX2(j)
	}
	for i := range 8 {
		VPXOR(k.chaining(i), ymm[i], ymm[i])
		VMOVDQU(ymm[i], k.word(i))
	}
	k.finish(func() {
		for i := range 8 {
			sum := Mem{Base: k.total, Disp: row * i}
			VPXOR(sum, ymm[i], ymm[i])
			VMOVDQU(ymm[i], sum)
		}
	})
}

// kdfAVX2 writes the kernel for KDF.
func kdfAVX2(constants, reverse Mem) {
	k := newKDF("KDF8AVX2", 8)
	useAVX2(k.Kernel)
	k.Table("42 instructions in a round instead of 58.")
	k.start(constants)
	for i := range 8 {
		VPBROADCASTD(k.from.Offset(4*i), ymm[i])
	}
	for j := range 64 {
		w := ymm[15]
		VPBROADCASTD(k.base.Offset(4*j), w)
		VPXOR(k.differences.Offset(row*j), w, w)
		k.roundWithAVX2(j, w, func(prime reg.VecPhysical) {
			VPBROADCASTD(k.base.Offset(256+4*j), prime)
			VPXOR(k.differences.Offset(64*row+row*j), prime, prime)
		})
	}
	r := append([]reg.VecPhysical{}, ymm[:8]...)
	spare, order, x := ymm[8], ymm[9], ymm[10]
	VMOVDQU(reverse, order)
	for i := range r {
		VPBROADCASTD(k.from.Offset(4*i), x)
		VPXOR(x, r[i], r[i])
		VPSHUFB(order, r[i], r[i])
	}
	// Now r[i] has word i of all lanes; of each four lanes a half of a register, and
	// each half after unpacking four words of one lane.
	unpack(r, &spare)
	for i := range 4 {
		pair(r, &spare, i, i+4,
			func(a, b, out Op) { VPERM2I128(Imm(0x20), a, b, out) },
			func(a, b, out Op) { VPERM2I128(Imm(0x31), a, b, out) })
	}
	for i := range 8 {
		lane := i/4*4 + i%4>>1 + i&1*2
		VMOVDQU(r[i], k.to.Offset(32*lane))
	}
	for i := 0; i < 512; i += 32 {
		VMOVDQU(k.delta.Offset(i), x)
		VPXOR(k.base.Offset(i), x, x)
		VMOVDQU(x, k.base.Offset(i))
	}
	VZEROUPPER()
	RET()
}
