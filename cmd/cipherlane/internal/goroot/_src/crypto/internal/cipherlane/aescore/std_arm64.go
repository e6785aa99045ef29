//go:build !purego

package aescore

import (
	"crypto/internal/cipherlane/aescore/internal/arm64"
	"unsafe"
)

// LikeStd reports whether the round keys of a driver are those of crypto/internal/fips140/aes, in
// two arrays as there.
func LikeStd(row uint8) bool { return row == ce }

// The offsets of the fields of Keys.
const (
	StdEnc  = unsafe.Offsetof(Keys{}.ce) + unsafe.Offsetof(arm64.Keys{}.Enc)
	StdDec  = unsafe.Offsetof(Keys{}.ce) + unsafe.Offsetof(arm64.Keys{}.Dec)
	StdNEON = unsafe.Offsetof(Keys{}.neon)
	StdMore = unsafe.Offsetof(Keys{}.more)
	StdMany = unsafe.Offsetof(Keys{}.many)
)
