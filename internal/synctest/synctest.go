//go:build go1.25

// Package synctest is testing/synctest for tests of this module, which also run with Go 1.24.
package synctest

import (
	"testing"
	"testing/synctest"
)

// Test is [synctest.Test]. With Go 1.24, which has no such package, it skips the test.
func Test(t *testing.T, f func(*testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// Wait is [synctest.Wait].
func Wait() { synctest.Wait() }
