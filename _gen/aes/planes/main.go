// Command planes writes the AES kernels on planes of bits, for CPUs without AES instructions or
// vectors: riscv64 with Zbb, MIPS32 and MIPS64 of release 2, and 32-bit Arm from ARMv6 on.
//
// # Algorithm
//
// As many blocks at a time as a register has bytes, and twice as many with 64 bits, as planes of
// bits: a word has one bit of the bytes of one row of the state, with a quarter of its bits for
// each column. So ShiftRows is a rotation of words, and the S-box is a circuit of 106 gates for
// each row, 109 for its inverse. MixColumns, for each bit b and row r, with d[r] = a[r] + a[r+1]:
//
//	d[r] at bit b-1, and at bit 7 for some b; a[r+1] and d[r+2] at bit b; the round key
//
// Decryption adds 4 (a[r] + a[r+2]) to both rows first, and is the same then.
//
// # Registers
//
//	state       memory of 32 planes, and of values of the S-box
//	key         round key
//	all others  the S-box, whose inputs are loaded again if there is no room for them
//
// On Arm the state is on the stack, and all 13 registers are for the S-box.
//
// # Bound
//
// SiFive U74 and SpacemiT X60, which start two instructions in a cycle, one load or store. A
// round has 424 gates of S-boxes, 52 of their loads, 164 for MixColumns and ShiftRows, and 123
// loads and stores for these and the round key: 770 for 256 bytes. All rounds and the planes are
// 35 a byte, which is 18 cycles at best. The Go compiler's code for the same in portable Go
// takes 51.
//
// MIPS 24K, which starts one instruction in a cycle: 424 gates, 56 loads and stores of S-boxes,
// 164 and 123 for the rest are 767 for 128 bytes, 6.0 a byte, and all rounds and the planes 69.
//
// ARM1176, which starts one instruction in a cycle, but takes two for four registers in memory:
// 424 gates, 152 loads and stores of values of the S-boxes, 32 stores of results, and 202 for the
// rest are 810 for 128 bytes. ShiftRows takes none, because second operands are rotated. All
// rounds and the planes are 68.9 a byte.
package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/planes"
)

//go:generate sh -c "go run ../../circuit aes-gates > circuit.tmp && mv circuit.tmp circuit.go"
//go:generate go run . -goarch riscv64 -suffix Zbb -out ../../../internal/aescore/internal/riscv64/aes_zbb_riscv64.s -declarations ../../../internal/aescore/internal/riscv64/aes_zbb_riscv64.go
//go:generate go run . -goarch mips -out ../../../internal/aescore/internal/mips/aes_mips.s -declarations ../../../internal/aescore/internal/mips/aes_mips.go
//go:generate go run . -goarch mipsle -out ../../../internal/aescore/internal/mips/aes_mipsle.s -declarations ../../../internal/aescore/internal/mips/aes_mipsle.go
//go:generate go run . -goarch mips64 -out ../../../internal/aescore/internal/mips/aes_mips64.s -declarations ../../../internal/aescore/internal/mips/aes_mips64.go
//go:generate go run . -goarch mips64le -out ../../../internal/aescore/internal/mips/aes_mips64le.s -declarations ../../../internal/aescore/internal/mips/aes_mips64le.go
//go:generate go run . -goarch arm -out ../../../internal/aescore/internal/arm/aes_planes_arm.s -declarations ../../../internal/aescore/internal/arm/aes_planes_arm.go

func main() {
	goarch := flag.String("goarch", "riscv64", "`architecture`, as in GOARCH")
	suffix := flag.String("suffix", "", "what the `names` of functions and types end with")
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	if *goarch == "arm" {
		armv6().Write(*out, *declarations)
		return
	}
	k := &kernels{Machine: planes.RISCV64, suffix: *suffix}
	if *goarch != "riscv64" {
		k.Machine = planes.MIPS(*goarch)
	}
	registers := len(k.Target.Pool[k.Target.Integer]) - 2
	k.file = &asm.File{Target: k.Target, Proofs: proofs[*goarch]}
	k.box, k.inverse = planes.NewBox(substitute, registers), planes.NewBox(unsubstitute, registers)
	k.lane = 2 * k.Word
	k.blocks = 2 * k.Word
	k.keySize = 32 * k.Word
	k.spilled = 32 * k.Word
	k.lastKey = 15 * k.keySize
	k.encrypt()
	k.ctr()
	k.decrypt()
	k.file.Write(*out, *declarations)
}

