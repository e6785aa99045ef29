//go:build amd64 && !purego

package amd64

import "runtime"

// The family X64 needs general registers only. All others use it for a single block, where one
// chain of operations has to be short, and not many have to be side by side.

// blockSize is the number of bytes of keystream in a block.
const blockSize = 64

// xorBlock adds keystream to at most a block.
func xorBlock(dst, src []byte, state *[16]uint32) {
	if len(src) == blockSize {
		xorBlockX64(&dst[0], &src[0], state)
		return
	}
	var block [blockSize]byte
	copy(block[:], src)
	xorBlockX64(&block[0], &block[0], state)
	copy(dst, block[:])
	clear(block[:])
	runtime.KeepAlive(&block)
}

//go:noescape
//ct:secret dst src state
func xorBlockX64(dst, src *byte, state *[16]uint32)

// HChaChaX64 derives the key of XChaCha20 from a key and the first 16 bytes of the nonce.
//
//go:noescape
//ct:secret out key
//ct:public nonce
func HChaChaX64(out, key *[8]uint32, nonce *[4]uint32)
