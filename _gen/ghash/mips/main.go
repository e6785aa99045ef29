// Command mips writes the GHASH kernels of internal/ghash/internal/mips for MIPS32 and MIPS64 of
// release 2 or later, big- and little-endian.
//
// # Algorithm
//
// Field elements are those of the portable driver: a product of polynomials needs no shift if the
// powers of the hash key are times x. The products of several blocks with as many powers share a
// reduction. A product of elements is nine products of words (Karatsuba, twice), or three with
// words of 64 bits.
//
// A product of words is made of products of integers. On MIPS32, class i of a word has every
// fifth bit, from bit i on: 7 or 6 bits. A product of classes i and j has only bits of class i+j,
// modulo 5, and carries from there into the four bits above. The products of all pairs with the
// same class of result add up in HI:LO. 32 pairs of bits have the sum 31, more than the five bits
// there can count, and fewer have any other sum. So those of class 1 take turns: what would be
// too much for one sum, with the pairs of bits counted, waits for that of the next block. XOR
// does not mix bits. Sums are XORed, in a pair of registers for each class, and after the last
// block the other bits of these are cleared.
//
// MIPS64 does not add products of 64 bits. Classes have every fourth bit, and the four highest
// bits of a power are a factor of their own: then 15 carries at most fit, as in the portable
// driver (mul64.go), whose powers these are. Every product is read and XORed.
//
// The last blocks are a loop over blocks, with the same products.
//
// # Registers
//
//	register       what
//	x, y           the classes of a word of a block, and of a power
//	lo, hi         sums for each class
//	t, R23         halves of a sum
//	mask           of class 4, on MIPS64 of 2 and 3. The other masks are on the stack
//	state          the hash, between reductions
//
// # Bound
//
// MIPS 24K, 34K and 1004K: one instruction starts in a cycle. Their multiplier and that of the
// 74K take the same time for all operands. For a word of eight blocks there are 200 products, 82
// reads of 41 sums, 72 XORs, 40 classes of blocks, for which 40 words and masks are loaded, and
// 40 loads of classes of powers: with the end, 504 instructions. Nine of these, 200 for the words
// of blocks and 100 for the reduction are 38 a byte. Readers of a sum wait for it five cycles,
// which makes it 42 cycles a byte in this order.
//
// On MIPS64 there are 80 products for a word of four blocks, with 160 reads and 150 XORs: with the
// others, 469 instructions, and 24 a byte.
package main

import (
	"flag"
	"math/bits"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/mips"
)

//go:generate go run . -goarch mips -out ../../../internal/ghash/internal/mips/ghash_mips.s -declarations ../../../internal/ghash/internal/mips/ghash_mips.go
//go:generate go run . -goarch mipsle -out ../../../internal/ghash/internal/mips/ghash_mipsle.s -declarations ../../../internal/ghash/internal/mips/ghash_mipsle.go
//go:generate go run . -goarch mips64 -out ../../../internal/ghash/internal/mips/ghash_mips64.s -declarations ../../../internal/ghash/internal/mips/ghash_mips64.go
//go:generate go run . -goarch mips64le -out ../../../internal/ghash/internal/mips/ghash_mips64le.s -declarations ../../../internal/ghash/internal/mips/ghash_mips64le.go

func main() {
	goarch := flag.String("goarch", "mips", "`architecture`, as in GOARCH")
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target(*goarch)}
	for _, reversed := range []bool{false, true} {
		if file.Target.Pointer == 4 {
			eights(file, reversed)
			fewBlocks(file, reversed)
		} else {
			fours(file, reversed)
			few64(file, reversed)
		}
	}
	file.Write(*out, *declarations)
}

const (
	classes = 5
	blocks  = 8 // that share a reduction, and powers
	factors = 9 // words of an element, and sums of these
	row     = 4 * factors
	power   = 4 * classes
	powers  = blocks * power // of a factor
)

// A kernel is a function under construction.
type kernel struct {
	*asm.Func
	file                *asm.File
	reversed            bool
	most                int // blocks that share a reduction
	x, y, lo, hi        []asm.Reg
	t, mask, table, row asm.Reg
	state               []asm.Reg // the low word first
	// On the stack: the words of each block and their sums, of which those of the first block
	// become lower halves of products, and a row of upper halves; the masks of classes.
	words, masks asm.Local
}

