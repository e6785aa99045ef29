package ctcheck

import "sort"

// A value is what is known of a register or of a word in memory: whether it depends on
// a secret, and either a number or an address in an object.
//
// A number, and the offset of an address, is c modulo m: m = 0 is exactly c, m = 1 is
// anything. Bounds of a number may be known as well.
type value struct {
	secret origin
	object *object // nil: a number
	c, m   int64
	high   int64 // of a number that is not exact: it is low to high, or 0: not known
	low    int64
	others []value // what it may be instead; these have no others
	byte0  bool    // only what is above the lowest byte depends on the secret
}

// An origin says which instruction made something secret: its index + 1, or 0 for what
// is public. Which one is kept if there are several does not matter.
type origin int32

const fromArgument origin = 1 << 30

func constant(c int64) value { return value{c: c} }

var anything = value{m: 1}

func secret(o origin) value { return value{secret: o, m: 1} }

func (v value) isConstant() bool { return v.object == nil && v.m == 0 && len(v.others) == 0 }

// is reports whether v is an address at a known place in an object of kind k.
func (v value) is(k objectKind) bool {
	return v.object != nil && v.object.kind == k && v.m == 0 && len(v.others) == 0
}

func gcd(a, b int64) int64 {
	if a < 0 {
		a = -a
	}
	if b < 0 {
		b = -b
	}
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// residue makes c smaller than m.
func residue(c, m int64) int64 {
	if m > 0 {
		if c %= m; c < 0 {
			c += m
		}
	}
	return c
}

func same(a, b value) bool {
	if a.secret != b.secret || a.object != b.object || a.c != b.c || a.m != b.m || a.high != b.high || a.byte0 != b.byte0 || a.low != b.low || len(a.others) != len(b.others) {
		return false
	}
	for i := range a.others {
		if !same(a.others[i], b.others[i]) {
			return false
		}
	}
	return true
}

func joinOrigin(a, b origin) origin {
	if a != 0 {
		return a
	}
	return b
}

// single joins two values of the same object.
func single(a, b value) value {
	m := gcd(gcd(a.m, b.m), a.c-b.c)
	v := value{object: a.object, m: m, c: residue(a.c, m)}
	if a.object != nil {
		// Offsets that are close together are known to be.
		al, ah, ok := a.offsets()
		bl, bh, ok2 := b.offsets()
		if l, h := min(al, bl), max(ah, bh); m != 0 && ok && ok2 && h-l <= max(keptSpan, 16*m) {
			v.low, v.high = l, h
		}
		return v
	}
	al, ah, ok := a.bounds()
	bl, bh, ok2 := b.bounds()
	if m != 0 && ok && ok2 {
		switch {
		case al <= bl && ah >= bh:
			v.low, v.high = al, ah
		case bl <= al && bh >= ah:
			v.low, v.high = bl, bh
		default:
			// Bounds only move to powers of 2, so that this ends.
			v.low, v.high = 0, 1
			for v.high < max(ah, bh) {
				v.high = 2*v.high + 1
			}
			if min(al, bl) > 0 {
				v.low = 1
			}
		}
	}
	return v
}

// keptSpan is the largest distance of two offsets whose bounds are kept.
const keptSpan = 256

// offsets returns the bounds of an address.
func (v value) offsets() (low, high int64, ok bool) {
	if v.m == 0 {
		return v.c, v.c, true
	}
	return v.low, v.high, v.low != v.high
}

// withOffsets is an address in v's object with bounds.
func (v value) withOffsets(low, high int64) value {
	if v.object != nil && v.m != 0 && low < high && high-low <= max(keptSpan, 16*v.m) {
		v.low, v.high = low, high
	}
	return v
}

// most is the largest bound that is kept.
const most = 1 << 60

// bounds returns the smallest and the largest that a number may be.
func (v value) bounds() (low, high int64, ok bool) {
	switch {
	case v.object != nil || len(v.others) > 0:
		return 0, 0, false
	case v.m == 0:
		return v.c, v.c, v.c >= 0 && v.c <= most
	}
	return v.low, v.high, v.high > 0
}

// bounded is a number with bounds.
func bounded(v value, low, high int64) value {
	if v.object == nil && v.m != 0 && len(v.others) == 0 {
		if low == high {
			return value{secret: v.secret, c: low}
		}
		if low >= 0 && high > low && high <= most {
			v.low, v.high = low, high
		}
	}
	return v
}

// maxOthers is how many addresses a value may be.
const maxOthers = 12

func (v value) each(f func(value)) {
	w := v
	w.others, w.secret, w.byte0 = nil, 0, false
	f(w)
	for _, o := range v.others {
		f(o)
	}
}

// join is a value that may be a or b.
func join(a, b value) value {
	if same(a, b) {
		return a
	}
	o := joinOrigin(a.secret, b.secret)
	if a.object == b.object && len(a.others) == 0 && len(b.others) == 0 {
		v := single(a, b)
		v.secret = o
		v.byte0 = o != 0 && (a.byte0 || a.secret == 0) && (b.byte0 || b.secret == 0)
		return v
	}
	var list []value
	add := func(v value) {
		for i := range list {
			if list[i].object == v.object {
				list[i] = single(list[i], v)
				return
			}
		}
		list = append(list, v)
	}
	a.each(add)
	b.each(add)
	if len(list) == 1 {
		list[0].secret = o
		return list[0]
	}
	return union(list, o)
}

func union(list []value, o origin) value {
	if len(list) == 0 || len(list) > maxOthers {
		return value{secret: o, m: 1}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].object.number() < list[j].object.number() })
	v := list[0]
	v.secret = o
	v.others = nil
	if len(list) > 1 {
		v.others = append([]value(nil), list[1:]...)
	}
	return v
}

