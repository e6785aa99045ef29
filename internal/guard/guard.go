// Package guard provides byte slices for tests that are adjacent to inaccessible
// memory: code that reads or writes one byte too far faults. The race detector and
// the address sanitizer do not check assembly; the memory management unit does.
package guard

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"
)

// After returns n bytes with inaccessible memory right after the last one. They
// are writable and zero, and are unmapped when the test is done.
//
// If [Enforced] is false, the bytes are ordinary memory, so that the rest of
// a test still runs.
func After(t testing.TB, n int) []byte {
	t.Helper()
	return Tail(pages(t, n), n)
}

// Before is like [After], but with inaccessible memory right before the first
// byte.
func Before(t testing.TB, n int) []byte {
	t.Helper()
	return pages(t, n)[:n:n]
}

// Tail returns the last n bytes of b, which comes from [After], so that one
// mapping can be used for all lengths up to its own. Unlike a slice expression,
// it returns a slice that points at the guard page for n = 0.
func Tail(b []byte, n int) []byte {
	skip := len(b) - n
	if n < 0 || skip < 0 {
		panic("guard: tail longer than the slice")
	}
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), skip)), n)
}

// Faults calls f and reports whether it accessed inaccessible memory, including the
// page at address 0. The access ends f. Other panics are passed on.
func Faults(f func()) (faulted bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		e := recover()
		if e == nil {
			return
		}
		// Not every emulator provides the address, so compare the text.
		err, ok := e.(runtime.Error)
		if !ok || !strings.Contains(err.Error(), "invalid memory address") {
			panic(e)
		}
		faulted = true
	}()
	f()
	return false
}