func begin(file *asm.File, name, arguments string, most int, reversed bool) *kernel {
	if reversed {
		name += "Reversed"
	}
	k := &kernel{Func: file.Func(name, arguments), file: file, reversed: reversed, most: most}
	k.words, k.masks = k.Local("words", (most+1)*row), k.Local("masks", 4*classes)
	k.x, k.y = k.Several(Integer, "x", classes), k.Several(Integer, "y", classes)
	k.lo, k.hi = k.Several(Integer, "lo", classes), k.Several(Integer, "hi", classes)
	k.t, k.mask, k.table, k.row = k.New(Integer, "t"), k.New(Integer, "mask"), k.New(Integer, "table"), k.New(Integer, "row")
	k.state = k.Several(Integer, "state", 4)
	for i := range classes {
		k.Add(MOVI(int(int32(classBits(i))), k.t), SetLocal(k.t, k.masks.At(4*i)))
	}
	return k
}

// order is where the contract says which order of bytes a function is for.
func order(reversed bool) string {
	if reversed {
		return "RFC 8452, appendix A, in which every block is byte-reversed"
	}
	return "NIST SP 800-38D"
}

// classBits are the bits of a class.
func classBits(i int) uint32 {
	m := uint32(0)
	for b := i; b < 32; b += classes {
		m |= 1 << b
	}
	return m
}

// place is where a word of an element is in memory, of which 0 is the lowest.
func (k *kernel) place(i int) int {
	if k.reversed {
		return 4 * i
	}
	return 12 - 4*i
}

// swap changes the order of the bytes of a word if that of memory is not the machine's.
func (k *kernel) swap(x asm.Reg) (s asm.Stream) {
	if k.file.Target.BigEndian == k.reversed {
		s.Add(WSBH(x, x), ROTR(16, x, x))
	}
	return s
}

func (k *kernel) loadState() {
	k.LoadArg("y", k.t)
	for i, s := range k.state {
		k.Add(LW(k.place(i), k.t, s))
		k.Add(k.swap(s)...)
	}
}

func (k *kernel) storeState() {
	k.LoadArg("y", k.t)
	for i, s := range k.state {
		k.Add(k.swap(s)...)
		k.Add(SW(s, k.place(i), k.t))
	}
}

// block loads a block at p, adds the hash if it is in front, and stores its words and their sums.
// to returns the store of one of them. Blocks alternate between registers.
func (k *kernel) block(offset int, p asm.Reg, front bool, registers int, to func(x asm.Reg, factor int) asm.Op) (s asm.Stream) {
	r, sums := k.x[:4], k.lo[:5]
	if registers%2 == 1 {
		r, sums = k.y[:4], k.hi[:5]
	}
	for i, x := range r {
		s.Add(In("text", LW(offset+k.place(i), p, x)))
		s.Add(k.swap(x)...)
		if front {
			s.Add(XOR(k.state[i], x, x))
		}
	}
	a, b, c, d := r[0], r[1], r[2], r[3]
	s.Add(
		to(a, 0), to(b, 1), to(c, 3), to(d, 4),
		XOR(a, b, sums[0]), to(sums[0], 2),
		XOR(c, d, sums[1]), to(sums[1], 5),
		XOR(a, c, sums[2]), to(sums[2], 6),
		XOR(b, d, sums[3]), to(sums[3], 7),
		XOR(sums[0], sums[1], sums[4]), to(sums[4], 8),
	)
	return s
}

// A pair is the numbers of the classes of a product.
type pair struct{ x, y int }

// pairsOf returns the pairs whose products have a class.
func pairsOf(class int) (p []pair) {
	for i := range classes {
		p = append(p, pair{i, (class - i + classes) % classes})
	}
	return p
}

// A count is how many pairs of bits have a sum.
type count [63]int

func (c count) add(p pair) count {
	for a := p.x; a < 32; a += classes {
		for b := p.y; b < 32; b += classes {
			c[a+b]++
		}
	}
	return c
}

func (c count) fits() bool {
	for _, n := range c {
		if n >= 1<<classes {
			return false
		}
	}
	return true
}

