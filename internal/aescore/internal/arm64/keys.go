//go:build arm64 && !purego

package arm64

// Keys are the round keys in the order of use. Those for decryption are for the
// equivalent inverse cipher (FIPS 197, section 5.3.5).
type Keys struct {
	Rounds int // 10, 12 or 14
	// Kernels load 15 round keys that end with the last one. With fewer rounds the first
	// of them are not round keys, and not used.
	_   [7]uint64
	Enc [15][16]byte
	Dec [15][16]byte
}
