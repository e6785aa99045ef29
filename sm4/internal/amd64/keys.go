//go:build amd64 && !purego

package amd64

// Keys are the 32 round keys in the order of encryption, as one family of
// kernels wants them: in its own basis and with its constants folded in. Keys
// that one family expanded are of no use to another. SM4NIAVX2 has the round keys
// of the standard in Words, and in the first 32 words of Bytes in reverse order.
type Keys struct {
	Words [32]uint32    // round key i as a word
	Bytes [32][4]uint32 // the same, byte j (0 is the least significant) four times: for kernels that slice by bytes
}
