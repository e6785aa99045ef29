//go:build !linux

package guard

// uninterrupted calls f, which the runtime may interrupt.
func uninterrupted(f func()) { f() }
