// Command loong64 writes the GHASH kernels for LSX and LASX.
//
// # Algorithm
//
// NIST SP 800-38D, section 6.4. LoongArch has no carry-less multiplication, but the product with H is linear:
// it is the sum of what each nibble of the block contributes, and VSHUFB looks up 16 nibbles at once in a table
// of 16 bytes. For nibble values v of degrees 0 to 3, table d has byte d of v H, and for those of
// degrees 4 to 7 that of v x^4 H, all reduced modulo the polynomial. Byte i of the block has the factor
// x^(8i), so that with n and m the nibbles of all bytes
//
//	y = sum over d of (look-up of n in table d + look-up of m in table' d) x^(8d)
//
// where a factor x^8 moves bytes by one. The sum has the degree 247 at most: Horner's rule computes it in two
// vectors, and four shifts reduce it. Groups of four, two or one block with the powers of H share this.
//
// Other methods take more instructions, per byte with LSX. Integer products with holes: a product of 32 bits is 16
// VMULWEV and VMULWOD of two lanes each with a sum for every one, and 9 of them for a block by Karatsuba's method
// twice: 9 * 16 * 2 / 2 / 16 = 9, and 4 to reduce and mask. In general registers 3 products of
// 64 bits are 16 MULV and MULHVU each, with sums 3 * 16 * 4 / 16 = 12, and 3 more. Planes of bits: 128 * 128 AND
// and XOR for 128 blocks, after Karatsuba's method three times 27 * 16 * 16 * 2 / 128 / 16 = 6.8, but messages
// of 2 KiB at least.
//
// # Registers
//
//	name     what
//	n, m     nibbles of the blocks of a group
//	lo, hi   the sum: the part below x^128 and above
//	a, b     look-ups
//	window   indices 15 to 30: hi x^8 with a byte of lo
//	order    of the bytes in a block: GHASH or POLYVAL
//	y        the hash, with LASX in the lower half of a vector whose upper half is 0
//
// # Bound
//
// Instructions for LA464: a vector takes 32 look-ups, each with a load and a sum, and 5 for its nibbles; a group 30 for
// Horner's rule, 15 for the reduction and 4 in the loop. Four blocks with LSX take 453, 7.1 per byte, and with LASX
// 258, 4.0.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/loong64"
)

//go:generate go run . -out ../../../internal/ghash/internal/loong64/ghash_loong64.s -declarations ../../../internal/ghash/internal/loong64/ghash_loong64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	window := make([]byte, 16)
	for i := range window {
		window[i] = byte(15 + i)
	}
	table := file.Table("window", "Moves bytes by one, from one vector to another.", window)
	set(file)
	update(file, table, LSX, "updateLSX")
	update(file, table, LASX, "updateLASX")
	file.Write(*out, *declarations)
}

// Offsets in Powers: a row has four tables of 16 bytes, for H^4 to H.
const (
	rowSize   = 64
	rows      = 32 // two for each d
	powerSize = 16
)

func set(file *asm.File) {
	f := file.Func("setPower", "(t *byte, h *[16]byte)")
	f.Doc = "setPower writes the 32 tables of a power h of the hash key, at the offset of that power."
	f.Banner = "All multiples of h by nibbles are 16 vectors, which are transposed."
	f.Secret = "t h"
	t, h := f.Arg("t"), f.Arg("h")
	m := f.Several(Vector, "m", 16)
	x, carry, zero, free := f.New(Vector, "x"), f.New(Vector, "carry"), f.New(Vector, "zero"), f.New(Vector, "free")
	f.Add(LSX.REPLICATE(D, ZERO, zero), LSX.Load(0, h, x))
	// next multiplies x by x: bits move to the right, and the last one becomes 0xe1 in the first byte.
	next := func() {
		f.Add(
			LSX.SLLI(B, 7, x, carry), LSX.SRLI(B, 1, x, x),
			LSX.BSLL(1, carry, free), LSX.XOR(free, x, x),
			LSX.BSRL(15, carry, carry), LSX.SRLI(B, 7, carry, carry), LSX.SUB(B, carry, zero, carry),
			LSX.ANDIB(0xe1, carry, carry), LSX.XOR(carry, x, x),
		)
	}
	for half := range 2 {
		for _, v := range []int{8, 4, 2, 1} {
			if half > 0 || v < 8 {
				next()
			}
			f.Add(LSX.OR(x, zero, m[v]))
		}
		f.Add(LSX.OR(zero, zero, m[0]))
		for v := 3; v < 16; v++ {
			if low := v & -v; low != v {
				f.Add(LSX.XOR(m[low], m[v-low], m[v]))
			}
		}
		// Each step rotates the number of a byte, 8 bits for vector and place, by one bit.
		for range 4 {
			var shuffled []asm.Reg
			for i := range 8 {
				a, b := m[i], m[i+8]
				f.Add(LSX.ILVL(B, a, b, free), LSX.ILVH(B, a, b, b))
				shuffled = append(shuffled, free, b)
				free = a
			}
			m = shuffled
		}
		for d := range m {
			f.Add(LSX.Store(m[d], rowSize*(2*d+half), t))
		}
	}
	f.Add(RET())
}

