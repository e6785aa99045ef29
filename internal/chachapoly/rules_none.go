//go:build !amd64 || purego

package chachapoly

import "github.com/cipherlane/cipherlane/internal/drivers"

// Rules returns the rules: none.
func Rules(below int, many bool) []drivers.Rule { return nil }
