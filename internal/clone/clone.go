//go:build go1.25

// Package clone has hash.Cloner, for all versions of Go.
package clone

import "hash"

// Cloner is [hash.Cloner].
type Cloner = hash.Cloner
