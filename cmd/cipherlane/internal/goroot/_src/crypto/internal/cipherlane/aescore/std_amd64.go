//go:build !purego

package aescore

import (
	"crypto/internal/cipherlane/aescore/internal/amd64"
	"unsafe"
)

// LikeStd reports whether the round keys of a driver begin with those of
// crypto/internal/fips140/aes: those for encryption, then those for decryption.
func LikeStd(row uint8) bool { return row >= aesni }

// InPlace reports whether the round keys of a driver are within Keys.
func InPlace(row uint8) bool { return row != generic }

// The offsets of the other fields of Keys.
const (
	StdRounds = unsafe.Offsetof(Keys{}.simd) + unsafe.Offsetof(amd64.Keys{}.Rounds)
	StdMore   = unsafe.Offsetof(Keys{}.more)
)
