package driver

import "golang.org/x/sys/unix"

// atSecure is AT_SECURE of linux/auxvec.h.
const atSecure = 23

// privileged reports whether this program has rights that whoever started it may not
// have: setuid, setgid, file capabilities, or a transition of a security module.
// Linux says so in the auxiliary vector. A vector that cannot be read is not for the
// caller to read either, so that is a yes.
func privileged() bool {
	pairs, err := unix.Auxv()
	for _, p := range pairs {
		if p[0] == atSecure {
			return p[1] != 0
		}
	}
	return err != nil || differentIDs()
}
