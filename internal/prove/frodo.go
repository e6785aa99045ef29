package prove

import (
	"fmt"
	"slices"

	"github.com/cipherlane/cipherlane/internal/machine"
	"github.com/cipherlane/cipherlane/internal/prove/spec"
)

// This file has the contracts of FrodoKEM. Matrices are of words of 16 bits, row after row. S' and S^T are 8 x n.

// These are the offsets in frodokem's Matrix and Pairs on amd64, and their sizes.
const (
	frodoMaxN    = 1344
	frodoY       = 16 * frodoMaxN
	frodoKeys    = frodoY + 16*frodoMaxN/8
	frodoMatrix  = frodoKeys + 16*11 + 16
	frodoSquares = 32 * frodoMaxN / 2
	frodoPairs   = frodoSquares + 32
)

// frodoLayouts are where entry i of row k of S' is in Pairs.
var frodoLayouts = map[string]func(k, i int) int{
	"ssse3":  func(k, i int) int { return 16*i + 2*k }, // also of NEON
	"avx2":   func(k, i int) int { return 32*(i/2) + 4*k + 2*(i%2) },
	"avx512": frodoAVX512,
}

func frodoAVX512(k, i int) int { return 64*(i/4) + 8*k + 4*(i%2) + i&2 }

// frodoColumnsAVX512 is where entry i of row k of S^T is.
func frodoColumnsAVX512(k, i int) int { return 128*(i/8) + 16*k + 2*(i%8) }

func (p *proof) frodoLayout() func(k, i int) int {
	at, ok := frodoLayouts[p.text("pairs")]
	if !ok {
		failed("there are no such pairs")
	}
	return at
}

// optional sets a number if the kernel has such an argument: on arm64, Go code in front of kernels knows lengths.
func (p *proof) optional(name string, v int) {
	if slices.Contains(p.one.Kernel.arguments, name) {
		p.number(name, v)
	}
}

// either is the name of the argument that the kernel has.
func (p *proof) either(name, other string) string {
	if k := p.one.Kernel; k.slices[name] || slices.Contains(k.arguments, name) {
		return name
	}
	return other
}

// words returns memory of n words of 16 bits.
func (p *proof) words(name string, n int) *machine.Object {
	o := p.object(name, 2*n)
	if p.one.Kernel.slices[name] {
		p.number(name+"_len", n)
		name += "_base"
	}
	p.argument(name, machine.Address(o, 0))
	return o
}

// entries are n words of 16 bits in memory.
func (p *proof) entries(o *machine.Object, n int) []word {
	return p.read(o, 0, 2*n).Lanes(16)
}

// dot is a sum of products and of more words.
func (p *proof) dot(x, y []word, more ...word) word {
	for i := range x {
		more = append(more, p.products.Product(x[i], y[i])[:16])
	}
	return p.products.Sum(0, more...)
}

// column is every so many words of a list, n of them.
func column(list []word, from, step, n int) (out []word) {
	for i := range n {
		out = append(out, list[from+i*step])
	}
	return out
}

// frodoPairsOf makes Pairs of the columns of S' from one on, and returns the rows.
func (p *proof) frodoPairsOf(from, n int) (o *machine.Object, rows [8][]word) {
	o, at := p.memory(p.either("p", "s"), frodoPairs), p.frodoLayout()
	if !slices.Contains(p.one.Kernel.arguments, "first") && from > 0 {
		p.argument("s", machine.Address(o, int64(at(0, from))))
	}
	return o, p.frodoPutPairs(o, at, from, n)
}

// frodoPutPairs puts unknown columns of S' where a layout has them.
func (p *proof) frodoPutPairs(o *machine.Object, at func(k, i int) int, from, n int) (rows [8][]word) {
	for k := range rows {
		for i := from; i < from+n; i++ {
			w := p.unknown(fmt.Sprintf("s[%d][%d]", k, i), 16)
			p.set(o, at(k, i), w)
			rows[k] = append(rows[k], w)
		}
	}
	return rows
}

// frodoRowsOf is S' or S^T in rows.
func (p *proof) frodoRowsOf(name string, n int) (rows [8][]word) {
	list := p.entries(p.words(name, 8*n), 8*n)
	for k := range rows {
		rows[k] = list[k*n:][:n]
	}
	return rows
}

