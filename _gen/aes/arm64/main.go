// Command arm64 writes the AES kernels for AArch64 with the AES instructions.
//
// # Algorithm
//
// FIPS 197. AESE is AddRoundKey, SubBytes and ShiftRows, AESMC is MixColumns:
//
//	x = AESMC(AESE(x, k[i]))     all rounds but the last
//	x = AESE(x, k[r-1]) ^ k[r]   the last one
//
// Decryption is the equivalent inverse cipher (section 5.3.5) with AESD and AESIMC. Modes
// without a chain process 8 blocks at a time, and then 4, 2 and 1 (main.go). CBC of several
// messages has up to 8 chains side by side (lanes.go). GCM (gcm.go) weaves GHASH of 8 blocks,
// from _gen/ghash/pmull, into the rounds of 8 others; tail.go has the end of a message.
//
// # Registers
//
//	k0 to k14   round keys, k14 the last one. AES-128 uses k4 to k14, AES-192 k2 to k14.
//	b0 to b7    blocks
//	others      data, counters, tweaks
//
// The last eleven round keys are in the same registers for all sizes of keys, so that
// only the first rounds depend on the size. All fifteen are loaded: what is before the
// schedule is a header of [Keys], which no round uses.
//
// # Bound
//
// AES-128 takes 10 AESE, which fuse with 9 AESMC, and two sums per block: 20 to 22
// instructions, 1.25 to 1.4 per byte. llvm-mca's models do not fuse: the AES unit of
// Cortex-A72 and Neoverse N1 is busy for 152 cycles with 8 blocks. CTR takes 157 and 158 of
// them, GCM 181 and 187, and Neoverse V2, which has four units, 49 and 69. One chain takes 39
// cycles for a block on all three, 8 chains 152 for 8 blocks, 44 on V2.
package main

import (
	"flag"
	"fmt"
	"slices"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

//go:generate go run . -out ../../../internal/aescore/internal/arm64/aes_ce_arm64.s -go ../../../internal/aescore/internal/arm64/declarations_ce_arm64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("go", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	expand(file)
	for _, d := range []direction{encryption, decryption} {
		blocks(file, d)
	}
	cbcEncrypt(file)
	cbcDecrypt(file)
	ctr(file)
	for _, d := range []direction{encryption, decryption} {
		xts(file, d)
	}
	for _, width := range []int{8, 4, 2, 1} {
		cbcLanes(file, width)
	}
	for _, open := range []bool{false, true} {
		gcm(file, open)
	}
	file.Write(*out, *declarations)
}

// A direction is the cipher or its inverse.
type direction struct {
	name, verb string
	schedule   int // offset of the round keys in Keys
	round      func(k, x asm.Reg) asm.Op
	mix        func(x, y asm.Reg) asm.Op
}

// Offsets in Keys.
const (
	roundsAt = 0
	encAt    = 64
	decAt    = encAt + 15*16
)

var (
	encryption = direction{"encrypt", "encrypts", encAt, AESE, AESMC}
	decryption = direction{"decrypt", "decrypts", decAt, AESD, AESIMC}
)

// A cipher is AES in a function.
type cipher struct {
	direction
	*asm.Func
	rounds asm.Reg
	k      []asm.Reg // k4 to k14
	first  []asm.Reg // k0 to k3, or two registers that they are loaded into when needed
	at     asm.Reg   // where k0 is then
	prefix string    // of labels
	labels int
}

// newCipher loads the number of rounds and the round keys from the argument k.
func newCipher(f *asm.Func, d direction, resident bool) *cipher {
	c := &cipher{direction: d, Func: f, rounds: f.New(Integer, "rounds")}
	p := f.New(Integer, "schedule")
	keys := f.Group(Vector, "k", 11, 1)
	if resident {
		keys = f.Group(Vector, "k", 15, 1)
	}
	k := f.Arg("k")
	f.Add(
		MOVD(At(k, roundsAt), c.rounds),
		ADD(Left(c.rounds, 4), k, p),
		ADD(d.schedule-14*16, p, p), // of k0
	)
	if resident {
		c.first, c.k = keys[:4], keys[4:]
	} else {
		c.first, c.k, c.at = f.Several(Vector, "e", 2), keys, f.New(Integer, "first")
		f.Add(MOVD(p, c.at), ADD(64, p, p))
	}
	each(keys, func(part []asm.Reg) { c.Add(VLD1(B16, Post(p, 16*len(part)), part)) })
	return c
}

// label returns a new label.
func (c *cipher) label(name string) string {
	c.labels++
	return fmt.Sprint(c.prefix, name, c.labels)
}

