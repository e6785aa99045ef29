package prove

import (
	"fmt"
	"slices"

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

// sm3Lanes compresses blocks of the first messages of 8: v[i][l] is word i of lane l, and src has the
// slices of the messages. w is the kernel's.
func sm3Lanes(p *proof) {
	lanes, n := p.int("lanes"), p.int("n")
	p.number("n", n)
	v, w, src := p.memory("v", 8*8*4), p.memory("w", 32*8*4), p.memory("src", 8*24)
	p.free[w] = true
	for l := range lanes {
		message := p.object(fmt.Sprint("message", l), 64*n)
		src.Set(int64(24*l), machine.Address(message, 0))
		var s []word
		for i := range 8 {
			s = append(s, p.read(v, 4*(8*i+l), 4))
		}
		for _, b := range p.read(message, 0, 64*n).Lanes(512) {
			s = p.SM3CF(s, b)
		}
		for i := range s {
			p.want(v, 4*(8*i+l), s[i])
		}
	}
}

// keccakSponge absorbs blocks of words lanes, or squeezes them, with a permutation after each.
func keccakSponge(p *proof) {
	words, blocks, squeeze := p.int("words"), p.int("blocks"), p.int("squeeze")
	p.number("words", words)
	p.number("blocks", blocks)
	p.number("squeeze", squeeze)
	a, data := p.memory("a", 200), p.memory("p", 8*words*blocks)
	s := p.read(a, 0, 200).Lanes(64)
	for b := range blocks {
		for i := range words {
			at := 8 * (words*b + i)
			if squeeze == 1 {
				p.want(data, at, s[i])
			} else {
				s[i] = p.Xor(s[i], p.read(data, at, 8))
			}
		}
		s = p.KeccakF(s)
	}
	p.want(a, 0, machine.Join(s...))
}

// keccakPermute permutes two states: lane i of state k is a[2i+k].
func keccakPermute(p *proof) {
	a := p.memory("a", 1600)
	for k := range 2 {
		var s []word
		for i := range 25 {
			s = append(s, p.read(a, 8*(2*i+k), 8))
		}
		for i, w := range p.KeccakF(s) {
			p.want(a, 8*(2*i+k), w)
		}
	}
}

// keccakWide adds a block to each of two such states, or copies it from them. The pointers to the
// blocks are in p.
func keccakWide(p *proof, squeeze bool) {
	words := p.int("words")
	p.number("words", words)
	a, pointers := p.memory("a", 1600), p.memory("p", 64)
	for k := range 2 {
		block := p.object(fmt.Sprint("block", k), 8*words)
		pointers.Set(int64(8*k), machine.Address(block, 0))
		for i := range words {
			at := 8 * (2*i + k)
			if squeeze {
				p.want(block, 8*i, p.read(a, at, 8))
			} else {
				p.want(a, at, p.Xor(p.read(a, at, 8), p.read(block, 8*i, 8)))
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

// ghashTable is where power k (1 to 8) and the sum of its halves are in ghash's Powers: two powers and
// their two sums take 48 bytes.
func ghashTable(k int) (power, sum int) {
	at := (8 - k) / 2 * 48
	if k%2 == 0 {
		return at, at + 32
	}
	return at + 16, at + 40
}

// ghashInit computes the powers of the hash key. Each is proven from the one before: when it is stored,
// unknowns take its place in registers and in memory.
func ghashInit(p *proof) {
	t, h := p.memory("t", 192), p.memory("h", 16)
	start := p.read(h, 0, 16)
	powers := map[int64]int{}
	for k := 1; k <= 8; k++ {
		at, _ := ghashTable(k)
		powers[int64(at)] = k
	}
	power := []word{nil, start}
	for k := 2; k <= 8; k++ {
		power = append(power, p.unknown(fmt.Sprint("H^", k), 128))
	}
	proven := 1
	for k := 1; k <= 8; k++ {
		at, sum := ghashTable(k)
		w := p.ghashPower(power[k])
		p.want(t, at, w)
		p.want(t, sum, p.Xor(w[:64], w[64:]))
	}
	p.machine.Store = func(at machine.Value, w word) word {
		k := powers[at.Offset]
		if at.Object != t || len(w) != 128 || k == 0 || k == 1 {
			return w
		}
		if k != proven+1 {
			failed("power %d is stored after power %d", k, proven)
		}
		if err := p.same(fmt.Sprint("power ", k), w, p.ghashPower(p.GCMProduct(power[k-1], start))); err != nil {
			panic(machine.Unsupported(err.Error()))
		}
		proven = k
		return p.rename(w, p.ghashPower(power[k]))
	}
}

// rename puts new forms in the place of old ones, which were proven to be those, in all vectors that
// have them.
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
	return new
}
