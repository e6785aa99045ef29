package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/mips"
)

// Sizes on MIPS64, in bytes.
const (
	classes64 = 4
	blocks64  = 4 // that share a reduction, and powers
	factors64 = 3
	parts64   = classes64 + 1 // of a factor: its classes without their highest bits, and those bits
	row64     = 8 * factors64
	factor64  = 8 * parts64
	power64   = factors64 * factor64
)

// A kernel64 is a function under construction.
type kernel64 struct {
	*asm.Func
	file            *asm.File
	reversed        bool
	most            int // blocks that share a reduction
	x, y, lo, hi    []asm.Reg
	mask            []asm.Reg // of the last classes
	t, table, row   asm.Reg
	state           []asm.Reg // the low word first
	words, constant asm.Local // as words and masks of a kernel
}

func begin64(file *asm.File, name string, most, masks int, reversed bool) *kernel64 {
	if reversed {
		name += "Reversed"
	}
	k := &kernel64{Func: file.Func(name, "(t *Powers, y, p *byte, n int)"), file: file, reversed: reversed, most: most}
	k.Secret = "t y p"
	k.words, k.constant = k.Local("words", (most+1)*row64), k.Local("masks", 8*classes64)
	k.x, k.y = k.Several(Integer, "x", classes64), k.Several(Integer, "y", parts64)
	k.lo, k.hi = k.Several(Integer, "lo", parts64), k.Several(Integer, "hi", parts64)
	k.mask = k.Several(Integer, "mask", masks)
	k.t, k.table, k.row = k.New(Integer, "t"), k.New(Integer, "table"), k.New(Integer, "row")
	k.state = k.Several(Integer, "state", 2)
	k.Add(MOVI(0x11111111, k.t), SLLV(32, k.t, k.lo[0]), OR(k.lo[0], k.t, k.t))
	for i := range classes64 {
		k.Add(SetLocalV(k.t, k.constant.At(8*i)), SLLV(1, k.t, k.t))
	}
	return k
}

func (k *kernel64) place(i int) int {
	if k.reversed {
		return 8 * i
	}
	return 8 - 8*i
}

func (k *kernel64) swap(x asm.Reg) (s asm.Stream) {
	if k.file.Target.BigEndian == k.reversed {
		s.Add(DSBH(x, x), DSHD(x, x))
	}
	return s
}

func (k *kernel64) loadState() {
	k.LoadArg("y", k.t)
	for i, s := range k.state {
		k.Add(LD(k.place(i), k.t, s))
		k.Add(k.swap(s)...)
	}
}

func (k *kernel64) storeState() {
	k.LoadArg("y", k.t)
	for i, s := range k.state {
		k.Add(k.swap(s)...)
		k.Add(SD(s, k.place(i), k.t))
	}
}

func (k *kernel64) loadMasks() {
	for i, m := range k.mask {
		k.Add(GetLocalV(k.constant.At(8*(classes64-len(k.mask)+i)), m))
	}
}

// block is that of kernel.
func (k *kernel64) block(offset int, p asm.Reg, front bool, registers int, to func(x asm.Reg, factor int) asm.Op) (s asm.Stream) {
	r, sum := k.x[2*(registers%2):][:2], k.y[registers%2]
	for i, x := range r {
		s.Add(In("text", LD(offset+k.place(i), p, x)))
		s.Add(k.swap(x)...)
		if front {
			s.Add(XOR(k.state[i], x, x))
		}
	}
	s.Add(to(r[0], 0), to(r[1], 1), XOR(r[0], r[1], sum), to(sum, 2))
	return s
}

// products adds the products of a word of a block, at x from row, and a factor, at y from table.
func (k *kernel64) products(x, y int, first bool) (c asm.Stream) {
	last := classes64 - 1
	c.Add(LD(x, k.row, k.x[last]))
	for i, x := range k.x {
		if m := i - (classes64 - len(k.mask)); m >= 0 {
			c.Add(AND(k.mask[m], k.x[last], x))
		} else {
			c.Add(GetLocalV(k.constant.At(8*i), x), AND(k.x[last], x, x))
		}
	}
	for i, r := range k.y {
		c.Add(LD(y+8*i, k.table, r))
	}
	for class := range parts64 {
		for i := range classes64 {
			j := classes64
			if class < classes64 {
				j = (class - i + classes64) % classes64
			}
			c.Add(MULVU(k.x[i], k.y[j]))
			if first && i == 0 {
				c.Add(MFLOV(k.lo[class]), MFHIV(k.hi[class]))
			} else {
				c.Add(MFLOV(k.t), XOR(k.t, k.lo[class], k.lo[class]), MFHIV(upper), XOR(upper, k.hi[class], k.hi[class]))
			}
		}
	}
	return c
}