// process processes blocks, but for the sum with the last round key.
func (c *cipher) process(b []asm.Reg) {
	rounds := func(keys []asm.Reg) {
		for _, k := range keys {
			for _, x := range b {
				c.Add(Fuse(c.round(k, x), c.mix(x, x))...)
			}
		}
	}
	// 10, 12 and 14 rounds differ in bits 2 and 1.
	aes128, aes192 := c.label("aes128_"), c.label("aes192_")
	pair := func(i int) {
		if len(c.first) == 4 {
			rounds(c.first[i : i+2])
			return
		}
		c.Add(FLDPQ(At(c.at, 16*i), c.first[0], c.first[1]))
		rounds(c.first)
	}
	c.Add(TBZ(2, c.rounds, aes128), TBZ(1, c.rounds, aes192))
	pair(0)
	c.Label(aes192)
	pair(2)
	c.Label(aes128)
	rounds(c.k[:9])
	for _, x := range b {
		c.Add(c.round(c.k[9], x))
	}
}

// last returns the last round key.
func (c *cipher) last() asm.Reg { return c.k[10] }

// passes emits a loop for 8 blocks at a time and then code for 4, 2 and 1, of n bytes, whole
// blocks.
func (c *cipher) passes(n asm.Reg, pass func(blocks int)) {
	c.Add(SUBS(8*16, n, n), BLO("rest"))
	c.Label("eight")
	pass(8)
	c.Add(SUBS(8*16, n, n), BHS("eight"))
	c.Label("rest")
	for _, blocks := range []int{4, 2, 1} {
		skip := fmt.Sprint("no", blocks)
		c.Add(TBZ(map[int]int{4: 6, 2: 5, 1: 4}[blocks], n, skip))
		pass(blocks)
		c.Label(skip)
	}
}

// each calls f for blocks in lists of up to four, which one instruction loads or stores.
func each(b []asm.Reg, f func(part []asm.Reg)) {
	for len(b) > 0 {
		n := min(len(b), 4)
		f(b[:n])
		b = b[n:]
	}
}

// load loads blocks and advances p.
func (c *cipher) load(p asm.Reg, b []asm.Reg) {
	each(b, func(part []asm.Reg) { c.Add(VLD1(B16, Post(p, 16*len(part)), part)) })
}

// store stores blocks and advances p.
func (c *cipher) store(b []asm.Reg, p asm.Reg) {
	each(b, func(part []asm.Reg) { c.Add(VST1(B16, part, Post(p, 16*len(part)))) })
}