// upper is an upper half of a sum. No instruction between labels here is one for which the
// assembler needs this register.
var upper = R(23)

// A sums is the products that are in HI:LO.
type sums struct {
	*kernel
	count count
	empty bool
	first [classes]bool // whether the next sum of a class is the first one
}

// multiply adds a product.
func (s *sums) multiply(p pair) asm.Op {
	s.count = s.count.add(p)
	if !s.count.fits() {
		panic("a sum is too large")
	}
	if s.empty {
		s.empty = false
		return MULTU(s.x[p.x], s.y[p.y])
	}
	return MADDU(s.x[p.x], s.y[p.y])
}

// read adds HI:LO to the sums of a class.
func (s *sums) read(class int) (c asm.Stream) {
	if s.first[class] {
		c.Add(MFLO(s.lo[class]), MFHI(s.hi[class]))
	} else {
		c.Add(MFLO(s.t), XOR(s.t, s.lo[class], s.lo[class]), MFHI(upper), XOR(upper, s.hi[class], s.hi[class]))
	}
	s.count, s.empty, s.first[class] = count{}, true, false
	return c
}

// all is all products of classes that are not crowded.
func (s *sums) all() (c asm.Stream) {
	for _, class := range []int{0, 2, 3, 4} {
		for _, p := range pairsOf(class) {
			c.Add(s.multiply(p))
		}
		c.Add(s.read(class)...)
	}
	return c
}

// crowded is the class of which 32 pairs of bits have the same sum.
const crowded = 1

// take returns the pairs of class crowded of which the most pairs of bits fit into the sum, and
// the others.
func (s *sums) take() (now, rest []pair) {
	most := 0
	for set := range 1 << classes {
		c, in, out, n := s.count, []pair(nil), []pair(nil), 0
		for i, p := range pairsOf(crowded) {
			if set>>i&1 == 0 {
				out = append(out, p)
				continue
			}
			in, c = append(in, p), c.add(p)
			n += bits.OnesCount32(classBits(p.x)) * bits.OnesCount32(classBits(p.y))
		}
		if c.fits() && n > most {
			now, rest, most = in, out, n
		}
	}
	return now, rest
}

// load loads the classes of a word of a block and of a power. The mask of the last class is in
// a register, or in memory if loaded is where it goes.
func (k *kernel) load(x, y int, mask asm.Reg, loaded bool) (c asm.Stream) {
	last := classes - 1
	c.Add(LW(x, k.row, k.x[last]))
	for i := range last {
		c.Add(GetLocal(k.masks.At(4*i), k.x[i]), AND(k.x[last], k.x[i], k.x[i]))
	}
	if loaded {
		c.Add(GetLocal(k.masks.At(4*last), mask))
	}
	c.Add(AND(mask, k.x[last], k.x[last]))
	for i, r := range k.y {
		c.Add(LW(y+4*i, k.table, r))
	}
	return c
}

// finish makes a product of words of the sums, in the registers of the first class. Bit 0 of
// upper halves is bit 32 of sums, which has class 2.
func (k *kernel) finish() (c asm.Stream) {
	mask := k.x[0]
	for i := range classes {
		lo, hi := k.lo[i], k.hi[(i+32)%classes]
		c.Add(GetLocal(k.masks.At(4*i), mask), AND(mask, lo, lo), AND(mask, hi, hi))
	}
	for i := 1; i < classes; i++ {
		c.Add(OR(k.lo[i], k.lo[0], k.lo[0]), OR(k.hi[i], k.hi[0], k.hi[0]))
	}
	return c
}

