//go:build !purego

package frodokem

import "unsafe"

// kernelSecrets returns the memory in which kernels keep secrets.
func kernelSecrets(s *scratch) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&s.kernel.columns)), unsafe.Sizeof(s.kernel.columns))
}
