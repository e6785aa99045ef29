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

const hasKernels = true

// ctrFaster is the size from which cipherlane's counter mode is faster than Go's.
const ctrFaster = 9 * BlockSize

// A block is an aes.Keys, in which Go's block has the place of padding and of round keys.
type block struct {
	roundsCopy int
	_          [6]uint64
	blockStd
	neon, more unsafe.Pointer
	many       uint8
}

// These do not compile if an aes.Keys has another layout.
var (
	_ = [1]int{}[aescore.StdEnc-unsafe.Offsetof(block{}.enc)]
	_ = [1]int{}[aescore.StdDec-unsafe.Offsetof(block{}.dec)]
	_ = [1]int{}[aescore.StdNEON-unsafe.Offsetof(block{}.neon)]
	_ = [1]int{}[aescore.StdMore-unsafe.Offsetof(block{}.more)]
	_ = [1]int{}[aescore.StdMany-unsafe.Offsetof(block{}.many)]
	_ = [1]int{}[unsafe.Sizeof(aes.Keys{})-unsafe.Sizeof(block{})]
)

func (c *block) keys() *aes.Keys { return (*aes.Keys)(unsafe.Pointer(c)) }

func newBlock(c *Block, key []byte) *Block {
	if !useCipherlane {
		return newBlockStd(c, key)
	}
	aes.Expand(c.keys(), key)
	c.rounds = 6 + len(key)/4
	return c
}
