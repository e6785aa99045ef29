//go:build !go1.25

// Package synctest is testing/synctest for tests of this module, which also run with Go 1.24.
package synctest

import "testing"

// Test skips the test.
func Test(t *testing.T, _ func(*testing.T)) {
	t.Helper()
	t.Skip("Go 1.24 has no testing/synctest, whose clock the test needs; newer versions run it")
}

// Wait is not reached.
func Wait() { panic("synctest: Wait outside Test") }
