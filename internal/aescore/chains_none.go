//go:build !(arm64 || riscv64) || purego

package aescore

// No driver has kernels for chains.

func cbcMACKernel(uint8, *Keys, *[BlockSize]byte, []byte) int { return 0 }

func cfbEncryptKernel(uint8, *Keys, *[BlockSize]byte, []byte, []byte) int { return 0 }

func cfbDecryptKernel(uint8, *Keys, *[BlockSize]byte, []byte, []byte) int { return 0 }

func ccmKernel(uint8, *Keys, *[BlockSize]byte, *[BlockSize]byte, []byte, []byte, bool) int { return 0 }
