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
// messages has up to 8 chains side by side (lanes.go). CBC-MAC, CFB and CCM are in chains.go:
// CCM weaves the key stream into the rounds of the MAC, and several messages with one key have the
// round keys in registers. GCM (gcm.go and _gen/blockcipher) weaves
// GHASH of 8 blocks into the rounds of 8 others.
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
// them, GCM 180 and 183, with 278 instructions for 128 bytes, 2.17 per byte, and Neoverse V2,
// which has four units, 49 and 67. One chain takes 39 cycles for a block on all three, 8 chains
// 152 for 8 blocks, 44 on V2. CCM takes 39 cycles for a block too, those of its MAC.
package main

import (
	"flag"
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/blockcipher"
)

//go:generate go run . -out ../../../internal/aescore/internal/arm64/aes_ce_arm64.s -go ../../../internal/aescore/internal/arm64/declarations_ce_arm64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("go", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	expand(file)
	ce.Blocks(file, false)
	ce.Blocks(file, true)
	cbcEncrypt(file)
	cbcMAC(file)
	ce.CBCDecrypt(file)
	cfbEncrypt(file)
	ce.CFBDecrypt(file)
	ccm(file, false)
	ccm(file, true)
	ce.CTR(file)
	ce.XTS(file, false)
	ce.XTS(file, true)
	for _, width := range []int{8, 4, 2} {
		cbcLanes(file, width)
	}
	for _, width := range []int{8, 4, 2} {
		cbcShared(file, width)
	}
	gcm.Kernels(file)
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

// newCipher loads the number of rounds and the round keys.
func newCipher(f *asm.Func, k asm.Reg, d direction, resident bool) *cipher {
	c := &cipher{direction: d, Func: f, rounds: f.New(Integer, "rounds")}
	p := f.New(Integer, "schedule")
	keys := f.Group(Vector, "k", 11, 1)
	if resident {
		keys = f.Group(Vector, "k", 15, 1)
	}
	f.Add(
		MOVD(At(k, roundsAt), c.rounds),
		ADD(Left(c.rounds, 4), k, p),
		toFirst(d.schedule, p),
	)
	if resident {
		c.first, c.k = keys[:4], keys[4:]
	} else {
		c.first, c.k, c.at = f.Several(Vector, "e", 2), keys, f.New(Integer, "first")
		f.Add(MOVD(p, c.at), ADD(64, p, p))
	}
	blockcipher.Each(keys, func(part []asm.Reg) { c.Add(VLD1(B16, Post(p, 16*len(part)), part)) })
	return c
}

// toFirst makes p, which is 16 times the number of rounds behind a Keys, the address of k0.
// Constants that are not negative take one instruction.
func toFirst(schedule int, p asm.Reg) asm.Op {
	if offset := schedule - 14*16; offset >= 0 {
		return ADD(offset, p, p)
	}
	return SUB(14*16-schedule, p, p)
}

// label returns a new label.
func (c *cipher) label(name string) string {
	c.labels++
	return fmt.Sprint(c.prefix, name, c.labels)
}

// Process processes blocks, but for the sum with the last round key.
func (c *cipher) Process(b []asm.Reg) {
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

// ce describes the instructions to package blockcipher.
var ce = blockcipher.Family{
	Suffix: "CE",
	Keys:   "Keys",
	Public: "k.Rounds",
	Cipher: func(f *asm.Func, keys asm.Reg, prefix string, decrypt, spare bool) blockcipher.Cipher {
		d := encryption
		if decrypt {
			d = decryption
		}
		c := newCipher(f, keys, d, !spare)
		c.prefix = prefix
		return c
	},
}

// Input has nothing to do, and Output adds the last round key.
func (c *cipher) Input(x asm.Reg) []asm.Op  { return nil }
func (c *cipher) Output(x asm.Reg) []asm.Op { return []asm.Op{VEOR(c.last(), x, x)} }

// Counter makes a block of two integers.
func (c *cipher) Counter(counter, x asm.Reg) []asm.Op { return []asm.Op{VREV64(B16, counter, x)} }

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