// frodoMakePairs copies S' to Pairs.
func frodoMakePairs(p *proof) {
	n, at := p.int("n"), p.frodoLayout()
	p.optional("n", n)
	o, s := p.memory(p.either("p", "dst"), frodoPairs), p.words(p.either("s", "src"), 8*n)
	list := p.entries(s, 8*n)
	for k := range 8 {
		for i := range n {
			p.want(o, at(k, i), list[k*n+i])
		}
		if p.text("pairs") == "avx512" {
			p.frodoWantSquares(o, k, list[k*n:][:n], 1)
		}
	}
}

// frodoWantSquares says that the low half of Squares[k] is minus the sum of the products of entries and those so many
// places behind, where each entry is in one product. Kernels multiply by Winograd's formula with it:
//
//	(s + b)(t + a) = s a + t b + s t + a b
func (p *proof) frodoWantSquares(o *machine.Object, k int, row []word, step int) {
	p.want(o, frodoSquares+4*k, p.products.Sum(1, p.dot(winograd(row, step)).Not()))
	p.mayWrite(o, frodoSquares+4*k+2, 2)
}

// winograd are the entries that are multiplied by others, and these.
func winograd(row []word, step int) (a, b []word) {
	for i := range row {
		if i/step%2 == 0 {
			a, b = append(a, row[i]), append(b, row[i+step])
		}
	}
	return a, b
}

// frodoColumns puts every eight entries of a row of S^T beside those of the other rows.
func frodoColumns(p *proof) {
	n := p.int("n")
	o, st := p.memory("p", frodoPairs), p.words("st", 8*n)
	list := p.entries(st, 8*n)
	for k := range 8 {
		for j := range n {
			p.want(o, frodoColumnsAVX512(k, j), list[k*n+j])
		}
		p.frodoWantSquares(o, k, list[k*n:][:n], 2)
	}
}

// frodoRows adds to out, 8 x n, the products of columns of S' with so many rows of A. With AVX-512, it also adds the products of
// the pairs of these columns, and Squares with the first rows: all of that is 0 after the last rows.
func frodoRows(p *proof) {
	n, rows, first := p.int("n"), p.int("rows"), p.int("first")
	p.optional("first", first)
	p.optional("n", n)
	out, a := p.words("out", 8*n), p.words("rows", rows*n)
	o, s := p.frodoPairsOf(first, rows)
	before, list := p.entries(out, 8*n), p.entries(a, rows*n)
	for k := range 8 {
		more := machine.Constant(0, 16)
		if p.text("pairs") == "avx512" {
			more = p.dot(winograd(s[k], 1))
			if first == 0 {
				more = p.products.Sum(0, more, p.read(o, frodoSquares+4*k, 2))
			}
		}
		for j := range n {
			p.want(out, 2*(k*n+j), p.dot(s[k], column(list, j, n, rows), before[k*n+j], more))
		}
	}
}

// frodoDots adds to out, r x 8, the products of r rows with the rows of S^T.
func frodoDots(p *proof) {
	n, r := p.int("n"), p.int("r")
	p.optional("n", n)
	p.optional("rows", r)
	out, x, st := p.words("out", 8*r), p.words("x", r*n), p.words("st", 8*n)
	before, rows, s := p.entries(out, 8*r), p.entries(x, r*n), p.entries(st, 8*n)
	for i := range r {
		for k := range 8 {
			p.want(out, 2*(8*i+k), p.dot(rows[i*n:][:n], s[k*n:][:n], before[8*i+k]))
		}
	}
}

// frodoSB adds to v, 8 x 8, the product of S' and B, n x 8.
func frodoSB(p *proof) {
	n := p.int("n")
	p.optional("n", n)
	v, b := p.words("v", 64), p.words("b", 8*n)
	var s [8][]word
	if p.has("pairs") {
		_, s = p.frodoPairsOf(0, n)
	} else {
		s = p.frodoRowsOf("s", n)
	}
	before, list := p.entries(v, 64), p.entries(b, 8*n)
	for k := range 8 {
		for j := range 8 {
			p.want(v, 2*(8*k+j), p.dot(s[k], column(list, j, 8, n), before[8*k+j]))
		}
	}
}

// frodoA is A, n x n, in rows. The eight entries of row i from column 8j on are what rounds 3 to 10 of AES make of
// X[i] xor Y[j]: see frodoPrepare.
type frodoA struct {
	*proof
	o *machine.Object
	frodoMatrixLayout
}

// A frodoMatrixLayout has the offsets in frodokem's Matrix of an architecture.
type frodoMatrixLayout struct{ xAt, yAt, keysAt, size int }

var frodoMatrices = map[string]frodoMatrixLayout{
	"amd64": {0, frodoY, frodoKeys, frodoMatrix},
	"arm64": {176, 176 + frodoY, 0, frodoPlanes + 16*8*9},
}

