package prove

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
	"github.com/cipherlane/cipherlane/internal/prove/spec"
)

func sm3Compress(p *proof) {
	n := p.length()
	v, blocks := p.memory("v", 32), p.memory("p", n)
	s := p.read(v, 0, 32).Lanes(32)
	for _, b := range p.read(blocks, 0, n).Lanes(512) {
		s = p.SM3CF(s, b)
	}
	p.want(v, 0, machine.Join(s...))
}

// sm3Row is how many lanes there is memory for.
func (p *proof) sm3Row() int {
	if p.machine.Arch.Name == "amd64" {
		return 32
	}
	return 8
}

// sm3Lanes compresses blocks of the first messages: v[i][l] is word i of lane l, and src has the slices of
// the messages. w is the kernel's.
func sm3Lanes(p *proof) {
	lanes, n, row := p.int("lanes"), p.int("n"), p.sm3Row()
	p.number("n", n)
	v, w, src := p.memory("v", 8*row*4), p.memory("w", 32*row*4), p.memory("src", 24*row)
	p.free[w] = true
	for l := range lanes {
		message := p.object(fmt.Sprint("message", l), 64*n)
		src.Set(int64(24*l), machine.Address(message, 0))
		var s []word
		for i := range 8 {
			s = append(s, p.inLane(l, fmt.Sprint("v", i), v, 4*(row*i+l), 4))
		}
		for _, b := range p.inLane(l, "message", message, 0, 64*n).Lanes(512) {
			s = p.SM3CF(s, b)
		}
		for i := range s {
			p.want(v, 4*(row*i+l), s[i])
		}
	}
}

// sm3Digests writes the chaining values of 32 lanes as digests, one after the other.
func sm3Digests(p *proof) {
	dst, v := p.memory("dst", 1024), p.memory("v", 1024)
	for l := range 32 {
		for i := range 8 {
			p.want(dst, 32*l+4*i, spec.Reverse(p.read(v, 4*(32*i+l), 4), 32))
		}
	}
}

// sm3KDF hashes a block in each lane from v on: words W[j] and W'[j] of it are base[0][j] and base[1][j],
// with the differences of the lane added. Then delta is added to base.
func sm3KDF(p *proof) {
	lanes := p.int("lanes")
	dst, v := p.memory("dst", 32*lanes), p.memory("v", 32)
	base, delta, differences := p.memory("base", 512), p.memory("delta", 512), p.memory("differences", 512*32)
	for l := range lanes {
		var w [2][]word
		for i := range w {
			for j := range 64 {
				at := 4 * (64*i + j)
				w[i] = append(w[i], p.Xor(p.read(base, at, 4), p.read(differences, 32*at+4*l, 4)))
			}
		}
		s := p.SM3Rounds(p.read(v, 0, 32).Lanes(32), w[0], w[1])
		p.want(dst, 32*l, spec.Reverse(machine.Join(s...), 32))
	}
	p.want(base, 0, p.Xor(p.read(base, 0, 512), p.read(delta, 0, 512)))
}

// sm3Iterate does iterations of PBKDF2 with HMAC-SM3 (RFC 8018, section 5.2) in lanes. w[i][l] is word i
// of U of lane l, which becomes the next U, and t the sum of those. keys has the chaining values of the
// inner and of the outer hash after the block of the key. The rest of w is the kernel's.
func sm3Iterate(p *proof) {
	lanes, n, row := p.int("lanes"), p.int("n"), p.sm3Row()
	p.number("n", n)
	keys, t, w := p.memory("keys", 2*8*row*4), p.memory("t", 8*row*4), p.memory("w", 32*row*4)
	p.free[w] = true
	column := func(o *machine.Object, at, l int) (list []word) {
		for i := range 8 {
			list = append(list, p.inLane(l, fmt.Sprint(o.Name, at, ".", i), o, at+4*(row*i+l), 4))
		}
		return list
	}
	for l := range lanes {
		u, sum := column(w, 0, l), column(t, 0, l)
		for range n {
			for h := range 2 {
				// The hash is of 64 + 32 bytes: padding and length, section 5.2 of GB/T 32905.
				block := append(slices.Clone(u), machine.Constant(1<<31, 32))
				for len(block) < 15 {
					block = append(block, machine.Constant(0, 32))
				}
				block = append(block, machine.Constant(8*96, 32))
				u = p.SM3CF(column(keys, h*32*row, l), spec.Reverse(machine.Join(block...), 32))
			}
			for i := range sum {
				sum[i] = p.Xor(sum[i], u[i])
			}
		}
		for i := range 8 {
			p.want(w, 4*(row*i+l), u[i])
			p.want(t, 4*(row*i+l), sum[i])
		}
	}
}

