//go:build ppc64 || ppc64le

package aes

// Go has AES instructions here and cipherlane has no kernels: everything stays Go's.

type block = blockStd

func newBlock(c *Block, key []byte) *Block { return newBlockStd(c, key) }

func encryptBlock(c *Block, dst, src []byte) { encryptBlockStd(c, dst, src) }

func decryptBlock(c *Block, dst, src []byte) { decryptBlockStd(c, dst, src) }
