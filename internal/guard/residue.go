package guard

import (
	"runtime/debug"
	"slices"
	"sync"
	"unsafe"
)

// residue is in one place, so that its address is no difference between calls.
var residue struct {
	sync.Mutex
	bytes [16 << 10]byte
}

// Residue calls f and returns what f, and what it called, have left in the
// 16 KiB of stack below the caller. Bytes that nobody wrote are zero. A test
// that runs code twice, with other secrets and all else the same, finds in the
// difference what the code has left of them.
//
// Rarely the runtime stops f and saves registers there: a difference counts if
// it comes every time.
func Residue(f func()) []byte {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it could move the stack
	residue.Lock()
	defer residue.Unlock()
	scrub()
	f()
	copyStack()
	return slices.Clone(residue.bytes[:])
}

// Left returns how many bytes of what f leaves on the stack follow a secret: they
// are the same whenever it is, and differ if it does. Secret is called first, with 1
// or 2, and puts one of two secrets where f finds it, all else being the same.
func Left(secret func(seed byte), f func()) (n int) {
	run := func(seed byte) []byte {
		secret(seed)
		return Residue(f)
	}
	for range 20 { // addresses and what an interruption leaves may follow it by chance
		x, same, other := run(1), run(1), run(2)
		n = 0
		for i := range x {
			if x[i] == same[i] && x[i] != other[i] {
				n++
			}
		}
		if n == 0 {
			return 0
		}
	}
	return n
}

// scrub makes the stack large enough, and zero where f will use it.
//
//go:noinline
func scrub() {
	var a [2 * len(residue.bytes)]byte
	touch(&a)
}

//go:noinline
func touch(*[2 * len(residue.bytes)]byte) {}

//go:nosplit
//go:noinline
//go:norace
//go:nocheckptr
func copyStack() {
	var here byte
	for i := range residue.bytes {
		residue.bytes[i] = *(*byte)(unsafe.Add(unsafe.Pointer(&here), i-len(residue.bytes)))
	}
}
