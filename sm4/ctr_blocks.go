//go:build !arm64 || purego

package sm4

const ctrBlocksMin = 0 // there is no ctrBlocks

func ctrBlocks(uint8, *keys, *[BlockSize]byte, []byte, []byte) bool { return false }
