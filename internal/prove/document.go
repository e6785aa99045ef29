package prove

// Document returns docs/proofs.md.
func Document(kernels []*Kernel) string { return "" }