// keccakSponge absorbs blocks of words lanes, or squeezes them, with a permutation after each. Kernels
// without the argument squeeze are named after what they do.
func keccakSponge(p *proof) {
	words, blocks := p.int("words"), p.int("blocks")
	p.number("words", words)
	p.number("blocks", blocks)
	squeeze := strings.HasPrefix(strings.ToLower(p.one.Kernel.Name), "squeeze")
	if p.has("squeeze") {
		n := p.int("squeeze")
		p.number("squeeze", n)
		squeeze = n == 1
	}
	if squeeze {
		p.squeezed("a", "p", words, blocks)
		return
	}
	a, data := p.memory("a", 200), p.memory("p", 8*words*blocks)
	s := p.read(a, 0, 200).Lanes(64)
	for b := range blocks {
		for i := range words {
			s[i] = p.Xor(s[i], p.read(data, 8*(words*b+i), 8))
		}
		s = p.KeccakF(s)
	}
	p.want(a, 0, machine.Join(s...))
}

// squeezed wants blocks of a state, which is permuted after each.
func (p *proof) squeezed(state, data string, words, blocks int) {
	a, q := p.memory(state, 200), p.memory(data, 8*words*blocks)
	if blocks == 0 {
		return
	}
	s := p.read(a, 0, 200).Lanes(64)
	for b := range blocks {
		for i := range words {
			p.want(q, 8*(words*b+i), s[i])
		}
		s = p.KeccakF(s)
	}
	p.want(a, 0, machine.Join(s...))
}

// states is the number of states side by side: lane i of state k is a[lanes*i+k].
func (p *proof) states() int {
	if p.has("lanes") {
		return p.int("lanes")
	}
	return 2
}

// keccakPermute permutes states: all, or as many as the key states says. Behind them is memory of the
// kernel.
func keccakPermute(p *proof) {
	lanes := p.states()
	states := lanes
	if p.has("states") {
		states = p.int("states")
	}
	if slices.Contains(p.one.Kernel.arguments, "states") {
		p.number("states", states)
	}
	a := p.memory("a", 1600)
	for k := range states {
		var s []word
		for i := range 25 {
			s = append(s, p.read(a, 8*(lanes*i+k), 8))
		}
		for i, w := range p.KeccakF(s) {
			p.want(a, 8*(lanes*i+k), w)
		}
	}
	for at := range 25 { // other states may be permuted, or not
		p.mayWrite(a, 8*(lanes*at+states), 8*(lanes-states))
	}
	if end := 200 * lanes; p.has("lanes") && end < 1600 {
		p.mayWrite(a, end, 1600-end)
	}
}

// keccakWide adds a block to each of some states, or copies it from them. The pointers to the blocks are
// in p.
func keccakWide(p *proof, squeeze bool) {
	words, lanes := p.int("words"), p.states()
	p.number("words", words)
	a, pointers := p.memory("a", 1600), p.memory("p", 64)
	for k := range lanes {
		block := p.object(fmt.Sprint("block", k), 8*words)
		pointers.Set(int64(8*k), machine.Address(block, 0))
		for i := range words {
			at := 8 * (lanes*i + k)
			if squeeze {
				p.want(block, 8*i, p.read(a, at, 8))
			} else {
				p.want(a, at, p.Xor(p.read(a, at, 8), p.read(block, 8*i, 8)))
			}
		}
		if !squeeze { // the rest may be written, too, as it was
			for i := words; i < 25; i++ {
				at := 8 * (lanes*i + k)
				p.want(a, at, p.read(a, at, 8))
			}
		}
	}
}

