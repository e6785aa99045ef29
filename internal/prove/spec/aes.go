package spec

// FIPS 197, Advanced Encryption Standard (AES), updated May 9, 2023.

// times is the product in GF(2^8) (section 4.2).
func times(a, b byte) (p byte) {
	for ; b > 0; b >>= 1 {
		p ^= a * (b & 1)
		a = a<<1 ^ a>>7*0x1b
	}
	return p
}

// times is the product of a byte and a constant.
func (c Calculator) times(w Word, by byte) Word {
	out := number(0, 8)
	for ; by > 0; by >>= 1 {
		if by&1 != 0 {
			out = c.Xor(out, w)
		}
		// XTIMES, section 4.2: the reduction by x^8 + x^4 + x^3 + x + 1.
		high := number(0, 8)
		for _, i := range []int{0, 1, 3, 4} {
			high[i] = w[7]
		}
		w = c.Xor(w.Left(1), high)
	}
	return out
}

// SBox is the table of section 5.1.1, and InvSBox its inverse.
var SBox, InvSBox = sboxes()

func sboxes() (s, inv [256]byte) {
	for x := range 256 {
		var b byte // the inverse, or 0
		for y := range 256 {
			if times(byte(x), byte(y)) == 1 {
				b = byte(y)
			}
		}
		var v byte
		for i := range 8 {
			bit := func(n int) byte { return b >> (n % 8) & 1 }
			v |= (bit(i) ^ bit(i+4) ^ bit(i+5) ^ bit(i+6) ^ bit(i+7) ^ 0x63>>i&1) << i
		}
		s[x], inv[v] = v, byte(x)
	}
	return s, inv
}

// shiftRows is SHIFTROWS (section 5.1.2), or with by = -1 INVSHIFTROWS (section 5.3.1). Byte
// r + 4c of a state is in row r and column c.
func shiftRows(state Word, by int) Word {
	s := state.Lanes(8)
	var out Word
	for i := range 16 {
		r, c := i%4, i/4
		out = append(out, s[r+4*((c+by*r+4)%4)]...)
	}
	return out
}

// MixColumns is MIXCOLUMNS (section 5.1.3).
func (c Calculator) MixColumns(state Word) Word { return c.columns(state, [4]byte{2, 3, 1, 1}) }

// InvMixColumns is INVMIXCOLUMNS (section 5.3.3).
func (c Calculator) InvMixColumns(state Word) Word { return c.columns(state, [4]byte{14, 11, 13, 9}) }

// columns multiplies columns by the matrix with this first row; each further one is rotated.
func (c Calculator) columns(state Word, row [4]byte) Word {
	s := state.Lanes(8)
	var out Word
	for i := range 16 {
		var products []Word
		for j := range 4 {
			products = append(products, c.times(s[i&^3+j], row[(j-i%4+4)%4]))
		}
		out = append(out, c.Xor(products...)...)
	}
	return out
}

// AESCipher is CIPHER (section 5.1) of a block, with round keys of 16 bytes.
func (c Calculator) AESCipher(in Word, w []Word) Word {
	rounds := len(w) - 1
	state := c.Xor(in, w[0])
	for round := 1; round < rounds; round++ {
		state = c.AESRound(state, w[round])
	}
	return c.AESLastRound(state, w[rounds])
}

// AESRound is a round of CIPHER with its key, and AESLastRound the last one.
func (c Calculator) AESRound(state, key Word) Word {
	state = c.Substitute(state, &SBox)
	state = shiftRows(state, 1)
	state = c.MixColumns(state)
	return c.Xor(state, key)
}

func (c Calculator) AESLastRound(state, key Word) Word {
	state = c.Substitute(state, &SBox)
	state = shiftRows(state, 1)
	return c.Xor(state, key)
}

// AESKeyExpansion is KEYEXPANSION (section 5.2), as round keys of 16 bytes.
func (c Calculator) AESKeyExpansion(key Word) []Word {
	w := key.Lanes(32)
	n := len(w)
	rounds := n + 6
	rcon := byte(1)
	for i := n; i <= 4*rounds+3; i++ {
		temp := w[i-1]
		if i%n == 0 {
			// ROTWORD moves byte 1 to byte 0.
			temp = c.Xor(c.Substitute(rotate(temp, 24), &SBox), Bytes(rcon, 0, 0, 0))
			rcon = times(rcon, 2)
		} else if n > 6 && i%n == 4 {
			temp = c.Substitute(temp, &SBox)
		}
		w = append(w, c.Xor(w[i-n], temp))
	}
	return join(w...).Lanes(128)
}

// AESInvCipher is INVCIPHER (section 5.3) with the round keys of CIPHER.
func (c Calculator) AESInvCipher(in Word, w []Word) Word {
	rounds := len(w) - 1
	state := c.Xor(in, w[rounds])
	for round := rounds - 1; round >= 1; round-- {
		state = shiftRows(state, -1)
		state = c.Substitute(state, &InvSBox)
		state = c.Xor(state, w[round])
		state = c.InvMixColumns(state)
	}
	state = shiftRows(state, -1)
	state = c.Substitute(state, &InvSBox)
	return c.Xor(state, w[0])
}

// AESKeyExpansionEIC is KEYEXPANSIONEIC (section 5.3.5): the round keys of EQINVCIPHER, by the
// number of the round key of CIPHER.
func (c Calculator) AESKeyExpansionEIC(w []Word) []Word {
	dw := make([]Word, len(w))
	for round := range w {
		dw[round] = w[round]
		if round > 0 && round < len(w)-1 {
			dw[round] = c.InvMixColumns(w[round])
		}
	}
	return dw
}
