package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// lanes has the registers of blocksRVV. Limbs have 26 bits.
type lanes struct {
	*asm.Func
	r, s             []asm.Reg // multiplier, and five times its limbs 1 to 4
	mask, five       asm.Reg   // 2^26 - 1; 5
	p, step          asm.Reg   // message; bytes of a block of each lane
	two              []asm.Reg // powers of 2
	power            []asm.Reg // of r, another one in each lane
	h, message, word []asm.Reg
	product          [5][]asm.Reg // twice as wide
	carries          []asm.Reg
}

// times makes product that of a and the multiplier, without carries: below 2^58.
func (k *lanes) times(a []asm.Reg) (s asm.Stream) {
	for j := range 5 { // limb of a
		for i := range 5 { // limb of the product
			m := k.r[(i-j+5)%5]
			if i < j {
				m = k.s[i-j+4]
			}
			if j == 0 {
				s.Add(VWMULUVX(m, a[j], k.product[i]))
			} else {
				s.Add(VWMACCUVX(a[j], m, k.product[i]))
			}
		}
	}
	return s
}

// carry makes to the product with limbs of 26 bits, except for a bit more in limb 4. A carry
// fits into 32 bits, so it is a narrow vector; five times the last one does not, and is
// added by a multiplication.
func (k *lanes) carry(to []asm.Reg) (s asm.Stream) {
	p, c := k.product, k.carries
	s.Add(
		VNSRLWI(26, p[3], c[0]),
		VWADDUWV(c[0], p[4], p[4]),
		VNSRLWI(26, p[4], c[1]),
		VWMACCUVX(c[1], k.five, p[0]),
		VNSRLWI(26, p[0], c[2]),
		VWADDUWV(c[2], p[1], p[1]),
		VNSRLWI(26, p[1], c[0]),
		VWADDUWV(c[0], p[2], p[2]),
		VNSRLWI(26, p[2], c[1]),
	)
	for i := range 5 {
		s.Add(VNSRLWI(0, p[i], to[i]), VANDVX(k.mask, to[i], to[i]))
	}
	s.Add(
		VADDVV(c[1], to[3], to[3]),
		VSRLVI(26, to[3], c[2]),
		VANDVX(k.mask, to[3], to[3]),
		VADDVV(c[2], to[4], to[4]),
	)
	return s
}

// load loads a block for each lane and makes limbs of it.
func (k *lanes) load() (s asm.Stream) {
	w, m := k.word, k.message
	s.Add(
		VLSEG4E32V(k.p, w),
		ADD(k.step, k.p, k.p),
		VANDVX(k.mask, w[0], m[0]),
	)
	for i := range 3 {
		s.Add(
			VSRLVI(26-6*i, w[i], m[1+i]),
			VMACCVX(w[1+i], k.two[i], m[1+i]),
			VANDVX(k.mask, m[1+i], m[1+i]),
		)
	}
	s.Add(VSRLVI(8, w[3], m[4]), VADDVX(k.two[3], m[4], m[4])) // 2^128
	return s
}

// add adds the message.
func (k *lanes) add() (s asm.Stream) {
	for i := range 5 {
		s.Add(VADDVV(k.message[i], k.h[i], k.h[i]))
	}
	return s
}

// multiplier makes lane 0 of the powers the multiplier.
func (k *lanes) multiplier() (s asm.Stream) {
	for i := range 5 {
		s.Add(VMVXS(k.power[i], k.r[i]))
	}
	for i := range 4 {
		s.Add(SLLI(2, k.r[1+i], k.s[i]))
	}
	for i := range 4 {
		s.Add(ADD(k.r[1+i], k.s[i], k.s[i]))
	}
	return s
}