// ghashPower is a power of the hash key as kernels with polynomial multiplication have it: times
// u^-1 modulo the polynomial, in reversed bits, with the halves exchanged. So it is the power shifted
// by a bit.
func (p *proof) ghashPower(power word) word {
	w := spec.Reverse(power, 128)
	shifted := w.Left(1)
	high := w[127]
	for _, i := range []int{0, 121, 126, 127} { // 1 + u^-7 + u^-2 + u^-1, reversed
		shifted[i] = p.Engine.Xor(shifted[i], high)
	}
	return machine.Join(shifted[64:], shifted[:64])
}

// ghashEntries are those of the table of ghash on amd64: entry 64-k has the power k, without an exchange of
// halves. With the key sums, there are the sums of the halves of each before them, twice.
func (p *proof) ghashEntries(power []word, put func(at int, w word)) {
	n := len(power) - 1
	for k := 1; k <= n; k++ {
		w := p.ghashEntry(power[k])
		put(16*(64-k), w)
		if p.has("sums") && p.int("sums") == 1 {
			sum := p.Xor(w[:64], w[64:])
			put(16*(64-n-k), machine.Join(sum, sum))
		}
	}
}

func (p *proof) ghashEntry(power word) word {
	w := p.ghashPower(power)
	return machine.Join(w[64:], w[:64])
}

// powers returns names of the powers of a hash key from 1 on.
func (p *proof) powers(n int) []word {
	list := []word{nil}
	for k := 1; k <= n; k++ {
		list = append(list, p.unknown(fmt.Sprint("H^", k), 128))
	}
	return list
}

// ghashTable is ghash's Powers: two powers, from 8 down to 1, and the sums of their halves take 48 bytes.
func (p *proof) ghashTable(power []word, put func(at int, w word)) {
	for k := 1; k <= 8; k++ {
		w := p.ghashPower(power[k])
		at := (8 - k) / 2 * 48
		put(at+k%2*16, w)
		put(at+32+k%2*8, p.Xor(w[:64], w[64:]))
	}
}

// ghashRISCV returns how many powers kernels of riscv64 use, the size of the table, and what it is. With powers=zbc, it has four powers
// and the sums of their halves; with zvbc 16 of them up to the first one, of which as many count as there are lanes; with
// lanes the same in another order of bits, and 16 times that of all lanes; and with zvkg the hash key.
func (p *proof) ghashRISCV() (count, size int, table func(power []word, put func(at int, w word))) {
	kind := "lanes"
	if p.has("powers") {
		kind = p.text("powers")
	}
	switch kind {
	case "zbc":
		return 4, 96, func(power []word, put func(at int, w word)) {
			for k := 1; k < len(power); k++ {
				w := p.ghashEntry(power[k])
				put(24*(k-1), machine.Join(w, p.Xor(w[:64], w[64:])))
			}
		}
	case "zvbc":
		return min(p.machine.VLEN/16, 16), 256, func(power []word, put func(at int, w word)) {
			for k := 1; k < len(power); k++ {
				put(16*(16-k), p.ghashEntry(power[k]))
			}
		}
	case "zvkg":
		return 1, 16, func(power []word, put func(at int, w word)) { put(0, power[1]) }
	case "lanes":
		return p.machine.VLEN / 32, 512, func(power []word, put func(at int, w word)) {
			n := len(power) - 1
			for k := 1; k <= n; k++ {
				put(16*(16-k), power[k])
				put(16*(16+k-1), power[n])
			}
		}
	}
	failed("there are no powers %s", kind)
	return 0, 0, nil
}

