package main

import (
	"crypto/subtle"

	"github.com/cipherlane/cipherlane/aes"
)

// planted returns operations with leaks that the program must find, after the name of
// each, and one without. All of them decrypt a message first, so that a leak of a few
// cycles is a small part of what is timed.
func planted() (leaking, sound []*probe) {
	m := maker{driver: "planted"}
	m.a.Package, m.a.Name = "planted", "gcm(aes)"
	a := must(aes.NewGCM(make([]byte, 16)))
	nonce, dst := make([]byte, 12), make([]byte, 64)
	sealed := a.Seal(nil, nonce, make([]byte, 32), nil)
	right := sealed[32:]

	m.forged("compare to the first difference", 32, right, func(tag []byte) func() {
		return func() {
			a.Seal(dst[:0], nonce, sealed[:32], nil)
			dst[0] = byte(compare(right, tag))
		}
	})
	m.add("branch on a bit", keyClasses, 32, 1, func(p []byte) func() {
		return func() {
			a.Seal(dst[:0], nonce, sealed[:32], nil)
			dst[0] = byte(branch(p[0], dst[47]))
		}
	}).draw = func(class int, p []byte) { p[0] = p[0]&^1 | byte(class) }
	leaking, m.list = m.list, nil

	m.forged("compare all", 32, right, func(tag []byte) func() {
		return func() {
			a.Seal(dst[:0], nonce, sealed[:32], nil)
			dst[0] = byte(compareAll(right, tag))
		}
	})
	return leaking, m.list
}

//go:noinline
func compare(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return 0
		}
	}
	return 1
}

//go:noinline
func compareAll(a, b []byte) int { return subtle.ConstantTimeCompare(a, b) }

// branch multiplies three times more, which takes about nine cycles, for an odd key. The
// numbers depend on the tag, so that this does not overlap with the encryption.
//
//go:noinline
func branch(key, tag byte) int {
	x := uint(tag) | 1
	if key&1 != 0 {
		x *= x
		x *= x
		x *= x
	}
	return int(x)
}
