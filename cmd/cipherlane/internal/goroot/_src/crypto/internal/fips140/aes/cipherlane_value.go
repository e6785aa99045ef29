//go:build (purego || (!amd64 && !arm64)) && !s390x && !ppc64 && !ppc64le

package aes

import "crypto/internal/cipherlane/aes"

func keepsStd() bool { return false }

const (
	hasKernels = true
	ctrFaster  = 1
)

type block struct {
	blockStd
	own aes.Keys
}

func (c *block) keys() *aes.Keys { return &c.own }

func newBlock(c *Block, key []byte) *Block {
	if !useCipherlane {
		return newBlockStd(c, key)
	}
	c.rounds = 6 + len(key)/4
	aes.Expand(&c.own, key)
	return c
}
