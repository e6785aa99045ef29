// Command zbb writes the AES kernels of internal/aescore/internal/riscv64 on planes of bits, for CPUs
// with Zbb and without AES instructions or vectors.
//
// # Algorithm
//
// 16 blocks at a time, as planes of bits: a word has one bit of the bytes of one row of the state,
// with 16 bits for each column. So ShiftRows is a rotation of words, and the S-box is a circuit of
// 106 gates for each row, 109 for its inverse. MixColumns, for each bit b and row r, with
// d[r] = a[r] + a[r+1]:
//
//	d[r] at bit b-1, and at bit 7 for some b; a[r+1] and d[r+2] at bit b; the round key
//
// Decryption adds 4 (a[r] + a[r+2]) to both rows first, and is the same then.
//
// # Registers
//
//	state       memory of 32 planes, and of a value of the S-box
//	key         round key
//	23 others   the S-box, whose inputs are loaded again if there is no room for them
//
// # Bound
//
// SiFive U74 and SpacemiT X60, which start two instructions in a cycle, one load or store. A round has 424
// gates of S-boxes, 52 of their loads, 164 for MixColumns and ShiftRows, and 123 loads and stores for
// these and the round key: 770 for 256 bytes. All rounds and the planes are 35 a byte, which is
// 18 cycles at best. What the Go compiler makes of the same in portable code takes 51.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
	"github.com/cipherlane/cipherlane/_gen/planes"
)

//go:generate sh -c "go run ../../circuit aes-gates > circuit.tmp && mv circuit.tmp circuit.go"
//go:generate go run . -out ../../../internal/aescore/internal/riscv64/aes_zbb_riscv64.s -declarations ../../../internal/aescore/internal/riscv64/aes_zbb_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	box, inverse := planes.NewBox(substitute, 23), planes.NewBox(unsubstitute, 23)
	encrypt(file, box)
	ctr(file, box)
	decrypt(file, inverse)
	file.Write(*out, *declarations)
}

// Offsets: of round keys, of what the S-box has no room for in registers, and of the
// distance to the last round key.
const (
	keySize = 32 * 8
	spilled = 32 * 8
	lastKey = 15 * keySize
)

// at is the offset of a plane.
func at(row, bit int) int { return 8 * (8*row + bit) }

type pass struct {
	*asm.Func
	box        *planes.Box
	state, key asm.Reg
}

func start(file *asm.File, name, signature, doc, secret string, box *planes.Box) *pass {
	p := &pass{Func: file.Func(name, signature), box: box}
	p.Doc, p.Secret, p.Public = doc, secret, "k.Last"
	p.state, p.key = p.Arg("state"), p.New(Integer, "key")
	p.LoadArg("k", p.key)
	return p
}

const memory = "dst and src are at multiples of 8."

func encrypt(file *asm.File, box *planes.Box) {
	p := start(file, "encryptZbb", "(k *KeysZbb, state *StateZbb, dst, src *byte)",
		"encryptZbb encrypts 16 blocks. "+memory, "k state dst src", box)
	src := p.Arg("src")
	p.load(func(block int, w []asm.Reg) {
		p.Add(MOV(16*block, src, w[0]), MOV(16*block+8, src, w[1]))
	})
	p.rounds()
	dst := p.Arg("dst")
	p.store(func(block int, w []asm.Reg) {
		p.Add(SD(w[0], 16*block, dst), SD(w[1], 16*block+8, dst))
	})
	p.Add(RET())
}

func ctr(file *asm.File, box *planes.Box) {
	p := start(file, "ctrZbb", "(k *KeysZbb, state *StateZbb, counter *[2]uint64, dst, src *byte)",
		"ctrZbb adds the keystream of 16 blocks to src. The last 32 bits of the counter count,\n"+
			"modulo 2^32. It does not change. "+memory, "k state counter dst src", box)
	counter := p.Arg("counter")
	low, high, one := p.New(Integer, "low"), p.New(Integer, "high"), p.New(Integer, "one")
	count := p.Several(Integer, "count", 2) // of the first blocks in both halves, in the upper 32 bits
	p.Add(
		MOV(0, counter, low), MOV(8, counter, high),
		REV8(high, count[0]), SLLI(32, count[0], count[0]),
		SLLI(32, high, high), SRLI(32, high, high),
		MOVI(1, one), SLLI(32, one, one),
		SLLI(3, one, count[1]), ADD(count[0], count[1], count[1]),
	)
	p.load(func(block int, w []asm.Reg) {
		c := count[block/8]
		p.Add(
			REV8(c, w[1]),
			SLLI(32, w[1], w[1]),
			OR(high, w[1], w[1]),
			ADD(one, c, c),
			MOVR(low, w[0]),
		)
	})
	p.rounds()
	dst, src := p.Arg("dst"), p.Arg("src")
	p.store(func(block int, w []asm.Reg) {
		d := p.Several(Integer, "d", 2)
		p.Add(
			MOV(16*block, src, d[0]), MOV(16*block+8, src, d[1]),
			XOR(d[0], w[0], w[0]), XOR(d[1], w[1], w[1]),
			SD(w[0], 16*block, dst), SD(w[1], 16*block+8, dst),
		)
	})
	p.Add(RET())
}

