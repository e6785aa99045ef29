package main

import (
	"github.com/cipherlane/cipherlane/_gen/aes/permute"
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/blockcipher"
)

// expandTables are those of the S-box, from and to bytes as FIPS 197 has them, and those
// that make a round key of words of the schedule.
func expandTables() (t []permute.Table) {
	t = append(t, permute.All(0x0f), permute.Inverses(1), permute.Inverses(field.A))
	nibbles := func(f permute.Linear) {
		low, high := permute.Nibbles(f)
		t = append(t, low, high)
	}
	nibbles(encryption.form)
	u, v := field.Output(encryption.sbox)
	t = append(t, u, v)
	for _, c := range decryption.coefficients {
		nibbles(decryption.form.After(permute.Times(byte(c))))
	}
	nibbles(decryption.form)
	return append(t,
		permute.All(permute.Affine), permute.All(encryption.form(permute.Affine)), permute.All(decryption.form(permute.Affine)),
		permutation(1, 0), permutation(-1, 0), permutation(0, 1))
}

func expand(file *asm.File) {
	f := file.Func("expandNEON", "(enc, dec *[15][16]byte, key *byte, rounds int)")
	f.Doc = `expandNEON computes the round keys of a key of 16, 24 or 32 bytes for 10, 12 or 14 rounds,
for both directions, in the forms that the kernels need.`
	f.Banner = `FIPS 197, section 5.2: w[i] = w[i-n] ^ f(w[i-1]), where f is RotWord, SubWord and Rcon for every
n-th word, SubWord for i mod 8 = 4 and n = 8, and nothing for others. Words are in integer registers. The forms
of the keys follow, in place for encryption.`
	f.Secret = "enc dec key"
	enc, dec, key, rounds := f.Arg("enc"), f.Arg("dec"), f.Arg("key"), f.Arg("rounds")
	const tables = 3 + 4 + 8 + 2 + 3 + 3
	r, p := f.Group(Vector, "table", tables, 1), f.New(Integer, "p")
	f.Add(MOVD(table(file, "expands", "The tables of package permute for the key schedule.", expandTables()), p))
	blockcipher.Each(r, func(part []asm.Reg) { f.Add(VLD1(B16, Post(p, 16*len(part)), part)) })
	c := &cipher{f: f, mask: r[0], inverse: r[1], inverseA: r[2], form: r[3:5], last: r[5:7]}
	multiples, decForm := r[7:15], r[15:17]
	affine, encAffine, decAffine := r[17], r[18], r[19]
	shift, unshift, rotate := r[20], r[21], r[22]

	l := newLane(f)
	w := f.Several(Integer, "w", 8)
	t, rcon, left := f.New(Integer, "t"), f.New(Integer, "rcon"), f.New(Integer, "left")
	f.Add(MOVD(1, rcon), MOVD(enc, p))
	sub := func() {
		f.Add(VDUP(S4, t, l.x))
		f.Add(c.split(l)...)
		f.Add(VTBL(l.k, c.form[0], l.a), VTBL(l.x, c.form[1], l.x), VEOR(l.a, l.x, l.x))
		f.Add(c.end(l, affine)...)
		f.Add(FMOVS(l.x, t))
	}
	// next computes the first words of n from the n before.
	next := func(n, words int) {
		f.Add(MOVWU(w[n-1], t))
		sub()
		f.Add(
			EORW(Rotated(t, 8), w[0], w[0]),
			EORW(rcon, w[0], w[0]),
			// Times x in GF(2^8): 0x80 becomes 0x1b.
			LSL(1, rcon, rcon),
			UBFX(8, rcon, 1, left),
			EOR(Left(left, 8), rcon, rcon),
			EOR(left, rcon, rcon),
			EOR(Left(left, 1), rcon, rcon),
			EOR(Left(left, 3), rcon, rcon),
			EOR(Left(left, 4), rcon, rcon),
		)
		for i := 1; i < words; i++ {
			if n == 8 && i == 4 {
				f.Add(MOVWU(w[3], t))
				sub()
				f.Add(EORW(t, w[4], w[4]))
			} else {
				f.Add(EORW(w[i-1], w[i], w[i]))
			}
		}
	}
	store := func(n int) {
		for i := 0; i < n; i += 2 {
			f.Add(STPW(w[i], w[i+1], Post(p, 8)))
		}
	}
	read := func(n int) {
		for i := 0; i < n; i += 2 {
			f.Add(LDPW(At(key, 4*i), w[i], w[i+1]))
		}
		store(n)
	}
	repeat := func(label string, times, n int) {
		count := f.New(Integer, "count")
		f.Add(MOVD(times, count))
		f.Label(label)
		next(n, n)
		store(n)
		f.Add(SUB(1, count, count), CBNZ(count, label))
	}
	f.Add(CMP(12, rounds), BEQ("aes192"), BHI("aes256"))
	read(4)
	repeat("words4", 10, 4)
	f.Add(B("forms"))
	f.Label("aes192")
	read(6)
	repeat("words6", 7, 6)
	next(6, 4)
	store(4)
	f.Add(B("forms"))
	f.Label("aes256")
	read(8)
	repeat("words8", 6, 8)
	next(8, 4)
	store(4)

	f.Label("forms")
	x, y, q, tmp := l.x, f.New(Vector, "y"), l.a, f.New(Vector, "t")
	// load loads a round key and splits it.
	load := func() {
		f.Add(FMOVQ(At(enc, 0), x), VMOV(x, y))
		f.Add(c.split(l)...)
	}
	f.Remark("The first key, and the last one of decryption.")
	f.Add(ADD(Left(rounds, 4), dec, dec))
	load()
	f.Add(pair(c.form, l.k, x, q, tmp)...)
	f.Add(VTBL(shift, q, q), FMOVQ(q, Post(enc, 16)), FMOVQ(y, At(dec, 0)), SUB(1, rounds, left))
	f.Label("inner")
	load()
	f.Add(pair(c.form, l.k, x, q, tmp)...)
	f.Add(VEOR(encAffine, q, q), FMOVQ(q, Post(enc, 16)))
	f.Remark("InvMixColumns.")
	sum := func(t []asm.Reg, d asm.Reg) {
		f.Add(pair(t[2:], l.k, x, d, tmp)...)
		f.Add(VREV32(H8, d, d))
		f.Add(VTBL(l.k, t[0], tmp), VEOR(tmp, d, d))
		f.Add(VTBL(x, t[1], tmp), VEOR(tmp, d, d))
	}
	sum(multiples, l.u)
	sum(multiples[4:], l.v)
	f.Add(
		VTBL(rotate, l.v, l.v),
		VEOR(decAffine, l.u, l.u),
		VEOR(l.v, l.u, l.u),
		FMOVQ(l.u, Pre(dec, -16)),
		SUB(1, left, left),
		CBNZ(left, "inner"),
	)
	f.Remark("The last key, and the first one of decryption.")
	load()
	f.Add(VEOR(affine, y, y), FMOVQ(y, At(enc, 0)))
	f.Add(pair(decForm, l.k, x, q, tmp)...)
	f.Add(VEOR(decAffine, q, q), VTBL(unshift, q, q), FMOVQ(q, Pre(dec, -16)), RET())
}
