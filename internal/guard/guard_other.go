//go:build !unix

package guard

import "testing"

// Enforced reports whether slices are guarded on this system.
const Enforced = false

func pages(t testing.TB, n int) []byte { return make([]byte, n) }