// frodoPlanes is where Matrix of arm64 has planes: X of a row, and the last eight round keys.
const frodoPlanes = 176 + frodoY + 16*frodoMaxN/8

func (p *proof) frodoA() frodoA {
	l := frodoMatrices[p.machine.Arch.Name]
	return frodoA{p, p.memory("m", l.size), l}
}

func (a frodoA) x(i int) word   { return a.read(a.o, a.xAt+16*i, 16) }
func (a frodoA) y(j int) word   { return a.read(a.o, a.yAt+16*j, 16) }
func (a frodoA) key(r int) word { return a.read(a.o, a.keysAt+16*r, 16) }

// rounds are rounds 3 to 10 for row i and columns from 8j on.
func (a frodoA) rounds(i int, y word) word {
	state := a.Xor(a.x(i), y)
	for r := 3; r < 10; r++ {
		state = a.AESRound(state, a.key(r))
	}
	return a.AESLastRound(state, a.key(10))
}

// rows have the steps of AES as functions without a meaning. If all inputs are known, there are none, and nothing is compared.
func (a frodoA) rows(n int) (list []word) {
	xor := func(v, w word) word {
		out := make(word, len(v))
		for i := range v {
			out[i] = a.products.Xor(v[i], w[i])
		}
		return out
	}
	step := func(name string, w word) word {
		if out, ok := a.products.Function(name, w); ok {
			return out
		}
		return w
	}
	for i := range n {
		for j := range n / 8 {
			state := xor(a.x(i), a.y(j))
			for r := 3; r <= 10; r++ {
				state = step(machine.SubBytesShiftRows, state)
				if r < 10 {
					state = step(machine.MixColumns, state)
				}
				state = xor(state, a.key(r))
			}
			list = append(list, state.Lanes(16)...)
		}
	}
	return list
}

// frodoSA adds S'A to out, 8 x n.
func frodoSA(p *proof) {
	n := p.int("n")
	out := p.words("out", 8*n)
	a, s := p.frodoWork(n, 1)
	before := p.entries(out, 8*n)
	list := a.rows(n)
	for k := range 8 {
		for j := range n {
			p.want(out, 2*(k*n+j), p.dot(s[k], column(list, j, n, n), before[k*n+j]))
		}
	}
}

// frodoAS adds A S to out, n x 8.
func frodoAS(p *proof) {
	n := p.int("n")
	out := p.words("out", 8*n)
	a, s := p.frodoWork(n, 2)
	before := p.entries(out, 8*n)
	list := a.rows(n)
	for i := range n {
		for k := range 8 {
			p.want(out, 2*(8*i+k), p.dot(list[i*n:][:n], s[k], before[8*i+k]))
		}
	}
}

// frodoWork makes A, and the rows of S' or S^T: in st, in p, or with both in w. There, Squares are what
// frodoWantSquares says, and the kernel also squeezes a state.
func (p *proof) frodoWork(n, step int) (a frodoA, s [8][]word) {
	switch arguments := p.one.Kernel.arguments; {
	case slices.Contains(arguments, "st_base"):
		return p.frodoA(), p.frodoRowsOf("st", n)
	case slices.Contains(arguments, "p"):
		_, s = p.frodoPairsOf(0, n)
		return p.frodoA(), s
	}
	at := frodoAVX512
	if step == 2 {
		at = frodoColumnsAVX512
	}
	o := p.memory("w", frodoMatrix+frodoPairs)
	s = p.frodoPutPairs(o, func(k, i int) int { return frodoMatrix + at(k, i) }, 0, n)
	for k := range s {
		square := p.products.Sum(1, p.dot(winograd(s[k], step)).Not())
		p.set(o, frodoMatrix+frodoSquares+4*k, machine.Join(square, p.unknown("square", 16)))
	}
	words, blocks := p.int("words"), p.int("blocks")
	p.number("words", words)
	p.number("blocks", blocks)
	p.squeezed("state", "q", words, blocks)
	return frodoA{p, o, frodoMatrices["amd64"]}, s
}

