package ghash

// A direct transcription of NIST SP 800-38D, the reference for all drivers.

// specProduct is X • Y, section 6.3, algorithm 1. Bit 0 of a block is the
// most significant bit of its first byte.
func specProduct(x, y [16]byte) [16]byte {
	var z [16]byte
	v := y
	for i := range 128 {
		if x[i/8]>>(7-i%8)&1 == 1 {
			for j := range z {
				z[j] ^= v[j]
			}
		}
		last := v[15] & 1
		for j := 15; j > 0; j-- {
			v[j] = v[j]>>1 | v[j-1]<<7
		}
		v[0] >>= 1
		if last == 1 {
			v[0] ^= 0xe1 // R
		}
	}
	return z
}

// specUpdate is GHASH, section 6.4, algorithm 2, from step 2 with Y_0 = y. The
// last block of p is padded with zeros, as GCM does.
func specUpdate(h, y [16]byte, p []byte) [16]byte {
	for len(p) > 0 {
		var x [16]byte
		p = p[copy(x[:], p):]
		for i := range y {
			y[i] ^= x[i]
		}
		y = specProduct(y, h)
	}
	return y
}
