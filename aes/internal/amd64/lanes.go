//go:build amd64 && !purego

package amd64

// A Lane is one of the streams that a call works on side by side.
type Lane struct {
	Keys     *Keys
	IV       *[16]byte // becomes the last ciphertext block
	Dst, Src *byte     // nil Dst: only IV is wanted
}
