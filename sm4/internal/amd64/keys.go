//go:build amd64 && !purego

package amd64

// Keys are the 32 round keys in the order of encryption. AESNI, AESNIAVX2, GFNIAVX2 and
// GFNI512 have the same ones, in the basis of package matrices and with its constants folded in,
// so that one can use the keys that another has expanded. SM4NIAVX2 stores the round keys
// of the standard in Words, and in reverse order in the first 32 words of Bytes.
type Keys struct {
	Words [32]uint32    // round key i as a word
	Bytes [32][4]uint32 // the same, byte j (0 is the least significant) four times: for byte-sliced kernels
}

// A Message is that of package ghash, but for its first field.
type Message struct {
	J0, Y, Lens [16]byte
	Pending     bool
}