// combine computes an operation of two values, alternative by alternative.
func combine(a, b value, f func(a, b value) value) value {
	o := joinOrigin(a.secret, b.secret)
	if len(a.others) == 0 && len(b.others) == 0 {
		v := f(a, b)
		v.secret = o
		return v
	}
	var out value
	first := true
	a.each(func(a value) {
		b.each(func(b value) {
			v := f(a, b)
			v.secret = 0
			if first {
				out, first = v, false
			} else {
				out = join(out, v)
			}
		})
	})
	out.secret = o
	return out
}

func add(a, b value) value {
	return combine(a, b, func(a, b value) value {
		v := value{object: a.object, m: gcd(a.m, b.m)}
		if a.object == nil {
			v.object = b.object
		} else if b.object != nil {
			// A difference of addresses (see sub) and the second one.
			return union([]value{{object: a.object, m: 1}, {object: b.object, m: 1}}, 0)
		}
		v.c = residue(a.c+b.c, v.m)
		if a.object == nil && b.object != nil {
			a, b = b, a
		}
		if a.object != nil {
			al, ah, ok := a.offsets()
			bl, bh, ok2 := b.bounds()
			if b.isConstant() {
				bl, bh, ok2 = b.c, b.c, true
			}
			if ok && ok2 {
				v = v.withOffsets(al+bl, ah+bh)
			}
			return v
		}
		al, ah, ok := a.bounds()
		bl, bh, ok2 := b.bounds()
		switch {
		case ok && ok2:
			v = bounded(v, al+bl, ah+bh)
		case ok && b.isConstant() && al+b.c >= 0: // b < 0
			v = bounded(v, al+b.c, ah+b.c)
		}
		return v
	})
}

func sub(a, b value) value {
	return combine(a, b, func(a, b value) value {
		if b.object != nil {
			if a.object == b.object {
				m := gcd(a.m, b.m)
				return value{m: m, c: residue(a.c-b.c, m)}
			}
			if a.object == nil {
				return anything
			}
			// With the second address added again it is the first one.
			return value{object: a.object, m: 1}
		}
		m := gcd(a.m, b.m)
		v := value{object: a.object, m: m, c: residue(a.c-b.c, m)}
		if a.object != nil {
			if al, ah, ok := a.offsets(); ok && b.isConstant() {
				v = v.withOffsets(al-b.c, ah-b.c)
			}
			return v
		}
		al, ah, ok := a.bounds()
		bl, bh, ok2 := b.bounds()
		if ok && ok2 && al >= bh {
			v = bounded(v, al-bh, ah-bl)
		}
		return v
	})
}

// scaled is v times n.
func scaled(v value, n int64) value {
	if n == 1 {
		return v
	}
	return combine(v, value{}, func(v, _ value) value {
		if v.object != nil {
			return anything
		}
		if v.m == 0 {
			return constant(v.c * n)
		}
		if n == 0 || v.m > 1<<40 || n > 1<<20 || n < -1<<20 {
			return anything
		}
		m := gcd(v.m*n, 0)
		w := value{m: m, c: residue(v.c*n, m)}
		if l, h, ok := v.bounds(); ok && n > 0 && h < most/n {
			w = bounded(w, l*n, h*n)
		}
		return w
	})
}

// and is v & mask.
func and(v value, mask int64) value {
	return combine(v, value{}, func(v, _ value) value {
		if v.object != nil {
			// Aligned down: see run.address.
			low := ^mask
			if mask >= 0 || low&(low+1) != 0 {
				return anything
			}
			if v.m != 0 {
				return value{object: v.object, m: 1}
			}
			address := v.object.address
			return value{object: v.object, c: (v.c+address)&mask - address}
		}
		if v.m == 0 {
			return constant(v.c & mask)
		}
		if low := ^mask; mask < 0 && low&(low+1) == 0 {
			// A multiple of a power of 2; if m is a multiple as well, the residue is known.
			w := value{m: low + 1}
			if n := low + 1; v.m%n == 0 {
				w = value{m: v.m, c: v.c &^ low}
			}
			if l, h, ok := v.bounds(); ok {
				w = bounded(w, l&mask, h&mask)
			}
			return w
		}
		if mask > 0 {
			high := mask
			if _, h, ok := v.bounds(); ok {
				high = min(high, h)
			}
			w := anything
			if mask&(mask+1) == 0 && (mask+1)&-(mask+1) != 0 {
				w.m = gcd(v.m, mask+1)
				w.c = residue(v.c, w.m)
				if w.m == mask+1 {
					return constant(w.c)
				}
			}
			return bounded(w, 0, high)
		}
		return anything
	})
}

// number returns a number for a constant operation, and anything else for others.
func fold(a, b value, f func(a, b int64) int64) value {
	return combine(a, b, func(a, b value) value {
		if a.object != nil || b.object != nil || a.m != 0 || b.m != 0 {
			return anything
		}
		return constant(f(a.c, b.c))
	})
}

// truncate returns the lower bytes of v, of words of size bytes.
func truncate(v value, width, size int64) value {
	if width >= size {
		if size == 4 && v.isConstant() {
			v.c = int64(int32(v.c))
		}
		if _, h, ok := v.bounds(); ok && size == 4 && h >= 1<<31 {
			v.low, v.high = 0, 0
		}
		return v
	}
	return combine(v, value{}, func(v, _ value) value {
		if v.object != nil {
			return anything
		}
		if v.m == 0 {
			return constant(v.c & (1<<uint(8*width) - 1))
		}
		if _, h, ok := v.bounds(); ok && h < 1<<uint(8*width) {
			return v
		}
		if v.m < 1<<30 && v.m&(v.m-1) == 0 && width >= 4 {
			v.low, v.high = 0, 0
			return v
		}
		return anything
	})
}
