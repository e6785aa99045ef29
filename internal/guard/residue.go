package guard

import (
	"runtime/debug"
	"slices"
	"sync"
	"unsafe"
)

// residue is global, so that its address is the same in all calls.
var residue struct {
	sync.Mutex
	bytes [16 << 10]byte
}

// Residue calls f and returns what f and its callees have left in the 16 KiB of
// stack below the caller. Bytes that were not written are zero. A test can run
// code twice, with different secrets but otherwise identically, and compare the
// results to find any traces of the secrets.
//
// On Linux the runtime cannot interrupt f and save all registers there, so that the result
// does not depend on the load of the machine. At the start of a function the runtime may
// still save the arguments, and elsewhere it may interrupt f, in rare cases. So only what
// is there every time is significant: see [Leaves] and [Left].
func Residue(f func()) []byte {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it could move the stack
	residue.Lock()
	defer residue.Unlock()
	uninterrupted(func() {
		scrub()
		f()
		copyStack()
	})
	return slices.Clone(residue.bytes[:])
}

// attempts is how often something must be on the stack to be significant.
const attempts = 20

// Leaves reports whether f leaves something on the stack every time. found reports whether
// it is in a result of [Residue].
func Leaves(f func(), found func(stack []byte) bool) bool {
	for range attempts {
		if !found(Residue(f)) {
			return false
		}
	}
	return true
}

// Left returns how many bytes that f leaves on the stack depend on a secret: they are
// the same for the same secret and differ for another. Left calls secret before f, with
// 1 or 2, to set one of two secrets for f; everything else must stay the same.
func Left(secret func(seed byte), f func()) (n int) {
	run := func(seed byte) []byte {
		secret(seed)
		return Residue(f)
	}
	for range attempts { // addresses may depend on it by chance
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

// scrub grows the stack as needed, and zeroes the part that f will use.
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
	var marker byte
	for i := range residue.bytes {
		residue.bytes[i] = *(*byte)(unsafe.Add(unsafe.Pointer(&marker), i-len(residue.bytes)))
	}
}
