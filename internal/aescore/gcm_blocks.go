//go:build (amd64 || ppc64le) && !purego

package aescore

import "github.com/cipherlane/cipherlane/internal/ghash"

// gcmByBlocks is GCM for drivers that have only kernels for blocks.
func gcmByBlocks(row uint8, k *Keys, m *ghash.Message, dst, src []byte, sealing bool) {
	var stream GCMStream
	stream.Crypt(func(n int) { encryptBlocksKernel(row, k, stream[:n], stream[:n]) }, m, dst, src, sealing)
}

func sealByBlocks(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	gcmByBlocks(row, k, m, dst, src, true)
}

func openByBlocks(row uint8, k *Keys, m *ghash.Message, dst, src []byte) {
	gcmByBlocks(row, k, m, dst, src, false)
}