func update(file *asm.File, table *asm.Table, w Width, name string) {
	f := file.Func(name, "(t *Powers, y *[16]byte, p *byte, n, four int, order *[16]byte)")
	f.Doc = name + " hashes n > 0 blocks, by groups of four while there are at least four blocks, which is 4 or more."
	f.Secret, f.Public = "t y p", "order"
	t, hash, p, n, four, orders := f.Arg("t"), f.Arg("y"), f.Arg("p"), f.Arg("n"), f.Arg("four"), f.Arg("order")
	two, at := f.New(Integer, "two"), f.New(Integer, "at")
	nibbles := [][]asm.Reg{f.Several(Vector, "n", 64/int(w)), f.Several(Vector, "m", 64/int(w))}
	a, b, lo, hi := f.Several(Vector, "a", 2), f.Several(Vector, "b", 2), f.New(Vector, "lo"), f.New(Vector, "hi")
	window, order, y, zero := f.New(Vector, "window"), f.New(Vector, "order"), f.New(Vector, "y"), f.New(Vector, "zero")
	f.Add(
		Address(table, at), LSX.Load(0, at, window), LSX.Load(0, orders, order), LSX.Load(0, hash, y),
		w.REPLICATE(D, ZERO, zero), MOVI(2, two), LSX.SHUFB(order, y, y, y),
	)
	if w == LASX {
		f.Add(PERMIQ(0, window, window), PERMIQ(0, order, order), PERMIQ(2, zero, y))
	}
	// group hashes some blocks, in vectors of a width.
	group := func(w Width, blocks int) {
		vectors := 16 * blocks / int(w)
		first := rowSize - powerSize*blocks // the highest power
		for i := range vectors {
			x := nibbles[1][i]
			f.Add(w.Load(i*int(w), p, x), w.SHUFB(order, x, x, x))
			if i == 0 {
				f.Add(w.XOR(y, x, x))
			}
			f.Add(w.SRLI(B, 4, x, nibbles[0][i]), w.ANDIB(15, x, x))
		}
		for d := 15; d >= 0; d-- {
			switch d {
			case 15:
			case 14:
				f.Add(w.BSRL(15, lo, hi), w.BSLL(1, lo, lo))
			default:
				f.Add(w.SHUFB(window, lo, hi, hi), w.BSLL(1, lo, lo))
			}
			for i := range vectors {
				offset := rowSize*2*d + first + i*int(w)
				a, b := a[i%2], b[i%2]
				f.Add(
					w.Load(offset, t, a), w.Load(offset+rowSize, t, b),
					w.SHUFB(nibbles[0][i], a, a, a), w.SHUFB(nibbles[1][i], b, b, b),
				)
				if d == 15 && i == 0 {
					f.Add(w.XOR(a, b, lo))
				} else {
					f.Add(w.XOR(a, b, a), w.XOR(a, lo, lo))
				}
			}
		}
		// hi x^128 is hi (1 + x + x^2 + x^7), and has the degree 126 at most. Bits move to the right, to the next byte.
		f.Add(
			w.SLLI(B, 7, hi, a[0]), w.SLLI(B, 6, hi, b[0]), w.SLLI(B, 1, hi, a[1]),
			w.XOR(a[0], b[0], a[0]), w.XOR(a[0], a[1], a[0]), w.BSLL(1, a[0], a[0]),
			w.SRLI(B, 1, hi, b[0]), w.SRLI(B, 2, hi, a[1]), w.SRLI(B, 7, hi, b[1]),
			w.XOR(hi, lo, lo), w.XOR(b[0], a[1], b[0]), w.XOR(b[1], a[0], a[0]), w.XOR(b[0], lo, lo), w.XOR(a[0], lo, y),
		)
		if w == LASX { // the sum of the halves
			f.Add(PERMIQ(1, y, a[0]), w.XOR(a[0], y, y), PERMIQ(2, zero, y))
		}
		f.Add(ADDVI(16*blocks, p, p), ADDVI(-blocks, n, n))
	}
	f.Add(BLTU(n, four, "pairs"))
	f.Label("fours")
	group(w, 4)
	f.Add(BGEU(n, four, "fours"), BEQ(n, ZERO, "done"))
	f.Label("pairs")
	f.Add(BLTU(n, two, "single"))
	f.Label("pair")
	group(w, 2)
	f.Add(BGEU(n, two, "pair"), BEQ(n, ZERO, "done"))
	f.Label("single")
	group(LSX, 1)
	f.Label("done")
	f.Add(LSX.SHUFB(order, y, y, y), LSX.Store(y, 0, hash), RET())
}