// ghashRotations is ghash's PowersNEON, as far as there are powers. The powers 4 to 1 take 576 bytes, and
// so do 8 to 5 after them: first 2, 1 and then 4, 3, for each of these what Karatsuba's method needs,
// all with their words rotated by 0 to 3 bytes.
func (p *proof) ghashRotations(power []word, put func(at int, w word)) {
	rotated := func(at int, w word) {
		for r := range 4 {
			for i, x := range w.Lanes(32) {
				put(at+16*r+4*i, x.RotateLeft(-8*r))
			}
		}
	}
	// sums are those of the words 0, 1 and 2, 3 of a and of b: of a, b, a, b.
	sums := func(a, b word) word {
		x, y := a.Lanes(32), b.Lanes(32)
		return machine.Join(p.Xor(x[0], x[1]), p.Xor(y[0], y[1]), p.Xor(x[2], x[3]), p.Xor(y[2], y[3]))
	}
	for quad := 0; 4*quad+4 < len(power); quad++ {
		var halves [2]word
		for pair := range 2 {
			at, k := 576*quad+256*pair, 4*quad+2*pair+2
			a, b := p.ghashPower(power[k]), p.ghashPower(power[k-1])
			rotated(at, a)
			rotated(at+64, b)
			high, low := machine.Join(a[:64], b[:64]), machine.Join(a[64:], b[64:])
			rotated(at+128, sums(high, low))
			halves[pair] = p.Xor(high, low)
			rotated(at+192, halves[pair])
		}
		rotated(576*quad+512, sums(halves[1], halves[0]))
	}
}

// ghashInit computes the powers of the hash key. Each is proven to be a product of two before it: as soon as
// a vector has it, it gets a name. With powers=rotations, the kernel computes those from 1 to 4, or with
// from=5 those from 5 to 8. On amd64, it computes those up to the number of the key powers.
func ghashInit(p *proof) {
	table, entry, size, last, from := p.ghashTable, p.ghashPower, 192, 8, 1
	switch {
	case p.machine.Arch.Name == "amd64":
		table, entry, size, last = p.ghashEntries, p.ghashEntry, 1024, p.int("powers")
	case p.machine.Arch.Name == "riscv64":
		last, size, table = p.ghashRISCV()
		entry, from = p.ghashEntry, 2 // Go code makes the first one
	case p.text("powers") == "rotations":
		table, size, last = p.ghashRotations, 1152, 4
	}
	if p.has("from") {
		if from = p.int("from"); size == 1152 {
			last = from + 3
		}
	}
	t := p.memory("t", size)
	power := p.powers(last)
	old := map[int64]bool{} // offsets of powers that are there before
	if from == 1 {
		power[1] = p.read(p.memory("h", 16), 0, 16)
	} else {
		table(power[:from], func(at int, w word) {
			p.set(t, at, w)
			old[int64(at)] = true
		})
	}
	table(power, func(at int, w word) {
		if !old[int64(at)] {
			p.want(t, at, w)
		}
	})
	known := make([]bool, last+1)
	type product struct {
		power int
		word  word
	}
	var products []product // of which vectors may have one next
	learn := func(k int) {
		known[k] = true
		for i := 1; i+k <= last; i++ {
			if known[i] && !known[i+k] && (last <= 16 || i%16 == 0 || k%16 == 0) {
				products = append(products, product{i + k, entry(p.GCMProduct(power[i], power[k]))})
			}
		}
	}
	for k := 1; k <= max(1, from-1); k++ {
		learn(k)
	}
	p.before = func() error {
		for i := 0; i < len(products); i++ {
			x := products[i]
			if known[x.power] || !p.holds(x.word) {
				continue
			}
			p.rename(x.word, entry(power[x.power]))
			products = slices.DeleteFunc(products, func(y product) bool { return y.power == x.power })
			learn(x.power)
			i = -1
		}
		return nil
	}
}

// rename puts new forms in the place of old ones, which were proven to be those, in all vectors that
// have them, and on riscv64 in all registers.
func (p *proof) rename(old, new word) word {
	to := map[bit]bit{}
	for i, b := range old {
		to[b&^1] = new[i] ^ b&1
	}
	for i, v := range p.machine.V {
		v = slices.Clone(v)
		for j, b := range v {
			if n, ok := to[b&^1]; ok && b > 1 {
				v[j] = n ^ b&1
			}
		}
		p.machine.V[i] = v
	}
	if p.machine.Arch.Name == "riscv64" {
		for i, v := range p.machine.R {
			v.Bits = slices.Clone(v.Bits)
			for j, b := range v.Bits {
				if n, ok := to[b&^1]; ok && b > 1 {
					v.Bits[j] = n ^ b&1
				}
			}
			p.machine.R[i] = v
		}
	}
	return new
}