// kernels are those for a machine.
type kernels struct {
	*planes.Machine
	file         *asm.File
	suffix       string
	box, inverse *planes.Box
	lane         int // bits of a column
	blocks       int

	// Offsets: of round keys, of what the S-box has no room for in registers, and of the
	// distance to the last round key.
	keySize, spilled, lastKey int
}

// at is the offset of a plane.
func (k *kernels) at(row, bit int) int { return k.Word * (8*row + bit) }

type pass struct {
	*kernels
	*asm.Func
	box        *planes.Box
	state, key asm.Reg
}

// New returns a virtual register.
func (p *pass) New(name string) asm.Reg { return p.Machine.New(p.Func, name) }

// Several returns n virtual registers.
func (p *pass) Several(name string, n int) []asm.Reg { return p.Machine.Several(p.Func, name, n) }

func (p *pass) masks(n ...int) planes.Masks { return planes.NewMasks(p.Func, p.Machine, n...) }

// start begins a function.
func (k *kernels) start(name, signature, doc, secret string, box *planes.Box) *pass {
	name += k.suffix
	signature = strings.NewReplacer("*Keys", "*Keys"+k.suffix, "*State", "*State"+k.suffix).Replace(signature)
	p := &pass{kernels: k, Func: k.file.Func(name, signature), box: box}
	p.Doc = fmt.Sprintf("%s %s\nBlocks are at multiples of %d.", name, doc, k.Word)
	p.Secret, p.Public = secret, "k.Last"
	p.state, p.key = p.Arg("state"), p.New("key")
	p.LoadArg("k", p.key)
	return p
}

func (k *kernels) encrypt() {
	p := k.start("encrypt", "(k *Keys, state *State, dst, src *byte)",
		fmt.Sprintf("encrypts %d blocks.", k.blocks), "k state dst src", k.box)
	p.load(p.blockOf(p.Arg("src")))
	p.firstKey()
	p.rounds()
	p.store(p.blockTo(p.Arg("dst")))
	p.Add(p.Return())
}

func (k *kernels) ctr() {
	p := k.start("ctr", "(k *Keys, state *State, counter *[16]byte, dst, src *byte)",
		fmt.Sprintf("adds the keystream of %d blocks to src. The last 32 bits of the counter count,\nmodulo 2^32. It does not change.", k.blocks),
		"k state counter dst src", k.box)
	if k.Word == 8 {
		p.count64()
	} else {
		p.count32()
	}
	p.firstKey()
	p.rounds()
	p.store(p.sumTo(p.Arg("dst"), p.Arg("src")))
	p.Add(p.Return())
}

// count64 loads blocks of counters as words of 64 bits.
func (p *pass) count64() {
	counter := p.Arg("counter")
	low, high, one := p.New("low"), p.New("high"), p.New("one")
	count := p.Several("count", 2) // of the first blocks in both halves, in the upper 32 bits
	p.Add(p.Load(0, counter, low), p.Load(8, counter, high))
	if p.Target.BigEndian {
		p.Add(
			p.ShiftLeft(32, high, count[0]),
			p.ShiftRight(32, high, high), p.ShiftLeft(32, high, high),
		)
	} else {
		p.Add(p.Reverse(high, count[0])...)
		p.Add(
			p.ShiftLeft(32, count[0], count[0]),
			p.ShiftLeft(32, high, high), p.ShiftRight(32, high, high),
		)
	}
	p.Add(p.Constant(1, one, one)...)
	p.Add(
		p.ShiftLeft(32, one, one),
		p.ShiftLeft(3, one, count[1]), p.Sum(count[0], count[1], count[1]),
	)
	p.load(func(block int, w []asm.Reg) {
		c := count[block/8]
		if p.Target.BigEndian {
			p.Add(p.ShiftRight(32, c, w[1]))
		} else {
			p.Add(p.Reverse(c, w[1])...)
			p.Add(p.ShiftLeft(32, w[1], w[1]))
		}
		p.Add(
			p.OR(high, w[1], w[1]),
			p.Sum(one, c, c),
			p.Move(low, w[0]),
		)
	})
}

