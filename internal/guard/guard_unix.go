//go:build unix

package guard

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Enforced reports whether slices are guarded on this system.
const Enforced = true

// pages returns whole pages, at least one and n bytes, between two pages that
// are inaccessible.
func pages(t testing.TB, n int) []byte {
	t.Helper()
	page := os.Getpagesize()
	size := max(n+page-1, page) / page * page
	m, err := unix.Mmap(-1, 0, page+size+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatalf("guard: mmap: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(m); err != nil {
			t.Errorf("guard: munmap: %v", err)
		}
	})
	for _, fence := range [][]byte{m[:page], m[page+size:]} {
		if err := unix.Mprotect(fence, unix.PROT_NONE); err != nil {
			t.Fatalf("guard: mprotect: %v", err)
		}
	}
	return m[page : page+size]
}
