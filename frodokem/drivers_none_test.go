//go:build purego || !amd64

package frodokem

// kernelSecrets returns the memory in which kernels keep secrets: none.
func kernelSecrets(*scratch) []byte { return nil }

// addStored is addStoredGeneric.
func addStored(row uint8, p *params, s *scratch, out, left []uint16) func(rows []uint16, first int) {
	return addStoredGeneric(p, s, out, left)
}
