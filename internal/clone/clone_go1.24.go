//go:build !go1.25

// Package clone has hash.Cloner, for all versions of Go.
package clone

import "hash"

// Cloner has the methods of hash.Cloner, which Go 1.24 lacks.
type Cloner interface {
	hash.Hash
	Clone() (Cloner, error)
}
