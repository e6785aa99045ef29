//go:build !purego

package frodokem

import "unsafe"

// kernelSecrets returns the memory in which kernels keep secrets.
func kernelSecrets(k *kernelScratch) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&k.columns)), unsafe.Sizeof(k.columns))
}