func decrypt(file *asm.File, box *planes.Box) {
	p := start(file, "decryptZbb", "(k *KeysZbb, state *StateZbb, dst, src *byte)",
		"decryptZbb decrypts 16 blocks. "+memory, "k state dst src", box)
	size, src := p.New(Integer, "size"), p.Arg("src")
	p.Add(MOV(lastKey, p.key, size), ADD(size, p.key, p.key))
	p.load(func(block int, w []asm.Reg) {
		p.Add(MOV(16*block, src, w[0]), MOV(16*block+8, src, w[1]))
	})
	p.unrounds()
	dst := p.Arg("dst")
	p.store(func(block int, w []asm.Reg) {
		p.Add(SD(w[0], 16*block, dst), SD(w[1], 16*block+8, dst))
	})
	p.Add(RET())
}

// columns exchanges columns of two blocks, as words, and rows, as words.
func columns(f *asm.Func, m planes.Masks, w []asm.Reg, back bool) {
	steps := []func(){
		func() { m.Swap(f, 32, w[0], w[2]); m.Swap(f, 32, w[1], w[3]) },
		func() { m.Swap(f, 16, w[0], w[2]); m.Swap(f, 16, w[1], w[3]) },
		func() { m.Swap(f, 8, w[0], w[1]); m.Swap(f, 8, w[2], w[3]) },
	}
	for i := range steps {
		if back {
			i = len(steps) - 1 - i
		}
		steps[i]()
	}
}

// load makes planes of 16 blocks, without a round key. input adds the loads of a block.
func (p *pass) load(input func(block int, w []asm.Reg)) {
	m := planes.NewMasks(p.Func, 32, 16, 8)
	for n := range 8 {
		p.Scheduled(X60, func() {
			// Words of columns 0 and 1 of two blocks, and of columns 2 and 3.
			a, b, c, d := p.New(Integer, "a"), p.New(Integer, "b"), p.New(Integer, "c"), p.New(Integer, "d")
			input(n, []asm.Reg{a, c})
			input(n+8, []asm.Reg{b, d})
			columns(p.Func, m, []asm.Reg{a, b, c, d}, false)
			for r, w := range []asm.Reg{a, b, c, d} {
				p.Add(SD(w, at(r, n), p.state))
			}
		})
	}
}

// store makes blocks of planes. output adds the stores of a block.
func (p *pass) store(output func(block int, w []asm.Reg)) {
	m := planes.NewMasks(p.Func, 32, 16, 8)
	for n := range 8 {
		p.Scheduled(X60, func() {
			w := p.Several(Integer, "w", 4)
			for r := range w {
				p.Add(In("state", MOV(at(r, n), p.state, w[r])))
			}
			columns(p.Func, m, w, true)
			output(n, []asm.Reg{w[0], w[2]})
			output(n+8, []asm.Reg{w[1], w[3]})
		})
	}
}

// row returns the planes of a row, transposed from what load stores.
func (p *pass) row(m planes.Masks, r int) []asm.Reg {
	x := p.Several(Integer, "x", 8)
	for b := range x {
		p.Add(MOV(at(r, b), p.state, x[b]))
	}
	m.Transpose(p.Func, x)
	return x
}

// addKey adds the round key to a row.
func (p *pass) addKey(x []asm.Reg, r int) {
	for b := range x {
		k := p.New(Integer, "k")
		p.Add(MOV(at(r, b), p.key, k), XOR(k, x[b], x[b]))
	}
}

// rotate moves the columns of a row by r places, in ShiftRows, or back.
func (p *pass) rotate(x asm.Reg, r int) {
	if r %= 4; r != 0 {
		p.Add(RORI(16*r, x, x))
	}
}

// put stores a row.
func (p *pass) put(x []asm.Reg, r int) {
	for b := range x {
		p.Add(SD(x[b], at(r, b), p.state))
	}
}

// substitute returns a row after the S-box.
func (p *pass) substitute(r int) []asm.Reg {
	out := p.box.Add(p.Func, p.state, at(r, 0), spilled)
	return out[:]
}

