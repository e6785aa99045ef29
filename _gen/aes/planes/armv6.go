package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm"
	"github.com/cipherlane/cipherlane/_gen/planes"
)

// armv6 writes the kernels for 32-bit Arm from ARMv6 on. Its second operands are shifted at no
// cost, and one instruction loads or stores several registers. Those that it has are few: the
// state is on the stack, the bits of all rows side by side.
func armv6() *asm.File {
	target := *Target
	// With a frame, the link register is in memory. No constant or offset here needs R11.
	target.Pool = map[asm.Class][]int{Integer: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 14}}
	file := &asm.File{Target: &target}
	box := planes.NewBox(substitute, len(target.Pool[Integer]))
	for _, mode := range []string{"encrypt", "ctr"} {
		p := &passV6{box: box}
		signature, doc := "(k *KeysV6, dst, src *byte)", "encrypts eight blocks."
		p.secret = "k dst src"
		if mode == "ctr" {
			signature = "(k *KeysV6, counter *[16]byte, dst, src *byte)"
			doc = "adds the keystream of eight blocks to src. The last 32 bits of the counter count,\nmodulo 2^32. It does not change."
			p.secret = "k counter dst src"
		}
		p.Func = file.Func(mode+"V6", signature)
		p.Doc = fmt.Sprintf("%s %s\nBlocks are at multiples of 4.", p.Name, doc)
		p.Secret, p.Public = p.secret, "k.Last"
		p.state, p.next = p.Local("state", stateV6), p.Local("next", 4)
		if mode == "ctr" {
			p.count()
		} else {
			p.load()
		}
		p.planes()
		p.rounds()
		dst := asm.Reg{}
		p.store(func() {
			dst = p.Arg("dst")
			if mode == "ctr" {
				p.src = p.Arg("src")
			}
		}, func(w []asm.Reg) {
			if mode == "ctr" {
				t := p.Group(Integer, "t", 4, 1)
				p.Add(LDM(p.src, t))
				for i := range w {
					p.Add(EOR(t[i], w[i], w[i]))
				}
			}
			p.Add(STM(w, dst))
		})
		p.wipe()
		p.Add(RET())
	}
	return file
}

// On the stack: 32 planes; the sums of bit 7 of each row and the next; values of the S-box.
const (
	topV6     = 128
	spilledV6 = topV6 + 16
	stateV6   = 256
)

type passV6 struct {
	*asm.Func
	box         *planes.Box
	secret      string
	state, next asm.Local
	src         asm.Reg
}

func (p *passV6) New(name string) asm.Reg { return p.Func.New(Integer, name) }

// at is the offset of a plane.
func (p *passV6) at(row, bit int) int { return 16*bit + 4*row }

// swap exchanges the bits of b under a mask with those of a n places higher.
func (p *passV6) swap(mask asm.Reg, n int, a, b asm.Reg) {
	t := p.New("t")
	p.Add(EOR(Right(a, n), b, t), AND(mask, t, t), EOR(t, b, b), EOR(Left(t, n), a, a))
}

// A masks is constants of alternating groups of bits, the lower ones set.
type masks map[int]asm.Reg

func (p *passV6) masks(sizes ...int) masks {
	m := masks{}
	for _, n := range sizes {
		m[n] = p.New(fmt.Sprint("mask", n))
		p.Add(MOVW(int(^uint32(0)/(1<<n+1)), m[n]))
	}
	return m
}

func (p *passV6) transpose(m masks, x []asm.Reg) {
	for _, n := range []int{4, 2, 1} {
		for i := range x {
			if i&n == 0 {
				p.swap(m[n], n, x[i], x[i+n])
			}
		}
	}
}

