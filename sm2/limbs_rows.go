//go:build !purego && (arm64 || loong64 || riscv64)

package sm2

import "unsafe"

func (l *basePointList) limbs() *[baseDigits][8]uint64 {
	return (*[baseDigits][8]uint64)(unsafe.Pointer(l))
}
