package spec

// FIPS 202, SHA-3 Standard, August 2015. Lane (x, y) of a state of 1600 bits is number x + 5y.

func (c Calculator) keccakTheta(a []Word) []Word {
	var column, d [5]Word
	for x := range 5 {
		column[x] = c.Xor(a[x], a[x+5], a[x+10], a[x+15], a[x+20])
	}
	for x := range 5 {
		d[x] = c.Xor(column[(x+4)%5], rotate(column[(x+1)%5], 1))
	}
	out := make([]Word, 25)
	for i := range out {
		out[i] = c.Xor(a[i], d[i%5])
	}
	return out
}

func keccakRho(a []Word) []Word {
	out := make([]Word, 25)
	out[0] = a[0]
	x, y := 1, 0
	for t := range 24 {
		out[x+5*y] = rotate(a[x+5*y], (t+1)*(t+2)/2)
		x, y = y, (2*x+3*y)%5
	}
	return out
}

func keccakPi(a []Word) []Word {
	out := make([]Word, 25)
	for x := range 5 {
		for y := range 5 {
			out[x+5*y] = a[(x+3*y)%5+5*x]
		}
	}
	return out
}

// keccakChi looks a + (b+1)c up, as one function of three bits: as a sum it would have two
// atoms, and after a few rounds too many.
func (c Calculator) keccakChi(a []Word) []Word {
	out := make([]Word, 25)
	for i := range out {
		row := i / 5 * 5
		out[i] = make(Word, 64)
		for k := range out[i] {
			bits := Word{a[i][k], a[row+(i+1)%5][k], a[row+(i+2)%5][k]}
			out[i][k] = c.Apply([]uint64{0, 1, 0, 1, 1, 0, 0, 1}, 1, bits)[0]
		}
	}
	return out
}

// keccakRC is the bit rc(t) of algorithm 5.
func keccakRC(t int) uint64 {
	r := uint64(1)
	for range t % 255 {
		r <<= 1
		if r&0x100 != 0 {
			r ^= 0x171
		}
	}
	return r & 1
}

// KeccakF is KECCAK-f[1600] (section 3.4): 24 rounds of ι(χ(π(ρ(θ(A)))), i).
func (c Calculator) KeccakF(a []Word) []Word {
	for round := range 24 {
		a = c.keccakChi(keccakPi(keccakRho(c.keccakTheta(a))))
		var rc uint64
		for j := range 7 {
			rc |= keccakRC(j+7*round) << (1<<j - 1)
		}
		a[0] = c.Xor(a[0], number(rc, 64))
	}
	return a
}
