//go:build purego || !(amd64 || arm64 || loong64 || riscv64)

package frodokem

// kernelSecrets returns the memory in which kernels keep secrets: none.
func kernelSecrets(*kernelScratch) []byte { return nil }
