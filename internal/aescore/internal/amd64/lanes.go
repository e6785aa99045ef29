//go:build amd64 && !purego

package amd64

// A Lane is one of the streams that a call processes side by side.
type Lane struct {
	Keys     *Keys
	IV       *[16]byte // becomes the last ciphertext block
	Dst, Src *byte     // if Dst is nil, only IV is updated
}
