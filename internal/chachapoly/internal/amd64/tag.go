//go:build amd64 && !purego

package amd64

import "encoding/binary"

// equalTag compares the right tag with the first 16 bytes of another, in constant time.
func equalTag(right *[16]byte, tag []byte) bool {
	want := tag[:16]
	d := binary.LittleEndian.Uint64(right[:]) ^ binary.LittleEndian.Uint64(want)
	d |= binary.LittleEndian.Uint64(right[8:]) ^ binary.LittleEndian.Uint64(want[8:])
	return d == 0
}