func expand(file *asm.File) {
	f := file.Func("expandCE", "(enc, dec *[15][16]byte, key *byte, rounds int)")
	f.Doc = `expandCE computes the round keys of a key of 16, 24 or 32 bytes for 10, 12 or 14 rounds,
for both directions.`
	f.Banner = `FIPS 197, section 5.2: w[i] = w[i-n] ^ f(w[i-1]), where f is RotWord, SubWord and Rcon for every
n-th word, SubWord for i mod 8 = 4 and n = 8, and nothing for others. AESE of a word in all four columns
is SubWord, because ShiftRows then moves equal bytes. Words are in integer registers.`
	f.Secret = "enc dec key"
	enc, dec, key, rounds := f.Arg("enc"), f.Arg("dec"), f.Arg("key"), f.Arg("rounds")
	zero, v := f.New(Vector, "zero"), f.New(Vector, "t")
	w := f.Several(Integer, "w", 8)
	t, rcon, left, p := f.New(Integer, "t"), f.New(Integer, "rcon"), f.New(Integer, "left"), f.New(Integer, "p")
	f.Add(
		VMOVI(0, zero),
		MOVD(1, rcon),
		MOVD(enc, p),
	)
	sub := func() { f.Add(VDUP(S4, t, v), AESE(zero, v), FMOVS(v, t)) }
	// next computes n words from the n before.
	next := func(n int) {
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
		for i := 1; i < n; i++ {
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
		next(n)
		store(n)
		f.Add(SUB(1, count, count), CBNZ(count, label))
	}
	f.Add(CMP(12, rounds), BEQ("aes192"), BHI("aes256"))
	read(4)
	repeat("words4", 10, 4)
	f.Add(B("inverse"))
	f.Label("aes192")
	read(6)
	repeat("words6", 7, 6)
	next(6)
	store(4)
	f.Add(B("inverse"))
	f.Label("aes256")
	read(8)
	repeat("words8", 6, 8)
	next(8)
	store(4)

	f.Label("inverse")
	f.Remark("The inverse cipher uses the round keys in reverse order, all but the outer ones after InvMixColumns.")
	x := f.New(Vector, "x")
	f.Add(
		ADD(Left(rounds, 4), dec, dec),
		VLD1(B16, Post(enc, 16), x),
		FMOVQ(x, At(dec, 0)),
		SUB(1, rounds, left),
	)
	f.Label("key")
	f.Add(
		VLD1(B16, Post(enc, 16), x),
		AESIMC(x, x),
		FMOVQ(x, Pre(dec, -16)),
		SUB(1, left, left),
		CBNZ(left, "key"),
		VLD1(B16, At(enc, 0), x),
		FMOVQ(x, Pre(dec, -16)),
		RET(),
	)
}

func blocks(file *asm.File, d direction) {
	f := file.Func(d.name+"BlocksCE", "(k *Keys, dst, src *byte, n int)")
	f.Doc = fmt.Sprintf("%sBlocksCE %s n > 0 bytes, whole blocks.", d.name, d.verb)
	f.Secret, f.Public = "k dst src", "k.Rounds"
	c := newCipher(f, d, true)
	dst, src, n := f.Arg("dst"), f.Arg("src"), f.Arg("n")
	b := f.Group(Vector, "b", 8, 1)
	c.passes(n, func(blocks int) {
		b := b[:blocks]
		c.load(src, b)
		c.process(b)
		for _, x := range b {
			c.Add(VEOR(c.last(), x, x))
		}
		c.store(b, dst)
	})
	f.Add(RET())
}

func cbcEncrypt(file *asm.File) {
	f := file.Func("cbcEncryptCE", "(k *Keys, iv, dst, src *byte, n int)")
	f.Doc = "cbcEncryptCE encrypts n > 0 bytes, whole blocks. iv becomes the last ciphertext block."
	f.Banner = `The state is the ciphertext plus the last round key. The first AESE adds it to the next plaintext
block plus the first and the last round key, so that a block takes its pairs of AESE and AESMC and
nothing else.`
	f.Secret, f.Public = "k iv dst src", "k.Rounds"
	c := newCipher(f, encryption, true)
	iv, dst, src, n := f.Arg("iv"), f.Arg("dst"), f.Arg("src"), f.Arg("n")
	x, p, both := f.New(Vector, "x"), f.New(Vector, "p"), f.New(Vector, "both")
	y := f.New(Vector, "y")
	first := []asm.Reg{c.first[0], c.first[2], c.k[0]} // for 14, 12 and 10 rounds
	f.Add(VLD1(B16, At(iv, 0), x), VEOR(c.last(), x, x))
	loop := func(name string, skip int, rest []asm.Reg) {
		f.Label(name)
		f.Add(VEOR(c.last(), first[skip], both))
		f.Label(name + "_block")
		f.Add(VLD1(B16, Post(src, 16), p), VEOR(both, p, p))
		f.Add(Fuse(AESE(p, x), AESMC(x, x))...)
		for _, k := range rest[:len(rest)-1] {
			f.Add(Fuse(AESE(k, x), AESMC(x, x))...)
		}
		f.Add(
			AESE(rest[len(rest)-1], x),
			VEOR(c.last(), x, y),
			VST1(B16, y, Post(dst, 16)),
			SUBS(16, n, n),
			BNE(name+"_block"),
			VST1(B16, y, At(iv, 0)),
			RET(),
		)
	}
	all := slices.Concat(c.first, c.k[:10])
	f.Add(TBZ(2, c.rounds, "aes128"), TBZ(1, c.rounds, "aes192"))
	loop("aes256", 0, all[1:])
	loop("aes192", 1, all[3:])
	loop("aes128", 2, all[5:])
}

func cbcDecrypt(file *asm.File) {
	f := file.Func("cbcDecryptCE", "(k *Keys, iv, dst, src *byte, n int)")
	f.Doc = "cbcDecryptCE decrypts n > 0 bytes, whole blocks. iv becomes the last ciphertext block."
	f.Secret, f.Public = "k iv dst src", "k.Rounds"
	c := newCipher(f, decryption, true)
	iv, dst, src, n := f.Arg("iv"), f.Arg("dst"), f.Arg("src"), f.Arg("n")
	b := f.Group(Vector, "b", 8, 1)
	chain := f.New(Vector, "chain")
	y := f.Group(Vector, "y", 4, 1)
	f.Add(VLD1(B16, At(iv, 0), chain))
	c.passes(n, func(blocks int) {
		b := b[:blocks]
		from := f.New(Integer, "again")
		f.Add(MOVD(src, from))
		c.load(src, b)
		c.process(b)
		f.Remark("The ciphertext is loaded again, for want of registers.")
		for i, x := range b {
			if i%4 == 0 {
				part := y[:min(4, blocks-i)]
				f.Add(VEOR(chain, x, x), VEOR(c.last(), x, x), VLD1(B16, Post(from, 16*len(part)), part))
			} else {
				f.Add(VEOR(y[i%4-1], x, x), VEOR(c.last(), x, x))
			}
			if i%4 == 3 || i == blocks-1 {
				f.Add(VMOV(y[i%4], chain))
			}
		}
		c.store(b, dst)
	})
	f.Add(VST1(B16, chain, At(iv, 0)), RET())
}

func ctr(file *asm.File) {
	f := file.Func("ctrCE", "(k *Keys, hi, lo uint64, dst, src *byte, n int)")
	f.Doc = `ctrCE adds the keystream of the counters from hi:lo on to n > 0 bytes, whole blocks. lo does not
wrap around before the last block.`
	f.Secret, f.Public = "k hi lo dst src", "k.Rounds"
	c := newCipher(f, encryption, true)
	hi, lo, dst, src, n := f.Arg("hi"), f.Arg("lo"), f.Arg("dst"), f.Arg("src"), f.Arg("n")
	b := f.Group(Vector, "b", 8, 1)
	x := f.Group(Vector, "x", 4, 1)
	counter, one := f.New(Vector, "counter"), f.New(Vector, "one")
	f.Remark("The counter has its bytes in the order of integers, one adds 1 to the lower half.")
	f.Add(
		VMOVI(0, one),
		FMOVD(hi, counter),
		VMOV(lo, Lane(D2, counter, 1)),
		MOVD(1, lo),
		VMOV(lo, Lane(D2, one, 1)),
	)
	c.passes(n, func(blocks int) {
		b := b[:blocks]
		for _, y := range b {
			c.Add(VREV64(B16, counter, y), VADD(D2, one, counter, counter))
		}
		c.process(b)
		each(b, func(part []asm.Reg) {
			x := x[:len(part)]
			c.load(src, x)
			for i, y := range part {
				c.Add(VEOR(c.last(), y, y), VEOR(x[i], y, y))
			}
			c.store(part, dst)
		})
	})
	f.Add(RET())
}

func xts(file *asm.File, d direction) {
	f := file.Func("xts"+map[string]string{"encrypt": "Encrypt", "decrypt": "Decrypt"}[d.name]+"CE", "(k *Keys, tweak, dst, src *byte, n int)")
	f.Doc = fmt.Sprintf("%s %s n > 0 bytes, whole blocks. tweak, already encrypted, becomes that of the block after them.", f.Name, d.verb)
	f.Banner = `IEEE 1619: block j is C(b ^ T x^j) ^ T x^j in GF(2^128) with its bytes in the order of integers. Eight
tweaks are in registers and become the next eight by a multiplication by x^8: a shift by a byte, and
the byte that leaves times 0x87. The first eight, and those of less than eight blocks, are computed one
by one in integer registers.`
	f.Secret, f.Public = "k tweak dst src", "k.Rounds"
	c := newCipher(f, d, false)
	tweak, dst, src, n := f.Arg("tweak"), f.Arg("dst"), f.Arg("src"), f.Arg("n")
	b := f.Group(Vector, "b", 8, 1)
	t := f.Several(Vector, "t", 8)
	u, zero, poly := f.New(Vector, "u"), f.New(Vector, "zero"), f.New(Vector, "poly")
	lo, hi, carry := f.New(Integer, "lo"), f.New(Integer, "hi"), f.New(Integer, "carry")
	f.Add(LDP(At(tweak, 0), lo, hi), VMOVI(0, zero), MOVD(0x87, carry), FMOVD(carry, poly))
	// next moves the tweak to x and doubles it.
	next := func(x asm.Reg) {
		c.Add(
			FMOVD(lo, x),
			VMOV(hi, Lane(D2, x, 1)),
			ASR(63, hi, carry),
			EXTR(63, lo, hi, hi),
			AND(0x87, carry, carry),
			EOR(Left(lo, 1), carry, lo),
		)
	}
	process := func(b []asm.Reg) {
		c.load(src, b)
		for i, x := range b {
			c.Add(VEOR(t[i], x, x))
		}
		c.process(b)
		for i, x := range b {
			c.Add(VEOR(c.last(), x, x), VEOR(t[i], x, x))
		}
		c.store(b, dst)
	}
	f.Add(SUBS(8*16, n, n), BLO("rest"))
	for i := range t {
		next(t[i])
	}
	f.Label("eight")
	process(b)
	for i := range t {
		c.Add(
			VEXT(15, zero, t[i], u), // the last byte
			VPMULL(D1, poly, u, u),
			VEXT(15, t[i], zero, t[i]),
			VEOR(u, t[i], t[i]),
		)
	}
	f.Add(
		SUBS(8*16, n, n), BHS("eight"),
		FMOVD(t[0], lo), VMOV(Lane(D2, t[0], 1), hi),
	)
	f.Label("rest")
	for _, blocks := range []int{4, 2, 1} {
		skip := fmt.Sprint("no", blocks)
		c.Add(TBZ(map[int]int{4: 6, 2: 5, 1: 4}[blocks], n, skip))
		for i := range blocks {
			next(t[i])
		}
		process(b[:blocks])
		c.Label(skip)
	}
	f.Add(STP(lo, hi, At(tweak, 0)), RET())
}
