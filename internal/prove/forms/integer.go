package forms

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// A term is a word with its coefficient.
type term struct {
	word int32
	by   uint64
}

// A sum is c and terms, modulo 2^len(bits).
type sum struct {
	c     uint64
	terms []term
	bits  Word
}

// A combination is a sum in the making.
type combination struct {
	c     uint64
	terms map[int32]uint64 // coefficients by words
}

// wordID returns the number of a word.
func (e *Engine) wordID(w Word) int32 {
	key := wordKey(w)
	id, ok := e.byWord[key]
	if !ok {
		e.use(8*len(w) + 80)
		id = int32(len(e.words))
		e.byWord[key] = id
		e.words = append(e.words, slices.Clone(w))
	}
	return id
}

// add adds a word with a coefficient, after these rules:
//
//	a constant v                    v
//	constants v, one bit b at i     v + 2^i b, and b = 1 - (b+1) if b has the constant 1
//	all bits are b                  -b
//	a sum                           its terms
//	first varying bit with a 1      -(complement) - 1
func (s *combination) add(e *Engine, w Word, by uint64) {
	n := len(w)
	v, varying, first, same := uint64(0), 0, 0, true
	for i, b := range w {
		switch {
		case b == One:
			v |= 1 << i
		case b != Zero:
			if varying++; varying == 1 {
				first = i
			}
		}
		same = same && b == w[0]
	}
	if varying == 0 {
		s.c += v * by
		return
	}
	bit := w[first]
	if n > 1 && (varying == 1 || same) {
		if same {
			by = -by // 2^n - 1 times the bit
		} else {
			s.c += v * by
			by <<= first
		}
		if bit&1 != 0 {
			s.c += by
			by = -by
		}
		one := make(Word, n)
		one[0] = bit &^ 1
		s.terms[e.wordID(one)] += by
		return
	}
	if known := e.sumOf[e.wordID(w)]; known != nil {
		for _, t := range known.terms {
			s.terms[t.word] += t.by * by
		}
		s.c += known.c * by
		return
	}
	if bit&1 != 0 {
		s.c -= by
		s.add(e, w.Not(), -by)
		return
	}
	s.terms[e.wordID(w)] += by
}

// Sum adds c and words of n bits, at most 64, modulo 2^n.
func (e *Engine) Sum(c uint64, words ...Word) Word {
	if len(words) == 0 {
		stop("a sum of no words")
	}
	n := len(words[0])
	for _, w := range words {
		if len(w) != n || n > 64 || n == 0 {
			stop("a sum of words of %d and %d bits", n, len(w))
		}
	}
	lists := make([][]Bit, len(words))
	for i, w := range words {
		lists[i] = w
	}
	if n > 1 {
		if lane := oneLane(lists...); lane != 0 {
			for i, w := range words {
				lists[i] = template(w)
			}
			templates := make([]Word, len(words))
			for i := range lists {
				templates[i] = lists[i]
			}
			return e.lanedWord(lane, e.Sum(c, templates...))
		}
	}
	if n == 1 {
		out := Bit(c & 1)
		for _, w := range words {
			out = e.Xor(out, w[0])
		}
		return Word{out}
	}
	if n > 32 {
		// The low half is a sum of its own, so that it is the same as one of 32 bits.
		low := make([]Word, len(words))
		for i, w := range words {
			low[i] = w[:32]
		}
		l := e.Sum(c&(1<<32-1), low...)
		out := e.add(c, n, words)
		joined := append(slices.Clone(l), out[32:]...)
		if s := e.sumOf[e.wordID(out)]; s != nil {
			e.sumOf[e.wordID(joined)] = s
		}
		return joined
	}
	if n == 8 {
		// A byte plus a constant is a function of 8 bits.
		var varying []Word
		total := c
		for _, w := range words {
			if v, ok := w.Constant(); ok {
				total += v
			} else {
				varying = append(varying, w)
			}
		}
		if len(varying) == 1 {
			table := make([]uint64, 256)
			for i := range table {
				table[i] = (uint64(i) + total) & 255
			}
			return e.Apply(table, 8, varying[0])
		}
	}
	return e.add(c, n, words)
}

