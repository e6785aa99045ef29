//go:build !(arm64 || riscv64) || purego

package sm4

// No driver has kernels for chains.

func cfbEncryptKernel(row uint8, k *keys, iv *[BlockSize]byte, dst, src []byte) int {
	return cfbEncryptPortable(row, k, iv, dst, src)
}
