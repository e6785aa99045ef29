// Package arm64 has the AES kernels for AArch64.
package arm64