// split makes limbs of two words, which are not changed, and of a third one if there is
// one. t is a temporary.
func (k *lanes) split(w, to []asm.Reg, t asm.Reg) (s asm.Stream) {
	s.Add(
		AND(k.mask, w[0], to[0]),
		SRLI(26, w[0], to[1]),
		AND(k.mask, to[1], to[1]),
		SRLI(52, w[0], to[2]),
		SLLI(12, w[1], t),
		OR(t, to[2], to[2]),
		AND(k.mask, to[2], to[2]),
		SRLI(14, w[1], to[3]),
		AND(k.mask, to[3], to[3]),
		SRLI(40, w[1], to[4]),
	)
	if len(w) > 2 {
		s.Add(SLLI(24, w[2], t), OR(t, to[4], to[4]))
	}
	return s
}

// poly writes Poly1305 in vector registers.
func poly(file *asm.File) {
	f := file.Func("blocksRVV", "(h *[3]uint64, r *[2]uint64, p *byte, n int) (done int)")
	f.Doc = `blocksRVV continues Poly1305 over the beginning of n >= 192 bytes, at an address that is
		a multiple of 4, and returns how many bytes it processed: as many as make whole vectors.`
	f.Banner = `Lane j of L holds the blocks j, j+L, ...: all lanes are multiplied by r^L after each
		block but the last, and lane j by r^(L-j) then. L is what a vector register has of words, but
		at most 16 and no more than half of the blocks.

		69 instructions for L blocks, 25 of them vwmaccu.vx, each with a product of every lane. The
		limbs of the next block are made meanwhile.`
	f.Secret = "h r p"
	k := &lanes{Func: f}
	k.r, k.s = f.Several(Integer, "r", 5), f.Several(Integer, "s", 4)
	k.mask, k.five, k.step = f.New(Integer, "mask"), f.New(Integer, "five"), f.New(Integer, "step")
	k.two = f.Several(Integer, "two", 4)
	k.power, k.h, k.message = f.Several(Vector, "power", 5), f.Several(Vector, "h", 5), f.Several(Vector, "message", 5)
	k.word, k.carries = f.Group(Vector, "word", 4, 1), f.Several(Vector, "carry", 3)
	for i := range k.product {
		k.product[i] = f.Group(Vector, "product", 2, 2)
	}
	at, w, key := f.New(Integer, "at"), f.Several(Integer, "w", 3), f.Several(Integer, "key", 2)
	length := f.New(Integer, "L")
	f.LoadArg("h", at)
	f.Add(MOV(0, at, w[0]), MOV(8, at, w[1]), MOV(16, at, w[2]))
	f.LoadArg("r", at)
	f.Add(MOV(0, at, key[0]), MOV(8, at, key[1]))
	k.p = f.Arg("p")
	left := f.New(Integer, "left")
	f.LoadArg("n", left)
	f.Add(MOVI(1<<26-1, k.mask), MOVI(5, k.five))
	for i, r := range k.two {
		f.Add(MOVI(1<<(6+6*i), r))
	}

	f.Remark("L: a power of 2.")
	f.Add(
		VSETVLI(ZERO, E32, M1, TA, length),
		MOVI(16, at),
		BGEU(at, length, "fewer"),
		MOVR(at, length),
	)
	f.Label("fewer")
	f.Add(
		SLLI(5, length, at),
		BGEU(left, at, "enough"),
		SRLI(1, length, length),
		JMP("fewer"),
	)
	f.Label("enough")
	f.Add(
		SLLI(4, length, k.step),
		SUB(k.step, ZERO, at),
		AND(at, left, left),
		SetResult(left, f.Result("done")),
	)

	f.Remark("h goes to lane 0; the other lanes begin with 0.")
	f.Add(VSETVLI(length, E32, M1, TU, at))
	for _, h := range k.h {
		f.Add(VMVVI(0, h))
	}
	f.Add(k.split(w, k.r, at)...)
	for i, h := range k.h {
		f.Add(Keep(VMVSX(k.r[i], h)))
	}
	f.Add(k.split(key, k.r, at)...)
	for i, p := range k.power {
		f.Add(VMVSX(k.r[i], p))
	}

	f.Remark("Lanes 0 to s-1 hold r^s to r. Times r^s they are r^2s to r^(s+1), and the old")
	f.Remark("ones go behind them.")
	powers, doubled := f.New(Integer, "known"), f.New(Integer, "twice")
	f.Add(MOVI(1, powers))
	f.Label("double")
	f.Add(VSETVLI(powers, E32, M1, TA, at))
	f.Add(k.multiplier()...)
	f.Add(asm.Schedule(append(k.times(k.power), k.carry(k.message)...), X60)...)
	f.Add(SLLI(1, powers, doubled), VSETVLI(doubled, E32, M1, TA, at))
	for i := range 5 {
		f.Add(VSLIDEUPVX(powers, k.power[i], k.message[i]))
	}
	for i := range 5 {
		f.Add(VMVVV(k.message[i], k.power[i]))
	}
	f.Add(MOVR(doubled, powers), BLTU(powers, length, "double"))
	f.Add(k.multiplier()...)
	f.Add(asm.Schedule(k.load(), X60)...)
	f.Add(SUB(k.step, left, left))

	f.Label("block")
	s := k.add()
	s.Add(k.times(k.h)...)
	s.Add(k.carry(k.h)...)
	s.Add(k.load()...)
	f.Add(asm.Schedule(s, X60)...)
	f.Add(SUB(k.step, left, left), BNEZ(left, "block"))

	f.Remark("The last block of each lane, times its own power.")
	s = k.add()
	fives := k.word
	for i := range fives {
		s.Add(VMULVX(k.five, k.power[1+i], fives[i]))
	}
	for j := range 5 {
		for i := range 5 {
			m := k.power[(i-j+5)%5]
			if i < j {
				m = fives[i-j+4]
			}
			if j == 0 {
				s.Add(VWMULUVV(m, k.h[j], k.product[i]))
			} else {
				s.Add(VWMACCUVV(k.h[j], m, k.product[i]))
			}
		}
	}
	f.Add(asm.Schedule(s, X60)...)

	f.Remark("The sum of the lanes.")
	zero, sum := f.New(Vector, "zero"), f.Several(Vector, "sum", 5)
	f.Add(VSETVLI(length, E64, M2, TA, at), VMVSX(ZERO, zero))
	for i := range sum {
		f.Add(VREDSUMVS(zero, k.product[i], sum[i]))
	}
	r, t := k.r, f.Several(Integer, "t", 2)
	for i := range sum {
		f.Add(VMVXS(sum[i], r[i]))
	}
	f.Remark("Words again.")
	for i := range 5 {
		f.Add(SRLI(26, r[i], t[0]), AND(k.mask, r[i], r[i]))
		if i < 4 {
			f.Add(ADD(t[0], r[i+1], r[i+1]))
		}
	}
	f.Add(
		SLLI(2, t[0], t[1]),
		ADD(t[1], t[0], t[0]),
		ADD(t[0], r[0], r[0]),
		SLLI(26, r[1], r[1]),
		ADD(r[1], r[0], r[0]),
		SLLI(52, r[2], t[0]),
		ADD(t[0], r[0], r[0]),
		SLTU(t[0], r[0], t[1]),
		SRLI(12, r[2], r[2]),
		SLLI(14, r[3], r[3]),
		SLLI(40, r[4], t[0]),
		ADD(r[3], r[2], r[2]),
		ADD(t[0], r[2], r[2]),
		ADD(t[1], r[2], r[2]),
		SLTU(t[1], r[2], t[1]),
		SRLI(24, r[4], r[4]),
		ADD(t[1], r[4], r[4]),
	)
	f.LoadArg("h", at)
	f.Add(SD(r[0], 0, at), SD(r[2], 8, at), SD(r[4], 16, at), RET())
}
