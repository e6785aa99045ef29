package spec

// NIST SP 800-38E and IEEE Std 1619-2018, XTS-AES.

// XTSDouble multiplies a tweak by α (IEEE 1619, section 5.2): the first byte has the lowest bits,
// and α^128 = α^7 + α^2 + α + 1.
func (c Calculator) XTSDouble(t Word) Word {
	high := number(0, 128)
	for _, i := range []int{0, 1, 2, 7} {
		high[i] = t[127]
	}
	return c.Xor(t.Left(1), high)
}