// reduce makes the state of the products.
func (k *kernel) reduce() (c asm.Stream) {
	// half is a product of halves of elements, or of sums of halves, from three products.
	half := func(first int, to []asm.Reg) {
		m0, m1, h0, h1 := k.x[0], k.x[1], k.x[2], k.x[3]
		l0, l1 := to[0], to[1]
		for i, r := range [][2]asm.Reg{{l0, l1}, {h0, h1}, {m0, m1}} {
			c.Add(GetLocal(k.words.At(4*(first+i)), r[0]), GetLocal(k.words.At(k.most*row+4*(first+i)), r[1]))
		}
		c.Add(
			XOR(l1, h0, h0),
			XOR(h0, m0, m0), XOR(l0, m0, l1),
			XOR(h0, m1, m1), XOR(h1, m1, to[2]),
			MOVR(h1, to[3]),
		)
	}
	l, h, m := k.lo[:4], k.hi[:4], k.y[:4]
	half(0, l)
	half(3, h)
	half(6, m)
	c.Add(
		XOR(l[2], h[0], h[0]), XOR(l[3], h[1], h[1]),
		XOR(l[0], m[0], m[0]), XOR(h[0], m[0], l[2]),
		XOR(l[1], m[1], m[1]), XOR(h[1], m[1], l[3]),
		XOR(h[2], m[2], m[2]), XOR(h[0], m[2], h[0]),
		XOR(h[3], m[3], m[3]), XOR(h[1], m[3], h[1]),
	)
	// Adding a multiple of x^128 + x^127 + x^126 + x^121 + 1 clears the lowest word.
	r := append(l[:4:4], h...)
	for i := range 4 {
		w, next, same, t := r[i], r[i+3], r[i+4], k.t
		c.Add(XOR(w, same, same))
		for _, n := range []int{1, 2, 7} {
			c.Add(SRL(n, w, t), XOR(t, same, same))
		}
		for _, n := range []int{1, 2, 7} {
			c.Add(SLL(32-n, w, t), XOR(t, next, next))
		}
	}
	for i, s := range k.state {
		c.Add(MOVR(h[i], s))
	}
	return c
}

// eights writes the hash of eight blocks at a time.
func eights(file *asm.File, reversed bool) {
	k := begin(file, "eights", "(t *Powers, y, p *byte, n int)", blocks, reversed)
	k.Doc = k.Name + ` continues the hash y over n > 0 bytes, a multiple of 128. It needs all powers. y and p
		are at multiples of 4. The order of bytes is that of ` + order(reversed) + `.`
	k.Secret = "t y p"
	k.Banner = "504 instructions for each of nine products of words of eight blocks."
	local := k.Local("done", 4)
	p, done, end := k.New(Integer, "p"), k.New(Integer, "done"), k.x[0]
	k.loadState()
	k.LoadArg("p", p)
	k.Add(MOVR(ZERO, done))

	k.Label("blocks")
	k.Add(SetLocal(done, local.At(0)))
	var s asm.Stream
	for b := range blocks {
		s.Add(k.block(16*b, p, b == 0, b, func(x asm.Reg, factor int) asm.Op {
			return In("words", SetLocal(x, k.words.At(b*row+4*factor)))
		})...)
	}
	k.Add(asm.Schedule(s, M24K)...)
	k.LoadArg("t", k.table)
	k.Add(AddressLocal(file.Target, k.words.At(0), k.row), GetLocal(k.masks.At(4*(classes-1)), k.mask))

	k.Label("words")
	s = nil
	c := sums{kernel: k, empty: true, first: [classes]bool{true, true, true, true, true}}
	for b := range blocks {
		s.Add(k.load(b*row, b*power, k.mask, false)...)
		now, rest := c.take()
		for _, p := range now {
			s.Add(c.multiply(p))
		}
		s.Add(c.read(crowded)...)
		s.Add(c.all()...)
		for _, p := range rest {
			s.Add(c.multiply(p))
		}
	}
	if !c.empty {
		s.Add(c.read(crowded)...)
	}
	s.Add(k.finish()...)
	s.Add(SW(k.lo[0], 0, k.row), SW(k.hi[0], blocks*row, k.row), ADDIU(powers, k.table, k.table), ADDIU(4, k.row, k.row))
	k.Add(asm.Schedule(s, M24K)...)
	k.Add(AddressLocal(file.Target, k.words.At(row), end), BNE(k.row, end, "words"))

	k.Add(asm.Schedule(k.reduce(), M24K)...)
	// p is the argument and what has been read: pointers do not go to memory.
	k.LoadArg("p", p)
	k.LoadArg("n", k.t)
	k.Add(GetLocal(local.At(0), done), ADDIU(16*blocks, done, done), ADDU(done, p, p), BNE(done, k.t, "blocks"))
	k.storeState()
	for i := range (blocks + 1) * factors {
		k.Add(SetLocal(ZERO, k.words.At(4*i)))
	}
	k.Add(RET())
}

