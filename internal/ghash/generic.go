package ghash

import "encoding/binary"

// The portable driver multiplies polynomials over GF(2) by multiplying
// integers: if only every fourth bit of the factors is used, up to 15 products
// of bits add up before a carry reaches the next bit that is used. Each factor
// is taken apart into four such classes of bits; the products of classes whose
// numbers have the same sum modulo 4 are xored, and then three bits of four,
// which hold carries, are masked away. As xor keeps bits apart, one mask does
// for the products of several blocks.
//
// There are two versions: for machines that multiply 64 bits by 64 bits
// (mul64.go), and for those that multiply 32 by 32 (mul32.go).
//
// The field is that of POLYVAL (RFC 8452, appendix A), where the bits of a
// block have the order of an integer: GHASH with the key H is POLYVAL of the
// reversed blocks with the reversed H times x.

const timingGeneric = "independent of secrets where the CPU's multiplication is"

// Masks of the classes.
const (
	class0 = 0x1111111111111111
	class1 = class0 << 1
	class2 = class0 << 2
	class3 = class0 << 3
)

// group is how many blocks share a reduction, and how many powers of the hash
// key there are.
const group = 4

// An element is a field element, hi*x^64 + lo.
type element struct{ hi, lo uint64 }

// load takes the bytes of b in the order of GHASH or, reversed, of POLYVAL.
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

// nextBlock takes the first block off p, padded with zeros if it is short.
func nextBlock(p []byte, reversed bool) (element, []byte) {
	if len(p) >= blockSize {
		return load(p, reversed), p[blockSize:]
	}
	var b [blockSize]byte
	copy(b[:], p)
	return load(b[:], reversed), nil
}

// mulX returns the reversed h times x, modulo x^128 + x^127 + x^126 + x^121 + 1.
func mulX(h *[blockSize]byte) element {
	e := load(h[:], false)
	top := e.hi >> 63
	return element{e.hi<<1 | e.lo>>63 ^ -top&(0xc2<<56), e.lo<<1 ^ top}
}

// reduce returns (hi*x^128 + mid*x^64 + lo) / x^128, where mid is still
// Karatsuba's: the product of the sums of halves.
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
