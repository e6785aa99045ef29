//go:build !riscv64 || purego

package sm4

// No driver has kernels for MACs.

func cbcMACKernel(row uint8, k *keys, mac *[BlockSize]byte, src []byte) int {
	return cbcMACPortable(row, k, mac, src)
}

func ccmKernel(row uint8, k *keys, mac, counter *[BlockSize]byte, dst, src []byte, decrypt bool) int {
	return ccmPortable(row, k, mac, counter, dst, src, decrypt)
}