func (e *Engine) add(c uint64, n int, words []Word) Word {
	modulus := ^uint64(0) >> (64 - n)
	s := combination{c: c, terms: map[int32]uint64{}}
	for _, w := range words {
		s.add(e, w, 1)
	}
	c = s.c & modulus
	var list []term
	for id, by := range s.terms {
		if by&modulus != 0 {
			list = append(list, term{id, by & modulus})
		}
	}
	slices.SortFunc(list, func(a, b term) int { return int(a.word) - int(b.word) })
	if e.join(&list) {
		again := combination{c: c, terms: map[int32]uint64{}}
		for _, t := range list {
			again.add(e, e.words[t.word], t.by)
		}
		c = again.c & modulus
		list = list[:0]
		for id, by := range again.terms {
			if by&modulus != 0 {
				list = append(list, term{id, by & modulus})
			}
		}
		slices.SortFunc(list, func(a, b term) int { return int(a.word) - int(b.word) })
	}
	switch {
	case len(list) == 0:
		return machine.Constant(c, n)
	case len(list) == 1 && c == 0 && bits.OnesCount64(list[0].by) == 1: // 2^i w
		return e.words[list[0].word].Left(bits.TrailingZeros64(list[0].by))
	case len(list) == 1 && c == list[0].by && bits.OnesCount64(-c&modulus) == 1: // 2^i (-w-1)
		return e.words[list[0].word].Not().Left(bits.TrailingZeros64(-c & modulus))
	case len(list) == 1 && e.oneBit(list[0].word) &&
		(c == 0 && list[0].by == modulus || c == modulus && list[0].by == 1):
		b := e.words[list[0].word][0] ^ Bit(c&1) // -b, or b-1
		return slices.Repeat(Word{b}, n)
	}
	key := binary.LittleEndian.AppendUint64([]byte{byte(n)}, c)
	for _, t := range list {
		key = binary.LittleEndian.AppendUint32(key, uint32(t.word))
		key = binary.LittleEndian.AppendUint64(key, t.by)
	}
	if s := e.sums[string(key)]; s != nil {
		return slices.Clone(s.bits)
	}
	var values [64]uint64
	for p := range 64 {
		v := c
		for _, t := range list {
			v += e.numberAt(e.words[t.word], p) * t.by
		}
		for i := range n {
			values[i] |= (v >> i & 1) << p
		}
	}
	out := &sum{c: c, terms: list}
	lane := slices.ContainsFunc(list, func(t term) bool { return e.wordInLane(e.words[t.word]) })
	for i := range n {
		out.bits = append(out.bits, e.single(e.newAtom(atom{values: values[i], owner: -1, lane: lane})))
	}
	e.use(len(key) + 100)
	e.sums[string(key)] = out
	e.sumOf[e.wordID(out.bits)] = out
	return slices.Clone(out.bits)
}

// wordInLane reports whether a word depends on inputs of lanes.
func (e *Engine) wordInLane(w Word) bool {
	return slices.ContainsFunc(w, func(b Bit) bool { return e.inLane[b>>1] })
}

// oneBit reports whether a word is 0 but for its lowest bit.
func (e *Engine) oneBit(word int32) bool {
	return !slices.ContainsFunc(e.words[word][1:], func(b Bit) bool { return b != Zero })
}

// numberAt returns a word for one of the random assignments.
func (e *Engine) numberAt(w Word, assignment int) (v uint64) {
	for i, b := range w {
		v |= (e.Values(b) >> assignment & 1) << i
	}
	return v
}

