//go:build purego || !amd64

package frodokem

// kernelSecrets is what kernels keep secrets in.
func kernelSecrets(*scratch) []byte { return nil }
