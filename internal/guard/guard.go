// Package guard makes byte slices for tests that lie against memory nobody may
// touch: code that reads or writes one byte too far faults there. The race
// detector and the address sanitizer see nothing of what assembly does; the
// memory management unit does.
package guard

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"
)

// After returns n bytes with inaccessible memory right behind the last one.
// They are writable and zero, and go away when the test is done.
//
// Where [Enforced] is false the bytes are plain memory, which lets a test run
// for the sake of its other results.
func After(t testing.TB, n int) []byte {
	t.Helper()
	return Tail(pages(t, n), n)
}

// Before returns n bytes with inaccessible memory right in front of the first
// one. Otherwise it is like [After].
func Before(t testing.TB, n int) []byte {
	t.Helper()
	return pages(t, n)[:n:n]
}

// Tail returns the last n bytes of b, which comes from [After]: one mapping
// serves all lengths up to its own. In contrast to a slice expression it
// returns for n = 0 a slice that points at the guard.
func Tail(b []byte, n int) []byte {
	skip := len(b) - n
	if n < 0 || skip < 0 {
		panic("guard: tail longer than the slice")
	}
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), skip)), n)
}

// Faults calls f and reports whether it touched inaccessible memory, the page of
// the nil pointer included. It stops f there. Other panics pass through.
func Faults(f func()) (faulted bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		e := recover()
		if e == nil {
			return
		}
		// Not every emulator tells the address, so the text has to do.
		err, ok := e.(runtime.Error)
		if !ok || !strings.Contains(err.Error(), "invalid memory address") {
			panic(e)
		}
		faulted = true
	}()
	f()
	return false
}