// finish makes a product of words of the sums, in the registers of the first class.
func (k *kernel64) finish() (c asm.Stream) {
	lo, hi, mask := k.lo, k.hi, k.x[0]
	for i := range classes64 {
		c.Add(GetLocalV(k.constant.At(8*i), mask), AND(mask, lo[i], lo[i]), AND(mask, hi[i], hi[i]))
		if i > 0 {
			c.Add(OR(lo[i], lo[0], lo[0]), OR(hi[i], hi[0], hi[0]))
		}
	}
	l, h := lo[classes64], hi[classes64] // products with the highest bits of a factor: 60 bits further
	c.Add(
		SLLV(60, h, h), XOR(h, hi[0], hi[0]),
		SRLV(4, l, k.t), XOR(k.t, hi[0], hi[0]),
		SLLV(60, l, l), XOR(l, lo[0], lo[0]),
	)
	return c
}

// reduce makes the state of the products.
func (k *kernel64) reduce() (c asm.Stream) {
	l, h, m := k.lo[:2], k.hi[:2], k.x[:2]
	for i, r := range [][]asm.Reg{l, h, m} {
		c.Add(GetLocalV(k.words.At(8*i), r[0]), GetLocalV(k.words.At(k.most*row64+8*i), r[1]))
	}
	t, u := k.y[0], k.y[1]
	c.Add(
		XOR(l[1], h[0], t),
		XOR(l[0], m[0], u), XOR(t, u, l[1]),
		XOR(h[1], m[1], u), XOR(t, u, h[0]),
	)
	r := []asm.Reg{l[0], l[1], h[0], h[1]}
	for i := range 2 {
		w, next, same := r[i], r[i+1], r[i+2]
		c.Add(XOR(w, same, same))
		for _, n := range []int{1, 2, 7} {
			c.Add(SRLV(n, w, t), XOR(t, same, same))
		}
		for _, n := range []int{1, 2, 7} {
			c.Add(SLLV(64-n, w, t), XOR(t, next, next))
		}
	}
	c.Add(MOVRV(h[0], k.state[0]), MOVRV(h[1], k.state[1]))
	return c
}

// fours writes the hash of four blocks at a time.
func fours(file *asm.File, reversed bool) {
	k := begin64(file, "fours", blocks64, 2, reversed)
	k.Doc = k.Name + ` continues the hash y over n > 0 bytes, a multiple of 64. y and p are at multiples of 8.
		The order of bytes is that of ` + order(reversed) + `.`
	k.Banner = "469 instructions for each of three products of words of four blocks."
	local := k.Local("done", 8)
	p, done, end := k.New(Integer, "p"), k.New(Integer, "done"), k.x[0]
	k.loadState()
	k.LoadArg("p", p)
	k.Add(MOVRV(ZERO, done))

	k.Label("blocks")
	k.Add(SetLocalV(done, local.At(0)))
	var s asm.Stream
	for b := range blocks64 {
		s.Add(k.block(16*b, p, b == 0, b, func(x asm.Reg, factor int) asm.Op {
			return In("words", SetLocalV(x, k.words.At(b*row64+8*factor)))
		})...)
	}
	k.Add(asm.Schedule(s, M24K)...)
	k.LoadArg("t", k.table)
	k.Add(AddressLocal(file.Target, k.words.At(0), k.row))
	k.loadMasks()

	k.Label("words")
	s = nil
	for b := range blocks64 {
		s.Add(k.products(b*row64, (blocks64-1-b)*power64, b == 0)...)
	}
	s.Add(k.finish()...)
	s.Add(SD(k.lo[0], 0, k.row), SD(k.hi[0], blocks64*row64, k.row), ADDIVU(factor64, k.table, k.table), ADDIVU(8, k.row, k.row))
	k.Add(asm.Schedule(s, M24K)...)
	k.Add(AddressLocal(file.Target, k.words.At(row64), end), BNE(k.row, end, "words"))

	k.Add(asm.Schedule(k.reduce(), M24K)...)
	// p is the argument and what has been read: pointers do not go to memory.
	k.LoadArg("p", p)
	k.LoadArg("n", k.t)
	k.Add(GetLocalV(local.At(0), done), ADDIVU(16*blocks64, done, done), ADDVU(done, p, p), BNE(done, k.t, "blocks"))
	k.storeState()
	for i := range (blocks64 + 1) * factors64 {
		k.Add(SetLocalV(ZERO, k.words.At(8*i)))
	}
	k.Add(RET())
}