// count32 loads blocks of counters as words of 32 bits.
func (p *pass) count32() {
	counter, nonce, count := p.Arg("counter"), p.Several("nonce", 3), p.New("count")
	for i, n := range nonce {
		p.Add(p.Load(4*i, counter, n))
	}
	p.Add(p.Load(12, counter, count))
	if !p.Target.BigEndian {
		p.Add(p.Reverse(count, count)...)
	}
	p.load(func(block int, w []asm.Reg) {
		for i, n := range nonce {
			p.Add(p.Move(n, w[i]))
		}
		if p.Target.BigEndian {
			p.Add(p.Move(count, w[3]))
		} else {
			p.Add(p.Reverse(count, w[3])...)
		}
		p.Add(p.AddConstant(1, count, count))
	})
}

func (k *kernels) decrypt() {
	p := k.start("decrypt", "(k *Keys, state *State, dst, src *byte)",
		fmt.Sprintf("decrypts %d blocks.", k.blocks), "k state dst src", k.inverse)
	size, src := p.New("size"), p.Arg("src")
	p.Add(p.Load(p.lastKey, p.key, size), p.Sum(size, p.key, p.key))
	p.load(p.blockOf(src))
	p.unrounds()
	p.store(p.blockTo(p.Arg("dst")))
	p.Add(p.Return())
}

// blockOf returns a function that loads the words of a block, blockTo one that stores them, and
// sumTo one that adds those of src before.
func (p *pass) blockOf(src asm.Reg) func(block int, w []asm.Reg) {
	return func(block int, w []asm.Reg) {
		for i := range w {
			p.Add(p.Load(16*block+p.Word*i, src, w[i]))
		}
	}
}

func (p *pass) blockTo(dst asm.Reg) func(block int, w []asm.Reg) {
	return func(block int, w []asm.Reg) {
		for i := range w {
			p.Add(p.Store(w[i], 16*block+p.Word*i, dst))
		}
	}
}

func (p *pass) sumTo(dst, src asm.Reg) func(block int, w []asm.Reg) {
	return func(block int, w []asm.Reg) {
		d := p.Several("d", len(w))
		p.blockOf(src)(block, d)
		for i := range w {
			p.Add(p.XOR(d[i], w[i], w[i]))
		}
		p.blockTo(dst)(block, w)
	}
}

// columns exchanges the index of a column or row in a word with that of the word. With 64 bits
// these are words of two blocks, with columns 0 and 1, or 2 and 3; with 32 bits the columns of
// one. Columns of big-endian machines have row 0 in the highest byte: then each step leaves the
// words in the other order.
func (p *pass) columns(m planes.Masks, w []asm.Reg, back bool) {
	steps := []struct{ bits, distance int }{{32, 2}, {16, 2}, {8, 1}}
	if p.Word == 4 {
		steps = steps[1:]
	}
	if back {
		slices.Reverse(steps)
	}
	for _, step := range steps {
		for i := range w {
			if i&step.distance != 0 {
				continue
			}
			a, b := &w[i], &w[i+step.distance]
			if p.Target.BigEndian && back {
				*a, *b = *b, *a
			}
			m.Swap(p.Func, step.bits, *a, *b)
			if p.Target.BigEndian && !back {
				*a, *b = *b, *a
			}
		}
	}
}

// words returns the words of blocks n and n+8 in the order of columns, or of block n.
func (p *pass) words(n int, w []asm.Reg, each func(block int, w []asm.Reg)) {
	if p.Word == 4 {
		each(n, w)
		return
	}
	each(n, []asm.Reg{w[0], w[2]})
	each(n+8, []asm.Reg{w[1], w[3]})
}

func (p *pass) columnMasks() planes.Masks {
	if p.Word == 4 {
		return p.masks(16, 8)
	}
	return p.masks(32, 16, 8)
}

