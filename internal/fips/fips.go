//go:build go1.26

// Package fips is what the library needs of crypto/fips140, for all versions of Go. All
// functions may be called concurrently.
package fips

import "crypto/fips140"

// Enforced reports whether FIPS 140-only mode is on (GODEBUG=fips140=only) and not lifted for
// this goroutine.
func Enforced() bool { return fips140.Enforced() }

// Absolute reports whether FIPS 140-only mode is on and cannot be lifted: never since Go 1.26.
func Absolute() bool { return false }

// WithoutEnforcement calls f with FIPS 140-only mode off.
func WithoutEnforcement(f func()) { fips140.WithoutEnforcement(f) }
