package spec

// GB/T 32905-2016, SM3 cryptographic hash algorithm.

// sm3FF and sm3GG are the Boolean functions of section 4.3.
func (c Calculator) sm3FF(j int, x, y, z Word) Word {
	if j < 16 {
		return c.Xor(x, y, z)
	}
	c.Positions(x, y, z)
	return c.Or(c.Or(c.And(x, y), c.And(x, z)), c.And(y, z))
}

func (c Calculator) sm3GG(j int, x, y, z Word) Word {
	if j < 16 {
		return c.Xor(x, y, z)
	}
	c.Positions(x, y, z)
	return c.Or(c.And(x, y), c.And(x.Not(), z))
}

// sm3P0 and sm3P1 are the permutations of section 4.4.
func (c Calculator) sm3P0(x Word) Word { return c.Xor(x, rotate(x, 9), rotate(x, 17)) }
func (c Calculator) sm3P1(x Word) Word { return c.Xor(x, rotate(x, 15), rotate(x, 23)) }

// SM3CF is the compression function CF (section 5.3.3) of a chaining value, 8 words, and a
// block of 64 bytes.
func (c Calculator) SM3CF(v []Word, block Word) []Word {
	// Message expansion, section 5.3.2.
	w := Reverse(block, 32).Lanes(32)
	for j := 16; j < 68; j++ {
		p := c.sm3P1(c.Xor(w[j-16], w[j-9], rotate(w[j-3], 15)))
		w = append(w, c.Xor(p, rotate(w[j-13], 7), w[j-6]))
	}
	wPrime := make([]Word, 64)
	for j := range wPrime {
		wPrime[j] = c.Xor(w[j], w[j+4])
	}
	return c.SM3Rounds(v, w, wPrime)
}

// SM3Rounds is CF after the message expansion.
func (c Calculator) SM3Rounds(v, w, wPrime []Word) []Word {
	A, B, C, D, E, F, G, H := v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]
	for j := range 64 {
		T := number(0x79cc4519, 32)
		if j >= 16 {
			T = number(0x7a879d8a, 32)
		}
		SS1 := rotate(c.Sum(0, rotate(A, 12), E, rotate(T, j)), 7)
		SS2 := c.Xor(SS1, rotate(A, 12))
		TT1 := c.Sum(0, c.sm3FF(j, A, B, C), D, SS2, wPrime[j])
		TT2 := c.Sum(0, c.sm3GG(j, E, F, G), H, SS1, w[j])
		D = C
		C = rotate(B, 9)
		B = A
		A = TT1
		H = G
		G = rotate(F, 19)
		F = E
		if j >= 15 {
			// Some kernels make GG of the next round from TT2 and its rotations.
			c.Positions(TT2, c.Xor(rotate(TT2, 9), rotate(TT2, 17)), F, G)
		}
		E = c.sm3P0(TT2)
	}
	out := []Word{A, B, C, D, E, F, G, H}
	for i := range out {
		out[i] = c.Xor(out[i], v[i])
	}
	return out
}