// load makes planes of blocks, without a round key. input adds the loads of a block.
func (p *pass) load(input func(block int, w []asm.Reg)) {
	m := p.columnMasks()
	for n := range 8 {
		p.Scheduled(p.Model, func() {
			w := []asm.Reg{p.New("a"), p.New("b"), p.New("c"), p.New("d")}
			p.words(n, w, input)
			p.columns(m, w, false)
			for r, w := range w {
				p.Add(p.Store(w, p.at(r, n), p.state))
			}
		})
	}
}

// store makes blocks of planes. output adds the stores of a block.
func (p *pass) store(output func(block int, w []asm.Reg)) {
	m := p.columnMasks()
	for n := range 8 {
		p.Scheduled(p.Model, func() {
			w := p.Several("w", 4)
			for r := range w {
				p.Add(p.In("state", p.Load(p.at(r, n), p.state, w[r])))
			}
			p.columns(m, w, true)
			p.words(n, w, output)
		})
	}
}

// row returns the planes of a row, transposed from what load stores.
func (p *pass) row(m planes.Masks, r int) []asm.Reg {
	x := p.Several("x", 8)
	for b := range x {
		p.Add(p.Load(p.at(r, b), p.state, x[b]))
	}
	m.Transpose(p.Func, x)
	return x
}

// addKey adds the round key to a row.
func (p *pass) addKey(x []asm.Reg, r int) {
	for b := range x {
		k := p.New("k")
		p.Add(p.Load(p.at(r, b), p.key, k), p.XOR(k, x[b], x[b]))
	}
}

// rotate moves the columns of a row by r places, in ShiftRows, or back.
func (p *pass) rotate(x asm.Reg, r int) {
	if r %= 4; r != 0 {
		p.Add(p.RotateRight(p.lane*r, x, x))
	}
}

// put stores a row.
func (p *pass) put(x []asm.Reg, r int) {
	for b := range x {
		p.Add(p.Store(x[b], p.at(r, b), p.state))
	}
}

// substitute returns a row after the S-box.
func (p *pass) substitute(r int) []asm.Reg {
	out := p.box.Add(p.Func, p.Machine, p.state, p.at(r, 0), p.spilled)
	return out[:]
}

// firstKey adds the first round key.
func (p *pass) firstKey() {
	m := p.masks(4, 2, 1)
	for r := range 4 {
		x := p.row(m, r)
		p.addKey(x, r)
		p.put(x, r)
	}
	p.Add(p.AddConstant(p.keySize, p.key, p.key))
}

func (p *pass) rounds() {
	p.Label("round")
	var last []asm.Reg // row 3, which stays in registers
	for r := range 4 {
		x := p.substitute(r)
		for _, x := range x {
			p.rotate(x, r)
		}
		if last = x; r < 3 {
			p.put(x, r)
		}
	}
	p.mix(last)
	k, size := p.New("k"), p.New("size")
	p.LoadArg("k", k)
	p.Add(
		p.Load(p.lastKey, k, size),
		p.AddConstant(p.keySize, p.key, p.key),
		p.Sum(k, size, size),
		p.Differ(p.key, size, "round"),
	)

	for r := range 4 {
		x := p.substitute(r)
		for _, x := range x {
			p.rotate(x, r)
		}
		p.addKey(x, r)
		p.masks(4, 2, 1).Transpose(p.Func, x)
		p.put(x, r)
	}
}

// columnsOf returns registers for bit b of all rows. That of row 3 may be there already.
func (p *pass) columnsOf(b int, last []asm.Reg) []asm.Reg {
	a := p.Several("a", 4)
	if last != nil && b < 8 {
		a[3] = last[b]
	}
	return a
}

// loadColumn loads row r.
func (p *pass) loadColumn(a []asm.Reg, r, b int, last []asm.Reg) {
	if r < 3 || last == nil {
		p.Add(p.Load(p.at(r, b), p.state, a[r]))
	}
}

// differences returns the sums of each row and the next one.
func (p *pass) differences(a []asm.Reg) []asm.Reg {
	d := p.Several("d", 4)
	for r := range d {
		p.Add(p.XOR(a[r], a[(r+1)%4], d[r]))
	}
	return d
}

