package modes

// GCMSIVCrypt is the counter mode of GCM-SIV.
func GCMSIVCrypt(c Rekeyer, tag [16]byte, dst, src []byte) {
	w := &gcmSIVWork{c: c, tag: tag}
	w.crypt(dst, src)
}

// Polyval is POLYVAL.
func Polyval(key, p []byte, row uint8) []byte {
	w := new(gcmSIVWork)
	var h [16]byte
	polyvalKey(&h, key)
	w.hash.Init(&h, row)
	w.hash.UpdateReversed(&w.y, p)
	return w.y[:]
}