// few64 writes the hash of fewer blocks.
func few64(file *asm.File, reversed bool) {
	const most = blocks64 - 1
	k := begin64(file, "few", most, 1, reversed)
	k.Doc = k.Name + ` continues the hash y over n blocks, 1 to 3. y and p are at multiples of 8. The order of
		bytes is that of ` + order(reversed) + `.`
	k.Cases = []string{"n=1|2|3"}
	k.Banner = "For each of three products of words, 118 instructions for a block and 46 for all."
	local := k.Local("next", 16) // what leads from a product of words to the next one, in the table and in words
	p, n, at := k.New(Integer, "p"), k.New(Integer, "n"), k.x[0]
	k.loadState()
	k.LoadArg("p", p)
	k.LoadArg("n", n)
	times := func(c int, to asm.Reg) { // 24 and 120
		k.Add(SLLV(4, n, k.x[0]), SLLV(3, n, k.x[1]), ADDVU(k.x[0], k.x[1], to))
		if c == power64 {
			k.Add(SLLV(2, to, k.x[0]), ADDVU(k.x[0], to, to))
		}
	}
	times(row64, k.x[2])
	k.Add(SUBVU(k.x[2], ZERO, k.x[2]), SetLocalV(k.x[2], local.At(0)))
	times(power64, k.x[2])
	k.Add(
		SetLocalV(k.x[2], local.At(8)),
		AddressLocal(file.Target, k.words.At(0), k.row),
	)

	k.Label("load")
	s := k.block(0, p, true, 0, func(x asm.Reg, factor int) asm.Op { return In("words", SD(x, 8*factor, k.row)) })
	for _, x := range k.state {
		s.Add(MOVRV(ZERO, x))
	}
	s.Add(ADDIVU(-1, n, n), ADDIVU(16, p, p), ADDIVU(row64, k.row, k.row))
	k.Add(asm.Schedule(s, M24K)...)
	k.Add(BNE(n, ZERO, "load"))
	k.LoadArg("t", k.table)
	k.Add(AddressLocal(file.Target, k.words.At(0), k.row))
	k.loadMasks()

	k.Label("words")
	k.Add(GetLocalV(local.At(8), k.t), ADDVU(k.t, k.table, k.table))
	for i := range parts64 {
		k.Add(MOVRV(ZERO, k.lo[i]), MOVRV(ZERO, k.hi[i]))
	}
	k.LoadArg("n", n)
	k.Label("blocks")
	s = append(k.products(0, -power64, false),
		ADDIVU(row64, k.row, k.row), ADDIVU(-power64, k.table, k.table), ADDIVU(-1, n, n),
	)
	k.Add(asm.Schedule(s, M24K)...)
	k.Add(BNE(n, ZERO, "blocks"))
	s = append(k.finish(),
		GetLocalV(local.At(0), k.t), ADDVU(k.t, k.row, k.row),
		SD(k.lo[0], 0, k.row), SD(k.hi[0], most*row64, k.row), ADDIVU(8, k.row, k.row),
		ADDIVU(factor64, k.table, k.table),
		AddressLocal(file.Target, k.words.At(row64), at),
	)
	k.Add(asm.Schedule(s, M24K)...)
	k.Add(BNE(k.row, at, "words"))

	k.Add(asm.Schedule(k.reduce(), M24K)...)
	k.storeState()
	for i := range (most + 1) * factors64 {
		k.Add(SetLocalV(ZERO, k.words.At(8*i)))
	}
	k.Add(RET())
}
