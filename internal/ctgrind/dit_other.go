//go:build purego || !linux || !arm64

package ctgrind

// DIT reports whether instructions currently have data-independent timing. Only arm64 has
// the mode, and only Linux tells this package.
func DIT() (enabled, supported bool) { return false, false }
