package ctcheck

import "fmt"

type objectKind uint8

const (
	objectMemory objectKind = iota // behind an argument
	objectStack
	objectArgs   // arguments and results
	objectSymbol // DATA
)

// An object is a piece of memory.
type object struct {
	id      int
	kind    objectKind
	name    string
	period  int64 // size of the type; what is behind it is another one
	leaves  []leaf
	address int64 // of the stack's offset 0, modulo any alignment
	data    []byte
}

func (o *object) number() int {
	if o == nil {
		return -1
	}
	return o.id
}

// A leaf is a piece of a type: a pointer, or bytes that are secret or not.
type leaf struct {
	from, to int64
	secret   bool
	pointer  *object
	name     string
}

// A cell is a value in memory.
type cell struct {
	at, width int64
	value     value
}

// A memory is the stack, or the arguments, at one moment.
type memory struct {
	base   int64    // the offset of bytes[0]
	secret []origin // by byte
	cells  []cell   // values that are not just any number, sorted by place
}

func (m *memory) clone() *memory {
	c := &memory{base: m.base, secret: append([]origin(nil), m.secret...)}
	c.cells = append([]cell(nil), m.cells...)
	return c
}

// find returns the index of the first cell that ends behind at.
func (m *memory) find(at int64) int {
	lo, hi := 0, len(m.cells)
	for lo < hi {
		i := (lo + hi) / 2
		if m.cells[i].at+m.cells[i].width > at {
			hi = i
		} else {
			lo = i + 1
		}
	}
	return lo
}

func (m *memory) load(at, width, size int64) value {
	o := origin(0)
	for i := max(at-m.base, 0); i < min(at-m.base+width, int64(len(m.secret))); i++ {
		if m.secret[i] != 0 {
			o = m.secret[i]
			break
		}
	}
	if width <= size {
		if i := m.find(at); i < len(m.cells) && m.cells[i].at == at {
			if c := m.cells[i]; c.width == width {
				c.value.secret = o
				return c.value
			} else if c.width > width && c.value.isConstant() {
				return value{secret: o, c: c.value.c & (1<<uint(8*width) - 1)}
			}
		}
	}
	return value{secret: o, m: 1}
}

// grow makes room for bytes from at on.
func (m *memory) grow(at, width int64) {
	if at < m.base {
		n := m.base - at
		m.secret = append(make([]origin, n), m.secret...)
		m.base = at
	}
	if n := at + width - m.base - int64(len(m.secret)); n > 0 {
		m.secret = append(m.secret, make([]origin, n)...)
	}
}

// limit is how far from the frame an access may be.
const limit = 1 << 16

func (m *memory) store(at, width, size int64, v value, pc origin) bool {
	if at < m.base-limit || at > m.base+int64(len(m.secret))+limit {
		return false
	}
	m.grow(at, width)
	o := origin(0)
	if v.secret != 0 {
		o = pc
	}
	for i := at - m.base; i < at-m.base+width; i++ {
		m.secret[i] = o
	}
	i := m.find(at)
	j := i
	for j < len(m.cells) && m.cells[j].at < at+width {
		j++
	}
	v.secret = 0
	if width <= size && (v.m != 1 || v.object != nil || v.high > 0 || len(v.others) > 0) {
		c := cell{at, width, v}
		if i < j {
			m.cells[i] = c
			m.cells = append(m.cells[:i+1], m.cells[j:]...)
			return true
		}
		m.cells = append(m.cells, cell{})
		copy(m.cells[i+1:], m.cells[i:])
		m.cells[i] = c
		return true
	}
	m.cells = append(m.cells[:i], m.cells[j:]...)
	return true
}

// part returns the bytes that an access of width bytes at p may touch.
func (m *memory) part(p value, width int64) []origin {
	low, high, ok := p.offsets()
	if !ok || width == 0 {
		return m.secret
	}
	from := min(max(low-m.base, 0), int64(len(m.secret)))
	to := min(max(high+width-m.base, from), int64(len(m.secret)))
	return m.secret[from:to]
}

// weak is a store somewhere: at an address that is not exact. A width of 0 is any.
func (m *memory) weak(p value, width int64, v value, pc origin) {
	low, high, ok := p.offsets()
	if ok && low > m.base-limit && high < m.base+int64(len(m.secret))+limit {
		m.grow(low, high-low+width)
		kept := m.cells[:0]
		for _, c := range m.cells {
			if c.at+c.width <= low || c.at >= high+width {
				kept = append(kept, c)
			}
		}
		m.cells = kept
	} else {
		m.cells = m.cells[:0]
		low, high = m.base, m.base+int64(len(m.secret))
	}
	if v.secret == 0 {
		return
	}
	if width == 0 {
		width = max(m.base+int64(len(m.secret))-low, 0)
	}
	for at := low + residue(p.c-low, p.m) - p.m; at <= high; at += p.m {
		for i := max(at, low) - m.base; i < min(at+width-m.base, int64(len(m.secret))); i++ {
			if m.secret[i] == 0 {
				m.secret[i] = pc
			}
		}
	}
}

