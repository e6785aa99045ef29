//go:build !go1.26

// Package fips is what the library needs of crypto/fips140, for all versions of Go. All
// functions may be called concurrently.
package fips

import (
	"crypto/fips140"
	"crypto/rc4"
)

// enforced is whether the standard library refuses what FIPS 140-3 does not approve. Before
// Go 1.26 nothing says so, and GODEBUG may come from go.mod or a comment as well as from the
// environment. So this asks for something refused. The mode is fixed when a program starts.
var enforced = fips140.Enabled() && refuses()

// refuses reports whether RC4 is refused. Its constructor returns an error, where those of
// hashes panic, and it accepts a key of one byte in all other modes.
func refuses() bool {
	_, err := rc4.NewCipher(make([]byte, 1))
	return err != nil
}

// Enforced reports whether FIPS 140-only mode is on (GODEBUG=fips140=only).
func Enforced() bool { return enforced }

// Absolute reports whether FIPS 140-only mode is on and cannot be lifted.
func Absolute() bool { return enforced }

// WithoutEnforcement calls f. Before Go 1.26, FIPS 140-only mode cannot be lifted.
func WithoutEnforcement(f func()) { f() }
