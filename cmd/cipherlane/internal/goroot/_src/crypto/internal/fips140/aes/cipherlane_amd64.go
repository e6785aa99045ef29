//go:build !purego

package aes

import (
	"crypto/internal/cipherlane/aes"
	"crypto/internal/cipherlane/aescore"
	"unsafe"
)

// keepsStd reports whether the round keys are those of Go, too.
func keepsStd() bool { return supportsAES && likeStd }

var likeStd = aescore.LikeStd(aes.Row)

// hasKernels says that this machine can run a driver whose round keys have a place in a block:
// any but the portable one. Go's AES stays on CPUs without SSSE3, of before 2011.
var hasKernels = aescore.InPlace(aes.Row)

// ctrFaster is the size from which cipherlane's counter mode is faster than Go's.
const ctrFaster = 12 * BlockSize

// A block is the number of rounds, and an aes.Keys. If the CPU has AES instructions, this
// begins with Go's round keys, so that one key schedule serves both. Its pointer is always nil,
// and is a number here: with a pointer, blocks would take longer to allocate.
type block struct {
	blockStd
	roundsCopy int
	more       uintptr
}

// These do not compile if an aes.Keys has another layout.
var (
	_ = [1]int{}[aescore.StdRounds-(unsafe.Offsetof(block{}.roundsCopy)-unsafe.Offsetof(block{}.enc))]
	_ = [1]int{}[aescore.StdMore-(unsafe.Offsetof(block{}.more)-unsafe.Offsetof(block{}.enc))]
	_ = [1]int{}[unsafe.Sizeof(aes.Keys{})-(unsafe.Sizeof(block{})-unsafe.Offsetof(block{}.enc))]
)

func (c *block) keys() *aes.Keys { return (*aes.Keys)(unsafe.Pointer(&c.enc)) }

func newBlock(c *Block, key []byte) *Block {
	if !useCipherlane || keepsStd() {
		newBlockStd(c, key)
		c.roundsCopy = c.rounds
		return c
	}
	c.rounds = 6 + len(key)/4
	aes.Expand(c.keys(), key)
	return c
}