// load makes words of planes of blocks, to which it adds the first round key.
func (p *passV6) load() {
	src, k, key, at := p.Arg("src"), p.Arg("k"), p.Func.Several(Integer, "key", 4), p.New("at")
	for i, key := range key {
		p.Add(LDR(firstV6+4*i, k, key))
	}
	m := p.masks(16, 8)
	p.Add(MOVW(p.state, at))
	for range 8 {
		w := p.Group(Integer, "w", 4, 1)
		p.Add(LDM(src, w))
		for i := range w {
			p.Add(EOR(key[i], w[i], w[i]))
		}
		p.swap(m[16], 16, w[0], w[2])
		p.swap(m[16], 16, w[1], w[3])
		p.swap(m[8], 8, w[0], w[1])
		p.swap(m[8], 8, w[2], w[3])
		p.Add(STM(w, at))
	}
}

// count is load for counters. Bits that all of them share are computed once.
func (p *passV6) count() {
	counter, k, nonce, count := p.Arg("counter"), p.Arg("k"), p.Func.Several(Integer, "nonce", 3), p.New("count")
	key := p.New("key")
	for i, n := range nonce {
		p.Add(LDR(4*i, counter, n), LDR(firstV6+4*i, k, key), EOR(key, n, n))
	}
	p.Add(LDR(12, counter, count), REV(count, count), LDR(firstV6+12, k, key))
	m, at := p.masks(16, 8), p.New("at")
	p.Add(MOVW(p.state, at))
	p.swap(m[16], 16, nonce[0], nonce[2])
	for n := range 8 {
		w := p.Group(Integer, "w", 4, 1)
		p.Add(MOVW(nonce[0], w[0]), MOVW(nonce[1], w[1]), MOVW(nonce[2], w[2]), REV(count, w[3]), EOR(key, w[3], w[3]))
		if n < 7 {
			p.Add(ADD(1, count, count))
		}
		p.swap(m[16], 16, w[1], w[3])
		p.swap(m[8], 8, w[0], w[1])
		p.swap(m[8], 8, w[2], w[3])
		p.Add(STM(w, at))
	}
}

// store makes blocks of planes. output adds the stores of a block.
func (p *passV6) store(arguments func(), output func(w []asm.Reg)) {
	arguments()
	m, at := p.masks(16, 8), p.New("at")
	p.Add(MOVW(p.state, at))
	for range 8 {
		w := p.Group(Integer, "w", 4, 1)
		p.Add(LDM(at, w))
		p.swap(m[8], 8, w[0], w[1])
		p.swap(m[8], 8, w[2], w[3])
		p.swap(m[16], 16, w[0], w[2])
		p.swap(m[16], 16, w[1], w[3])
		output(w)
	}
}

// planes makes planes of the words of load.
func (p *passV6) planes() {
	m, next := p.masks(4, 2, 1), p.New("next")
	for r := range 4 {
		x := p.Func.Several(Integer, "x", 8)
		for b := range x {
			p.Add(LDRL(p.state, p.at(r, b), x[b]))
		}
		p.transpose(m, x)
		for b := range x {
			p.Add(STRL(x[b], p.state, p.at(r, b)))
		}
	}
	p.Add(MOVW(stateBytesV6, next), STRL(next, p.next, 0))
}

const (
	stateBytesV6 = 128
	lastV6       = 15 * stateBytesV6 // where Last and First are in KeysV6
	firstV6      = lastV6 + 4
)

// substitute returns a row after the S-box.
func (p *passV6) substitute(r int) []asm.Reg {
	const spilled = 1 << 12
	place := func(offset int) int {
		if offset >= spilled {
			return spilledV6 + offset - spilled
		}
		return p.at(r, offset/4)
	}
	m := &planes.Machine{
		Target: Target, Word: 4,
		Load:  func(offset int, _, d asm.Reg) asm.Op { return LDRL(p.state, place(offset), d) },
		Store: func(a asm.Reg, offset int, _ asm.Reg) asm.Op { return STRL(a, p.state, place(offset)) },
		XOR:   func(a, b, d asm.Reg) asm.Op { return EOR(a, b, d) },
		AND:   func(a, b, d asm.Reg) asm.Op { return AND(a, b, d) },
		OR:    func(a, b, d asm.Reg) asm.Op { return ORR(a, b, d) },
	}
	out := p.box.Add(p.Func, m, asm.Reg{}, 0, spilled)
	if spilledV6+4*p.box.Spilled > stateV6 {
		panic("no room for values of the S-box")
	}
	return out[:]
}

