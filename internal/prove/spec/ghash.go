package spec

// NIST SP 800-38D, Galois/Counter Mode (GCM) and GMAC.

// gcmBits are the bits of a block in the order of the standard: bit i, the coefficient of u^i,
// is the bit 7-i%8 of byte i/8. The function is its own inverse.
func gcmBits(block Word) Word {
	out := make(Word, 128)
	for i := range out {
		out[i] = block[i/8*8+7-i%8]
	}
	return out
}

// GCMProduct is X • Y (section 6.3): the product of polynomials modulo
// 1 + u + u^2 + u^7 + u^128.
func (c Calculator) GCMProduct(x, y Word) Word {
	p := c.Carryless(gcmBits(x), gcmBits(y))
	return gcmBits(c.gcmReduce(p))
}

// gcmReduce reduces a polynomial of degree less than 256. u^128 = 1 + u + u^2 + u^7, so that
// terms from 249 on are reduced twice.
func (c Calculator) gcmReduce(p Word) Word {
	var from [128][]Bit
	for i := range from {
		from[i] = []Bit{p[i]}
	}
	var reduce func(power int, b Bit)
	reduce = func(power int, b Bit) {
		if power < 128 {
			from[power] = append(from[power], b)
			return
		}
		for _, k := range []int{0, 1, 2, 7} {
			reduce(power-128+k, b)
		}
	}
	for i := 128; i < 256; i++ {
		reduce(i, p[i])
	}
	out := make(Word, 128)
	for i := range out {
		out[i] = c.Parity(from[i]...)
	}
	return out
}

// GHASH is that of section 6.4, from a given Y on.
func (c Calculator) GHASH(h, y Word, blocks ...Word) Word {
	for _, x := range blocks {
		y = c.GCMProduct(c.Xor(y, x), h)
	}
	return y
}

// Inc is the function inc_s (section 6.2): the last s bits of the block count.
func (c Calculator) Inc(s int, block Word) Word {
	v := Reverse(block, 128)
	if s <= 64 {
		return Reverse(join(c.Sum(1, v[:s]), v[s:]), 128)
	}
	low := c.Sum(1, v[:64])
	carry := c.Carry(v[:64], number(1, 64), 0)
	high := c.Sum(0, v[64:s], Word{carry}.Extend(s-64))
	return Reverse(join(low, high, v[s:]), 128)
}