func (p *pass) rounds() {
	m := planes.NewMasks(p.Func, 4, 2, 1)
	for r := range 4 {
		x := p.row(m, r)
		p.addKey(x, r)
		p.put(x, r)
	}
	p.Add(ADDI(keySize, p.key, p.key))

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
	k, size := p.New(Integer, "k"), p.New(Integer, "size")
	p.LoadArg("k", k)
	p.Add(
		MOV(lastKey, k, size),
		ADDI(keySize, p.key, p.key),
		ADD(k, size, size),
		BNE(p.key, size, "round"),
	)

	for r := range 4 {
		x := p.substitute(r)
		for _, x := range x {
			p.rotate(x, r)
		}
		p.addKey(x, r)
		planes.NewMasks(p.Func, 4, 2, 1).Transpose(p.Func, x)
		p.put(x, r)
	}
}

// columnsOf returns registers for bit b of all rows. That of row 3 may be there already.
func (p *pass) columnsOf(b int, last []asm.Reg) []asm.Reg {
	a := p.Several(Integer, "a", 4)
	if last != nil && b < 8 {
		a[3] = last[b]
	}
	return a
}

// loadColumn loads row r.
func (p *pass) loadColumn(a []asm.Reg, r, b int, last []asm.Reg) {
	if r < 3 || last == nil {
		p.Add(MOV(at(r, b), p.state, a[r]))
	}
}

// differences returns the sums of each row and the next one.
func (p *pass) differences(a []asm.Reg) []asm.Reg {
	d := p.Several(Integer, "d", 4)
	for r := range d {
		p.Add(XOR(a[r], a[(r+1)%4], d[r]))
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
		sum := p.Several(Integer, "sum", 4)
		for r := range sum {
			p.Add(XOR(before[r], a[(r+1)%4], sum[r]))
		}
		// Loads and stores are between other instructions, because only one starts in a cycle.
		k := p.Several(Integer, "k", 4)
		for r := range sum {
			if last != nil {
				p.Add(MOV(at(r, b), p.key, k[r]))
			}
			p.Add(XOR(d[(r+2)%4], sum[r], sum[r]))
		}
		next := p.columnsOf(b+1, last)
		for r := range sum {
			if last != nil {
				p.Add(XOR(k[r], sum[r], sum[r]))
			}
			if b < 7 {
				p.loadColumn(next, r, b+1, last)
			}
		}
		for r := range sum {
			if b > 0 && 0x1b>>b&1 == 1 { // x^8 = x^4 + x^3 + x + 1
				p.Add(XOR(top[r], sum[r], sum[r]))
			}
			if last == nil {
				p.rotate(sum[r], 4-r)
			}
			if r > 0 {
				p.Add(SD(sum[r-1], at(r-1, b), p.state))
			}
		}
		p.Add(SD(sum[3], at(3, b), p.state))
		a = next
		before = d
	}
}

func (p *pass) unrounds() {
	m := planes.NewMasks(p.Func, 4, 2, 1)
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
	k := p.New(Integer, "k")
	p.LoadArg("k", k)
	p.Add(ADDI(-keySize, p.key, p.key), BEQ(p.key, k, "last"))
	p.unmix(0)
	p.unmix(1)
	p.mix(nil)
	p.Add(JMP("round"))

	p.Label("last")
	m = planes.NewMasks(p.Func, 4, 2, 1)
	for r := range 4 {
		x := p.Several(Integer, "x", 8)
		for b := range x {
			p.Add(MOV(at(r, b), p.state, x[b]))
		}
		p.addKey(x, r)
		m.Transpose(p.Func, x)
		p.put(x, r)
	}
}

// unmix adds the round key to rows r and r+2, and 4 (a[r] + a[r+2]) to both.
func (p *pass) unmix(r int) {
	x, y := p.Several(Integer, "x", 8), p.Several(Integer, "y", 8)
	for b := range 8 {
		p.Add(MOV(at(r, b), p.state, x[b]), MOV(at(r+2, b), p.state, y[b]))
	}
	p.addKey(x, r)
	p.addKey(y, r+2)
	sum := func(b int) asm.Reg {
		t := p.New(Integer, "t")
		p.Add(XOR(x[b], y[b], t))
		return t
	}
	t6, t7 := sum(6), sum(7)
	t67 := p.New(Integer, "t67")
	p.Add(XOR(t6, t7, t67))
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
				p.Add(XOR(more[b], four, four))
			}
		}
		p.Add(XOR(four, x[b], x[b]), XOR(four, y[b], y[b]))
		p.Add(SD(x[b], at(r, b), p.state), SD(y[b], at(r+2, b), p.state))
	}
}