// key returns the address of the next round key.
func (p *passV6) key() asm.Reg {
	key, next := p.Arg("k"), p.New("next")
	p.Add(LDRL(p.next, 0, next), SUM(next, key, key))
	return key
}

func (p *passV6) rounds() {
	p.Label("round")
	for r := range 4 {
		for b, x := range p.substitute(r) {
			p.Add(STRL(x, p.state, p.at(r, b)))
		}
	}
	key := p.key()
	p.mix(key)
	k, last := p.Arg("k"), p.New("last")
	p.Add(SUBR(k, key, key), STRL(key, p.next, 0), LDR(lastV6, k, last), CMP(key, last), BNE("round"))

	for r := range 4 {
		x := p.substitute(r)
		key := p.key()
		for b := range x {
			k := p.New("t")
			p.Add(LDR(p.at(r, b), key, k))
			if r == 0 {
				p.Add(EOR(k, x[b], x[b]))
			} else {
				p.Add(EOR(Ror(x[b], 8*r), k, x[b]))
			}
		}
		p.transpose(p.masks(4, 2, 1), x)
		for b, x := range x {
			p.Add(STRL(x, p.state, p.at(r, b)))
		}
	}
}

// mix is ShiftRows, MixColumns, and the round key, whose address it advances. Values of row r are
// still to be rotated by r columns, so that the next row is one column further.
func (p *passV6) mix(key asm.Reg) {
	// A set has the rows of a bit in registers 0 to 3, and then the sums of each row and the next
	// one in 0, 1, 2 and 4.
	at, more := p.New("at"), p.New("more")
	sets := [2][]asm.Reg{p.Group(Integer, "a", 5, 1), p.Group(Integer, "b", 5, 1)}
	p.Fix(more, 14) // behind the others
	difference := func(s []asm.Reg) []asm.Reg {
		p.Add(
			EOR(Ror(s[0], 8), s[3], s[4]), EOR(Ror(s[1], 8), s[0], s[0]),
			EOR(Ror(s[2], 8), s[1], s[1]), EOR(Ror(s[3], 8), s[2], s[2]),
		)
		return []asm.Reg{s[0], s[1], s[2], s[4]}
	}
	p.Add(MOVW(p.state, at), ADD(p.at(0, 7), at, at), LDM(at, sets[1][:4]))
	before := difference(sets[1])
	p.Add(STM(before, at), SUB(spilledV6, at, at))
	for b := range 8 {
		set, other := sets[b%2], sets[(b+1)%2]
		p.Add(LDM(at, set[:4]))
		sum := before
		for r := range sum {
			p.Add(EOR(Ror(set[(r+1)%4], 8), sum[r], sum[r]))
		}
		d := difference(set)
		for r := range sum {
			if b > 0 && 0x1b>>b&1 == 1 { // x^8 = x^4 + x^3 + x + 1
				p.Add(LDRL(p.state, topV6+4*r, more), EOR(more, sum[r], sum[r]))
			}
			p.Add(EOR(Ror(d[(r+2)%4], 16), sum[r], sum[r]))
		}
		for r := 0; r < 4; r += 2 {
			k := []asm.Reg{other[3], more}
			p.Add(LDM(key, k))
			for i, k := range k {
				if r+i == 0 {
					p.Add(EOR(k, sum[0], sum[0]))
				} else {
					p.Add(EOR(Ror(sum[r+i], 8*(r+i)), k, sum[r+i]))
				}
			}
		}
		p.Add(STMBefore(sum, at))
		before = d
	}
}

// wipe clears the state.
func (p *passV6) wipe() {
	zero, at := p.Group(Integer, "zero", 8, 1), p.New("at")
	p.Add(MOVW(p.state, at))
	for _, z := range zero {
		p.Add(MOVW(0, z))
	}
	for range stateV6 / 32 {
		p.Add(STM(zero, at))
	}
}