// fewBlocks writes the hash of fewer blocks.
func fewBlocks(file *asm.File, reversed bool) {
	const most = blocks - 1
	k := begin(file, "few", "(t *Powers, y, p *byte, n int)", most, reversed)
	k.Doc = k.Name + ` continues the hash y over n blocks, 1 to 7. It needs as many powers. y and p are at
		multiples of 4. The order of bytes is that of ` + order(reversed) + `.`
	k.Secret = "t y p"
	k.Cases = []string{"n=1|2|3|4|5|6|7"}
	k.Banner = "For each of nine products of words, 69 instructions for a block and 44 for all."
	local := k.Local("next", 8) // what leads from a product of words to the next one, in the table and in words
	p, n, end, at := k.New(Integer, "p"), k.New(Integer, "n"), k.mask, k.x[0]
	k.loadState()
	k.LoadArg("p", p)
	k.LoadArg("n", n)
	k.Add(
		SLL(2, n, k.x[0]), SLL(4, n, k.x[1]), ADDU(k.x[0], k.x[1], k.x[0]),
		MOVI(powers, k.x[1]), SUBU(k.x[0], k.x[1], k.x[1]), SetLocal(k.x[1], local.At(0)),
		SLL(2, n, k.x[0]), SLL(5, n, k.x[1]), ADDU(k.x[0], k.x[1], k.x[0]),
		SUBU(k.x[0], ZERO, k.x[0]), SetLocal(k.x[0], local.At(4)),
		AddressLocal(file.Target, k.words.At(0), k.row),
	)

	k.Label("load")
	s := k.block(0, p, true, 0, func(x asm.Reg, factor int) asm.Op { return In("words", SW(x, 4*factor, k.row)) })
	for _, x := range k.state {
		s.Add(MOVR(ZERO, x))
	}
	s.Add(ADDIU(-1, n, n), ADDIU(16, p, p), ADDIU(row, k.row, k.row))
	k.Add(asm.Schedule(s, M24K)...)
	k.Add(BNE(n, ZERO, "load"))
	k.LoadArg("t", k.table)
	k.Add(
		AddressLocal(file.Target, k.words.At(0), k.row),
		MOVR(k.table, end), ADDIU(powers, end, end),
		GetLocal(local.At(0), k.t), ADDU(k.t, k.table, k.table),
	)

	k.Label("words")
	for i := range classes {
		k.Add(MOVR(ZERO, k.lo[i]), MOVR(ZERO, k.hi[i]))
	}
	k.Label("blocks")
	c := sums{kernel: k, empty: true}
	s = k.load(0, 0, k.t, true)
	s.Add(ADDIU(row, k.row, k.row), ADDIU(power, k.table, k.table))
	now, rest := c.take()
	for _, pairs := range [][]pair{now, rest} {
		for _, p := range pairs {
			s.Add(c.multiply(p))
		}
		s.Add(c.read(crowded)...)
	}
	s.Add(c.all()...)
	k.Add(asm.Schedule(s, M24K)...)
	k.Add(BNE(k.table, end, "blocks"))
	s = append(k.finish(),
		GetLocal(local.At(4), k.t), ADDU(k.t, k.row, k.row),
		SW(k.lo[0], 0, k.row), SW(k.hi[0], most*row, k.row), ADDIU(4, k.row, k.row),
		GetLocal(local.At(0), k.t), ADDU(k.t, k.table, k.table), ADDIU(powers, end, end),
		AddressLocal(file.Target, k.words.At(row), at),
	)
	k.Add(asm.Schedule(s, M24K)...)
	k.Add(BNE(k.row, at, "words"))

	k.Add(asm.Schedule(k.reduce(), M24K)...)
	k.storeState()
	k.LoadArg("n", n)
	k.Add(AddressLocal(file.Target, k.words.At(0), k.row))
	k.Label("wipe")
	for i := range factors {
		k.Add(SW(ZERO, 4*i, k.row))
	}
	k.Add(ADDIU(row, k.row, k.row), ADDIU(-1, n, n), BNE(n, ZERO, "wipe"))
	for i := range factors {
		k.Add(SetLocal(ZERO, k.words.At(most*row+4*i)))
	}
	k.Add(RET())
}