// mix is MixColumns. With last, which is row 3, it also adds the round key. Otherwise it
// is a part of decryption, and followed by the inverse of ShiftRows.
func (p *pass) mix(last []asm.Reg) {
	a := p.columnsOf(7, last)
	for r := range a {
		p.loadColumn(a, r, 7, last)
	}
	top := p.differences(a)
	a = p.columnsOf(0, last)
	for r := range a {
		p.loadColumn(a, r, 0, last)
	}
	before := top
	for b := range 8 {
		d := p.differences(a)
		sum := p.Several("sum", 4)
		for r := range sum {
			p.Add(p.XOR(before[r], a[(r+1)%4], sum[r]))
		}
		// Loads and stores are between other instructions, because only one starts in a cycle,
		// or because they take two.
		k := p.Several("k", 4)
		next := p.columnsOf(b+1, last)
		group := 4
		if p.Model.Width == 1 {
			group = 1 // and needs fewer registers
		}
		for first := 0; first < 4; first += group {
			for r := first; r < first+group; r++ {
				if last != nil {
					p.Add(p.Load(p.at(r, b), p.key, k[r]))
				}
				p.Add(p.XOR(d[(r+2)%4], sum[r], sum[r]))
			}
			for r := first; r < first+group; r++ {
				if last != nil {
					p.Add(p.XOR(k[r], sum[r], sum[r]))
				}
				if b < 7 {
					p.loadColumn(next, r, b+1, last)
				}
			}
			for r := first; r < first+group; r++ {
				if b > 0 && 0x1b>>b&1 == 1 { // x^8 = x^4 + x^3 + x + 1
					p.Add(p.XOR(top[r], sum[r], sum[r]))
				}
				if last == nil {
					p.rotate(sum[r], 4-r)
				}
				if r > 0 {
					p.Add(p.Store(sum[r-1], p.at(r-1, b), p.state))
				}
			}
		}
		p.Add(p.Store(sum[3], p.at(3, b), p.state))
		a = next
		before = d
	}
}

func (p *pass) unrounds() {
	m := p.masks(4, 2, 1)
	for r := range 4 {
		x := p.row(m, r)
		p.addKey(x, r)
		for _, x := range x {
			p.rotate(x, 4-r)
		}
		p.put(x, r)
	}

	p.Label("round")
	for r := range 4 {
		p.put(p.substitute(r), r)
	}
	k := p.New("k")
	p.LoadArg("k", k)
	p.Add(p.AddConstant(-p.keySize, p.key, p.key), p.Equal(p.key, k, "last"))
	p.unmix(0)
	p.unmix(1)
	p.mix(nil)
	p.Add(p.Jump("round"))

	p.Label("last")
	m = p.masks(4, 2, 1)
	for r := range 4 {
		x := p.Several("x", 8)
		for b := range x {
			p.Add(p.Load(p.at(r, b), p.state, x[b]))
		}
		p.addKey(x, r)
		m.Transpose(p.Func, x)
		p.put(x, r)
	}
}

// unmix adds the round key to rows r and r+2, and 4 (a[r] + a[r+2]) to both.
func (p *pass) unmix(r int) {
	x, y := p.Several("x", 8), p.Several("y", 8)
	for b := range 8 {
		p.Add(p.Load(p.at(r, b), p.state, x[b]), p.Load(p.at(r+2, b), p.state, y[b]))
	}
	p.addKey(x, r)
	p.addKey(y, r+2)
	sum := func(b int) asm.Reg {
		t := p.New("t")
		p.Add(p.XOR(x[b], y[b], t))
		return t
	}
	t6, t7 := sum(6), sum(7)
	t67 := p.New("t67")
	p.Add(p.XOR(t6, t7, t67))
	// 4t, modulo x^8 + x^4 + x^3 + x + 1, from the highest bit on.
	for b := 7; b >= 0; b-- {
		u := [...]asm.Reg{0: t6, 1: t67}
		var four asm.Reg
		switch {
		case b < 2:
			four = u[b]
		default:
			four = sum(b - 2)
			if more := map[int]asm.Reg{2: t7, 3: t6, 4: t67, 5: t7}; b <= 5 {
				p.Add(p.XOR(more[b], four, four))
			}
		}
		p.Add(p.XOR(four, x[b], x[b]), p.XOR(four, y[b], y[b]))
		p.Add(p.Store(x[b], p.at(r, b), p.state), p.Store(y[b], p.at(r+2, b), p.state))
	}
}
