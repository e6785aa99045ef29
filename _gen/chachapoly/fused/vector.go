package fused

import (
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/simd"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

type vec = reg.VecPhysical

// quarter is one quarter round: words of a set, and registers. In narrow passes
// only row c comes from memory, and goes back there each time; in wide ones all
// do, at the beginning and at the end.
type quarter struct {
	set, a, b, c, d int
	ra, rb, rc, rd  vec
	t               vec
	masks           []vec
}

// steps returns the instructions of a quarter round one after another.
func (k Kind) steps(q quarter) (s stream) {
	at := func(w int) Mem { return k.slot(q.set, w) }
	wide := q.masks != nil
	rotate := func(x vec, n int) {
		switch {
		case n%8 == 0 && wide:
			s.Add(func() { simd.Shuffle(q.masks[n/8-1], x, x) })
		case n%8 == 0:
			s.Add(func() { simd.Shuffle(k.rotation(n), x, x) })
		default: // t is that of other quarter rounds, too
			s.Add(func() { left32(n, x, q.t) })
			s.Add(func() { right32(32-n, x, x) })
			s.Add(func() { or(q.t, x) })
		}
	}
	half := func(first bool, rd, rb int) {
		if wide && first {
			s.Add(func() { simd.Read(at(q.b), q.rb) })
			s.Add(func() { simd.Add32(at(q.a), q.rb, q.ra) })
			s.Add(func() { simd.Xor(at(q.d), q.ra, q.rd) })
		} else {
			s.Add(func() { simd.Add32(q.rb, q.ra, q.ra) })
			if wide {
				s.Add(func() { simd.Write(q.ra, at(q.a)) })
			}
			s.Add(func() { simd.Xor(q.ra, q.rd, q.rd) })
		}
		rotate(q.rd, rd)
		if wide && !first {
			s.Add(func() { simd.Write(q.rd, at(q.d)) })
		}
		s.Add(func() {
			if wide && !first {
				simd.Add32(q.rd, q.rc, q.rc)
				return
			}
			if k.Legacy {
				simd.Read(at(q.c), q.rc)
				simd.Add32(q.rd, q.rc, q.rc)
			} else {
				simd.Add32(at(q.c), q.rd, q.rc)
			}
		})
		if !wide || !first {
			s.Add(func() { simd.Write(q.rc, at(q.c)) })
		}
		s.Add(func() { simd.Xor(q.rc, q.rb, q.rb) })
		rotate(q.rb, rb)
	}
	half(true, 16, 12)
	half(false, 8, 7)
	if wide {
		s.Add(func() { simd.Write(q.rb, at(q.b)) })
	}
	return s
}

// doubleRound returns a double round. In narrow passes with XMM, rows a, b and d are in
// registers 0 to 11 and row c in memory; in wide ones everything is in memory,
// so that the many instructions between a store and its load hide it.
func (k Kind) doubleRound(sets int) (s stream) {
	if sets == 1 && !k.Legacy {
		return k.narrowRound()
	}
	if sets == 1 {
		for diagonal := range 2 {
			var list []stream
			for i := range 4 {
				b, c, d := (i+diagonal)%4, (i+2*diagonal)%4, (i+3*diagonal)%4
				list = append(list, k.steps(quarter{
					a: i, b: 4 + b, c: 8 + c, d: 12 + d,
					ra: k.reg(i), rb: k.reg(4 + b), rd: k.reg(8 + d), rc: k.reg(12 + i), t: k.reg(12 + i),
				}))
			}
			s = append(s, amd64.Weave(list...)...)
		}
		return s
	}
	for diagonal := range 2 {
		var list []stream
		for set := range sets {
			for i := range 4 {
				r := k.regs(4*(len(list)%inFlight), 16)
				list = append(list, k.steps(quarter{
					set: set, a: i, b: 4 + (i+diagonal)%4, c: 8 + (i+2*diagonal)%4, d: 12 + (i+3*diagonal)%4,
					ra: r[0], rb: r[1], rc: r[2], rd: r[3], t: k.reg(12 + len(list)%2), masks: k.masks(),
				}))
			}
		}
		for i := 0; i < len(list); i += inFlight {
			s = append(s, amd64.Weave(list[i:min(i+inFlight, len(list))]...)...)
		}
	}
	return s
}

// narrowRound returns a double round of one set in registers 0 to 13: words 0 to 7, two words of
// row c, and words 12 to 15. The other two of row c are in memory. Those of the second half of a
// round are also those of the first half of the next one: they stay, and a word has half a round
// from its store to its load.
func (k Kind) narrowRound() (s stream) {
	for diagonal := range 2 {
		for pair := 0; pair < 4; pair += 2 {
			var list []stream
			for i := pair; i < pair+2; i++ {
				b, c, d := (i+diagonal)%4, (i+2*diagonal)%4, (i+3*diagonal)%4
				list = append(list, k.registerQuarter(k.reg(i), k.reg(4+b), k.reg(8+c%2), k.reg(10+d), k.reg(14+i%2)))
			}
			s = append(s, amd64.Weave(list...)...)
			if pair == 0 {
				for i := range 2 {
					s.Add(func() { simd.Write(k.reg(8+i), k.slot(0, 8+2*diagonal+i)) })
				}
				for i := range 2 {
					s.Add(func() { simd.Read(k.slot(0, 8+2*(1-diagonal)+i), k.reg(8+i)) })
				}
			}
		}
	}
	return s
}

// registerQuarter returns a quarter round in registers; t is temporary.
func (k Kind) registerQuarter(a, b, c, d, t vec) (s stream) {
	for _, n := range rotations {
		s.Add(func() { simd.Add32(b, a, a) })
		s.Add(func() { simd.Xor(a, d, d) })
		s.Add(func() { simd.Shuffle(k.rotation(n[0]), d, d) })
		s.Add(func() { simd.Add32(d, c, c) })
		s.Add(func() { simd.Xor(c, b, b) })
		s.Add(func() { left32(n[1], b, t) })
		s.Add(func() { right32(32-n[1], b, b) })
		s.Add(func() { or(t, b) })
	}
	return s
}

// inFlight is how many quarter rounds of a wide pass are mixed.
const inFlight = 2

// masks are the indices of the rotations by 8 and 16 bits in wide passes.
func (k Kind) masks() []vec { return k.regs(14, 16) }

func (k Kind) loadMasks() {
	simd.Read(k.rotation(8), k.reg(14))
	simd.Read(k.rotation(16), k.reg(15))
}

// broadcast sets v to a word of the initial state.
func (k Kind) broadcast(w int, v vec) {
	m := Mem{Base: ctx, Disp: stateAt + 4*w}
	if k.Legacy {
		MOVSS(m, v)
		PSHUFD(Imm(0), v, v)
	} else {
		VPBROADCASTD(m, v)
	}
}

// start sets the words of all sets from the initial state.
func (k Kind) start(sets int) {
	for w := range 16 {
		in := w % 8
		if sets == 1 {
			in = k.narrow(w)
		}
		v := k.reg(in)
		k.broadcast(w, v)
		for set := range sets {
			out := v
			if w == 12 {
				if sets > 1 {
					out = k.reg(14)
				}
				simd.Add32(k.counts(set), v, out)
			}
			if sets > 1 || in == temporary {
				simd.Write(out, k.slot(set, w))
			}
		}
	}
}

// temporary is the register of words that a narrow pass keeps in memory.
const temporary = 14

// narrow returns the register of word w between double rounds of a narrow pass.
func (k Kind) narrow(w int) int {
	first, last := 8, 11 // in memory
	if !k.Legacy {
		first = 10
	}
	switch {
	case w < first:
		return w
	case w <= last:
		return temporary
	}
	return w - (last + 1 - first)
}

// output adds the initial state to the words of a set and passes the keystream
// to emit in pieces of a register: piece i of block b.
func (k Kind) output(sets, set int, emit func(b, i int, v vec)) {
	n := k.lanes() // words at a time
	for first := 0; first < 16; first += n {
		var v []vec
		initial := k.reg(temporary)
		if sets > 1 {
			initial = k.reg(8)
		}
		for w := first; w < first+n; w++ {
			var r vec
			switch {
			case sets > 1:
				r = k.reg(w - first)
				simd.Read(k.slot(set, w), r)
			case k.narrow(w) == temporary: // those of words 0 to 7 are free
				r = k.reg(w - 8)
				simd.Read(k.slot(set, w), r)
			default:
				r = k.reg(k.narrow(w))
			}
			k.broadcast(w, initial)
			simd.Add32(initial, r, r)
			if w == 12 {
				simd.Add32(k.counts(set), r, r)
			}
			v = append(v, r)
		}
		t := initial
		both := func(i, j int, quad bool) { v[i], v[j], t = pair(v[i], v[j], t, quad) }
		// Of words 4g ... 4g+3: v[4g+i] becomes those of block i (and 4+i).
		for g := 0; g < n; g += 4 {
			both(g, g+1, false)
			both(g+2, g+3, false)
			both(g, g+2, true)   // blocks 0 and 1 in g, g+2
			both(g+1, g+3, true) // blocks 2 and 3 in g+1, g+3
			v[g+1], v[g+2] = v[g+2], v[g+1]
		}
		if k.Legacy {
			for b := range 4 {
				emit(b, first/n, v[b])
			}
			continue
		}
		for b := range 4 {
			VPERM2I128(Imm(0x20), v[4+b], v[b], t)
			emit(b, first/n, t)
			VPERM2I128(Imm(0x31), v[4+b], v[b], v[b])
			emit(4+b, first/n, v[b])
		}
	}
}