// join makes one of any words with the same coefficient that never have a 1 at the same
// position, and reports whether there were some.
func (e *Engine) join(list *[]term) (joined bool) {
	l := *list
	for i := 0; i < len(l); i++ {
		for j := i + 1; j < len(l); j++ {
			if l[i].by != l[j].by || !e.never(l[i].word, l[j].word) {
				continue
			}
			a, b := e.words[l[i].word], e.words[l[j].word]
			both := make(Word, len(a))
			for k := range both {
				both[k] = e.Xor(a[k], b[k])
			}
			l[i].word = e.wordID(both)
			l = slices.Delete(l, j, j+1)
			joined, j = true, i
		}
	}
	*list = l
	return joined
}

// never reports whether words have no 1 in common. The random assignments show most that do.
func (e *Engine) never(a, b int32) bool {
	key := [2]int32{min(a, b), max(a, b)}
	if v, ok := e.disjoint[key]; ok {
		return v
	}
	x, y := e.words[a], e.words[b]
	ok := true
	for i := range x {
		ok = ok && e.Values(x[i])&e.Values(y[i]) == 0
	}
	for i := 0; ok && i < len(x); i++ {
		ok = e.And(x[i], y[i]) == Zero
	}
	e.use(40)
	e.disjoint[key] = ok
	return ok
}

// Carry returns the carry of a + b + c.
func (e *Engine) Carry(a, b Word, c Bit) Bit {
	n := len(a)
	if n != len(b) || n == 0 || n > 64 {
		stop("a carry of words of %d and %d bits", n, len(b))
	}
	carry := func(x, y uint64, c uint64) uint64 {
		s, carry := bits.Add64(x, y, c)
		if n < 64 {
			carry = s >> n & 1
		}
		return carry
	}
	x, constA := a.Constant()
	y, constB := b.Constant()
	switch {
	case constA && constB && c <= One:
		return Bit(carry(x, y, uint64(c)))
	case constA && x == 0 && c == Zero || constB && y == 0 && c == Zero:
		return Zero
	case constA && !constB:
		a, b, y, constB = b, a, x, true
	}
	if n == 8 && constB && c <= One {
		// That of a byte and a constant is a function of 8 bits.
		table := make([]uint64, 256)
		for i := range table {
			table[i] = (uint64(i) + y + uint64(c)) >> 8
		}
		return e.Apply(table, 1, a)[0]
	}
	if lane := oneLane(a, b, Word{c}); lane != 0 {
		return e.laned(lane, e.Carry(template(a), template(b), c&noLane))
	}
	switch x, y := a[n-1], b[n-1]; {
	case n > 1 && x <= One && y <= One && x != y:
		return e.Carry(a[:n-1], b[:n-1], c) // the highest bits hand on the carry
	case n > 1 && x <= One && x == y:
		return x
	}
	// The words may change places. If all are complements, so is the carry: the sum is 2(2^n - 1) + 1 minus the old one.
	if slices.CompareFunc(a, b, func(x, y Bit) int { return int(x&^1) - int(y&^1) }) > 0 {
		a, b = b, a
	}
	if first := slices.IndexFunc(a, func(b Bit) bool { return b > One }); first >= 0 && a[first]&1 == 1 {
		return e.Carry(a.Not(), b.Not(), c^1) ^ 1
	}
	key := binary.LittleEndian.AppendUint32([]byte{byte(n)}, uint32(c))
	key = append(key, wordKey(a)+wordKey(b)...)
	if out, ok := e.carries[string(key)]; ok {
		return out
	}
	var values uint64
	for p := range 64 {
		values |= carry(e.numberAt(a, p), e.numberAt(b, p), e.Values(c)>>p&1) << p
	}
	lane := e.wordInLane(a) || e.wordInLane(b) || e.inLane[c>>1]
	out := e.single(e.newAtom(atom{values: values, owner: -1, lane: lane}))
	e.use(len(key) + 60)
	e.carries[string(key)] = out
	return out
}
