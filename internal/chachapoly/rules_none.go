//go:build !amd64 || purego

package chachapoly

import "github.com/cipherlane/cipherlane/internal/drivers"

// PacketRules are the rules of package chacha20poly1305: none.
func PacketRules() []drivers.Rule { return nil }

// StreamRules are those of package chacha20: none.
func StreamRules() []drivers.Rule { return nil }
