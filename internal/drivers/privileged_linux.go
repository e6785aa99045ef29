package drivers

import "golang.org/x/sys/unix"

// atSecure is AT_SECURE of linux/auxvec.h.
const atSecure = 23

// privileged reports whether this program may have more privileges than its caller:
// by setuid, setgid, file capabilities, or a domain transition of a security module.
// Linux sets AT_SECURE in the auxiliary vector then. If the vector cannot be read,
// privileged returns true, to be safe.
func privileged() bool {
	pairs, err := unix.Auxv()
	for _, p := range pairs {
		if p[0] == atSecure {
			return p[1] != 0
		}
	}
	return err != nil || differentIDs()
}
