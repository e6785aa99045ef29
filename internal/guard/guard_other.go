//go:build !unix

package guard

import "testing"

// Enforced reports whether this system guards the slices of this package.
const Enforced = false

func pages(t testing.TB, n int) []byte { return make([]byte, n) }
