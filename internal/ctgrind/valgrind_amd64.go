//go:build valgrind

package ctgrind

import (
	"runtime"
	"unsafe"
)

// Client requests of memcheck (memcheck.h).
const (
	memcheck      = uint64('M')<<24 | uint64('C')<<16
	makeUndefined = memcheck + 1
	makeDefined   = memcheck + 2
)

// request passes a client request with its arguments to valgrind. Outside
// valgrind it does nothing.
//
//go:noescape
//ct:public args
func request(args *[6]uint64)

// Secret marks b as secret.
func Secret(b []byte) { mark(makeUndefined, b) }

// Public marks b as public: after this it may be compared and printed.
func Public(b []byte) { mark(makeDefined, b) }

func mark(what uint64, b []byte) {
	request(&[6]uint64{what, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))), uint64(len(b))})
	runtime.KeepAlive(b)
}
