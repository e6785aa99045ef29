//go:build !purego && (amd64 || arm64 || loong64 || riscv64)

package sm2

import "unsafe"

// limbs returns a point in the form that kernels use.
func (p *point) limbs() *[12]uint64 { return (*[12]uint64)(unsafe.Pointer(p)) }

func (p *affine) limbs() *[8]uint64 { return (*[8]uint64)(unsafe.Pointer(p)) }

func (m *multiples) limbs() *[entries][12]uint64 {
	return (*[entries][12]uint64)(unsafe.Pointer(m))
}

func (t *baseTable) limbs() *[baseDigits][baseEntries][8]uint64 {
	return (*[baseDigits][baseEntries][8]uint64)(unsafe.Pointer(t))
}
