//go:build !race && !asan

// The race detector and the sanitizer have tables of the memory, which are too large to search.

package guard

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// Remains returns how many copies of secrets f leaves in the memory of the process, except on
// the stack: on the heap, in pools, in variables. Copies that exist before do not count. What
// the garbage collector frees keeps its contents until it is used again, so that a copy
// that nothing refers to is found as well. If there are any, f is called four more times, unless
// it leaves none then, and the median counts.
func Remains(t testing.TB, f func(), secrets ...[]byte) int {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it could use memory again
	residue.Lock()
	defer residue.Unlock()
	clear(residue.bytes[:]) // may contain secrets of another search
	var left []int
	for range 5 { // other signals than the blocked one save registers, too
		scrub()
		before := copies(t, secrets)
		uninterrupted(f)
		scrub()
		n := copies(t, secrets) - before
		if n <= 0 {
			return n
		}
		left = append(left, n)
	}
	slices.Sort(left)
	return left[len(left)/2]
}

// copies counts the copies of secrets in all memory that can be written.
func copies(t testing.TB, secrets [][]byte) (n int) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		var mode string
		if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &mode); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(mode, "rw") {
			continue
		}
		var marker byte
		start := (*byte)(unsafe.Add(unsafe.Pointer(&marker), from-uintptr(unsafe.Pointer(&marker))))
		Faults(func() { // memory of a device, or unmapped meanwhile
			for _, secret := range secrets {
				n += bytes.Count(unsafe.Slice(start, to-from), secret)
			}
		})
	}
	return n
}
