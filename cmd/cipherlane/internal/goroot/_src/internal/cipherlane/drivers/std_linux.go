package drivers

import "internal/cipherlane/unix"

// privileged reports whether this program may have more privileges than its caller.
func privileged() bool {
	const atSecure = 23
	pairs, _ := unix.Auxv()
	for _, p := range pairs {
		if p[0] == atSecure {
			return p[1] != 0
		}
	}
	return true // to be safe
}