// join adds what n may be, and reports whether that changes m.
func (m *memory) join(n *memory) bool {
	changed := false
	if n.base < m.base || n.base+int64(len(n.secret)) > m.base+int64(len(m.secret)) {
		m.grow(n.base, int64(len(n.secret)))
		changed = true
	}
	for i, o := range n.secret {
		j := int64(i) + n.base - m.base
		if o != 0 && m.secret[j] == 0 {
			m.secret[j] = o
			changed = true
		}
	}
	kept := m.cells[:0]
	i := 0
	for _, c := range m.cells {
		for i < len(n.cells) && n.cells[i].at < c.at {
			i++
		}
		if i == len(n.cells) || n.cells[i].at != c.at || n.cells[i].width != c.width {
			changed = true
			continue
		}
		v := join(c.value, n.cells[i].value)
		if !same(v, c.value) {
			changed = true
		}
		if v.m == 1 && v.object == nil && v.high == 0 && len(v.others) == 0 {
			continue
		}
		kept = append(kept, cell{c.at, c.width, v})
	}
	m.cells = kept
	return changed
}

// Registers: general ones, vectors (the lower 16 bytes, a D register of ARM, or what is below
// the length of RISC-V), what is above those, and masks.
const (
	firstVector = 32
	firstHigh   = 64
	firstMask   = 96
	registers   = 104
)

// Flags of which a secret may be in one and not in others.
const (
	flagCarry    = iota
	flagOverflow // and
	flagZero     // with sign and parity
	flagCount
)

// A compared is what the flags come from, if that is known.
type compared struct {
	kind  byte // 's' a - b, 'a' a + b, 'l' only the result, 'd' only the result and no carry
	a, b  value
	width int64
	reg   int // the register with a, + 1, if it is compared with a constant
}

type state struct {
	regs  [registers]value
	words map[int][]value // of vectors with addresses: the words in them
	flags [flagCount]origin
	last  compared
	stack *memory
	args  *memory
	calls []int // where CALLs return to
}

func (s *state) clone() *state {
	c := *s
	c.stack, c.args = s.stack.clone(), s.args.clone()
	if s.words != nil {
		c.words = make(map[int][]value, len(s.words))
		for k, v := range s.words {
			c.words[k] = v
		}
	}
	c.calls = append([]int(nil), s.calls...)
	return &c
}

// join adds what t may be, and reports whether that changes s.
func (s *state) join(t *state) bool {
	changed := false
	for i := range s.regs {
		if v := join(s.regs[i], t.regs[i]); !same(v, s.regs[i]) {
			s.regs[i] = v
			changed = true
		}
	}
	for r, words := range s.words {
		other, ok := t.words[r]
		if !ok || len(other) != len(words) {
			delete(s.words, r)
			changed = true
			continue
		}
		var fresh []value
		for i := range words {
			if v := join(words[i], other[i]); !same(v, words[i]) {
				if fresh == nil {
					fresh = append(fresh, words...)
				}
				fresh[i] = v
			}
		}
		if fresh != nil {
			s.words[r] = fresh
			changed = true
		}
	}
	for i := range s.flags {
		if o := joinOrigin(s.flags[i], t.flags[i]); o != s.flags[i] {
			s.flags[i] = o
			changed = true
		}
	}
	if s.last.kind != 0 && (s.last.kind != t.last.kind || s.last.width != t.last.width || s.last.reg != t.last.reg || !same(s.last.a, t.last.a) || !same(s.last.b, t.last.b)) {
		s.last = compared{}
		changed = true
	}
	if s.stack.join(t.stack) {
		changed = true
	}
	if s.args.join(t.args) {
		changed = true
	}
	return changed
}

// key tells states apart whose loops and addresses of the stack are at different
// places. States with the same key at the same place are joined.
func (s *state) key(general int) string {
	b := make([]byte, 0, 256)
	for i := range general {
		v := &s.regs[i]
		switch {
		case v.secret != 0:
		case v.isConstant():
			b = fmt.Appendf(b, "%d:%d ", i, v.c)
		case v.is(objectStack):
			b = fmt.Appendf(b, "%d@%d ", i, v.c)
		}
	}
	for _, i := range []int{vectorType, vectorExtent} {
		if v := &s.regs[i]; v.isConstant() {
			b = fmt.Appendf(b, "%d:%d ", i, v.c)
		}
	}
	for _, m := range []*memory{s.stack, s.args} {
		for _, c := range m.cells {
			if c.value.isConstant() || c.value.is(objectStack) {
				b = fmt.Appendf(b, "%d.%d=%d ", c.at, c.width, c.value.c)
			}
		}
		b = append(b, '|')
	}
	for _, c := range s.calls {
		b = fmt.Appendf(b, "%d ", c)
	}
	return string(b)
}
