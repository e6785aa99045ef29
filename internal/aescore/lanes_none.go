//go:build !(amd64 || arm64) || purego

package aescore

// No driver has kernels for many messages: the Width of all is 1.

// A Lane is one of the streams of blocks of [CBCEncryptMany].
type Lane struct{}

// NewLane returns a lane.
func NewLane(*Keys, *[BlockSize]byte, *byte, *byte) Lane { panic(noKernel) }