// frodoPrepare makes X and Y such that X[i] xor Y[j] is the state after two rounds of AES of the block i || 8j || 0, for all
// i below n, and j below n/8.
func frodoPrepare(p *proof) {
	n, a := p.int("n"), p.frodoA()
	p.number("n", n)
	p.mayWrite(a.o, 0, frodoKeys) // what is behind n rows does not matter
	p.claims = func() error {
		for i := range n {
			for j := range n / 8 {
				state := p.Xor(frodoBlock(i, j), a.key(0))
				for r := 1; r <= 2; r++ {
					state = p.AESRound(state, a.key(r))
				}
				if err := p.same(fmt.Sprintf("the sum of X[%d] and Y[%d]", i, j), p.Xor(a.x(i), a.y(j)), state); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// frodoBlock has what is encrypted for the entries of row i from column 8j on.
func frodoBlock(i, j int) word {
	return machine.Constant(uint64(i|8*j<<16), 128)
}

// frodoGenerate makes rows of A from first on.
func frodoGenerate(p *proof) {
	n, rows, first, a := p.int("n"), p.int("rows"), p.int("first"), p.frodoA()
	p.optional("n", n)
	p.optional("first", first)
	p.optional("row", first)
	p.optional("blocks", n/8)
	p.optional("count", rows)
	out := p.words("rows", rows*n)
	for i := range rows {
		for j := range n / 8 {
			p.want(out, 2*(i*n+8*j), a.rounds(first+i, a.y(j)))
		}
	}
}

// frodoPlanesOf makes the planes that Y is in, which the kernel planesBitslice makes of eight blocks at a time; the last eight are
// the last ones of a row. The round keys are in planes, too: each bit is a byte of the same bits, and has the constant of
// the S-box.
func frodoPlanesOf(p *proof) {
	n, rows, first, a := p.int("n"), p.int("rows"), p.int("first"), p.frodoA()
	passes := (n/8 + 7) / 8
	p.number("row", first)
	p.number("passes", passes)
	p.number("blocks", n/8)
	p.number("count", rows)
	var y []word
	for j := range n / 8 {
		y = append(y, a.y(j))
	}
	for j := range 8 {
		p.set(a.o, a.yAt+16*(8*(passes-1)+j), y[n/8-8+j])
	}
	for r := 3; r <= 10; r++ {
		key := a.key(r).Lanes(8)
		for b := range 8 {
			for i, k := range key {
				p.set(a.o, frodoPlanes+128*(r-2)+16*b+i, word{k[b] ^ bit(0x63>>b&1)}.Signed(8))
			}
		}
	}
	p.mayWrite(a.o, frodoPlanes, 128)
	out := p.words("rows", rows*n)
	for i := range rows {
		for j := range n / 8 {
			p.want(out, 2*(i*n+8*j), a.rounds(first+i, y[j]))
		}
	}
	p.run("planesBitslice", map[string]machine.Value{
		"p": machine.Address(a.o, int64(a.yAt)), "n": machine.Number(uint64(8*passes), 64),
	})
}

// frodoTranspose makes planes of eight blocks: byte i of plane b has bit b of byte i of each of them.
func frodoTranspose(p *proof) {
	n := p.int("n")
	p.number("n", n)
	o := p.memory("p", 16*n)
	list := p.blocks(o, 16*n)
	for group := 0; group < n; group += 8 {
		for b := range 8 {
			for i := range 16 {
				var w word
				for k := range 8 {
					w = append(w, list[group+k][8*i+b])
				}
				p.want(o, 16*(group+b)+i, w)
			}
		}
	}
}

// frodoTwo applies two rounds of AES to blocks, without the last addition of a key.
func frodoTwo(p *proof) {
	n := p.int("blocks")
	p.number("blocks", n)
	keys, o := p.memory("keys", 32), p.memory("p", 16*n)
	for i, state := range p.blocks(o, 16*n) {
		state = p.AESRound(p.Xor(state, p.read(keys, 0, 16)), p.read(keys, 16, 16))
		p.want(o, 16*i, p.AESRound(state, machine.Constant(0, 128)))
	}
}

// frodoCipher is A where X, Y and the keys are in a representation of the kernel that prepares them: each entry is one of the
// blocks encrypted by AES-128. The two kernels are proven together.
func frodoCipher(p *proof) {
	n, first := p.int("n"), p.int("first")
	const rows = 4
	prepare, generate := "PrepareSSSE3", "FourRowsSSSE3"
	p.number("n", n)
	a := p.frodoA()
	var keys []word
	for r := range 11 {
		keys = append(keys, a.key(r))
	}
	want := func(i, j int) word { return p.AESCipher(frodoBlock(i, j), keys) }
	m := machine.Address(a.o, 0)
	if p.one.Kernel.Name == generate {
		p.number("first", first)
		out := p.words("rows", rows*n)
		for i := range rows {
			for j := range n / 8 {
				p.want(out, 2*(i*n+8*j), want(first+i, j))
			}
		}
		p.run(prepare, map[string]machine.Value{"m": m, "n": machine.Number(uint64(n), 64)})
		return
	}
	p.mayWrite(a.o, 0, 16*n)
	p.mayWrite(a.o, frodoY, 2*n)
	p.mayWrite(a.o, frodoKeys, 16*11)
	for i := range rows { // so that forms know the functions before the kernel runs
		for j := range n / 8 {
			want(first+i, j)
		}
	}
	p.claims = func() error {
		out := p.object("rows", 2*rows*n)
		p.run(generate, map[string]machine.Value{
			"rows_base": machine.Address(out, 0), "rows_len": machine.Number(uint64(rows*n), 64),
			"m": m, "first": machine.Number(uint64(first), 64), "n": machine.Number(uint64(n), 64),
		})
		p.free[out] = true
		for i := range rows {
			for j := range n / 8 {
				if err := p.same(fmt.Sprintf("row %d", first+i), p.read(out, 2*(i*n+8*j), 16), want(first+i, j)); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// frodoSample replaces random words with noise: the lowest bit is the sign, and the absolute value is how many entries
// of the table are below the other 15 bits. The entries are any numbers of 15 bits.
func frodoSample(p *proof) {
	n, count := p.int("n"), p.int("entries")
	p.optional("n", n)
	s, cdf := p.words("s", n), p.words("cdf", count)
	var table []word
	for i := range count {
		c := p.unknown("c", 15).Extend(16)
		p.set(cdf, 2*i, c)
		table = append(table, c)
	}
	for i, r := range p.entries(s, n) {
		t, e := r.Right(1), machine.Constant(0, 16)
		for _, c := range table {
			above := p.Carry(t, c.Not(), machine.Zero) // t + 2^16 - 1 - c is 2^16 at least
			e = p.products.Sum(0, e, word{above}.Extend(16))
		}
		// -e where r is odd is e - 2 r e.
		p.want(s, 2*i, p.dot([]word{r[:1].Extend(16)}, []word{p.products.Sum(2, e.Not(), e.Not())}, e))
	}
}

// frodoBits is a string of the d lowest bits of words, the highest first.
func frodoBits(words []word, d int) (list []bit) {
	for _, w := range words {
		for b := d - 1; b >= 0; b-- {
			list = append(list, w[b])
		}
	}
	return list
}

// frodoPack writes the 15 lowest bits of each word, as a string of bits: the first is the highest one of a byte.
func frodoPack(p *proof) {
	n := p.int("n")
	out, v := p.memory("out", 15*n/8), p.words("v", n)
	for i, b := range word(frodoBits(p.entries(v, n), 15)).Lanes(8) {
		slices.Reverse(b)
		p.want(out, i, b)
	}
}

// frodoUnpack is the inverse of frodoPack.
func frodoUnpack(p *proof) {
	n := p.int("n")
	v, in := p.words("v", n), p.memory("in", 15*n/8)
	var list word
	for _, b := range p.read(in, 0, 15*n/8).Lanes(8) {
		list = append(list, frodoBits([]word{b}, 8)...)
	}
	for i, b := range list.Lanes(15) {
		slices.Reverse(b)
		p.want(v, 2*i, b.Extend(16))
	}
}

// frodoSwap copies words with their bytes exchanged.
func frodoSwap(p *proof) {
	n := p.int("n")
	out, in := p.memory("out", n), p.memory("in", n)
	p.want(out, 0, spec.Reverse(p.read(in, 0, n), 16))
}

// frodoAdd adds words to those of out.
func frodoAdd(p *proof) {
	n := p.int("n")
	out, x := p.words("out", n), p.words("x", n)
	list := p.entries(x, n)
	for i, w := range p.entries(out, n) {
		p.want(out, 2*i, p.Sum(0, w, list[i]))
	}
}

// frodoDifference returns 64 bits: each 16 are the or of every fourth x[i] xor y[i].
func frodoDifference(p *proof) {
	n := p.int("n")
	p.optional("n", n)
	x, y := p.words("x", n), p.words("y", n)
	p.products.Sets = true
	zero := machine.Constant(1<<64-1, 64) // bits are 1 where all words are equal so far
	for _, w := range p.Xor(p.read(x, 0, 2*n), p.read(y, 0, 2*n)).Lanes(64) {
		for i, b := range w {
			zero[i] = p.products.And(zero[i], b^1)
		}
	}
	p.result("d", zero.Not())
}
