package ghash

import "encoding/binary"

// The portable driver multiplies polynomials over GF(2) by multiplying
// integers: if only every fourth bit of the factors is used, up to 15 products
// of bits add up before a carry reaches the next bit that is used. Each factor
// is split into four such classes of bits. The products of classes whose
// numbers have the same sum modulo 4 are xored, and then three of every four
// bits, which hold carries, are masked out. Since xor does not mix bit
// positions, the products of several blocks can be xored before masking.
//
// There are two versions: for machines that multiply 64 bits by 64 bits
// (mul64.go), and for those that multiply 32 by 32 (mul32.go).
//
// Computations are in the field of POLYVAL (RFC 8452, appendix A), where a block
// has the bit order of an integer: GHASH with the key H is POLYVAL of the
// byte-reversed blocks with the byte-reversed H times x.

const timingGeneric = "independent of secrets where the CPU's multiplication is"

// Masks of the classes.
const (
	class0 = 0x1111111111111111
	class1 = class0 << 1
	class2 = class0 << 2
	class3 = class0 << 3
)

// group is the number of blocks that share a reduction, and the number of powers
// of the hash key.
const group = 4

// An element is a field element, hi*x^64 + lo.
type element struct{ hi, lo uint64 }

// load reads b in the byte order of GHASH or, if reversed, of POLYVAL.
func load(b []byte, reversed bool) element {
	if reversed {
		return element{binary.LittleEndian.Uint64(b[8:16]), binary.LittleEndian.Uint64(b[:8])}
	}
	return element{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:16])}
}

func (e element) store(b *[blockSize]byte, reversed bool) {
	if reversed {
		binary.LittleEndian.PutUint64(b[:8], e.lo)
		binary.LittleEndian.PutUint64(b[8:], e.hi)
		return
	}
	binary.BigEndian.PutUint64(b[:8], e.hi)
	binary.BigEndian.PutUint64(b[8:], e.lo)
}

func (e element) add(f element) element { return element{e.hi ^ f.hi, e.lo ^ f.lo} }

// nextBlock returns the first block of p, padded with zeros if it is short, and
// the rest of p.
func nextBlock(p []byte, reversed bool) (element, []byte) {
	if len(p) >= blockSize {
		return load(p, reversed), p[blockSize:]
	}
	var b [blockSize]byte
	copy(b[:], p)
	return load(b[:], reversed), nil
}

// mulX returns the byte-reversed h times x, modulo x^128 + x^127 + x^126 + x^121 + 1.
func mulX(h *[blockSize]byte) element {
	e := load(h[:], false)
	top := e.hi >> 63
	return element{e.hi<<1 | e.lo>>63 ^ -top&(0xc2<<56), e.lo<<1 ^ top}
}

// reduce returns (hi*x^128 + m*x^64 + lo) / x^128 with m = mid + hi + lo: mid is
// the product of the sums of halves in Karatsuba's method.
func reduce(hi, mid, lo element) element {
	mid = mid.add(hi).add(lo)
	d, c, b, a := hi.hi, hi.lo^mid.hi, mid.lo^lo.hi, lo.lo
	// Adding multiples of the polynomial clears a, then b.
	b ^= a<<63 ^ a<<62 ^ a<<57
	c ^= a ^ a>>1 ^ a>>2 ^ a>>7
	c ^= b<<63 ^ b<<62 ^ b<<57
	d ^= b ^ b>>1 ^ b>>2 ^ b>>7
	return element{d, c}
}
