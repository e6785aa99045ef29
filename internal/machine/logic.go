package machine

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// A Bit is a Boolean value of a Logic: Zero, One, or what the Logic numbers from 2 on. Bit^1 is
// the complement.
type Bit uint32

const (
	Zero Bit = 0
	One  Bit = 1
)

// A Logic computes with bits. It may panic with Unsupported, which Machine.Run returns.
type Logic interface {
	// Xor and And are gates.
	Xor(a, b Bit) Bit
	And(a, b Bit) Bit
	// Sum adds words of the same length n, and c, modulo 2^n.
	Sum(c uint64, words ...Word) Word
	// Carry is that of a+b+c: the bit behind the last one of the sum.
	Carry(a, b Word, c Bit) Bit
	// Product multiplies numbers, and Carryless polynomials over GF(2). The words have the same
	// length n, and the result has 2n bits.
	Product(a, b Word) Word
	Carryless(a, b Word) Word
	// Apply is an entry, of width bits, of a table of constants. The index has at most 8 bits.
	Apply(table []uint64, width int, index Word) Word
	// Unknown is a fresh bit. The name is for messages.
	Unknown(name string) Bit
}

// A Chooser is a Logic that chooses between words itself: a where s is 1, and b where it is 0.
type Chooser interface {
	Choose(s Bit, a, b Word) Word
}

// A Namer is a Logic for which steps of AES are functions without a meaning, by the names that FIPS 197 has for
// them, unless it returns false: SUBBYTES and SHIFTROWS are one, and MIXCOLUMNS is another.
type Namer interface {
	Function(name string, w Word) (Word, bool)
}

// The names of steps of AES.
const (
	SubBytesShiftRows = "SUBBYTES, SHIFTROWS"
	MixColumns        = "MIXCOLUMNS"
)

// named is a function of a Namer.
func (m *Machine) named(name string, w Word) (Word, bool) {
	if l, ok := m.Logic.(Namer); ok {
		return l.Function(name, w)
	}
	return nil, false
}

// Unsupported is what a Logic cannot follow.
type Unsupported string

func (u Unsupported) Error() string { return string(u) }

// A Word is a number, the lowest bit first.
type Word []Bit

// Constant returns the low n bits of v.
func Constant(v uint64, n int) Word {
	w := make(Word, n)
	for i := range min(n, 64) {
		w[i] = Bit(v >> i & 1)
	}
	return w
}

// Constant returns the value of a word of constants, of at most 64 bits.
func (w Word) Constant() (v uint64, ok bool) {
	if len(w) > 64 {
		return 0, false
	}
	for i, b := range w {
		if b > One {
			return 0, false
		}
		v |= uint64(b) << i
	}
	return v, true
}

// key is a word as a string, and keyed the word.
func (w Word) key() string {
	key := make([]byte, 0, 4*len(w))
	for _, b := range w {
		key = binary.LittleEndian.AppendUint32(key, uint32(b))
	}
	return string(key)
}

func keyed(key string) (w Word) {
	for ; key != ""; key = key[4:] {
		w = append(w, Bit(binary.LittleEndian.Uint32([]byte(key))))
	}
	return w
}

// Not complements all bits.
func (w Word) Not() Word {
	out := make(Word, len(w))
	for i, b := range w {
		out[i] = b ^ 1
	}
	return out
}

// Left, Right and Arithmetic shift; Arithmetic copies the highest bit.
func (w Word) Left(n int) Word {
	out := make(Word, len(w))
	if n < len(w) {
		copy(out[n:], w)
	}
	return out
}

func (w Word) Right(n int) Word {
	out := make(Word, len(w))
	if n < len(w) {
		copy(out, w[n:])
	}
	return out
}

func (w Word) Arithmetic(n int) Word {
	out := make(Word, len(w))
	for i := range w {
		out[i] = w[min(i+n, len(w)-1)]
	}
	return out
}

// RotateLeft rotates by n bits, to the right if n is negative.
func (w Word) RotateLeft(n int) Word {
	n = (n%len(w) + len(w)) % len(w)
	return Join(w[len(w)-n:], w[:len(w)-n])
}

// Extend returns n bits: w and zeros. Signed copies the highest bit of w instead.
func (w Word) Extend(n int) Word {
	out := make(Word, n)
	copy(out, w)
	return out
}

func (w Word) Signed(n int) Word {
	out := make(Word, n)
	copy(out, w)
	for i := len(w); i < n; i++ {
		out[i] = w[len(w)-1]
	}
	return out
}

// Lanes takes a word apart, the lowest lane of n bits first. They share its bits.
func (w Word) Lanes(n int) []Word {
	if n <= 0 {
		panic("machine: lanes of no bits")
	}
	var list []Word
	for i := 0; i < len(w); i += n {
		list = append(list, w[i:i+n:i+n])
	}
	return list
}

// Join is the inverse of Lanes.
func Join(lanes ...Word) Word {
	n := 0
	for _, l := range lanes {
		n += len(l)
	}
	out := make(Word, 0, n)
	for _, l := range lanes {
		out = append(out, l...)
	}
	return out
}

// repeat fills a word with copies of one bit.
func repeat(b Bit, n int) Word {
	w := make(Word, n)
	for i := range w {
		w[i] = b
	}
	return w
}

// reversed has the lanes in the opposite order.
func reversed(w Word, lane int) Word {
	list := w.Lanes(lane)
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return Join(list...)
}

// Concrete is the Logic of bits that are known: a Machine on it is an interpreter. Unknown bits
// are errors.
type Concrete struct{}

func (Concrete) Xor(a, b Bit) Bit { return a ^ b }
func (Concrete) And(a, b Bit) Bit { return a & b }

func (Concrete) Unknown(name string) Bit { panic(Unsupported(name + " is not known")) }

func value(w Word) uint64 {
	v, ok := w.Constant()
	if !ok {
		panic(Unsupported("a bit is not known"))
	}
	return v
}

func (Concrete) Sum(c uint64, words ...Word) Word {
	for _, w := range words {
		c += value(w)
	}
	return Constant(c, len(words[0]))
}

func (Concrete) Carry(a, b Word, c Bit) Bit {
	s, carry := bits.Add64(value(a), value(b), uint64(c))
	if len(a) < 64 {
		carry = s >> len(a) & 1
	}
	return Bit(carry)
}

func (Concrete) Product(a, b Word) Word {
	hi, lo := bits.Mul64(value(a), value(b))
	return Join(Constant(lo, 64), Constant(hi, 64))[: 2*len(a) : 2*len(a)]
}

func (Concrete) Carryless(a, b Word) Word {
	out := make(Word, 2*len(a))
	for i, x := range a {
		if x == One {
			for j, y := range b {
				out[i+j] ^= y
			}
		}
	}
	return out
}

func (Concrete) Apply(table []uint64, width int, index Word) Word {
	i := value(index)
	if i >= uint64(len(table)) {
		panic(Unsupported(fmt.Sprintf("entry %d of a table of %d", i, len(table))))
	}
	return Constant(table[i], width)
}
