//go:build !purego

package aescore

import (
	"crypto/internal/cipherlane/aescore/internal/amd64"
	"internal/cipherlane/cpu"
	"unsafe"
)

// LikeStd reports whether Keys, as this machine uses them, begin with the round keys of
// crypto/internal/fips140/aes: those for encryption, then those for decryption.
func LikeStd() bool { return cpu.Features().Has(cpu.AES | cpu.SSSE3 | cpu.PCLMULQDQ) }

// The offsets of the other fields of Keys.
const (
	StdRounds = unsafe.Offsetof(Keys{}.simd) + unsafe.Offsetof(amd64.Keys{}.Rounds)
	StdMore   = unsafe.Offsetof(Keys{}.more)
)
