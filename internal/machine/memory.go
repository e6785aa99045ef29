package machine

import (
	"fmt"
	"slices"
)

// A Value is what a register has: a number, or an address if Object is not nil.
type Value struct {
	Object *Object
	Offset int64
	Bits   Word
}

// Number is a constant of n bits.
func Number(v uint64, n int) Value { return Value{Bits: Constant(v, n)} }

// Address is that of a byte of an object.
func Address(o *Object, offset int64) Value { return Value{Object: o, Offset: offset} }

func (v Value) empty() bool { return v.Object == nil && v.Bits == nil }

// An Object is memory that overlaps no other object: what an argument points to, a symbol, or the
// frame of the function. An access outside of its bytes, from Low to High-1, is an error.
type Object struct {
	Name      string
	Low, High int64
	// The address of the byte at 0 is At modulo Align.
	Align, At int64
	ReadOnly  bool
	// Unknown: bytes that were not written are unknown when they are first read. Otherwise,
	// reading them is an error.
	Unknown bool
	// Overlap, if it is not nil, is memory that this may be, too: byte i is then byte i+OverlapAt of
	// it. So reading a byte here after it was written there is an error, and a function that makes no
	// such error does the same in either case.
	Overlap   *Object
	OverlapAt int64

	cells   map[int64]cell
	written map[int64]bool
	data    []byte // of a symbol
}

// A cell is a byte: bits, or byte number part of an address.
type cell struct {
	bits    [8]Bit
	address *Value
	part    int
}

// NewObject returns size bytes, whose contents are unknown, with 8-byte alignment.
func NewObject(name string, size int64) *Object {
	return &Object{Name: name, High: size, Align: 8, Unknown: true, cells: map[int64]cell{}, written: map[int64]bool{}}
}

// Copy returns a value with other bits, and with addresses in copies of objects.
func (v Value) Copy(bit func(Bit) Bit, copies map[*Object]*Object) Value {
	if v.Object != nil {
		return Address(copies[v.Object], v.Offset)
	}
	w := make(Word, len(v.Bits))
	for i, b := range v.Bits {
		w[i] = bit(b)
	}
	return Value{Bits: w}
}

// CopyTo copies what is known of the bytes, as Value.Copy does.
func (o *Object) CopyTo(to *Object, bit func(Bit) Bit, copies map[*Object]*Object) {
	for at, c := range o.cells {
		switch {
		case c.address == nil:
			to.Set(at, Value{Bits: c.bits[:]}.Copy(bit, copies))
		case c.part == 0:
			to.Set(at, c.address.Copy(bit, copies))
		}
	}
}

// Each calls f with the bits that are known.
func (o *Object) Each(f func(Bit)) {
	for _, c := range o.cells {
		for _, b := range c.bits {
			f(b)
		}
	}
}

// Written returns the offsets of the bytes that a function has stored, in order.
func (o *Object) Written() []int64 {
	var list []int64
	for at := range o.written {
		list = append(list, at)
	}
	slices.Sort(list)
	return list
}

// Forget makes the list of Written empty.
func (o *Object) Forget() { clear(o.written) }

// Set puts a number, as a little-endian one, or an address of 8 bytes into memory. It does not
// count as written by a function.
func (o *Object) Set(at int64, v Value) {
	n := int64(len(v.Bits) / 8)
	if v.Object != nil {
		n = 8
	}
	for i := range n {
		if v.Object != nil {
			o.cells[at+i] = cell{address: &v, part: int(i)}
		} else {
			o.cells[at+i] = cell{bits: [8]Bit(v.Bits[8*i : 8*i+8])}
		}
	}
}

// SetBytes puts constants into memory.
func (o *Object) SetBytes(at int64, b []byte) {
	for i, x := range b {
		o.Set(at+int64(i), Number(uint64(x), 8))
	}
}

// inside panics if one of n bytes is outside of the object.
func (o *Object) inside(at, n int64) {
	if at < o.Low || at+n > o.High {
		panic(Unsupported(fmt.Sprintf("%s+%d, %d bytes, is outside of the object", o.Name, at, n)))
	}
}

// Get returns n bytes, as a little-endian number, or the address that was stored there. It panics
// with Unsupported if there is no such thing.
func (o *Object) Get(l Logic, at, n int64) Value {
	o.inside(at, n)
	if c := o.cells[at]; c.address != nil && n == 8 {
		for i := range n {
			if p := o.cells[at+i]; p.address != c.address || int64(p.part) != i {
				panic(Unsupported(fmt.Sprintf("%s+%d has a part of an address", o.Name, at)))
			}
		}
		return *c.address
	}
	w := make(Word, 0, 8*n)
	for i := at; i < at+n; i++ {
		if o.Overlap != nil && o.Overlap.written[i+o.OverlapAt] {
			panic(Unsupported(fmt.Sprintf("%s+%d is read after it may have been written as %s", o.Name, i, o.Overlap.Name)))
		}
		c, ok := o.cells[i]
		switch {
		case ok && c.address != nil:
			panic(Unsupported(fmt.Sprintf("%s+%d has a part of an address", o.Name, i)))
		case ok:
		case o.data != nil:
			c.bits = [8]Bit(Constant(uint64(o.data[i]), 8))
		case !o.Unknown:
			panic(Unsupported(fmt.Sprintf("%s+%d was not written", o.Name, i)))
		default:
			for j := range c.bits {
				c.bits[j] = l.Unknown(fmt.Sprintf("%s[%d].%d", o.Name, i, j))
			}
			o.cells[i] = c
		}
		w = append(w, c.bits[:]...)
	}
	return Value{Bits: w}
}

func (o *Object) hasAddress(at, n int64) bool {
	for i := at; i < at+n; i++ {
		if o.cells[i].address != nil {
			return true
		}
	}
	return false
}

// Bits returns n bytes as a number. An address there is an error, as in Get.
func (o *Object) Bits(l Logic, at, n int64) Word {
	v := o.Get(l, at, n)
	if v.Object != nil {
		panic(Unsupported(fmt.Sprintf("%s+%d has an address", o.Name, at)))
	}
	return v.Bits
}

// store is Set by a function.
func (o *Object) store(at int64, v Value) {
	n := int64(len(v.Bits) / 8)
	if v.Object != nil {
		n = 8
	}
	o.inside(at, n)
	if o.ReadOnly {
		panic(Unsupported(fmt.Sprintf("a store to %s+%d, which is read-only", o.Name, at)))
	}
	o.Set(at, v)
	for i := range n {
		o.written[at+i] = true
	}
}
