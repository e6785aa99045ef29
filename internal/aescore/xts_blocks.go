//go:build (amd64 || arm || loong64 || ppc64le || riscv64 || mips || mipsle || mips64 || mips64le) && !purego

package aescore

import (
	"crypto/subtle"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/tweaks"
)

// xtsByBlocks is XTS for drivers that have only kernels for blocks.
func xtsByBlocks(row uint8, k *Keys, tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	var memory [32 * BlockSize]byte
	for len(src) > 0 {
		n := min(len(src), len(memory))
		out, t := dst[:n], memory[:n]
		tweaks.Fill(t, tweak)
		subtle.XORBytes(out, src, t)
		if decrypt {
			decryptBlocksKernel(row, k, out, out)
		} else {
			encryptBlocksKernel(row, k, out, out)
		}
		subtle.XORBytes(out, out, t)
		dst, src = dst[n:], src[n:]
	}
	clear(memory[:])
	runtime.KeepAlive(&memory)
}
