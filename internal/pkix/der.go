// Package pkix implements the formats of key files: DER, the structures around public
// and private keys (RFC 5280, RFC 5958), encryption with a passphrase (RFC 8018), and
// certificates.
// Its errors do not name a package: callers add their own prefix.
package pkix

import "encoding/binary"

// This file implements the subset of DER (ITU-T X.690) needed for keys, signatures
// and ciphertexts. Every value has exactly one encoding, and no other is accepted.

// Tags.
const (
	Integer     = 0x02
	BitString   = 0x03
	OctetString = 0x04
	Null        = 0x05
	OID         = 0x06
	Sequence    = 0x30
	Implicit1   = 0x81 // of a BIT STRING and the like
	Explicit0   = 0xa0
	Explicit1   = 0xa1
)

// Append appends a value, the concatenation of parts, with its tag and length.
func Append(b []byte, tag byte, parts ...[]byte) []byte {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	b = appendHeader(b, tag, n)
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// appendHeader appends a tag and the length of the n bytes that follow.
func appendHeader(b []byte, tag byte, n int) []byte {
	b = append(b, tag)
	if n < 0x80 {
		return append(b, byte(n))
	}
	size := 1
	for n>>(8*size) != 0 {
		size++
	}
	b = append(b, 0x80|byte(size))
	for i := size - 1; i >= 0; i-- {
		b = append(b, byte(n>>(8*i)))
	}
	return b
}

// AppendNumber appends an INTEGER, given as 32 big-endian bytes.
func AppendNumber(b []byte, v [32]byte) []byte {
	p := v[:]
	for len(p) > 1 && p[0] == 0 {
		p = p[1:]
	}
	if p[0]&0x80 != 0 {
		return Append(b, Integer, []byte{0}, p)
	}
	return Append(b, Integer, p)
}

// AppendInt appends a non-negative INTEGER.
func AppendInt(b []byte, n int) []byte {
	var v [32]byte
	binary.BigEndian.PutUint64(v[24:], uint64(n))
	return AppendNumber(b, v)
}

// A Reader reads values from DER. After an invalid value, all reads return empty
// values.
type Reader struct {
	rest []byte
	bad  bool
}

// Read returns a reader of der.
func Read(der []byte) Reader { return Reader{rest: der} }

// Next reads a value with this tag, and returns its contents.
func (r *Reader) Next(tag byte) []byte {
	b := r.rest
	if r.bad || len(b) < 2 || b[0] != tag {
		return r.fail()
	}
	n, b := int(b[1]), b[2:]
	if n >= 0x80 {
		size := n & 0x7f
		if size == 0 || size > 3 || len(b) < size || b[0] == 0 {
			return r.fail()
		}
		n = 0
		for _, c := range b[:size] {
			n = n<<8 | int(c)
		}
		if n < 0x80 {
			return r.fail()
		}
		b = b[size:]
	}
	if len(b) < n {
		return r.fail()
	}
	r.rest = b[n:]
	return b[:n:n]
}

// Any reads a value with any tag of one byte, and returns the tag and the contents.
func (r *Reader) Any() (tag byte, contents []byte) {
	if r.bad || len(r.rest) == 0 || r.rest[0]&0x1f == 0x1f {
		return 0, r.fail()
	}
	tag = r.rest[0]
	return tag, r.Next(tag)
}

func (r *Reader) fail() []byte {
	r.bad = true
	r.rest = nil
	return nil
}

// Whole reads a value with this tag, and returns it including tag and length.
func (r *Reader) Whole(tag byte) []byte {
	b := r.rest
	r.Next(tag)
	return b[:len(b)-len(r.rest)]
}

// In reads a value with this tag, and returns a reader of its contents, which is bad
// if r is.
func (r *Reader) In(tag byte) Reader {
	v := r.Next(tag)
	return Reader{v, r.bad}
}

// Has reports whether a value with this tag comes next.
func (r *Reader) Has(tag byte) bool { return !r.bad && len(r.rest) > 0 && r.rest[0] == tag }

// Bad reports whether a value was invalid.
func (r *Reader) Bad() bool { return r.bad }

// Done reports whether all values were valid and none is left.
func (r *Reader) Done() bool { return !r.bad && len(r.rest) == 0 }

// Number reads an INTEGER from 0 to 2^256 - 1, and returns it as 32 big-endian bytes.
func (r *Reader) Number() (v [32]byte) {
	b := r.Next(Integer)
	if len(b) == 0 || b[0]&0x80 != 0 || len(b) > 1 && b[0] == 0 && b[1]&0x80 == 0 {
		r.fail()
		return v
	}
	if b[0] == 0 {
		b = b[1:]
	}
	if len(b) > len(v) {
		r.fail()
		return v
	}
	copy(v[len(v)-len(b):], b)
	return v
}

// small reads an INTEGER. It returns 2^31, which exceeds all limits, for anything
// larger.
func (r *Reader) small() uint64 {
	v := r.Number()
	n := binary.BigEndian.Uint64(v[24:])
	if n > 1<<31 || [24]byte(v[:24]) != [24]byte{} {
		return 1 << 31
	}
	return n
}
