// Package unix has what package cpu needs of golang.org/x/sys/unix.
package unix

import "unsafe"

//go:linkname runtimeAuxv runtime.getAuxv
func runtimeAuxv() []uintptr

// Auxv returns the auxiliary vector.
func Auxv() ([][2]uintptr, error) {
	v := runtimeAuxv()
	list := make([][2]uintptr, len(v)/2)
	for i := range list {
		list[i] = [2]uintptr(v[2*i:])
	}
	return list, nil
}

// BytePtrToString returns the string up to a zero byte.
func BytePtrToString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
