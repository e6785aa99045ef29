//go:build amd64 && !purego

package amd64

// Keys are the round keys in the order of use. Those for decryption are for the
// equivalent inverse cipher (FIPS 197, section 5.3.5). SSSE3 uses its own
// representation; the other families share one, with the standard's order of bytes.
type Keys struct {
	Enc    [15][16]byte
	Dec    [15][16]byte
	Rounds int // 10, 12 or 14
}
